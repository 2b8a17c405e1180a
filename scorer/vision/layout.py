"""Layout: which cards lie in one ribbon, and in which order, in any direction and several to a photo."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from scorer.vision.sightings import FoundCard, Sightings, card_widths, index_offset

Floats = NDArray[np.float64]

ALIGNED = 0.8
"""Cosine between the "down" of neighbours in a ribbon or fan: 37 degrees at most."""
SAME_SIZE = 3.5
"""Ratio of the lengths of two indices in one ribbon: a small and a jumbo one, and perspective."""
FARTHEST = 0.95
"""Largest distance between neighbours of a ribbon in card widths; cards laid side by side are more than one apart."""
STRAIGHT = -0.25
"""Largest cosine between the ways to the two neighbours of a card: a ribbon does not turn back."""
STRANGE = 0.35
"""How much farther away, in card widths, two cards count that are no neighbours in a foundation."""
ACROSS = 0.5
"""Share of the way between a card's two indices, along its short side, from which on they stand at different sides of it."""
NOBODYS = -1
"""Number of the card of a sighting that is a corner of none."""
RANKED = 13
"""Ranks from the ace to the king, as the classifier counts them."""


def index_corners(seen: Sightings, widths: Floats) -> Floats:
    """(n, 2) the corner of its card that each index stands in."""
    offsets = [index_offset(*frame) for frame in zip(seen.lengths, seen.downs, widths, strict=True)]
    return np.asarray(seen.middles - np.array(offsets).reshape(-1, 2), np.float64)


@dataclass(frozen=True, slots=True)
class _Link:
    """Two cards that may be neighbours in a ribbon."""

    cost: float
    """Distance in card widths, and more where the faces are no neighbours."""
    ends: tuple[int, int]
    """The cards."""
    way: Floats
    """(2,) from the first to the second, pixels."""
    toward: Floats
    """(2,) to the right and down of the indices by which they are linked."""
    indices: tuple[int, int]
    """The sightings by which they are linked."""

    @property
    def back(self) -> _Link:
        """The same from the second to the first."""
        return replace(self, ends=self.ends[::-1], way=-self.way, indices=self.indices[::-1])


Neighbours = dict[int, dict[int, _Link]]
"""Each card's neighbours, and the way there."""


def _links(seen: Sightings, cards: Sequence[FoundCard], places: Floats, widths: Floats) -> list[_Link]:
    """Possible neighbours, the likeliest first."""
    owner = _owners(len(seen), cards)
    way = places[None] - places[:, None]
    away = np.linalg.norm(way, axis=2) / np.sqrt(widths[:, None] * widths[None])
    ratio = seen.lengths[:, None] / seen.lengths[None]
    far = _far_sides(seen, owner)
    # A card whose far side shows is not covered there: what begins beside it is another pile.
    ok = (away < FARTHEST) & (far[:, None] == far[None])
    ok &= (ratio < SAME_SIZE) & (ratio > 1 / SAME_SIZE)
    ok &= (seen.downs @ seen.downs.T >= ALIGNED) & (owner[:, None] != owner[None])
    ok &= np.minimum(owner[:, None], owner[None]) > NOBODYS
    cost = away + STRANGE * (1 - neighbourly(cards))[owner[:, None], owner[None]]
    toward = (seen.rights + seen.downs).astype(np.float64)
    links = [
        _Link(float(cost[i, j]), (int(owner[i]), int(owner[j])), way[i, j], toward[i] + toward[j], (i, j))
        for i, j in np.argwhere(np.triu(ok, 1)).tolist()
    ]
    return sorted(links, key=lambda link: link.cost)


def _owners(count: int, cards: Sequence[FoundCard]) -> NDArray[np.int64]:
    """(count,) the card that each sighting is a corner of, or NOBODYS."""
    owner = np.full(count, NOBODYS, np.int64)
    for number, card in enumerate(cards):
        owner[list(card.corners)] = number
    return owner


def neighbourly(cards: Sequence[FoundCard]) -> Floats:
    """(n, n) probability that two cards are of one suit and of neighbouring ranks, as in a foundation."""
    ranks = np.array([card.ranks[:RANKED] for card in cards], np.float64).reshape(-1, RANKED)
    suits = np.array([card.suits for card in cards], np.float64).reshape(-1, 4)
    rising = ranks[:, :-1] @ ranks[:, 1:].T
    return np.asarray((rising + rising.T) * (suits @ suits.T))


def _far_sides(seen: Sightings, owner: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which indices have another of their card to their left, the same way up: they stand at its right-hand side."""
    way = seen.middles[None] - seen.middles[:, None]
    level = (owner[:, None] == owner[None]) & (seen.downs @ seen.downs.T >= ALIGNED)
    left = (way * seen.rights[:, None]).sum(axis=2) < 0
    return np.asarray((level & left).any(axis=1))


def _opposite_sides(seen: Sightings, reach: Floats) -> NDArray[np.bool_]:
    """(n, n) whether of two indices of one card one stands at its left-hand side and one at its right-hand side."""
    way = seen.middles[None] - seen.middles[:, None]
    return np.asarray(np.abs((way * seen.rights[:, None]).sum(axis=2)) > ACROSS * reach[:, :1])


def lies_open(seen: Sightings, card: FoundCard, reach: Floats) -> bool:
    """Whether a card shows indices at both its sides."""
    corners = np.array(card.corners)
    return bool(_opposite_sides(seen.picked(corners), reach[corners]).any())


def _fits(neighbours: Neighbours, link: _Link, opposite: NDArray[np.bool_]) -> bool:
    """Whether both cards have room for one more neighbour, beyond the one they have, and are not of one ribbon already.

    A ribbon covers all its cards from one side: none shows its left-hand index to one neighbour and its right-hand one to the
    other.
    """
    for new in (link, link.back):
        beside = neighbours[new.ends[0]].values()
        if len(beside) == 2 or any(_cosine(old.way, new.way) > STRAIGHT for old in beside):
            return False
        if any(opposite[old.indices[0], new.indices[0]] for old in beside):
            return False
    return link.ends[1] not in _walk(link.ends[0], neighbours)


def _cosine(a: Floats, b: Floats) -> float:
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b) + 1e-6))


def _walk(start: int, neighbours: Neighbours) -> list[int]:
    """The cards from one at the end of a ribbon to the other end."""
    chain, previous = [start], -1
    while True:
        following = [k for k in neighbours[chain[-1]] if k != previous]
        if not following:
            return chain
        previous = chain[-1]
        chain.append(following[0])


def _bottom_first(chain: list[int], cards: Sequence[FoundCard], neighbours: Neighbours) -> list[int]:
    """Lower cards show the index in their top left corner, so the cards above them lie to the right or below.

    A deck with four indices may show either side; but then its covered cards show two of them, and the top card more.
    """
    if len(chain) < 2:
        return chain
    corners = [len(cards[i].corners) for i in chain]
    if np.median(corners) >= 2 and corners[0] != corners[-1]:
        return chain if corners[-1] > corners[0] else chain[::-1]
    links = [neighbours[a][b] for a, b in pairwise(chain)]
    way, toward = (np.sum([getattr(link, name) for link in links], axis=0) for name in ("way", "toward"))
    return chain if way @ toward >= 0 else chain[::-1]


def ribbons(seen: Sightings, cards: list[FoundCard], reach: NDArray[np.float64]) -> list[tuple[int, ...]]:
    """Group cards into piles, each from the lowest card to the one on top.

    Args:
        seen: all sightings.
        cards: those that sightings belong to, if to any.
        reach: (sightings, 2) offset between a card's two indices in pixels; from it follows the card's width.

    Returns:
        indices into `cards`; every card is in exactly one pile, single cards in piles of their own.
    """
    if not cards:
        return []
    widths = card_widths(seen.lengths, reach)
    opposite = _opposite_sides(seen, reach)
    neighbours: Neighbours = {i: {} for i in range(len(cards))}
    for link in _links(seen, cards, index_corners(seen, widths), widths):
        if _fits(neighbours, link, opposite):
            first, second = link.ends
            neighbours[first][second], neighbours[second][first] = link, link.back
    ends = [i for i in neighbours if len(neighbours[i]) < 2]
    chains = [_bottom_first(_walk(i, neighbours), cards, neighbours) for i in ends]
    # Each ribbon was walked from both its ends.
    piles = dict.fromkeys(tuple(chain) for chain in sorted(chains, key=lambda c: (-len(c), min(c))))
    return [_rising(pile, cards) for pile in _once(piles)]


def _once(piles: Iterable[tuple[int, ...]]) -> list[tuple[int, ...]]:
    return list({min(pile): pile for pile in piles}.values())


def _rising(pile: tuple[int, ...], cards: list[FoundCard]) -> tuple[int, ...]:
    """A pile of cards with four indices, the way its ranks rise: both sides of such cards show, and some corners are overlooked."""
    ranks = [int(cards[i].ranks.argmax()) for i in pile]
    rises = int(np.sign(np.diff(ranks)).sum())
    four = np.median([len(cards[i].corners) for i in pile]) >= 2
    return pile[::-1] if four and 2 * rises < -len(pile) else pile
