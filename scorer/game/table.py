"""Simultaneous play on a simulated clock: seats decide at their own pace, cards take time in the air.

The table keeps the clock and judges every card when it comes down; the loser of a race gets his card back. It
makes the records of what happened; observers consume them.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from scorer.errors import IllegalMove
from scorer.game.bots import Bot
from scorer.game.legality import stall_limit_ms
from scorer.game.moves import CALL, FOUNDATION, STALL, STOP, STUCK, TABLE, Move
from scorer.game.state import Outcome, State
from scorer.game.view import View


class Record(NamedTuple):
    """What came of a move: who and what is in the move; here is when, and how it ended."""

    lifted: int
    """When the card was taken, in milliseconds from the start of the round."""
    at: int
    """When it came down."""
    move: Move
    outcome: Outcome
    reason: str | None = None
    """Why it bounced."""
    tag: str | None = None
    """What a person's page calls its move: by this a move that is delivered twice is known again."""


Observer = Callable[[Record, State], None]

THINK, LIFT, LAND = range(3)
_WAIT_MS = 400
"""How long a seat that can do nothing waits before it looks again."""
TIME_LIMIT_MS = 45 * 60 * 1000
"""No round lasts longer: the table stops one that house rules would keep going for ever."""


class _Event(NamedTuple):
    at: int
    order: int
    seat: int
    phase: int
    move: Move | None = None
    lifted: int = 0
    tag: str | None = None


class Table:
    """A round being played."""

    def __init__(
        self,
        state: State,
        bots: Sequence[Bot | None],
        seed: str,
        observers: Iterable[Observer] = (),
        limit_ms: int | None = TIME_LIMIT_MS,
    ) -> None:
        """Seat the bots.

        Args:
            state: the round as dealt, or as far as it has been played: the clock goes on from there.
            bots: for each seat who plays it; None is a person, whose moves come through `submit`.
            seed: decides the timing and the slips of the bots.
            observers: called with each record and the state after it.
            limit_ms: when the table stops the round, None to let it last.
        """
        self.state = state
        self.records: list[Record] = []
        self._bots = list(bots)
        self._observers = tuple(observers)
        self._in_air: list[Move | None] = [None] * len(bots)
        self._lifted = [0] * len(bots)
        self._limit_ms = limit_ms
        self._views = [View(state, seat, self._in_air) for seat in range(len(bots))]
        self._draws = [random.Random(f"{seed}/play/{seat}").random for seat in range(len(bots))]
        self._queue: list[_Event] = []
        self._order = 0
        self._stall_ms = stall_limit_ms(state)
        for seat, bot in enumerate(bots):
            if bot is not None:
                self._schedule(state.now + _WAIT_MS, seat, THINK)

    def view(self, seat: int) -> View:
        """Return what a seat sees."""
        return self._views[seat]

    @property
    def is_over(self) -> bool:
        """Whether the round has ended and every card that was in the air has come down."""
        return self.state.end is not None and not any(
            event.phase == LAND and event.lifted <= self.state.called_at for event in self._queue
        )

    @property
    def in_air(self) -> Sequence[Move | None]:
        """For each seat the card on its way to a foundation."""
        return self._in_air

    @property
    def next_at(self) -> int | None:
        """When the next thing happens by itself; None if nothing does, whoever waits."""
        due = [self._queue[0].at] if self._queue else []
        if self.state.end is None:
            due += [] if self._stall_ms is None else [self._stalls_at(self._stall_ms)]
            due += [] if self._limit_ms is None else [self._limit_ms + 1]
        return min(due, default=None)

    def is_busy(self, seat: int) -> bool:
        """Whether a person's hand is in the air and cannot take another card."""
        return self._lifted[seat] >= self.state.rules.hands

    def play(self) -> State:
        """Play to the end of the round and return its state."""
        while self._queue:
            self._step()
        return self.state

    def advance(self, until: int) -> list[Record]:
        """Let the clock run to a moment and return the records of what happened up to it."""
        before = len(self.records)
        while self._queue and self._queue[0].at <= until:
            self._step()
        self._watch_clock(until)
        return self.records[before:]

    def seat(self, seat: int, bot: Bot | None, at: int) -> None:
        """Let somebody else play a seat from now on: a bot, or a person (None).

        A card on its way to a foundation comes down as if nothing had happened; everything else that the
        one before had in mind is forgotten.
        """
        self.advance(at)
        self._bots[seat] = bot
        self._queue = [event for event in self._queue if event.seat != seat or _is_in_air(event, at)]
        heapq.heapify(self._queue)
        if bot is not None:
            self._schedule(at + _WAIT_MS, seat, THINK)

    def submit(self, move: Move, by: int, at: int, flight: int = 0, tag: str | None = None) -> None:
        """Lift a card for a person's seat; it comes down after its flight, when the clock gets there.

        Raises:
            IllegalMove: the move is against the rules as the table stands, or it is not the seat's own.
        """
        self.advance(at)
        if by != move.seat:
            raise IllegalMove(f"P{by + 1} cannot move for P{move.seat + 1}.")
        if self.is_busy(by):
            raise IllegalMove(f"P{by + 1} moves one card at a time, and the last one has not come down yet.")
        reason = self.state.refusal(move, at, at)
        if reason is not None:
            raise IllegalMove(reason)
        if move.target >= FOUNDATION:
            self._in_air[by] = move
        self._lifted[by] += 1
        self._schedule(at + flight, by, LAND, move, at, tag)
        self.advance(at)

    # --- The clock -----------------------------------------------------------------------------------------

    def _schedule(
        self,
        at: int,
        seat: int,
        phase: int,
        move: Move | None = None,
        lifted: int = 0,
        tag: str | None = None,
    ) -> None:
        self._order += 1
        heapq.heappush(self._queue, _Event(at, self._order, seat, phase, move, lifted, tag))

    def _step(self) -> None:
        at, _, seat, phase, move, lifted, tag = heapq.heappop(self._queue)
        self._watch_clock(at)
        if phase == LAND and move is not None:
            self._lifted[seat] = max(0, self._lifted[seat] - 1)
            self._land(seat, move, lifted, at, tag)
        if self.state.end is not None:
            return
        if phase == LIFT and move is not None:
            self._lift(seat, move, at)
        elif self._bots[seat] is not None:
            self._think(seat, at)

    def _watch_clock(self, at: int) -> None:
        """Do what falls due by itself: a stall, and the end of the time for the round."""
        while self._stall_ms is not None and self.state.end is None:
            stalled_at = self._stalls_at(self._stall_ms)
            if stalled_at > at:
                break
            self._note(stalled_at, stalled_at, Move(TABLE, STALL))
        if self._limit_ms is not None and at > self._limit_ms and self.state.end is None:
            self._note(at, at, Move(TABLE, STOP))

    def _stalls_at(self, stall_ms: int) -> int:
        return max(self.state.progress_at + stall_ms, self.state.now)

    def _think(self, seat: int, at: int) -> None:
        bot = self._bots[seat]
        assert bot is not None
        draw = self._draws[seat]
        move = bot.decide(self._views[seat], draw)
        if move is None:
            self._schedule(at + _WAIT_MS, seat, THINK)
            return
        lifts = at + bot.tempo.delay(move, self._views[seat], draw)
        if move.target >= FOUNDATION or move.kind in (CALL, STUCK):
            self._schedule(lifts, seat, LIFT, move)
        else:
            # Nobody else can touch what this moves: the lift needs no look of its own.
            self._schedule(lifts + bot.tempo.flight(move, draw), seat, LAND, move, lifts)

    def _lift(self, seat: int, move: Move, at: int) -> None:
        """Lift a card for a foundation, unless the player sees that it is too late."""
        bot = self._bots[seat]
        assert bot is not None
        if move.kind in (CALL, STUCK):
            self._land(seat, move, at, at)
            if self.state.end is None:
                self._think(seat, at)
        elif self.state.refusal(move, at, at) is None or self._follows(move):
            self._in_air[seat] = move
            self._schedule(at + bot.tempo.flight(move, self._draws[seat]), seat, LAND, move, at)
        else:
            self._think(seat, at)

    def _follows(self, move: Move) -> bool:
        """Whether the card fits on one that is in the air to the same foundation."""
        card = move.declared or move.card
        return any(
            other is not None and other.target == move.target and (other.declared or other.card) + 1 == card
            for other in self._in_air
        )

    def _land(self, seat: int, move: Move, lifted: int, at: int, tag: str | None = None) -> None:
        self._in_air[seat] = None
        if self.state.end is not None and lifted > self.state.called_at:
            return  # The hand never left: the call came first.
        self._note(lifted, at, move, tag)

    def _note(self, lifted: int, at: int, move: Move, tag: str | None = None) -> None:
        """Judge a move as it comes down, and record what came of it."""
        reason = self.state.refusal(move, lifted, at)
        if reason is None:
            record = Record(lifted, at, move, self.state.apply(move, at), tag=tag)
        else:
            record = Record(lifted, at, move, Outcome.BOUNCED, reason, tag)
        self.records.append(record)
        for observer in self._observers:
            observer(record, self.state)


def _is_in_air(event: _Event, at: int) -> bool:
    """Whether everybody can see this card on its way to a foundation."""
    move = event.move
    return event.phase == LAND and move is not None and move.target >= FOUNDATION and event.lifted <= at
