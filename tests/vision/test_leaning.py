"""Edges that lean otherwise than they were found are laid where the picture shows them."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from scorer.vision.leaning import straightened
from scorer.vision.rows import BackRibbon, Edge

HEIGHT = 240.0
MIDDLE = np.array([300.0, 260.0])


def edge(lean: float, angle: float = 0.0, *, stands: tuple[bool, bool] = (False, False)) -> Edge:
    """An edge through MIDDLE of a ribbon that runs at an angle."""
    axis, across = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    half = (across - lean * axis) * HEIGHT / 2
    return Edge(MIDDLE + half, MIDDLE - half, (), 0.9, stands)


def ribbon(found: Edge, angle: float = 0.0) -> BackRibbon:
    return BackRibbon((found,), np.array([np.cos(angle), np.sin(angle)]), HEIGHT / 1.4, (1, 1))


def checks(size: int, dark: tuple[int, int, int], light: tuple[int, int, int]) -> np.ndarray:
    y, x = np.mgrid[:520, :600] // size
    return np.where(((x + y) % 2)[..., None] == 0, dark, light).astype(np.uint8)


def cards(below: np.ndarray, above: np.ndarray, lying: Edge, *, shadow: int = 0) -> np.ndarray:
    """A card with one print on one with another, its exposed edge where it lies; noisy, as a photo is."""
    along = lying.end - lying.start
    picture = below.copy()
    far = lying.start - 3 * along, lying.start + 4 * along
    card = np.array([*far, far[1] + (900, 0), far[0] + (900, 0)], np.int32)
    mask = cv2.fillPoly(np.zeros(picture.shape[:2], np.uint8), [card], 255)
    picture[mask > 0] = above[mask > 0]
    if shadow:
        cv2.line(picture, *(tuple(map(int, p)) for p in far), (shadow,) * 3, 3)  # type: ignore[call-overload]
    noisy = picture + np.random.default_rng(3).normal(0, 6, picture.shape)
    return np.clip(cv2.GaussianBlur(noisy, (0, 0), 1.0), 0, 255).astype(np.uint8)


RED, GREEN = checks(17, (130, 20, 30), (170, 70, 80)), checks(23, (20, 90, 40), (70, 130, 90))


def lean_of(found: Edge) -> float:
    along = found.start - found.end
    return float(-along[0] / along[1])


@pytest.mark.parametrize("lean", [-0.3, -0.12, 0.0, 0.2])
def test_an_edge_lies_where_one_print_ends_and_another_begins(lean: float) -> None:
    (found,) = straightened(cards(GREEN, RED, edge(lean)), ribbon(edge(0.0))).edges
    # Prints that vary much hide the edge a little: its ends lie within a twenty-fifth of its length.
    assert lean_of(found) == pytest.approx(lean, abs=0.08)
    assert (found.start + found.end) / 2 == pytest.approx(MIDDLE)
    assert (found.corners, found.score) == ((), 0.9)


@pytest.mark.parametrize("lean", [-0.15, 0.15])
def test_between_equal_backs_the_shadow_shows_the_edge(lean: float) -> None:
    plain = np.full((520, 600, 3), (90, 140, 200), np.uint8)
    (found,) = straightened(cards(plain, plain, edge(lean), shadow=40), ribbon(edge(0.0))).edges
    assert lean_of(found) == pytest.approx(lean, abs=0.04)


@pytest.mark.parametrize("lean", [-0.1, 0.1])
def test_where_the_picture_shows_nothing_an_edge_lies_as_it_was_found(lean: float) -> None:
    dark = np.zeros((520, 600, 3), np.uint8)
    (found,) = straightened(dark, ribbon(edge(lean))).edges
    assert lean_of(found) == pytest.approx(lean, abs=1e-6)


def test_two_corners_tell_more_than_the_picture() -> None:
    found = ribbon(edge(0.0, stands=(True, True)))
    assert straightened(cards(GREEN, RED, edge(0.2)), found) == found


@pytest.mark.parametrize("lean", [-0.12, 0.2])
def test_an_edge_is_turned_about_the_one_corner_that_was_found(lean: float) -> None:
    lying = edge(lean)
    half = (lying.start - lying.end)[0] / 2
    for stands, away in (((True, False), half), ((False, True), -half)):
        # Upright through the corner where the card really lies.
        upright = edge(0.0, stands=stands)
        moved = replace(
            upright, start=upright.start + np.array([away, 0]), end=upright.end + np.array([away, 0])
        )
        (found,) = straightened(cards(GREEN, RED, lying), ribbon(moved)).edges
        assert lean_of(found) == pytest.approx(lean, abs=0.04)
        held, at = (found.start, moved.start) if stands[0] else (found.end, moved.end)
        assert held == pytest.approx(at)


def test_an_edge_at_the_border_of_the_picture_is_looked_at_as_far_as_it_goes() -> None:
    picture = cards(GREEN, RED, edge(0.1))[:, 280:]
    moved = Edge(edge(0.0).start - (280, 0), edge(0.0).end - (280, 0), (), 0.9)
    (found,) = straightened(picture, ribbon(moved)).edges
    assert lean_of(found) == pytest.approx(0.1, abs=0.08)
