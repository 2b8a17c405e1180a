"""Training examples cut from rendered scenes: windows for the detector, upright index crops, strips of backs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.synth.camera import jpeg
from scorer.vision.backs import cut_strip
from scorer.vision.classifier import CROP, RANKS, SUITS, cut

Generator = np.random.Generator
Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

CARD_WIDTHS = (34.0, 300.0)
"""Widths in pixels of a card, between which the detector must work; other scales are the image pyramid's business."""
MAX_ENLARGEMENT = 1.8

NOTHING = -1


@dataclass(frozen=True, slots=True)
class LabelledScene:
    """A rendered scene as it is kept to learn from."""

    picture: Image
    """(h, w, 3) uint8 RGB."""
    labels: dict[str, NDArray[np.generic]]


def save_labelled(path: Path, scene: LabelledScene, quality: int) -> None:
    """Write a scene's labels to a path, and its picture beside it as JPEG; the labels last, and all at once."""
    path.with_suffix(".jpg").write_bytes(jpeg(scene.picture, quality))
    partial = path.with_suffix(".part")
    with partial.open("wb") as file:
        np.savez_compressed(file, **scene.labels)  # type: ignore[arg-type]
    partial.rename(path)


def load_scene(path: Path) -> LabelledScene:
    """Read a scene written by `save_labelled`."""
    with np.load(path) as packed:
        labels = {k: packed[k] for k in packed.files}
    picture = cv2.imread(str(path.with_suffix(".jpg")), cv2.IMREAD_COLOR)
    if picture is None:
        raise FileNotFoundError(path.with_suffix(".jpg"))
    return LabelledScene(np.ascontiguousarray(picture[..., ::-1]).astype(np.uint8), labels)


@dataclass(frozen=True, slots=True)
class DetectorExample:
    """A window and its labels, normalised to 0..1."""

    picture: Image
    classes: Floats
    """(n,) 0 face index, 1 back corner."""
    boxes: Floats
    """(n, 4) centre x, centre y, width, height."""
    points: Floats
    """(n, 2, 2): rank and suit of an index; corner and inward point of a back."""


def _window(scene: LabelledScene, size: int, rng: Generator) -> NDArray[np.float64]:
    """A similarity from scene pixels to a window that shows some card at a width the detector must know."""
    quads = scene.labels["quads"].astype(float)
    height, width = scene.picture.shape[:2]
    card = quads[int(rng.integers(len(quads)))]
    shown = (np.linalg.norm(card[1] - card[0]) + np.linalg.norm(card[2] - card[3])) / 2
    wanted = np.exp(rng.uniform(*np.log(CARD_WIDTHS)))
    scale = min(wanted / max(shown, 1.0), MAX_ENLARGEMENT)
    angle = rng.uniform(-np.pi, np.pi)
    c, s = scale * np.cos(angle), scale * np.sin(angle)
    spread = 0.35 * size / scale
    centre = np.clip(card.mean(axis=0) + rng.uniform(-spread, spread, 2), 0, [width, height])
    turn = np.array([[c, -s], [s, c]])
    return np.column_stack([turn, size / 2 - turn @ centre])


def _moved(matrix: NDArray[np.float64], points: NDArray[np.generic]) -> Floats:
    return np.asarray(points.astype(float) @ matrix[:, :2].T + matrix[:, 2]).astype(np.float32)


def back_outline(corner: Floats, inward: Floats) -> Floats:
    """The square patch of card at a back corner, (n, 4, 2), from (n, 2) corner and inward points."""
    d = inward - corner
    # The diagonal, turned by 45 degrees either way and shortened, gives the patch's two sides.
    left = np.stack([d[:, 0] - d[:, 1], d[:, 0] + d[:, 1]], 1) / 2
    right = np.stack([d[:, 0] + d[:, 1], d[:, 1] - d[:, 0]], 1) / 2
    return np.stack([corner, corner + left, corner + d, corner + right], 1)


def recoloured(picture: Image, rng: Generator) -> Image:
    """Another white balance and brightness; one in seven as dark as an evening's only lamp makes it."""
    dim = rng.uniform(-1.3, 0.0) if rng.random() < 1 / 7 else 0.0
    gain = np.exp(rng.normal(0, 0.06, 3)) * np.exp(rng.normal(dim, 0.15))
    table = np.clip(np.arange(256)[:, None] * gain + rng.normal(0, 8), 0, 255).astype(np.uint8)
    return np.asarray(cv2.merge([cv2.LUT(picture[..., i], table[:, i]) for i in range(3)])).astype(np.uint8)


def detector_example(scene: LabelledScene, size: int, rng: Generator) -> DetectorExample:
    """Cut one turned, scaled, recoloured window of size x size pixels from a scene."""
    matrix = _window(scene, size, rng)
    shrink = float(np.hypot(matrix[0, 0], matrix[1, 0]))
    source = scene.picture
    if shrink < 0.6:
        # Area reduction first: bilinear sampling alone would alias, which no camera's scaler does.
        source = cv2.resize(
            source, None, fx=shrink * 1.3, fy=shrink * 1.3, interpolation=cv2.INTER_AREA
        ).astype(np.uint8)
        sx, sy = source.shape[1] / scene.picture.shape[1], source.shape[0] / scene.picture.shape[0]
        warp = matrix @ np.diag([1 / sx, 1 / sy, 1])
    else:
        warp = matrix
    fill = tuple(int(v) for v in rng.integers(0, 256, 3))
    picture = cv2.warpAffine(source, warp, (size, size), flags=cv2.INTER_LINEAR, borderValue=fill)
    index, back = _moved(matrix, scene.labels["index"]), _moved(matrix, scene.labels["back"])
    outlines = np.concatenate([index[:, 2:], back_outline(back[:, 0], back[:, 1])])
    points = np.concatenate([index[:, :2], back])
    classes = np.concatenate([np.zeros(len(index)), np.ones(len(back))]).astype(np.float32)
    low, high = outlines.min(axis=1), outlines.max(axis=1)
    inside = (points.mean(axis=1) > 0).all(axis=1) & (points.mean(axis=1) < size).all(axis=1)
    inside &= (high - low).max(axis=1) > 5
    low, high = np.clip(low[inside], 0, size - 1), np.clip(high[inside], 0, size - 1)
    boxes = np.concatenate([(low + high) / 2, high - low], axis=1) / size
    return DetectorExample(
        recoloured(picture.astype(np.uint8), rng),
        classes[inside],
        boxes.astype(np.float32),
        points[inside] / size,
    )


def _jittered(rank: Floats, suit: Floats, rng: Generator) -> tuple[Floats, Floats]:
    """Points as imprecise as a detector finds them."""
    length = float(np.hypot(*(suit - rank)))
    noise = rng.normal(0, 0.07 * length, (2, 2)) * (2.0 if rng.random() < 0.15 else 1.0)
    shift = rng.normal(0, 0.05 * length, 2)
    return (rank + noise[0] + shift).astype(np.float32), (suit + noise[1] + shift).astype(np.float32)


def _softened(crop: Image, rng: Generator) -> Image:
    """Fewer pixels than the crop has, as of a card far away."""
    if rng.random() < 0.45:
        small = int(rng.uniform(13, 40))
        crop = cv2.resize(
            cv2.resize(crop, (small, small), interpolation=cv2.INTER_AREA),
            (CROP, CROP),
            interpolation=cv2.INTER_LINEAR,
        ).astype(np.uint8)
    return crop


def classifier_examples(
    scene: LabelledScene, rng: Generator, nothings: float = 0.5
) -> list[tuple[Image, int, int]]:
    """Index crops of a scene as (crop, rank, suit), and crops that show no index as (crop, NOTHING, NOTHING)."""
    index, faces = scene.labels["index"].astype(np.float32), scene.labels["face"]
    examples = []
    for points, face in zip(index, faces, strict=True):
        rank, suit = _jittered(points[0], points[1], rng)
        crop = cut(scene.picture, np.stack([rank, suit]))
        joker = face == "JK"
        labels = (
            (RANKS.index("JK"), NOTHING)
            if joker
            else (RANKS.index(str(face[:-1])), SUITS.index(str(face[-1])))
        )
        examples.append((_softened(recoloured(crop, rng), rng), *labels))
    for _ in range(max(2, round(nothings * len(index)))):
        blank = _no_index(scene, index, rng)
        if blank is not None:
            examples.append((_softened(recoloured(blank, rng), rng), NOTHING, NOTHING))
    return examples


def _no_index(scene: LabelledScene, index: Floats, rng: Generator) -> Image | None:
    """A crop on a card or beside one that is not aligned with any index: pips, figures, half indices, upside-down indices."""
    quads = scene.labels["quads"].astype(np.float32)
    quad = quads[int(rng.integers(len(quads)))]
    width = float(np.linalg.norm(quad[1] - quad[0]))
    if len(index) and rng.random() < 0.4:
        # An index seen upside down or sideways, or missed by more than half: "no index here, this way up".
        points = index[int(rng.integers(len(index)))]
        middle, half = points[:2].mean(axis=0), (points[1] - points[0]) / 2
        turn = rng.uniform(0.4 * np.pi, 1.6 * np.pi) if rng.random() < 0.7 else 0.0
        away = (
            np.zeros(2)
            if turn
            else half[::-1] * [1, -1] * rng.choice([-1, 1]) * rng.uniform(1.3, 3) + half * rng.normal(0, 1)
        )
        c, s = np.cos(turn), np.sin(turn)
        half = np.array([c * half[0] - s * half[1], s * half[0] + c * half[1]]) * np.exp(rng.normal(0, 0.2))
        rank, suit = middle + away - half, middle + away + half
    else:
        middle = quad.mean(axis=0) + rng.normal(0, 0.5 * width, 2)
        turn, length = rng.uniform(-np.pi, np.pi), width * np.exp(rng.uniform(np.log(0.1), np.log(0.5)))
        half = np.array([np.cos(turn), np.sin(turn)]) * length / 2
        rank, suit = middle - half, middle + half
        if len(index) and np.linalg.norm(index[:, :2].mean(axis=1) - middle, axis=1).min() < 0.5 * length:
            return None
    return cut(scene.picture, np.stack([rank, suit]).astype(np.float32))


def exposed_edge(quad: Floats, beside: Floats) -> tuple[Floats, Floats]:
    """Ends of the edge of a card (4, 2) farthest from the card `beside` it; the card is to the right of start -> end."""
    centre = quad.mean(axis=0)
    edges = [(quad[k], quad[(k + 1) % 4]) for k in range(4)]
    away = centre - beside.mean(axis=0)
    return max(
        edges,
        key=lambda e: float(((e[0] + e[1]) / 2 - centre) @ away / np.linalg.norm((e[0] + e[1]) / 2 - centre)),
    )


def strip_examples(scene: LabelledScene, rng: Generator) -> list[tuple[Image, int]]:
    """Strips at the exposed edges of face-down cards, as (strip, deck)."""
    height, width = scene.picture.shape[:2]
    examples = []
    for i in range(len(scene.labels["quads"])):
        if scene.labels["face_up"][i] or scene.labels["shown"][i] < 0.1:
            continue
        edge, above = _edges_of_back(scene, i, rng)
        if all(0 <= p[0] < width and 0 <= p[1] < height for p in edge):
            found = None if above is None else _as_found(above, rng)
            strip = cut_strip(scene.picture, _as_found(edge, rng), found)
            examples.append((_softened_strip(strip, rng), int(scene.labels["deck"][i])))
    return examples


def _edges_of_back(
    scene: LabelledScene, card: int, rng: Generator
) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats] | None]:
    """The exposed edge of a face-down card, and that of the card of its pile that lies on it, if one does."""
    quads, pile = scene.labels["quads"].astype(np.float32), scene.labels["pile"]
    covered = [i + 1 < len(quads) and pile[i] == pile[i + 1] >= 0 for i in (card, card + 1)]
    if not covered[0]:
        # A card that none covers shows all its edges.
        return exposed_edge(quads[card], quads[card] + rng.normal(0, 1, 2).astype(np.float32)), None
    # The top card's edge is the one that runs along the edge below it.
    beyond = quads[card + 2] if covered[1] else 2 * quads[card + 1] - quads[card]
    return exposed_edge(quads[card], quads[card + 1]), exposed_edge(quads[card + 1], beyond)


def _as_found(edge: tuple[Floats, Floats], rng: Generator) -> tuple[Floats, Floats]:
    """An edge as imprecise as a line along an untidy ribbon gives it: shifted along itself, and each end in or out.

    One in seven is found much worse: measured on rendered rounds, where no corner marks the ends of a ribbon's edges.
    """
    along = edge[1] - edge[0]
    inward = np.array([-along[1], along[0]])
    badly = 2.5 if rng.random() < 1 / 7 else 1.0
    slide = along * rng.normal(0, 0.04 * badly)
    first, second = (
        (point + slide + inward * rng.normal(0, 0.016 * badly)).astype(np.float32) for point in edge
    )
    return first, second


def _softened_strip(strip: Image, rng: Generator) -> Image:
    """Fewer pixels than the strip has, as of a card far away."""
    if rng.random() < 0.4:
        factor = rng.uniform(0.25, 0.8)
        small = cv2.resize(strip[..., :3], None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        soft = cv2.resize(small, (strip.shape[1], strip.shape[0]), interpolation=cv2.INTER_LINEAR)
        strip = np.dstack([soft, strip[..., 3]]).astype(np.uint8)
    return strip
