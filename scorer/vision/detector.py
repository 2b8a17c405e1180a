"""Finds face indices and back corners in a photo: one network over an image pyramid, its answers as columns of arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Image = NDArray[np.uint8]
Infer = Callable[[Floats], Floats]
"""(1, 3, h, w) float32 in 0..1 -> (1, 4 + classes + 4, anchors): box centre and size, class scores, two keypoints; pixels."""

FACE, BACK = 0, 1
CLASSES = ("face-index", "back-corner")
STRIDE = 32
PLAIN = 0.25
"""Score from which what was found shows that there is a card. Fainter corners of backs only tell where edges end that show anyway:
of 1726 corners in rendered photos 81 % score as much, 90 % 0.06, but of what does two in five are none."""
SMALL_INDEX, SMALL_CORNER = 11.0, 26.0
"""Spans in pixels, from rank to suit and from a back's corner inwards, below which a closer look is worth its time."""


@dataclass(frozen=True, slots=True)
class Detections:
    """What the detector found; all arrays share the first axis. Pixels of the upright photo."""

    boxes: Floats
    """(n, 4) x0, y0, x1, y1."""
    scores: Floats
    """(n,) 0..1."""
    classes: NDArray[np.int64]
    """(n,) FACE or BACK."""
    points: Floats
    """(n, 2, 2) FACE: centre of the rank, centre of the suit. BACK: the corner, a point inwards on its diagonal."""

    def __post_init__(self) -> None:
        n = len(self.boxes)
        for name, shape in (("boxes", (n, 4)), ("scores", (n,)), ("classes", (n,)), ("points", (n, 2, 2))):
            if getattr(self, name).shape != shape:
                raise ValueError(f"{name} has shape {getattr(self, name).shape}, expected {shape}")

    def __len__(self) -> int:
        return len(self.boxes)


def pick(found: Detections, keep: NDArray[np.generic]) -> Detections:
    """The rows of a mask or an index array."""
    return Detections(found.boxes[keep], found.scores[keep], found.classes[keep], found.points[keep])


def join(parts: Sequence[Detections]) -> Detections:
    """All rows of several detections; none at all gives an empty one."""
    empty = Detections(
        np.zeros((0, 4), np.float32),
        np.zeros(0, np.float32),
        np.zeros(0, np.int64),
        np.zeros((0, 2, 2), np.float32),
    )
    parts = [empty, *parts]
    return Detections(
        np.concatenate([p.boxes for p in parts]),
        np.concatenate([p.scores for p in parts]),
        np.concatenate([p.classes for p in parts]),
        np.concatenate([p.points for p in parts]),
    )


def decode(output: Floats, threshold: float) -> Detections:
    """Rows of one network output (1, channels, anchors) above a score, before suppression; pixels of the network's input."""
    rows = output[0].T
    scores = rows[:, 4:6].max(axis=1)
    rows, scores = rows[scores > threshold], scores[scores > threshold]
    centre, size = rows[:, :2], rows[:, 2:4]
    boxes = np.concatenate([centre - size / 2, centre + size / 2], axis=1)
    return Detections(boxes, scores, rows[:, 4:6].argmax(axis=1), rows[:, 6:10].reshape(-1, 2, 2))


def suppress(found: Detections, overlap: float = 0.55) -> Detections:
    """Keep the best of detections of one class that overlap or point at the same index (non-maximum suppression)."""
    kept: list[NDArray[np.int64]] = []
    for label in (FACE, BACK):
        rows = np.flatnonzero(found.classes == label)
        if len(rows):
            corner_and_size = np.concatenate(
                [found.boxes[rows, :2], found.boxes[rows, 2:] - found.boxes[rows, :2]], axis=1
            )
            best = cv2.dnn.NMSBoxes(corner_and_size.tolist(), found.scores[rows].tolist(), 0.0, overlap)
            kept.append(rows[np.asarray(best, np.int64).reshape(-1)])
    order = np.concatenate(kept) if kept else np.zeros(0, np.int64)
    return _one_per_spot(pick(found, order))


def _one_per_spot(found: Detections) -> Detections:
    """Nested boxes on one index have nearly the same middle: the surest stays."""
    middles = found.points.mean(axis=1)
    lengths = np.linalg.norm(found.points[:, 1] - found.points[:, 0], axis=1)
    apart = np.linalg.norm(middles[:, None] - middles[None], axis=2)
    same = (apart < 0.45 * np.maximum.outer(lengths, lengths)) & (found.classes[:, None] == found.classes)
    keep: list[int] = []
    for i in np.argsort(-found.scores, kind="stable"):
        if not same[i, keep].any():
            keep.append(int(i))
    return pick(found, np.array(sorted(keep), np.int64))


def _letterbox(picture: Image, scale: float) -> Floats:
    height, width = picture.shape[:2]
    h, w = max(1, round(height * scale)), max(1, round(width * scale))
    small = cv2.resize(picture, (w, h), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    padded = np.full((-(-h // STRIDE) * STRIDE, -(-w // STRIDE) * STRIDE, 3), 114, np.uint8)
    padded[:h, :w] = small
    return np.ascontiguousarray(padded.transpose(2, 0, 1)[None].astype(np.float32) / 255)


def pyramid(width: int, height: int, sides: Sequence[int]) -> Iterator[float]:
    """Scales at which a photo is looked at: its longer side becomes each of `sides`, none enlarged more than twice."""
    longest = max(width, height)
    for side in dict.fromkeys(min(side, 2 * longest) for side in sides):
        yield side / longest


def detect(
    picture: Image, infer: Infer, sides: Sequence[int], threshold: float, finer: int | None = None
) -> Detections:
    """Look at the photo at several scales and join what was found.

    Args:
        picture: (h, w, 3) uint8 RGB, upright.
        infer: the network.
        sides: longer sides in pixels to which the photo is scaled.
        threshold: lowest score that is kept.
        finer: a further side, used where what was found is small even at the largest of `sides`.
    """
    height, width = picture.shape[:2]
    longest = max(width, height)
    parts = [_look(picture, infer, scale, threshold) for scale in pyramid(width, height, sides)]
    if finer is not None and longest > max(sides) and _is_small(join(parts), max(sides) / longest):
        parts.append(_look(picture, infer, min(finer, longest) / longest, threshold))
    return suppress(join(parts))


def _look(picture: Image, infer: Infer, scale: float, threshold: float) -> Detections:
    found = decode(infer(_letterbox(picture, scale)), threshold)
    return Detections(found.boxes / scale, found.scores, found.classes, found.points / scale)


def _is_small(found: Detections, scale: float) -> bool:
    """Whether most of what was found plainly spans fewer pixels than its network sees well, at a scale of the photo."""
    found = pick(found, found.scores >= PLAIN)
    spans = np.linalg.norm(found.points[:, 1] - found.points[:, 0], axis=1) * scale
    small = np.where(found.classes == FACE, SMALL_INDEX, SMALL_CORNER)
    return bool(len(spans) and np.median(spans / small) < 1)
