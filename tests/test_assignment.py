"""Assignment: the cheapest of all pairings."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.assignment import cheapest_pairs

numbers = st.one_of(st.floats(-50, 50), st.integers(0, 3).map(float))


@st.composite
def tables(draw: st.DrawFn) -> list[list[float]]:
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    return [[draw(numbers) for _ in range(columns)] for _ in range(rows)]


def least(costs: list[list[float]]) -> float:
    """The least sum, by trying everything."""
    if len(costs) > len(costs[0]):
        costs = [list(column) for column in zip(*costs, strict=True)]
    ways = permutations(range(len(costs[0])), len(costs))
    return min(sum(costs[row][column] for row, column in enumerate(way)) for way in ways)


@given(tables())
def test_no_other_pairing_is_cheaper(costs: list[list[float]]) -> None:
    pairs = cheapest_pairs(costs)
    assert len(pairs) == min(len(costs), len(costs[0]))
    assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == len(pairs)
    assert pairs == sorted(pairs)
    assert sum(costs[row][column] for row, column in pairs) == pytest.approx(least(costs))


@pytest.mark.parametrize("costs", [[], [[]], [[], []]])
def test_nothing_to_pair(costs: list[list[float]]) -> None:
    assert cheapest_pairs(costs) == []


def test_a_long_table_is_paired_along_its_cheap_diagonal() -> None:
    size = 40
    costs = [[abs(row - column) ** 1.5 for column in range(size)] for row in range(size)]
    assert cheapest_pairs(costs) == [(n, n) for n in range(size)]
