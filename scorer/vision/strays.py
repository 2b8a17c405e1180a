"""Strays: cards that lie apart from their pile, and the rules say that they belong there.

A foundation begins with an ace. So what seems to begin with a plain card of a higher rank, where a pile of its suit ends just
short of it, lies on that pile: the cards between them were overlooked, or the pile was pushed apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scorer.cards import Card, Rank
from scorer.vision.layout import FARTHEST
from scorer.vision.sightings import FoundCard

Floats = NDArray[np.float64]
Pile = tuple[int, ...]

PLAIN = 0.9
"""Probability of a face from which on it is no misread ace."""
MOST_OVERLOOKED = 3
"""Cards that may lie between a pile and what continues it."""
ASIDE = 0.4
"""How far beside its pile a stray may lie, in card heights."""
ALIGNED = 0.8
"""Cosine between the upright of a stray and of the card that it continues, whichever of them is upside down."""


def with_strays(piles: Sequence[Pile], cards: Sequence[FoundCard], outlines: Floats) -> list[Pile]:
    """The piles, each together with the strays that continue it.

    Args:
        piles: indices into `cards`, from the lowest card up.
        cards: all of the photo.
        outlines: (cards, 4, 2) their corners in pixels, clockwise from the one at the top left.
    """
    joined = [pile for pile in piles if not _is_stray(pile, cards)]
    for pile in piles:
        if not _is_stray(pile, cards):
            continue
        whole = [n for n, other in enumerate(joined) if _continues(pile[0], other, cards, outlines)]
        if len(whole) == 1:
            joined[whole[0]] += pile
        else:
            joined.append(pile)
    return joined


def _is_stray(pile: Pile, cards: Sequence[FoundCard]) -> bool:
    card = cards[pile[0]]
    plain = card.ranks.max() * card.suits.max() > PLAIN
    return isinstance(card.face, Card) and card.face.rank > Rank.ACE and bool(plain)


def _continues(stray: int, pile: Pile, cards: Sequence[FoundCard], outlines: Floats) -> bool:
    """Whether a stray is of the suit of a pile, not far above its last card by rank, and lies where the pile goes on."""
    face, last = cards[stray].face, cards[pile[-1]].face
    if not (isinstance(face, Card) and isinstance(last, Card) and face.suit is last.suit):
        return False
    steps = face.rank - last.rank
    if not 0 < steps <= MOST_OVERLOOKED + 1:
        return False
    first, top, own = outlines[[pile[0], pile[-1], stray]]
    right, down = _sides(top)
    way = _unit(top.mean(axis=0) - first.mean(axis=0) if len(pile) > 1 else right)
    offset = own.mean(axis=0) - top.mean(axis=0)
    along, aside = float(offset @ way), float(offset @ np.array([-way[1], way[0]]))
    turned = abs(float(_unit(down) @ _unit(_sides(own)[1])))
    near = 0 < along < FARTHEST * steps * np.hypot(*right) and abs(aside) < ASIDE * np.hypot(*down)
    return bool(near and turned > ALIGNED)


def _sides(outline: Floats) -> tuple[Floats, Floats]:
    """(2,) each: along a card's upper edge, and down its left one."""
    return outline[1] - outline[0], outline[3] - outline[0]


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / max(float(np.hypot(*vector)), 1e-6))
