"""The camera: all cards in the picture from wherever it looks, never mirrored; light and lens spoil, but do not move."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.synth.camera import Camera, apply, jpeg, lens_and_sensor, light, random_camera, table_to_picture

angles = st.floats(-np.pi, np.pi)
cameras = st.builds(
    Camera,
    width=st.integers(300, 4000),
    height=st.integers(300, 4000),
    tilt=st.floats(0, 0.785),
    azimuth=angles,
    roll=angles,
    fill=st.floats(0.3, 1.0),
    focal=st.floats(0.8, 2.0),
)
spots = st.lists(st.tuples(st.floats(-20, 20), st.floats(-20, 20)), min_size=2, max_size=30).map(np.array)
CARD = np.array([[-0.5, 0.7], [0.5, 0.7], [0.5, -0.7], [-0.5, -0.7]])


def area(quad: np.ndarray) -> float:
    """Signed: positive where the corners run clockwise in the picture (y down)."""
    x, y = quad.T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


@given(cameras, spots)
def test_every_card_is_in_the_picture(camera: Camera, middles: np.ndarray) -> None:
    corners = (middles[:, None] + CARD).reshape(-1, 2)
    seen = apply(table_to_picture(camera, corners), corners)
    assert (seen > -1e-6).all()
    assert (seen < np.array([camera.width, camera.height]) + 1e-6).all()


@given(cameras, spots)
def test_no_card_is_mirrored_or_turned_away(camera: Camera, middles: np.ndarray) -> None:
    corners = middles[:, None] + CARD
    matrix = table_to_picture(camera, corners.reshape(-1, 2))
    assert all(area(apply(matrix, card)) > 0 for card in corners)


@given(cameras, spots)
def test_the_cards_fill_the_picture_as_far_as_asked(camera: Camera, middles: np.ndarray) -> None:
    corners = (middles[:, None] + CARD).reshape(-1, 2)
    extent = np.ptp(apply(table_to_picture(camera, corners), corners), axis=0)
    assert (extent / [camera.width, camera.height]).max() == pytest.approx(camera.fill)


def test_a_lower_camera_foreshortens_what_is_far() -> None:
    corners = np.array([[-5.0, -5.0], [5, -5], [5, 5], [-5, 5]])
    seen = apply(table_to_picture(Camera(480, 360, 0.7, 0.0, 0.0, 0.9), corners), corners)
    near, far = np.linalg.norm(seen[1] - seen[0]), np.linalg.norm(seen[2] - seen[3])
    assert far < 0.75 * near


def test_random_cameras_stay_within_the_tilt_asked_for() -> None:
    rng = np.random.default_rng(1)
    tilts = [random_camera(rng, 480, 360, tilt=0.5).tilt for _ in range(300)]
    assert min(tilts) >= 0 and max(tilts) == 0.5


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_light_and_lens_keep_the_picture_in_place(seed: int) -> None:
    picture = np.zeros((90, 120, 3), np.uint8)
    picture[20:70, 30:60] = 200
    rng = np.random.default_rng(seed)
    spoiled = lens_and_sensor(light(picture, rng), rng, 1.0)
    assert spoiled.shape == picture.shape and spoiled.dtype == np.uint8
    brightness = spoiled.astype(float).mean(axis=2)
    # Glare may be brighter than the thing itself, so only its edges are compared with what is just outside.
    assert brightness[25:65, 32:58].mean() > brightness[25:65, 4:26].mean()


def test_a_jpeg_shows_the_same_colours() -> None:
    picture = np.full((40, 60, 3), (200, 40, 90), np.uint8)
    decoded = cv2.imdecode(np.frombuffer(jpeg(picture, 95), np.uint8), cv2.IMREAD_COLOR)[..., ::-1]
    assert np.abs(decoded.astype(int) - picture).max() < 8
