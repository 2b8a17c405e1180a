"""Where the exposed edges of a ribbon's cards lie: the line tells at which columns, the corners found there where they end.

A line crosses an edge in its middle and is seldom wrong there: of 878 edges of rendered photos 98 % were within 2 columns. Corners
are more exact, but what looks like one may be a pattern that runs out at the card's side, or belong to the card beside. So all
corners of a ribbon are asked together how its edges lean, and one that would stand elsewhere than line and lean tell is none of the
ribbon's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from scorer.vision.lines import CARD, HEIGHT, LENGTH, Line
from scorer.vision.rows import Corners, Edge

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

FACING = 0.3
"""Least cosine between a corner's diagonal and the ways along and across the ribbon into its card."""
REACH = (7.5, 8.5)
"""How far along the line and across it a corner may stand from the end of an upright edge, pixels of the line: edges lean by up to
0.2 radians, ribbons bend, and columns are up to 2 off."""
FITS = 2.2
"""How far along the line a corner may stand from where line and lean tell an edge's end, columns."""
USUAL_LEAN, USUAL_TURN = 0.08, 0.001
"""Standard deviation of the lean of a ribbon's edges, in radians, and of its change per column, where a ribbon is spread as a fan.
Measured on rendered photos: 0.065 and 0.0008."""
SIDES = (1.0, -1.0)
"""An edge's start lies below the line, its end above."""
LEANS = np.array(list(product(np.linspace(-0.3, 0.3, 61), np.linspace(-0.002, 0.002, 9))))
"""(leans, 2) what a ribbon's lean and its change per column may be."""
RARE = 0.25
"""What an unusual lean counts against the corners that fit to it, for a lean one standard deviation from none."""


@dataclass(frozen=True, slots=True)
class Lean:
    """How the edges of a ribbon lean against its line."""

    at: float = LENGTH / 2
    """A column, ..."""
    lean: float = 0.0
    """... by what an edge there leans, as columns that its end lies ahead of its start in heights of the card, ..."""
    turn: float = 0.0
    """... and by how much more one does that lies a column further on."""

    def ahead(self, columns: Floats, sides: Floats) -> Floats:
        """Columns by which the starts (side 1) and ends (-1) of edges lie ahead of their middles, which stand at `columns`."""
        return np.asarray(-sides * CARD / 2 * (self.lean + self.turn * (columns - self.at)))

    def end(self, line: Line, column: float, side: float, aside: float) -> Floats:
        """(2,) photo pixels of one end of the edge whose middle stands at a column, `aside` rows beside the line."""
        ahead = float(self.ahead(np.array(column), np.array(side)))
        return line.point(column + ahead, HEIGHT / 2 + side * CARD / 2 + aside)


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

    def off(self, lean: Lean, columns: Floats) -> Floats:
        """(claims,) columns by which each corner lies ahead of where line and lean tell the edge's end."""
        return np.asarray(self.ahead - lean.ahead(columns[self.edge], self.side))


def common_lean(claims: Claims, columns: Floats) -> Lean:
    """The lean to which most of the corners fit, and which is not unusual."""
    if not len(claims.edge):
        return Lean()
    at = float(columns.mean())
    leaning = LEANS[:, :1] + LEANS[:, 1:] * (columns[claims.edge] - at)
    off = claims.ahead + claims.side * CARD / 2 * leaning
    fitting = np.clip(1 - (off / FITS) ** 2, 0, None) * claims.weight
    by_corner = np.argsort(claims.corner, kind="stable")
    firsts = np.unique(claims.corner[by_corner], return_index=True)[1]
    # A corner fits to one edge, however many stand near it.
    support = np.maximum.reduceat(fitting[:, by_corner], firsts, axis=1).sum(axis=1)
    unusual = ((LEANS / (USUAL_LEAN, USUAL_TURN)) ** 2).sum(axis=1)
    lean, turn = LEANS[int(np.argmax(support - RARE * unusual))]
    return Lean(at, float(lean), float(turn))


Ends = dict[tuple[int, float], int]
"""Claims that are right, by number of the edge and side."""


def _right_ones(claims: Claims, lean: Lean, columns: Floats) -> Ends:
    """Of the corners that may stand at an edge's ends those that do: each at the one end that it fits best to."""
    off = np.abs(claims.off(lean, columns))
    ends: Ends = {}
    used: set[int] = set()
    for k in np.argsort(off)[: int((off < FITS).sum())]:
        place, corner = (int(claims.edge[k]), float(claims.side[k])), int(claims.corner[k])
        if place not in ends and corner not in used:
            ends[place] = int(k)
            used.add(corner)
    return ends


def _aside(claims: Claims, ends: Ends, columns: Floats) -> Floats:
    """(edges,) rows by which each edge lies beside the line: as its corners tell, or those of the edges next to it."""
    told = {n: [claims.aside[k] for (m, _), k in ends.items() if m == n] for n, _ in ends}
    if not told:
        return np.zeros(len(columns))
    known = sorted(told, key=lambda n: float(columns[n]))
    return np.interp(columns, columns[known], [float(np.mean(told[n])) for n in known])


def edges_along(
    line: Line, corners: Corners, places: Sequence[tuple[float, float]], lean: Lean | None = None
) -> tuple[tuple[Edge, ...], Lean]:
    """The edges at some columns of a line, and how they lean.

    Args:
        line: along the ribbon, in its middle.
        corners: of backs, found in the photo.
        places: columns at which edges were read, and their scores.
        lean: if it is known.
    """
    columns = np.array([column for column, _ in places])
    claims = Claims.of(line, corners, columns)
    lean = lean or common_lean(claims, columns)
    ends = _right_ones(claims, lean, columns)
    aside = _aside(claims, ends, columns)
    found = []
    for n, (column, score) in enumerate(places):
        told = {side: int(claims.corner[ends[n, side]]) for side in SIDES if (n, side) in ends}
        start, end = (
            corners.points[told[side]] if side in told else lean.end(line, column, side, aside[n])
            for side in SIDES
        )
        supporters = tuple(told.values())
        found.append(Edge(start, end, supporters, _sure(score, corners.scores[list(supporters)])))
    return tuple(found), lean


def _sure(score: float, corners: Floats) -> float:
    """Probability that there is an edge, by the line and by the corners that stand at its ends."""
    return 1 - (1 - score) * float(np.prod(1 - corners))
