"""Which card that was read is which card that is there: by place alone, never by what it was read as."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from scorer.assignment import cheapest_pairs
from scorer.reading import Point, SeenCard

NEAR = 0.35
"""Of a card's width: how far apart two spots of one card may be."""
_USUAL_WIDTH = 100.0
"""In pixels, of a card whose outline is not known."""
_IMPOSSIBLE = 1e6


def matched(truth: Sequence[SeenCard], read: Sequence[SeenCard]) -> list[tuple[int, int]]:
    """Return pairs of indices of cards in one place, so that as many as possible find their match."""
    if not truth or not read:
        return []
    far = [[_distance(card, other) / _reach(card) for other in read] for card in truth]
    costs = [[cost if cost <= 1 else _IMPOSSIBLE for cost in row] for row in far]
    return [(i, j) for i, j in cheapest_pairs(costs) if costs[i][j] <= 1]


def same_owners(truth: Sequence[SeenCard], read: Sequence[SeenCard]) -> dict[str, str]:
    """Return for each name of a back that was read the owner it stands for, by the places of their cards.

    Each name stands for the owner it shares most cards with, and no two for the same one.
    """
    counts = _shared_backs(truth, read)
    if not counts:
        return {}
    owners = list(dict.fromkeys(owner for owner, _ in counts))
    names = list(dict.fromkeys(name for _, name in counts))
    pairs = cheapest_pairs([[-counts[owner, name] for name in names] for owner in owners])
    return {names[j]: owners[i] for i, j in pairs if counts[owners[i], names[j]]}


def owners_right(truth: Sequence[SeenCard], read: Sequence[SeenCard]) -> int:
    """Return how many backs have the right owner, whatever the owners are called."""
    same = same_owners(truth, read)
    counts = _shared_backs(truth, read)
    return sum(count for (owner, name), count in counts.items() if same.get(name) == owner)


def _shared_backs(truth: Sequence[SeenCard], read: Sequence[SeenCard]) -> Counter[tuple[str, str]]:
    """Count the cards of each owner that were read as each name."""
    backs = [card for card in truth if card.face is None]
    seen = [card for card in read if card.face is None]
    pairs = ((backs[i].back, seen[j].back) for i, j in matched(backs, seen))
    return Counter((owner, name) for owner, name in pairs if owner is not None and name is not None)


def _distance(card: SeenCard, other: SeenCard) -> float:
    """Smallest distance between any corners of two cards, else between their middles; in pixels."""
    mine, theirs = card.corners, other.corners
    if not (mine and theirs):
        mine, theirs = _middle(card), _middle(other)
    return min((math.dist(a, b) for a in mine for b in theirs), default=_IMPOSSIBLE)


def _middle(card: SeenCard) -> tuple[Point, ...]:
    if card.quad is None:
        return card.corners
    return ((sum(x for x, _ in card.quad) / 4, sum(y for _, y in card.quad) / 4),)


def _reach(card: SeenCard) -> float:
    width = _USUAL_WIDTH if card.quad is None else math.dist(card.quad[0], card.quad[1])
    return max(NEAR * width, 1.0)
