"""Ribbons of backs that were overlooked, looked for where the photo of the faces says that they lie.

Piles are turned over in place: where enough of them were found on both photos, the camera's movement between the two is known,
and with it where every other pile must be, and how many cards it has. Which way it was turned is not known, so all
directions are tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from scorer.vision.growing import ASPECT, ribbon_along
from scorer.vision.lines import CARD, HEIGHT, LENGTH, Line, Reduced, read_lines
from scorer.vision.models import Network
from scorer.vision.movement import ENOUGH
from scorer.vision.rows import BackRibbon, Corners
from scorer.vision.turned import Answer, Explained, Fan, Scale, explained

Floats = NDArray[np.float64]

EVERY_WAY = np.arange(72) * np.pi / 36
"""Directions a ribbon may have if nothing is known of it, radians."""
ABOUT = np.arange(-4, 5) * np.pi / 36
"""Directions that are tried around an expected one."""
ALIKE = 0.35
"""Angle, radians, within which piles count as turned over the same way."""
MOST_ALIKE = 0.6
"""Share of the piles that must have been turned over the same way for the others to be expected so."""
AS_WELL = 0.97
"""Share of that number from which on the piles may as well have been turned over the other way."""
OTHERWISE = 0.8
"""Angle, radians, from which on a ribbon is not believed to run as it was read."""
ASIDE = (-0.16, -0.08, 0.0, 0.08, 0.16)
"""How far beside the expected place lines are tried, in heights of a card."""
CLOSER = np.array([-5, -2.5, 0, 2.5, 5]) * np.pi / 180
"""Directions that are tried around the best one, radians."""
AT_CORNER = 0.2
"""Distance in card widths from an edge's end within which a corner tells on which side of it the card lies."""
PLAIN, PLAINLY = 0.6, 0.7
"""Least mean score of the edges, with the ribbon's two ends, for a pile to be believed, and for its count to be confirmed."""
PLAIN_IN_PLACE = 0.38
"""The same for it to be believed where its place and its direction are known: each of its edges that does not show is looked at.
Two cards alone of 160 rendered rounds were lost for it that had 0.42 and 0.45."""
MOST_MISSING = 0.25
"""Share of a pile's edges of which nothing need be seen where all others show as its faces tell, but one of any pile."""
ASIDE_ASTRAY, TURN_ASTRAY = 0.1, 0.15
"""How far beside its expected place, in heights of a card, and how far from its expected direction, radians, a line lies that
is rather not believed."""
ASTRAY = 0.05
"""What that takes off the mean score of the edges when lines are compared."""
MOST_BESIDE = 4.0
"""Columns from where its face tells within which an edge is believed to be that card's, once its corners are counted in. Of 2107
cards of rendered rounds 99 % lie within 2 of where their faces tell."""
WRONG = 0.3
"""What an edge that is missing, or one too many, takes off that score when lines are compared."""
BESIDE = 3
"""Columns next to another pile that may be its, for outlines are known no better."""
MOST_ASTRAY = 20.0
"""How far from where a pile is expected its middle may lie, columns."""


@dataclass(frozen=True, slots=True)
class _Try:
    line: Line
    shown: Explained

    @property
    def way(self) -> float:
        """Direction of the line, radians."""
        return float(np.arctan2(self.line.axis[1], self.line.axis[0]))

    def worth(self, sought: Sought) -> float:
        """How plainly the line shows what is sought, less the more it shows that is wrong, and the farther it lies astray.

        Where a card's few edges show on many lines, the one counts that runs as the others let expect.
        """
        shown = self.shown.plain - WRONG * (self.shown.missing + self.shown.extra)
        row = float(self.line.to_line(sought.middle[None])[0, 1])
        astray = ((row - HEIGHT / 2) / CARD / ASIDE_ASTRAY) ** 2
        if sought.is_told:
            expected = np.exp(1j * sought.ways.reshape(-1, len(ABOUT))[:, len(ABOUT) // 2])
            turns = np.angle(np.exp(1j * self.way) / expected)
            # Of a card alone either long edge may be the first.
            turns = np.concatenate([turns, turns - np.pi, turns + np.pi]) if sought.count == 1 else turns
            astray += (float(np.abs(turns).min()) / TURN_ASTRAY) ** 2
        return shown - ASTRAY * astray


def expected_ways(faces: Sequence[float], backs: Sequence[float], face: float) -> Floats:
    """Directions in which to look for a ribbon, radians, from how the other piles were turned over.

    Args:
        faces: directions of other ribbons of faces, from the lowest card up, as seen in the photo of the backs.
        backs: directions of the same ribbons of backs.
        face: direction of the ribbon of faces whose backs are looked for.
    """
    a, b = np.asarray(faces, float), np.asarray(backs, float)
    # Mirrored, as a page is turned, or moved as they lay: where all lie along one line, these are much the same.
    turns = {sign: _common_turn(b - sign * a) for sign in (-1, 1)}
    most = max(map(abs, turns.values()))
    if most < ENOUGH - 1 - 0.5 or most < MOST_ALIKE * len(a):
        return EVERY_WAY
    as_well = [sign for sign, turn in turns.items() if abs(turn) > AS_WELL * most]
    return np.concatenate([np.angle(turns[sign]) + sign * face + ABOUT for sign in as_well])


def _common_turn(turns: Floats) -> complex:
    """The sum of unit vectors of those angles that agree with one another; its length is about how many they are."""
    vectors = np.exp(1j * turns)
    alike = np.abs(np.angle(vectors[:, None] / vectors[None])) < ALIKE
    return max((complex(vectors[row].sum()) for row in alike), key=abs, default=0j)


def points_otherwise(ways: Floats, axis: Floats) -> bool:
    """Whether a ribbon runs quite another way than the ribbons around it make one expect."""
    own = np.arctan2(axis[1], axis[0])
    return bool(np.abs(np.angle(np.exp(1j * (ways - own)))).min() > OTHERWISE)


@dataclass(frozen=True, slots=True)
class Sought:
    """A ribbon that must lie somewhere in a photo."""

    middle: Floats
    """(2,) where its middle must be, pixels of the whole photo."""
    height: float
    """Length of a card's long edge in pixels of the whole photo."""
    fan: Fan
    """As its faces lie."""
    count: int
    """Its cards, those among them whose faces were overlooked."""
    scale: Scale
    """Of gaps in that photo."""
    ways: Floats = field(default_factory=lambda: EVERY_WAY)
    """Directions to try, radians."""
    others: tuple[Floats, ...] = ()
    """Outlines (4, 2) of the other piles, pixels of the whole photo."""

    @property
    def is_told(self) -> bool:
        """Whether its direction is expected to be one of few."""
        return len(self.ways) < len(EVERY_WAY)


def find_ribbon(photo: Reduced, sought: Sought, corners: Corners, network: Network) -> BackRibbon | None:
    """The ribbon of just the cards that its faces tell around a place; None where there is none to be seen.

    Args:
        photo: made ready for lines.
        sought: what is looked for.
        corners: of backs, found in the photo.
        network: reads lines.
    """
    # Of a card alone either long edge may be taken for the one it would show in a ribbon.
    ways = np.concatenate([sought.ways, sought.ways + np.pi]) if sought.count == 1 else sought.ways
    middle, height = sought.middle, sought.height
    coarse = _plainest(photo, [_line(middle, height, way) for way in ways], sought, network)
    if coarse is None:
        return None
    # Of lines that show the ribbon equally well the first counts: the one nearest to what was expected.
    around = sorted(product(CLOSER, ASIDE), key=lambda t: abs(t[0]) + abs(t[1]))
    lines = [_line(middle, height, coarse.way + turn).shifted(aside) for turn, aside in around]
    best = _plainest(photo, lines, sought, network)
    if best is None or len(best.shown.columns) != sought.count:
        return None
    if not is_believed(
        best.shown, sought.count, PLAIN_IN_PLACE if sought.is_told else PLAIN
    ) and not is_likely(best.shown):
        return None
    return as_told(best.line, best.shown, sought.count, corners, middle)


def is_believed(shown: Explained, count: int, plain: float = PLAIN) -> bool:
    """Whether a line shows a pile as its faces tell, or with the cards among them that they are known to lack."""
    return shown.plain > plain and not shown.missing and (not shown.extra or len(shown.columns) == count)


def is_likely(shown: Explained) -> bool:
    """Whether a line shows most of the edges of a pile where its faces tell, both outer ones among them, and no others."""
    few = shown.missing <= max(1, MOST_MISSING * len(shown.columns))
    return shown.plain > PLAIN and few and shown.spans and not shown.extra


def _doubted_where_astray(line: Line, ribbon: BackRibbon, due: Sequence[float | None]) -> BackRibbon:
    """The ribbon with no edge sure that lies quite elsewhere than its face tells: its strip may show another card."""
    places = line.to_line(np.array([(edge.start + edge.end) / 2 for edge in ribbon.edges]))[:, 0]
    edges = [
        edge.doubted if column is not None and abs(place - column) > MOST_BESIDE else edge
        for edge, place, column in zip(ribbon.edges, places, due, strict=True)
    ]
    return replace(ribbon, edges=tuple(edges))


def as_told(
    line: Line, shown: Explained, count: int, corners: Corners, middle: Floats | None = None
) -> BackRibbon:
    """The ribbon of a pile of so many cards as a line shows it where that is believed.

    Args:
        line: along the ribbon.
        shown: what it shows.
        count: cards that the faces tell.
        corners: of backs, found in the photo.
        middle: (2,) where that of the pile must be, pixels; None where that is not known.
    """
    ribbon = _doubted_where_astray(line, ribbon_along(line, shown.reading, corners), shown.due)
    if count == 1:
        ribbon = _facing_inward(ribbon, corners.plain, middle)
    found = len(ribbon.edges)
    confirmed = is_likely(shown) or (shown.plain > PLAINLY and not shown.missing)
    return replace(ribbon, counts=(found, found), confirmed=confirmed and found == count)


def _facing_inward(single: BackRibbon, corners: Corners, middle: Floats | None) -> BackRibbon:
    """A card alone, on the side of its edge to which the corners found there point: either side looks like an edge's.

    But not on the side that is farther from where its middle must be.
    """
    (edge,) = single.edges
    ends = np.array([edge.start, edge.end])
    if middle is not None and (middle - ends.mean(axis=0)) @ single.axis > 0:
        return single
    away = np.linalg.norm(corners.points[:, None] - ends[None], axis=2).min(axis=1)
    ways = corners.inward[away < AT_CORNER * single.width] @ single.axis
    if not len(ways) or ways.sum() >= 0:
        return single
    return replace(single, edges=(replace(edge, start=edge.end, end=edge.start),), axis=-single.axis)


def _line(middle: Floats, height: float, way: float) -> Line:
    axis = np.array([np.cos(way), np.sin(way)])
    return Line(middle - axis * LENGTH / 2 * height / CARD, axis, height)


def _plainest(photo: Reduced, lines: Sequence[Line], sought: Sought, network: Network) -> _Try | None:
    """The line that shows most plainly what is sought: the better it is aligned, the plainer are the edges and the two ends."""
    answers = [
        without_others(answer, line, sought.middle, sought.others)
        for line, answer in zip(lines, read_lines(photo, list(lines), network), strict=True)
    ]
    around = (LENGTH / 2 - MOST_ASTRAY, LENGTH / 2 + MOST_ASTRAY)
    tries = [
        _Try(line, shown)
        for line, answer in zip(lines, answers, strict=True)
        if (shown := explained(answer, sought.fan, sought.scale, around, LENGTH / 2)) is not None
    ]
    return max(tries, key=lambda t: t.worth(sought), default=None)


def without_others(answer: Answer, line: Line, middle: Floats, others: Sequence[Floats]) -> Answer:
    """What the network reads on a line, but for where other piles lie on it.

    Args:
        answer: (4, LENGTH) probabilities.
        line: where it was read.
        middle: (2,) of the pile that is meant, pixels.
        others: outlines (4, 2) of the others.
    """
    own = float(line.to_line(middle[None])[0, 0])
    low, high = 0, LENGTH
    for outline in others:
        columns, rows = line.to_line(outline).T
        if rows.min() > HEIGHT / 2 or rows.max() < HEIGHT / 2:
            continue
        if columns.min() > own:
            high = min(high, int(columns.min()) - BESIDE)
        elif columns.max() < own:
            low = max(low, int(columns.max()) + BESIDE)
    kept = np.zeros_like(answer)
    kept[:, max(0, low) : max(0, high)] = answer[:, max(0, low) : max(0, high)]
    return kept


def overlap(ribbon: BackRibbon, other: BackRibbon) -> bool:
    """Whether two ribbons claim the same cards: the middle of either's edge lies well within the other."""
    return _covers(ribbon, other) or _covers(other, ribbon)


def _covers(ribbon: BackRibbon, other: BackRibbon) -> bool:
    middles = np.array([(e.start + e.end) / 2 for e in other.edges]) + other.axis * 0.1 * other.width
    return lies_on(middles, ribbon)


def lies_on(points: Floats, ribbon: BackRibbon) -> bool:
    """Whether some of the points (n, 2) lie well within a ribbon."""
    start = (ribbon.edges[0].start + ribbon.edges[0].end) / 2
    length = float(((ribbon.edges[-1].start + ribbon.edges[-1].end) / 2 - start) @ ribbon.axis) + ribbon.width
    along = (points - start) @ ribbon.axis
    aside = np.abs((points - start) @ np.array([-ribbon.axis[1], ribbon.axis[0]]))
    return bool(((along > 0) & (along < length) & (aside < 0.4 * ASPECT * ribbon.width)).any())
