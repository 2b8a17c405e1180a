"""Backs: ribbons of face-down cards found from their corners, counted, and told apart by a strip along each card's exposed edge."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Image = NDArray[np.uint8]

STRIP = (96, 24)
"""Height (along the exposed edge) and width (inwards) of a strip in pixels."""
STRIP_DEPTH = 0.13
"""How far a strip reaches inwards, as a fraction of the exposed edge: 0.18 of a card's width, all that a tight ribbon shows."""


def cut_strip(picture: Image, start: Floats, end: Floats) -> Image:
    """The strip of card to the right of the edge start -> end (x right, y down), (96, 24, 3), edge at the left.

    Args:
        picture: (h, w, 3) uint8.
        start: (2,) pixels; lower end of the strip.
        end: (2,) pixels; upper end.
    """
    along = (end - start).astype(np.float64)
    # The card lies to the right when walking from start to end with y down.
    inward = np.array([-along[1], along[0]]) * STRIP_DEPTH
    height, width = STRIP
    source = np.array([end, end + inward, start], np.float32)
    length = float(np.hypot(*along))
    factor = int(np.clip(np.ceil(length / height / 1.2), 1, 8))
    target = np.array([[0, 0], [width * factor, 0], [0, height * factor]], np.float32)
    matrix = cv2.getAffineTransform(source, target)
    large = cv2.warpAffine(picture, matrix, (width * factor, height * factor), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    if factor > 1:
        large = cv2.resize(large, (width, height), interpolation=cv2.INTER_AREA)
    return large.astype(np.uint8, copy=False)
