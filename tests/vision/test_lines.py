"""Ribbons read along their axis: geometry, and decoding of what the network says; the network is stood in for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.vision.growing import grown, line_through, ribbon_along, upright
from scorer.vision.lines import (
    CARD,
    CARDS,
    CLASSES,
    EDGE,
    END,
    FINER,
    FIRST,
    HEIGHT,
    LENGTH,
    Line,
    LineReading,
    Reduced,
    cut_line,
    find_cards,
    read_lines,
)
from scorer.vision.models import network
from scorer.vision.rows import BackRibbon, Corners, Edge
from tests.vision.lying import upright_edge

ANSWER = (4, LENGTH)


def answer(edges: list[int], end: int, *, cards: tuple[int, int] | None = None) -> np.ndarray:
    """What a perfect network says of a ribbon with exposed edges at these columns."""
    said = np.zeros(ANSWER, np.float32)
    first, last = cards or (edges[0], end)
    said[CARDS, first : last + 1] = 0.99
    said[EDGE, edges] = 0.9
    said[END, end] = 0.9
    said[FIRST, edges[0]] = 0.9
    return said


def ribbon(columns: list[float], line: Line, *, sides: int = 2) -> BackRibbon:
    """A piece of a ribbon with its edges at these columns of a line."""
    edges = tuple(Edge(*upright_edge(line, c), tuple(range(sides)), 0.9) for c in columns)
    return BackRibbon(edges, line.axis, line.height / 1.4, (len(edges), len(edges)))


def corners_at(line: Line, *columns: float) -> Corners:
    """The upper corners of the cards whose exposed edges stand at these columns."""
    points = np.array([upright_edge(line, c)[1] for c in columns])
    inward = np.tile((line.axis + line.across) / np.sqrt(2), (len(columns), 1))
    return Corners(points, inward, np.full(len(columns), 110.0), np.full(len(columns), 0.8))


NO_CORNERS = Corners(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0), np.zeros(0))
angles = st.floats(-np.pi, np.pi)


def line_at(angle: float, height: float = 150.0) -> Line:
    return Line(np.array([900.0, 700.0]), np.array([np.cos(angle), np.sin(angle)]), height)


@given(angles, st.floats(20, 400), st.floats(0, LENGTH))
def test_an_edge_stands_across_its_line_with_the_card_to_the_right(
    angle: float, height: float, column: float
) -> None:
    line = line_at(angle, height)
    start, end = upright_edge(line, column)
    assert np.hypot(*(end - start)) == pytest.approx(height)
    places = line.to_line(np.array([start, end]))
    assert places[:, 0] == pytest.approx([column, column])
    assert places[:, 1] == pytest.approx([HEIGHT / 2 + CARD / 2, HEIGHT / 2 - CARD / 2])
    along = end - start
    assert np.array([-along[1], along[0]]) @ line.axis > 0


def test_a_line_is_cut_out_upright() -> None:
    picture = np.zeros((1400, 1800, 3), np.uint8)
    line = Line(np.array([300.0, 200.0]), np.array([0.0, 1.0]), float(CARD))
    # Along +y; across is then -x: a white square 60 to 80 pixels down the line, left of it.
    picture[260:280, 280:300] = 255
    cut = cut_line(picture, line)
    rows, columns = np.nonzero(cut[..., 0] > 127)
    assert columns.min() // FINER in (59, 60, 61) and columns.max() // FINER in (78, 79, 80)
    assert rows.min() >= HEIGHT // 2


def test_a_line_and_its_mirror_image_read_alike() -> None:
    picture = np.random.default_rng(4).integers(0, 256, (HEIGHT, 700, 3)).astype(np.uint8)
    # Row 0 of a line lies at the middle of its first pixel, so that the mirror runs between the two rows in its middle.
    line = Line(np.array([0.0, HEIGHT / 2]), np.array([1.0, 0.0]), float(CARD))
    read = [
        read_lines(Reduced(p, np.ones(2)), [line], network("lines", CLASSES))[0]
        for p in (picture, picture[::-1].copy())
    ]
    assert read[0].shape == ANSWER and read[0].std() > 0.01
    assert np.abs(read[0] - read[1]).max() < 1e-3


def test_every_edge_is_found_between_the_ribbons_ends() -> None:
    edges = [100, 112, 126, 138, 150]
    found = find_cards(answer(edges, 184), 126)
    assert found.columns == tuple(edges) and found.end == 184


@pytest.mark.parametrize("seed", [102, 140, 170])
def test_a_ribbon_right_behind_is_not_read_along(seed: int) -> None:
    said = answer([100, 120, 140], 176)
    behind = answer([180, 200], 236)
    found = find_cards(np.maximum(said, behind), seed)
    assert found.columns == (100, 120, 140)


def test_a_ribbon_right_before_is_not_read_along() -> None:
    said = np.maximum(answer([100, 120, 140], 176), answer([180, 200], 236))
    assert find_cards(said, 205).columns == (180, 200)


@pytest.mark.parametrize("seed", [181, 205, 230])
def test_a_ribbon_lying_the_other_way_right_before_is_not_read_along(seed: int) -> None:
    assert find_cards(answer([180, 200], 236, cards=(90, 236)), seed).columns == (180, 200)


def test_of_two_answers_for_one_edge_the_surer_counts() -> None:
    said = answer([100, 130], 166)
    said[EDGE, 102] = 0.6
    assert find_cards(said, 130).columns == (100, 130)


def test_a_ribbon_grows_from_the_one_edge_that_corners_gave() -> None:
    line = line_at(0.3)
    piece = ribbon([250.0], line)
    through = line_through(piece)
    middle = through.to_line(np.array([(piece.edges[0].start + piece.edges[0].end) / 2]))[0, 0]
    seed = round(float(middle))
    said = answer([seed - 30, seed - 14, seed, seed + 15], seed + 49)

    def network(batch: np.ndarray) -> np.ndarray:
        return np.log(np.clip(said, 1e-4, 0.9999) / (1 - np.clip(said, 1e-4, 0.9999)))[None].repeat(
            len(batch), 0
        )

    (whole,) = grown(
        np.zeros((1400, 1800, 3), np.uint8), [piece], corners_at(through, seed, seed - 14), network
    )  # type: ignore[arg-type]
    assert len(whole.edges) == 4
    assert whole.axis == pytest.approx(line.axis, abs=1e-6)
    assert whole.counts == (4, 4)


def test_a_card_that_only_a_corner_shows_is_a_doubt() -> None:
    line = line_at(0.3)
    piece = ribbon([250.0], line)
    through = line_through(piece)
    said = answer([240, 256, 290], 324)
    corner = corners_at(through, 256, 273)

    def network(batch: np.ndarray) -> np.ndarray:
        return np.log(np.clip(said, 1e-4, 0.9999) / (1 - np.clip(said, 1e-4, 0.9999)))[None].repeat(
            len(batch), 0
        )

    (whole,) = grown(np.zeros((1400, 1800, 3), np.uint8), [piece], corner, network)  # type: ignore[arg-type]
    assert whole.counts == (3, 4)


def test_the_top_cards_pattern_is_no_further_card() -> None:
    said = answer([100, 120, 140], 174)
    said[EDGE, 165] = 0.9
    assert find_cards(said, 120).columns == (100, 120, 140)


def test_a_weak_edge_is_a_doubt_and_not_a_card() -> None:
    said = answer([100, 120, 140], 176)
    said[EDGE, 120] = 0.3
    found = find_cards(said, 100)
    assert found.columns == (100, 140) and found.possible == (120,)


def test_where_the_line_shows_nothing_the_corners_are_believed() -> None:
    piece = ribbon([250.0, 262.0], line_at(-1.0))

    def blind(batch: np.ndarray) -> np.ndarray:
        return np.full((len(batch), *ANSWER), -9.0, np.float32)

    assert grown(np.zeros((1400, 1800, 3), np.uint8), [piece], NO_CORNERS, blind) == [piece]  # type: ignore[arg-type]


def test_a_page_whose_lines_look_like_edges_is_no_ribbon() -> None:
    piece = ribbon([250.0], line_at(0.0))
    said = answer([240, 252, 264, 276, 288, 300], 334)

    def network(batch: np.ndarray) -> np.ndarray:
        return np.log(np.clip(said, 1e-4, 0.9999) / (1 - np.clip(said, 1e-4, 0.9999)))[None].repeat(
            len(batch), 0
        )

    assert grown(np.zeros((1400, 1800, 3), np.uint8), [piece], NO_CORNERS, network) == []  # type: ignore[arg-type]


@given(angles, st.floats(100, 900), st.floats(0, LENGTH))
def test_a_line_runs_through_the_same_places_of_a_reduced_photo(
    angle: float, height: float, column: float
) -> None:
    line = line_at(angle, height)
    photo = Reduced.of(np.zeros((3000, 4000, 3), np.uint8), height)
    there = photo.line(line)
    for whole, small in zip(upright_edge(line, column), upright_edge(there, column), strict=True):
        assert (small + 0.5) / photo.ratio - 0.5 == pytest.approx(whole, abs=0.01 * height)
    # Every pixel of a rectified line still gets one of the photo.
    assert there.scale * FINER < 2 or photo.ratio[0] == 1


def test_edges_closer_than_cards_lie_are_not_sure() -> None:
    line = line_at(0.3)
    reading = LineReading((100.0, 101.2, 130.0), (0.9, 0.9, 0.9), 164.0)
    found = ribbon_along(line, reading, corners_at(line, 100.4))
    assert [len(edge.corners) for edge in found.edges] == [0, 0, 0]
    assert [edge.score <= 0.5 for edge in found.edges] == [True, True, False]


def test_a_faint_edge_is_not_one_of_the_edges_once_more() -> None:
    line = line_at(0.3)
    # The first two stand at one corner, which the plainer of them rests on; the third lies apart.
    reading = LineReading((100.0, 130.0), (0.9, 0.9), 164.0, ((102.5, 0.4), (115.0, 0.3)))
    found = ribbon_along(line, reading, corners_at(line, 101.5))
    assert len(found.edges[0].corners) == 1
    assert [edge.score for edge in found.faint] == [pytest.approx(0.3)]


@pytest.mark.parametrize("angle", [0.0, 0.7, -2.0])
def test_a_card_alone_stands_on_its_long_edge_with_the_card_to_the_right(angle: float) -> None:
    across, up = np.array([np.cos(angle), np.sin(angle)]), np.array([np.sin(angle), -np.cos(angle)])
    right, left = 300 + 50 * across, 300 - 50 * across
    # Its corners gave the short edge at its foot; walked from right to left, the card is to the right.
    foot = BackRibbon((Edge(right, left, (0, 1), 0.9),), up, 140.0, (1, 1))
    single = upright(foot, 140.0)
    assert single is not None
    (edge,) = single.edges
    along = edge.end - edge.start
    assert np.allclose(along, 140 * up) and np.allclose(edge.start, left)
    assert np.allclose(single.axis, across) and np.allclose([-along[1], along[0]], 140 * single.axis)
