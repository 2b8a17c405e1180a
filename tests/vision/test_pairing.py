"""Piles of the face photo are found again in the back photo, however the camera has moved between the two."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.vision.pairing import Paired, PilePlace, pair_piles

counts = st.lists(st.integers(1, 13), min_size=1, max_size=12)
seeds = st.integers(0, 2**32 - 1)


def table(counts: list[int], rng: np.random.Generator) -> np.ndarray:
    """Middles of piles laid in rows, in card widths, (n, 2)."""
    columns = max(1, int(np.ceil(np.sqrt(len(counts)))))
    cells = np.array([(i % columns, i // columns) for i in range(len(counts))], float)
    return np.asarray(cells * [4.5, 1.9] + rng.normal(0, 0.15, (len(counts), 2)))


def photo(counts: list[int], middles: np.ndarray, width: float | None = 100.0) -> tuple[PilePlace, ...]:
    return tuple(PilePlace(n, float(x), float(y), width) for n, (x, y) in zip(counts, middles, strict=True))


def moved(middles: np.ndarray, rng: np.random.Generator, quarters: int = 0) -> np.ndarray:
    """As another photo shows the same table: nearer, shifted, a little turned and sheared, or from another side."""
    turn = quarters * np.pi / 2 + rng.normal(0, 0.08)
    c, s = np.cos(turn), np.sin(turn)
    sheared = np.eye(2) + rng.normal(0, 0.04, (2, 2))
    return np.asarray(
        middles @ sheared @ np.array([[c, s], [-s, c]]) * rng.uniform(60, 200) + rng.uniform(0, 900, 2)
    )


def right(paired: Paired, order: np.ndarray) -> bool:
    """Whether pile i was paired with where it stands in the shuffled second photo."""
    return {i: j for i, j in paired.pairs} == {int(i): place for place, i in enumerate(order)}


@settings(max_examples=150)
@given(counts, seeds)
def test_piles_are_found_again_after_the_camera_has_moved(counts: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    middles = table(counts, rng)
    order = rng.permutation(len(counts))
    again = moved(middles, rng)
    second = photo([counts[i] for i in order], again[order])
    assert right(pair_piles(photo(counts, middles * 100), second), order)


@settings(max_examples=60)
@given(st.integers(2, 12), st.integers(1, 13), seeds)
def test_piles_of_equal_length_are_told_apart_by_their_places(piles: int, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    middles = table([count] * piles, rng)
    order = rng.permutation(piles)
    second = photo([count] * piles, moved(middles, rng)[order])
    assert right(pair_piles(photo([count] * piles, middles), second), order)


@settings(max_examples=60)
@given(st.lists(st.integers(1, 13), min_size=4, max_size=12, unique=True), seeds, st.integers(1, 3))
def test_a_photo_from_another_side_of_the_table_is_recognised_by_the_counts(
    counts: list[int], seed: int, quarters: int
) -> None:
    rng = np.random.default_rng(seed)
    middles = table(counts, rng)
    order = rng.permutation(len(counts))
    second = photo([counts[i] for i in order], moved(middles, rng, quarters)[order])
    assert right(pair_piles(photo(counts, middles), second), order)


@settings(max_examples=60)
@given(st.lists(st.integers(1, 13), min_size=5, max_size=12), seeds)
def test_a_pile_that_one_photo_lacks_stays_alone(counts: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    middles = table(counts, rng)
    lost = int(rng.integers(len(counts)))
    order = np.array([i for i in rng.permutation(len(counts)) if i != lost])
    second = photo([counts[i] for i in order], moved(middles, rng)[order])
    assert right(pair_piles(photo(counts, middles), second), order)
    backward = pair_piles(second, photo(counts, middles))
    assert right(Paired(tuple((j, i) for i, j in backward.pairs), ()), order)


def test_a_count_that_is_one_off_does_not_separate_a_pile_from_its_place() -> None:
    middles = np.array([[0.0, 0], [5, 0], [0, 2], [5, 2]])
    faces, backs = photo([13, 7, 4, 9], middles * 80), photo([13, 8, 4, 9], middles * 75 + 40)
    assert pair_piles(faces, backs).pairs == ((0, 0), (1, 1), (2, 2), (3, 3))


def test_a_page_taken_for_a_card_is_not_paired_with_a_pile_that_was_lost() -> None:
    middles = np.array([[0.0, 0], [5, 0], [0, 2], [5, 2], [0, 4], [5, 4]]) * 100
    faces = photo([7, 3, 4, 9, 2, 1], middles)
    page = np.array([[900.0, 600.0]])
    backs = photo([7, 3, 4, 9, 2, 1], np.vstack([middles[:-1], page]))
    assert pair_piles(faces, backs).pairs == ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4))


def test_piles_of_cards_of_unknown_size_are_paired_by_counts_and_places() -> None:
    middles = np.array([[0.0, 0], [5, 0], [0, 2], [5, 2], [0, 4]]) * 100
    moved_a_little = middles + np.random.default_rng(1).normal(0, 20, middles.shape)
    paired = pair_piles(photo([5, 3, 12, 9, 2], middles), photo([5, 3, 12, 9, 2], moved_a_little, None))
    assert paired.pairs == ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4))


def test_a_pile_of_which_only_half_was_seen_is_paired_where_it_lies() -> None:
    middles = np.array([[0.0, 0], [5, 0], [0, 2], [5, 2], [0, 4]]) * 100
    seen = middles + np.array([[0, 0], [0, 0], [120, 0], [0, 0], [0, 0]])
    paired = pair_piles(photo([5, 3, 12, 9, 2], middles), photo([5, 3, 6, 9, 2], seen))
    assert paired.pairs == ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4))


def test_clear_places_are_not_ambiguous() -> None:
    middles = np.array([[0.0, 0], [5, 0], [0, 2], [5, 2]])
    paired = pair_piles(photo([5, 5, 5, 5], middles), photo([5, 5, 5, 5], middles))
    assert paired.ambiguous == ()


def test_equal_piles_in_places_that_fit_either_way_are_ambiguous() -> None:
    faces = photo([5, 5, 9], np.array([[0.0, 0], [4, 0], [2, 6]]))
    backs = photo([5, 5, 9], np.array([[2.0, 2], [2, -2], [2, 6]]))
    paired = pair_piles(faces, backs)
    assert {paired.pairs[k][0] for k in paired.ambiguous} == {0, 1}


@pytest.mark.parametrize(("faces", "backs"), [(0, 0), (0, 3), (2, 0)])
def test_nothing_is_paired_with_nothing(faces: int, backs: int) -> None:
    middles = np.array([[0.0, 0], [5, 0], [0, 2]])
    paired = pair_piles(photo([1] * faces, middles[:faces]), photo([1] * backs, middles[:backs]))
    assert paired == Paired((), ())
