"""Where the edges of a ribbon lie: what its line and its corners tell together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.vision.edges import SIDES, Alignment, Even, edges_along
from scorer.vision.lines import Line
from scorer.vision.rows import Corners
from tests.vision.lying import upright_edge

Columns = list[float]
UPPER, LOWER = SIDES[1], SIDES[0]
angles = st.floats(-np.pi, np.pi)


def line_at(angle: float, height: float = 150.0) -> Line:
    return Line(np.array([900.0, 700.0]), np.array([np.cos(angle), np.sin(angle)]), height)


def leaning(lean: float = 0.0, turn: float = 0.0) -> Alignment:
    return Alignment(Even(226.0, lean, turn))


def corners_of(
    line: Line, alignment: Alignment, columns: Columns, sides: tuple[float, ...] = SIDES
) -> Corners:
    """The corners of cards whose edges have their middles at these columns and lean so."""
    places = [(column, side) for column in columns for side in sides]
    points = np.array([alignment.end(line, column, side) for column, side in places]).reshape(-1, 2)
    inward = np.array([(line.axis - side * line.across) / np.sqrt(2) for _, side in places]).reshape(-1, 2)
    return Corners(points, inward, np.full(len(places), 110.0), np.full(len(places), 0.8))


def and_also(corners: Corners, others: Corners) -> Corners:
    parts = [
        np.concatenate([getattr(c, name) for c in (corners, others)])
        for name in ("points", "inward", "widths", "scores")
    ]
    return Corners(*parts)


def without(corners: Corners, number: int) -> Corners:
    return Corners(
        *(np.delete(getattr(corners, n), number, 0) for n in ("points", "inward", "widths", "scores"))
    )


def scored(columns: Columns) -> list[tuple[float, float]]:
    return [(column, 0.9) for column in columns]


SPREAD = [200.0, 214.0, 226.0, 241.0, 252.0]
LEANING = leaning(0.12, 0.0005)


@given(angles, st.floats(30, 400), st.floats(-0.2, 0.2), st.floats(-0.001, 0.001))
def test_edges_end_at_their_corners(angle: float, height: float, lean: float, turn: float) -> None:
    line, truth = line_at(angle, height), leaning(lean, turn)
    edges, _ = edges_along(line, corners_of(line, truth, SPREAD), scored(SPREAD))
    for edge, column in zip(edges, SPREAD, strict=True):
        assert len(edge.corners) == 2
        assert np.allclose(edge.start, truth.end(line, column, LOWER))
        assert np.allclose(edge.end, truth.end(line, column, UPPER))


@given(angles, st.floats(-0.2, 0.2))
def test_corners_along_one_side_tell_where_the_other_side_is(angle: float, lean: float) -> None:
    line, truth = line_at(angle), leaning(lean)
    edges, alignment = edges_along(line, corners_of(line, truth, SPREAD, (UPPER,)), scored(SPREAD))
    assert alignment.lean.value == pytest.approx(lean, abs=0.03)
    for edge, column in zip(edges, SPREAD, strict=True):
        assert len(edge.corners) == 1
        # A fiftieth of a card's height is less than a printed frame is wide.
        assert np.hypot(*(edge.start - truth.end(line, column, LOWER))) < line.height / 50


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("beside", [-6.0, 6.0])
def test_a_corner_beside_the_ribbon_does_not_pull_the_cards_around_it_aside(
    side: float, beside: float
) -> None:
    line = line_at(0.4)
    some = corners_of(line, LEANING, [SPREAD[0], SPREAD[4]])
    away = corners_of(line.shifted(beside / 48), LEANING, [SPREAD[2]], (side,))
    edges, _ = edges_along(line, and_also(some, away), scored(SPREAD))
    assert [len(edge.corners) for edge in edges] == [2, 0, 0, 0, 2]
    for own, end in zip((LOWER, UPPER), (edges[2].start, edges[2].end), strict=True):
        assert np.hypot(*(end - LEANING.end(line, SPREAD[2], own))) < line.height / 50


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("off", [-5.0, 5.0])
def test_what_looks_like_a_corner_and_stands_where_no_edge_ends_is_none(side: float, off: float) -> None:
    line = line_at(0.4)
    right = without(corners_of(line, LEANING, SPREAD), 4 if side == LOWER else 5)
    pattern = corners_of(line, LEANING, [SPREAD[2] + off], (side,))
    edges, _ = edges_along(line, and_also(right, pattern), scored(SPREAD))
    assert [len(edge.corners) for edge in edges] == [2, 2, 1, 2, 2]
    for own, end in zip((LOWER, UPPER), (edges[2].start, edges[2].end), strict=True):
        assert np.hypot(*(end - LEANING.end(line, SPREAD[2], own))) < line.height / 50


def test_two_corners_of_different_cards_make_no_crooked_edge() -> None:
    line, upright = line_at(0.0), Alignment()
    upper = corners_of(line, upright, [95.5], (UPPER,))
    lower = corners_of(line, upright, [106.5], (LOWER,))
    edges, _ = edges_along(line, and_also(upper, lower), scored([101.0, 140.0]))
    (edge, _) = edges
    along = edge.end - edge.start
    assert abs(along @ line.axis) < 0.15 * line.height


@pytest.mark.parametrize("sides", [(UPPER,), (LOWER,), SIDES])
def test_cards_close_to_one_another_keep_their_own_corners(sides: tuple[float, ...]) -> None:
    tight = [200.0 + 6 * n for n in range(9)]
    line = line_at(-1.1)
    edges, alignment = edges_along(line, corners_of(line, Alignment(), tight, sides), scored(tight))
    assert alignment.lean.value == pytest.approx(0.0, abs=0.01)
    assert [edge.corners for edge in edges] == [
        tuple(range(n * len(sides), (n + 1) * len(sides))) for n in range(9)
    ]


def test_a_corner_stands_at_one_edge_only_the_one_it_fits_best() -> None:
    line = line_at(0.3)
    edges, _ = edges_along(
        line, corners_of(line, Alignment(), [100.4], (UPPER,)), scored([100.0, 101.2, 130.0])
    )
    assert [len(edge.corners) for edge in edges] == [1, 0, 0]


def test_an_edge_without_corners_lies_as_far_beside_the_line_as_those_around_it() -> None:
    line = line_at(0.3)
    aside = line.shifted(3 / 48)
    corners = corners_of(aside, Alignment(), [SPREAD[0], SPREAD[1], SPREAD[3], SPREAD[4]])
    edges, _ = edges_along(line, corners, scored(SPREAD))
    assert edges[2].corners == ()
    assert np.allclose(edges[2].start, upright_edge(aside, SPREAD[2])[0])
    assert np.allclose(edges[2].end, upright_edge(aside, SPREAD[2])[1])


def test_without_corners_the_edges_stand_upright_at_their_columns() -> None:
    line, nothing = line_at(2.0), corners_of(line_at(2.0), Alignment(), [])
    edges, _ = edges_along(line, nothing, scored(SPREAD))
    for edge, column in zip(edges, SPREAD, strict=True):
        assert np.allclose(
            [edge.start, edge.end], upright_edge(line, column)
        ) and edge.score == pytest.approx(0.9)


def test_a_faint_corner_tells_where_an_edge_ends_but_does_not_make_it_surer() -> None:
    line = line_at(0.3)
    faint = corners_of(line, LEANING, SPREAD)
    scores = np.where(np.arange(10) == 4, 0.1, faint.scores)
    edges, _ = edges_along(line, replace(faint, scores=scores), scored(SPREAD))
    assert [len(edge.corners) for edge in edges] == [2, 2, 1, 2, 2]
    assert all(edge.stands == (True, True) for edge in edges)
    assert np.allclose(edges[2].start, LEANING.end(line, SPREAD[2], LOWER))
    assert edges[2].score == pytest.approx(1 - 0.1 * 0.2)


def test_a_plain_corner_goes_before_a_faint_one() -> None:
    line = line_at(0.3)
    plain, nearer = (corners_of(line, Alignment(), [column], (UPPER,)) for column in (101.0, 100.2))
    both = and_also(plain, replace(nearer, scores=np.array([0.2])))
    (edge, _), _ = edges_along(line, both, scored([100.0, 130.0]))
    assert edge.corners == (0,) and np.allclose(edge.end, plain.points[0])


def test_corners_make_an_edge_surer() -> None:
    line = line_at(0.3)
    edges, _ = edges_along(line, corners_of(line, Alignment(), [100.0]), [(100.0, 0.5), (140.0, 0.5)])
    assert edges[0].score == pytest.approx(1 - 0.5 * 0.2 * 0.2) and edges[1].score == pytest.approx(0.5)
