"""Training examples: labels move with the picture. Needs no torch."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.training import crops
from scorer.training.crops import (
    NOTHING,
    LabelledScene,
    back_outline,
    classifier_examples,
    detector_example,
    strip_examples,
)
from scorer.vision.backs import STRIP
from scorer.vision.classifier import CROP, RANKS, SUITS
from tests.vision.lying import BOTH, LEFT, RIGHT, Lying, Print, View, back_corner_points, on_table

seeds = st.integers(0, 2**32 - 1)
HEIGHT, WIDTH = 600, 800


@pytest.fixture(autouse=True, scope="module")
def plain() -> Iterator[None]:
    """Examples are cut without changing their colours, so that these can tell what they show."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(crops, "recoloured", lambda picture, _rng: picture)
        patch.setattr(crops, "_softened", lambda crop, _rng: crop)
        patch.setattr(crops, "_softened_strip", lambda strip, _rng: strip)
        yield


def by_place() -> np.ndarray:
    """A picture whose red and green tell where each pixel was."""
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    return np.stack([255 * x / WIDTH, 255 * y / HEIGHT, np.full_like(x, 128, float)], 2).astype(np.uint8)


def place_of(colour: np.ndarray) -> np.ndarray:
    return np.asarray(colour[:2].astype(float) * [WIDTH, HEIGHT] / 255)


VIEW = View(0.3, 0.2, 0.1)


def in_picture(points: np.ndarray) -> np.ndarray:
    """Pixels of points on the table, in a picture of this size."""
    return np.asarray(VIEW.pixels(points) - 2000 + [WIDTH / 2, HEIGHT / 2])


CARDS = [
    Lying("10H", -2, -1, 0.3),
    Lying("JK", 0, 1, -1.0),
    Lying("?S", 2, -0.5, 2.0),
    Lying("AC", 1.5, 1.5, 0.0),
]


def faces_scene(cards: list[Lying] = CARDS) -> LabelledScene:
    index = []
    for card in cards:
        for corner in BOTH:
            points = Print().index(card, corner)
            middle, half = points.mean(axis=0), points[1] - points[0]
            aside = np.array([-half[1], half[0]]) * 0.5
            outline = [
                middle - half - aside,
                middle - half + aside,
                middle + half + aside,
                middle + half - aside,
            ]
            index.append(in_picture(np.array([*points, *outline])))
    return LabelledScene(
        by_place(),
        {
            "index": np.array(index, np.float32).reshape(-1, 6, 2),
            "face": np.array([card.face for card in cards for _ in BOTH], "U3"),
            "back": np.zeros((0, 2, 2), np.float32),
            "quads": np.array([quad(card) for card in cards], np.float32),
        },
    )


def quad(card: Lying) -> np.ndarray:
    return in_picture(on_table(card, [*LEFT[:1], *RIGHT, *LEFT[1:]]))


def backs_scene() -> LabelledScene:
    """Two ribbons of two decks, each card in the colour of its deck."""
    cards = [Lying("AS", -3 + 0.5 * i, -1.5) for i in range(4)] + [
        Lying("AS", 0.5 * i, 1.0) for i in range(3)
    ]
    decks = [0, 1, 1, 0, 1, 0, 1]
    picture = np.full((HEIGHT, WIDTH, 3), 128, np.uint8)
    quads = np.array([quad(card) for card in cards], np.float32)
    for outline, deck in zip(quads, decks, strict=True):
        cv2.fillConvexPoly(picture, outline.round().astype(np.int32), ((255, 0, 0), (0, 0, 255))[deck])
    points = [p for ribbon in (cards[:4], cards[4:]) for p in back_corner_points(ribbon)]
    labels = {
        "index": np.zeros((0, 6, 2), np.float32),
        "face": np.zeros(0, "U3"),
        "back": np.array([in_picture(p) for p in points], np.float32),
        "quads": quads,
        "shown": np.full(7, 0.5, np.float32),
        "face_up": np.zeros(7, bool),
        "deck": np.array(decks, np.int16),
        "pile": np.array([0] * 4 + [1] * 3, np.int16),
    }
    return LabelledScene(picture, labels)


@settings(max_examples=40)
@given(seeds)
def test_labels_of_a_window_lie_on_what_they_label(seed: int) -> None:
    scene = faces_scene()
    example = detector_example(scene, 192, np.random.default_rng(seed))
    assert example.picture.shape == (192, 192, 3)
    wanted = scene.labels["index"][:, :2].astype(float)
    for label, points in zip(example.classes, example.points, strict=True):
        assert label == 0
        pixels = (points * 192).round().astype(int)
        if ((pixels >= 1) & (pixels < 191)).all():
            found = np.array([place_of(example.picture[y, x]) for x, y in pixels])
            assert np.abs(wanted - found).max(axis=(1, 2)).min() < 8


@settings(max_examples=40)
@given(seeds)
def test_boxes_hold_their_points_and_stay_in_the_window(seed: int) -> None:
    for scene in (faces_scene(), backs_scene()):
        example = detector_example(scene, 192, np.random.default_rng(seed))
        low, high = (
            example.boxes[:, :2] - example.boxes[:, 2:] / 2,
            example.boxes[:, :2] + example.boxes[:, 2:] / 2,
        )
        assert (low > -1e-6).all() and (high < 1 + 1e-6).all()
        inside = ((example.points > 0) & (example.points < 1)).all(axis=(1, 2))
        for k in np.flatnonzero(inside):
            assert (example.points[k] > low[k] - 0.02).all() and (example.points[k] < high[k] + 0.02).all()
        assert len({len(example.classes), len(example.boxes), len(example.points)}) == 1


def test_windows_show_cards_at_every_scale_the_detector_must_know() -> None:
    scene = backs_scene()
    lengths = []
    for seed in range(60):
        points = detector_example(scene, 192, np.random.default_rng(seed)).points
        lengths += (np.linalg.norm(points[:, 1] - points[:, 0], axis=1) * 192).tolist()
    widths = np.array(lengths) / 0.297
    assert widths.min() < 60 and widths.max() > 140


@given(st.floats(-3.1, 3.1), st.floats(5, 200))
def test_a_back_corner_is_a_square_patch_of_card(angle: float, width: float) -> None:
    c, s = np.cos(angle), np.sin(angle)
    corner, inward = np.array([[100.0, 50.0]]), np.array([[100 + width * c, 50 + width * s]])
    (patch,) = back_outline(corner, inward)
    sides = np.roll(patch, -1, axis=0) - patch
    lengths = np.linalg.norm(sides, axis=1)
    assert lengths == pytest.approx([width / np.sqrt(2)] * 4)
    assert [a @ b for a, b in zip(sides, np.roll(sides, -1, axis=0), strict=True)] == pytest.approx(
        [0] * 4, abs=1e-6 * width**2
    )
    assert patch[[0, 2]] == pytest.approx(np.array([corner[0], inward[0]]))


@settings(max_examples=25)
@given(seeds)
def test_crops_show_the_index_they_are_labelled_with(seed: int) -> None:
    scene = faces_scene()
    examples = classifier_examples(scene, np.random.default_rng(seed))
    labelled = examples[:8]
    names = [(RANKS[rank], SUITS[suit] if suit != NOTHING else "") for _, rank, suit in labelled]
    assert names == [("10", "H")] * 2 + [("JK", "")] * 2 + [("?", "S")] * 2 + [("A", "C")] * 2
    for (crop, _, _), index in zip(labelled, scene.labels["index"].astype(float), strict=True):
        assert crop.shape == (CROP, CROP, 3)
        length = float(np.linalg.norm(index[1] - index[0]))
        middle = crop[CROP // 2 - 1 : CROP // 2 + 1, CROP // 2 - 1 : CROP // 2 + 1].mean(axis=(0, 1))
        assert np.linalg.norm(place_of(middle) - index[:2].mean(axis=0)) < length + 5


@settings(max_examples=25)
@given(seeds)
def test_crops_without_an_index_say_so(seed: int) -> None:
    examples = classifier_examples(faces_scene(), np.random.default_rng(seed), nothings=2.0)
    nothings = [(rank, suit) for _, rank, suit in examples[8:]]
    assert nothings and set(nothings) == {(NOTHING, NOTHING)}


@settings(max_examples=25)
@given(seeds)
def test_strips_show_the_back_of_their_deck(seed: int) -> None:
    examples = strip_examples(backs_scene(), np.random.default_rng(seed))
    assert [deck for _, deck in examples] == [0, 1, 1, 0, 1, 0, 1]
    for strip, deck in examples:
        assert strip.shape == (*STRIP, 4)
        # Away from its edges, where the imprecision of the corners may show what lies beside the card.
        inner = strip[20:-20, 8:]
        inner = inner[inner[..., 3] == 255][:, :3]
        assert (inner.argmax(axis=1) == (0, 2)[deck]).mean() > 0.95


def test_cards_that_hardly_show_or_lie_face_up_give_no_strips() -> None:
    scene = backs_scene()
    scene.labels["shown"][0] = 0.05
    scene.labels["face_up"][1] = True
    assert len(strip_examples(scene, np.random.default_rng(1))) == 5
