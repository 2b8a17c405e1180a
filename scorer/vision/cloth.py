"""Chequered cloths: where four squares meet, the outlines of each run on beyond its corner. Those of a card end there."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.vision.rows import Corners

Floats = NDArray[np.float32]
Image = NDArray[np.uint8]

AWAY = (0.08, 0.14)
"""How far from a corner the colours around it are compared, in card widths; at both distances it must be a cross."""
PATCH = 0.35
"""Half of the side of the patch whose mean colour is taken, as a share of that distance."""
UNLIKE = 8.0
"""Distance of two colours (CIELAB) from which on an outline lies between them."""
ALIKE = 0.5
"""How much nearer to one another the two squares beside a square are, than either to the one beyond its corner."""
MANY = 10
"""Crosses that make a cloth. Of 136 rendered photos of backs that lie on none one had ten, no other more than eight; on four
chequered cloths it were 65 to 247, among them one in 55 corners of the cards on them."""


def without_cloth(picture: Image, corners: Corners) -> Corners:
    """The corners in a picture (h, w, 3) but those where the squares of a chequered cloth meet."""
    if len(corners.plain.points) < MANY:
        return corners
    crosses = is_cross(picture, corners)
    plain = crosses[: len(corners.plain.points)]
    return corners.picked(np.flatnonzero(~crosses)) if plain.sum() >= MANY else corners


def is_cross(picture: Image, corners: Corners) -> NDArray[np.bool_]:
    """(n,) whether both outlines run on beyond each corner, as those of a square in a chequered pattern do."""
    crosses = np.ones(len(corners.points), bool)
    for away in AWAY:
        left, beyond, right = (
            _colours(picture, corners, direction, away) for direction in _around(corners.inward)
        )
        outlines = np.minimum(_apart(left, beyond), _apart(right, beyond))
        crosses &= (outlines > UNLIKE) & (_apart(left, right) < ALIKE * outlines)
    return crosses


def _around(inward: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Directions (n, 2) to the neighbours of what begins at a corner: beside it, beyond the corner, and at its other side."""
    beside = np.stack([-inward[:, 1], inward[:, 0]], axis=1)
    return beside, -inward, -beside


def _colours(picture: Image, corners: Corners, direction: NDArray[np.float64], away: float) -> Floats:
    """(n, 3) CIELAB mean colours beside corners."""
    distances = away * corners.widths
    places = corners.points + direction * distances[:, None]
    means = [_mean(picture, x, y, PATCH * d) for (x, y), d in zip(places, distances, strict=True)]
    rgb = np.array(means, np.float32).reshape(1, -1, 3) / np.float32(255)
    return np.asarray(cv2.cvtColor(rgb, cv2.COLOR_RGB2LAB)[0], np.float32)


def _mean(picture: Image, x: float, y: float, half: float) -> Floats:
    """(3,) mean colour of a square patch; at the border of the picture, of what is nearest to it."""
    height, width = picture.shape[:2]
    left, right = np.clip([x - half, x + half], 0, width - 1).round().astype(int)
    top, bottom = np.clip([y - half, y + half], 0, height - 1).round().astype(int)
    return np.asarray(cv2.mean(picture[top : bottom + 1, left : right + 1])[:3], np.float32)


def _apart(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.linalg.norm(a - b, axis=1), np.float32)
