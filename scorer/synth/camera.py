"""A phone camera over a table: where it stands, and what light, lens, sensor and JPEG do to the picture."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Generator = np.random.Generator
Image = NDArray[np.uint8]
Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Camera:
    """Where the camera stands and how large its picture is."""

    width: int
    height: int
    tilt: float
    """Angle from straight down in radians; up to about 45 degrees."""
    azimuth: float
    """From which side of the table the camera looks."""
    roll: float
    fill: float
    """Share of the picture's narrower side that the cards take up."""
    focal: float = 1.2
    """Focal length in units of the picture's longer side."""


def table_to_picture(camera: Camera, points: Matrix) -> Matrix:
    """Homography from the table plane to pixels that puts all points (n, 2) into the picture.

    Returns:
        (3, 3) matrix, pixels x to the right, y down.
    """
    focal = camera.focal * max(camera.width, camera.height)
    centre = (points.min(axis=0) + points.max(axis=0)) / 2
    radius = max(float(np.abs(points - centre).max()), 0.7)
    distance = radius * 2.4 * camera.focal
    base = _pose(camera, centre, distance, focal)
    projected = apply(base, points)
    low, high = projected.min(axis=0), projected.max(axis=0)
    scale = camera.fill * min(camera.width / (high - low)[0], camera.height / (high - low)[1])
    shift = np.array([camera.width, camera.height]) / 2 - scale * (low + high) / 2
    return np.array([[scale, 0, shift[0]], [0, scale, shift[1]], [0, 0, 1]]) @ base


def _pose(camera: Camera, centre: Matrix, distance: float, focal: float) -> Matrix:
    ca, sa = np.cos(camera.azimuth), np.sin(camera.azimuth)
    ct, st = np.cos(camera.tilt), np.sin(camera.tilt)
    cr, sr = np.cos(camera.roll), np.sin(camera.roll)
    turn = np.array([[ca, -sa, 0], [sa, ca, 0], [0, 0, 1]])
    lean = np.array([[1, 0, 0], [0, ct, -st], [0, st, ct]])
    roll = np.array([[cr, -sr, 0], [sr, cr, 0], [0, 0, 1]])
    # The table's y points away, the picture's y down.
    flip = np.diag([1.0, -1.0, 1.0])
    rotation = roll @ flip @ lean @ turn
    move = np.array([[1, 0, -centre[0]], [0, 1, -centre[1]], [0, 0, 1]])
    plane = np.column_stack([rotation[:, 0], rotation[:, 1], [0, 0, distance]])
    return np.asarray(np.diag([focal, focal, 1.0]) @ plane @ move)


def apply(matrix: Matrix, points: Matrix) -> Matrix:
    """Map points (n, 2) through a homography."""
    mapped = np.column_stack([points, np.ones(len(points))]) @ matrix.T
    return np.asarray(mapped[:, :2] / mapped[:, 2:])


def random_camera(rng: Generator, width: int, height: int, *, tilt: float = 0.78) -> Camera:
    """A hand-held phone: mostly looking down, seldom at 45 degrees."""
    lean = abs(rng.normal(0, 0.35)) if rng.random() < 0.8 else rng.uniform(0, tilt)
    return Camera(
        width,
        height,
        min(lean, tilt),
        rng.uniform(-np.pi, np.pi),
        rng.normal(0, 0.15),
        rng.uniform(0.55, 1.0),
        rng.uniform(0.8, 2.0),
    )


def light(picture: Image, rng: Generator, strength: float = 1.0) -> Image:
    """Lamp light: colour cast, uneven brightness, a shadow edge, glare."""
    height, width = picture.shape[:2]
    small = np.ones((24, 32, 3), np.float32)
    y, x = np.mgrid[:24, :32].astype(np.float32)
    direction = rng.uniform(-np.pi, np.pi)
    slope = (
        (np.cos(direction) * (x / 32 - 0.5) + np.sin(direction) * (y / 24 - 0.5))
        * rng.uniform(0, 0.9)
        * strength
    )
    small *= (1 + slope)[..., None]
    warm = rng.normal(0, 0.08) * strength if rng.random() < 0.75 else rng.uniform(-0.1, 0.4) * strength
    small *= np.array([1 + warm, 1.0, 1 - warm * 1.2], np.float32)
    if rng.random() < 0.3:
        small *= _shadow_edge(x, y, rng)[..., None]
    small *= rng.uniform(0.55, 1.12) if rng.random() < 0.7 else rng.uniform(0.3, 1.0)
    lit = picture.astype(np.float32) * cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)
    if rng.random() < 0.25:
        lit += cv2.resize(_glare(x, y, rng), (width, height))[..., None]
    gamma = np.exp(rng.normal(0, 0.15))
    return np.asarray(255 * np.clip(lit / 255, 0, 1) ** gamma).astype(np.uint8)


def _shadow_edge(x: Matrix, y: Matrix, rng: Generator) -> Matrix:
    angle = rng.uniform(-np.pi, np.pi)
    side = np.cos(angle) * (x - rng.uniform(4, 28)) + np.sin(angle) * (y - rng.uniform(4, 20))
    soft = rng.uniform(0.5, 4)
    return np.asarray(1 - rng.uniform(0.2, 0.6) / (1 + np.exp(-np.clip(side / soft, -30, 30))))


def _glare(x: Matrix, y: Matrix, rng: Generator) -> Matrix:
    spot = ((x - rng.uniform(0, 32)) / rng.uniform(1.5, 6)) ** 2 + (
        (y - rng.uniform(0, 24)) / rng.uniform(1.5, 6)
    ) ** 2
    return np.asarray(rng.uniform(40, 200) * np.exp(-spot)).astype(np.float32)


def lens_and_sensor(picture: Image, rng: Generator, unit: float) -> Image:
    """Defocus or shake, sensor noise, sharpening. `unit` scales blur in pixels: larger pictures blur over more of them."""
    out = picture
    kind = rng.random()
    if kind < 0.35:
        out = cv2.GaussianBlur(out, (0, 0), max(0.3, unit * rng.uniform(0.3, 1.3)))
    elif kind < 0.5:
        out = cv2.filter2D(out, -1, _shake(rng, unit * rng.uniform(1.5, 5)))
    if rng.random() < 0.3:
        soft = cv2.GaussianBlur(out, (0, 0), unit * 1.2)
        out = cv2.addWeighted(out, 1.6, soft, -0.6, 0)
    sigma = rng.uniform(0, 4) if rng.random() < 0.7 else rng.uniform(4, 13)
    noise = rng.standard_normal((out.shape[0] // 2 + 1, out.shape[1] // 2 + 1, 3), dtype=np.float32) * sigma
    grain = cv2.resize(noise, (out.shape[1], out.shape[0]), interpolation=cv2.INTER_LINEAR)
    return np.asarray(np.clip(out.astype(np.float32) + grain, 0, 255)).astype(np.uint8)


def _shake(rng: Generator, length: float) -> Matrix:
    size = 2 * int(np.ceil(length / 2)) + 1
    kernel = np.zeros((size, size), np.float32)
    angle = rng.uniform(0, np.pi)
    d = np.array([np.cos(angle), np.sin(angle)]) * length / 2
    middle = size // 2
    start, end = (tuple(round(float(v)) for v in middle + s * d) for s in (-1, 1))
    cv2.line(kernel, start, end, 1.0, 1)
    return np.asarray(kernel / kernel.sum())


def jpeg(picture: Image, quality: int) -> bytes:
    """Encode RGB as JPEG."""
    return bytes(cv2.imencode(".jpg", picture[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])[1])
