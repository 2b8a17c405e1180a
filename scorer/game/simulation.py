"""Many rounds of bots, on all cores, and what they come to."""

from __future__ import annotations

import os
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from scorer.errors import RulesError, StoreError
from scorer.game import record, series
from scorer.game.record import Head
from scorer.game.state import Outcome
from scorer.game.table import Table
from scorer.scoring import Rules

_Z95 = 1.96
"""Half the width of a 95 % confidence interval, in standard errors."""
_CHUNK = 25
"""Rounds handed to a process at once."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What is simulated."""

    bots: tuple[str, ...]
    rules: Rules
    seed: str
    extra: tuple[int, ...] = ()
    """For each seat how many more Nerts cards it has than the rules say."""
    record_dir: Path | None = None
    """Where a record of each round is written."""

    def head(self, number: int) -> Head:
        """Return the head of a round of a series of independent rounds."""
        return series.seat_bots(self.bots, self.rules, f"{self.seed}/{number}", self.extra, number)


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one round; the sequences have a place for each seat."""

    number: int
    end: str
    milliseconds: int
    moves: int
    bounced: int
    scores: tuple[int, ...]
    out: tuple[int, ...]
    """Cards on the foundations."""
    left: tuple[int, ...]
    """Cards left in the Nerts pile."""
    called: tuple[bool, ...]
    won: tuple[float, ...]
    """1 for the winner of the round, shared by several with equal scores."""


def results(setup: Setup, rounds: int, workers: int | None = None) -> Iterator[Result]:
    """Play the rounds and yield their results in order, which depend on the seed, not on the workers.

    Raises:
        RulesError: the setup cannot be played.
    """
    if rounds < 1:
        raise RulesError(f"At least one round has to be played, not {rounds}.")
    setup.head(1).deal()
    if series.is_chained(setup.rules):
        first = series.seat_bots(setup.bots, setup.rules, setup.seed, setup.extra)
        return (_finish(setup, head, table) for head, table in series.chain(first, rounds))
    workers = min(workers or os.cpu_count() or 1, -(-rounds // _CHUNK))
    chunks = [range(start, min(start + _CHUNK, rounds + 1)) for start in range(1, rounds + 1, _CHUNK)]
    if workers == 1:
        return (result for chunk in chunks for result in _play_chunk(setup, chunk))
    return _parallel(setup, chunks, workers)


def _parallel(setup: Setup, chunks: Sequence[range], workers: int) -> Iterator[Result]:
    # Started afresh: a forked process would inherit the threads and locks of a server that simulates.
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        try:
            for chunk in pool.map(_play_chunk, [setup] * len(chunks), chunks):
                yield from chunk
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _play_chunk(setup: Setup, numbers: range) -> list[Result]:
    return [_finish(setup, head, series.play(head)) for head in map(setup.head, numbers)]


def _record_path(folder: Path, number: int) -> Path:
    return folder / f"round-{number:05}.jsonl"


def check_record_dir(folder: Path, rounds: int) -> None:
    """Refuse a folder with records that those of so many rounds would replace.

    Raises:
        StoreError: there are some.
    """
    there = [number for number in range(1, rounds + 1) if _record_path(folder, number).exists()]
    if there:
        raise StoreError(
            f"{folder} holds records of earlier rounds ({_record_path(folder, there[0]).name}), which would be lost:"
            " name another folder."
        )


def _finish(setup: Setup, head: Head, table: Table) -> Result:
    """Write the record where that is wanted, and keep the numbers."""
    if setup.record_dir is not None:
        record.write(_record_path(setup.record_dir, head.number), head, table.records, table.state)
    state, decks, score = table.state, head.tally(table.state).decks, head.score(table.state)
    return Result(
        number=head.number,
        end=state.end or "open",
        milliseconds=state.now,
        moves=len(table.records),
        bounced=sum(entry.outcome is Outcome.BOUNCED for entry in table.records),
        scores=tuple(score.scores[name] or 0 for name in head.players),
        out=tuple(deck.foundation for deck in decks),
        left=tuple(len(layout.nerts) for layout in state.layouts),
        called=tuple(deck.called for deck in decks),
        won=tuple((name in score.winners) / len(score.winners) for name in head.players),
    )


# --- Figures -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with the half-width of its 95 % confidence interval."""

    mean: float
    margin: float | None
    """None where a single sample says nothing of it."""

    @classmethod
    def of(cls, samples: Sequence[float]) -> Estimate:
        """Estimate the mean from one independent sample a round."""
        margin = _Z95 * statistics.stdev(samples) / len(samples) ** 0.5 if len(samples) > 1 else None
        return cls(statistics.fmean(samples), margin)

    def to_json(self) -> dict[str, float | None]:
        """Return mean and margin, rounded."""
        return {"mean": round(self.mean, 4), "margin": None if self.margin is None else round(self.margin, 4)}


@dataclass(frozen=True, slots=True)
class BotFigures:
    """How one kind of bot did, as a mean over its seats."""

    bot: str
    seats: int
    score: Estimate
    wins: Estimate
    """Share of the rounds a seat won."""
    calls: Estimate
    """Share of the rounds a seat called."""
    out: Estimate
    left: Estimate

    def to_json(self) -> dict[str, object]:
        """Return the figures by name."""
        estimates = {name: getattr(self, name) for name in ("score", "wins", "calls", "out", "left")}
        return {"bot": self.bot, "seats": self.seats} | {
            name: estimate.to_json() for name, estimate in estimates.items()
        }


@dataclass(frozen=True, slots=True)
class Figures:
    """What a simulation came to."""

    rounds: int
    moves: int
    bounced: int
    ends: dict[str, int]
    duration_s: float
    """Mean length of a round on the simulated clock, in seconds."""
    bots: tuple[BotFigures, ...]
    """The best first."""


def figures(bots: Sequence[str], played: Sequence[Result]) -> Figures:
    """Sum up the results of a simulation."""
    lines = [_bot_figures(bot, bots, played) for bot in dict.fromkeys(bots)]
    return Figures(
        rounds=len(played),
        moves=sum(result.moves for result in played),
        bounced=sum(result.bounced for result in played),
        ends=dict(Counter(result.end for result in played)),
        duration_s=statistics.fmean(result.milliseconds for result in played) / 1000,
        bots=tuple(sorted(lines, key=lambda line: -line.score.mean)),
    )


def _bot_figures(bot: str, bots: Sequence[str], played: Sequence[Result]) -> BotFigures:
    seats = [seat for seat, name in enumerate(bots) if name == bot]

    def estimate(of: Callable[[Result], Sequence[float]]) -> Estimate:
        # Seats of one round are not independent, so a round is one sample.
        return Estimate.of([statistics.fmean(of(result)[seat] for seat in seats) for result in played])

    return BotFigures(
        bot,
        len(seats),
        score=estimate(lambda result: result.scores),
        wins=estimate(lambda result: result.won),
        calls=estimate(lambda result: result.called),
        out=estimate(lambda result: result.out),
        left=estimate(lambda result: result.left),
    )
