"""A round that is watched while it is played: what every seat sees change, moment by moment.

There is no clock and no thread in here: whoever runs the table says what time it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scorer.game.bots import Bot
from scorer.game.choices import legal_moves
from scorer.game.moves import FOUNDATION, Move, place_text
from scorer.game.places import Change, Places, change, seen_by, seen_by_all
from scorer.game.record import Game, Head
from scorer.game.state import State
from scorer.game.table import Record, Table

FLIGHT_MS = 150
"""How long a person's card is in the air on its way to a foundation."""


@dataclass(frozen=True, slots=True)
class Glimpse:
    """One moment: what changed, for each seat by what it may see."""

    at: int
    changes: tuple[Change, ...]
    record: Record | None
    """What came down or was said; None where a card was only lifted."""
    air: dict[str, str]
    """For each seat with a card in the air the foundation it is on its way to, "F" for a new one."""


class LiveRound:
    """A round with people and bots, on a clock that is somebody else's."""

    def __init__(self, head: Head, bots: Sequence[Bot | None], records: Sequence[Record] = ()) -> None:
        """Deal the round, or take it up where its records end.

        Args:
            head: what the round starts from.
            bots: for each seat who plays it now; None is a person.
            records: what has happened already.
        """
        self.head = head
        self.records: list[Record] = [*records]
        state = Game(head, tuple(records)).replay()
        # Taken up again, bots draw other numbers: how many they drew before is not known.
        seed = f"{head.seed}/{len(records)}" if records else head.seed
        self._table = Table(state, bots, seed, [self._noted])
        self._glimpses: list[Glimpse] = []
        self._mark: tuple[object, ...] = ()
        self._seen = self._look()

    @property
    def state(self) -> State:
        """The round as it stands; not to be changed."""
        return self._table.state

    @property
    def next_at(self) -> int | None:
        """When the next thing happens by itself, in milliseconds of the round; None if nothing does."""
        return self._table.next_at

    @property
    def is_over(self) -> bool:
        """Whether the round has ended and every card has come down."""
        return self._table.is_over

    def is_busy(self, seat: int) -> bool:
        """Whether a person's card is still in the air."""
        return self._table.is_busy(seat)

    def places(self, seat: int) -> Places:
        """Return what a seat sees now."""
        return self._seen[seat]

    def air(self) -> dict[str, str]:
        """Return for each seat with a card in the air the foundation it is on its way to."""
        flying = ((seat, move) for seat, move in enumerate(self._table.in_air) if move is not None)
        return {f"P{seat + 1}": place_text(move.target) for seat, move in flying}

    def legal_moves(self, seat: int) -> list[Move]:
        """Return every move the seat may make now."""
        return legal_moves(self.state, seat)

    def advance(self, until: int) -> None:
        """Let the clock run to a moment."""
        # One event at a time: a card that is lifted is seen in the air before another comes down.
        while (due := self.next_at) is not None and due <= until and not self.is_over:
            self._table.advance(due)
            self._note(due, None)
        self._table.advance(until)
        self._note(until, None)

    def submit(self, move: Move, seat: int, at: int, tag: str | None = None) -> None:
        """Make a person's move; a card for a foundation comes down after its flight.

        Raises:
            IllegalMove: the rules refuse it, and it changes nothing.
        """
        self.advance(at)
        flight = FLIGHT_MS if move.target >= FOUNDATION else 0
        self._table.submit(move, seat, at, flight, tag)
        self._note(at, None)

    def seat(self, seat: int, bot: Bot | None, at: int) -> None:
        """Let somebody else play a seat from now on: a bot, or a person (None)."""
        self.advance(at)
        self._table.seat(seat, bot, at)
        self._note(at, None)

    def take_glimpses(self) -> list[Glimpse]:
        """Return what happened since this was asked last."""
        taken, self._glimpses = self._glimpses, []
        return taken

    def _noted(self, record: Record, _state: State) -> None:
        self.records.append(record)
        self._note(record.at, record)

    def _note(self, at: int, record: Record | None) -> None:
        """Keep what every seat sees change; nothing where nothing did."""
        mark = (len(self.records), *self._table.in_air)
        if mark == self._mark:
            return  # Only records and lifts change anything.
        self._mark = mark
        seen = self._look()
        changes = tuple(change(before, after) for before, after in zip(self._seen, seen, strict=True))
        self._seen = seen
        if record is not None or any(changes):
            self._glimpses.append(Glimpse(at, changes, record, self.air()))

    def _look(self) -> list[Places]:
        state, in_air = self._table.state, self._table.in_air
        common = seen_by_all(state, in_air)
        return [seen_by(seat, state, in_air, common) for seat in range(state.seats)]
