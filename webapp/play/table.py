"""A table that is played on live: people through their pages, bots by the clock, everything kept as it happens."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from scorer.errors import IllegalMove, ScorerError
from scorer.game import record
from scorer.game.bots import Bot, bot
from scorer.game.live import LiveRound
from scorer.game.moves import Move
from scorer.game.series import tally_for_match
from webapp.play import messages
from webapp.play.attendance import GRACE_SECONDS, Attendance
from webapp.play.clock import Clock
from webapp.play.files import TableFiles
from webapp.play.flood import Allowance
from webapp.play.library import Library, new_name
from webapp.play.log import EventLog, as_json
from webapp.play.messages import Message, Situation
from webapp.play.saved import NEW_BOT, Saved
from webapp.texts import N_

_MOST_LOOKS = 60
"""How often a move looks whether the same hand's card has come down; other events come between."""
_REMEMBERED = 64
"""So many moves of a seat are known again when they are delivered twice."""


class TooFast(ScorerError):
    """A seat sends more moves than any hand can make."""


class Gone(ScorerError):
    """The table, or the seat at it, is no more."""


class LiveTable:
    """A table. Every public method may be called from any thread."""

    def __init__(self, saved: Saved, files: TableFiles, library: Library, wake: Callable[[], None]) -> None:
        """Set up the table as it was kept.

        Args:
            saved: what was kept of it.
            files: where it is kept.
            library: where the records of its rounds go.
            wake: called when the table may have something to do earlier than it said last.
        """
        self._saved, self._files, self._library, self._wake = saved, files, library, wake
        self._changed = threading.Condition(threading.RLock())
        self._clock = Clock()
        self._log = EventLog()
        self._round: LiveRound | None = None
        self._written = 0
        self._trouble: str | None = None
        self._attendance = Attendance()
        self._answers: dict[int, dict[str, int]] = {}
        self._allowances: dict[int, Allowance] = {}
        self._joined: dict[str, int] = {}
        self._told_present: frozenset[int] = frozenset()
        self.is_gone = False
        """Whether everybody has left."""
        self.is_closed = False
        """Whether it stands still for good here; it can be set up again from its files."""

    # --- Setting up ----------------------------------------------------------------------------------------

    def take_up(self) -> None:
        """Go on where the files end.

        Raises:
            RecordError: the record of the round cannot be read at all.
        """
        with self._changed:
            if self._saved.phase != "waiting":
                self._read_record()

    def _read_record(self) -> None:
        recording = self._files.take_up(self._saved.number) or self._library.read(self._saved.replay)
        if recording is None:
            return self._lost()
        game = recording.game
        self._round = LiveRound(game.head, self._bots(), game.records)
        self._clock = Clock(self._round.state.now)
        self._written = len(game.records)
        for one in game.records:
            if one.tag is not None and one.move.seat >= 0:
                self._remember(one.move.seat, one.tag)
        if self._saved.phase == "playing" and self._round.is_over:
            self._finish()

    def _lost(self) -> None:
        """The record is no more: the round is dealt anew."""
        if self._saved.phase == "playing":
            self._keep(replace(self._saved, number=self._saved.number - 1, phase="waiting"))

    def _bots(self) -> list[Bot | None]:
        return [None if chair.bot is None else bot(chair.bot) for chair in self._saved.chairs]

    def _remember(self, seat: int, tag: str) -> None:
        """Note that a move was carried out, so that it is known when it is delivered again."""
        known = self._answers.setdefault(seat, {})
        known[tag] = self._log.last
        while len(known) > _REMEMBERED:
            del known[next(iter(known))]

    # --- Looking -------------------------------------------------------------------------------------------

    @property
    def saved(self) -> Saved:
        """What is kept of the table."""
        return self._saved

    @property
    def phase(self) -> str:
        """What is going on."""
        with self._changed:
            return self._situation().phase

    @property
    def last_seq(self) -> int:
        """The number of the last event."""
        return self._log.last

    def with_names(self, sentence: str) -> str:
        """Return a sentence of the rules with the names of the players in place of their seats."""
        chairs = self._saved.chairs

        def name(found: re.Match[str]) -> str:
            seat = int(found[1])
            return chairs[seat - 1].name if seat <= len(chairs) else found[0]

        return re.sub(r"\bP([1-8])\b", name, sentence)

    def hello(self, seat: int) -> Message:
        """Return everything a seat is told."""
        with self._changed:
            self._check_seat(seat)
            self._advance()
            return self._hello(seat)

    def _hello(self, seat: int) -> Message:
        return {"seq": self._log.last, **messages.hello(self._situation(), seat)}

    def _situation(self) -> Situation:
        played = self._round
        head = self._saved.next_head() if played is None else played.head
        clock = self._clock
        return Situation(
            self._saved, head, played, clock.now(), clock.is_running, self._present(), self._trouble
        )

    def legal_moves(self, seat: int) -> list[str]:
        """Return every move a seat may make now, in the notation its page sends."""
        with self._changed:
            self._advance()
            if self._round is None or self._situation().phase != "playing":
                return []
            return [str(move).partition(" ")[2] for move in self._round.legal_moves(seat)]

    # --- Being there ---------------------------------------------------------------------------------------

    @contextmanager
    def attended(self, seat: int) -> Iterator[None]:
        """A person follows the table while this lasts."""
        with self._changed:
            self._attendance.come(seat)
            self._notice(seat)
        try:
            yield
        finally:
            with self._changed:
                self._attendance.go(seat)

    def streams_of(self, seat: int) -> int:
        """Return how many pages follow the table for this seat."""
        return self._attendance.streams_of(seat)

    def notice(self, seat: int) -> None:
        """Note that a person is there."""
        with self._changed:
            self._notice(seat)

    def _notice(self, seat: int) -> None:
        self._attendance.notice(seat)
        self._run_or_stand()
        if self._present() != self._told_present:
            self._publish_status()

    def _present(self) -> frozenset[int]:
        return self._attendance.present(self._saved.people)

    def _run_or_stand(self) -> None:
        """Let the clock run while there is a round, nobody has paused it, and somebody is there."""
        if self._saved.phase == "playing" and not self._saved.paused and self._present():
            if not self._clock.is_running:
                self._clock.start()
                self._wake()
        else:
            self._clock.stop()

    def missed(self, seat: int, since: int | None) -> tuple[int, str]:
        """Return what a page has not seen yet as text for its stream, and the number of the last event in it.

        Args:
            seat: whose page it is.
            since: the last event it has seen; None if it has seen nothing.
        """
        with self._changed:
            self._check_seat(seat)
            events = None if since is None else self._log.since(since, seat)
            if events is None:
                self._advance()
                text = as_json(self._hello(seat))
                return self._log.last, f"id: {self._log.last}\nevent: hello\ndata: {text}\n\n"
            return self._log.last, "".join(event.for_seat(seat) for event in events)

    def wait(self, since: int, seconds: float) -> bool:
        """Wait for an event later than this one; false if none came in that time."""
        with self._changed:
            return self._changed.wait_for(
                lambda: self._log.last > since or self.is_gone or self.is_closed, seconds
            )

    def _check_seat(self, seat: int) -> None:
        if self.is_gone or self._saved.chairs[seat].bot is not None:
            raise Gone(N_("This seat is given up: ask for the link to join again."))

    # --- Playing -------------------------------------------------------------------------------------------

    def move(self, seat: int, text: str, tag: str) -> int:
        """Make a move for a seat; the same tag twice is one move.

        Returns:
            The number of the last event, which the move is part of.

        Raises:
            IllegalMove: the rules or the phase of the table refuse it.
            NotationError: it is no move.
            TooFast: the seat sends too many.
        """
        move = Move.parse(f"P{seat + 1} {text}")
        with self._changed:
            self._check_seat(seat)
            self._notice(seat)
            if not self._allowances.setdefault(seat, Allowance()).take():
                raise TooFast(N_("Too many moves at once: wait a second."))
            self._advance()
            self._wait_for_hand(seat)
            if tag in self._answers.get(seat, {}):
                return self._answers[seat][tag]
            self._make(move, seat, tag)
            return self._log.last

    def _make(self, move: Move, seat: int, tag: str) -> None:
        played = self._round_in_play()
        try:
            played.submit(move, seat, self._clock.now(), tag)
        finally:
            self._publish()
        self._remember(seat, tag)
        self._wake()

    def _round_in_play(self) -> LiveRound:
        refusals = {
            "waiting": N_("The round has not begun yet."),
            "paused": N_("The table is paused: go on first."),
            "over": N_("The round is over."),
            "finished": N_("The match is over."),
        }
        refusal = refusals.get(self._situation().phase)
        if refusal is not None or self._round is None:
            raise IllegalMove(refusal or N_("There is no round on the table."))
        return self._round

    def _wait_for_hand(self, seat: int) -> None:
        """Let the seat's card come down first: a quick player need not wait for it himself."""
        for _ in range(_MOST_LOOKS):
            if self._round is None or not self._round.is_busy(seat) or not self._clock.is_running:
                return
            due = self._round.next_at or 0
            self._changed.wait(max(due - self._clock.now(), 1) / 1000)
            self._advance()

    # --- Pausing, going on, coming and leaving -------------------------------------------------------------

    def pause(self, seat: int) -> None:
        """Let the clock stand still."""
        with self._changed:
            self._check_seat(seat)
            self._advance()
            if self._saved.phase == "playing" and not self._saved.paused:
                self._keep(replace(self._saved, paused=True))
                self._run_or_stand()
                self._publish_status()

    def resume(self, seat: int) -> None:
        """Go on; on a table that waits, the host begins the first round by it."""
        with self._changed:
            self._check_seat(seat)
            if self._saved.phase == "waiting":
                return self._begin(seat)
            if self._saved.paused:
                self._write_anew()
                self._keep(replace(self._saved, paused=False))
                self._notice(seat)
                self._publish_status()

    def _write_anew(self) -> None:
        """After a full disk the record is written once more from the beginning."""
        if self._trouble is not None and self._round is not None:
            self._files.rewrite(self._round.head, self._round.records)
            self._written = len(self._round.records)
            self._trouble = None
            self._publish()

    def deal_next(self, seat: int) -> None:
        """Deal the next round; after a match the first one of another."""
        with self._changed:
            self._check_seat(seat)
            self._advance()
            if self._saved.phase == "waiting":
                return self._begin(seat)
            if self._saved.phase in ("over", "finished"):
                self._deal(seat)

    def _begin(self, seat: int) -> None:
        if seat != self._saved.host:
            raise IllegalMove(N_("Whoever set the table begins the first round."))
        self._deal(seat)

    def _deal(self, seat: int) -> None:
        saved = self._saved
        if saved.match.is_over:
            saved = replace(saved, match=replace(saved.match, rounds=()))
        head = saved.next_head()
        self._files.begin(head)
        self._written = 0
        self._keep(replace(saved, number=head.number, replay=new_name(), phase="playing", paused=False))
        self._round = LiveRound(head, self._bots())
        self._clock = Clock()
        self._notice(seat)
        self._publish_hello()
        self._wake()

    def join(self, name: str, token: str) -> int:
        """Let another person take the seat of a bot, or one more seat before the first round.

        Args:
            name: of the person.
            token: the same form sent twice takes one seat.

        Raises:
            RulesError: the name or the table does not allow it.
        """
        with self._changed:
            if token in self._joined:
                return self._joined[token]
            saved, seat = self._saved.with_person(name)
            self._keep(saved)
            if token:
                self._joined[token] = seat
            if self._round is not None and self._saved.phase == "playing":
                self._round.seat(seat, None, self._clock.now())
                self._publish()
            self._answers.pop(seat, None)
            self._notice(seat)
            self._publish_status()
            return seat

    def leave(self, seat: int) -> None:
        """Give up a seat: a bot plays on; when the last person goes, the table is cleared."""
        with self._changed:
            self._check_seat(seat)
            self._advance()
            saved = self._saved
            if saved.people == (seat,):
                return self._clear()
            self._keep(saved.without_person(seat))
            if self._round is not None and saved.phase == "playing":
                self._round.seat(seat, bot(NEW_BOT), self._clock.now())
                self._publish()
            self._run_or_stand()
            self._publish_status()
            self._wake()

    def _clear(self) -> None:
        self.is_gone = True
        self._clock.stop()
        self._files.remove()
        self._changed.notify_all()

    # --- The clock -----------------------------------------------------------------------------------------

    def tick(self) -> float | None:
        """Do what is due, and return in how many seconds something is again; None if only people can act."""
        with self._changed:
            if self.is_gone or self.is_closed:
                return None
            try:
                self._advance()
            except OSError as error:
                self._stop_for(error)
            self._run_or_stand()
            if self._present() != self._told_present:
                self._publish_status()
            if not self._clock.is_running or self._round is None:
                return None
            due = self._round.next_at
            left = GRACE_SECONDS if due is None else (due - self._clock.now()) / 1000
            return min(GRACE_SECONDS, max(0.0, left))

    @property
    def is_idle(self) -> bool:
        """Whether nobody is there, so that the table need not be kept in memory."""
        with self._changed:
            return not self._clock.is_running and not self._present()

    def close(self) -> None:
        """Stand still and close the files; the table can be set up again from them."""
        with self._changed:
            self._advance()
            self._clock.stop()
            self._files.close()
            self.is_closed = True
            self._changed.notify_all()

    def _advance(self) -> None:
        """Let the round catch up with the clock."""
        if self._round is not None and self._clock.is_running:
            self._round.advance(self._clock.now())
            self._publish()

    # --- Keeping and telling -------------------------------------------------------------------------------

    def _keep(self, saved: Saved) -> None:
        """Change what is kept of the table; where it cannot be kept, nothing changes."""
        self._files.save(saved)
        self._saved = saved

    def _publish(self) -> None:
        """Write down what happened, tell every seat, and end the round when it is over."""
        played = self._round
        if played is None:
            return
        self._write(played)
        for glimpse in played.take_glimpses():
            self._tell("change", lambda seat, one=glimpse: messages.change(one, seat))  # type: ignore[misc]
        if played.is_over and self._saved.phase == "playing" and self._trouble is None:
            try:
                self._finish()
            except OSError as error:
                self._stop_for(error)

    def _write(self, played: LiveRound) -> None:
        if self._trouble is not None:
            return
        try:
            self._files.append(played.records[self._written :])
            self._written = len(played.records)
        except OSError as error:
            self._stop_for(error)

    def _stop_for(self, error: OSError) -> None:
        """Let nobody play on while nothing can be kept; the record can be written anew once there is room."""
        self._trouble = (
            f"The server cannot write to its disk ({error.strerror}): free some space, then go on."
        )
        self._saved = replace(self._saved, paused=True)
        self._clock.stop()
        self._publish_status()

    def _finish(self) -> None:
        played, saved = self._round, self._saved
        assert played is not None
        self._clock.stop()
        target = self._library.path(saved.replay)
        assert target is not None
        line = record.end_line(played.head, played.state, len(played.records))
        self._files.end(line, saved.number, target)
        head = saved.for_match(played.head)
        match = saved.match.with_round(tally_for_match(saved.match, head, played.state, played.records))
        self._keep(replace(saved, match=match, phase="finished" if match.is_over else "over"))
        self._publish_status()

    def _publish_status(self) -> None:
        situation = self._situation()
        self._told_present = frozenset(situation.present)
        self._tell("status", lambda seat: messages.status(situation, seat))

    def _publish_hello(self) -> None:
        situation = self._situation()
        self._tell("hello", lambda seat: messages.hello(situation, seat))

    def _tell(self, kind: str, message: Callable[[int], Message]) -> None:
        self._log.append(kind, {seat: message(seat) for seat in self._saved.people})
        self._changed.notify_all()
