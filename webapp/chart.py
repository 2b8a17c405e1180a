"""The chart of totals over rounds as SVG: colours, dashes and shapes, since colour alone tells too little."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 360, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 92, 12, 26
_LABEL_GAP = 15
DASHES = ("", "7 4", "2 3", "10 3 2 3", "", "7 4", "2 3", "10 3 2 3")


@dataclass(frozen=True, slots=True)
class Run:
    """One player's line."""

    number: int
    name: str
    dash: str
    path: str
    dots: tuple[tuple[float, float], ...]
    label: tuple[float, float]
    total: int


@dataclass(frozen=True, slots=True)
class Chart:
    """What the template draws; all lengths in the units of the view box."""

    runs: tuple[Run, ...]
    rows: tuple[tuple[float, int], ...]
    """Grid lines: height and value."""
    columns: tuple[tuple[float, int], ...]
    """Round numbers: place and value."""
    goal: float | None
    """Height of the target line."""
    left: float = _LEFT
    right: float = WIDTH - _RIGHT
    bottom: float = HEIGHT - _BOTTOM
    width: int = WIDTH
    height: int = HEIGHT


def chart(history: Sequence[Mapping[str, int]], names: Sequence[str], goal: int | None) -> Chart:
    """Lay out the totals after each round; every player starts at 0."""
    totals = [dict.fromkeys(names, 0), *history]
    values = [value for after in totals for value in after.values()]
    # The target belongs to the picture once somebody is half way there.
    low, high = min(values), max(values)
    if goal is not None and high * 2 >= goal:
        high = max(high, goal)
    step = _step(high - low)
    low, high = step * (low // step), step * -(-max(high, low + step) // step)
    scale = _Scale(low, high, max(1, len(totals) - 1))
    ends = _spread({name: scale.y(totals[-1][name]) for name in names})
    return Chart(
        runs=tuple(_run(scale, totals, name, number, ends[name]) for number, name in enumerate(names, 1)),
        rows=tuple((scale.y(value), value) for value in range(low, high + 1, step)),
        columns=tuple((scale.x(number), number) for number in _numbers(len(totals) - 1)),
        goal=scale.y(goal) if goal is not None and low <= goal <= high else None,
    )


@dataclass(frozen=True, slots=True)
class _Scale:
    low: int
    high: int
    rounds: int

    def x(self, number: int) -> float:
        return round(_LEFT + (WIDTH - _LEFT - _RIGHT) * number / self.rounds, 1)

    def y(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * share, 1)


def _run(scale: _Scale, totals: Sequence[Mapping[str, int]], name: str, number: int, end: float) -> Run:
    points = tuple((scale.x(at), scale.y(after[name])) for at, after in enumerate(totals))
    return Run(
        number=number,
        name=name,
        dash=DASHES[number - 1],
        path="M" + " L".join(f"{x} {y}" for x, y in points),
        # With many rounds the shapes would hide the line.
        dots=points[1:] if len(points) <= 16 else points[-1:],
        label=(scale.x(len(totals) - 1) + 12, end),
        total=totals[-1][name],
    )


def _spread(heights: Mapping[str, float]) -> dict[str, float]:
    """Move labels apart that would cover one another, keeping their order and the picture's edges."""
    order = sorted(heights, key=lambda name: heights[name])
    placed: dict[str, float] = {}
    floor = float(_TOP)
    for name in order:
        placed[name] = max(heights[name], floor)
        floor = placed[name] + _LABEL_GAP
    ceiling = float(HEIGHT - _BOTTOM)
    for name in reversed(order):
        placed[name] = round(min(placed[name], ceiling), 1)
        ceiling = placed[name] - _LABEL_GAP
    return placed


def _step(span: int) -> int:
    """Return a round distance between grid lines, for at most six of them."""
    return next(step for step in (5, 10, 20, 25, 50, 100, 200, 500, 1000, 5000, 10**9) if span <= 5 * step)


def _numbers(rounds: int) -> range:
    """Which round numbers to write: all of a short match, every fifth of a long one."""
    return range(1, rounds + 1) if rounds <= 10 else range(5, rounds + 1, 5)
