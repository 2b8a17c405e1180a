"""Draws a scene as a photo, and tells the truth about it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.synth.art import Image, Side
from scorer.synth.camera import Camera, apply, lens_and_sensor, light, table_to_picture
from scorer.synth.scene import PlacedCard, Scene
from scorer.synth.tables import clutter_below, hand_above, table

Matrix = NDArray[np.float64]

LEGIBLE = 0.72
"""Share of an index that must be uncovered for it to count as visible."""


@dataclass(frozen=True, slots=True)
class SeenIndex:
    """A printed index that can be read in the photo; pixels."""

    card: int
    face: str
    """Notation; "?S" where the rank is printed in another language's letters."""
    rank: tuple[float, float]
    suit: tuple[float, float]
    outline: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class SeenBackCorner:
    """An uncovered corner of a face-down card; pixels."""

    card: int
    corner: tuple[float, float]
    inward: tuple[float, float]
    """0.3 card widths from the corner along the diagonal that halves its right angle."""


@dataclass(frozen=True, slots=True)
class Photo:
    """A rendered photo and its truth."""

    picture: Image
    indices: tuple[SeenIndex, ...]
    back_corners: tuple[SeenBackCorner, ...]
    quads: Matrix
    """(cards, 4, 2) pixels: each card's corners, clockwise from its own top left."""
    shown: NDArray[np.float64]
    """(cards,) share of each card's area that is uncovered and inside the picture."""


def card_corners(card: PlacedCard, aspect: float) -> Matrix:
    """Corners of a card on the table, from its own top left clockwise as seen with that side up, (4, 2)."""
    half = np.array([[-0.5, aspect / 2], [0.5, aspect / 2], [0.5, -aspect / 2], [-0.5, -aspect / 2]])
    c, s = np.cos(card.angle), np.sin(card.angle)
    turned = half @ np.array([[c, s], [-s, c]])
    return np.asarray(turned + np.array([card.x, card.y]) + np.array(card.bow).reshape(4, 2))


def visible_side(scene: Scene, card: PlacedCard) -> Side:
    """The printed side that is up."""
    deck = scene.decks[card.deck]
    if not card.face_up:
        return deck.back
    if card.face.startswith("JK"):
        return deck.jokers[(int(card.face[2:] or 1) - 1) % len(deck.jokers)]
    return deck.faces[card.face]


def _mip(image: Image, width: float) -> Image:
    """The art reduced to about the width it is shown at, so that warping does not alias."""
    scale = width * 1.3 / image.shape[1]
    if scale >= 1:
        return image
    size = (max(8, round(image.shape[1] * scale)), max(8, round(image.shape[0] * scale)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def _draw_card(picture: Image, side: Side, quad: Matrix, shadow: tuple[float, float, float]) -> None:
    height, width = picture.shape[:2]
    pad = int(0.1 * np.ptp(quad[:, 0])) + 3
    x0, y0 = np.maximum(np.floor(quad.min(axis=0)).astype(int) - pad, 0)
    x1, y1 = np.minimum(np.ceil(quad.max(axis=0)).astype(int) + pad, [width, height])
    if x1 <= x0 or y1 <= y0:
        return
    shown = float(np.linalg.norm(quad[1] - quad[0]))
    art = _mip(side.image, max(shown, float(np.linalg.norm(quad[2] - quad[3]))))
    h, w = art.shape[:2]
    source = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    matrix = cv2.getPerspectiveTransform(source, (quad - [x0, y0]).astype(np.float32))
    size = (int(x1 - x0), int(y1 - y0))
    # The print is continued past the paper's edge: blended with black there, every edge would show a dotted dark line.
    warped = cv2.warpPerspective(
        art[..., :3], matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    alpha = cv2.warpPerspective(np.ascontiguousarray(art[..., 3]), matrix, size, flags=cv2.INTER_LINEAR)
    part = picture[y0:y1, x0:x1]
    dark = cv2.GaussianBlur(alpha, (0, 0), max(0.6, shadow[2] * shown))
    move = np.array([[1, 0, shadow[0] * shown], [0, 1, shadow[1] * shown]])
    dark = cv2.warpAffine(dark, move, (dark.shape[1], dark.shape[0])).astype(np.float32) * (0.55 / 255)
    a = alpha.astype(np.float32)[..., None] / 255
    part[:] = (part * (1 - dark[..., None]) * (1 - a) + warped * a).astype(np.uint8)


def _uncovered(owner: NDArray[np.int16], polygon: Matrix, card: int) -> float:
    """Share of a polygon's pixels that belong to a card; parts outside the picture count as covered."""
    x0, y0 = np.floor(polygon.min(axis=0)).astype(int)
    x1, y1 = np.ceil(polygon.max(axis=0)).astype(int) + 1
    mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
    cv2.fillConvexPoly(mask, np.round(polygon - [x0, y0]).astype(np.int32), 1)
    height, width = owner.shape
    cx0, cy0, cx1, cy1 = max(x0, 0), max(y0, 0), min(x1, width), min(y1, height)
    if cx1 <= cx0 or cy1 <= cy0:
        return 0.0
    inside = mask[cy0 - y0 : cy1 - y0, cx0 - x0 : cx1 - x0]
    return float((inside * (owner[cy0:cy1, cx0:cx1] == card)).sum() / max(1, mask.sum()))


def _side_to_picture(quad: Matrix) -> Matrix:
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    return np.asarray(cv2.getPerspectiveTransform(unit, quad.astype(np.float32)))


def _seen_indices(scene: Scene, quads: Matrix, owner: NDArray[np.int16]) -> list[SeenIndex]:
    seen = []
    for i, card in enumerate(scene.cards):
        if not card.face_up:
            continue
        matrix = _side_to_picture(quads[i])
        side = visible_side(scene, card)
        for m in side.marks:
            points = apply(matrix, np.array([m.rank, m.suit, *m.outline]))
            if _uncovered(owner, points[2:], i) >= LEGIBLE:
                outline = tuple((float(x), float(y)) for x, y in points[2:])
                face = (
                    "JK" if card.face.startswith("JK") else f"?{card.face[-1]}" if side.foreign else card.face
                )
                seen.append(SeenIndex(i, face, tuple(points[0]), tuple(points[1]), outline))
    return seen


def _seen_back_corners(scene: Scene, quads: Matrix, owner: NDArray[np.int16]) -> list[SeenBackCorner]:
    seen = []
    for i, card in enumerate(scene.cards):
        if card.face_up:
            continue
        aspect = scene.decks[card.deck].back.image.shape[0] / scene.decks[card.deck].back.image.shape[1]
        matrix = _side_to_picture(quads[i])
        a, b = 0.16, 0.16 / aspect
        for u, v in ((0, 0), (1, 0), (1, 1), (0, 1)):
            su, sv = 1 - 2 * u, 1 - 2 * v
            patch = np.array([[u, v], [u + su * a, v], [u + su * a, v + sv * b], [u, v + sv * b]])
            if _uncovered(owner, apply(matrix, patch), i) >= LEGIBLE:
                corner, inward = apply(matrix, np.array([[u, v], [u + su * 0.21, v + sv * 0.21 / aspect]]))
                seen.append(SeenBackCorner(i, tuple(corner), tuple(inward)))
    return seen


def _quads(scene: Scene, camera: Camera) -> Matrix:
    corners = []
    for card in scene.cards:
        image = visible_side(scene, card).image
        corners.append(card_corners(card, image.shape[0] / image.shape[1]))
    table_corners = np.array(corners).reshape(-1, 2)
    matrix = table_to_picture(camera, table_corners)
    return apply(matrix, table_corners).reshape(-1, 4, 2)


def render(scene: Scene, camera: Camera, *, hands: float = 0.15, strength: float = 1.0) -> Photo:
    """Draw the photo. Deterministic from scene and camera.

    Args:
        scene: what lies on the table.
        camera: where it is seen from, and the picture's size.
        hands: probability that a hand or sleeve covers some cards.
        strength: of the light's unevenness and colour; 1 is a kitchen in the evening.
    """
    rng = np.random.default_rng(scene.seed)
    picture = table(rng, camera.height, camera.width)
    clutter_below(picture, rng)
    quads = _quads(scene, camera)
    owner = np.full(picture.shape[:2], -1, np.int16)
    turn, far = rng.uniform(-np.pi, np.pi), rng.uniform(0.0, 0.05)
    shadow = (far * np.cos(turn), far * np.sin(turn), rng.uniform(0.01, 0.05))
    for i, card in enumerate(scene.cards):
        _draw_card(picture, visible_side(scene, card), quads[i], shadow)
        cv2.fillConvexPoly(owner, np.round(quads[i]).astype(np.int32), i)
    if rng.random() < hands:
        hand_above(picture, owner, rng)
    picture = light(picture, rng, strength)
    picture = lens_and_sensor(picture, rng, max(0.6, max(camera.width, camera.height) / 1600))
    indices, corners = _seen_indices(scene, quads, owner), _seen_back_corners(scene, quads, owner)
    shown = np.array([_uncovered(owner, q, i) for i, q in enumerate(quads)])
    return Photo(picture, tuple(indices), tuple(corners), quads, shown)
