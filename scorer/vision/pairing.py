"""Pairs the piles of a face photo with those of a back photo: by count and place, under the movement of the hand-held camera."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.assignment import cheapest_pairs
from scorer.vision.movement import ENOUGH, Movement, TwoPhotos, seen_again

Floats = NDArray[np.float64]
Pairs = NDArray[np.int64]

COUNT_WEIGHT = 0.35
"""What one card more or less weighs against distance in units of the layout's size."""
AMBIGUOUS = 0.06
"""Two piles whose exchange would cost less than this could as well be paired the other way round."""
ROUNDS = 4
APART, APART_PER_CARD = 1.0, 0.25
"""Distance in card widths from where the camera's movement puts a pile up to which a pile of as many cards may be it; and how
much more that is for every card that is overlooked on one side, which shifts the middle of what is left."""
UNLIKELY = 4
"""Cards from which on it does not matter how many more or less they are."""


@dataclass(frozen=True, slots=True)
class PilePlace:
    """A pile as a photo shows it: how many cards, and where its middle lies in pixels."""

    count: int
    x: float
    y: float
    width: float | None
    """Of its cards, pixels; None where that is not known."""


@dataclass(frozen=True, slots=True)
class Paired:
    """Which pile of the first list is which of the second."""

    pairs: tuple[tuple[int, int], ...]
    ambiguous: tuple[int, ...]
    """Indices into `pairs` that could be exchanged without much being wrong."""


def _points(places: tuple[PilePlace, ...]) -> Floats:
    return np.array([(p.x, p.y) for p in places], float)


def _spread(points: Floats) -> float:
    return max(float(np.sqrt(((points - points.mean(axis=0)) ** 2).sum(axis=1).mean())), 1e-6)


def _normalised(places: tuple[PilePlace, ...]) -> Floats:
    points = _points(places)
    return np.asarray((points - points.mean(axis=0)) / _spread(points))


def _counted_apart(a: tuple[PilePlace, ...], b: tuple[PilePlace, ...]) -> Floats:
    """By how many cards piles differ, (n, m)."""
    counts_a, counts_b = (np.array([p.count for p in places], float) for places in (a, b))
    return np.asarray(np.abs(counts_a[:, None] - counts_b))


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

    Where enough piles tell how the camera moved, only piles that lie where it puts them are paired. Else by their counts
    and places: the camera may have been turned between the photos, so four quarter turns are tried.
    """
    if not a or not b:
        return Paired((), ())
    apart = _counted_apart(a, b)
    widths = [p.width for p in b if p.width is not None]
    width = float(np.median(widths)) if widths else 0.0
    known = seen_again(TwoPhotos(_points(a), _points(b), 1 / (1 + apart), width)) if widths else None
    if known is not None and len(known[1]) >= ENOUGH:
        return _paired_in_place(known[0], a, b, apart, width)
    counts = COUNT_WEIGHT * np.minimum(apart, UNLIKELY)
    tries = [_match(_normalised(a), _normalised(b), counts, turn) for turn in np.arange(4) * np.pi / 2]
    # Without any turn is how most people photograph: another turn must be clearly better.
    costs = [cost + (0.0 if k == 0 else 0.5) for k, (cost, _, _) in enumerate(tries)]
    _, pairs, cost = tries[int(np.argmin(costs))]
    return _paired(pairs, cost)


def _paired_in_place(
    movement: Movement,
    a: tuple[PilePlace, ...],
    b: tuple[PilePlace, ...],
    apart: Floats,
    width: float,
) -> Paired:
    """Pair the piles that lie together under a known movement; with by how many cards they differ, and the cards' width."""
    places = _points(b)
    away = np.linalg.norm(movement.points(_points(a))[:, None] - places, axis=2)
    most = (APART + APART_PER_CARD * apart) * width
    # In units of the layout's size, as of piles whose movement is not known.
    cost = (np.minimum(away, most) + APART_PER_CARD * np.minimum(apart, UNLIKELY) * width) / _spread(places)
    cost[away >= most] = cost.max() + 1.0
    pairs = [(i, j) for i, j in cheapest_pairs(cost.tolist()) if away[i, j] < most[i, j]]
    return _paired(np.array(pairs, np.int64).reshape(-1, 2), cost)


def _paired(pairs: Pairs, cost: Floats) -> Paired:
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
