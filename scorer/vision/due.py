"""What a pile of faces says of its backs: how many cards they are, how they lie, and where in the photo of the backs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scorer.cards import Rank, as_card
from scorer.piles import foundation_up_to_top
from scorer.reading import PhotoReading, SeenCard
from scorer.vision.framing import outlines_of, width_of
from scorer.vision.movement import Marks, Movement, Pairs, TwoPhotos, seen_again, similarity
from scorer.vision.rows import BackRibbon, Corners
from scorer.vision.turned import Fan, fan_of

Floats = NDArray[np.float64]

ALIKE = 0.5
"""How well a pile and a ribbon must resemble one another by their counts for a movement to be guessed from them alone."""
PIECE = 0.25
"""By how much, in card widths, the outlines of two piles in a row may seem to overlap."""


@dataclass(frozen=True, slots=True)
class Due:
    """What a pile of faces says of its backs."""

    middle: Floats
    """Of the pile, pixels of the photo of the faces."""
    count: int | None
    """Cards of the foundation; None where the faces make none."""
    shown: int
    """Faces seen of it."""
    ribbon: int | None
    """Which ribbon it was paired with at first sight."""
    along: Floats
    """From its lowest card to the top one, pixels; of a single card, from its left edge to the right one."""
    length: float
    """From its lowest card to the top one in widths of a card."""
    fan: Fan | None
    """How its backs must lie; None where that is not known."""
    width: float
    """Of its cards, pixels."""
    ends: tuple[tuple[Floats, Floats], ...]
    """The corners of its outline, and unit vectors from them along the cards' diagonals."""
    begins: bool
    """Whether its lowest card is an ace: else it may be a piece of another pile."""

    def place(self, movement: Movement) -> Floats:
        """(2,) where its middle lies in the photo of the backs."""
        return np.asarray(movement.points(self.middle[None])[0])

    def outline(self, movement: Movement) -> Floats:
        """(4, 2) where the corners of its outline lie in the photo of the backs."""
        return movement.points(np.array([place for place, _ in self.ends]))

    def way(self, movement: Movement) -> Floats:
        """(2,) `along` as it is seen there."""
        return np.asarray(movement.slope(self.middle) @ self.along)


def due_of(photo: PhotoReading, number: int, ribbon: int | None) -> Due:
    """What a pile says, by its number in the photo of the faces; and with which ribbon it was paired."""
    cards = [photo.cards[i] for i in photo.piles[number].cards]
    whole = foundation_up_to_top([card.face for card in cards])
    middle = np.mean([np.mean(card.quad or card.corners, axis=0) for card in cards], axis=0)
    fan, along = fan_of(cards), _along(cards)
    return Due(
        np.asarray(middle, np.float64),
        len(whole) if whole else None,
        len(cards),
        ribbon,
        along,
        # Indices lie more exactly than outlines, but not all may have been seen.
        float(fan.places[-1]) if fan else float(np.hypot(*along)) / width_of(outlines_of(cards)),
        fan,
        width_of(outlines_of(cards)),
        tuple(_ends(cards)),
        _is_ace(cards[0]),
    )


def _is_ace(seen: SeenCard) -> bool:
    card = as_card(seen.face) if seen.face else None
    return card is not None and card.rank is Rank.ACE


def _along(cards: Sequence[SeenCard]) -> Floats:
    if len(cards) == 1:
        left, right = (np.array(point, float) for point in (cards[0].quad or ((0, 0), (1, 0)))[:2])
        return np.asarray(right - left)
    first, last = (np.mean(cards[n].quad or cards[n].corners, axis=0) for n in (0, -1))
    return np.asarray(last - first, np.float64)


def _ends(cards: Sequence[SeenCard]) -> list[tuple[Floats, Floats]]:
    """The four corners of a pile's outline, and unit vectors from each along its card's diagonal."""
    outlines = outlines_of(cards)
    if not len(outlines):
        return []
    first, last = outlines[0], outlines[-1]
    way = last.mean(axis=0) - first.mean(axis=0)
    if len(outlines) == 1:
        chosen = [(corner, first) for corner in first]
    else:
        chosen = [(first[k], first) for k in np.argsort(first @ way)[:2]]
        chosen += [(last[k], last) for k in np.argsort(last @ way)[2:]]
    inward = [card.mean(axis=0) - corner for corner, card in chosen]
    return [(corner, way / np.hypot(*way)) for (corner, _), way in zip(chosen, inward, strict=True)]


def others_in_line(piles: Sequence[Due], pile: Due, movement: Movement) -> tuple[Floats, ...]:
    """Outlines of the piles that lie before or behind one in the photo of the backs, (4, 2) each.

    What lies in between is none: pips, or pieces of the pile's own cards, that were taken for cards. Nor is what does not
    begin with an ace: it may be the pile's own upper part, of whose cards some faces were overlooked.
    """
    way = pile.way(movement)
    way = way / max(float(np.hypot(*way)), 1e-6)
    if not pile.ends:
        return ()
    own = pile.outline(movement) @ way
    slack = PIECE * pile.width * movement.stretch(pile.middle)
    outlines = [
        other.outline(movement) for other in piles if other is not pile and other.ends and other.begins
    ]
    return tuple(
        o for o in outlines if (o @ way).min() > own.max() - slack or (o @ way).max() < own.min() + slack
    )


def marks_of(piles: Sequence[Due]) -> Marks:
    """The corners at the ends of piles of faces."""
    ends = [mark for pile in piles for mark in pile.ends]
    places, ways = (np.array([mark[k] for mark in ends]).reshape(-1, 2) for k in (0, 1))
    return Marks(places, ways)


def movement_of(
    piles: Sequence[Due], ribbons: Sequence[BackRibbon], corners: Corners
) -> tuple[Movement, Pairs] | None:
    """How the camera moved, by the piles that both photos show, and by the corners at the ends of the ribbons."""
    if not ribbons:
        return None
    counts = np.array([pile.count or pile.shown for pile in piles], float)
    likely = 1 / (1 + np.abs(counts[:, None] - [len(ribbon.edges) for ribbon in ribbons]))
    photos = TwoPhotos(
        np.array([pile.middle for pile in piles]),
        np.array([ribbon.middle for ribbon in ribbons]),
        likely,
        usual_width(ribbons),
        (marks_of(piles), Marks(corners.points, corners.inward)),
    )
    alike = np.argwhere(likely >= ALIKE)
    return seen_again(photos, [m for i, j in alike for m in _turned_over(piles[i], ribbons[j])])


def usual_width(ribbons: Sequence[BackRibbon]) -> float:
    """Of cards of a photo, pixels."""
    return float(np.median([ribbon.width for ribbon in ribbons]))


def _turned_over(pile: Due, ribbon: BackRibbon) -> list[Movement]:
    """How the camera moved if this pile is this ribbon: turned over along or across."""
    if pile.shown < 2 or len(ribbon.edges) < 2:
        return []
    size = ribbon.width / pile.width
    turn = complex(*ribbon.axis) / complex(*pile.along) * abs(complex(*pile.along)) * size
    return [similarity(way, complex(*ribbon.middle) - way * complex(*pile.middle)) for way in (turn, -turn)]


def paired_again(piles: Sequence[Due], found: Mapping[int, int]) -> list[Due]:
    """The piles with the ribbons that lie where the camera's movement puts them; the others keep theirs if nobody else has it."""
    taken = set(found.values())
    return [
        replace(pile, ribbon=found.get(n, None if pile.ribbon in taken else pile.ribbon))
        for n, pile in enumerate(piles)
    ]
