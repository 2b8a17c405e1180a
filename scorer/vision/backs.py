"""Backs: ribbons of face-down cards found from their corners, counted, and told apart by a strip along each card's exposed edge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.reading import Quad
from scorer.vision.classifier import as_batch
from scorer.vision.cloth import without_cloth
from scorer.vision.detector import BACK, Detections, pick
from scorer.vision.growing import grown
from scorer.vision.models import Network
from scorer.vision.rows import NO_CORNERS, BackRibbon, Corners, back_ribbons, corners_of

Floats = NDArray[np.float32]
Image = NDArray[np.uint8]

STRIP = (96, 48)
"""Height (along the exposed edge) and width (inwards) of a strip in pixels."""
STRIP_DEPTH = 0.36
"""How far a strip reaches inwards, as a fraction of the exposed edge: half of a card's width."""
BORDER = (96, 24)
"""Height and width of what the network that embeds strips looks at: what even a tight ribbon shows."""
BORDER_WIDTH = 17
"""The same width in pixels of a strip: 0.18 of a card's width."""
LEAST_DEPTH = 0.09
"""What of it is looked at in any case: an eighth of a card's width, less than a tight ribbon shows."""
CLEARANCE = 0.02
"""How far before the next card's edge the look ends, as a fraction of the exposed edge: edges are found a little off."""


def cut_strip(
    picture: Image, edge: tuple[Floats, Floats], above: tuple[Floats, Floats] | None = None
) -> Image:
    """The strip of card to the right of an edge start -> end (x right, y down), (96, 48, 4), edge at the left.

    The fourth channel says what of the strip is this card's (255) and what the card above it covers (0).

    Args:
        picture: (h, w, 3) uint8.
        edge: two points (2,) in pixels, the lower end of the strip and the upper one.
        above: the same of the card that lies on this one, None where nothing does.
    """
    start, end = edge
    along = (end - start).astype(np.float64)
    # The card lies to the right when walking from start to end with y down.
    inward = np.array([-along[1], along[0]]) * STRIP_DEPTH
    height, width = STRIP
    source = np.array([end, end + inward, start], np.float32)
    factor = int(np.clip(np.ceil(float(np.hypot(*along)) / height / 1.2), 1, 8))
    target = np.array([[0, 0], [width * factor, 0], [0, height * factor]], np.float32)
    large = cv2.warpAffine(
        picture,
        cv2.getAffineTransform(source, target),
        (width * factor, height * factor),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    if factor > 1:
        large = cv2.resize(large, (width, height), interpolation=cv2.INTER_AREA)
    return np.dstack([large, _uncovered(edge, above)]).astype(np.uint8)


def _uncovered(edge: tuple[Floats, Floats], above: tuple[Floats, Floats] | None) -> Image:
    """Which pixels of a strip lie before the edge of the card above, (96, 48) 0 or 255."""
    height, width = STRIP
    if above is None:
        return np.full(STRIP, 255, np.uint8)
    along = (edge[1] - edge[0]).astype(np.float64)
    inward = np.array([-along[1], along[0]]) / (along @ along)
    lower, upper = (float((point - edge[0]) @ inward) - CLEARANCE for point in above)
    limits = np.maximum(np.linspace(upper, lower, height), LEAST_DEPTH) / STRIP_DEPTH * width
    return np.where(np.arange(width)[None] < limits[:, None], 255, 0).astype(np.uint8)


def borders(strips: Image) -> Image:
    """Of strips (n, 96, 48, 4) the part at the edge, (n, 96, 24, 3), whoever covers the rest."""
    height, width = BORDER
    cut = [
        cv2.resize(s[:, :BORDER_WIDTH, :3], (width, height), interpolation=cv2.INTER_LINEAR) for s in strips
    ]
    return np.array(cut, np.uint8).reshape(-1, height, width, 3)


EMBEDDING = 48
CLASSES = ("embedding",)


@dataclass(frozen=True, slots=True)
class BackPhoto:
    """The face-down ribbons of one photo."""

    ribbons: tuple[BackRibbon, ...]
    strips: tuple[Image, ...]
    """Per ribbon (cards, 96, 48, 4), from the lowest card up."""
    corners: Corners = NO_CORNERS
    """All corners of backs found in the photo, faint ones too."""


def read_backs(picture: Image, found: Detections, lines: Network, face_up: Sequence[Quad] = ()) -> BackPhoto:
    """Find and describe the ribbons of backs in a photo.

    Args:
        picture: (h, w, 3) uint8 RGB.
        found: what the detector found in it.
        lines: network that reads a ribbon along its axis.
        face_up: outlines of cards that lie face up; corners on them are not backs'.
    """
    backs = pick(found, (found.classes == BACK) & ~_on_cards(found.points[:, 0], face_up))
    corners = without_cloth(picture, corners_of(backs))
    ribbons = tuple(grown(picture, back_ribbons(corners.plain), corners, lines))
    return BackPhoto(ribbons, tuple(cut_strips(picture, ribbon) for ribbon in ribbons), corners)


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


def cut_strips(picture: Image, ribbon: BackRibbon) -> Image:
    """The strip at every edge of a ribbon, (cards, 96, 48, 4)."""
    edges = [(e.start.astype(np.float32), e.end.astype(np.float32)) for e in ribbon.edges]
    return np.stack([cut_strip(picture, edge, above) for edge, above in zip_longest(edges, edges[1:])])


def embed(strips: Image, network: Network) -> Floats:
    """Embed strips (n, 96, 48, 4) of backs, (n, EMBEDDING) of unit length: what a deck that was taught is known by."""
    if not len(strips):
        return np.zeros((0, EMBEDDING), np.float32)
    return network(as_batch(borders(strips)))
