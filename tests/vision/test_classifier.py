"""Crops stand upright, whichever way the card lies; names are probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.cards import DECK, Card, Joker
from scorer.vision.classifier import (
    CLASSES,
    CROP,
    RANKS,
    SPAN,
    SUITS,
    as_batch,
    classify,
    cut,
    face_probabilities,
    likeliest,
    upright,
)
from tests.vision.lying import chances

coordinates = st.tuples(st.floats(0, 4000), st.floats(0, 4000))
turns = st.floats(-3.14, 3.14)


def index_at(middle: tuple[float, float], turn: float, length: float) -> np.ndarray:
    """Rank and suit (2, 2): turn 0 is upright, turns are clockwise."""
    half = np.array([-np.sin(turn), np.cos(turn)]) * length / 2
    return np.array([middle - half, middle + half], np.float32)


@given(coordinates, turns, st.floats(5, 400))
def test_rank_and_suit_are_set_upright_in_the_middle(
    middle: tuple[float, float], turn: float, length: float
) -> None:
    points = index_at(middle, turn, length)
    matrix = upright(points)
    moved = points.astype(float) @ matrix[:, :2].T + matrix[:, 2]
    wanted = [[CROP / 2, CROP / 2 - SPAN / 2], [CROP / 2, CROP / 2 + SPAN / 2]]
    # Coordinates up to 4000 in single precision are exact to about 0.0003.
    assert moved == pytest.approx(np.array(wanted), abs=0.05)


@given(coordinates, turns, st.floats(5, 400))
def test_crops_are_turned_and_scaled_but_neither_mirrored_nor_sheared(
    middle: tuple[float, float], turn: float, length: float
) -> None:
    linear = upright(index_at(middle, turn, length))[:, :2]
    scale = SPAN / length
    assert linear @ linear.T == pytest.approx(scale**2 * np.eye(2), abs=scale**2 * 0.01)
    assert np.linalg.det(linear) > 0


def test_points_that_coincide_do_no_harm() -> None:
    assert np.isfinite(upright(np.full((2, 2), 7, np.float32))).all()


def spotted(middle: tuple[float, float], turn: float, length: float) -> np.ndarray:
    """A grey picture with a red spot at the rank, a blue one at the suit, and a green one to the right of the rank."""
    picture = np.full((400, 400, 3), 90, np.uint8)
    y, x = np.mgrid[:400, :400]
    rank, suit = index_at(middle, turn, length)
    right = rank + (suit - rank)[::-1] * [1, -1] * 0.8
    for (px, py), colour in ((rank, (255, 0, 0)), (suit, (0, 0, 255)), (right, (0, 255, 0))):
        picture[np.hypot(x - px, y - py) < 0.25 * length] = colour
    return picture


@settings(max_examples=40)
@given(turns, st.floats(14, 150))
def test_a_crop_shows_rank_above_suit_at_any_size(turn: float, length: float) -> None:
    crop = cut(spotted((200, 200), turn, length), index_at((200, 200), turn, length))
    assert crop.shape == (CROP, CROP, 3) and crop.dtype == np.uint8
    top, bottom, left = round(CROP / 2 - SPAN / 2), round(CROP / 2 + SPAN / 2), CROP // 2
    assert crop[top, left].argmax() == 0 and crop[bottom, left].argmax() == 2
    assert crop[top, left + round(0.8 * SPAN)].argmax() == 1


def test_large_indices_are_averaged_not_skipped() -> None:
    fine = np.zeros((1100, 1100, 3), np.uint8)
    fine[::2] = 255
    crop = cut(fine, index_at((550, 550), 0, 400))
    assert crop.min() > 100 and crop.max() < 155


def test_what_lies_outside_the_picture_repeats_its_edge() -> None:
    crop = cut(np.full((50, 50, 3), 200, np.uint8), index_at((0, 0), 0.4, 30))
    assert (crop == 200).all()


def test_a_batch_has_channels_first_from_0_to_1() -> None:
    pictures = np.zeros((2, 4, 6, 3), np.uint8)
    pictures[1, 2, 3] = (255, 51, 0)
    batch = as_batch(pictures)
    assert batch.shape == (2, 3, 4, 6) and batch.dtype == np.float32
    assert batch[1, :, 2, 3] == pytest.approx([1, 0.2, 0])


def test_names_are_probabilities() -> None:
    logits = np.zeros((2, len(CLASSES)), np.float32)
    logits[0, RANKS.index("Q")] = logits[0, len(RANKS) + SUITS.index("H")] = 9
    logits[:, -1] = 5, -1000
    batches: list[tuple[int, ...]] = []

    def network(batch: np.ndarray) -> np.ndarray:
        batches.append(batch.shape)
        return logits

    points = np.stack([index_at((40, 40), 0, 20), index_at((60, 60), 1, 20)])
    with np.errstate(over="ignore"):
        named = classify(np.zeros((100, 100, 3), np.uint8), points, network)  # type: ignore[arg-type]
    assert batches == [(2, 3, CROP, CROP)]
    assert named.ranks.sum(axis=1) == pytest.approx([1, 1]) and named.suits.sum(axis=1) == pytest.approx(
        [1, 1]
    )
    assert RANKS[int(named.ranks[0].argmax())] + SUITS[int(named.suits[0].argmax())] == "QH"
    assert named.index == pytest.approx([0.9933, 0], abs=1e-3)


def test_without_indices_the_network_is_not_asked() -> None:
    named = classify(np.zeros((9, 9, 3), np.uint8), np.zeros((0, 2, 2), np.float32), None)  # type: ignore[arg-type]
    assert named.ranks.shape == (0, len(RANKS)) and named.suits.shape == (0, 4) and named.index.shape == (0,)


def test_ranks_and_suits_give_all_faces_and_the_joker() -> None:
    ranks, suits = chances("10D", 0.9)
    table = face_probabilities(ranks, suits)
    assert set(table) == {*DECK, Joker()}
    assert table[Card.parse("10D")] == pytest.approx(0.81) == max(table.values())
    # All that is missing is what looks like a letter of another language.
    assert sum(table.values()) == pytest.approx(1 - ranks[RANKS.index("?")])


@given(st.integers(0, 2**32 - 1))
def test_the_likeliest_face_is_that_of_the_largest_probability(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ranks, suits = (rng.dirichlet(np.full(n, 0.3)).astype(np.float32) for n in (len(RANKS), len(SUITS)))
    table = face_probabilities(ranks, suits)
    assert table[likeliest(ranks, suits)] == max(table.values())
