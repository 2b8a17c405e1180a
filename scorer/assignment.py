"""Assignment: pairs the rows of a cost matrix with its columns, one to one, so that the sum of the costs is least.

Kuhn (1955), as shortest augmenting paths with prices of rows and columns (Jonker and Volgenant 1987). The tables of this
program are small (piles, decks, cards of one photo); a numerical library for them would be a quarter of the installation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Costs = Sequence[Sequence[float]]


def cheapest_pairs(costs: Costs) -> list[tuple[int, int]]:
    """Return (row, column) pairs, sorted by row: as many as the shorter side has, with the least sum of costs.

    Args:
        costs: rows of equal length, finite numbers.
    """
    if not costs or not costs[0]:
        return []
    if len(costs) > len(costs[0]):
        return sorted((row, column) for column, row in cheapest_pairs(list(zip(*costs, strict=True))))
    prices = _Prices(costs)
    for row in range(len(costs)):
        prices.place(row)
    return sorted((row, column) for column, row in enumerate(prices.row_of) if row >= 0)


class _Prices:
    """Rows placed so far, and prices under which each of them has its cheapest column."""

    def __init__(self, costs: Costs) -> None:
        self.costs = costs
        self.of_rows = [0.0] * len(costs)
        self.of_columns = [0.0] * len(costs[0])
        self.row_of = [-1] * len(costs[0])

    def place(self, row: int) -> None:
        """Give a row a column; rows placed before move over where that is cheaper for all together."""
        width = len(self.of_columns)
        distance, came_from, done = [math.inf] * width, [-1] * width, [False] * width
        at, column, reached = row, -1, 0.0
        visited: list[tuple[int, float]] = []
        while at >= 0:
            for j in range(width):
                step = reached + self.costs[at][j] - self.of_rows[at] - self.of_columns[j]
                if not done[j] and step < distance[j]:
                    distance[j], came_from[j] = step, column
            column = min((j for j in range(width) if not done[j]), key=distance.__getitem__)
            done[column], reached, at = True, distance[column], self.row_of[column]
            visited.append((column, reached))
        self._reprice(row, visited, reached)
        self._shift(row, column, came_from)

    def _reprice(self, row: int, visited: list[tuple[int, float]], reached: float) -> None:
        self.of_rows[row] += reached
        for column, distance in visited[:-1]:
            self.of_columns[column] -= reached - distance
            self.of_rows[self.row_of[column]] += reached - distance

    def _shift(self, row: int, column: int, came_from: list[int]) -> None:
        while came_from[column] >= 0:
            self.row_of[column] = self.row_of[came_from[column]]
            column = came_from[column]
        self.row_of[column] = row
