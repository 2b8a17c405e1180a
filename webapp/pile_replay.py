"""The piles of a round of the real table, for the player of replays: who laid which card is known, not when."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from scorer.game.playback import SEAT_COLOURS
from scorer.piles import Pile, PileCard
from scorer.store import MatchState, Round

STEP_MS = 350
"""Cards follow one another at this pace."""


def piles_replay(piles: Sequence[Pile], kept: Round, state: MatchState) -> dict[str, object]:
    """Return frames in which only foundations change, one card each."""
    numbers = {seat.id: number for number, seat in enumerate(state.seats, 1)}
    frames = list(_frames(piles, numbers))
    seats = [
        {"seat": f"P{number}", "name": seat.name, "bot": None, "deck": (number - 1) % SEAT_COLOURS}
        for number, seat in enumerate(state.seats, 1)
    ]
    return {
        "seats": seats,
        "rules": {"name": str(state.rules), "target": state.rules.target},
        "length": len(frames) * STEP_MS,
        "frames": [{"at": 0, "change": {}, "record": None}, *frames],
        "scores": list(_scores(piles, kept, state)),
        "first_empty": None,
        "end": "called" if any(entry.called for entry in kept.entries) else None,
        "damage": None,
    }


def _order(piles: Sequence[Pile]) -> Iterator[tuple[int, PileCard]]:
    """Yield the number of a pile and its next card: the lowest cards of all piles first."""
    rows = itertools.zip_longest(*(pile.cards for pile in piles))
    for row in rows:
        yield from ((number, card) for number, card in enumerate(row, 1) if card is not None)


def _frames(piles: Sequence[Pile], numbers: Mapping[str, int]) -> Iterator[dict[str, object]]:
    lying: dict[str, list[str]] = {}
    met: Counter[str] = Counter()
    for step, (number, card) in enumerate(_order(piles), 1):
        name = f"P{numbers.get(card.back or '', 0)}:{'' if card.face is None else card.face}"
        met[name] += 1
        # Two cards that were read alike are still two cards.
        twin = f".{met[name]}" if met[name] > 1 and card.face is not None else ""
        lying.setdefault(f"F{number}", []).append(name + twin)
        yield {"at": step * STEP_MS, "change": {f"F{number}": [*lying[f"F{number}"]]}, "record": None}


def _scores(piles: Sequence[Pile], kept: Round, state: MatchState) -> Iterator[list[int]]:
    """Yield the running score of every seat; its Nerts pile counts from the beginning."""
    rules = state.rules
    points = {seat.id: 0 for seat in state.seats}
    for entry in kept.entries:
        points[entry.seat] = -entry.left * rules.nerts_penalty
    yield [0, *points.values()]
    for step, (_number, card) in enumerate(_order(piles), 1):
        if card.back in points:
            points[card.back] += rules.card_points
            yield [step * STEP_MS, *points.values()]
