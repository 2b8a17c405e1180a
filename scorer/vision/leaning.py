"""How the edges lean of which not both corners were found: as the picture shows it.

Along a card's edge one print ends and another begins, or at least a hair of shadow runs: of all lines through its middle, what lies
to the left and right differs most, on the whole, along the one that follows it.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.vision.lines import CARD
from scorer.vision.rows import BackRibbon, Edge

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]

ROWS = np.linspace(-0.4, 0.4, 40)
"""Places along an edge that are looked at, in its lengths from its middle: at its ends the card is rounded."""
STEP, REACH = 0.5, 14.0
"""How closely and how far around the edge the picture is looked at, in columns: 48 are the length of an edge."""
BESIDE = 4
"""Steps from the line at which lies what is compared on its left and right, over three of them."""
LEANS = np.linspace(-0.45, 0.45, 61)
"""Leans that are tried, in columns per column along the edge."""
UNUSUAL = 0.2
"""What a lean of a tenth against the ribbon's others counts against what the picture shows, and one twice as large four times.

Of 337 edges without two corners, of 16 rendered rounds half of which lay askew, 11 % had an end more than 4 columns off before they
were straightened, and 6 % after.
"""
NOISE = 5.0
"""Least standard deviation of colours along a line, of 255."""
HINGES = {(False, False): 0.0, (True, False): -0.5, (False, True): 0.5}
"""Where an edge is held while it is turned, in its lengths from its middle, by whether its start and its end stand at a corner."""


def straightened(picture: Image, ribbon: BackRibbon) -> BackRibbon:
    """The ribbon with every edge that stands on fewer than two corners where a picture (h, w, 3) shows it."""
    edges = (edge if all(edge.stands) else _as_shown(picture, edge) for edge in ribbon.edges)
    return replace(ribbon, edges=tuple(edges))


def _as_shown(picture: Image, edge: Edge) -> Edge:
    hinge = HINGES[edge.stands]
    contrast = _contrast(_around(picture, edge), hinge)
    lean = LEANS[int(np.argmax(contrast - UNUSUAL * (LEANS / 0.1) ** 2))]
    along = edge.end - edge.start
    ahead = lean * np.array([-along[1], along[0]])
    return replace(edge, start=edge.start - (0.5 + hinge) * ahead, end=edge.end + (0.5 - hinge) * ahead)


def _around(picture: Image, edge: Edge) -> NDArray[np.float32]:
    """(rows, steps, 3) the picture around an edge, which runs down the middle."""
    along = edge.end - edge.start
    column = np.array([-along[1], along[0]]) / CARD
    steps = np.arange(-REACH, REACH + STEP / 2, STEP)
    places = (edge.start + edge.end) / 2 + ROWS[:, None, None] * along + steps[None, :, None] * column
    x, y = (np.ascontiguousarray(places[..., n], np.float32) for n in (0, 1))
    return np.asarray(cv2.remap(picture, x, y, cv2.INTER_LINEAR), np.float32)


def _contrast(around: NDArray[np.float32], hinge: float) -> Floats:
    """(leans,) how much what lies left and right of each line through the hinge differs, and the line itself from both."""
    rows = np.arange(len(ROWS))
    # The step at which each line crosses each row, and whether both sides of it lie in what is looked at.
    crossed = np.round((LEANS[:, None] * (ROWS - hinge) * CARD + REACH) / STEP).astype(np.int64)
    within = ((crossed > BESIDE) & (crossed < 2 * REACH / STEP - BESIDE)).astype(np.float32)
    smooth = cv2.blur(around, (3, 1))
    last = around.shape[1] - 1
    left, line, right = (smooth[rows, np.clip(crossed + d, 0, last)] for d in (-BESIDE, 0, BESIDE))
    weights = (within / np.maximum(within.sum(axis=1, keepdims=True), 1))[..., None]
    return _clearly(right - left, weights) + _clearly(line - (left + right) / 2, weights)


def _clearly(apart: NDArray[np.float32], weights: NDArray[np.float32]) -> Floats:
    """(leans,) mean difference along each line of differences (leans, rows, 3), against how much they vary."""
    mean = (apart * weights).sum(axis=1, keepdims=True)
    spread = np.sqrt(((apart - mean) ** 2 * weights).sum(axis=(1, 2)))
    return np.asarray(np.linalg.norm(mean[:, 0], axis=1) / (spread + NOISE), np.float64)
