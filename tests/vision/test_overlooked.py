"""Faces that the detector missed or the classifier misread are found where the rules say that they lie."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from scorer.vision.classifier import RANKS, SUITS
from scorer.vision.detector import FACE
from scorer.vision.faces import FaceReading, read_faces
from scorer.vision.overlooked import _faces_of_one_suit
from scorer.vision.sightings import FoundCard
from tests.vision.lying import Lying, Print, View, detections, ribbon_indices, ribbon_of

FACES = [rank + suit for suit in SUITS for rank in RANKS[:13]]
BLANK = (40, 40, 40)


def paint(face: str) -> tuple[int, int, int]:
    """The colour that stands for a face."""
    return (255, RANKS.index(face[:-1]) * 16, SUITS.index(face[-1]) * 80)


class Painted:
    """A classifier of pictures in which every index is a disc of its face's colour."""

    def __call__(self, batch: np.ndarray) -> np.ndarray:
        """Logits (n, 20): sure of a face where its disc is in the middle of the crop, no index elsewhere."""
        middles = batch[:, :, 29:35, 29:35].mean(axis=(2, 3)) * 255
        rows = np.full((len(batch), len(RANKS) + len(SUITS) + 1), -12.0, np.float32)
        for row, middle in zip(rows, middles, strict=True):
            for face in FACES:
                if np.abs(middle - paint(face)).max() < 4:
                    row[RANKS.index(face[:-1])] = row[len(RANKS) + SUITS.index(face[-1])] = 6.0
                    row[-1] = 9.0
        return rows


def read(
    ribbon: Sequence[str],
    missed: Sequence[int] = (),
    hidden: Sequence[int] = (),
    misread: dict[int, str] | None = None,
    *,
    backwards: bool = False,
) -> FaceReading:
    """Read a ribbon of which the detector missed some cards, some cannot be seen, and some look like another face at first.

    `backwards` is the order in which the detector tells of them.
    """
    places = ribbon_indices(ribbon_of(ribbon, 0, 0, pitch=0.35))
    points = np.array([View().pixels(p) for _, p in places]) - 1500
    picture = np.full((1000, 2000, 3), BLANK, np.uint8)
    for n, ((face, _), (rank, suit)) in enumerate(zip(places, points, strict=True)):
        radius = round(0.5 * float(np.hypot(*(suit - rank))))
        x, y = ((rank + suit) / 2).round().astype(int).tolist()
        if n not in hidden:
            cv2.circle(picture, (x, y), radius, paint(face), -1)
        if misread and n in misread:
            # Only where the detector points: beside it the face is plain to see.
            cv2.circle(picture, (x, y), round(radius * 0.3), paint(misread[n]), -1)
    shown = [n for n in range(len(places)) if n not in {*missed, *hidden}]
    shown = shown[::-1] if backwards else shown
    found = detections(points[shown].astype(np.float32), FACE)
    return read_faces(picture, found, Painted())  # type: ignore[arg-type]


def names(reading: FaceReading) -> list[list[str]]:
    return [[str(reading.cards[i].face) for i in pile] for pile in reading.piles]


SPADES = [f"{rank}S" for rank in RANKS[:8]]


@pytest.mark.parametrize("missed", [[4], [2, 3], [1, 5], [0], [0, 1]])
def test_a_card_that_must_lie_there_is_found(missed: list[int]) -> None:
    reading = read(SPADES, missed)
    assert names(reading) == [SPADES]
    assert not any(card.marked for card in reading.cards)


@pytest.mark.parametrize("turned", [False, True])
def test_the_ace_under_a_lone_two_is_found_whichever_way_up_the_two_is_read(turned: bool) -> None:
    # The lower index of the two is seen as surely as its upper one, and comes first or second.
    assert names(read(["AS", "2S"], missed=[0], backwards=turned)) == [["AS", "2S"]]


def test_a_card_that_cannot_be_seen_is_not_made_up() -> None:
    assert names(read(SPADES, hidden=[4])) == [[face for face in SPADES if face != "5S"]]


def test_a_card_on_top_of_a_half_covered_one_is_found() -> None:
    # Of the last card that was found only one corner shows, so that another must lie on it.
    last = len(SPADES) - 1
    assert names(read(SPADES, missed=[last, last + 1])) == [SPADES]


def test_another_face_is_not_taken_for_the_one_that_is_missing() -> None:
    ribbon = ["AS", "2S", "9H", "4S", "5S"]
    reading = read(ribbon, missed=[2])
    assert names(reading) == [["AS", "2S", "4S", "5S"]]


def test_a_misread_card_between_its_neighbours_is_read_again() -> None:
    reading = read(SPADES, misread={3: "9S"})
    assert names(reading) == [SPADES] and not any(card.marked for card in reading.cards)


def test_what_is_plain_to_see_is_not_read_as_what_the_rules_expect() -> None:
    ribbon = ["AS", "2S", "9H", "4S", "5S"]
    assert names(read(ribbon)) == [ribbon]


def test_the_other_index_of_a_lone_card_tells_in_which_pile_it_lies() -> None:
    # The detector saw the king by its lower index alone, far from its ribbon's row of upper ones.
    ribbon = [f"{rank}S" for rank in RANKS[:13]]
    places = ribbon_indices(ribbon_of(ribbon, 0, 0, pitch=0.35))
    # Cards that lie open tell how far apart the two indices of a card are.
    places += [
        ("5H", Print().index(Lying("5H", x, 2), c)) for x in (0, 2) for c in ("top left", "bottom right")
    ]
    points = np.array([View().pixels(p) for _, p in places]) - 1500
    picture = np.full((1000, 2000, 3), BLANK, np.uint8)
    for (face, _), (rank, suit) in zip(places, points, strict=True):
        x, y = ((rank + suit) / 2).round().astype(int).tolist()
        cv2.circle(picture, (x, y), round(0.5 * float(np.hypot(*(suit - rank)))), paint(face), -1)
    upper_king = 12
    found = detections(np.delete(points, upper_king, axis=0).astype(np.float32), FACE)
    assert ribbon in names(read_faces(picture, found, Painted()))  # type: ignore[arg-type]


def test_the_faces_of_a_pile_are_of_its_suit_where_they_may_be() -> None:
    def card(rank: str, suits: tuple[float, float, float, float]) -> FoundCard:
        ranks = np.eye(len(RANKS), dtype=np.float32)[RANKS.index(rank)]
        return FoundCard((0,), ranks, np.array(suits, np.float32), 0.9)

    clubs, either, spades = (0.97, 0.01, 0.01, 0.01), (0.45, 0.0, 0.0, 0.55), (0.01, 0.01, 0.01, 0.97)
    pile = [card("9", clubs), card("10", either), card("J", spades), card("Q", clubs)]
    assert [str(face) for face in _faces_of_one_suit(pile)] == ["9C", "10C", "JS", "QC"]
