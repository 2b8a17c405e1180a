"""What is drawn onto a photo."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from scorer.cards import Card, Joker, parse_face
from scorer.reading import PhotoReading, SeenCard, SeenPile
from scorer.vision.overlay import COLOURS, NOBODY, annotated

Pixels = NDArray[np.uint8]
TABLE = (40, 110, 70)
YELLOW = (255, 225, 0)


def table(width: int = 600, height: int = 400) -> Pixels:
    return np.full((height, width, 3), TABLE, np.uint8)


def card(
    face: str | None = None, back: str | None = None, *, x: float = 100, marked: bool = False
) -> SeenCard:
    quad = ((x, 100.0), (x + 150, 100.0), (x + 150, 300.0), (x, 300.0))
    return SeenCard(
        None if face is None else parse_face(face), back, marked=marked, quad=quad, corners=((x + 20, 130.0),)
    )


def drawn(*cards: SeenCard, piles: tuple[SeenPile, ...] = (), **options: object) -> Pixels:
    reading = PhotoReading("a.jpg", 600, 400, 0.1, cards, piles)
    return annotated(table(), reading, **options)  # type: ignore[arg-type]


def count(picture: Pixels, colour: tuple[int, int, int], tolerance: int = 20) -> int:
    return int((np.abs(picture.astype(int) - colour).max(axis=2) <= tolerance).sum())


def test_photo_itself_is_left_alone() -> None:
    before = table()
    picture = before.copy()
    annotated(picture, PhotoReading("a.jpg", 600, 400, 0.1, (card("AH"),)))
    assert np.array_equal(picture, before)


def test_nothing_read_leaves_the_picture_as_it_is() -> None:
    assert np.array_equal(drawn(), table())


def test_outline_follows_the_card_in_the_colour_of_its_owner() -> None:
    picture = drawn(card(None, "red"))
    for x, y in ((175, 100), (250, 200), (175, 300), (100, 250)):
        assert count(picture[y - 2 : y + 3, x - 2 : x + 3], COLOURS[0]) > 0
    assert count(drawn(card("AH")), NOBODY) > count(drawn(card(None, "red")), NOBODY)


def test_owners_keep_their_colours_from_photo_to_photo() -> None:
    picture = drawn(card(None, "blue"), owners=["red", "blue"])
    assert count(picture, COLOURS[1]) > 300
    assert count(picture, COLOURS[0]) == 0


def test_legend_names_the_owners_that_are_to_be_seen() -> None:
    here = drawn(card(None, "red"), owners=["red", "blue"])
    renamed = drawn(card(None, "Ann"), owners=["Ann", "blue"])
    changed = np.argwhere((here != renamed).any(axis=2))
    # Only the legend, in the lower left corner, tells the name; the card has the owner's letter.
    assert len(changed) and changed[:, 0].min() > 360 and changed[:, 1].max() < 120
    assert np.array_equal(drawn(card("AH"), owners=["red"]), drawn(card("AH")))


def test_doubt_is_striking_whatever_the_colour_of_the_owner() -> None:
    sure, doubtful = drawn(card("AH", "red")), drawn(card("AH", "red", marked=True))
    assert count(sure, YELLOW) == 0
    assert count(doubtful, YELLOW) > 1000
    # Stripes: a colour-blind person sees the change of light and dark along the outline.
    edge = doubtful[101:300, 98:103].max(axis=1).sum(axis=1)
    assert np.count_nonzero(np.diff((edge > 300).astype(int))) > 6


def test_faces_differ_in_what_is_written() -> None:
    pictures = [drawn(card(face)) for face in ("AH", "AD", "AS", "AC", "10H", "JK")]
    for one, other in itertools.combinations(pictures, 2):
        assert not np.array_equal(one, other)


def test_red_suits_are_written_red_and_black_ones_black() -> None:
    assert count(drawn(card("7H")), (200, 0, 30)) > 20
    assert count(drawn(card("7S")), (200, 0, 30)) == 0


def test_card_of_which_only_a_corner_is_known_is_shown_there() -> None:
    picture = drawn(SeenCard(Card.parse("AH"), corners=((300.0, 200.0),)))
    changed = np.argwhere((picture != table()).any(axis=2))
    assert np.all(np.abs(changed.mean(axis=0) - (200, 300)) < 40)


def test_card_without_a_place_cannot_be_drawn_and_does_no_harm() -> None:
    assert np.array_equal(drawn(SeenCard(Card.parse("AH"))), table())


@pytest.mark.parametrize("x", [-140.0, 590.0])
def test_cards_at_the_edge_do_no_harm(x: float) -> None:
    assert drawn(card("10H", x=x), card("JK=10H", x=x), marked_pile(2), piles=(SeenPile((0, 1)),)).shape == (
        400,
        600,
        3,
    )


def marked_pile(number: int) -> SeenCard:
    return card(None, f"Zoë {number}", x=300, marked=True)


def test_piles_are_named() -> None:
    cards = card("AH"), card("2H", x=150)
    pile = SeenPile((0, 1))
    plain = drawn(*cards, piles=(pile,), titles={})
    assert not np.array_equal(drawn(*cards, piles=(pile,)), plain)
    assert not np.array_equal(
        drawn(*cards, piles=(pile,), titles={0: "pile 3"}), drawn(*cards, piles=(pile,))
    )


def test_joker_is_no_card_of_the_deck() -> None:
    assert not np.array_equal(
        drawn(SeenCard(Joker(), corners=((300.0, 200.0),))),
        drawn(SeenCard(None, corners=((300.0, 200.0),))),
    )


def test_lines_grow_with_the_photo() -> None:
    quad = ((400.0, 400.0), (1000.0, 400.0), (1000.0, 1200.0), (400.0, 1200.0))
    reading = PhotoReading("a.jpg", 4000, 3000, 0.1, (SeenCard(None, "red", quad=quad),))
    column = annotated(table(4000, 3000), reading)[380:420, 700]
    assert count(column[:, None], COLOURS[0]) >= 6
