"""Pairs the piles of a face photo with those of a back photo: by count and place, under the movement of the hand-held camera."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.assignment import cheapest_pairs

Floats = NDArray[np.float64]
Pairs = NDArray[np.int64]

COUNT_WEIGHT = 0.35
"""What one card more or less weighs against distance in units of the layout's size."""
AMBIGUOUS = 0.06
"""Two piles whose exchange would cost less than this could as well be paired the other way round."""
ROUNDS = 4


@dataclass(frozen=True, slots=True)
class PilePlace:
    """A pile as a photo shows it: how many cards, and where its middle lies in pixels."""

    count: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Paired:
    """Which pile of the first list is which of the second."""

    pairs: tuple[tuple[int, int], ...]
    ambiguous: tuple[int, ...]
    """Indices into `pairs` that could be exchanged without much being wrong."""


def _normalised(places: tuple[PilePlace, ...]) -> Floats:
    points = np.array([(p.x, p.y) for p in places], float)
    spread = max(float(np.sqrt(((points - points.mean(axis=0)) ** 2).sum(axis=1).mean())), 1e-6)
    return np.asarray((points - points.mean(axis=0)) / spread)


def _count_cost(a: tuple[PilePlace, ...], b: tuple[PilePlace, ...]) -> Floats:
    apart = np.abs(np.array([p.count for p in a])[:, None] - np.array([p.count for p in b])[None])
    return np.asarray(COUNT_WEIGHT * np.minimum(apart, 4))


def _affine(source: Floats, target: Floats) -> Floats:
    """Least-squares affine map (2, 3); with few points a mere shift, which cannot be fooled."""
    if len(source) < 4:
        return np.column_stack([np.eye(2), (target - source).mean(axis=0)])
    solved, *_ = np.linalg.lstsq(np.column_stack([source, np.ones(len(source))]), target, rcond=None)
    return np.asarray(solved.T)


def _match(points_a: Floats, points_b: Floats, counts: Floats, turn: float) -> tuple[float, Pairs, Floats]:
    """Alternate between assigning piles and fitting the camera's movement; returns cost, assignment (k, 2), cost matrix."""
    c, s = np.cos(turn), np.sin(turn)
    moved = points_a @ np.array([[c, s], [-s, c]])
    for _ in range(ROUNDS):
        cost = np.linalg.norm(moved[:, None] - points_b[None], axis=2) + counts
        rows, columns = np.array(cheapest_pairs(cost.tolist())).T
        matrix = _affine(points_a[rows], points_b[columns]) if len(rows) >= 4 else None
        if matrix is not None:
            moved = points_a @ matrix[:, :2].T + matrix[:, 2]
    pairs = np.stack([rows, columns], axis=1).astype(np.int64)
    return float(cost[rows, columns].sum()), pairs, cost


def pair_piles(a: tuple[PilePlace, ...], b: tuple[PilePlace, ...]) -> Paired:
    """Pair piles one to one; what is too many on either side stays alone.

    The camera may have been turned between the photos, so four quarter turns are tried.
    """
    if not a or not b:
        return Paired((), ())
    counts = _count_cost(a, b)
    tries = [_match(_normalised(a), _normalised(b), counts, turn) for turn in np.arange(4) * np.pi / 2]
    # Without any turn is how most people photograph: another turn must be clearly better.
    costs = [cost + (0.0 if k == 0 else 0.5) for k, (cost, _, _) in enumerate(tries)]
    _, pairs, cost = tries[int(np.argmin(costs))]
    ambiguous = {
        k
        for k in range(len(pairs))
        for m in range(len(pairs))
        if k != m and _exchange(cost, pairs, k, m) < AMBIGUOUS
    }
    return Paired(tuple((int(i), int(j)) for i, j in pairs), tuple(sorted(ambiguous)))


def _exchange(cost: Floats, pairs: Pairs, k: int, m: int) -> float:
    (i, j), (p, q) = pairs[k], pairs[m]
    return float(cost[i, q] + cost[p, j] - cost[i, j] - cost[p, q])
