"""Chequered cloths: their squares are no cards."""

import numpy as np

from scorer.vision.cloth import is_cross, without_cloth
from scorer.vision.rows import Corners

SQUARE = 100
RED, WHITE, BLUE = (180, 30, 40), (235, 230, 220), (30, 40, 160)


def chequered(rows: int, columns: int) -> np.ndarray:
    """A cloth of red and white squares."""
    red = np.add.outer(np.arange(rows), np.arange(columns)) % 2 == 0
    return np.kron(np.where(red[..., None], RED, WHITE), np.ones((SQUARE, SQUARE, 1))).astype(np.uint8)


def gingham(rows: int, columns: int) -> np.ndarray:
    """A cloth whose red and white stripes cross."""
    red = (np.arange(rows) % 2)[:, None] + (np.arange(columns) % 2)[None]
    tones = np.array([WHITE, np.mean([RED, WHITE], axis=0), RED])
    return np.kron(tones[red], np.ones((SQUARE, SQUARE, 1))).astype(np.uint8)


def corners_at(points: list[tuple[int, int]]) -> Corners:
    """Corners at the top left of what is as wide as a square."""
    n = len(points)
    diagonal = np.full((n, 2), np.sqrt(0.5))
    return Corners(np.array(points, float).reshape(-1, 2), diagonal, np.full(n, float(SQUARE)), np.ones(n))


def crossings(rows: int, columns: int) -> list[tuple[int, int]]:
    """Where four squares meet."""
    return [(x * SQUARE, y * SQUARE) for y in range(1, rows) for x in range(1, columns)]


def with_card(cloth: np.ndarray, x: int, y: int) -> np.ndarray:
    """The cloth with a blue card on it, its corner at a place."""
    picture = cloth.copy()
    picture[y : y + 140, x : x + 100] = BLUE
    return picture


def test_where_four_squares_meet_no_card_begins_but_where_one_lies_on_the_cloth() -> None:
    # One card's corner in the middle of a square, one's on the line between two.
    cards = [(250, 140), (330, 300)]
    picture = with_card(with_card(chequered(5, 6), *cards[0]), *cards[1])
    covered = {(300, 200), (400, 300), (400, 400)}
    seen = corners_at([*(place for place in crossings(5, 6) if place not in covered), *cards])
    assert without_cloth(picture, seen).points.tolist() == [[float(x), float(y)] for x, y in cards]


def test_of_a_gingham_the_squares_that_are_all_red_or_all_white_are_known() -> None:
    places = crossings(7, 8)
    left = without_cloth(gingham(7, 8), corners_at(places)).points
    assert sorted(left.astype(int).tolist()) == sorted(
        [x, y] for x, y in places if (x // SQUARE + y // SQUARE) % 2
    )


def test_a_few_crosses_make_no_cloth() -> None:
    corners = corners_at(crossings(3, 4))
    assert is_cross(chequered(3, 4), corners).all()
    assert len(without_cloth(chequered(3, 4), corners).points) == len(corners.points) == 6


def test_a_card_on_an_even_table_or_on_another_card_is_no_cross() -> None:
    table = np.full((400, 400, 3), WHITE, np.uint8)
    ribbon = with_card(with_card(table, 100, 100), 130, 100)
    assert not is_cross(ribbon, corners_at([(100, 100), (130, 100)])).any()
    assert not is_cross(table, corners_at([(200, 200), (0, 0), (399, 399)])).any()
