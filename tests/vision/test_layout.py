"""Ribbons of faces: which cards lie in one, from the lowest card up, in any direction and several to a photo."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from scorer.vision.classifier import RANKS, SUITS
from scorer.vision.layout import ribbons
from scorer.vision.sightings import FoundCard, Sightings, cards_of, pair_corners
from tests.vision.lying import (
    BOTH,
    WIDTH_IN_PIXELS,
    Lying,
    Print,
    View,
    angles,
    calm_views,
    prints,
    ribbon_indices,
    ribbon_of,
    seen,
)


def card_of(found: Sightings, corners: tuple[int, ...]) -> FoundCard:
    return FoundCard(corners, found.ranks[corners[0]], found.suits[corners[0]], 0.95)


def piles_seen(found: Sightings) -> list[list[str]]:
    """The faces of each pile, from the lowest card up."""
    pairs, reach = pair_corners(found)
    cards = cards_of(found, pairs, reach)
    names = [RANKS[int(c.ranks.argmax())] + SUITS[int(c.suits.argmax())] for c in cards]
    return [[names[i] for i in pile] for pile in ribbons(found, cards, reach)]


def names(suit: str, count: int, *, down: bool = False) -> list[str]:
    faces = [RANKS[i] + suit for i in range(count)]
    return faces[::-1] if down else faces


def view_of(laid: Sequence[list[Lying]], view: View, printed: Print) -> Sightings:
    return seen([index for ribbon in laid for index in ribbon_indices(ribbon, printed)], view)


directions = angles
pitches = st.floats(0.2, 0.7)
leans = st.floats(-0.25, 0.25)
bends = st.floats(-0.03, 0.03)
jitters = st.floats(-0.03, 0.03)
untidy = st.lists(st.tuples(jitters, jitters, jitters), min_size=13, max_size=13)


@settings(max_examples=150)
@given(st.integers(1, 13), pitches, directions, leans, bends, untidy, calm_views, prints)
def test_a_ribbon_is_one_pile_from_the_lowest_card_up(
    count: int, pitch: float, direction: float, lean: float, bend: float,
    mess: list[tuple[float, float, float]], view: View, printed: Print,
) -> None:  # fmt: skip
    faces = names("H", count)
    laid = ribbon_of(faces, 0, 0, pitch=pitch, direction=direction, lean=lean, bend=bend, untidy=mess)
    assert piles_seen(view_of([laid], view, printed)) == [faces]


@settings(max_examples=60)
@given(st.integers(2, 13), pitches, directions, calm_views)
def test_a_ribbon_laid_from_the_king_down_is_read_as_it_lies(
    count: int, pitch: float, direction: float, view: View
) -> None:
    faces = names("C", count, down=True)
    laid = ribbon_of(faces, 0, 0, pitch=pitch, direction=direction)
    assert piles_seen(view_of([laid], view, Print())) == [faces]


tables = st.lists(st.tuples(st.sampled_from("CDHS"), st.integers(1, 13)), min_size=1, max_size=6)


@settings(max_examples=100)
@given(tables, pitches, calm_views, prints, st.lists(leans, min_size=6, max_size=6))
@example([("H", 13)] * 6, 0.25, View(0.4, 1.0, 2.0), Print(), [0.1, -0.1, 0.0, 0.2, 0.0, -0.2])
def test_piles_beside_one_another_stay_apart(
    piles: list[tuple[str, int]], pitch: float, view: View, printed: Print, lean: list[float]
) -> None:
    wanted = [names(suit, count) for suit, count in piles]
    laid = [ribbon_of(f, 0, 1.9 * i, pitch=pitch, lean=lean[i]) for i, f in enumerate(wanted)]
    assert sorted(piles_seen(view_of(laid, view, printed))) == sorted(wanted)


@settings(max_examples=60)
@given(st.integers(1, 9), st.integers(1, 9), pitches, st.floats(1.45, 3), calm_views)
def test_two_piles_in_one_line_stay_apart(
    first: int, second: int, pitch: float, gap: float, view: View
) -> None:
    wanted = [names("S", first), names("D", second)]
    laid = [
        ribbon_of(wanted[0], 0, 0, pitch=pitch),
        ribbon_of(wanted[1], (first - 1) * pitch + gap, 0, pitch=pitch),
    ]
    assert sorted(piles_seen(view_of(laid, view, Print()))) == sorted(wanted)


@settings(max_examples=40)
@given(st.integers(2, 9), st.integers(2, 9), pitches, calm_views)
def test_piles_that_run_towards_different_sides(first: int, second: int, pitch: float, view: View) -> None:
    wanted = [names("S", first), names("D", second)]
    laid = [
        ribbon_of(wanted[0], 0, 0, pitch=pitch, direction=0.3),
        ribbon_of(wanted[1], -3, 3, pitch=pitch, direction=0.3 + np.pi),
    ]
    assert sorted(piles_seen(view_of(laid, view, Print()))) == sorted(wanted)


@settings(max_examples=40)
@given(st.integers(2, 10), pitches, calm_views)
def test_a_column_shows_its_upper_edges(count: int, pitch: float, view: View) -> None:
    faces = names("D", count)
    cards = [Lying(face, 0, 0.6 * i + pitch * 0.2 * i) for i, face in enumerate(faces)]
    shown = [(card.face, Print().index(card)) for card in cards]
    top = (faces[-1], Print().index(cards[-1], "bottom right"))
    assert piles_seen(seen([*shown, top], view)) == [faces]


@settings(max_examples=40)
@given(st.integers(2, 8), calm_views)
def test_cards_side_by_side_are_piles_of_one(count: int, view: View) -> None:
    cards = [Lying(face, 1.3 * i, 0) for i, face in enumerate(names("S", count))]
    found = seen([(c.face, Print().index(c, corner)) for c in cards for corner in BOTH], view)
    assert sorted(piles_seen(found)) == sorted([card.face] for card in cards)


@settings(max_examples=40)
@given(st.lists(st.tuples(st.floats(-2, 2), st.floats(-2, 2), angles), min_size=1, max_size=30), calm_views)
def test_in_a_heap_every_card_is_in_exactly_one_pile(
    heap: list[tuple[float, float, float]], view: View
) -> None:
    cards = [Lying(names("CDHS"[i % 4], 13)[i % 13], *place) for i, place in enumerate(heap)]
    found = seen([(card.face, Print().index(card)) for card in cards], view)
    pairs, reach = pair_corners(found)
    joined = cards_of(found, pairs, reach)
    piled = [i for pile in ribbons(found, joined, reach) for i in pile]
    assert sorted(piled) == list(range(len(joined)))


@pytest.mark.parametrize("side", ["left", "right"])
@settings(max_examples=60)
@given(count=st.integers(2, 13), pitch=st.floats(0.25, 0.6), direction=directions, view=calm_views)
def test_a_deck_with_four_indices_may_show_either_side(
    side: str, count: int, pitch: float, direction: float, view: View
) -> None:
    faces = names("H", count)
    step = pitch if side == "left" else -pitch
    way = np.array([np.cos(direction), np.sin(direction)])
    cards = [Lying(face, *(step * i * way), direction) for i, face in enumerate(faces)]
    shown = [(c.face, Print().index(c, f"{end} {side}")) for c in cards for end in ("top", "bottom")]
    far = "right" if side == "left" else "left"
    shown += [(cards[-1].face, Print().index(cards[-1], f"{end} {far}")) for end in ("top", "bottom")]
    assert piles_seen(seen(shown, view)) == [faces]


def test_no_cards_no_piles() -> None:
    assert piles_seen(seen([], View())) == []


def test_a_card_with_four_indices_is_not_joined_to_the_pile_beside_it() -> None:
    # An open four of a four-index deck, and to its right the left sides of another pile.
    corners = ("top left", "top right", "bottom left", "bottom right")
    four = [("4H", Print().index(Lying("4H", 0, 0), corner)) for corner in corners]
    beside = [(f, Print().index(Lying(f, 1.5 + 0.35 * n, 0))) for n, f in enumerate(("AD", "2D"))]
    found = seen([*four, *beside], View())
    cards = [card_of(found, (0, 1, 2, 3)), card_of(found, (4,)), card_of(found, (5,))]
    reach = np.tile(np.array([0.8, 1.0]) * WIDTH_IN_PIXELS, (6, 1))
    assert sorted(ribbons(found, cards, reach)) == [(0,), (1, 2)]


def test_a_pile_of_a_four_index_deck_runs_the_way_its_ranks_rise() -> None:
    # Both left corners of each card; which of the cards lies on top cannot be told from where they are.
    laid = [(f, Print().index(Lying(f, -0.35 * n, 0), c)) for n, f in enumerate(("AD", "2D", "3D", "4D")) for c in
            ("top left", "bottom left")]  # fmt: skip
    found = seen(laid, View())
    cards = [card_of(found, (2 * n, 2 * n + 1)) for n in range(4)]
    reach = np.tile(np.array([0.8, 1.0]) * WIDTH_IN_PIXELS, (8, 1))
    assert ribbons(found, cards, reach) == [(0, 1, 2, 3)]


def test_a_card_is_put_where_its_face_continues_a_ribbon_though_a_stray_corner_is_nearer() -> None:
    laid = [("2C", 0.0), ("9H", 0.2), ("3C", 0.45), ("4C", 0.8)]
    found = seen([(face, Print().index(Lying(face, x, 0))) for face, x in laid], View())
    cards = [card_of(found, (n,)) for n in range(4)]
    reach = np.tile(np.array([0.8, 1.0]) * WIDTH_IN_PIXELS, (4, 1))
    assert (0, 2, 3) in ribbons(found, cards, reach)


def test_what_lies_beyond_the_open_side_of_the_top_card_is_not_of_its_ribbon() -> None:
    """A page beside it, seen upside down: the top card shows its far index, so nothing lies on it, and nothing beyond."""
    faces = names("S", 4)
    shown = ribbon_indices(ribbon_of(faces, 0, 0, pitch=0.4))
    page = ("5S", Print().index(Lying("5S", 1.7, 0.1), "bottom right"))
    assert sorted(piles_seen(seen([*shown, page], View()))) == sorted([faces, ["5S"]])
