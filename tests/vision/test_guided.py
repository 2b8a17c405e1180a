"""Ribbons looked for where the faces say that they lie; the network is stood in for by one that reads painted pictures."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.vision.guided import EVERY_WAY, Sought, expected_ways, find_ribbon, moved, movement, overlap
from scorer.vision.lines import CARDS, EDGE, END, FINER, FIRST, HEIGHT, LENGTH, Line, Reduced
from scorer.vision.rows import NO_CORNERS, BackRibbon, Edge
from scorer.vision.turned import WIDTH as FULL_WIDTH
from scorer.vision.turned import Fan, Scale

CARD_LENGTH = 150.0
PITCH, WIDTH = 14, 34
"""In columns of a line: from card to card, and of a whole card."""


def painted(line: Line, first: int, count: int) -> np.ndarray:
    """A picture in which a ribbon is written down: edges red, the far edge green, cards blue, the first edge half red."""
    y, x = np.mgrid[:800, :900]
    places = line.to_line(np.stack([x.ravel(), y.ravel()], axis=1).astype(float))
    column, row = (places[:, k].reshape(x.shape) for k in (0, 1))
    inside = np.abs(row - HEIGHT / 2) < 24
    picture = np.zeros((800, 900, 3), np.uint8)
    last = first + PITCH * (count - 1) + WIDTH
    picture[inside & (column >= first) & (column <= last), 2] = 255
    for n in range(count):
        picture[inside & (np.abs(column - first - PITCH * n) < 1.2), 0] = 255
    picture[inside & (np.abs(column - last) < 1.2), 1] = 255
    return picture


def whole(picture: np.ndarray) -> Reduced:
    return Reduced(picture, np.ones(2))


def reads_paint(batch: np.ndarray) -> np.ndarray:
    rows = batch[:, :, HEIGHT // 2 - 8 : HEIGHT // 2 + 8].mean(axis=2)
    colours = rows.reshape(*rows.shape[:2], LENGTH, FINER).mean(axis=3)
    shown = np.zeros((len(batch), 4, LENGTH), np.float32)
    shown[:, EDGE], shown[:, END], shown[:, CARDS] = colours[:, 0], colours[:, 1], colours[:, 2]
    before = np.roll(colours[:, 2], 4, axis=1)
    shown[:, FIRST] = colours[:, 0] * (before < 0.2)
    return np.asarray(12 * (shown - 0.4), np.float32)


def sought(middle: np.ndarray, count: int, *, gaps: np.ndarray | None = None) -> Sought:
    """A pile of so many cards around a place, by default as evenly spread as they are painted."""
    even = np.full(count - 1, PITCH / FULL_WIDTH)
    places = np.concatenate([[0.0], np.cumsum(even if gaps is None else gaps)])
    ranks = tuple(range(len(places), 0, -1))
    return Sought(middle, CARD_LENGTH, Fan(places, ranks), count, Scale())


def middle_of(line: Line, first: int, count: int) -> np.ndarray:
    start, end = line.edge(first + (PITCH * (count - 1) + WIDTH) / 2)
    return np.asarray((start + end) / 2)


@settings(max_examples=12, deadline=None)
@given(st.floats(-3.1, 3.1), st.integers(1, 9), st.floats(-8, 8), st.floats(-8, 8))
def test_a_ribbon_is_found_whichever_way_it_was_turned(
    turn: float, count: int, right: float, down: float
) -> None:
    axis = np.array([np.cos(turn), np.sin(turn)])
    line = Line(np.array([450.0, 400.0]) - axis * CARD_LENGTH / 48 * 255, axis, CARD_LENGTH)
    first = 255 - (PITCH * (count - 1) + WIDTH) // 2
    expected = middle_of(line, first, count) + np.array([right, down])
    picture = whole(painted(line, first, count))
    found = find_ribbon(picture, sought(expected, count), NO_CORNERS, reads_paint)  # type: ignore[arg-type]
    assert found is not None and len(found.edges) == count
    assert found.axis @ axis > 0.98
    start, end = line.edge(first)
    assert np.hypot(*((found.edges[0].start + found.edges[0].end - start - end) / 2)) < 30


def found_near(picture: np.ndarray, pile: Sought) -> BackRibbon | None:
    return find_ribbon(whole(picture), pile, NO_CORNERS, reads_paint)  # type: ignore[arg-type]


LEVEL = Line(np.array([50.0, 400.0]), np.array([1.0, 0.0]), CARD_LENGTH)


def test_a_ribbon_of_another_count_is_not_taken_for_it() -> None:
    assert found_near(painted(LEVEL, 100, 4), sought(middle_of(LEVEL, 100, 4), 5)) is None


def test_a_ribbon_spread_otherwise_than_its_faces_is_not_taken_for_it() -> None:
    uneven = np.array([5, 23, 5, 23]) / FULL_WIDTH
    middle = middle_of(LEVEL, 100, 5)
    assert found_near(painted(LEVEL, 100, 5), sought(middle, 5)) is not None
    assert found_near(painted(LEVEL, 100, 5), sought(middle, 5, gaps=uneven)) is None


def test_an_empty_table_shows_no_ribbon() -> None:
    empty = np.zeros((800, 900, 3), np.uint8)
    assert found_near(empty, sought(np.array([450.0, 400.0]), 3)) is None


places = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 20)), min_size=6, max_size=12, unique=True
).map(lambda p: np.array(p, float) * 100)


@settings(max_examples=60)
@given(places, st.floats(-0.3, 0.3), st.floats(0.8, 1.2), st.integers(0, 2))
def test_the_movement_of_the_camera_is_seen_through_wrong_pairs(
    points: np.ndarray, turn: float, scale: float, wrong: int
) -> None:
    if np.linalg.matrix_rank(points[wrong:] - points[-1]) < 2:
        return
    c, s = np.cos(turn) * scale, np.sin(turn) * scale
    target = points @ np.array([[c, s], [-s, c]]) + np.array([300, -200])
    target[:wrong] += 900 * np.arange(1, wrong + 1)[:, None]
    matrix = movement(points, target, 60.0)
    if len(points) - wrong < 5:
        return
    assert matrix is not None
    agree = np.linalg.norm(moved(matrix, points) - target, axis=1) < 60
    assert agree.sum() >= len(points) - wrong


THREE = np.array([[0.0, 0.0], [900.0, 0.0], [0.0, 700.0]])


def test_three_pairs_tell_a_simple_movement() -> None:
    target = 1.1 * THREE @ np.array([[0.8, 0.6], [-0.6, 0.8]]) + 40
    matrix = movement(THREE, target, 50.0)
    assert matrix is not None and np.allclose(moved(matrix, THREE), target)
    # Any three pairs fit some stretching: that is no proof.
    assert movement(THREE, THREE * [1.0, 1.4] + [0, 300], 50.0) is None


def test_too_few_pairs_tell_no_movement() -> None:
    assert movement(THREE[:2], THREE[:2] + 40, 50.0) is None


def lying(x: float, y: float, count: int) -> BackRibbon:
    line = Line(np.array([x, y]), np.array([1.0, 0.0]), 140.0)
    edges = tuple(Edge(*line.edge(10.0 * n), (), 0.9) for n in range(count))
    return BackRibbon(edges, line.axis, 100.0, (count, count))


@pytest.mark.parametrize(
    ("x", "y", "expected"), [(30, 0, True), (0, 40, True), (0, 160, False), (400, 0, False)]
)
def test_ribbons_that_claim_the_same_cards_overlap(x: float, y: float, expected: bool) -> None:
    assert overlap(lying(0, 0, 5), lying(x, y, 3)) is expected
    assert overlap(lying(x, y, 3), lying(0, 0, 5)) is expected


angles = st.floats(-3.1, 3.1)


@given(st.lists(angles, min_size=3, max_size=8), angles, angles, st.sampled_from([-1, 1]))
def test_piles_turned_over_alike_tell_where_the_next_one_points(
    faces: list[float], face: float, offset: float, sign: int
) -> None:
    backs = [sign * way + offset for way in faces]
    ways = expected_ways(faces, backs, face)
    best = np.abs(np.exp(1j * ways) - np.exp(1j * (sign * face + offset))).min()
    # Where all lie along one line, mirrored and moved cannot be told apart.
    assert best < 1e-6 or abs(np.exp(2j * np.array(faces)).mean()) > 0.9999


def test_piles_turned_over_anyhow_tell_nothing() -> None:
    assert expected_ways([0.0, 0.5, 1.0, 1.5], [0.3, 2.9, -1.4, 1.0], 0.2) is EVERY_WAY
    assert expected_ways([0.0, 0.5], [0.0, 0.5], 0.2) is EVERY_WAY
