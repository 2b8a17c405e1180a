"""Ribbons of backs, rebuilt from their corners: how many cards, in which order, and where each one's edge is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.synth.camera import Camera
from scorer.synth.render import render
from scorer.synth.rounds import lay_round
from scorer.synth.scene import turned_over
from scorer.vision.detector import BACK
from scorer.vision.rows import BackRibbon, Corners, Edge, back_ribbons, corners_of
from tests.rendered import decks, no_card_art, round_piles
from tests.vision.lying import (
    Lying,
    View,
    angles,
    back_corner_points,
    back_corners,
    calm_views,
    detections,
    ribbon_of,
    views,
)

pitches = st.floats(0.22, 0.7)
leans = st.floats(-0.15, 0.15)
seeds = st.integers(0, 2**32 - 1)

Owner = tuple[int, int]


def backs(count: int, x: float = 0.0, y: float = 0.0, **how: object) -> list[Lying]:
    return ribbon_of(["AS"] * count, x, y, **how)  # type: ignore[arg-type]


def owners_of(laid: Sequence[list[Lying]]) -> list[Owner]:
    """For each corner that shows: which ribbon's, and which card's of it from the lowest up."""
    return [
        (number, card)
        for number, cards in enumerate(laid)
        for card in [*(i for i in range(len(cards)) for _ in "ab"), len(cards) - 1, len(cards) - 1]
    ]


def points_of(laid: Sequence[list[Lying]]) -> list[np.ndarray]:
    return [point for cards in laid for point in back_corner_points(cards)]


def cards_in(ribbon: BackRibbon, owner: Sequence[Owner]) -> list[list[Owner]]:
    """Whose corners each edge of a ribbon rests on."""
    return [sorted({owner[k] for k in edge.corners}) for edge in ribbon.edges]


def found_as_laid(ribbons: list[BackRibbon], laid: Sequence[list[Lying]]) -> bool:
    """Whether the ribbons are those that were laid, each card once, from the lowest up."""
    owner = owners_of(laid)
    found = sorted(cards_in(ribbon, owner) for ribbon in ribbons)
    return found == [[[(n, i)] for i in range(len(cards))] for n, cards in enumerate(laid)]


@settings(max_examples=80)
@given(st.integers(2, 13), pitches, angles, leans, calm_views)
def test_a_ribbon_is_counted_twice_and_runs_from_the_lowest_card_up(
    count: int, pitch: float, direction: float, lean: float, view: View
) -> None:
    cards = backs(count, pitch=pitch, direction=direction, lean=lean)
    ribbons = back_ribbons(back_corners(points_of([cards]), view))
    assert found_as_laid(ribbons, [cards])
    assert ribbons[0].counts == (count, count)
    way = view.pixels(np.array([[cards[0].x, cards[0].y], [cards[-1].x, cards[-1].y]]))
    assert (way[1] - way[0]) @ ribbons[0].axis > 0.7 * np.linalg.norm(way[1] - way[0])


@settings(max_examples=40)
@given(st.integers(2, 13), pitches, angles, calm_views)
def test_edges_lie_on_their_cards_with_the_card_to_the_right(
    count: int, pitch: float, direction: float, view: View
) -> None:
    cards = backs(count, pitch=pitch, direction=direction)
    (ribbon,) = back_ribbons(back_corners(points_of([cards]), view))
    for card, edge in zip(cards, ribbon.edges, strict=True):
        lower, upper = back_corner_points([card])[:2]
        ends = view.pixels(np.array([lower[0], upper[0]]))
        assert min(np.abs([edge.start, edge.end] - e).max() for e in (ends, ends[::-1])) < 0.01
        along = edge.end - edge.start
        middle = view.pixels(np.array([[card.x, card.y]]))[0]
        assert np.array([-along[1], along[0]]) @ (middle - edge.start) > 0


tables = st.lists(st.integers(1, 13), min_size=1, max_size=5)


@settings(max_examples=60)
@given(tables, pitches, calm_views, seeds)
def test_piles_beside_one_another_stay_apart_under_noise(
    counts: list[int], pitch: float, view: View, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    laid = [
        backs(count, rng.normal(0, 0.2), 1.8 * i, pitch=pitch, lean=rng.normal(0, 0.04),
              untidy=rng.normal(0, 0.012, (count, 3)))
        for i, count in enumerate(counts)
    ]  # fmt: skip
    points = points_of(laid)
    ribbons = back_ribbons(back_corners(points, view, rng.normal(0, 0.01, (len(points), 2, 2))))
    assert found_as_laid(ribbons, laid)


@settings(max_examples=60)
@given(st.integers(4, 13), st.floats(0.25, 0.6), angles, calm_views, st.data())
def test_a_corner_that_was_not_found_is_made_up_for_by_the_other_side(
    count: int, pitch: float, direction: float, view: View, data: st.DataObject
) -> None:
    cards = backs(count, pitch=pitch, direction=direction)
    # Not a card at either end: a row that ends early says nothing about what lies beyond.
    missing = data.draw(st.integers(2, 2 * count - 3))
    points, owner = points_of([cards]), owners_of([cards])
    del points[missing], owner[missing]
    (ribbon,) = back_ribbons(back_corners(points, view))
    assert cards_in(ribbon, owner) == [[(0, i)] for i in range(count)]
    assert max(ribbon.counts) == count > min(ribbon.counts)
    lonely = [edge for edge in ribbon.edges if len(edge.corners) == 1]
    assert len(lonely) == 1
    ends = view.pixels(np.array([p[0] for p in back_corner_points([cards[missing // 2]])[:2]]))
    width = np.linalg.norm(ends[1] - ends[0]) / 1.4
    assert min(np.abs([lonely[0].start, lonely[0].end] - e).max() for e in (ends, ends[::-1])) < 0.3 * width


def test_two_corners_missing_on_different_sides_are_two_cards_doubted_not_one_lost() -> None:
    cards = backs(8, pitch=0.35)
    points, owner = points_of([cards]), owners_of([cards])
    for missing in (11, 4):
        del points[missing], owner[missing]
    (ribbon,) = back_ribbons(back_corners(points, View()))
    assert ribbon.counts == (7, 7)
    assert cards_in(ribbon, owner) == [[(0, i)] for i in range(8)]
    assert [len(edge.corners) for edge in ribbon.edges] == [2, 2, 1, 2, 2, 1, 2, 2]


@settings(max_examples=40)
@given(st.integers(3, 13), pitches, angles, calm_views)
def test_a_ribbon_whose_other_side_is_covered_is_doubted_not_lost(
    count: int, pitch: float, direction: float, view: View
) -> None:
    cards = backs(count, pitch=pitch, direction=direction)
    points = [point for number, point in enumerate(points_of([cards])[: 2 * count]) if number % 2 == 0]
    (ribbon,) = back_ribbons(back_corners(points, view))
    assert [edge.corners for edge in ribbon.edges] == [(i,) for i in range(count)]
    assert ribbon.counts == (count, 0)


@settings(max_examples=60)
@given(angles, views)
def test_a_single_card_is_a_ribbon_of_one(angle: float, view: View) -> None:
    (ribbon,) = back_ribbons(back_corners(back_corner_points([Lying("AS", 0, 0, angle)]), view))
    assert len(ribbon.edges) == 1 and ribbon.counts == (1, 1)
    assert len(ribbon.edges[0].corners) == 2


def test_surer_corners_make_surer_edges() -> None:
    points = np.array([View().pixels(p) for p in points_of([backs(3, pitch=0.4)])], np.float32)
    found = detections(points, BACK)
    found.scores[:] = 0.5
    found.scores[[0, 1]] = 0.9
    (ribbon,) = back_ribbons(corners_of(found))
    assert [edge.score for edge in ribbon.edges] == pytest.approx([0.99, 0.75, 0.75])


def test_corners_know_the_width_of_their_card() -> None:
    found = back_corners(back_corner_points([Lying("AS", 1, 2, 0.6)]), View())
    assert found.widths == pytest.approx([90] * 4, rel=0.01)
    assert np.linalg.norm(found.inward, axis=1) == pytest.approx([1] * 4)


def test_plain_corners_come_first_and_keep_their_numbers() -> None:
    found = detections(np.array([[[x, 0.0], [x + 9, 9.0]] for x in (10, 20, 30, 40)], np.float32), BACK)
    found.scores[:] = (0.1, 0.9, 0.2, 0.5)
    corners = corners_of(found)
    assert corners.points[:, 0].tolist() == [20, 40, 30, 10]
    assert corners.plain.points.tolist() == corners.points[:2].tolist()


def test_no_corners_no_ribbons() -> None:
    empty = Corners(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0), np.zeros(0))
    assert back_ribbons(empty) == []


@pytest.mark.parametrize("seed", range(6))
def test_a_rendered_round_is_rebuilt_from_the_corners_that_show(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tops = [int(v) for v in rng.integers(2, 14, 5)]
    with no_card_art():
        over = turned_over(lay_round(round_piles(*tops), decks("red", "blue"), rng))
        camera = Camera(800, 600, rng.uniform(0, 0.35), rng.normal(0, 0.3), rng.normal(0, 0.3), 0.95)
        photo = render(over, camera, hands=0.0)
    points = np.array([(c.corner, c.inward) for c in photo.back_corners], np.float32)
    ribbons = back_ribbons(corners_of(detections(points, BACK)))
    number = {card: (n, i) for n, pile in enumerate(over.piles) for i, card in enumerate(reversed(pile))}
    owner = [number[c.card] for c in photo.back_corners]
    # The top card of a turned pile is its ace: from the lowest card up it runs from the highest rank to the ace.
    found = sorted(cards_in(ribbon, owner) for ribbon in ribbons)
    assert found == [[[(n, i)] for i in range(top)] for n, top in enumerate(tops)]
    assert all(a.start @ r.axis < b.start @ r.axis for r in ribbons for a, b in pairwise(r.edges))


def counted(*scores: float, faint: tuple[tuple[int, float], ...] = ()) -> BackRibbon:
    """A ribbon with an edge of each score, 40 pixels apart, and faint edges at further places."""

    def edge(x: float, score: float) -> Edge:
        return Edge(np.array([x, 140.0]), np.array([x, 0.0]), (), score)

    edges = tuple(edge(40.0 * n, score) for n, score in enumerate(scores))
    axis = np.array([1.0, 0.0])
    return BackRibbon(edges, axis, 100.0, (len(edges), 0), tuple(edge(float(x), s) for x, s in faint))


def test_an_unequal_count_settles_nothing() -> None:
    assert counted(0.9, 0.9, 0.9, faint=((20, 0.3),)).counted_alike(4) is None
    assert counted(0.95, 0.55, 0.9).counted_alike(2) is None


def test_an_equal_count_settles_a_doubt() -> None:
    ribbon = counted(0.9, 0.6)
    settled = ribbon.counted_alike(2)
    assert settled is not None and settled.edges == ribbon.edges
    assert ribbon.counts == (2, 0) and settled.counts == (2, 2)


def test_an_equal_count_confirms_the_edges_unless_others_could_be_meant() -> None:
    ribbon = counted(0.9, 0.6, faint=((20, 0.3),)).counted_alike(2)
    assert ribbon is not None and ribbon.confirmed
    rivalled = counted(0.9, 0.6, faint=((20, 0.5),)).counted_alike(2)
    assert rivalled is not None and not rivalled.confirmed
