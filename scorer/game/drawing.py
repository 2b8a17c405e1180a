"""A round drawn as text, for the terminal, the golden playthroughs and bug reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scorer.game.codes import JOKER, card_of, text
from scorer.game.layout import Foundation, Layout
from scorer.game.record import Head
from scorer.game.state import State
from scorer.game.table import Record

Write = Callable[[int], str]
"""How a card is written: in notation, or with the signs of the suits."""


def symbol(code: int) -> str:
    """Write a card as players do, such as "10♥"."""
    return "joker" if code >= JOKER else card_of(code).symbol


def draw(state: State, names: Sequence[str], write: Write = text) -> str:
    """Draw the whole table: the foundations, then each seat on a line."""
    lines = [_foundations(state.foundations, write)]
    width = max(len(name) for name in names)
    for seat, (name, layout) in enumerate(zip(names, state.layouts, strict=True)):
        stuck = "  stuck" if state.is_stuck(seat) else ""
        lines.append(f"P{seat + 1} {name:<{width}}  {_layout(layout, write)}{stuck}")
    return "\n".join(lines)


def _foundations(foundations: Sequence[Foundation], write: Write) -> str:
    piles = [_foundation(foundation, write) for foundation in foundations]
    return "Foundations  " + ("  ".join(piles) or "none")


def _foundation(foundation: Foundation, write: Write) -> str:
    tie = "=" + write(foundation.top) if foundation.tied else ""
    complete = "*" if foundation.is_complete else ""
    return f"{foundation.number}:{write(foundation.top)}{tie}{complete}"


def _layout(layout: Layout, write: Write) -> str:
    nerts = write(layout.nerts_top) if layout.nerts else "--"
    waste = write(layout.waste_top) if layout.waste else "--"
    work = "  ".join(f"{number}:{_run(pile, write)}" for number, pile in enumerate(layout.work, 1))
    return (
        f"N {nerts} ({len(layout.nerts)})  {work}  W {waste} ({len(layout.waste)})  S ({len(layout.stock)})"
    )


def _run(pile: Sequence[int], write: Write) -> str:
    return " ".join(write(card) for card in pile) or "--"


def draw_record(record: Record) -> str:
    """Write a record on a line: when it came down, what it was, what came of it."""
    ending = "" if record.reason is None else f": {record.reason}"
    outcome = "" if record.outcome.value == "done" else f"  {record.outcome.value}{ending}"
    return f"{record.at / 1000:8.3f}  {record.move}{outcome}"


def draw_end(state: State, head: Head) -> str:
    """Say how the round ended and what everybody scored."""
    how = {
        None: "The round is not over.",
        "stuck": "Nobody could play on, and nobody called.",
        "stopped": "The table stopped the round.",
    }
    callers = " and ".join(head.players[seat] for seat in state.callers)
    lines = [f"{callers} called Nerts." if state.end == "called" else how[state.end]]
    points = head.score(state).scores
    for deck in head.tally(state).decks:
        lines.append(
            f"{deck.name}: {deck.foundation} out, {deck.nerts_left} left, {points[deck.name]:+d} points"
        )
    return "\n".join(lines)
