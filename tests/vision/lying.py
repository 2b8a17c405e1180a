"""Cards lying on a table and how a camera sees their corners, worked out without the program's own geometry.

Table coordinates in card widths, x to the right, y towards the viewer, angles clockwise: as a picture taken from straight above.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from scorer.vision.classifier import RANKS, SUITS, Named
from scorer.vision.detector import BACK, FACE, Detections
from scorer.vision.lines import Line
from scorer.vision.rows import Corners, corners_of
from scorer.vision.sightings import Sightings, sightings

HEIGHT = 1.4
WIDTH_IN_PIXELS = 90.0

angles = st.floats(-np.pi, np.pi)


@dataclass(frozen=True)
class Lying:
    """A card on the table."""

    face: str
    x: float
    y: float
    angle: float = 0.0


@dataclass(frozen=True)
class View:
    """A pinhole camera: how far it leans, from which side, how it is rolled, and its distance in card widths."""

    tilt: float = 0.0
    azimuth: float = 0.0
    roll: float = 0.0
    distance: float = 20.0

    def pixels(self, points: np.ndarray) -> np.ndarray:
        """Where points (n, 2) of the table are seen."""
        x, y = (points @ turn(self.azimuth)).T
        depth = self.distance - y * np.sin(self.tilt)
        seen = np.column_stack([x / depth, y * np.cos(self.tilt) / depth]) * self.distance
        return np.asarray(WIDTH_IN_PIXELS * seen @ turn(self.roll) + 2000)


views = st.builds(View, tilt=st.floats(0, 0.785), azimuth=angles, roll=angles, distance=st.floats(18, 40))
calm_views = st.builds(View, tilt=st.floats(0, 0.45), azimuth=angles, roll=angles, distance=st.floats(18, 40))


def turn(angle: float) -> np.ndarray:
    """Turns row vectors."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, s], [-s, c]])


def on_table(card: Lying, points: Sequence[tuple[float, float]]) -> np.ndarray:
    """Points given from the middle of a card, as they lie on the table."""
    return np.asarray(np.array(points) @ turn(card.angle) + [card.x, card.y])


@dataclass(frozen=True)
class Print:
    """Where a deck's indices are printed, in card widths from the card's edges."""

    length: float = 0.21
    """From the rank's middle to the suit's."""
    aside: float = 0.1
    below: float = 0.2

    def index(self, card: Lying, corner: str = "top left") -> np.ndarray:
        """Rank and suit (2, 2) of one corner on the table."""
        x, y = self.aside - 0.5, self.below - HEIGHT / 2
        points = np.array([(x, y - self.length / 2), (x, y + self.length / 2)])
        mirror = {"top left": (1, 1), "bottom right": (-1, -1), "top right": (-1, 1), "bottom left": (1, -1)}
        return on_table(card, points * mirror[corner])


prints = st.builds(
    Print, length=st.floats(0.16, 0.3), aside=st.floats(0.08, 0.13), below=st.floats(0.17, 0.26)
)
BOTH = ("top left", "bottom right")


def chances(face: str, sure: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities of ranks and suits of a corner that looks like a face."""
    ranks, suits = np.full(len(RANKS), (1 - sure) / 14), np.full(4, (1 - sure) / 3)
    ranks[RANKS.index(face[:-1])] = sure
    suits[SUITS.index(face[-1])] = sure
    return ranks, suits


def seen(indices: Sequence[tuple[str, np.ndarray]], view: View) -> Sightings:
    """Sightings of indices given as face and rank-and-suit points on the table."""
    points = np.array([view.pixels(p) for _, p in indices]).reshape(-1, 2, 2).astype(np.float32)
    rows = [chances(face) for face, _ in indices]
    named = Named(
        np.array([r for r, _ in rows], np.float32).reshape(-1, len(RANKS)),
        np.array([s for _, s in rows], np.float32).reshape(-1, 4),
        np.full(len(indices), 0.98, np.float32),
    )
    return sightings(detections(points, FACE), named, 0.5)


def detections(points: np.ndarray, label: int) -> Detections:
    """Detections with these points and boxes about them."""
    n = len(points)
    margin = np.array([-8, -8, 8, 8], np.float32)
    boxes = np.concatenate([points.min(axis=1), points.max(axis=1)], axis=1) + margin
    return Detections(
        boxes.astype(np.float32), np.full(n, 0.95, np.float32), np.full(n, label, np.int64), points
    )


def ribbon_of(
    faces: Sequence[str], x: float, y: float, *, pitch: float, direction: float = 0.0,
    lean: float = 0.0, bend: float = 0.0, untidy: Sequence[tuple[float, float, float]] = (),
) -> list[Lying]:  # fmt: skip
    """Cards laid along a line, each on the one before, so that the left edge of the lower ones shows."""
    cards = []
    for number, face in enumerate(faces):
        dx, dy, da = untidy[number] if len(untidy) else (0.0, 0.0, 0.0)
        cards.append(Lying(face, x + dx, y + dy, direction + lean + da))
        x, y = x + pitch * np.cos(direction), y + pitch * np.sin(direction)
        direction += bend
    return cards


def ribbon_indices(cards: Sequence[Lying], printed: Print = Print()) -> list[tuple[str, np.ndarray]]:
    """What shows of a face-up ribbon: the top left index of each card, and the other one of the card on top."""
    shown = [(card.face, printed.index(card)) for card in cards]
    return [*shown, (cards[-1].face, printed.index(cards[-1], "bottom right"))]


LEFT = ((-0.5, -HEIGHT / 2), (-0.5, HEIGHT / 2))
RIGHT = ((0.5, -HEIGHT / 2), (0.5, HEIGHT / 2))


def back_corner_points(cards: Sequence[Lying]) -> list[np.ndarray]:
    """Corners (with inward points) that show of a face-down ribbon: the left ones, and all four of the card on top."""
    shown = [_with_inward(card, corner) for card in cards for corner in LEFT]
    return [*shown, *(_with_inward(cards[-1], corner) for corner in RIGHT)]


def _with_inward(card: Lying, corner: tuple[float, float]) -> np.ndarray:
    x, y = corner
    return on_table(card, [(x, y), (x - 0.21 * np.sign(x), y - 0.21 * np.sign(y))])


def upright_edge(line: Line, column: float) -> tuple[np.ndarray, np.ndarray]:
    """Ends of an edge that stands upright at a column of a line; the card lies to the right from the first to the second."""
    half = line.across * line.height / 2
    middle = line.start + line.axis * column / line.scale
    return middle + half, middle - half


def back_corners(points: Sequence[np.ndarray], view: View, noise: np.ndarray | None = None) -> Corners:
    """Corners of backs as the detector reports them; noise (n, 2, 2) in card widths."""
    pixels = np.array([view.pixels(p) for p in points]).reshape(-1, 2, 2)
    if noise is not None:
        pixels = pixels + noise * WIDTH_IN_PIXELS
    return corners_of(detections(pixels.astype(np.float32), BACK))
