"""Whether groups of backs are one deck each."""

import numpy as np
import pytest

from scorer.vision.cohesion import are_one_deck_each
from scorer.vision.grouping import Evidence, equal_cards


def odds_of(sizes: list[int], among: list[list[float]], *equal: tuple[int, int]) -> Evidence:
    """Of strips of which those of part i have with those of part j the odds among[i][j], and some lie on equal faces."""
    part = np.repeat(np.arange(len(sizes)), sizes)
    odds = np.array(among)[np.ix_(part, part)]
    np.fill_diagonal(odds, 0)
    return Evidence(odds, equal_cards(len(odds), equal))


def grouped(sizes: list[int], groups: list[int]) -> np.ndarray:
    """The group of every strip, by those of the parts."""
    return np.repeat(groups, sizes)


@pytest.mark.parametrize(("between", "one"), [(6, True), (4, True), (3, False), (-5, False)])
def test_a_group_hides_two_decks_if_its_parts_are_far_less_alike_than_either_in_itself(
    between: float, one: bool
) -> None:
    sizes = [4, 3, 5]
    odds = odds_of(sizes, [[6, between, -1], [between, 6, -1], [-1, -1, 6]])
    assert are_one_deck_each(odds, grouped(sizes, [0, 0, 1])) is one


def test_a_deck_in_light_and_in_shadow_is_one_where_its_parts_are_like_no_other() -> None:
    def is_one(between: float, nearest: float, *equal: tuple[int, int]) -> bool:
        sizes = [4, 3, 5]
        odds = odds_of(sizes, [[6, between, nearest], [between, 6, nearest], [nearest, nearest, 6]], *equal)
        return are_one_deck_each(odds, grouped(sizes, [0, 0, 1]))

    assert is_one(3, -4) and not is_one(-1, -3.5)
    # The same face in both parts, or a group that may be a part of this deck.
    assert not is_one(3, -4, (0, 4))
    assert not is_one(3, -1) and is_one(3, -1, (0, 8))


def test_two_groups_may_be_one_deck_if_they_are_somewhat_alike_unless_equal_faces_lie_in_both() -> None:
    sizes = [4, 4]
    for between, two, told in ((-6, True, True), (2.5, False, True), (3.5, False, False), (6, False, False)):
        for equal, expected in (((), two), (((0, 4),), told)):
            odds = odds_of(sizes, [[6, between], [between, 6]], *equal)
            assert are_one_deck_each(odds, grouped(sizes, [0, 1])) is expected


def test_single_strips_seen_badly_are_their_own_doubt() -> None:
    sizes = [5, 1, 1, 4]
    odds = odds_of(sizes, [[6, 0.5, 1, -7], [0.5, 0, -3, -7], [1, -3, 0, -7], [-7, -7, -7, 6]])
    assert are_one_deck_each(odds, grouped(sizes, [0, 0, 0, 1]))
    assert are_one_deck_each(odds_of([1, 4], [[0, -7], [-7, 6]]), grouped([1, 4], [0, 1]))


def test_strips_that_are_not_alike_are_no_deck() -> None:
    sizes = [2, 4]
    for within, one in ((1.2, True), (0.8, False), (-3, False)):
        odds = odds_of(sizes, [[within, -7], [-7, 6]])
        assert are_one_deck_each(odds, grouped(sizes, [0, 1])) is one
