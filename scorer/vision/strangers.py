"""Pages and prints taken for cards: the other photo of the same piles shows that nothing like that lies there.

A pile lies in both photos of a table, turned over or not. So what is read as backs among faces is no pile if at the same place of
the table the other photo shows no card at all; and what is read as a face among backs is a page or a back's print if the other
photo shows no such face there. What lies the right way up is never given up so: its other side may have been overlooked.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scorer.reading import PhotoReading, Reading, SeenCard
from scorer.vision.movement import Movement

Floats = NDArray[np.float64]

NEAR = 0.75
"""Distance in heights of a card from where the middle of a pile must lie within which a card may be of that pile."""


def strangers(
    reading: Reading, face_photo: int, back_photo: int, movement: Movement
) -> list[tuple[int, int]]:
    """What was read the wrong way up in one of two photos and lies in neither, as (photo, pile).

    Args:
        reading: of both photos.
        face_photo: which shows the piles face up.
        back_photo: which shows them face down.
        movement: of the camera, from the first to the second.
    """
    alone = [
        (face_photo, back_photo, movement, p.back_pile)
        for p in reading.pairing
        if p.face_photo is None and p.back_photo == face_photo
    ] + [
        (back_photo, face_photo, movement.back, p.face_pile)
        for p in reading.pairing
        if p.back_photo is None and p.face_photo == back_photo
    ]
    return [
        (photo, pile)
        for photo, other, moved, pile in alone
        if pile is not None and _is_nowhere(reading.photos[photo], pile, reading.photos[other], moved)
    ]


def _is_nowhere(photo: PhotoReading, pile: int, other: PhotoReading, movement: Movement) -> bool:
    """Whether the other photo shows the place where a pile must lie, and near it no card; or other faces than the pile's."""
    cards = [photo.cards[i] for i in photo.piles[pile].cards]
    middle = _middles(cards).mean(axis=0)
    x, y = movement.points(middle[None])[0]
    if not (0 <= x < other.width and 0 <= y < other.height):
        return False
    away = np.hypot(*(_middles(other.cards) - (x, y)).T)
    near = np.flatnonzero(away < NEAR * movement.stretch(middle) * _height(cards))
    faces = {card.face for card in cards} - {None}
    return not any(other.cards[n].face in faces for n in near) if faces else not len(near)


def _middles(cards: Sequence[SeenCard]) -> Floats:
    return np.array([np.mean(c.quad or c.corners, axis=0) for c in cards], np.float64).reshape(-1, 2)


def _height(cards: Sequence[SeenCard]) -> float:
    """Longest side of the cards' outlines; without any, no distance is too far."""
    outlines = np.array([c.quad for c in cards if c.quad]).reshape(-1, 4, 2)
    sides = np.linalg.norm(np.roll(outlines, -1, axis=1) - outlines, axis=2)
    return float(sides.max()) if sides.size else np.inf
