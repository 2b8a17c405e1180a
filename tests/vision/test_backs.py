"""Backs: strips cut along exposed edges and embedded; corners on faces are no backs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.vision.backs import (
    BORDER,
    CLEARANCE,
    EMBEDDING,
    STRIP,
    STRIP_DEPTH,
    cut_strip,
    cut_strips,
    embed,
    read_backs,
)
from scorer.vision.detector import BACK, FACE
from scorer.vision.lines import LENGTH
from scorer.vision.rows import back_ribbons
from tests.vision.lying import View, back_corner_points, back_corners, detections, ribbon_of


def halves(height: int = 300, width: int = 400) -> np.ndarray:
    """A red picture, blue from column 200 on, with a green stripe above row 60."""
    picture = np.zeros((height, width, 3), np.uint8)
    picture[:, :200, 0] = picture[:, 200:, 2] = 255
    picture[:60] = (0, 255, 0)
    return picture


def point(x: float, y: float) -> np.ndarray:
    return np.array([x, y], np.float32)


def test_a_strip_shows_the_card_to_the_right_of_its_edge() -> None:
    strip = cut_strip(halves(), (point(200, 250), point(200, 100)))
    assert strip.shape == (*STRIP, 4)
    assert (strip[:, 2:] == (0, 0, 255, 255)).all()
    # Walked the other way, the card is what lies on the other side.
    strip = cut_strip(halves(), (point(200, 100), point(200, 250)))
    assert (strip[:, 2:] == (255, 0, 0, 255)).all()


def test_a_strip_ends_where_the_next_card_lies_on_it() -> None:
    edge, depth = (point(200, 250), point(200, 100)), 150 * STRIP_DEPTH
    # The card above lies askew: it covers more of the lower half.
    above = (point(200 + 0.4 * depth, 250), point(200 + 0.8 * depth, 100))
    own = cut_strip(halves(), edge, above)[..., 3] > 0
    clear = CLEARANCE / STRIP_DEPTH
    assert own[0].mean() == pytest.approx(0.8 - clear, abs=0.03)
    assert own[-1].mean() == pytest.approx(0.4 - clear, abs=0.03)
    # However near the next edge is said to be, something is looked at.
    assert cut_strip(halves(), edge, edge)[..., 3].mean() / 255 == pytest.approx(0.25, abs=0.03)


def test_a_strip_stands_upright_with_the_edges_end_on_top() -> None:
    strip = cut_strip(halves(), (point(210, 200), point(210, 20)))[..., :3]
    assert (strip[:18] == (0, 255, 0)).all() and (strip[24:] == (0, 0, 255)).all()


@settings(max_examples=40)
@given(st.floats(-3.1, 3.1), st.floats(30, 400))
def test_a_strip_is_the_same_however_the_card_lies(angle: float, length: float) -> None:
    along = np.array([np.sin(angle), -np.cos(angle)])
    inward = np.array([np.cos(angle), np.sin(angle)])
    middle = np.array([300.0, 300.0])
    y, x = np.mgrid[:600, :600]
    place = ((x - middle[0]) * along[0] + (y - middle[1]) * along[1]) / length
    depth = ((x - middle[0]) * inward[0] + (y - middle[1]) * inward[1]) / length
    picture = np.zeros((600, 600, 3), np.uint8)
    picture[..., 0] = np.clip(127 + 200 * place, 0, 255)
    picture[..., 1] = np.clip(500 * depth, 0, 255)
    strip = cut_strip(
        picture,
        (
            (middle - along * length / 2).astype(np.float32),
            (middle + along * length / 2).astype(np.float32),
        ),
    )
    wanted = np.clip(127 + 200 * np.linspace(0.5, -0.5, STRIP[0]), 0, 255)
    assert np.abs(strip[:, 12, 0] - wanted).max() < 16
    assert (
        np.abs(strip[48, :, 1] - np.clip(500 * STRIP_DEPTH * (np.arange(48) + 0.5) / 48, 0, 255)).max() < 40
    )


def test_a_strip_at_the_pictures_edge_repeats_what_is_there() -> None:
    strip = cut_strip(halves(), (point(399, 250), point(399, 100)))
    assert (strip[..., :3] == (0, 0, 255)).all()


def test_the_strips_of_a_ribbon_are_cut_from_the_lowest_card_up() -> None:
    cards = ribbon_of(["AS"] * 3, 0, 0, pitch=0.5)
    points = [p for p in back_corner_points(cards)]
    (ribbon,) = back_ribbons(back_corners(points, View()))
    picture = np.zeros((4000, 4000, 3), np.uint8)
    for card, colour in zip(cards, ((255, 0, 0), (0, 255, 0), (0, 0, 255)), strict=True):
        (x0, y0), (x1, y1) = (
            View().pixels(np.array([(card.x - 0.5, -0.7), (card.x + 0.5, 0.7)])).round().astype(int)
        )
        picture[y0:y1, x0:x1] = colour
    strips = cut_strips(picture, ribbon)
    assert strips.shape == (3, *STRIP, 4)
    assert strips[..., :3].mean(axis=(1, 2)).argmax(axis=1).tolist() == [0, 1, 2]
    # Half a card's width of the top card, and nearly as much of those half covered.
    assert (strips[2, ..., 3] == 255).all() and 0.85 < (strips[:2, ..., 3] == 255).mean() < 1
    seen: list[np.ndarray] = []
    embed(strips, lambda batch: seen.append(batch) or batch)  # type: ignore[arg-type]
    assert seen[0].shape == (3, 3, *BORDER) and seen[0].max() == 1
    assert embed(strips[:0], lambda batch: batch).shape == (0, EMBEDDING)  # type: ignore[arg-type]


def no_line(batch: np.ndarray) -> np.ndarray:
    """A line reader that sees nothing: ribbons stay what their corners say."""
    return np.full((len(batch), 4, LENGTH), -9.0, np.float32)


def test_corners_on_face_up_cards_are_no_backs() -> None:
    points = np.array(
        [View().pixels(p) for p in back_corner_points(ribbon_of(["AS"], 0, 0, pitch=0.5))], np.float32
    )
    found = detections(points, BACK)
    picture = np.zeros((2200, 2200, 3), np.uint8)
    (ribbon,) = read_backs(picture, found, no_line).ribbons  # type: ignore[arg-type]
    a, b, c, d = ((float(x), float(y)) for x, y in points[[0, 2, 3, 1], 0])
    assert len(ribbon.edges) == 1
    nothing = read_backs(picture, found, no_line, [(a, b, c, d)])  # type: ignore[arg-type]
    assert (nothing.ribbons, nothing.strips) == ((), ())
    assert read_backs(picture, detections(points, FACE), no_line).ribbons == ()  # type: ignore[arg-type]
