"""Grows the ribbons that corners only hint at: each is read along its line, and the two counts are set side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scorer.vision.lines import CARD, HEIGHT, LENGTH, NARROWEST, Line, LineReading, find_cards, read_lines
from scorer.vision.models import Network
from scorer.vision.rows import BackRibbon, Corners, Edge

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

ON_EDGE = 0.16
"""Distance in card widths within which a corner belongs to the edge read on the line."""
SURE_CORNER = 0.5
"""Score from which a corner alone raises a doubt about the line's count."""
ASPECT = 1.4
"""A card's height in its widths."""


def line_through(piece: BackRibbon) -> Line:
    """The line along a piece of a ribbon, its middle in the middle of the line."""
    middles = np.array([(e.start + e.end) / 2 for e in piece.edges])
    height = float(np.median([np.hypot(*(e.end - e.start)) for e in piece.edges]))
    axis = piece.axis
    if len(middles) >= 3:
        way = middles[-1] - middles[0]
        axis = way / max(float(np.hypot(*way)), 1e-6)
    elif all(len(e.corners) == 2 for e in piece.edges):
        # Two corners of an edge tell the direction across it better than the corners' own small diagonals.
        along = np.mean([e.end - e.start for e in piece.edges], axis=0)
        axis = np.array([-along[1], along[0]]) / max(float(np.hypot(*along)), 1e-6)
    return Line(middles.mean(axis=0) - axis * LENGTH / 2 * height / CARD, axis, height)


def _columns(line: Line, piece: BackRibbon) -> Floats:
    return line.to_line(np.array([(e.start + e.end) / 2 for e in piece.edges]))


def _supporters(line: Line, corners: Corners, column: float) -> tuple[int, ...]:
    """Corners at either end of the edge at a column."""
    tolerance = ON_EDGE * line.height / ASPECT
    near: list[int] = []
    for end in line.edge(column):
        away = np.hypot(*(corners.points - end).T)
        facing = corners.inward @ line.axis > 0.3
        close = [int(k) for k in np.flatnonzero((away < 1.6 * tolerance) & facing)]
        columns = line.to_line(corners.points[close].reshape(-1, 2))[:, 0]
        near += [k for k, c in zip(close, columns, strict=True) if abs(c - column) < tolerance * line.scale][
            :1
        ]
    return tuple(near)


def _edge(line: Line, corners: Corners, column: float, score: float) -> Edge:
    supporters = _supporters(line, corners, column)
    start, end = line.edge(column)
    sure = 1 - (1 - score) * float(np.prod(1 - corners.scores[list(supporters)]))
    return Edge(start, end, supporters, sure)


def _strays(line: Line, reading: LineReading, corners: Corners) -> int:
    """Corners along the ribbon's sides that stand at no edge of the line: cards that the line may have missed."""
    places = line.to_line(corners.points)
    beside = np.abs(np.abs(places[:, 1] - HEIGHT / 2) - CARD / 2) < 0.15 * CARD
    beside &= (places[:, 0] > reading.columns[0] - NARROWEST) & (places[:, 0] < reading.end - NARROWEST)
    beside &= (corners.scores > SURE_CORNER) & (corners.inward @ line.axis > 0.3)
    edges = np.array([*reading.columns, *reading.possible])
    tolerance = 1.5 * ON_EDGE / ASPECT * CARD
    return sum(bool(np.abs(edges - column).min() > tolerance) for column in places[beside, 0])


def _ribbon(line: Line, reading: LineReading, corners: Corners) -> BackRibbon:
    pairs = zip(reading.columns, reading.scores, strict=True)
    edges = tuple(_edge(line, corners, column, score) for column, score in pairs)
    most = len(edges) + len(reading.possible) + _strays(line, reading, corners)
    return BackRibbon(edges, line.axis, line.height / ASPECT, (len(edges), most))


def _belongs(line: Line, reading: LineReading, piece: BackRibbon) -> bool:
    """Whether a piece lies on the ribbon that was read: most of its edges between its ends, within its height."""
    places = _columns(line, piece)
    inside = (places[:, 0] > reading.columns[0] - 6) & (places[:, 0] < reading.end + 6)
    inside &= np.abs(places[:, 1] - HEIGHT / 2) < 0.4 * CARD
    return bool(inside.mean() > 0.5)


def grown(
    picture: Image, pieces: Sequence[BackRibbon], corners: Corners, network: Network
) -> list[BackRibbon]:
    """Read the line through every piece, the best supported first; pieces of a ribbon that was read are used up.

    A piece on whose line nothing is found stays what its corners say.
    """
    lines = [line_through(piece) for piece in pieces]
    answers = read_lines(picture, lines, network)
    order = sorted(range(len(pieces)), key=lambda k: -sum(len(e.corners) for e in pieces[k].edges))
    done: set[int] = set()
    ribbons = []
    for k in order:
        if k in done:
            continue
        seed = int(np.clip(round(float(np.median(_columns(lines[k], pieces[k])[:, 0]))), 0, LENGTH - 1))
        reading = find_cards(answers[k], seed)
        if not reading.columns:
            ribbons.append(pieces[k])
            continue
        done |= {m for m in order if m != k and _belongs(lines[k], reading, pieces[m])}
        ribbons.append(_ribbon(lines[k], reading, corners))
    return ribbons
