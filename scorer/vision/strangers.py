"""Pages and prints taken for cards: the other photo of the same piles shows that nothing like that lies there.

A pile lies in both photos of a table, turned over or not. So what is read as backs among faces is no pile if at the same place of
the table the other photo shows no card at all; and what is read as a face among backs is a page or a back's print if the other
photo shows no such face there. What lies the right way up is hardly ever given up so: its other side may have been overlooked. But
where no back lies, a face that is in doubt and begins no foundation is a word on a page.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scorer.cards import Rank, as_card
from scorer.reading import PhotoReading, Reading, SeenCard
from scorer.vision.movement import Movement

Floats = NDArray[np.float64]

NEAR = 0.75
"""Distance in heights of a card from where the middle of a pile must lie within which a card may be of that pile."""
SAME_PLACE = 0.45
"""The same for the back of a card of which a single face was seen: turned over in place it lies nearer."""

MOST_WORDS = 2
"""Words in a row that are read as cards; more cards in doubt, as in a blurred photo, are a pile."""


def strangers(
    reading: Reading, face_photo: int, back_photo: int, movement: Movement
) -> list[tuple[int, int]]:
    """What was read in one of two photos and lies in neither, as (photo, pile).

    Args:
        reading: of both photos.
        face_photo: which shows the piles face up.
        back_photo: which shows them face down.
        movement: of the camera, from the first to the second.
    """
    faces, backs = reading.photos[face_photo], reading.photos[back_photo]
    alone = [p for p in reading.pairing if p.face_photo is None or p.back_photo is None]
    upside = [p.back_pile for p in alone if p.back_photo == face_photo and p.back_pile is not None]
    among_backs = [p.face_pile for p in alone if p.face_photo == back_photo and p.face_pile is not None]
    upright = [p.face_pile for p in alone if p.face_photo == face_photo and p.face_pile is not None]
    return [
        *((face_photo, n) for n in upside if _near(faces, n, backs, movement) == []),
        *((back_photo, n) for n in among_backs if _shows_none_of(backs, n, faces, movement.back)),
        *(
            (face_photo, n)
            for n in upright
            if _may_be_words(faces, n) and _near(faces, n, backs, movement, SAME_PLACE) == []
        ),
    ]


def _near(
    photo: PhotoReading, pile: int, other: PhotoReading, movement: Movement, near: float = NEAR
) -> list[SeenCard] | None:
    """The cards that the other photo shows near the place where a pile must lie; None where it does not show the place."""
    cards = _cards(photo, pile)
    middle = _middles(cards).mean(axis=0)
    x, y = movement.points(middle[None])[0]
    if not (0 <= x < other.width and 0 <= y < other.height):
        return None
    away = np.hypot(*(_middles(other.cards) - (x, y)).T)
    return [other.cards[n] for n in np.flatnonzero(away < near * movement.stretch(middle) * _height(cards))]


def _shows_none_of(photo: PhotoReading, pile: int, other: PhotoReading, movement: Movement) -> bool:
    """Whether the other photo shows the place where a pile must lie, and none of its faces near it."""
    near = _near(photo, pile, other, movement)
    faces = {card.face for card in _cards(photo, pile)} - {None}
    return near is not None and not any(card.face in faces for card in near)


def _may_be_words(photo: PhotoReading, pile: int) -> bool:
    """Whether all of the little that was read of a pile is in doubt, and none of it is an ace, on which alone a pile is built."""
    cards = _cards(photo, pile)
    return len(cards) <= MOST_WORDS and all(card.marked and not _is_ace(card) for card in cards)


def _is_ace(card: SeenCard) -> bool:
    face = as_card(card.face) if card.face is not None else None
    return face is not None and face.rank is Rank.ACE


def _cards(photo: PhotoReading, pile: int) -> list[SeenCard]:
    return [photo.cards[i] for i in photo.piles[pile].cards]


def _middles(cards: Sequence[SeenCard]) -> Floats:
    return np.array([np.mean(c.quad or c.corners, axis=0) for c in cards], np.float64).reshape(-1, 2)


def _height(cards: Sequence[SeenCard]) -> float:
    """Longest side of the cards' outlines; without any, no distance is too far."""
    outlines = np.array([c.quad for c in cards if c.quad]).reshape(-1, 4, 2)
    sides = np.linalg.norm(np.roll(outlines, -1, axis=1) - outlines, axis=2)
    return float(sides.max()) if sides.size else np.inf
