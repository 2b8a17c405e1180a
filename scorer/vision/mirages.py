"""Mirages: pips, flowers and words that were read as cards.

A card that lies alone shows two indices, or at least one plainly; what lies on a card of another pile shows more than a pip of that
one would; and of what a card on top of its pile covers nothing shows.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.cards import Card, Rank
from scorer.vision.layout import lies_open
from scorer.vision.sightings import FoundCard, Sightings, outline

Floats = NDArray[np.float64]

ECHO = 0.3
"""How far from its due place, in shares of the way there, a further index of a card may be found askew."""
PLAIN_ALONE = 0.8
"""Confidence from which on a card that is no ace is believed to lie alone on another pile."""
COVERED = 0.85
"""Share of a card's outline within which it surely covers what lies below it."""
LONE = 0.75
"""Joint score from which on a single index shows a card that lies alone: nothing else vouches for it."""
PLAIN = 0.9
"""Confidence from which on the index of a card on top of a pile is believed whatever shows through it."""


def mirages(
    seen: Sightings, cards: Sequence[FoundCard], piles: Sequence[tuple[int, ...]], reach: Floats
) -> set[int]:
    """Which of the cards are none.

    Args:
        seen: all sightings.
        cards: what was made of them.
        piles: indices into `cards`, from the lowest card up.
        reach: (sightings, 2) offset between a card's two indices in pixels.
    """
    tops = [pile[-2:] for pile in piles if len(pile) > 1]
    through = {top for below, top in tops if _is_seen_through(seen, cards[below], cards[top], reach)}
    return through | _lone_mirages(seen, cards, piles, reach)


def _lone_mirages(
    seen: Sightings, cards: Sequence[FoundCard], piles: Sequence[tuple[int, ...]], reach: Floats
) -> set[int]:
    alone = [pile[0] for pile in piles if len(pile) == 1 and len(cards[pile[0]].corners) == 1]
    found = {i for i in alone if cards[i].score < LONE}
    firm = [card for n, card in enumerate(cards) if n not in alone]
    for i in sorted(set(alone) - found, key=lambda i: -cards[i].score):
        if any(_is_echo(seen, cards[i], card, reach) for card in firm):
            found.add(i)
        else:
            # Of a card askew both indices may have been taken for cards.
            firm.append(cards[i])
    return found


def _is_seen_through(seen: Sightings, below: FoundCard, card: FoundCard, reach: Floats) -> bool:
    """Whether a card of which a single index is read, and not plainly, would cover an index of the card below it that shows.

    That must lie open: of a deck with four indices a covered card shows two at one side.
    """
    if len(card.corners) > 1 or card.confidence >= PLAIN or not lies_open(seen, below, reach):
        return False
    whole = np.array(outline(seen, card, reach))
    inner = (whole.mean(axis=0) + COVERED * (whole - whole.mean(axis=0))).astype(np.float32)
    points = seen.middles[list(below.corners)].astype(float)
    return any(cv2.pointPolygonTest(inner, (float(x), float(y)), False) > 0 for x, y in points)


def _is_echo(seen: Sightings, card: FoundCard, other: FoundCard, reach: Floats) -> bool:
    """Whether the only index of a card is another card's further one, or not an index but a pip of it.

    It lies where that card has a corner, and shows the same face, seen askew; or it is weak, and nothing that may lie there.
    """
    (i,), j = card.corners, other.corners[0]
    way = (seen.middles[i] - seen.middles[j]).astype(np.float64)
    x, y = (float(v) for v in (way @ seen.rights[j] / reach[j, 0], way @ seen.downs[j] / reach[j, 1]))
    face = card.face
    if face == other.face:
        return min(abs(x), abs(x - 1), abs(x + 1)) < ECHO and min(abs(y), abs(y - 1), abs(y + 1)) < ECHO
    if isinstance(face, Card) and face.rank is Rank.ACE:
        return False
    inside = ECHO < x < 1 and ECHO < y < 1 + ECHO
    return bool(inside) and card.confidence < PLAIN_ALONE
