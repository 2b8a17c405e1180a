"""Grows the ribbons that corners only hint at: each is read along its line, and the two counts are set side by side."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from scorer.vision.edges import FACING, edges_along
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
MOST_ASIDE, TOGETHER = 0.35, 0.08
"""How far beside its ribbon's middle a line may have been read, and how well the corners must agree on it; in heights of a card."""
TANGLED = 0.05
"""Least distance between the edges of two cards, at either end, in card widths."""
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
        # The short edge: the long one to its left starts where it ends.
        along = (edge.start - edge.end) / max(length, 1e-6)
        far = edge.end + piece.axis * usual
        piece = BackRibbon(
            (Edge(edge.end, far, edge.corners, edge.score),), along, usual / ASPECT, piece.counts
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


def _doubted_where_tangled(edges: tuple[Edge, ...], axis: Floats, width: float) -> tuple[Edge, ...]:
    """Edges that cross, or come closer than cards lie, are no edges of two cards: neither is sure."""
    tangled = set()
    for n, (low, high) in enumerate(pairwise(edges)):
        steps = [float((high.start - low.start) @ axis), float((high.end - low.end) @ axis)]
        if min(steps) < TANGLED * width:
            tangled |= {n, n + 1}
    return tuple(e.doubted if n in tangled else e for n, e in enumerate(edges))


def _strays(line: Line, reading: LineReading, corners: Corners) -> int:
    """Corners along the ribbon's sides that stand at no edge of the line: cards that the line may have missed."""
    places = line.to_line(corners.points)
    beside = np.abs(np.abs(places[:, 1] - HEIGHT / 2) - CARD / 2) < 0.15 * CARD
    beside &= (places[:, 0] > reading.columns[0] - NARROWEST) & (places[:, 0] < reading.end - NARROWEST)
    beside &= (corners.scores > SURE_CORNER) & (corners.inward @ line.axis > 0.3)
    edges = np.array([*reading.columns, *reading.possible])
    tolerance = 1.5 * ON_EDGE / ASPECT * CARD
    return sum(bool(np.abs(edges - column).min() > tolerance) for column in places[beside, 0])


def _apart_from(edges: Sequence[Edge], faint: Sequence[Edge], axis: Floats, width: float) -> tuple[Edge, ...]:
    """Faint edges that are not one of the edges once more: they rest on no corner of theirs, and lie apart from all of them."""
    used = {k for edge in edges for k in edge.corners}
    places = np.array([(e.start + e.end) @ axis / 2 for e in edges])
    return tuple(
        e
        for e in faint
        if not used & set(e.corners) and np.abs(places - (e.start + e.end) @ axis / 2).min() > TANGLED * width
    )


def _centred(line: Line, corners: Corners, columns: Sequence[float]) -> Line:
    """The line in the middle between the ribbon's sides, as the corners tell that stand at its edges.

    The edges show along a line wherever it crosses the cards; only corners tell where the cards end on either side.
    """
    places = line.to_line(corners.points)
    side = np.sign(corners.inward @ line.across)
    aside = places[:, 1] - (HEIGHT / 2 - side * CARD / 2)
    nearest = np.abs(places[:, :1] - np.asarray(columns)).min(axis=1)
    at_edge = (nearest < ON_EDGE / ASPECT * CARD) & (corners.inward @ line.axis > FACING)
    found = aside[at_edge & (np.abs(aside) < MOST_ASIDE * CARD)]
    if len(found) < 2:
        return line
    middle = float(np.median(found))
    agree = np.abs(found - middle) < TOGETHER * CARD
    return line.shifted(middle / CARD) if agree.sum() >= 2 and agree.mean() > 0.5 else line


def ribbon_along(line: Line, reading: LineReading, corners: Corners) -> BackRibbon:
    """The ribbon that was read along a line, its edges as exact as the corners found at them allow."""
    line = _centred(line, corners.plain, reading.columns)
    width = line.height / ASPECT
    sure, alignment = edges_along(line, corners, list(zip(reading.columns, reading.scores, strict=True)))
    edges = _doubted_where_tangled(sure, line.axis, width)
    faint = _apart_from(edges, edges_along(line, corners, reading.faint, alignment)[0], line.axis, width)
    most = len(edges) + len(reading.possible) + _strays(line, reading, corners)
    return BackRibbon(edges, line.axis, width, (len(edges), most), faint)


def realigned(line: Line, ribbon: BackRibbon) -> Line:
    """The line through the edges of which both corners were found."""
    whole = [edge for edge in ribbon.edges if len(edge.corners) == 2]
    if not whole:
        return line
    middles = np.array([(e.start + e.end) / 2 for e in whole])
    height = float(np.median([np.hypot(*(e.end - e.start)) for e in whole]))
    axis = line.axis
    if len(whole) > 2:
        way = middles[-1] - middles[0]
        axis = way / max(float(np.hypot(*way)), 1e-6)
    return Line(middles.mean(axis=0) - axis * LENGTH / 2 * height / CARD, axis, height)


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
    photo = Reduced.of(picture, smallest)
    answers = read_lines(photo, lines, network)
    order = sorted(range(len(pieces)), key=lambda k: -sum(len(e.corners) for e in pieces[k].edges))
    done: set[int] = set()
    ribbons: list[BackRibbon] = []
    grown_ones: list[tuple[Line, BackRibbon]] = []
    for k in order:
        if k in done:
            continue
        seed = int(np.clip(round(float(np.median(_columns(lines[k], pieces[k])[:, 0]))), 0, LENGTH - 1))
        reading = find_cards(answers[k], seed)
        if not reading.columns:
            ribbons.append(pieces[k])
            continue
        done |= {m for m in order if m != k and _belongs(lines[k], reading, pieces[m])}
        ribbon = ribbon_along(lines[k], reading, corners)
        if _is_ribbon(reading, ribbon):
            grown_ones.append((lines[k], ribbon))
    return ribbons + _read_again(photo, grown_ones, corners, network)


def _read_again(
    photo: Reduced, ribbons: Sequence[tuple[Line, BackRibbon]], corners: Corners, network: Network
) -> list[BackRibbon]:
    """Read every ribbon once more along the line that its own edges give."""
    lines = [realigned(line, ribbon) for line, ribbon in ribbons]
    better = []
    for line, answer, (_, ribbon) in zip(lines, read_lines(photo, lines, network), ribbons, strict=True):
        middle = line.to_line(np.array([(e.start + e.end) / 2 for e in ribbon.edges]).mean(axis=0)[None])
        reading = find_cards(answer, int(np.clip(round(float(middle[0, 0])), 0, LENGTH - 1)))
        again = ribbon_along(line, reading, corners) if reading.columns else ribbon
        better.append(again if reading.columns and _is_ribbon(reading, again) else ribbon)
    return better
