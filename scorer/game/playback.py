"""A recorded round as the player of replays shows it: frames that each say what lies elsewhere than before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scorer.game.moves import FOUNDATION, Kind, Move
from scorer.game.places import Change, Places, change, seen_afterwards
from scorer.game.record import Game, Head, Recording
from scorer.game.series import DECKS
from scorer.game.state import State
from scorer.game.table import Record


@dataclass(frozen=True, slots=True)
class Frame:
    """One moment of a replay."""

    at: int
    change: Change
    record: Record | None
    """What came down or was said; None where a card was lifted, and for the deal."""

    def to_json(self) -> dict[str, object]:
        """Return what the player of replays reads."""
        record = None if self.record is None else record_json(self.record)
        return {"at": self.at, "change": self.change, "record": record}


def record_json(record: Record) -> dict[str, object]:
    """Return a record as pages are told it: whose, what, and what came of it."""
    seat, _, words = str(record.move).partition(" ")
    return {"seat": seat, "move": words, "outcome": record.outcome.value, "reason": record.reason}


SEAT_COLOURS = len(DECKS)
"""How many backs are drawn."""


def deck_number(name: str) -> int:
    """Return which of the drawn backs a deck has, from 0."""
    return DECKS.index(name) if name in DECKS else sum(name.encode()) % len(DECKS)


def replay_json(recording: Recording) -> dict[str, object]:
    """Return a whole recorded round for the player of replays, as far as the record is sound."""
    game = recording.game
    shots, scores, first_empty = [], _Scores(game.head), None
    for frame, state in frames(game):
        shots.append(frame.to_json())
        scores.note(frame.at, state)
        if first_empty is None and not all(layout.nerts for layout in state.layouts):
            first_empty = frame.at
    return {
        "seats": seats_json(game.head),
        "rules": rules_json(game.head),
        "length": game.records[-1].at if game.records else 0,
        "frames": shots,
        "scores": scores.lines,
        "first_empty": first_empty,
        "end": recording.state.end,
        "damage": recording.damage,
    }


def seats_json(head: Head) -> list[dict[str, object]]:
    """Return who sits where, with which deck."""
    return [
        {"seat": f"P{place}", "name": seat.name, "bot": seat.bot, "deck": deck_number(seat.deck)}
        for place, seat in enumerate(head.seats, 1)
    ]


def rules_json(head: Head) -> dict[str, object]:
    """Return the few house rules that a page needs to draw and explain a table."""
    rules = head.rules
    return {
        "name": str(rules),
        "turn": rules.turn,
        "work_piles": rules.work_piles_for(len(head.seats)),
        "nerts_size": rules.nerts_size,
        "nerts_faceup": rules.nerts_faceup,
        "jokers": rules.jokers,
        "leftover": rules.leftover,
        "redeal_limit": rules.redeal_limit,
        "aces_forced": rules.aces_forced,
        "space_fill": rules.space_fill,
        "move_run": rules.move_run,
        "slide_under": rules.slide_under,
        "stuck_alone": rules.stuck_alone,
        "call_required": rules.call_required,
        "target": rules.target if rules.end == "target" else None,
    }


def frames(game: Game) -> Iterator[tuple[Frame, State]]:
    """Yield every moment at which something changed, with the state then: one state that goes on changing.

    Cards on their way to a foundation are in the air from the moment they were lifted.
    """
    camera = _Camera(len(game.head.seats))
    lifts = _lifts(game)
    for number, (record, state) in enumerate(game.states()):
        if record is not None and record.move.seat >= 0:
            camera.in_air[record.move.seat] = None
        yield camera.shot(record.at if record else 0, state, record), state
        until = game.records[number].at if number < len(game.records) else 0
        while lifts and lifts[-1].lifted < until:
            lift = lifts.pop()
            camera.in_air[lift.move.seat] = lift.move
            yield camera.shot(lift.lifted, state, None), state


def _lifts(game: Game) -> list[Record]:
    """Return the records of cards that were in the air, the one lifted first last."""
    flown = [
        record
        for record in game.records
        if record.move.target >= FOUNDATION and record.move.kind is Kind.PLAY and record.lifted < record.at
    ]
    return sorted(flown, key=lambda record: record.lifted, reverse=True)


class _Camera:
    """Takes one picture after another, each as the difference to the one before."""

    def __init__(self, seats: int) -> None:
        self.in_air: list[Move | None] = [None] * seats
        self._before: Places = {}

    def shot(self, at: int, state: State, record: Record | None) -> Frame:
        seen = seen_afterwards(state, self.in_air)
        changed, self._before = change(self._before, seen), seen
        return Frame(at, changed, record)


class _Scores:
    """What the round would score if it ended there, noted where that changes."""

    def __init__(self, head: Head) -> None:
        self.lines: list[list[int]] = []
        self._head = head
        self._mark: tuple[object, ...] = ()

    def note(self, at: int, state: State) -> None:
        mark = (state.landings, state.end, *(len(layout.nerts) for layout in state.layouts))
        if mark == self._mark:
            return
        self._mark = mark
        scores = self._head.score(state).scores
        points = [scores[name] or 0 for name in self._head.players]
        if not self.lines or self.lines[-1][1:] != points:
            self.lines.append([at, *points])
