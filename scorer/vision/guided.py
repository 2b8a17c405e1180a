"""Ribbons of backs that were overlooked, looked for where the photo of the faces says that they lie.

Piles are turned over in place: where enough of them were found on both photos, the camera's movement between the two is known,
and with it where every other pile must be, and how many cards it has. Which way it was turned is not known, so all
directions are tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from scorer.vision.growing import ASPECT, ribbon_along
from scorer.vision.lines import CARD, LENGTH, Line, Reduced, read_lines
from scorer.vision.models import Network
from scorer.vision.rows import BackRibbon, Corners
from scorer.vision.turned import Explained, Fan, Scale, explained

Floats = NDArray[np.float64]

TOGETHER = 0.6
"""Distance in card widths from where the camera's movement puts a pile within which it is found."""
ENOUGH, FEW = 4, 3
"""Piles that must have been found on both photos for the camera's movement to be known; at least, if it was a simple one."""
MOST_ASLANT = 1.5
"""Largest ratio of the stretch in one direction to that in the other between two photos of a table."""
NEARER = 2.5
"""Largest ratio of the sizes of a card in them."""
EVERY_WAY = np.arange(72) * np.pi / 36
"""Directions a ribbon may have if nothing is known of it, radians."""
ABOUT = np.arange(-4, 5) * np.pi / 36
"""Directions that are tried around an expected one."""
ALIKE = 0.35
"""Angle, radians, within which piles count as turned over the same way."""
MOST_ALIKE = 0.6
"""Share of the piles that must have been turned over the same way for the others to be expected so."""
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
MOST_MISSING = 0.25
"""Share of a pile's edges of which nothing need be seen where all others show as its faces tell."""
WRONG = 0.3
"""What an edge that is missing, or one too many, takes off that score when lines are compared."""
MOST_ASTRAY = 20.0
"""How far from where a pile is expected its middle may lie, columns."""


def movement(source: Floats, target: Floats, tolerance: float) -> Floats | None:
    """The affine map (2, 3) that brings most points of one photo to their partners; None where too few agree.

    Random sample consensus (Fischler and Bolles 1981) over all triples, then least squares over those that agree. Where
    fewer than four agree, three do that a turn, a shift and a change of size bring together.

    Args:
        source: (n, 2) pixels.
        target: (n, 2) pixels, partners in the same order, some of them wrong.
        tolerance: in pixels of the target.
    """
    for model, least in ((_affine, ENOUGH), (_similarity, FEW)):
        points = least - 1
        best = np.zeros(len(source), bool)
        for some in combinations(range(len(source)), points):
            solved = model(source[list(some)], target[list(some)])
            agree = _apart(solved, source, target) < tolerance
            if agree.sum() > best.sum() and _is_camera(solved):
                best = agree
        if best.sum() >= least:
            return model(source[best], target[best])
    return None


def _is_camera(matrix: Floats) -> bool:
    """Whether a hand-held camera moves so between two photos: no mirror, a little nearer or farther, a little more aslant."""
    large, small = np.linalg.svd(matrix[:, :2], compute_uv=False)
    return bool(
        np.linalg.det(matrix[:, :2]) > 0 and large < MOST_ASLANT * small and 1 / NEARER < large < NEARER
    )


def _affine(source: Floats, target: Floats) -> Floats:
    solved, *_ = np.linalg.lstsq(np.column_stack([source, np.ones(len(source))]), target, rcond=None)
    return np.asarray(solved.T)


def _similarity(source: Floats, target: Floats) -> Floats:
    """The turn, shift and change of size (2, 3) that is nearest to moving points to their partners, by least squares."""
    z, w = (points @ np.array([1, 1j]) for points in (source, target))
    turn = ((z - z.mean()).conj() @ (w - w.mean())) / max(float((abs(z - z.mean()) ** 2).sum()), 1e-9)
    shift = w.mean() - turn * z.mean()
    return np.array([[turn.real, -turn.imag, shift.real], [turn.imag, turn.real, shift.imag]])


def moved(matrix: Floats, points: Floats) -> Floats:
    """Points (n, 2) under an affine map (2, 3)."""
    return np.asarray(points @ matrix[:, :2].T + matrix[:, 2])


def _apart(matrix: Floats, source: Floats, target: Floats) -> Floats:
    return np.asarray(np.linalg.norm(moved(matrix, source) - target, axis=1))


@dataclass(frozen=True, slots=True)
class _Try:
    line: Line
    shown: Explained

    @property
    def way(self) -> float:
        """Direction of the line, radians."""
        return float(np.arctan2(self.line.axis[1], self.line.axis[0]))


def expected_ways(faces: Sequence[float], backs: Sequence[float], face: float) -> Floats:
    """Directions in which to look for a ribbon, radians, from how the other piles were turned over.

    Args:
        faces: directions of other ribbons of faces, from the lowest card up, as seen in the photo of the backs.
        backs: directions of the same ribbons of backs.
        face: direction of the ribbon of faces whose backs are looked for.
    """
    a, b = np.asarray(faces, float), np.asarray(backs, float)
    # Mirrored, as a page is turned, or moved as they lay.
    turns = {sign: _common_turn(b - sign * a) for sign in (-1, 1)}
    sign = max(turns, key=lambda s: abs(turns[s]))
    agree = abs(turns[sign])
    if agree < ENOUGH - 1 - 0.5 or agree < MOST_ALIKE * len(a):
        return EVERY_WAY
    return np.asarray(np.angle(turns[sign]) + sign * face + ABOUT)


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
    if not is_believed(best.shown, sought.count) and not is_likely(best.shown):
        return None
    return as_told(best.line, best.shown, sought.count, corners)


def is_believed(shown: Explained, count: int) -> bool:
    """Whether a line shows a pile as its faces tell, or with the cards among them that they are known to lack."""
    return shown.plain > PLAIN and not shown.missing and (not shown.extra or len(shown.columns) == count)


def is_likely(shown: Explained) -> bool:
    """Whether a line shows most of the edges of a pile where its faces tell, both outer ones among them, and no others."""
    few = shown.missing <= MOST_MISSING * len(shown.columns)
    return shown.plain > PLAIN and few and shown.spans and not shown.extra


def as_told(line: Line, shown: Explained, count: int, corners: Corners) -> BackRibbon:
    """The ribbon of a pile of so many cards as a line shows it where that is believed."""
    ribbon = ribbon_along(line, shown.reading, corners)
    if count == 1:
        ribbon = _facing_inward(ribbon, corners)
    found = len(ribbon.edges)
    plainly = found == count and not shown.missing and shown.plain > PLAINLY
    return replace(ribbon, counts=(found, found), confirmed=plainly)


def _facing_inward(single: BackRibbon, corners: Corners) -> BackRibbon:
    """A card alone, on the side of its edge to which the corners found there point: either side looks like an edge's."""
    (edge,) = single.edges
    ends = np.array([edge.start, edge.end])
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
    answers = read_lines(photo, list(lines), network)
    around = (LENGTH / 2 - MOST_ASTRAY, LENGTH / 2 + MOST_ASTRAY)
    tries = [
        _Try(line, shown)
        for line, answer in zip(lines, answers, strict=True)
        if (shown := explained(answer, sought.fan, sought.scale, around)) is not None
    ]
    return max(tries, key=lambda t: t.shown.plain - WRONG * (t.shown.missing + t.shown.extra), default=None)


def overlap(ribbon: BackRibbon, other: BackRibbon) -> bool:
    """Whether two ribbons claim the same cards: the middle of either's edge lies well within the other."""
    return _covers(ribbon, other) or _covers(other, ribbon)


def _covers(ribbon: BackRibbon, other: BackRibbon) -> bool:
    middles = np.array([(e.start + e.end) / 2 for e in other.edges]) + other.axis * 0.1 * other.width
    start = (ribbon.edges[0].start + ribbon.edges[0].end) / 2
    length = float(((ribbon.edges[-1].start + ribbon.edges[-1].end) / 2 - start) @ ribbon.axis) + ribbon.width
    along = (middles - start) @ ribbon.axis
    aside = np.abs((middles - start) @ np.array([-ribbon.axis[1], ribbon.axis[0]]))
    return bool(((along > 0) & (along < length) & (aside < 0.4 * ASPECT * ribbon.width)).any())
