"""Ribbons looked for where the faces say that they lie; the network is stood in for by one that reads painted pictures."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.vision.guided import (
    EVERY_WAY,
    Sought,
    as_told,
    expected_ways,
    find_ribbon,
    overlap,
    without_others,
)
from scorer.vision.lines import CARDS, EDGE, END, FINER, FIRST, HEIGHT, LENGTH, Line, Reduced
from scorer.vision.rows import NO_CORNERS, UNSURE, BackRibbon, Edge
from scorer.vision.turned import WIDTH as FULL_WIDTH
from scorer.vision.turned import Explained, Fan, Scale
from tests.vision.lying import upright_edge

CARD_LENGTH = 150.0
PITCH, WIDTH = 14, 34
"""In columns of a line: from card to card, and of a whole card."""


def painted(line: Line, first: int, count: int) -> np.ndarray:
    """A picture in which a ribbon is written down: edges red, the far edge green, cards blue, the first edge half red."""
    y, x = np.mgrid[:800, :900]
    places = line.to_line(np.stack([x.ravel(), y.ravel()], axis=1).astype(float))
    column, row = (places[:, k].reshape(x.shape) for k in (0, 1))
    inside = np.abs(row - HEIGHT / 2) < 24
    picture = np.zeros((800, 900, 3), np.uint8)
    last = first + PITCH * (count - 1) + WIDTH
    picture[inside & (column >= first) & (column <= last), 2] = 255
    for n in range(count):
        picture[inside & (np.abs(column - first - PITCH * n) < 1.2), 0] = 255
    picture[inside & (np.abs(column - last) < 1.2), 1] = 255
    return picture


def whole(picture: np.ndarray) -> Reduced:
    return Reduced(picture, np.ones(2))


def reads_paint(batch: np.ndarray) -> np.ndarray:
    rows = batch[:, :, HEIGHT // 2 - 8 : HEIGHT // 2 + 8].mean(axis=2)
    colours = rows.reshape(*rows.shape[:2], LENGTH, FINER).mean(axis=3)
    shown = np.zeros((len(batch), 4, LENGTH), np.float32)
    shown[:, EDGE], shown[:, END], shown[:, CARDS] = colours[:, 0], colours[:, 1], colours[:, 2]
    before = np.roll(colours[:, 2], 4, axis=1)
    shown[:, FIRST] = colours[:, 0] * (before < 0.2)
    return np.asarray(12 * (shown - 0.4), np.float32)


def sought(middle: np.ndarray, count: int, *, gaps: np.ndarray | None = None) -> Sought:
    """A pile of so many cards around a place, by default as evenly spread as they are painted."""
    even = np.full(count - 1, PITCH / FULL_WIDTH)
    places = np.concatenate([[0.0], np.cumsum(even if gaps is None else gaps)])
    ranks = tuple(range(len(places), 0, -1))
    return Sought(middle, CARD_LENGTH, Fan(places, ranks), count, Scale())


def middle_of(line: Line, first: int, count: int) -> np.ndarray:
    start, end = upright_edge(line, first + (PITCH * (count - 1) + WIDTH) / 2)
    return np.asarray((start + end) / 2)


@settings(max_examples=12, deadline=None)
@given(st.floats(-3.1, 3.1), st.integers(1, 9), st.floats(-8, 8), st.floats(-8, 8))
def test_a_ribbon_is_found_whichever_way_it_was_turned(
    turn: float, count: int, right: float, down: float
) -> None:
    axis = np.array([np.cos(turn), np.sin(turn)])
    line = Line(np.array([450.0, 400.0]) - axis * CARD_LENGTH / 48 * 255, axis, CARD_LENGTH)
    first = 255 - (PITCH * (count - 1) + WIDTH) // 2
    expected = middle_of(line, first, count) + np.array([right, down])
    picture = whole(painted(line, first, count))
    found = find_ribbon(picture, sought(expected, count), NO_CORNERS, reads_paint)  # type: ignore[arg-type]
    assert found is not None and len(found.edges) == count
    assert found.axis @ axis > 0.98
    start, end = upright_edge(line, first)
    assert np.hypot(*((found.edges[0].start + found.edges[0].end - start - end) / 2)) < 30


def found_near(picture: np.ndarray, pile: Sought) -> BackRibbon | None:
    return find_ribbon(whole(picture), pile, NO_CORNERS, reads_paint)  # type: ignore[arg-type]


LEVEL = Line(np.array([50.0, 400.0]), np.array([1.0, 0.0]), CARD_LENGTH)


def test_a_ribbon_of_another_count_is_not_taken_for_it() -> None:
    assert found_near(painted(LEVEL, 100, 4), sought(middle_of(LEVEL, 100, 4), 5)) is None


def test_a_ribbon_spread_otherwise_than_its_faces_is_not_taken_for_it() -> None:
    uneven = np.array([5, 23, 5, 23]) / FULL_WIDTH
    middle = middle_of(LEVEL, 100, 5)
    assert found_near(painted(LEVEL, 100, 5), sought(middle, 5)) is not None
    assert found_near(painted(LEVEL, 100, 5), sought(middle, 5, gaps=uneven)) is None


def test_an_empty_table_shows_no_ribbon() -> None:
    empty = np.zeros((800, 900, 3), np.uint8)
    assert found_near(empty, sought(np.array([450.0, 400.0]), 3)) is None


def lying(x: float, y: float, count: int) -> BackRibbon:
    line = Line(np.array([x, y]), np.array([1.0, 0.0]), 140.0)
    edges = tuple(Edge(*upright_edge(line, 10.0 * n), (), 0.9) for n in range(count))
    return BackRibbon(edges, line.axis, 100.0, (count, count))


@pytest.mark.parametrize(
    ("x", "y", "expected"), [(30, 0, True), (0, 40, True), (0, 160, False), (400, 0, False)]
)
def test_ribbons_that_claim_the_same_cards_overlap(x: float, y: float, expected: bool) -> None:
    assert overlap(lying(0, 0, 5), lying(x, y, 3)) is expected
    assert overlap(lying(x, y, 3), lying(0, 0, 5)) is expected


angles = st.floats(-3.1, 3.1)


@given(st.lists(angles, min_size=3, max_size=8), angles, angles, st.sampled_from([-1, 1]))
def test_piles_turned_over_alike_tell_where_the_next_one_points(
    faces: list[float], face: float, offset: float, sign: int
) -> None:
    backs = [sign * way + offset for way in faces]
    ways = expected_ways(faces, backs, face)
    best = np.abs(np.exp(1j * ways) - np.exp(1j * (sign * face + offset))).min()
    # Where all lie along one line, mirrored and moved cannot be told apart.
    assert best < 1e-6 or abs(np.exp(2j * np.array(faces)).mean()) > 0.9999


def test_piles_turned_over_anyhow_tell_nothing() -> None:
    assert expected_ways([0.0, 0.5, 1.0, 1.5], [0.3, 2.9, -1.4, 1.0], 0.2) is EVERY_WAY
    assert expected_ways([0.0, 0.5], [0.0, 0.5], 0.2) is EVERY_WAY


def test_piles_in_one_line_may_have_been_turned_over_either_way() -> None:
    """A page turned and a pile moved as it lay look alike where all lie along one line; the next pile may lie aslant."""
    level = [0.0, 0.01, -0.01, 0.0]
    ways = expected_ways(level, level, 0.5)
    assert len(ways) < len(EVERY_WAY)
    for way in (0.5, -0.5):
        assert np.abs(ways - way).min() < 0.02


def test_what_lies_on_the_same_line_is_another_pile() -> None:
    line = Line(np.array([0.0, 300.0]), np.array([1.0, 0.0]), 48.0)
    everything = np.ones((4, LENGTH), np.float32)
    right = np.array([[200, 280], [300, 280], [300, 320], [200, 320]], float)
    above = right - [0, 100]
    middle = np.array([100.0, 300.0])
    assert (without_others(everything, line, middle, [above]) == 1).all()
    seen = without_others(everything, line, middle, [right, right - [250, 0]])
    assert (seen[:, 60:190] == 1).all()
    assert not seen[:, 200:].any() and not seen[:, :50].any()


def test_an_edge_that_lies_elsewhere_than_its_face_tells_is_not_sure() -> None:
    """The corners of the next card pulled it there: its strip shows that one."""
    line = Line(np.array([100.0, 200.0]), np.array([1.0, 0.0]), 96.0)
    shown = Explained(
        (100.0, 110.0, 116.0), (0.99, 0.99, 0.99), 150.0, 1.0, 0.9, 0, True, 0, (100.0, 109.0, 110.0)
    )
    ribbon = as_told(line, shown, 3, NO_CORNERS)
    assert [edge.score <= UNSURE for edge in ribbon.edges] == [False, False, True]
