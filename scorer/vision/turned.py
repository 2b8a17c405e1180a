"""A ribbon of backs is the ribbon of its faces turned over: the same gaps between neighbouring cards, in reverse order.

The faces are read far more surely than edges between busy backs, so they tell where those edges must lie, but for where the
ribbon begins and how large it comes out. Some people square a pile and spread it anew: so this is believed where the line
shows it, and an edge that is plain though no face tells of it is kept, for then a face was overlooked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.cards import Rank, as_card
from scorer.reading import SeenCard
from scorer.vision.lines import (
    CARD,
    CARDS,
    EDGE,
    END,
    FIRST,
    LEAST_CARDS,
    LENGTH,
    TOP_CARD,
    LineReading,
    ends_around,
    peaks,
)

Floats = NDArray[np.float64]
Answer = NDArray[np.float32]

WIDTH = CARD / 1.4
"""Width of a card in columns of a line, where it is not foreshortened."""
MOST_LOGIT = 5.0
"""Beyond this an edge is as sure as it can be."""
ASTRAY, FARTHEST = 1.2, 3
"""How far from its due column an edge usually lies, and at most; in columns.

Measured on 2529 edges of rendered rounds: half of them within 0.4 columns, 95 % within 1.7, 99 % within 2.6.
"""
MOST_ASTRAY = 10.0
"""How far from its due column, in columns, the edge of a card may lie whose face misled; only a plain edge is taken for it.

Of 1125 edges of rendered rounds 13 were taken for that of a face more than 4 columns away. Eight were a pattern between equal
backs, and the card's edge stood where it was due; of the 4 plainest all were right.
"""
FEW_ASTRAY = 0.2
"""Share of a pile's cards that may do so, but one in any pile."""
ENDS_ASTRAY, ENDS_FARTHEST = 2.0, 5
"""The same of the top card's far edge."""
ENDS_WEIGHT = 0.5
"""Weight of either end of a ribbon against that of an edge."""
MISPLACED = 6.0
"""How far from where the camera's movement puts it the middle of a pile usually lies, columns: it may be shifted as it is
turned over."""
OVERLOOKED = -3.0
"""Logit of an edge below which nothing is to be seen of it, though a face tells that it is there."""
UNDENIED = 2.5
"""Logit of an edge that no pattern of a back looks like."""
TOLD = 1.5
"""What a face adds to the logit of its edge where the whole line shows what the faces tell."""
FURTHER = 1.5
"""Usual distances between cards within which a further one may lie under the lowest."""
ROOM = 0.65
"""Share of the usual distance from its neighbours on from which an edge may be that of a further card."""
FAINTEST = 0.01
"""Probability below which nothing is seen of an edge."""
ALONE = 0.4
"""Distance from a card alone, in its widths, at which a further one would lie."""
MOST_DEVIATIONS = 2.5
"""Standard deviations from the usual scale within which that of a pile lies."""
SCALES = 41
"""Widths of a card that are tried."""
FINALISTS = 10
"""Fits that are looked at closely."""


@dataclass(frozen=True, slots=True)
class Fan:
    """Where the exposed edges of a pile's backs lie along it, if it was turned over in place."""

    places: Floats
    """(n,) card widths from the lowest back, which is the last face, rising from 0."""
    ranks: tuple[int | None, ...]
    """(n,) of the same cards, None where a face is not read."""

    @property
    def usual_gap(self) -> float:
        """Usual distance between neighbours in card widths."""
        return float(np.median(np.diff(self.places))) if len(self.places) > 1 else ALONE

    def lacks(self, before: int) -> int | None:
        """How many faces are lacking before a card other than the first, by the ranks of its neighbours; with n, on the last.

        None where that is not known. Nothing lies on an ace.
        """
        under = self.ranks[before - 1]
        over = Rank.ACE - 1 if before == len(self.ranks) else self.ranks[before]
        return None if under is None or over is None else under - over - 1


@dataclass(frozen=True, slots=True)
class Scale:
    """How large the gaps between backs come out against those between their faces."""

    usual: float = 1.0
    spread: float = 0.1
    """Standard deviation of its logarithm."""


def fan_of(faces: Sequence[SeenCard]) -> Fan | None:
    """The fan that a pile of faces, from its lowest card up, makes when it is turned over; None where that is not known."""
    widths = [float(np.hypot(*np.subtract(c.quad[1], c.quad[0]))) for c in faces if c.quad]
    if not widths or not all(c.corners for c in faces):
        return None
    middles = np.array([np.mean(c.quad or c.corners, axis=0) for c in faces])
    way = middles[-1] - middles[0]
    axis = way / max(float(np.hypot(*way)), 1e-6)
    # Of a covered card the index at its exposed edge shows; indices lie more exactly than outlines.
    places = np.array([(np.array(c.corners) @ axis).min() for c in faces]) / float(np.mean(widths))
    fan = Fan(np.asarray(places[-1] - places[::-1], np.float64), tuple(_rank(c) for c in reversed(faces)))
    return fan if (np.diff(fan.places) > 0).all() else None


def _rank(seen: SeenCard) -> int | None:
    card = as_card(seen.face) if seen.face else None
    return card.rank if card else None


@dataclass(frozen=True, slots=True)
class Explained:
    """A line as the faces explain it."""

    columns: tuple[float, ...]
    """Of the edges, from the lowest card up."""
    scores: tuple[float, ...]
    end: float
    scale: float
    plain: float
    """How plainly edges and ends show where the faces tell them, 0 to 1."""
    missing: int
    """Edges that the faces tell of and of which nothing shows."""
    spans: bool
    """Whether the first and the last of those edges show: else the fan may have slid along the ribbon."""
    extra: int
    """Plain edges of which no face tells."""
    due: tuple[float | None, ...] = ()
    """Where the faces tell of the same edges; None where none does."""

    @property
    def agrees(self) -> bool:
        """Whether the line shows just what the faces tell."""
        return not self.missing and not self.extra

    @property
    def reading(self) -> LineReading:
        """The same as what was read along the line."""
        return LineReading(self.columns, self.scores, self.end)


def explained(
    answer: Answer,
    fan: Fan,
    scale: Scale,
    around: tuple[float, float] = (0.0, float(LENGTH)),
    expected: float | None = None,
) -> Explained | None:
    """Lay a fan on the line where it explains it best.

    Args:
        answer: (4, LENGTH) probabilities.
        fan: of the faces.
        scale: usual of the photo.
        around: columns between which the middle of the pile lies.
        expected: column of that where it is known from elsewhere.

    Returns:
        None where it fits nowhere on the line.
    """
    shown = _Shown.of(answer)
    fits = _fits(shown, fan, scale, around, expected)
    return max((_settled(shown, fan, fit, scale) for fit in fits), key=lambda s: s[0])[1] if fits else None


@dataclass(frozen=True, slots=True)
class _Shown:
    """What a line shows; (LENGTH,) each."""

    answer: Answer
    logits: Floats
    """Of edges."""
    edge: Floats
    """The best of them around every column, less the farther it lies; alike for either end of a ribbon."""
    first: Floats
    end: Floats
    every: tuple[int, ...]
    """Columns at which something of an edge shows."""

    @classmethod
    def of(cls, answer: Answer) -> _Shown:
        logits = _logits(answer[EDGE])
        return cls(
            answer,
            logits,
            _near(logits, ASTRAY, FARTHEST),
            _near(_logits(answer[FIRST]), ASTRAY, FARTHEST),
            _near(_logits(answer[END]), ENDS_ASTRAY, ENDS_FARTHEST),
            tuple(peaks(answer[EDGE], 1, LENGTH - 1, FAINTEST)),
        )


@dataclass(frozen=True, slots=True)
class _Fit:
    score: float
    start: float
    """Column of the lowest card's edge."""
    width: float
    """Columns of a card's width."""


def _logits(probabilities: Answer) -> Floats:
    p = np.clip(probabilities.astype(np.float64), 1e-6, 1 - 1e-6)
    return np.asarray(np.clip(np.log(p / (1 - p)), -MOST_LOGIT, MOST_LOGIT))


def _near(logits: Floats, astray: float, farthest: int) -> Floats:
    """For every column the best logit around it, less the farther it lies."""
    padded = np.pad(logits, farthest, constant_values=-MOST_LOGIT)
    shifts = range(-farthest, farthest + 1)
    moved = [padded[farthest + d : farthest + d + len(logits)] - (d / astray) ** 2 / 2 for d in shifts]
    return np.asarray(np.max(moved, axis=0))


def _fits(
    shown: _Shown, fan: Fan, scale: Scale, around: tuple[float, float], expected: float | None
) -> list[_Fit]:
    """The best fits by what shows at the due columns alone."""
    deviations = np.linspace(-MOST_DEVIATIONS, MOST_DEVIATIONS, SCALES)
    widths = WIDTH * scale.usual * np.exp(deviations * scale.spread)
    middles = np.arange(*np.clip(around, 0, LENGTH))
    starts = middles[None] - (widths * (fan.places.mean() + 0.5))[:, None]
    columns = starts[:, :, None] + widths[:, None, None] * fan.places
    ends = columns[:, :, -1] + WIDTH * scale.usual
    scores = _at(shown.edge, columns).sum(axis=2) - deviations[:, None] ** 2 / 2
    scores += ENDS_WEIGHT * (_at(shown.first, starts) + _at(shown.end, ends))
    if expected is not None:
        scores -= ((middles - expected) / MISPLACED) ** 2 / 2
    scores[(starts < 0) | (ends >= LENGTH)] = -np.inf
    best = np.unravel_index(np.argsort(-scores, axis=None)[:FINALISTS], scores.shape)
    return [
        _Fit(float(scores[i, j]), float(starts[i, j]), float(widths[i]))
        for i, j in zip(*best, strict=True)
        if np.isfinite(scores[i, j])
    ]


def _at(values: Floats, columns: Floats) -> Floats:
    return np.asarray(values[np.clip(np.round(columns).astype(int), 0, LENGTH - 1)], np.float64)


def _settled(shown: _Shown, fan: Fan, fit: _Fit, scale: Scale) -> tuple[float, Explained]:
    """A fit with the edges that show, and those of which no face tells; and its score, less what these speak against it."""
    # The width of the top card does not follow from a few gaps.
    top = WIDTH * scale.usual
    logits = shown.logits
    start, width = _refined(fit, fan, _found(fit.start + fit.width * fan.places, shown), logits, scale)
    due = start + width * fan.places
    found = _astray(_found(due, shown), due, shown)
    edges = [c if _is_edge(c, d, shown) else None for c, d in zip(found, due, strict=True)]
    ends = ends_around(shown.answer, _on_the_line(float(due.mean())))
    back = _shown_from(shown.answer, float(due[0]), FURTHER * fan.usual_gap * width)
    ends = (min(ends[0], back), ends[1])
    free = [c for c in shown.every if logits[c] > 0 and c not in found and _is_within(c, ends, due)]
    lacking = [c for c in free if _is_lacking(c, due, fan)]
    strange = [c for c in free if c not in lacking]
    room = ROOM * fan.usual_gap * width
    possible = [c for c in strange if not _is_closed(c, due, fan, (ends[0] + room, ends[1] - top - room))]
    extra = [*lacking, *(c for c in possible if logits[c] > UNDENIED or np.abs(due - c).min() > room)]
    told = [float(d) if c is None else float(c) for c, d in zip(edges, due, strict=True)]
    columns = sorted(told + [float(c) for c in extra])
    evidence = np.array([-MOST_LOGIT if c is None else logits[c] for c in edges])
    end = float(due[-1] + top)
    return fit.score - float(logits[strange].sum()), Explained(
        tuple(columns),
        tuple(_sureness(float(_at(logits, np.array(c))), c in told) for c in columns),
        end,
        width / WIDTH,
        _plainness(shown.answer, float(due[0]), end, evidence),
        int((evidence < OVERLOOKED).sum()),
        bool(min(evidence[0], evidence[-1]) >= OVERLOOKED),
        len(extra),
        tuple(dict(zip(told, due.tolist(), strict=True)).get(column) for column in columns),
    )


def _sureness(logit: float, told: bool) -> float:
    """Probability that a card begins at a column, if a face tells so or not."""
    return float(1 / (1 + np.exp(-logit - (TOLD if told else 0.0))))


def _is_lacking(column: int, due: Floats, fan: Fan) -> bool:
    """Whether the ranks tell that a face is lacking there, between others or on the last."""
    before = int(np.searchsorted(due, column))
    return before > 0 and (fan.lacks(before) or 0) > 0


def _is_closed(column: int, due: Floats, fan: Fan, ends: tuple[float, float]) -> bool:
    """Whether no card can begin at a column: nothing lies on an ace, nor between cards that follow one another.

    But where the ribbon goes on beyond where its faces end, `ends` of where its first and last edges may be, these are not where
    they seem to be.
    """
    if fan.lacks(len(due)) != 0 or ends[1] > due[-1]:
        return False
    is_whole = all(fan.lacks(n) == 0 for n in range(1, len(due))) and ends[0] >= due[0]
    return bool(column > (due[0] if is_whole else due[-1]))


def _found(due: Floats, shown: _Shown) -> list[int | None]:
    """For every due column the edge that shows there, if any; each edge once."""
    found: list[int | None] = []
    for column in due:
        near = [c for c in shown.every if abs(c - column) < FARTHEST + 0.5 and c not in found]
        worth = {c: shown.logits[c] - ((c - column) / ASTRAY) ** 2 / 2 for c in near}
        found.append(max(near, key=lambda c: float(worth[c]), default=None))
    return found


def _refined(
    fit: _Fit, fan: Fan, found: Sequence[int | None], logits: Floats, scale: Scale
) -> tuple[float, float]:
    """Start and width of a card by least squares, where three edges show or more and the scale allows it."""
    shown = [
        (c, place) for c, place in zip(found, fan.places, strict=True) if c is not None and logits[c] > 0
    ]
    if len(shown) < 3:
        return fit.start, fit.width
    columns, places = np.array(shown, float).T
    away = places - places.mean()
    width = float(away @ columns / (away @ away))
    if abs(np.log(max(width, 1e-6) / WIDTH / scale.usual)) > MOST_DEVIATIONS * scale.spread:
        return fit.start, fit.width
    return float(columns.mean() - width * places.mean()), width


def _shown_from(answer: Answer, column: float, farthest: float) -> int:
    """The column from which on cards show without a break up to another one: a further card may lie under the lowest.

    Then two edges seem to be a ribbon's first one.
    """
    start = begin = _on_the_line(column)
    while begin > 0 and start - begin < farthest and answer[CARDS, begin - 1] > LEAST_CARDS:
        begin -= 1
    return begin


def _is_within(column: int, ends: tuple[int, int], due: Floats) -> bool:
    """Whether a column lies on the ribbon, before its top card's far part."""
    return bool(min(ends[0] - 2, due[0]) <= column <= max(ends[1] - TOP_CARD, due[-1]))


def _astray(found: Sequence[int | None], due: Floats, shown: _Shown) -> list[int | None]:
    """The same edges; where hardly one shows at its due column, a plain one that is left between its neighbours' is it.

    Few cards of a pile lie otherwise than their faces let expect: a large index stands further from the card's edge. Where
    many do, the pile was spread anew.
    """
    amended = list(found)
    bounds = np.concatenate([[-np.inf], (due[1:] + due[:-1]) / 2, [np.inf]])
    for n, (own, column) in enumerate(zip(found, due, strict=True)):
        if own is not None and shown.logits[own] > 0:
            continue
        around = [c for c in shown.every if shown.logits[c] > 0 and bounds[n] < c < bounds[n + 1]]
        left = [c for c in around if c not in amended and abs(c - column) < MOST_ASTRAY]
        amended[n] = max(left, key=lambda c: float(shown.logits[c]), default=own)
    few = max(1, int(FEW_ASTRAY * len(due)))
    return amended if sum(a != f for a, f in zip(amended, found, strict=True)) <= few else list(found)


def _is_edge(column: int | None, due: float, shown: _Shown) -> bool:
    """Whether the edge that is due at a column is the one that shows at another: far from it a pattern may look like one."""
    return column is not None and (abs(column - due) < FARTHEST + 0.5 or shown.logits[column] > UNDENIED)


def _on_the_line(column: float) -> int:
    """The nearest column of a line: faces may let expect that a ribbon begins or ends beyond it."""
    return int(np.clip(round(column), 0, LENGTH - 1))


def _plainness(answer: Answer, first: float, end: float, shown: Floats) -> float:
    ends = [
        float(answer[channel, max(0, _on_the_line(c) - reach) : _on_the_line(c) + reach + 1].max())
        for channel, c, reach in ((FIRST, first, FARTHEST), (END, end, ENDS_FARTHEST))
    ]
    return float(np.mean([*(1 / (1 + np.exp(-shown))), *ends]))
