"""Where the exposed edges of a ribbon's cards lie: the line tells at which columns, the corners found there where they end.

A line crosses an edge in its middle and is seldom wrong there: of 878 edges of rendered photos 98 % were within 2 columns. Corners
are more exact, but what looks like one may be a pattern that runs out at the card's side, or belong to the card beside. So all
corners of a ribbon are asked together how its edges lean, and one that would stand elsewhere than line and lean tell is none of the
ribbon's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from scorer.vision.detector import PLAIN
from scorer.vision.lines import CARD, HEIGHT, LENGTH, Line
from scorer.vision.rows import Corners, Edge

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

FACING = 0.3
"""Least cosine between a corner's diagonal and the ways along and across the ribbon into its card."""
REACH = (7.5, 8.5)
"""How far along the line and across it a corner may stand from the end of an upright edge, pixels of the line: edges lean by up to
0.2 radians, ribbons run aslant, and columns are up to 2 off."""
FITS = (2.2, 3.0)
"""How far along the line and across it a corner may stand from where the whole ribbon tells an edge's end, pixels of the line."""
USUAL_LEAN, USUAL_ASIDE = (0.08, 0.001), (1.5, 0.04)
"""Standard deviations of the lean of a ribbon's edges, in radians, and of its change per column, where a ribbon is spread as a fan;
and of how many rows they lie beside the line, and of its change. Measured on rendered photos: 0.065, 0.0008, 0.9 and 0.03."""
RARE = 0.25
"""What an unusual lean counts against the corners that fit to it, for a lean one standard deviation from none."""
SIDES = (1.0, -1.0)
"""An edge's start lies below the line, its end above."""


def _tries(most: tuple[float, float], counts: tuple[int, int]) -> Floats:
    """(tries, 2) what something may be in a ribbon's middle, and by what it may change per column."""
    return np.array(list(product(*(np.linspace(-m, m, n) for m, n in zip(most, counts, strict=True)))))


LEANS = _tries((0.3, 0.002), (61, 9))
ASIDES = _tries((6.0, 0.12), (25, 13))


@dataclass(frozen=True, slots=True)
class Even:
    """What changes evenly along a ribbon."""

    at: float = LENGTH / 2
    """A column, ..."""
    value: float = 0.0
    """... what it is there, ..."""
    change: float = 0.0
    """... and by how much more it is a column further on."""

    def of(self, columns: Floats) -> Floats:
        """What it is at each of some columns."""
        return np.asarray(self.value + self.change * (columns - self.at))


@dataclass(frozen=True, slots=True)
class Alignment:
    """How the edges of a ribbon lie against its line."""

    lean: Even = Even()
    """By what they lean, as columns that an edge's end lies ahead of its start in heights of the card."""
    aside: Even = Even()
    """Rows by which their middles lie beside the line."""

    def ahead(self, columns: Floats, sides: Floats) -> Floats:
        """Columns by which the starts (side 1) and ends (-1) of edges lie ahead of their middles, which stand at `columns`."""
        return np.asarray(-sides * CARD / 2 * self.lean.of(columns))

    def end(self, line: Line, column: float, side: float, beside: float = 0.0) -> Floats:
        """(2,) photo pixels of one end of the edge whose middle stands at a column, some rows beside where the others tell."""
        at = np.array(column)
        row = HEIGHT / 2 + side * CARD / 2 + float(self.aside.of(at)) + beside
        return line.point(column + float(self.ahead(at, np.array(side))), row)


@dataclass(frozen=True, slots=True)
class Claims:
    """Which corners may stand at which ends of the edges at some columns; all arrays (claims,)."""

    edge: Numbers
    side: Floats
    """1 at its start, -1 at its end."""
    corner: Numbers
    ahead: Floats
    """Columns by which the corner lies ahead of the edge's middle."""
    aside: Floats
    """Rows by which it lies beyond the end of an edge whose middle lies on the line."""
    weight: Floats

    @classmethod
    def of(cls, line: Line, corners: Corners, columns: Floats) -> Claims:
        """Claims of the corners that stand near the ends of edges and point into their cards, not into those of a ribbon beside."""
        places = line.to_line(corners.points)
        facing = corners.inward @ line.axis > FACING
        parts = []
        for side in SIDES:
            ahead = places[None, :, 0] - columns[:, None]
            aside = np.broadcast_to(places[None, :, 1] - HEIGHT / 2 - side * CARD / 2, ahead.shape)
            into = facing & (corners.inward @ line.across * -side > FACING)
            near = (np.abs(ahead) < REACH[0]) & (np.abs(aside) < REACH[1]) & into
            edge, corner = np.nonzero(near)
            parts.append((edge, np.full(len(edge), side), corner, ahead[near], aside[near]))
        edge, sides, corner, ahead, aside = map(np.concatenate, zip(*parts, strict=True))
        return cls(edge, sides, corner, ahead, aside, corners.scores[corner])

    def alignment(self, columns: Floats) -> Alignment:
        """How the edges lie that most of the corners fit to, if that is not unusual."""
        if not len(self.edge):
            return Alignment()
        at = float(columns.mean())
        away = columns[self.edge] - at
        aside = Even(at, *self._most_fit(ASIDES, away, self.aside, FITS[1], USUAL_ASIDE))
        lean = self._most_fit(
            LEANS, away, -self.side * self.ahead / (CARD / 2), FITS[0] / (CARD / 2), USUAL_LEAN
        )
        return Alignment(Even(at, *lean), aside)

    def _most_fit(
        self, tries: Floats, away: Floats, seen: Floats, near: float, usual: tuple[float, float]
    ) -> tuple[float, float]:
        """Of all tries the one to which most corners fit by what is `seen` at them."""
        off = seen - (tries[:, :1] + tries[:, 1:] * away)
        fitting = np.clip(1 - (off / near) ** 2, 0, None) * self.weight
        by_corner = np.argsort(self.corner, kind="stable")
        firsts = np.unique(self.corner[by_corner], return_index=True)[1]
        # A corner fits to one edge, however many stand near it.
        support = np.maximum.reduceat(fitting[:, by_corner], firsts, axis=1).sum(axis=1)
        unusual = ((tries / usual) ** 2).sum(axis=1)
        value, change = tries[int(np.argmax(support - RARE * unusual))]
        return float(value), float(change)

    def right_ones(self, alignment: Alignment, columns: Floats) -> dict[tuple[int, float], int]:
        """Claims that are right, by number of the edge and side: each corner stands at the one end that it fits best to.

        Faint corners only where no plain one does.
        """
        at = columns[self.edge]
        off = (
            (self.ahead - alignment.ahead(at, self.side)) / FITS[0],
            (self.aside - alignment.aside.of(at)) / FITS[1],
        )
        unfit = np.maximum(*np.abs(off))
        ends: dict[tuple[int, float], int] = {}
        used: set[int] = set()
        for k in np.lexsort((unfit, self.weight < PLAIN, unfit >= 1))[: int((unfit < 1).sum())]:
            place, corner = (int(self.edge[k]), float(self.side[k])), int(self.corner[k])
            if place not in ends and corner not in used:
                ends[place] = int(k)
                used.add(corner)
        return ends

    def beside(self, alignment: Alignment, ends: Mapping[tuple[int, float], int], columns: Floats) -> Floats:
        """(edges,) rows by which each edge lies beside where the ribbon tells: by its corners or its neighbours'."""
        known = sorted({n for n, _ in ends}, key=lambda n: float(columns[n]))
        if not known:
            return np.zeros(len(columns))
        own = [np.mean([self.aside[ends[n, s]] for s in SIDES if (n, s) in ends]) for n in known]
        return np.interp(columns, columns[known], np.array(own) - alignment.aside.of(columns[known]))


def edges_along(
    line: Line, corners: Corners, places: Sequence[tuple[float, float]], alignment: Alignment | None = None
) -> tuple[tuple[Edge, ...], Alignment]:
    """The edges at some columns of a line, and how they lie.

    Args:
        line: along the ribbon, in its middle.
        corners: of backs, found in the photo.
        places: columns at which edges were read, and their scores.
        alignment: if it is known.
    """
    columns = np.array([column for column, _ in places])
    claims = Claims.of(line, corners, columns)
    alignment = alignment or claims.alignment(columns)
    ends = claims.right_ones(alignment, columns)
    beside = claims.beside(alignment, ends, columns)
    found = []
    for n, (column, score) in enumerate(places):
        own = {side: int(claims.corner[ends[n, side]]) for side in SIDES if (n, side) in ends}
        start, end = (
            corners.points[own[side]] if side in own else alignment.end(line, column, side, float(beside[n]))
            for side in SIDES
        )
        supporters = tuple(k for k in own.values() if corners.scores[k] >= PLAIN)
        stands = (SIDES[0] in own, SIDES[1] in own)
        found.append(Edge(start, end, supporters, _sure(score, corners.scores[list(supporters)]), stands))
    return tuple(found), alignment


def _sure(score: float, corners: Floats) -> float:
    """Probability that there is an edge, by the line and by the corners that stand at its ends."""
    return 1 - (1 - score) * float(np.prod(1 - corners))
