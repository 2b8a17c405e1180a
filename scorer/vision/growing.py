"""Grows the ribbons that corners only hint at: each is read along its line, and the two counts are set side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scorer.vision.lines import (
    CARD,
    HEIGHT,
    LENGTH,
    NARROWEST,
    TOP_CARD,
    Line,
    LineReading,
    Reduced,
    find_cards,
    read_lines,
)
from scorer.vision.models import Network
from scorer.vision.rows import BackRibbon, Corners, Edge

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

ON_EDGE = 0.16
"""Distance in card widths within which a corner belongs to the edge read on the line."""
SURE_CORNER = 0.5
"""Score from which a corner alone raises a doubt about the line's count."""
SHORT_EDGE = 0.85
"""An edge shorter than this share of the usual one is a card's short edge."""
SAME_SIZE = 1.4
"""Cards of one photo differ in size by perspective only."""
SUPPORTED = 0.3
"""Share of a ribbon's edges at which a corner must have been found."""
WIDEST_TOP = 50
"""Largest width of the top card in pixels of the line, where a card is 34 wide."""
ASPECT = 1.4
"""A card's height in its widths."""


def _edge_length(piece: BackRibbon) -> float:
    return float(np.median([np.hypot(*(e.end - e.start)) for e in piece.edges]))


def usual_length(pieces: Sequence[BackRibbon]) -> float | None:
    """Length of a card's long edge in this photo, from the ribbons of several cards; None where there are none."""
    lengths = [_edge_length(piece) for piece in pieces if len(piece.edges) > 1]
    return float(np.median(lengths)) if lengths else None


def upright(piece: BackRibbon, usual: float | None) -> BackRibbon | None:
    """A single card by its long edge, whichever edge its corners gave; None for what has not a card's size.

    People lay cards in a ribbon side by side, so the exposed edge is the long one.
    """
    if usual is None or len(piece.edges) > 1:
        return piece
    (edge,) = piece.edges
    length = float(np.hypot(*(edge.end - edge.start)))
    if length < SHORT_EDGE * usual:
        # The short edge: the long one to its left starts at the same corner.
        along = (edge.start - edge.end) / max(length, 1e-6)
        far = edge.end + piece.axis * usual
        piece = BackRibbon(
            (Edge(far, edge.end, edge.corners, edge.score),), along, usual / ASPECT, piece.counts
        )
        length *= ASPECT
    return piece if 1 / SAME_SIZE < length / usual < SAME_SIZE else None


def line_through(piece: BackRibbon) -> Line:
    """The line along a piece of a ribbon, its middle in the middle of the line."""
    middles = np.array([(e.start + e.end) / 2 for e in piece.edges])
    height = _edge_length(piece)
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


def _supporter(line: Line, corners: Corners, column: float, end: Floats) -> int | None:
    """The corner that stands at one end of the edge at a column."""
    tolerance = ON_EDGE * line.height / ASPECT
    away = np.hypot(*(corners.points - end).T)
    facing = corners.inward @ line.axis > 0.3
    close = np.flatnonzero((away < 1.6 * tolerance) & facing)
    columns = line.to_line(corners.points[close].reshape(-1, 2))[:, 0]
    near = [int(k) for k, c in zip(close, columns, strict=True) if abs(c - column) < tolerance * line.scale]
    return min(near, key=lambda k: float(away[k]), default=None)


def _edge(line: Line, corners: Corners, column: float, score: float) -> Edge:
    """The edge at a column of the line; where a corner was found at an end, that tells more exactly how the card lies."""
    ends = line.edge(column)
    found = [_supporter(line, corners, column, end) for end in ends]
    start, end = (point if k is None else corners.points[k] for k, point in zip(found, ends, strict=True))
    supporters = tuple(k for k in found if k is not None)
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
    faint = tuple(_edge(line, corners, column, score) for column, score in reading.faint)
    most = len(edges) + len(reading.possible) + _strays(line, reading, corners)
    return BackRibbon(edges, line.axis, line.height / ASPECT, (len(edges), most), faint)


def _is_ribbon(reading: LineReading, ribbon: BackRibbon) -> bool:
    """Whether what was read along a line is a ribbon of cards, and not a page or a pattern that looks like one."""
    supported = sum(bool(e.corners) for e in ribbon.edges)
    top = reading.end - reading.columns[-1]
    return supported >= SUPPORTED * len(ribbon.edges) and TOP_CARD <= top <= WIDEST_TOP


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
    usual = usual_length(pieces)
    pieces = [whole for piece in pieces if (whole := upright(piece, usual)) is not None]
    lines = [line_through(piece) for piece in pieces]
    smallest = min((line.height for line in lines), default=0.0)
    answers = read_lines(Reduced.of(picture, smallest), lines, network)
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
        ribbon = _ribbon(lines[k], reading, corners)
        if _is_ribbon(reading, ribbon):
            ribbons.append(ribbon)
    return ribbons
