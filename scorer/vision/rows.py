"""Ribbons of face-down cards, rebuilt from the corners of their backs.

Each card of a ribbon shows one edge with two corners; so a ribbon has two rows of corners, one along each side, and
each row counts the cards for itself. Two independent counts check one another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scorer.vision.detector import PLAIN, Detections, pick

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
ALONE = 3
"""Corners from which on a row without an opposite one is a ribbon all the same."""
ASKEW = 0.5
"""How far in pitches a corner may lie from where the rest of its ribbon expects it."""
UNLIKE = 0.7
"""Largest ratio of the scores of an edge that was left and of the weakest that was counted: above it chance would decide."""
ACROSS = (0.75, 1.9)
"""Distance between the two rows of a ribbon in card widths: the short or the long side of a card, foreshortened."""
UNSURE = 0.3
"""Score left to an edge that is doubted: whatever else speaks for it, it is looked at."""


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

    @property
    def plain(self) -> Corners:
        """Those that show that there is a card; they come first, so that their numbers remain."""
        return self.picked(np.arange((self.scores >= PLAIN).sum()))

    def picked(self, rows: NDArray[np.int64]) -> Corners:
        """Some of them."""
        return Corners(self.points[rows], self.inward[rows], self.widths[rows], self.scores[rows])


NO_CORNERS = Corners(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0), np.zeros(0))


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
    stands: tuple[bool, bool] = (False, False)
    """Whether its start and its end stand at corners, however faint."""

    @property
    def doubted(self) -> Edge:
        """The same edge, to be looked at whatever else speaks for it."""
        return replace(self, corners=(), score=min(self.score, UNSURE))


@dataclass(frozen=True, slots=True)
class BackRibbon:
    """A ribbon of face-down cards, from the lowest card up."""

    edges: tuple[Edge, ...]
    axis: Floats
    width: float
    counts: tuple[int, int]
    """Cards as counted in two ways: along either side, or surely and at most along the line. Unequal counts are a doubt."""
    faint: tuple[Edge, ...] = ()
    """Edges too weak to count as cards, from the lowest card up: nearly as strong as a counted one, they leave the count open."""
    confirmed: bool = False
    """Whether the faces count as many cards, and no other edges could be meant."""
    either_way: bool = False
    """Whether it might as well run the other way, by its own edges."""

    @property
    def starts(self) -> Floats:
        """Middles of its edges, (n, 2)."""
        return np.array([(edge.start + edge.end) / 2 for edge in self.edges])

    @property
    def middle(self) -> Floats:
        """(2,) its middle."""
        return np.asarray(self.starts.mean(axis=0) + self.axis * self.width / 2)

    def counted_alike(self, count: int) -> BackRibbon | None:
        """The ribbon where the faces count as many cards; None where they do not."""
        if count != len(self.edges):
            return None
        rival = max((e.score for e in self.faint), default=0.0)
        plain = rival <= UNLIKE * min(e.score for e in self.edges)
        return replace(self, counts=(count, count), faint=(), confirmed=plain)


def corners_of(found: Detections) -> Corners:
    """The back corners of detections, the plainest first."""
    found = pick(found, np.argsort(-found.scores, kind="stable"))
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


def _opposite(c: Corners, rows: list[Row]) -> list[tuple[int, int]]:
    """Pairs of rows that run the same way and look at one another across about a card.

    With y down, the first row is the one whose partner lies clockwise of its axis: each pair is taken once.
    """
    axes = np.array([r.axis for r in rows]).reshape(-1, 2)
    across = np.array([r.across for r in rows]).reshape(-1, 2)
    middles = np.array([c.points[list(r.members)].mean(axis=0) for r in rows]).reshape(-1, 2)
    narrow, wide = (np.array([pick(c.widths[list(r.members)]) for r in rows]) for pick in (np.min, np.max))
    away = ((middles[None] - middles[:, None]) * across[:, None]).sum(axis=2)
    ok = (axes @ axes.T >= ALIGNED) & (across @ across.T <= -ALIGNED)
    ok &= (away > ACROSS[0] * np.minimum.outer(narrow, narrow)) & (
        away < ACROSS[1] * np.maximum.outer(wide, wide)
    )
    clockwise = axes[:, 0] * across[:, 1] - axes[:, 1] * across[:, 0] >= 0
    return [(int(i), int(j)) for i, j in np.argwhere(ok & clockwise[:, None])]


def _facing(c: Corners, a: Row, b: Row) -> float:
    """How well two opposite rows are the two sides of one ribbon: number of cards both count, 0 if they are not."""
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


Matched = list[tuple[int | None, int | None]]


def _pitch(c: Corners, a: Row, b: Row, width: float) -> float:
    """Usual distance between neighbours of two rows."""
    steps = [np.diff(c.points[list(row.members)] @ a.axis) for row in (a, b)]
    return float(np.median(np.concatenate([*steps, [0.4 * width]])))


def _match(c: Corners, a: Row, b: Row, pitch: float) -> Matched:
    """Which corner of one row belongs to the same card as which of the other, in order; None where a row misses one."""
    sa, sb = c.points[list(a.members)] @ a.axis, c.points[list(b.members)] @ a.axis
    gap = GAP * pitch
    slope = _slope(c, a, b)
    shifted = sa + _shift(sa, sb, slope, gap)
    # Either rows with corners missing here and there, or as few missing as the counts allow.
    tries = [_refined(sa, sb, _align(np.abs(shifted[:, None] - sb), g), gap) for g in (gap, 5 * gap)]
    pairs = min(tries, key=lambda pairs: _cost(sa, sb, pairs, gap, slope))
    return [(None if i is None else a.members[i], None if j is None else b.members[j]) for i, j in pairs]


def _slope(c: Corners, a: Row, b: Row) -> float:
    """How far along the ribbon a card's edge gets on its way from row a to row b: its corners' diagonals tell."""
    diagonals = c.inward * c.widths[:, None]
    pa, pb, da, db = (
        values[list(row.members)].mean(axis=0) for values in (c.points, diagonals) for row in (a, b)
    )
    edge = da - db
    return float((pb - pa) @ a.across * (edge @ a.axis) / max(float(edge @ a.across), 1e-9))


def _shift(sa: Floats, sb: Floats, slope: float, gap: float) -> float:
    """The shift between two rows' places that brings most corners together and agrees with the slope of the edges."""
    shifts = np.append((sb[None] - sa[:, None]).reshape(-1), slope)
    near = np.abs(sa[None, :, None] + shifts[:, None, None] - sb[None, None]).min(axis=2)
    return float(shifts[int(np.argmin(np.minimum(near, gap).sum(axis=1) + np.abs(shifts - slope)))])


def _stretched(sa: Floats, sb: Floats, pairs: Matched) -> Floats:
    """Places of row a moved onto those of row b as far as pairs tell: ribbons are bowed, and seen at an angle."""
    x, y = np.array([(sa[i], sb[j]) for i, j in pairs if i is not None and j is not None]).T
    spread = float(((x - x.mean()) ** 2).sum())
    stretch = float((x - x.mean()) @ (y - y.mean())) / spread if len(x) > 3 else 1.0
    return np.asarray(y.mean() + np.clip(stretch, 0.8, 1.25) * (sa - x.mean()))


def _refined(sa: Floats, sb: Floats, pairs: Matched, gap: float) -> Matched:
    for _ in range(2):
        if all(i is None or j is None for i, j in pairs):
            return pairs
        pairs = _align(np.abs(_stretched(sa, sb, pairs)[:, None] - sb), gap)
    return pairs


def _cost(sa: Floats, sb: Floats, pairs: Matched, gap: float, slope: float) -> float:
    """What speaks against a matching: corners without a partner, partners out of step, edges askew to their corners."""
    both = [(i, j) for i, j in pairs if i is not None and j is not None]
    if not both:
        return np.inf
    i, j = np.array(both).T
    askew = abs(float((sb[j] - sa[i]).mean()) - slope)
    apart = np.abs(_stretched(sa, sb, pairs)[i] - sb[j]).sum()
    return float(gap * (len(pairs) - len(both)) + apart + 2 * askew)


def _align(apart: Floats, gap: float) -> Matched:
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
    pairs: Matched = []
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


def _span(c: Corners, a: Row, matched: Matched, width: float) -> Floats:
    """The usual way from a card's corner in row a to its corner in the other row."""
    spans = [
        c.points[right] - c.points[left] for left, right in matched if left is not None and right is not None
    ]
    return np.asarray(np.median(spans, axis=0) if spans else a.across * 1.4 * width)


def _completed(c: Corners, matched: Matched, span: Floats, limit: float, used: set[int]) -> Matched:
    """Corners that a row lost, by a gap or by a card that lies askew, are looked for where their partners expect them."""
    free = set(range(len(c.points))) - used - {k for pair in matched for k in pair if k is not None}
    complete: Matched = []
    for left, right in matched:
        if right is None and left is not None:
            right = _nearest(c, c.points[left] + span, span, limit, free)
        elif left is None and right is not None:
            left = _nearest(c, c.points[right] - span, -span, limit, free)
        free -= {k for k in (left, right) if k is not None}
        complete.append((left, right))
    return complete


def _nearest(c: Corners, spot: Floats, away: Floats, limit: float, free: set[int]) -> int | None:
    """The free corner at a spot that looks back across the card, if there is one."""
    near = [(float(np.hypot(*(c.points[k] - spot))), k) for k in free if c.inward[k] @ away < 0]
    distance, corner = min(near, default=(np.inf, -1))
    return corner if distance < limit else None


def _edges(c: Corners, a: Row, matched: Matched, span: Floats) -> tuple[Edge, ...]:
    edges = []
    for left, right in matched:
        first = c.points[left] if left is not None else c.points[right] - span
        second = c.points[right] if right is not None else c.points[left] + span
        own = tuple(k for k in (left, right) if k is not None)
        along = second - first
        # The card lies along the axis; it must be to the right of start -> end.
        start, end = (first, second) if np.array([-along[1], along[0]]) @ a.axis > 0 else (second, first)
        stands = (left is not None, right is not None)
        score = float(1 - np.prod(1 - c.scores[list(own)]))
        edges.append(Edge(start, end, own, score, stands if start is first else stands[::-1]))
    return tuple(edges)


def _ribbon(c: Corners, a: Row, b: Row, used: set[int]) -> BackRibbon:
    """The ribbon of two rows; its counts are the corners found along either side."""
    width = float(np.median(c.widths[list(a.members + b.members)]))
    pitch = _pitch(c, a, b, width)
    matched = _match(c, a, b, pitch)
    span = _span(c, a, matched, width)
    matched = _completed(c, matched, span, ASKEW * pitch, used)
    left, right = (sum(pair[side] is not None for pair in matched) for side in (0, 1))
    return BackRibbon(_edges(c, a, matched, span), a.axis, width, (left, right))


def back_ribbons(c: Corners) -> list[BackRibbon]:
    """Rebuild all ribbons of face-down cards, single cards among them.

    The pair of rows that explains most corners is taken first; its corners, and the far corners of its top card, are
    used up; then the next. Rows that are left over are ribbons of which only one side shows.
    """
    rows = rows_of(c)
    facing = [(_facing(c, rows[i], rows[j]), i, j) for i, j in _opposite(c, rows)]
    facing.sort(key=lambda f: -f[0])
    used: set[int] = set()
    ribbons = []
    for value, i, j in facing:
        a, b = rows[i], rows[j]
        if value <= 0 or used & set(a.members + b.members):
            continue
        ribbon = _ribbon(c, a, b, used)
        used |= {k for edge in ribbon.edges for k in edge.corners}
        used |= _far_corners(c, ribbon.edges[-1], a.axis, ribbon.width, used)
        ribbons.append(ribbon)
    for row in rows:
        if len(row.members) >= ALONE and not used & set(row.members):
            ribbons.append(_one_sided(c, row))
            used |= set(row.members)
    return ribbons


def _one_sided(c: Corners, row: Row) -> BackRibbon:
    """A ribbon whose other side is covered by other cards: the counts disagree, so nobody will trust it unseen."""
    width = float(np.median(c.widths[list(row.members)]))
    edges = _edges(c, row, [(k, None) for k in row.members], row.across * 1.4 * width)
    return BackRibbon(edges, row.axis, width, (len(edges), 0))


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
