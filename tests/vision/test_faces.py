"""What one photo's faces are read as: doubts, repairs, and what is the photo's fault; the classifier is stood in for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from scorer.piles import Faults
from scorer.vision.classifier import RANKS, SUITS
from scorer.vision.detector import FACE
from scorer.vision.faces import FaceReading, _with_halves_joined, read_faces
from scorer.vision.sightings import FoundCard
from tests.vision.lying import (
    WIDTH_IN_PIXELS,
    Lying,
    Print,
    View,
    detections,
    ribbon_indices,
    ribbon_of,
    seen,
)


@dataclass
class Says:
    """A classifier that says of each crop in turn a face with a certainty: ("10H", 0.97)."""

    faces: Sequence[tuple[str, float]]

    def __call__(self, batch: np.ndarray) -> np.ndarray:
        """Logits (n, 20) whose probabilities are the certainties; the rest goes to the next two ranks.

        Where more is looked at than was detected, there is nothing.
        """
        rows = np.full((len(batch), len(RANKS) + len(SUITS) + 1), -12.0, np.float32)
        for row, (face, sure) in zip(rows, self.faces, strict=len(batch) == len(self.faces)):
            rank = RANKS.index(face[:-1])
            row[rank] = np.log(sure)
            row[[(rank + 1) % 13, (rank + 2) % 13]] = np.log(max(1 - sure, 1e-6) / 2)
            row[len(RANKS) + SUITS.index(face[-1])] = 0.0
            row[-1] = 6.0 if len(batch) == len(self.faces) else -12.0
        return rows


def read(
    indices: list[tuple[str, np.ndarray]],
    said: Sequence[tuple[str, float]],
    zoom: float = 1.0,
    seen_as: float | None = None,
) -> FaceReading:
    points = np.array([View().pixels(p) for _, p in indices]).reshape(-1, 2, 2) * zoom
    picture = np.zeros((40, 40, 3), np.uint8)
    found = detections(points.astype(np.float32), FACE)
    if seen_as is not None:
        found = replace(found, scores=np.full(len(found), seen_as, np.float32))
    return read_faces(picture, found, Says(said))  # type: ignore[arg-type]


SPADES = ["AS", "2S", "3S", "4S", "5S"]


def spread(*faces: tuple[str, float], zoom: float = 1.0) -> FaceReading:
    """A ribbon of spades from the ace, read as these faces; the top card's second index reads like its first."""
    indices = ribbon_indices(ribbon_of(SPADES[: len(faces)], 0, 0, pitch=0.4))
    return read(indices, [*faces, faces[-1]], zoom)


def names(reading: FaceReading) -> list[str]:
    return [str(reading.cards[i].face) for i in reading.piles[0]]


def marked(reading: FaceReading) -> list[bool]:
    return [reading.cards[i].marked for i in reading.piles[0]]


def test_a_clear_ribbon_is_read_without_a_doubt() -> None:
    reading = spread(*((f, 0.99) for f in SPADES))
    assert names(reading) == SPADES and not any(marked(reading))
    assert reading.faults == (Faults(0),) and reading.photo_faults == ()


def test_neighbours_vouch_for_a_weak_corner() -> None:
    reading = spread(("AS", 0.99), ("2S", 0.99), ("3S", 0.6), ("4S", 0.99), ("5S", 0.99))
    assert names(reading) == SPADES and not any(marked(reading))


def test_a_corner_that_the_sequence_overrules_is_marked_and_told() -> None:
    # Looks more like a two than like the three that belongs there.
    reading = spread(("AS", 0.99), ("2S", 0.99), ("2S", 0.55), ("4S", 0.99), ("5S", 0.99))
    assert names(reading) == SPADES and marked(reading) == [False, False, True, False, False]
    assert reading.faults == (Faults.REPAIRED,)


def test_a_card_that_had_to_be_overruled_vouches_for_no_other() -> None:
    reading = spread(("AS", 0.75), ("KS", 0.5))
    assert names(reading) == ["AS", "2S"] and marked(reading) == [True, True]


def test_a_strong_corner_is_never_bent() -> None:
    reading = spread(("AS", 0.99), ("2S", 0.99), ("9S", 0.999), ("4S", 0.99), ("5S", 0.99))
    assert names(reading)[2] == "9S"


def test_alone_a_weak_corner_is_not_reported_and_a_doubtful_one_is_marked() -> None:
    index = [("7H", Print().index(Lying("7H", 0, 0)))]
    assert read(index, [("7H", 0.4)]).cards == ()
    (card,) = read(index, [("7H", 0.8)]).cards
    assert str(card.face) == "7H" and card.marked and card.candidates[0][0] == card.face


def test_a_letter_of_another_language_is_left_unread() -> None:
    (card,) = read([("KH", Print().index(Lying("KH", 0, 0)))], [("?H", 0.9)]).cards
    assert card.face is None and card.marked


@pytest.mark.parametrize(
    ("zoom", "sure", "fault"), [(0.15, 0.7, "TOO_SMALL"), (1.0, 0.7, "BLURRED"), (0.15, 0.99, None)]
)
def test_doubts_of_small_or_blurred_indices_are_the_photos_fault(
    zoom: float, sure: float, fault: str | None
) -> None:
    cards = [Lying("7H", 2.5 * i, 0) for i in range(4)]
    indices = [(c.face, Print().index(c)) for c in cards]
    reading = read(indices, [(f, sure) for f in ("7H", "9C", "KD", "2S")], zoom)
    assert [f.name.name for f in reading.photo_faults] == ([fault] if fault else [])


def test_another_corner_of_the_top_card_is_no_card_between_others() -> None:
    # Of a deck with an index in every corner a third one may show beside the pile.
    reading = spread(("AS", 0.99), ("2S", 0.99), ("5S", 0.99), ("3S", 0.99), ("5S", 0.99))
    assert names(reading) == ["AS", "2S", "3S", "5S"]
    assert len(reading.cards) == 4 and len(reading.cards[reading.piles[0][-1]].corners) == 3


@pytest.mark.parametrize(("sure", "beside", "read_as"), [(0.6, 0.3, 4), (0.97, 0.3, 5), (0.6, 0.9, 5)])
def test_a_weak_card_that_would_cover_what_shows_of_the_one_below_is_none(
    sure: float, beside: float, read_as: int
) -> None:
    pile = ribbon_of(SPADES[:4], 0, 0, pitch=0.4)
    flower = ("5S", Print().index(Lying("5S", pile[-1].x + beside, 0)))
    said = [*((face, 0.99) for face in SPADES[:4]), ("4S", 0.99), ("5S", sure)]
    assert len(read([*ribbon_indices(pile), flower], said).cards) == read_as


def test_what_is_no_card_does_not_part_the_top_card_from_its_pile() -> None:
    indices = ribbon_indices(ribbon_of(SPADES, 0, 0, pitch=0.5))
    # A part of the top card's picture taken for an index, nearer to its own than that of the card below.
    part = ("6S", Print(length=0.17).index(Lying("6S", 1.94, -0.25)))
    reading = read([*indices, part], [*((f, 0.99) for f in [*SPADES, SPADES[-1]]), ("6S", 0.3)])
    assert len(reading.piles) == 1 and names(reading) == SPADES


def test_two_equal_neighbours_may_be_a_tie_and_stay() -> None:
    reading = spread(("AS", 0.99), ("2S", 0.99), ("2S", 0.99), ("3S", 0.99))
    assert names(reading) == ["AS", "2S", "2S", "3S"]


def test_an_ace_begins_another_pile() -> None:
    reading = spread(("AS", 0.99), ("2S", 0.99), ("3S", 0.99), ("AD", 0.99), ("2D", 0.99))
    assert [[str(reading.cards[i].face) for i in pile] for pile in reading.piles] == [
        ["AS", "2S", "3S"],
        ["AD", "2D"],
    ]


def test_a_pile_laid_the_wrong_way_round_stays_one() -> None:
    reading = spread(("3S", 0.99), ("2S", 0.99), ("AS", 0.99))
    assert names(reading) == ["3S", "2S", "AS"]


def test_an_ace_on_a_two_begins_another_pile_if_a_card_lies_on_it() -> None:
    said = [(face, 0.99) for face in ("AS", "2S", "AS", "2S", "2S")]
    # Nearer than the two upper indices of one card are.
    reading = read(ribbon_indices(ribbon_of(SPADES[:4], 0, 0, pitch=0.3)), said)
    assert [[str(reading.cards[i].face) for i in pile] for pile in reading.piles] == [
        ["AS", "2S"],
        ["AS", "2S"],
    ]


def test_a_card_of_an_echos_face_far_from_it_is_a_card() -> None:
    # Something is misread as a second two, too far from the two to be its other corner.
    faces = [f"{rank}S" for rank in RANKS[:7]]
    indices = ribbon_indices(ribbon_of(faces, 0, 0, pitch=0.45))
    reading = read(indices, [(f, 0.99) for f in [*faces[:-1], "2S", "2S"]])
    assert names(reading) == [*faces[:-1], "2S"]


def test_a_faint_corner_alone_is_no_card() -> None:
    index = [("7H", Print().index(Lying("7H", 0, 0)))]
    assert len(read(index, [("7H", 0.99)]).cards) == 1
    faint = read(index, [("7H", 0.99)], seen_as=0.4)
    assert faint.cards == ()


def askew(points: np.ndarray, degrees: float) -> np.ndarray:
    """Rank and suit of an index turned about their middle."""
    turn, middle = np.deg2rad(degrees), points.mean(axis=0)
    c, s = np.cos(turn), np.sin(turn)
    return (points - middle) @ np.array([[c, s], [-s, c]]) + middle


def test_the_far_index_of_a_card_seen_askew_is_no_card_of_its_own() -> None:
    *ribbon, (face, far) = ribbon_indices(ribbon_of(SPADES, 0, 0, pitch=0.4))
    reading = read([*ribbon, (face, askew(far, 50))], [(f, 0.99) for f in [*SPADES, face]])
    assert [[str(reading.cards[i].face) for i in pile] for pile in reading.piles] == [SPADES]


def test_a_card_alone_seen_askew_is_one_card_though_its_indices_do_not_match() -> None:
    ribbon, ace = ribbon_indices(ribbon_of(SPADES, 0, 0, pitch=0.4)), Lying("AH", 6, 0)
    near, far = (Print().index(ace, corner) for corner in ("top left", "bottom right"))
    said = [*((f, 0.99) for f in [*SPADES, "5S"]), ("AH", 0.99), ("AH", 0.98)]
    reading = read([*ribbon, ("AH", near), ("AH", askew(far, 50))], said)
    assert [[str(reading.cards[i].face) for i in pile] for pile in reading.piles] == [SPADES, ["AH"]]
    # Of two decks' equal aces side by side neither is the other's corner.
    beside = Print().index(Lying("AH", 7.3, 0))
    assert len(read([*ribbon, ("AH", near), ("AH", beside)], said).piles) == 3


@pytest.mark.parametrize(
    ("face", "sure", "stays"), [("7C", 0.7, False), ("7C", 0.99, True), ("AC", 0.7, True)]
)
def test_a_pip_on_a_card_is_no_card_but_an_ace_or_a_plain_index_may_lie_there(
    face: str, sure: float, stays: bool
) -> None:
    ribbon = ribbon_indices(ribbon_of(SPADES, 0, 0, pitch=0.4))
    pip = askew(Print().index(Lying("3S", 1.15, 0.7)), 90)
    reading = read([*ribbon, (face, pip)], [*((f, 0.99) for f in [*SPADES, "5S"]), (face, sure)])
    assert sorted(len(pile) for pile in reading.piles) == ([1, 5] if stays else [5])


def four_index_pile(upper: str, x: float) -> tuple[list[FoundCard], list[tuple[int, ...]]]:
    """A ribbon from the ace to the three whose three shows two corners at its left; in line with the lower one lies a card more."""
    three, card_on_it = Lying("3S", 0.8, 0), Lying("4S", 1.2, 0)
    lower = [(c.face, Print().index(c)) for c in ribbon_of(SPADES[:3], 0, 0, pitch=0.4)]
    other = (upper, Print().index(replace(three, x=x), "bottom left"))
    found = seen([*lower, other, ("4S", Print().index(card_on_it, "bottom left"))], View())
    cards = [
        FoundCard((n,), found.ranks[n], found.suits[n], float(found.scores[n])) for n in range(len(found))
    ]
    reach = np.full((len(found), 2), (0.8, 1.0)) * WIDTH_IN_PIXELS
    return _with_halves_joined(found, cards, [(0, 1, 2), (3, 4)], reach)


def test_two_corners_of_a_card_of_a_four_index_deck_join_what_lies_in_line_with_either() -> None:
    cards, piles = four_index_pile("3S", 0.8)
    assert piles == [(0, 1, 2, 4)] and sorted(cards[2].corners) == [2, 3]


@pytest.mark.parametrize(("upper", "x"), [("3S", 2.5), ("3C", 0.8), ("2S", 0.8)])
def test_equal_cards_farther_apart_or_other_cards_begin_piles_of_their_own(upper: str, x: float) -> None:
    assert four_index_pile(upper, x)[1] == [(0, 1, 2), (3, 4)]
