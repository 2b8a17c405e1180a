"""The detector's border: what a network answers becomes detections in pixels of the photo, each thing once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.vision.detector import (
    BACK,
    FACE,
    STRIDE,
    Detections,
    decode,
    detect,
    join,
    pick,
    pyramid,
    suppress,
)

Row = tuple[float, ...]


def row(x: float, y: float, size: float = 20, face: float = 0.9, back: float = 0.0) -> Row:
    """One anchor's answer: a box about (x, y), class scores, rank above suit."""
    return (x, y, size, size * 1.5, face, back, x, y - size / 2, x, y + size / 2)


def answer(*rows: Row) -> np.ndarray:
    """(1, 10, anchors) as a network gives it."""
    return np.array(rows, np.float32).reshape(-1, 10).T[None]


def test_an_answer_is_decoded_to_boxes_scores_classes_and_points() -> None:
    found = decode(answer(row(50, 80), row(10, 10, face=0.1), row(90, 20, face=0.2, back=0.7)), 0.25)
    assert found.boxes.tolist() == [[40, 65, 60, 95], [80, 5, 100, 35]]
    assert found.scores == pytest.approx([0.9, 0.7])
    assert found.classes.tolist() == [FACE, BACK]
    assert found.points.tolist() == [[[50, 70], [50, 90]], [[90, 10], [90, 30]]]


def test_nothing_above_the_threshold_is_no_detection() -> None:
    assert len(decode(answer(row(50, 80, face=0.2)), 0.25)) == 0
    assert len(suppress(decode(answer(row(50, 80, face=0.2)), 0.25))) == 0
    assert len(decode(answer(), 0.25)) == 0


def test_overlapping_boxes_of_one_class_are_one_thing() -> None:
    found = suppress(
        decode(answer(row(50, 80, face=0.6), row(52, 81, face=0.9), row(50, 79, face=0.7)), 0.25)
    )
    assert found.scores == pytest.approx([0.9])


def test_a_box_within_another_on_the_same_index_is_the_same_thing() -> None:
    # The two scales of the pyramid see the same index with boxes of different size.
    found = suppress(decode(answer(row(50, 80, size=60, face=0.5), row(50, 80, size=20, face=0.8)), 0.25))
    assert found.scores == pytest.approx([0.8])


def test_a_corner_may_be_a_back_where_another_index_is() -> None:
    both = decode(answer(row(50, 80), row(50, 80, face=0.0, back=0.8)), 0.25)
    assert sorted(suppress(both).classes.tolist()) == [FACE, BACK]


def test_neighbours_in_a_tight_ribbon_stay() -> None:
    rows = [row(40 + 16 * i, 80, size=22, face=0.5 + 0.04 * i) for i in range(10)]
    assert len(suppress(decode(answer(*rows), 0.25), overlap=0.55)) == 10


spots = st.lists(st.tuples(st.floats(0, 400), st.floats(0, 400), st.floats(0.3, 1)), max_size=25)


@settings(max_examples=60)
@given(spots)
def test_suppression_keeps_the_surest_and_is_done_once(places: list[tuple[float, float, float]]) -> None:
    found = decode(answer(*(row(x, y, face=s) for x, y, s in places)), 0.25)
    kept = suppress(found)
    assert len(kept) <= len(found)
    if places:
        assert kept.scores.max() == found.scores.max()
    again = suppress(kept)
    assert sorted(map(tuple, again.boxes.tolist())) == sorted(map(tuple, kept.boxes.tolist()))


def network_that_sees(
    marks: list[tuple[int, int]], shapes: list[tuple[int, ...]]
) -> Callable[[np.ndarray], np.ndarray]:
    """Stands in for a network: finds every white spot of the picture it is given, whatever its scale."""

    def infer(batch: np.ndarray) -> np.ndarray:
        shapes.append(batch.shape)
        ys, xs = np.nonzero(batch[0].min(axis=0) > 0.9)
        rows = []
        for group in range(len(marks)):
            near = np.abs(xs / max(batch.shape[3], 1) - marks[group][0] / 640) < 0.05
            if near.any():
                rows.append(row(float(xs[near].mean()) + 0.5, float(ys[near].mean()) + 0.5))
        return answer(*rows)

    return infer


@pytest.mark.parametrize("sides", [(640,), (320,), (1280, 320)])
def test_detections_are_in_pixels_of_the_photo_at_every_scale(sides: tuple[int, ...]) -> None:
    picture = np.zeros((480, 640, 3), np.uint8)
    marks = [(100, 60), (500, 400)]
    for x, y in marks:
        picture[y - 8 : y + 8, x - 8 : x + 8] = 255
    shapes: list[tuple[int, ...]] = []
    found = detect(picture, network_that_sees(marks, shapes), sides, 0.25)
    assert sorted(map(tuple, found.points.mean(axis=1).round().astype(int).tolist())) == marks
    assert len(shapes) == len(sides)
    assert [max(shape[2:]) for shape in shapes] == list(sides)


@settings(max_examples=30)
@given(st.integers(1, 200), st.integers(1, 200))
def test_a_network_is_given_whole_strides_of_values_from_0_to_1(width: int, height: int) -> None:
    seen: list[np.ndarray] = []

    def infer(batch: np.ndarray) -> np.ndarray:
        seen.append(batch)
        return answer()

    detect(np.full((height, width, 3), 255, np.uint8), infer, (128,), 0.25)
    (batch,) = seen
    assert batch.dtype == np.float32 and batch.shape[:2] == (1, 3)
    assert batch.shape[2] % STRIDE == batch.shape[3] % STRIDE == 0
    assert batch.max() == 1 and batch.min() >= 0
    assert (batch[0, :, 0, 0] == 1).all()


def test_small_photos_are_enlarged_at_most_twice_and_looked_at_once() -> None:
    assert list(pyramid(4000, 3000, (1280, 480))) == [0.32, 0.12]
    assert list(pyramid(300, 400, (1280, 480))) == [2.0, 1.2]
    assert list(pyramid(100, 200, (1280, 480))) == [2.0]


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(ValueError, match=r"scores has shape \(3,\), expected \(2,\)"):
        Detections(np.zeros((2, 4)), np.zeros(3), np.zeros(2, int), np.zeros((2, 2, 2)))


def test_detections_are_joined_and_picked_by_mask_or_number() -> None:
    first, second = decode(answer(row(50, 80)), 0.2), decode(answer(row(9, 9), row(70, 7)), 0.2)
    both = join([first, second])
    assert both.boxes.tolist() == [*first.boxes.tolist(), *second.boxes.tolist()]
    assert len(join([])) == 0
    assert pick(both, both.points[:, 0, 0] > 40).boxes.tolist() == pick(both, np.array([0, 2])).boxes.tolist()


@pytest.mark.parametrize(("span", "faint", "looks"), [(300, 0, 1), (30, 0, 2), (300, 5, 1)])
def test_small_indices_that_show_plainly_are_looked_at_more_closely(
    span: int, faint: int, looks: int
) -> None:
    seen: list[tuple[int, ...]] = []

    def infer(batch: np.ndarray) -> np.ndarray:
        seen.append(batch.shape[2:])
        scale = batch.shape[3] / 4000
        x, y = 2000 * scale, 1000 * scale
        row = [x, y, 60 * scale, 2 * span * scale, 0.9, 0.0, x, y - span * scale / 2, x, y + span * scale / 2]
        small = [[90.0 * n, 9.0, 4.0, 4.0, 0.1, 0.0, 90.0 * n, 8.0, 90.0 * n, 10.0] for n in range(faint)]
        return np.array([row, *small], np.float32).T[None]

    found = detect(np.zeros((2000, 4000, 3), np.uint8), infer, (1280,), 0.06, 2048)
    assert len(seen) == looks and len(found) == 1 + faint
    assert np.allclose(found.points[0], [[2000, 1000 - span / 2], [2000, 1000 + span / 2]], atol=2)
