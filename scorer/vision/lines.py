"""Ribbons of backs read along their axis, like a line of text: where each card's exposed edge lies, and where the ribbon ends.

Corners of dark or busy backs are easily missed, but across a whole card's height an edge is plain. One edge that the corners
gave is enough to find the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.vision.classifier import as_batch
from scorer.vision.models import Network

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

HEIGHT = 64
"""Height of a rectified line in pixels."""
CARD = 48
"""Height of the cards in it; the rest is margin for ribbons that bend."""
BATCH = 8
"""Lines that are read at once: many ribbons in a photo must not take more memory."""
LENGTH = 512
"""Columns of a rectified line: about fifteen card widths, more than any ribbon of fourteen cards."""
FINER = 2
"""Pixels of the rectified line per column: between two equal backs an edge is little more than a hair of shadow."""
EDGE, END, CARDS, FIRST = 0, 1, 2, 3
"""Channels of the network's answer: an exposed edge, the far edge of the top card, a column that shows cards, the exposed
edge of the lowest card."""
CLASSES = ("edge", "end", "cards", "first")
LEAST_EDGE = 0.5
POSSIBLE_EDGE = 0.15
"""Below LEAST_EDGE no card is counted, but from here on one may have been missed, which is said."""
FAINT_EDGE = 0.04
"""Below this there is no edge even where a card is known to be missing."""
LEAST_CARDS = 0.5
CROWDED = 0.5
"""Share of the usual distance below which the weaker of two neighbouring edges is doubted."""
TOP_CARD = 22
"""Least width of the top card in pixels of the line: it lies open, 34 pixels wide, or somewhat less seen from the side."""
NARROWEST = 4
"""Least distance between edges in pixels of the line: 0.12 of a card's width."""


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line along a ribbon in the photo."""

    start: Floats
    """(2,) photo pixels at column 0 of the rectified line."""
    axis: Floats
    """(2,) unit vector from the lowest card to the top one."""
    height: float
    """Length of the cards' exposed edges in photo pixels."""

    @property
    def across(self) -> Floats:
        """(2,) unit vector down the rectified line."""
        return np.array([-self.axis[1], self.axis[0]])

    @property
    def scale(self) -> float:
        """Line pixels per photo pixel."""
        return CARD / self.height

    def to_line(self, points: Floats) -> Floats:
        """Columns and rows (n, 2) of photo points (n, 2)."""
        away = (points - self.start) * self.scale
        return np.stack([away @ self.axis, away @ self.across + HEIGHT / 2], axis=1)

    def point(self, column: float, row: float) -> Floats:
        """(2,) photo pixels of a place on the rectified line."""
        along, across = column / self.scale, (row - HEIGHT / 2) / self.scale
        return np.asarray(self.start + self.axis * along + self.across * across)

    @property
    def reversed(self) -> Line:
        """The same line from its other end."""
        return Line(self.start + self.axis * LENGTH / self.scale, -self.axis, self.height)

    def shifted(self, aside: float) -> Line:
        """The same line further across, by a share of the cards' height."""
        return Line(self.start + self.across * aside * self.height, self.axis, self.height)


def cut_line(picture: Image, line: Line, interpolation: int = cv2.INTER_LINEAR) -> Image:
    """Rectify a line, (HEIGHT, LENGTH * FINER) and the picture's channels."""
    factor = int(np.clip(np.ceil(0.6 / line.scale), 1, 6))
    matrix = np.stack([line.axis * FINER, line.across]) * line.scale * factor
    shift = -matrix @ line.start + np.array([0, HEIGHT / 2 * factor])
    size = (LENGTH * FINER * factor, HEIGHT * factor)
    large = cv2.warpAffine(
        picture, np.column_stack([matrix, shift]), size, flags=interpolation, borderValue=(0, 0, 0)
    )
    if factor > 1:
        shrink = cv2.INTER_AREA if interpolation == cv2.INTER_LINEAR else cv2.INTER_NEAREST
        large = cv2.resize(large, (LENGTH * FINER, HEIGHT), interpolation=shrink)
    return np.asarray(large, np.uint8)


@dataclass(frozen=True, slots=True)
class LineReading:
    """The cards found along one line."""

    columns: tuple[float, ...]
    """Of the exposed edges, from the lowest card up."""
    scores: tuple[float, ...]
    end: float
    """Column of the top card's far edge."""
    faint: tuple[tuple[float, float], ...] = ()
    """Column and score of further edges that are too weak to count."""

    @property
    def possible(self) -> tuple[float, ...]:
        """Columns of those that may well be edges."""
        return tuple(column for column, score in self.faint if score >= POSSIBLE_EDGE)


@dataclass(frozen=True, slots=True)
class Reduced:
    """A photo made smaller once for all its lines: at least a pixel of it for every one of theirs is left."""

    picture: Image
    ratio: Floats
    """(2,) of its width and height to the photo's."""

    @classmethod
    def of(cls, picture: Image, height: float) -> Reduced:
        """Reduce a photo for lines across cards of a height in pixels."""
        rows, columns = picture.shape[:2]
        factor = int(0.7 * height / CARD / FINER)
        if factor < 2:
            return cls(picture, np.ones(2))
        size = (columns // factor, rows // factor)
        small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
        return cls(np.asarray(small, np.uint8), np.array(size) / (columns, rows))

    def line(self, line: Line) -> Line:
        """The same line in the smaller photo."""
        # Coordinates are of pixels' middles.
        start = (line.start + 0.5) * self.ratio - 0.5
        return Line(start, line.axis, line.height * float(self.ratio.mean()))


def read_lines(photo: Reduced, lines: list[Line], network: Network) -> list[NDArray[np.float32]]:
    """Probabilities (4, LENGTH) along each line, given in pixels of the whole photo.

    Each is read twice, as it is and mirrored across its axis, which changes nothing about where cards begin: of 454 lines of
    rendered rounds 91.6 % are then read without a fault, 89.0 % if read once.
    """
    answers: list[NDArray[np.float32]] = []
    for first in range(0, len(lines), BATCH):
        cut = np.stack([cut_line(photo.picture, photo.line(line)) for line in lines[first : first + BATCH]])
        logits = (network(as_batch(cut)) + network(as_batch(cut[:, ::-1]))) / 2
        answers += list(1 / (1 + np.exp(-logits)))
    return answers


def _run(cards: NDArray[np.float32], seed: int) -> tuple[int, int]:
    """The stretch of columns around a seed that shows cards; gaps narrower than an edge's shadow do not end it."""
    shown = cards > LEAST_CARDS
    first = last = seed
    while first > 0 and shown[max(0, first - NARROWEST) : first].any():
        first -= 1
    while last < len(shown) - 1 and shown[last + 1 : last + 1 + NARROWEST].any():
        last += 1
    return first, last


def peaks(edge: NDArray[np.float32], first: int, last: int, least: float = LEAST_EDGE) -> list[int]:
    """Columns of local maxima above a score, the higher of two that are too close."""
    inside = [c for c in range(max(1, first - 2), min(len(edge) - 1, last + 1)) if edge[c] >= least]
    found: list[int] = []
    for c in sorted(inside, key=lambda c: -edge[c]):
        if all(abs(c - p) >= NARROWEST for p in found):
            found.append(c)
    return sorted(found)


def find_cards(answer: NDArray[np.float32], seed: int) -> LineReading:
    """Read the ribbon that a seed column belongs to off the network's answer (4, LENGTH).

    A ribbon ends at the far edge of its top card, and begins at the first edge of its lowest, even where another one lies
    right beside it.
    """
    first, last = ends_around(answer, seed)
    every = peaks(answer[EDGE], first, max(first + 1, last - TOP_CARD), FAINT_EDGE)
    sure = _regular([c for c in every if answer[EDGE][c] >= LEAST_EDGE], answer[EDGE])
    faint = tuple((float(c), float(answer[EDGE][c])) for c in every if c not in sure)
    return LineReading(
        tuple(float(c) for c in sure), tuple(float(answer[EDGE][c]) for c in sure), float(last), faint
    )


def ends_around(answer: NDArray[np.float32], seed: int) -> tuple[int, int]:
    """The columns between which the seed's ribbon lies."""
    first, last = _run(answer[CARDS], seed)
    ends, firsts = (
        peaks(answer[channel], first, last + 2 if channel == END else last) for channel in (END, FIRST)
    )
    last = min([c for c in ends if c >= seed + 2] + [c - 1 for c in firsts if c > seed + NARROWEST] + [last])
    begins = [c for c in firsts if c <= seed + NARROWEST] + [c + 2 for c in ends if c < seed - 2] + [first]
    return max(begins), last


def _regular(columns: list[int], edge: NDArray[np.float32]) -> list[int]:
    """Without the weaker of two edges much closer than a ribbon's cards lie: a back's pattern has edges too."""
    gaps = np.diff(columns)
    if len(gaps) < 3:
        return columns
    crowded = CROWDED * float(np.median(gaps))
    kept = list(columns)
    for left, right in pairwise(columns):
        if right - left < crowded and left in kept and right in kept:
            kept.remove(min(left, right, key=lambda c: edge[c]))
    return kept
