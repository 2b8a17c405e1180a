"""How the camera moved between two photos of a table, seen through piles that were lost or misread."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.vision.movement import Marks, Movement, Partners, TwoPhotos, fitted, seen_again

WIDTH = 100.0
"""Of a card, pixels of either photo."""
seeds = st.integers(0, 2**32 - 1)


def leaning(rng: np.random.Generator) -> Movement:
    """A hand-held camera: a little turned, nearer, shifted, and leaning otherwise."""
    turn, size = rng.normal(0, 0.2), rng.uniform(0.9, 1.1)
    c, s = size * np.cos(turn), size * np.sin(turn)
    right, down = rng.uniform(-300, 300, 2)
    return Movement(np.array([[c, -s, right], [s, c, down], [*rng.normal(0, 3e-5, 2), 1.0]]))


def layout(piles: int, rng: np.random.Generator) -> np.ndarray:
    """Middles of piles in untidy rows of three, pixels (n, 2)."""
    cells = np.array([(n % 3, n // 3) for n in range(piles)], float)
    return np.asarray((cells * [4.2, 1.9] + rng.normal(0, 0.2, (piles, 2))) * WIDTH + 500)


def likeness(counts: np.ndarray, others: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.abs(counts[:, None] - others)))


@settings(max_examples=40)
@given(st.integers(6, 12), seeds)
def test_it_is_seen_through_lost_piles_and_a_page_taken_for_cards(piles: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    faces, camera, counts = layout(piles, rng), leaning(rng), rng.integers(2, 9, piles)
    backs = camera.points(faces) + rng.normal(0, 0.05 * WIDTH, faces.shape)
    order = rng.permutation(piles)[: piles - 1]
    page = camera.points(faces).max(axis=0) + 2 * WIDTH
    found, likely = np.vstack([backs[order], page]), likeness(counts, np.append(counts[order], 1))
    known = seen_again(TwoPhotos(faces, found, likely, WIDTH))
    assert known is not None
    assert dict(known[1]) == {int(n): place for place, n in enumerate(order)}
    away = np.linalg.norm(known[0].points(faces) - camera.points(faces), axis=1)
    assert away.max() < 0.3 * WIDTH


def test_a_slanted_view_tells_where_a_pile_lies_that_nobody_found() -> None:
    """Under a mere turn, shift and change of size the last pile would lie nearly a card aside."""
    slanted = Movement(np.array([[1.0, 0.05, 40.0], [-0.02, 0.97, 10.0], [4e-5, 6e-5, 1.0]]))
    faces = layout(9, np.random.default_rng(3))
    lost = faces[-1:]
    movement = fitted(Partners(faces[:-1], slanted.points(faces[:-1]), WIDTH))
    assert np.linalg.norm(movement.points(lost) - slanted.points(lost)) < 0.1 * WIDTH


def test_a_pile_that_was_shifted_as_it_was_turned_over_moves_no_other() -> None:
    faces = layout(8, np.random.default_rng(5))
    shifted = faces.copy()
    shifted[4] += 0.5 * WIDTH
    away = np.linalg.norm(fitted(Partners(faces, shifted, WIDTH)).points(faces) - faces, axis=1)
    assert away.max() < 0.1 * WIDTH


THREE = np.array([[0.0, 0.0], [900.0, 0.0], [0.0, 700.0]])


def test_three_piles_tell_a_simple_movement() -> None:
    target = 1.1 * THREE @ np.array([[0.8, 0.6], [-0.6, 0.8]]) + 40
    known = seen_again(TwoPhotos(THREE, target, np.eye(3), WIDTH))
    assert known is not None and np.allclose(known[0].points(THREE), target)
    # Any three fit some stretching: that is no proof.
    assert seen_again(TwoPhotos(THREE, THREE * [1.0, 1.4] + [0, 300], np.eye(3), WIDTH)) is None


def test_two_piles_tell_no_movement() -> None:
    assert seen_again(TwoPhotos(THREE[:2], THREE[:2] + 40, np.ones((2, 2)), WIDTH)) is None


def cornered(middles: np.ndarray) -> Marks:
    """The corners of a card around every place."""
    outline = np.array([(-0.5, -0.7), (0.5, -0.7), (0.5, 0.7), (-0.5, 0.7)])
    points = (middles[:, None] + outline * WIDTH).reshape(-1, 2)
    ways = np.tile(-outline / np.hypot(*outline.T)[:, None], (len(middles), 1))
    return Marks(points, ways)


def test_corners_tell_it_where_hardly_a_ribbon_was_read() -> None:
    rng = np.random.default_rng(7)
    faces = layout(8, rng)
    ends, seen = cornered(faces), cornered(faces[2:])
    corners = ends, Marks(seen.points + 60, seen.inward)
    likely = np.zeros((8, 2))
    likely[0, 0] = likely[5, 1] = 1.0
    found = faces[[0, 5]] + 60
    assert seen_again(TwoPhotos(faces, found, likely, WIDTH)) is None
    known = seen_again(TwoPhotos(faces, found, likely, WIDTH, corners))
    assert known is not None
    assert np.allclose(known[0].points(faces), faces + 60, atol=2)
    # Corners that point elsewhere are of other cards.
    outward = ends, Marks(seen.points + 60, -seen.inward)
    assert seen_again(TwoPhotos(faces, found, likely, WIDTH, outward)) is None


@pytest.mark.parametrize("size", [0.3, 4.0])
def test_nobody_photographs_a_table_from_so_much_nearer(size: float) -> None:
    faces = layout(6, np.random.default_rng(9))
    assert seen_again(TwoPhotos(faces, faces * size, np.eye(6), WIDTH * size)) is None


@given(seeds)
def test_the_way_back_leads_to_the_same_place(seed: int) -> None:
    rng = np.random.default_rng(seed)
    movement, places = leaning(rng), layout(5, rng)
    assert np.allclose(movement.back.points(movement.points(places)), places)
    step = np.array([1.0, -2.0])
    moved = movement.points(np.array([places[0], places[0] + 0.01 * step]))
    assert np.allclose((moved[1] - moved[0]) / 0.01, movement.slope(places[0]) @ step, atol=1e-3)
