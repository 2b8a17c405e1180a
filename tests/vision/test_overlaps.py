"""Piles that a second photo shows again are counted once; equal piles elsewhere are not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.vision.overlaps import PlacedPile, repeated
from tests.vision.lying import turn

OWNERS = ("red", "blue", "green")


def cards(suit: str, top: int, first: int = 0) -> tuple[tuple[str, str], ...]:
    """What a pile's cards are: faces and owners."""
    return tuple((f"{rank}{suit}", OWNERS[(rank + first) % 3]) for rank in range(1, top + 1))


def seen(photo: int, labels: Sequence[tuple[str, str]], x: float, y: float, view: np.ndarray) -> PlacedPile:
    """A pile as a photo shows it; its view is (2, 3): turn, scale and shift."""
    middles = np.array([(x + 0.4 * i, y) for i in range(len(labels))])
    scale = float(np.hypot(*view[0, :2]))
    return PlacedPile(photo, tuple(labels), middles @ view[:, :2].T + view[:, 2], scale)


def view(angle: float, scale: float, x: float, y: float) -> np.ndarray:
    return np.column_stack([scale * turn(angle).T, [x, y]])


views = st.builds(
    view, st.floats(-3.1, 3.1), st.floats(50, 300), st.floats(-2000, 2000), st.floats(-2000, 2000)
)
FIRST = view(0.0, 100, 0, 0)
TABLE = [cards("H", 9), cards("S", 5, 1), cards("D", 12, 2), cards("C", 7)]


@settings(max_examples=60)
@given(views, st.integers(2, 4))
def test_a_second_photo_of_the_same_table_shows_nothing_new(other: np.ndarray, count: int) -> None:
    piles = [seen(0, labels, 0, 2 * i, FIRST) for i, labels in enumerate(TABLE[:count])]
    piles += [seen(1, labels, 0, 2 * i, other) for i, labels in enumerate(TABLE[:count])]
    assert repeated(piles) == {count + i: i for i in range(count)}


@settings(max_examples=60)
@given(views)
def test_photos_that_share_a_part_of_the_table_share_those_piles(other: np.ndarray) -> None:
    piles = [seen(0, labels, 0, 2 * i, FIRST) for i, labels in enumerate(TABLE[:3])]
    piles += [seen(1, labels, 0, 2 * (i + 1), other) for i, labels in enumerate(TABLE[1:])]
    assert repeated(piles) == {3: 1, 4: 2}


def test_the_same_pile_elsewhere_is_another_pile() -> None:
    # Two decks' spades of one length, next to the same neighbour.
    piles = [seen(0, TABLE[0], 0, 0, FIRST), seen(0, TABLE[1], 0, 2, FIRST)]
    piles += [seen(1, TABLE[0], 0, 0, FIRST), seen(1, TABLE[1], 0, 9, FIRST)]
    assert len(repeated(piles)) == 1


@pytest.mark.parametrize(("top", "again"), [(2, {}), (3, {1: 0}), (9, {1: 0})])
def test_one_common_pile_must_be_long_enough_to_be_no_chance(top: int, again: dict[int, int]) -> None:
    assert repeated([seen(0, cards("H", top), 0, 0, FIRST), seen(1, cards("H", top), 3, 3, FIRST)]) == again


def test_a_misread_card_does_not_make_a_new_pile() -> None:
    misread = (*TABLE[0][:4], ("KS", "red"), *TABLE[0][5:])
    piles = [seen(0, TABLE[0], 0, 0, FIRST), seen(1, misread, 0, 0, view(0.1, 120, 30, 40))]
    assert repeated(piles) == {1: 0}


def test_a_third_photo_repeats_the_first() -> None:
    piles = [seen(photo, TABLE[0], 0, 0, view(0.1 * photo, 100, 5, 5)) for photo in range(3)]
    assert repeated(piles) == {1: 0, 2: 0}


def test_piles_of_one_photo_are_never_each_other() -> None:
    assert repeated([seen(0, TABLE[0], 0, 2 * i, FIRST) for i in range(3)]) == {}
    assert repeated([]) == {}
