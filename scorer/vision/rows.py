"""Ribbons of face-down cards, rebuilt from the corners of their backs.

Each card of a ribbon shows one edge with two corners; so a ribbon has two rows of corners, one along each side, and
each row counts the cards for itself. Two independent counts check one another.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.vision.detector import Detections

Floats = NDArray[np.float64]

INWARD = 0.297
"""Length of the detector's inward vector in card widths."""
ALIGNED = 0.8
"""Cosine between corners of one row."""
ALONG = 0.72
"""Cosine between the way to the next corner of a row and the row's axis: untidy ribbons zigzag."""
FARTHEST = 0.95
"""Largest distance between neighbours in card widths."""
GAP = 0.7
"""Cost in pitches of a corner without a partner: two of them cost more than one pair that is out of step by untidiness."""
ACROSS = (0.75, 1.9)
"""Distance between the two rows of a ribbon in card widths: the short or the long side of a card, foreshortened."""


@dataclass(frozen=True, slots=True)
class Corners:
    """Corners of backs; all arrays share the first axis; pixels."""

    points: Floats
    """(n, 2)"""
    inward: Floats
    """(n, 2) unit vectors along the diagonal."""
    widths: Floats
    """(n,) card widths as the corner's own size suggests."""
    scores: Floats
    """(n,)"""


@dataclass(frozen=True, slots=True)
class Row:
    """Corners along one side of a ribbon, from the lowest card up."""

    members: tuple[int, ...]
    axis: Floats
    """(2,) unit vector from the lowest card to the top one."""
    across: Floats
    """(2,) unit vector towards the ribbon's other side."""


@dataclass(frozen=True, slots=True)
class Edge:
    """The exposed edge of one card; the card lies to the right when walking from start to end (y down)."""

    start: Floats
    end: Floats
    corners: tuple[int, ...]
    """Detected corners it rests on: both ends, or one."""
    score: float


@dataclass(frozen=True, slots=True)
class BackRibbon:
    """A ribbon of face-down cards, from the lowest card up."""

    edges: tuple[Edge, ...]
    axis: Floats
    width: float
    counts: tuple[int, int]
    """Cards as counted along either side."""


def corners_of(found: Detections) -> Corners:
    """The back corners of detections."""
    d = (found.points[:, 1] - found.points[:, 0]).astype(float)
    lengths = np.maximum(np.hypot(d[:, 0], d[:, 1]), 1e-3)
    return Corners(
        found.points[:, 0].astype(float), d / lengths[:, None], lengths / INWARD, found.scores.astype(float)
    )


def _turned(vectors: Floats, quarter: int) -> Floats:
    """Vectors turned by 45 degrees, clockwise (1) or counter-clockwise (-1) as seen (y down)."""
    x, y = vectors[:, 0], vectors[:, 1]
    return np.asarray(np.stack([x - quarter * y, quarter * x + y], axis=1) / np.sqrt(2))


def _possible_links(c: Corners, axes: Floats) -> list[tuple[float, int, int]]:
    """(distance, lower, upper): upper is the next corner of the row that runs along the lower one's axis."""
    way = c.points[None] - c.points[:, None]
    width = np.sqrt(c.widths[:, None] * c.widths[None])
    away = np.linalg.norm(way, axis=2) / width
    along = (way * axes[:, None]).sum(axis=2) / np.maximum(away * width, 1e-6)
    ok = (c.inward @ c.inward.T > ALIGNED) & (away < FARTHEST) & (away > 0.04) & (along > ALONG)
    return sorted(
        (float(away[i, j] * (2 - along[i, j])), int(i), int(j)) for i, j in zip(*np.nonzero(ok), strict=True)
    )


def _chains(links: list[tuple[float, int, int]], n: int) -> list[list[int]]:
    above, below = [-1] * n, [-1] * n
    for _, i, j in links:
        if above[i] < 0 and below[j] < 0:
            above[i], below[j] = j, i
    chains = []
    for i in range(n):
        if below[i] < 0:
            chain = [i]
            while above[chain[-1]] >= 0 and above[chain[-1]] not in chain:
                chain.append(above[chain[-1]])
            chains.append(chain)
    return chains


def rows_of(c: Corners) -> list[Row]:
    """All rows of two or more corners, either way a corner may run, longest first; single corners as rows of both kinds."""
    rows = []
    for quarter in (1, -1):
        axes, across = _turned(c.inward, quarter), _turned(c.inward, -quarter)
        for chain in _chains(_possible_links(c, axes), len(c.points)):
            rows.append(Row(tuple(chain), _mean(axes[chain]), _mean(across[chain])))
    return sorted(rows, key=lambda r: -len(r.members))


def _mean(vectors: Floats) -> Floats:
    total = vectors.sum(axis=0)
    return np.asarray(total / max(float(np.hypot(*total)), 1e-9))


def _facing(c: Corners, a: Row, b: Row) -> float:
    """How well two rows are the two sides of one ribbon: number of cards both count, 0 if they are not."""
    if a.axis @ b.axis < ALIGNED or a.across @ b.across > -ALIGNED:
        return 0.0
    pa, pb = c.points[list(a.members)], c.points[list(b.members)]
    width = float(np.median(c.widths[list(a.members + b.members)]))
    across = (pb.mean(axis=0) - pa.mean(axis=0)) @ a.across / width
    if not ACROSS[0] < across < ACROSS[1]:
        return 0.0
    sa, sb = pa @ a.axis, pb @ a.axis
    overlap = min(sa.max(), sb.max()) - max(sa.min(), sb.min()) + 0.5 * width
    if overlap <= 0:
        return 0.0
    span = max(sa.max(), sb.max()) - min(sa.min(), sb.min()) + 0.5 * width
    return float((len(pa) + len(pb)) * overlap / span)


def _match(c: Corners, a: Row, b: Row, width: float) -> list[tuple[int | None, int | None]]:
    """Which corner of one row belongs to the same card as which of the other, in order; None where a row misses one."""
    sa, sb = c.points[list(a.members)] @ a.axis, c.points[list(b.members)] @ a.axis
    pitch = float(np.median(np.concatenate([np.diff(sa), np.diff(sb), [0.4 * width]])))
    shifts = (sb[None] - sa[:, None]).reshape(-1)
    shifts = np.append(shifts[np.abs(shifts) < 0.6 * width], 0.0)
    near = np.abs(sa[None, :, None] + shifts[:, None, None] - sb[None, None]).min(axis=2)
    best = shifts[int(np.argmin(np.minimum(near, GAP * pitch).sum(axis=1) + 0.05 * np.abs(shifts)))]
    pairs = _align(np.abs(sa[:, None] + best - sb[None]), GAP * pitch)
    return [(None if i is None else a.members[i], None if j is None else b.members[j]) for i, j in pairs]


def _align(apart: Floats, gap: float) -> list[tuple[int | None, int | None]]:
    """Cheapest alignment of two sequences in order, by dynamic programming (Needleman and Wunsch 1970).

    Args:
        apart: (m, n) cost of taking element i and element j for the same.
        gap: cost of an element without a partner.
    """
    m, n = apart.shape
    cost = np.zeros((m + 1, n + 1))
    cost[:, 0], cost[0, :] = gap * np.arange(m + 1), gap * np.arange(n + 1)
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            cost[i, j] = min(
                cost[i - 1, j - 1] + apart[i - 1, j - 1], cost[i - 1, j] + gap, cost[i, j - 1] + gap
            )
    pairs: list[tuple[int | None, int | None]] = []
    i, j = m, n
    while i or j:
        if i and j and cost[i, j] >= cost[i - 1, j - 1] + apart[i - 1, j - 1]:
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif i and (not j or cost[i, j] >= cost[i - 1, j] + gap):
            i -= 1
            pairs.append((i, None))
        else:
            j -= 1
            pairs.append((None, j))
    return pairs[::-1]


def _edges(
    c: Corners, a: Row, b: Row, matched: list[tuple[int | None, int | None]], width: float
) -> tuple[Edge, ...]:
    spans = [
        c.points[right] - c.points[left] for left, right in matched if left is not None and right is not None
    ]
    span = np.median(spans, axis=0) if spans else a.across * 1.4 * width
    edges = []
    for left, right in matched:
        first = c.points[left] if left is not None else c.points[right] - span
        second = c.points[right] if right is not None else c.points[left] + span
        own = tuple(k for k in (left, right) if k is not None)
        along = second - first
        # The card lies along the axis; it must be to the right of start -> end.
        start, end = (first, second) if np.array([-along[1], along[0]]) @ a.axis > 0 else (second, first)
        edges.append(Edge(start, end, own, float(1 - np.prod(1 - c.scores[list(own)]))))
    return tuple(edges)


def back_ribbons(c: Corners) -> list[BackRibbon]:
    """Rebuild all ribbons of face-down cards, single cards among them.

    The pair of rows that explains most corners is taken first; its corners, and the far corners of its top card, are
    used up; then the next.
    """
    rows = rows_of(c)
    facing = sorted(
        (
            (_facing(c, a, b), i, j)
            for i, a in enumerate(rows)
            for j, b in enumerate(rows)
            if i != j and a.across @ b.across < 0
        ),
        key=lambda f: -f[0],
    )
    used: set[int] = set()
    ribbons = []
    for value, i, j in facing:
        a, b = rows[i], rows[j]
        # With y down, the first row is the one whose partner lies clockwise of its axis: each pair is taken once.
        if value <= 0 or used & set(a.members + b.members) or _turn(a.axis, a.across) < 0:
            continue
        width = float(np.median(c.widths[list(a.members + b.members)]))
        edges = _edges(c, a, b, _match(c, a, b, width), width)
        used |= set(a.members + b.members)
        used |= _far_corners(c, edges[-1], a.axis, width, used)
        ribbons.append(BackRibbon(edges, a.axis, width, (len(a.members), len(b.members))))
    return ribbons


def _turn(a: Floats, b: Floats) -> float:
    return float(a[0] * b[1] - a[1] * b[0])


def _far_corners(c: Corners, top: Edge, axis: Floats, width: float, used: set[int]) -> set[int]:
    """The two corners of the top card at the ribbon's end: they look back along the axis."""
    middle = (top.start + top.end) / 2
    reach = float(np.hypot(*(top.end - top.start)))
    far = set()
    for k in range(len(c.points)):
        way = c.points[k] - middle
        ahead = way @ axis / width
        aside = abs(_turn(axis, way))
        if k not in used and c.inward[k] @ axis < -0.3 and 0.4 < ahead < 1.9 and aside < 0.75 * reach:
            far.add(k)
    return far
