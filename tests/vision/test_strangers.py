"""What is read the wrong way up in one photo, and lies in neither, is no pile."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scorer.piles import Pile
from scorer.vision.movement import similarity
from scorer.vision.rounds import join_round
from scorer.vision.strangers import strangers
from tests.vision.test_rounds import PLACES, back, backs_of, face, faces_of, photo

PILES = [Pile.parse("h:3"), Pile.parse("s:2"), Pile.parse("d:4")]
STILL = similarity(1, 0)
FREE = (900.0, 1100.0)
"""A place where no pile lies."""
FACES = [faces_of(pile, *place) for pile, place in zip(PILES, PLACES, strict=False)]
BACKS = [backs_of(pile, *place) for pile, place in zip(PILES, PLACES, strict=False)]


def test_a_page_read_as_backs_among_faces_is_no_pile() -> None:
    page = [back("red", n, *FREE) for n in range(3)]
    reading = join_round([photo("faces.jpg", *FACES, page), photo("backs.jpg", *BACKS)])
    assert strangers(reading, 0, 1, STILL) == [(0, 3)]


def test_a_page_read_as_a_face_among_backs_is_no_pile() -> None:
    reading = join_round([photo("faces.jpg", *FACES), photo("backs.jpg", *BACKS, [face("7C", 0, *FREE)])])
    assert strangers(reading, 0, 1, STILL) == [(1, 3)]


@pytest.mark.parametrize(("printed", "gone"), [("7C", True), ("AS", True), ("2H", False)])
def test_a_face_on_a_back_is_its_print_unless_the_other_photo_shows_it_there(
    printed: str, gone: bool
) -> None:
    on_a_back = [face(printed, 0, *PLACES[0])]
    reading = join_round([photo("faces.jpg", *FACES), photo("backs.jpg", *BACKS, on_a_back)])
    assert strangers(reading, 0, 1, STILL) == ([(1, 3)] if gone else [])


def test_a_pile_that_nobody_turned_over_is_one() -> None:
    unturned = [back("red", n, *FREE) for n in range(3)]
    reading = join_round([photo("faces.jpg", *FACES, unturned), photo("backs.jpg", *BACKS, unturned)])
    assert not strangers(reading, 0, 1, STILL)


def test_what_lies_the_right_way_up_is_never_given_up() -> None:
    reading = join_round([photo("faces.jpg", *FACES, [face("AC", 0, *FREE)]), photo("backs.jpg", *BACKS)])
    assert not strangers(reading, 0, 1, STILL)
    reading = join_round([photo("faces.jpg", *FACES), photo("backs.jpg", *BACKS, [back("red", 0, *FREE)])])
    assert not strangers(reading, 0, 1, STILL)


@pytest.mark.parametrize(
    ("text", "place", "gone"),
    [
        ("7C", FREE, True), ("JK", FREE, True),
        # It may be the ace of a pile whose backs were overlooked, or the top card of a squared one.
        ("AC", FREE, False), ("7C", PLACES[0], False),
    ],
)  # fmt: skip
def test_a_doubtful_face_that_begins_no_pile_is_a_word_where_no_back_lies(
    text: str, place: tuple[float, float], gone: bool
) -> None:
    for marked in (True, False):
        word = replace(face(text, 0, *place), marked=marked)
        reading = join_round([photo("faces.jpg", *FACES, [word]), photo("backs.jpg", *BACKS)])
        assert strangers(reading, 0, 1, STILL) == ([(0, 3)] if gone and marked else [])


@pytest.mark.parametrize(("count", "gone"), [(2, True), (3, False)])
def test_several_faces_in_doubt_are_a_pile_though_no_back_lies_there(count: int, gone: bool) -> None:
    blurred = [replace(face(f"{n + 5}C", n, *FREE), marked=True) for n in range(count)]
    reading = join_round([photo("faces.jpg", *FACES, blurred), photo("backs.jpg", *BACKS)])
    assert strangers(reading, 0, 1, STILL) == ([(0, 3)] if gone else [])


@pytest.mark.parametrize("shift", [-5000.0, 5000.0])
def test_a_place_outside_the_other_photo_tells_nothing(shift: float) -> None:
    reading = join_round([photo("faces.jpg", *FACES, [back("red", 0, *FREE)]), photo("backs.jpg", *BACKS)])
    assert not strangers(reading, 0, 1, similarity(1, shift))
