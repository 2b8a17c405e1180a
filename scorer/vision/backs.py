"""Backs: ribbons of face-down cards found from their corners, counted, and told apart by a strip along each card's exposed edge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.reading import Quad
from scorer.vision.classifier import as_batch
from scorer.vision.detector import BACK, Detections, pick
from scorer.vision.growing import grown
from scorer.vision.models import Network
from scorer.vision.rows import NO_CORNERS, BackRibbon, Corners, back_ribbons, corners_of

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
    large = cv2.warpAffine(
        picture,
        matrix,
        (width * factor, height * factor),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    if factor > 1:
        large = cv2.resize(large, (width, height), interpolation=cv2.INTER_AREA)
    return np.asarray(large, np.uint8)


EMBEDDING = 48
CLASSES = ("embedding",)


@dataclass(frozen=True, slots=True)
class BackPhoto:
    """The face-down ribbons of one photo."""

    ribbons: tuple[BackRibbon, ...]
    embeddings: tuple[Floats, ...]
    """Per ribbon (cards, EMBEDDING), unit length, from the lowest card up."""
    corners: Corners = NO_CORNERS
    """All corners of backs found in the photo."""


def read_backs(
    picture: Image, found: Detections, strips: Network, lines: Network, face_up: Sequence[Quad] = ()
) -> BackPhoto:
    """Find and describe the ribbons of backs in a photo.

    Args:
        picture: (h, w, 3) uint8 RGB.
        found: what the detector found in it.
        strips: network that embeds the strip at a card's edge.
        lines: network that reads a ribbon along its axis.
        face_up: outlines of cards that lie face up; corners on them are not backs'.
    """
    backs = pick(found, (found.classes == BACK) & ~_on_cards(found.points[:, 0], face_up))
    corners = corners_of(backs)
    ribbons = tuple(grown(picture, back_ribbons(corners), corners, lines))
    return BackPhoto(ribbons, tuple(embed_edges(picture, ribbon, strips) for ribbon in ribbons), corners)


def _on_cards(points: Floats, cards: Sequence[Quad]) -> NDArray[np.bool_]:
    """Which points lie on a card or within a tenth of its size of it: a court's blank corner looks like a back's."""
    covered = np.zeros(len(points), bool)
    for quad in cards:
        corners = np.array(quad, np.float32)
        middle = corners.mean(axis=0)
        outline = middle + 1.12 * (corners - middle)
        covered |= np.array(
            [cv2.pointPolygonTest(outline, (float(x), float(y)), False) >= 0 for x, y in points], bool
        )
    return covered


def embed_edges(picture: Image, ribbon: BackRibbon, network: Network) -> Floats:
    """Embed the strip at every edge of a ribbon, (cards, EMBEDDING)."""
    strips = np.stack(
        [cut_strip(picture, e.start.astype(np.float32), e.end.astype(np.float32)) for e in ribbon.edges]
    )
    return network(as_batch(strips))
