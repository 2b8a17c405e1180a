"""Photos that overlap: piles that a second photo shows again are found by what they are and by where they lie."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SAME_PLACE = 0.9
"""Distance in card widths within which a pile must lie where the camera's movement puts it."""
SHARED = 0.6
"""Share of the shorter pile's cards that two sights of one pile must have in common."""
ALONE = 3
"""Cards that a single common pile must have for two photos to be taken for overlapping ones."""


@dataclass(frozen=True, slots=True)
class PlacedPile:
    """A pile in one photo."""

    photo: int
    labels: tuple[Hashable, ...]
    """What each card is (face and owner, as far as known), from the lowest card up."""
    points: Floats
    """(cards, 2) where each card lies, pixels."""
    width: float
    """Width of a card in pixels."""


def _common(a: PlacedPile, b: PlacedPile) -> list[tuple[int, int]]:
    """Positions of equal cards in two piles; labels that a pile holds twice say nothing."""
    of_a = {x: i for i, x in enumerate(a.labels) if a.labels.count(x) == 1}
    of_b = {x: j for j, x in enumerate(b.labels) if b.labels.count(x) == 1}
    shared = [(of_a[x], of_b[x]) for x in of_a if x in of_b]
    enough = max(2, SHARED * min(len(a.labels), len(b.labels)))
    return shared if len(shared) >= enough else []


def _similarity(source: Floats, target: Floats) -> tuple[Floats, Floats]:
    """Least-squares rotation with scale (2, 2) and shift (2,) (Umeyama 1991, without reflection)."""
    s, t = source - source.mean(axis=0), target - target.mean(axis=0)
    a = (s * t).sum()
    b = (s[:, 0] * t[:, 1] - s[:, 1] * t[:, 0]).sum()
    norm = max(float((s**2).sum()), 1e-9)
    matrix = np.array([[a, -b], [b, a]]) / norm
    return matrix, target.mean(axis=0) - matrix @ source.mean(axis=0)


def _agree(a: PlacedPile, b: PlacedPile, matrix: Floats, shift: Floats) -> bool:
    shared = _common(a, b)
    if not shared:
        return False
    i, j = np.array(shared).T
    moved = a.points[i] @ matrix.T + shift
    return bool(np.linalg.norm(moved - b.points[j], axis=1).mean() < SAME_PLACE * b.width)


def _overlap(piles: Sequence[PlacedPile], first: list[int], second: list[int]) -> list[tuple[int, int]]:
    """Pairs of piles of two photos that are one pile under the movement that explains most of them."""
    best: list[tuple[int, int]] = []
    for i in first:
        for j in second:
            shared = _common(piles[i], piles[j])
            if not shared:
                continue
            a, b = np.array(shared).T
            matrix, shift = _similarity(piles[i].points[a], piles[j].points[b])
            pairs = [(p, q) for p in first for q in second if _agree(piles[p], piles[q], matrix, shift)]
            best = max(best, pairs, key=len)
    if len(best) == 1 and len(_common(piles[best[0][0]], piles[best[0][1]])) < ALONE:
        return []
    return best


def repeated(piles: Sequence[PlacedPile]) -> dict[int, int]:
    """Which piles are further sights of which earlier ones, as indices into `piles`."""
    by_photo: dict[int, list[int]] = {}
    for number, pile in enumerate(piles):
        by_photo.setdefault(pile.photo, []).append(number)
    again: dict[int, int] = {}
    for p, q in combinations(sorted(by_photo), 2):
        for i, j in _overlap(piles, by_photo[p], by_photo[q]):
            again.setdefault(j, again.get(i, i))
    return again
