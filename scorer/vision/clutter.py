"""Pages, patterns and shadows taken for backs: what looks like no deck on the table, where no face tells of a card.

Either alone shows little: a face is overlooked now and then, and so is what a back looks like in bad light. But of 16,300 strips of
rendered rounds, of decks with several cards, 6 were less like each deck than `LIKE_NONE`; of pages and table cloths taken for backs
where no faces lie two in three are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scorer.piles import foundation_up_to_top
from scorer.reading import Pairing, PhotoReading, Reading
from scorer.vision.backs import BackPhoto
from scorer.vision.grouping import ESTABLISHED
from scorer.vision.looking import Seen, first_strips
from scorer.vision.movement import ENOUGH
from scorer.vision.owners import CERTAIN

LIKE_NONE = -1.5
"""Mean odds of a strip with the strips of any deck below which it looks like none."""
FEW = 2
"""Cards of a pile that is nothing at all; a longer one is looked at by somebody, unless all decks on the table lie elsewhere."""


@dataclass(frozen=True, slots=True)
class _Ribbon:
    """One ribbon of backs of the round."""

    strips: range
    """Numbers of its strips, counted through all photos."""
    told: int | None
    """Cards that the faces of its pile tell; 0 where there are none, None where that is not known."""


def clutter(
    seen: Sequence[Seen], reading: Reading, odds: NDArray[np.float64], decks: int | None = None
) -> NDArray[np.bool_]:
    """(strips,) whether each is that of something that is no card.

    Args:
        seen: photos of the round.
        reading: what was made of them.
        odds: (strips, strips) logarithm of the odds that two strips are of one deck.
        decks: how many are on the table, if that is known.
    """
    none = np.zeros(len(odds), bool)
    ribbons = list(_ribbons(seen, reading))
    names = np.array([c.back for photo in reading.photos for c in photo.cards if c.back is not None])
    strange = _like_none(names, ribbons, np.clip(odds, -CERTAIN, CERTAIN))
    for ribbon in ribbons:
        rows = [n for n in ribbon.strips if strange[n]]
        if ribbon.told == 0:
            all_elsewhere = decks is not None and len(set(np.delete(names, ribbon.strips))) >= decks
            none[rows] = len(rows) == len(ribbon.strips) and (len(rows) <= FEW or all_elsewhere)
        elif ribbon.told is not None:
            none[rows] = len(rows) == len(ribbon.strips) - ribbon.told
    return none


def without(seen: Sequence[Seen], none: NDArray[np.bool_]) -> list[Seen]:
    """What the photos show but for some strips, and ribbons of which nothing is left."""
    kept = iter(~none)
    return [_without(photo, [[next(kept) for _ in r.edges] for r in photo.backs.ribbons]) for photo in seen]


def _without(photo: Seen, kept: Sequence[Sequence[bool]]) -> Seen:
    ribbons, strips = [], []
    for ribbon, cut, keep in zip(photo.backs.ribbons, photo.backs.strips, kept, strict=True):
        edges = tuple(edge for edge, is_card in zip(ribbon.edges, keep, strict=True) if is_card)
        if edges:
            count = len(edges)
            ribbons.append(ribbon if all(keep) else replace(ribbon, edges=edges, counts=(count, count)))
            strips.append(cut[np.array(keep)])
    return replace(photo, backs=BackPhoto(tuple(ribbons), tuple(strips), photo.backs.corners))


def _ribbons(seen: Sequence[Seen], reading: Reading) -> Iterator[_Ribbon]:
    pairs = {(p.back_photo, p.back_pile): p for p in reading.pairing}
    for n, (photo, firsts) in enumerate(zip(seen, first_strips(seen), strict=True)):
        for number, (ribbon, first) in enumerate(zip(photo.backs.ribbons, firsts, strict=True)):
            pair = pairs.get((n, number + len(photo.faces.piles)))
            yield _Ribbon(range(first, first + len(ribbon.edges)), _told(reading, n, pair))


def _told(reading: Reading, photo: int, pair: Pairing | None) -> int | None:
    """How many cards the faces of a pile of backs tell; 0 where all that lies in the photo was found in another, turned over."""
    if pair is not None and pair.face_photo is not None and pair.face_pile is not None:
        return _count(reading.photos[pair.face_photo], pair.face_pile)
    paired = [
        p
        for p in reading.pairing
        if None not in (p.face_photo, p.back_photo) and photo in (p.face_photo, p.back_photo)
    ]
    return 0 if len(paired) >= ENOUGH else None


def _count(photo: PhotoReading, pile: int) -> int:
    """Cards of a pile of faces, those among them whose faces were overlooked."""
    faces = [photo.cards[i].face for i in photo.piles[pile].cards]
    return len(foundation_up_to_top(faces) or faces)


def _like_none(
    names: NDArray[np.str_], ribbons: Sequence[_Ribbon], odds: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """(strips,) whether each is less like the strips of any deck of which there are several than `LIKE_NONE`."""
    best = np.full(len(odds), -np.inf)
    for ribbon in ribbons:
        own = np.isin(np.arange(len(odds)), ribbon.strips)
        for name in set(names.tolist()):
            others = (names == name) & ~own
            if others.sum() >= ESTABLISHED:
                best[own] = np.maximum(best[own], odds[np.ix_(own, others)].mean(axis=1))
    return np.asarray(np.isfinite(best) & (best < LIKE_NONE))
