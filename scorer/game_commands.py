"""The commands of the software game: `nerts simulate` and `nerts replay`."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from scorer.errors import RecordError, RulesError
from scorer.game import record
from scorer.game.bots import BOTS
from scorer.game.drawing import draw, draw_end, draw_record, symbol
from scorer.game.ending import foundation_piles
from scorer.game.record import Recording
from scorer.game.simulation import Estimate, Figures, Result, Setup, check_record_dir, figures, results
from scorer.progress import shown_progress
from scorer.replay_screen import ReplayScreen
from scorer.scoring import MAX_PLAYERS, PRESETS, Rules

# --- Simulate ----------------------------------------------------------------------------------------------


@click.command()
@click.option(
    "--players", type=int, help=f"Seats at the table, 1 to {MAX_PLAYERS}; as many as bots if left out."
)
@click.option("--bots", default="shark", help=f"One for each seat, with commas: {', '.join(BOTS)}.")
@click.option("--rounds", default=100, show_default=True, help="How many rounds are played.")
@click.option("--seed", default="1", show_default=True, help="Any text; the same seed gives the same rounds.")
@click.option("--rules", "rules_text", default="classic", show_default=True,
              help=f"A preset ({', '.join(PRESETS)}) and changes: \"classic turn=1\".")  # fmt: skip
@click.option("--handicap", default="", help="Extra Nerts cards for each seat, with commas: 0,0,2,0.")
@click.option("--record", "record_dir", type=click.Path(file_okay=False, path_type=Path),
              help="A folder for the record of every round.")  # fmt: skip
@click.option("--workers", type=click.IntRange(min=1), help="Processes; one for each core if left out.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def simulate(
    players: int | None,
    bots: str,
    rounds: int,
    seed: str,
    rules_text: str,
    handicap: str,
    record_dir: Path | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Let bots play rounds against one another, and show how they did."""
    rules = Rules.parse(rules_text)
    setup = Setup(_seat_names(bots, players), rules, seed, _handicaps(handicap), record_dir)
    coming = results(setup, rounds, workers)
    if record_dir is not None:
        check_record_dir(record_dir, rounds)
        record_dir.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    played = list(_with_progress(coming, rounds))
    seconds = time.perf_counter() - started
    summary = figures(setup.bots, played)
    if as_json:
        click.echo(json.dumps(_simulation_json(setup, summary, seconds), indent=2))
    else:
        _print_figures(setup, summary, seconds)


def _seat_names(bots: str, players: int | None) -> tuple[str, ...]:
    """Return a bot for each seat; a shorter list goes round the table again."""
    names = [name.strip() for name in bots.split(",") if name.strip()]
    if not names:
        raise RulesError(f"Name at least one bot: {', '.join(BOTS)}.")
    seats = len(names) if players is None else players
    if not 1 <= seats <= MAX_PLAYERS:
        raise RulesError(f"A table has 1 to {MAX_PLAYERS} seats, not {seats}.")
    if len(names) > seats:
        raise RulesError(f"There are {len(names)} bots for {seats} seat{'s' * (seats > 1)}: name fewer.")
    return tuple(names[seat % len(names)] for seat in range(seats))


def _handicaps(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(",")) if text.strip() else ()
    except ValueError:
        raise RulesError(
            f"{text!r} is no handicap: write extra Nerts cards for each seat, such as 0,0,2,0."
        ) from None


def _with_progress(coming: Iterable[Result], rounds: int) -> Iterator[Result]:
    with shown_progress() as tell:
        for count, result in enumerate(coming, 1):
            tell("rounds", count / rounds)
            yield result


def _simulation_json(setup: Setup, summary: Figures, seconds: float) -> dict[str, object]:
    return {
        "seats": list(setup.bots),
        "rules": str(setup.rules),
        "seed": setup.seed,
        "rounds": summary.rounds,
        "ends": summary.ends,
        "moves": summary.moves,
        "bounced": summary.bounced,
        "round_seconds": round(summary.duration_s, 3),
        "bots": [line.to_json() for line in summary.bots],
        "seconds": round(seconds, 3),
        "rounds_per_second": round(summary.rounds / seconds, 1),
        "moves_per_second": round(summary.moves / seconds),
    }


def _print_figures(setup: Setup, summary: Figures, seconds: float) -> None:
    console = Console()
    table = Table(title=f"{summary.rounds} rounds, rules {setup.rules}, seed {setup.seed}", box=SIMPLE)
    for heading in ("bot", "score", "wins", "calls", "cards out", "Nerts left"):
        table.add_column(heading, justify="left" if heading == "bot" else "right", no_wrap=True)
    for line in summary.bots:
        shares = (_percent(line.wins), _percent(line.calls))
        counts = (_points(line.out, ""), _points(line.left, ""))
        name = line.bot if line.seats == 1 else f"{line.bot} × {line.seats}"
        table.add_row(name, _points(line.score, "+"), *shares, *counts)
    console.print(table)
    ends = ", ".join(f"{count} {end}" for end, count in sorted(summary.ends.items()))
    console.print(
        f"Ends: {ends}. A round lasts {summary.duration_s:.0f} s on the table's clock; "
        f"{summary.bounced} of {summary.moves} cards bounced.",
        highlight=False,
        soft_wrap=True,
    )
    console.print(
        f"Played in {seconds:.1f} s: {summary.rounds / seconds:.0f} rounds, "
        f"{summary.moves / seconds:.0f} moves a second.\n"
        "± is the 95 % confidence interval; the figures are for one seat and round.",
        highlight=False,
        soft_wrap=True,
    )


def _points(value: Estimate, sign: str) -> str:
    margin = "" if value.margin is None else f" ±{value.margin:.1f}"
    return f"{value.mean:{sign}.1f}{margin}"


def _percent(value: Estimate) -> str:
    margin = "" if value.margin is None else f" ±{value.margin * 100:.1f}"
    return f"{value.mean * 100:.1f}{margin} %"


# --- Replay ------------------------------------------------------------------------------------------------


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--speed", default=1.0, show_default=True, type=click.FloatRange(min=0.1, max=100),
              help="How much faster than the table's clock.")  # fmt: skip
@click.option("--states", is_flag=True, help="Print the table after every move, not only at the end.")
@click.option("--json", "as_json", is_flag=True, help="Print the round as JSON.")
def replay(file: Path, speed: float, states: bool, as_json: bool) -> None:
    """Step through the record of a round: space plays and pauses, arrows step, + and - change the speed."""
    recording = record.read(file)
    if as_json:
        click.echo(json.dumps(_recording_json(recording), indent=2, ensure_ascii=False))
    elif sys.stdin.isatty() and sys.stdout.isatty() and not states:
        ReplayScreen(recording.game, speed).run()
    else:
        _print_game(recording, states=states)
    if recording.damage is not None:
        raise RecordError(recording.damage)


def _print_game(recording: Recording, *, states: bool) -> None:
    head = recording.game.head
    for entry, state in recording.game.states():
        if entry is not None:
            click.echo(draw_record(entry))
        if states or entry is None:
            click.echo(draw(state, head.players, symbol))
    if not states:
        click.echo(draw(recording.state, head.players, symbol))
    click.echo(draw_end(recording.state, head))


def _recording_json(recording: Recording) -> dict[str, object]:
    head, state = recording.game.head, recording.state
    return {
        "head": json.loads(record.head_line(head)),
        "records": [json.loads(record.record_line(entry)) for entry in recording.game.records],
        "end": state.end,
        "piles": [str(pile) for pile in foundation_piles(state, head.decks)],
        "tally": head.tally(state).to_json(),
        "scores": head.score(state).scores,
        "damage": recording.damage,
    }
