"""Layout: which cards lie in one ribbon, and in which order, in any direction and several to a photo."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scorer.vision.sightings import FoundCard, Sightings

Floats = NDArray[np.float64]

ALIGNED = 0.8
"""Cosine between the "down" of neighbours in a ribbon or fan: 37 degrees at most."""
SAME_SIZE = 3.5
"""Ratio of the lengths of two indices in one ribbon: a small and a jumbo one, and perspective."""
BORDER, ASIDE, BELOW = 0.055, 0.35, 1.0
"""Where an index stands: its distance from the card's edges in card widths, and its middle's from its own outline in lengths."""
FARTHEST = 0.95
"""Largest distance between neighbours of a ribbon in card widths; cards laid side by side are more than one apart."""
BESIDE = 0.45
"""The same where the right-hand side of a card that lies open is near the left-hand side of another: those are mostly two piles."""
STRAIGHT = -0.25
"""Largest cosine between the ways to the two neighbours of a card: a ribbon does not turn back."""


def index_offset(length: float, down: Floats, width: float) -> Floats:
    """(2,) from the corner of a card to the middle of the index in it: small and jumbo indices stand differently far from it."""
    right = np.array([down[1], -down[0]])
    return np.asarray((BORDER * width + ASIDE * length) * right + (BORDER * width + BELOW * length) * down)


def index_corners(seen: Sightings, widths: Floats) -> Floats:
    """(n, 2) the corner of its card that each index stands in."""
    offsets = [index_offset(*frame) for frame in zip(seen.lengths, seen.downs, widths, strict=True)]
    return np.asarray(seen.middles - np.array(offsets).reshape(-1, 2), np.float64)


def _links(
    seen: Sightings, places: Floats, owner: NDArray[np.int64], widths: Floats
) -> list[tuple[float, int, int]]:
    """Possible neighbours as (distance in card widths, i, j), nearest first."""
    way = places[None] - places[:, None]
    away = np.linalg.norm(way, axis=2) / np.sqrt(widths[:, None] * widths[None])
    ratio = seen.lengths[:, None] / seen.lengths[None]
    far = _far_sides(seen, owner)
    ok = away < np.where(far[:, None] != far[None], BESIDE, FARTHEST)
    ok &= (ratio < SAME_SIZE) & (ratio > 1 / SAME_SIZE)
    ok &= (seen.downs @ seen.downs.T >= ALIGNED) & (owner[:, None] != owner[None])
    return sorted((float(away[i, j]), int(i), int(j)) for i, j in np.argwhere(np.triu(ok, 1)))


def _far_sides(seen: Sightings, owner: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which indices stand at the right-hand side of cards of which three corners or more are seen."""
    members = np.bincount(owner)
    middles = np.stack(
        [np.bincount(owner, seen.middles[:, k].astype(np.float64)) / members for k in (0, 1)], axis=1
    )
    right = ((seen.middles - middles[owner]) * seen.rights).sum(axis=1)
    return np.asarray((members[owner] > 2) & (right > 0))


def _fits(places: Floats, neighbours: dict[int, list[int]], i: int, j: int) -> bool:
    for a, b in ((i, j), (j, i)):
        if len(neighbours[a]) == 2:
            return False
        if neighbours[a]:
            old = places[neighbours[a][0]] - places[a]
            new = places[b] - places[a]
            if old @ new / (np.linalg.norm(old) * np.linalg.norm(new) + 1e-6) > STRAIGHT:
                return False
    return True


def _walk(start: int, neighbours: dict[int, list[int]]) -> list[int]:
    chain, previous = [start], -1
    while True:
        following = [k for k in neighbours[chain[-1]] if k != previous]
        if not following or following[0] in chain:
            return chain
        previous = chain[-1]
        chain.append(following[0])


def _bottom_first(seen: Sightings, chain: list[int], shown: NDArray[np.int64]) -> list[int]:
    """Lower cards show the index in their top left corner, so the cards above them lie to the right or below.

    A deck with four indices may show either side; but then its covered cards show two of them, and the top card more.
    """
    if len(chain) < 2:
        return chain
    corners = shown[chain]
    if np.median(corners) >= 2 and corners[0] != corners[-1]:
        return chain if corners[-1] > corners[0] else chain[::-1]
    way = seen.middles[chain[-1]] - seen.middles[chain[0]]
    toward = (seen.rights[chain] + seen.downs[chain]).mean(axis=0)
    return chain if way @ toward >= 0 else chain[::-1]


def ribbons(seen: Sightings, cards: list[FoundCard], reach: NDArray[np.float64]) -> list[tuple[int, ...]]:
    """Group cards into piles, each from the lowest card to the one on top.

    Args:
        seen: all sightings.
        cards: the cards they belong to.
        reach: (sightings, 2) offset between a card's two indices in pixels; from it follows the card's width.

    Returns:
        indices into `cards`; every card is in exactly one pile, single cards in piles of their own.
    """
    owner = np.full(len(seen), -1, np.int64)
    for number, card in enumerate(cards):
        owner[list(card.corners)] = number
    neighbours: dict[int, list[int]] = {i: [] for i in range(len(seen))}
    # The indices' middles are about 0.8 of the width apart.
    widths = reach[:, 0] / 0.8
    places = index_corners(seen, widths)
    for _, i, j in _links(seen, places, owner, widths):
        if _fits(places, neighbours, i, j):
            neighbours[i].append(j)
            neighbours[j].append(i)
    shown = np.bincount(owner)[owner] if len(owner) else owner
    ends = [i for i in range(len(seen)) if len(neighbours[i]) < 2]
    chains = sorted((_bottom_first(seen, _walk(i, neighbours), shown) for i in ends), key=len, reverse=True)
    piles = _each_card_once([[int(owner[i]) for i in chain] for chain in chains], len(cards))
    return [_rising(pile, cards) for pile in piles]


def _rising(pile: tuple[int, ...], cards: list[FoundCard]) -> tuple[int, ...]:
    """A pile of cards with four indices, the way its ranks rise: both sides of such cards show, and some corners are overlooked."""
    ranks = [int(cards[i].ranks.argmax()) for i in pile]
    rises = int(np.sign(np.diff(ranks)).sum())
    four = np.median([len(cards[i].corners) for i in pile]) >= 2
    return pile[::-1] if four and 2 * rises < -len(pile) else pile


def _each_card_once(chains: list[list[int]], count: int) -> list[tuple[int, ...]]:
    """A card that two chains claim, by its two corners, stays in the longer one; where it shows twice in one it is the top card."""
    taken: set[int] = set()
    piles = []
    for chain in chains:
        own = [c for c in dict.fromkeys(reversed(chain)) if c not in taken][::-1]
        if own:
            piles.append(tuple(own))
            taken |= set(own)
    piles += [(c,) for c in range(count) if c not in taken]
    return piles
