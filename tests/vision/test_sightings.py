"""Corners become cards by geometry, from wherever the camera looks, however many decks show the same face."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.cards import DECK
from scorer.vision.classifier import RANKS, SUITS, Named
from scorer.vision.detector import FACE
from scorer.vision.sightings import (
    USUAL_REACH,
    FoundCard,
    Sightings,
    _agreed_growth,
    card_widths,
    cards_of,
    pair_corners,
    sightings,
)
from tests.vision.lying import (
    BOTH,
    HEIGHT,
    Lying,
    Print,
    View,
    angles,
    calm_views,
    detections,
    prints,
    ribbon_indices,
    ribbon_of,
    seen,
    views,
)

faces = st.sampled_from([str(card) for card in DECK])


def cards_seen(found: Sightings) -> list[FoundCard]:
    return cards_of(found, *pair_corners(found))


def face_of(card: FoundCard) -> str:
    return RANKS[int(card.ranks.argmax())] + SUITS[int(card.suits.argmax())]


@settings(max_examples=200)
@given(faces, angles, views, prints)
def test_two_corners_of_a_card_are_one_card(face: str, angle: float, view: View, printed: Print) -> None:
    card = Lying(face, 0, 0, angle)
    (found,) = cards_seen(seen([(face, printed.index(card, corner)) for corner in BOTH], view))
    assert sorted(found.corners) == [0, 1]
    assert face_of(found) == face
    assert found.score > 0.99


@settings(max_examples=100)
@given(faces, angles, views, prints)
def test_one_corner_is_a_card_too(face: str, angle: float, view: View, printed: Print) -> None:
    (found,) = cards_seen(seen([(face, printed.index(Lying(face, 0, 0, angle)))], view))
    assert found.corners == (0,) and face_of(found) == face


# Nearer than that, seen aslant, a corner of the next equal card may lie where this one's other corner is expected.
grids = st.tuples(st.integers(1, 4), st.integers(1, 4), st.floats(1.15, 1.6), st.floats(1.15, 1.4))


@settings(max_examples=100)
@given(faces, grids, angles, calm_views, prints)
def test_equal_faces_of_several_decks_stay_apart(
    face: str, grid: tuple[int, int, float, float], angle: float, view: View, printed: Print
) -> None:
    rows, columns, across, down = grid
    cards = [Lying(face, c * across, r * HEIGHT * down) for r in range(rows) for c in range(columns)]
    found = seen(
        [(face, printed.index(card, corner)) for card in cards for corner in BOTH], turned(view, angle)
    )
    groups = {tuple(sorted(card.corners)) for card in cards_seen(found)}
    assert groups == {(2 * i, 2 * i + 1) for i in range(len(cards))}


def turned(view: View, angle: float) -> View:
    return View(view.tilt, view.azimuth, view.roll + angle, view.distance)


@settings(max_examples=60)
@given(st.lists(st.tuples(faces, angles), min_size=1, max_size=12), views, prints)
def test_cards_lying_about_are_each_found_once(
    lying: list[tuple[str, float]], view: View, printed: Print
) -> None:
    cards = [Lying(face, 2.2 * (i % 4), 2.2 * (i // 4), angle) for i, (face, angle) in enumerate(lying)]
    found = cards_seen(seen([(c.face, printed.index(c, corner)) for c in cards for corner in BOTH], view))
    assert sorted(face_of(card) for card in found) == sorted(face for face, _ in lying)


@settings(max_examples=60)
@given(st.integers(1, 13), st.floats(0.2, 0.75), angles, views, prints)
def test_a_ribbon_has_as_many_cards_as_were_laid(
    count: int, pitch: float, direction: float, view: View, printed: Print
) -> None:
    names = [RANKS[i] + "S" for i in range(count)]
    found = cards_seen(
        seen(ribbon_indices(ribbon_of(names, 0, 0, pitch=pitch, direction=direction), printed), view)
    )
    assert sorted(face_of(card) for card in found) == sorted(names)
    assert sum(len(card.corners) == 2 for card in found) == 1


FOUR = ("top left", "top right", "bottom right", "bottom left")
common = st.builds(
    Print, length=st.floats(0.16, 0.24), aside=st.floats(0.08, 0.13), below=st.floats(0.17, 0.26)
)


@settings(max_examples=60)
@given(st.lists(st.tuples(faces, angles), min_size=1, max_size=8), calm_views, common)
def test_four_corners_of_a_card_are_one_card(
    lying: list[tuple[str, float]], view: View, printed: Print
) -> None:
    cards = [Lying(face, 2.2 * (i % 4), 2.2 * (i // 4), angle) for i, (face, angle) in enumerate(lying)]
    found = cards_seen(seen([(c.face, printed.index(c, corner)) for c in cards for corner in FOUR], view))
    assert {tuple(sorted(card.corners)) for card in found} == {
        tuple(range(4 * i, 4 * i + 4)) for i in range(len(cards))
    }


def test_two_ribbons_of_one_suit_side_by_side_do_not_share_cards() -> None:
    names = [RANKS[i] + "H" for i in range(9)]
    laid = [ribbon_of(names, 0, y, pitch=0.35) for y in (0, 1.6)]
    found = cards_seen(seen([i for ribbon in laid for i in ribbon_indices(ribbon)], View()))
    assert sorted(map(face_of, found)) == sorted(names * 2)
    assert sorted(c.corners for c in found if len(c.corners) == 2) == [(8, 9), (18, 19)]


def test_corners_of_different_faces_are_never_one_card() -> None:
    card = Lying("7H", 0, 0)
    corners = [("7H", Print().index(card)), ("8H", Print().index(card, "bottom right"))]
    assert [c.corners for c in cards_seen(seen(corners, View()))] == [(0,), (1,)]


def test_a_blurred_corner_is_read_together_with_the_clear_one() -> None:
    card = Lying("7H", 0, 0)
    found = seen([("7H", Print().index(card, corner)) for corner in BOTH], View())
    seven, one = RANKS.index("7"), RANKS.index("A")
    found.ranks[1] = 0
    found.ranks[1][[one, seven]] = 0.6, 0.4
    (joined,) = cards_seen(found)
    assert joined.corners[0] == 0
    assert face_of(joined) == "7H"
    assert joined.ranks.sum() == pytest.approx(1) and joined.suits.sum() == pytest.approx(1)


def test_the_photo_tells_how_far_apart_the_indices_of_its_cards_are() -> None:
    cards = [Lying(face, 3 * x, -1, 0.7 * x) for x, face in enumerate(("7H", "8H", "9H"))]
    indices = [(c.face, Print(0.2, 0.1, 0.2).index(c, corner)) for c in cards for corner in BOTH]
    found = seen(indices, View(roll=1.1))
    _, reach = pair_corners(found)
    for card, length in zip(reach, found.lengths, strict=True):
        assert card == pytest.approx((0.8 / 0.2 * length, 1.0 / 0.2 * length), rel=1e-3)
    alone = seen(indices[:1], View())
    _, assumed = pair_corners(alone)
    assert assumed[0] == pytest.approx(np.array(USUAL_REACH) * alone.lengths[0])


def test_what_is_no_index_is_left_out() -> None:
    points = np.array([Print().index(Lying("7H", x, 0)) for x in (0, 2)], np.float32) * 100
    ranks, suits = np.full((2, 15), 1 / 15, np.float32), np.full((2, 4), 0.25, np.float32)
    named = Named(ranks, suits, np.array([0.9, 0.02], np.float32))
    found = sightings(detections(points, FACE), named, 0.5)
    assert len(found) == 1
    assert found.middles[0] == pytest.approx(points[0].mean(axis=0))
    assert found.lengths[0] == pytest.approx(21) and found.downs[0] == pytest.approx([0, 1])
    assert found.rights[0] == pytest.approx([1, 0])


def test_nothing_seen_is_no_card() -> None:
    assert cards_seen(seen([], View())) == []


def test_cards_of_a_ribbon_a_card_width_apart_are_not_one_card_with_four_indices() -> None:
    # An open ace shows that the deck has four indices; in the ribbon each third card is a width further, and unclear.
    four = [("AS", Print().index(Lying("AS", 0, 3), corner)) for corner in FOUR]
    laid = [(f"{n}H", Print().index(Lying(f"{n}H", 0.4 * n, 0))) for n in range(2, 9)]
    found = seen([*four, *laid], View())
    found.ranks[4:] = 0.6 * found.ranks[4:] + 0.4 / len(RANKS)
    assert sorted(len(card.corners) for card in cards_seen(found)) == [1] * 7 + [4]


def test_a_large_index_below_is_the_same_card_of_a_four_index_deck() -> None:
    jumbo = Print(length=0.35, aside=0.17, below=0.3)
    cards = [Lying(face, 0.4 * n, 0) for n, face in enumerate(("AH", "2H", "3H"))]
    found = seen(
        [(c.face, jumbo.index(c, corner)) for c in cards for corner in ("top left", "bottom left")], View()
    )
    assert sorted(tuple(sorted(card.corners)) for card in cards_seen(found)) == [(0, 1), (2, 3), (4, 5)]


def test_pairs_of_corners_of_different_cards_do_not_make_the_table_seem_slanted() -> None:
    """Corners of two cards, taken for those of one, look like a small card; here they lie to the lower right."""
    places = np.array([[x * 300.0, y * 300.0] for y in range(3) for x in range(3)])
    small = places.sum(axis=1) > 700
    slope, alike = _agreed_growth(places, np.where(small, 5.2, 5.7), np.zeros(2))
    assert slope == pytest.approx([0, 0])
    assert alike.tolist() == (~small).tolist()


def test_where_all_cards_grow_towards_the_camera_it_is_slanted() -> None:
    places = np.array([[x * 300.0, y * 300.0] for y in range(3) for x in range(3)])
    slope, alike = _agreed_growth(places, 5.2 + 0.0004 * places[:, 1], np.zeros(2))
    assert slope == pytest.approx([0, 0.0004], abs=1e-9)
    assert alike.all()


SMALL, JUMBO = Print(0.13, 0.07, 0.175), Print(0.3, 0.16, 0.33)


def test_decks_with_small_and_with_large_indices_are_of_one_size() -> None:
    """Between the large ones there is less of the card: the size of a card is told from where an index stands in it."""
    laid = [(SMALL, Lying("7H", 0, 0)), (JUMBO, Lying("8H", 2, 0)), (SMALL, Lying("9H", 4, 0))]
    found = seen([(c.face, p.index(c, corner)) for p, c in laid for corner in BOTH], View())
    pairs, reach = pair_corners(found)
    widths = card_widths(found.lengths, reach)
    assert sorted(pairs) == [(0, 1), (2, 3), (4, 5)]
    assert widths == pytest.approx(widths[0], rel=1e-3)
    across = np.abs(found.middles[0] - found.middles[1])[0], np.abs(found.middles[2] - found.middles[3])[0]
    assert across[0] > 1.2 * across[1]


@pytest.mark.parametrize(("second", "corners"), [("9H", 2), ("9D", 1)])
def test_the_top_card_of_a_pile_may_lie_slantwise_if_both_its_corners_look_alike(
    second: str, corners: int
) -> None:
    lying = [
        Lying(face, 2 * x - 5, 3 if x % 2 else -3)
        for x, face in enumerate(("7H", "8H", "9C", "KD", "QD", "AD"))
    ]
    others = [(c.face, Print().index(c, corner)) for c in lying for corner in BOTH]
    near, far = (Print().index(Lying("9H", 0, 0), corner) for corner in BOTH)
    # Where the camera looks along the card, it comes out a third shorter.
    far = far - (far - near).mean(axis=0) * [0, 0.35]
    found = seen([("9H", near), (second, far), *others], View())
    (card,) = (c for c in cards_seen(found) if 0 in c.corners)
    assert len(card.corners) == corners


def test_a_corner_of_the_next_card_is_not_the_other_corner_of_one() -> None:
    """Misread as the card's own face, it would make a card half as wide again as the others of the photo."""
    ribbon = ribbon_indices(ribbon_of([RANKS[i] + "S" for i in range(10)], 0, 0, pitch=0.4))
    lying = [Lying(face, 2 * x, 3) for x, face in enumerate(("7H", "8H", "9C", "KD", "QD", "AD"))]
    others = [(c.face, Print().index(c, corner)) for c in lying for corner in BOTH]
    misread = [*ribbon[:9], (ribbon[8][0], ribbon[10][1])]
    cards = cards_seen(seen([*misread, *others], View()))
    assert max(len(card.corners) for card in cards if max(card.corners) < 10) == 1
    assert sum(len(card.corners) == 2 for card in cards) == 6
