"""The record of a round: JSON lines that a person can read, and that replay to the same state.

The first line is the head (version, seed, house rules, seats), then comes one line for every move that came
down or bounced, and a last line says how the round ended::

    {"nerts": 1, "seed": "7/3", "seats": [{"players": ["Ada"], "deck": "red", "bot": "shark"}, …], …}
    {"at": 1240, "move": "P2 N:AC>F", "lifted": 830, "outcome": "done"}
    {"at": 1310, "move": "P1 W:AC>F", "lifted": 900, "outcome": "bounced", "reason": "…"}
    {"end": "called", "at": 41250, "callers": ["P2"], "foundation": [19, 14], "nerts_left": [0, 4], …}

Nothing else is stored: seed, rules and records give the state back, to the last card.
"""

from __future__ import annotations

import itertools
import json
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scorer.errors import NotationError, RecordError, RulesError
from scorer.game.ending import tally_round
from scorer.game.moves import Move
from scorer.game.state import Outcome, State
from scorer.game.table import Record
from scorer.jsonfields import Fields, as_text, as_whole, is_writable
from scorer.scoring import MAX_PLAYERS, RoundScore, Rules, Tally, score_round

VERSION = 1
MAX_MS = 10**10
"""No round lasts so long, be it played over months."""
MAX_BYTES = 64 * 2**20
"""A longer file is no record of a round."""

_ABSENT = object()
_OUTCOMES = {outcome.value: outcome for outcome in Outcome}


@dataclass(frozen=True, slots=True)
class Seat:
    """Who plays at a seat, and with which deck."""

    players: tuple[str, ...]
    """One name, or two that share the deck, the layout and the score."""
    deck: str
    """The name of the deck's back."""
    bot: str | None = None
    """The name of the bot, None for people."""

    @property
    def name(self) -> str:
        """The player, or both partners."""
        return " & ".join(self.players)


@dataclass(frozen=True, slots=True)
class Head:
    """What a round starts from."""

    seed: str
    rules: Rules
    seats: tuple[Seat, ...]
    nerts_sizes: tuple[int, ...]
    """For each seat the size of its Nerts pile, which handicaps may change."""
    number: int = 1
    """The number of the round in its match or series."""
    starter: int | None = None
    """The seat that says go, where the house rules name one."""

    def __post_init__(self) -> None:
        if not is_writable(self.seed):
            raise RulesError(f"{self.seed!r} is no text: give another seed.")
        if len(self.seats) != len(self.nerts_sizes):
            raise RulesError(f"There are {len(self.seats)} seats, but {len(self.nerts_sizes)} Nerts piles.")
        if not 1 <= len(self.seats) <= MAX_PLAYERS:
            raise RulesError(f"A table has 1 to {MAX_PLAYERS} seats, not {len(self.seats)}.")
        for what, names in (("deck", self.decks), ("player", self.players)):
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise RulesError(f"Two seats have the same {what}, {twice!r}; give each its own.")
        _check_partners(self.seats, self.rules)

    @property
    def decks(self) -> tuple[str, ...]:
        """For each seat the name of its deck."""
        return tuple(seat.deck for seat in self.seats)

    @property
    def players(self) -> tuple[str, ...]:
        """For each seat the name of whoever plays there."""
        return tuple(seat.name for seat in self.seats)

    def deal(self) -> State:
        """Deal the round."""
        return State(self.rules, self.seed, self.nerts_sizes)

    def tally(self, state: State) -> Tally:
        """Count a round that began with this head."""
        return tally_round(state, self.decks, self.players)

    def score(self, state: State) -> RoundScore:
        """Score a round that began with this head."""
        return score_round(self.tally(state), self.rules)


def _check_partners(seats: Sequence[Seat], rules: Rules) -> None:
    for number, seat in enumerate(seats, 1):
        if not 1 <= len(seat.players) <= 2 or not all(name.strip() for name in seat.players):
            raise RulesError(f"Seat P{number} needs the name of one player, or of two partners.")
    people = sum(len(seat.players) for seat in seats)
    if rules.partnership == "forced" and people >= 6 and any(len(seat.players) < 2 for seat in seats):
        raise RulesError(
            "By this house rule six or more players play in pairs: name two partners a seat, or seat fewer."
        )


@dataclass(frozen=True, slots=True)
class Game:
    """A round as recorded: from here every state of it can be had."""

    head: Head
    records: tuple[Record, ...]

    def states(self) -> Iterator[tuple[Record | None, State]]:
        """Yield the state as dealt, and after each record: one state that changes, copy it to keep it."""
        state = self.head.deal()
        yield None, state
        for record in self.records:
            if record.outcome is not Outcome.BOUNCED:
                state.perform(record.move, record.at, record.lifted)
            yield record, state

    def replay(self) -> State:
        """Return the state at the end."""
        *_, (_, state) = self.states()
        return state

    def first_to_reach(self, totals: Mapping[str, int]) -> str | None:
        """Return who was the first to reach the target of the match while this round was played.

        Counted live: after every card, what the round would score if it ended there. At the same card (the
        call may bring a bonus) the higher total counts; nobody (None) if the target is not reached.

        Args:
            totals: for each player the total before this round.
        """
        for _, state in self.states():
            scores = self.head.score(state).scores
            now = {name: totals[name] + (points or 0) for name, points in scores.items()}
            best = max(now, key=lambda name: now[name])
            if now[best] >= self.head.rules.target:
                return best
        return None


# --- Writing -----------------------------------------------------------------------------------------------


def head_line(head: Head) -> str:
    """Write the first line of a record."""
    return _line(
        {
            "nerts": VERSION,
            "seed": head.seed,
            "round": head.number,
            "seats": [
                _seat_json(seat, size) for seat, size in zip(head.seats, head.nerts_sizes, strict=True)
            ],
            "starter": None if head.starter is None else f"P{head.starter + 1}",
            "rules": head.rules.to_json(),
        }
    )


def _seat_json(seat: Seat, nerts: int) -> dict[str, object]:
    return {"players": list(seat.players), "deck": seat.deck, "bot": seat.bot, "nerts": nerts}


def record_line(record: Record) -> str:
    """Write one move and what came of it."""
    fields: dict[str, object] = {"at": record.at, "move": str(record.move), "lifted": record.lifted}
    fields["outcome"] = record.outcome.value
    if record.reason is not None:
        fields["reason"] = record.reason
    if record.tag is not None:
        fields["tag"] = record.tag
    return _line(fields)


def end_line(head: Head, state: State, moves: int) -> str:
    """Write the last line: how the round ended, for people and as a check on the lines before."""
    decks = head.tally(state).decks
    return _line(
        {
            "end": state.end,
            "at": state.now,
            "callers": [f"P{seat + 1}" for seat in state.callers],
            "foundation": [deck.foundation for deck in decks],
            "nerts_left": [deck.nerts_left for deck in decks],
            "moves": moves,
        }
    )


def lines(head: Head, records: Iterable[Record], state: State) -> Iterator[str]:
    """Write a whole record, line by line; the state is the one at the end."""
    yield head_line(head)
    moves = 0
    for record in records:
        yield record_line(record)
        moves += 1
    yield end_line(head, state, moves)


def write(path: Path, head: Head, records: Iterable[Record], state: State) -> None:
    """Write a record to a file."""
    path.write_text("".join(f"{line}\n" for line in lines(head, records, state)), encoding="utf-8")


def _line(fields: dict[str, object]) -> str:
    return json.dumps(fields, ensure_ascii=False)


# --- Reading -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Recording:
    """A record as read: the game as far as it is sound, and what is wrong after that."""

    game: Game
    state: State
    """The state after the last sound record."""
    damage: str | None = None
    """One sentence that names the line, None for a sound record."""
    breaks_off: bool = False
    """Whether all that is wrong is that the end is missing, as in the record of a round that goes on."""


def read(path: Path) -> Recording:
    """Read a record from a file, as far as it is sound.

    Raises:
        RecordError: the file cannot be opened, is no record, or is of a newer version.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise RecordError(f"{path.name} is longer than any record of a round; name the right file.")
        data = path.read_bytes()
    except OSError as error:
        raise RecordError(f"{path.name} cannot be read: {error.strerror or error}.") from None
    return parse(data)


def parse(data: bytes) -> Recording:
    """Read a record, as far as it is sound.

    Raises:
        RecordError: it is no record, or of a newer version.
    """
    lines = enumerate(data.removeprefix(BOM_UTF8).split(b"\n"), 1)
    raw = [(number, line) for number, line in lines if line.strip()]
    head = _parse_head(raw[0][1] if raw else b"")
    state, records, damage = _fold(head, raw)
    if damage is not None:
        # The damaged line may have been carried out before its outcome was found to be another.
        state = Game(head, records).replay()
    breaks_off = damage is not None and len(raw) == 1 + len(records)
    return Recording(Game(head, records), state, damage, breaks_off)


def _fold(head: Head, raw: Sequence[tuple[int, bytes]]) -> tuple[State, tuple[Record, ...], str | None]:
    """Carry out the numbered lines after the head until one is damaged or the last is reached."""
    state = head.deal()
    records: list[Record] = []
    for (sound, _), (number, line) in itertools.pairwise(raw):
        try:
            fields = _fields(line, number)
            if fields.get("end", _ABSENT) is not _ABSENT:  # null in the record of an open round
                _check_end(fields, head, state, len(records), is_last=number == raw[-1][0])
                return state, tuple(records), None
            records.append(_carry_out(state, _parse_record(fields)))
        except (RecordError, NotationError) as error:
            damage = f"Line {number} is damaged, replayed up to line {sound}: {error}"
            return state, tuple(records), damage
    damage = f"The record breaks off after line {raw[-1][0]}: the line that ends it is missing."
    return state, tuple(records), damage


def _carry_out(state: State, record: Record) -> Record:
    reason = state.refusal(record.move, record.lifted, record.at)
    # Nothing comes down before what came down already, be it to bounce.
    if record.at < state.now or (reason is not None) != (record.outcome is Outcome.BOUNCED):
        raise RecordError(reason or f"{record.move} fits, and did not bounce.")
    if reason is None:
        outcome = state.apply(record.move, record.at)
        if outcome is not record.outcome:
            raise RecordError(f"{record.move} is {outcome.value}, not {record.outcome.value}.")
    return record


def _fields(line: bytes, number: int) -> Fields:
    try:
        data = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise RecordError("it is not a line of JSON.") from None
    return Fields(data, f"line {number}")


def _parse_record(fields: Fields) -> Record:
    outcome = _OUTCOMES.get(fields.text("outcome"))
    if outcome is None:
        raise RecordError(f"the outcome is one of {', '.join(_OUTCOMES)}.")
    move = Move.parse(fields.text("move"))
    reason, tag = fields.optional_text("reason"), fields.optional_text("tag")
    lifted, at = fields.whole("lifted"), fields.whole("at")
    if not 0 <= lifted <= at <= MAX_MS:
        raise RecordError("a card is lifted after the deal, and comes down after that within the round.")
    return Record(lifted, at, move, outcome, reason, tag)


def _check_end(fields: Fields, head: Head, state: State, moves: int, *, is_last: bool) -> None:
    """Compare the last line with what the lines before it come to."""
    if not is_last:
        raise RecordError("there are lines after the one that ends the record.")
    expected = json.loads(end_line(head, state, moves))
    for name, value in expected.items():
        if fields.get(name, None) != value:
            raise RecordError(
                f"it says {name} is {fields.get(name, None)!r}, but the lines before come to {value!r}."
            )


def _parse_head(line: bytes) -> Head:
    try:
        fields = _fields(line, 1)
        version = fields.whole("nerts")
    except (RecordError, NotationError):
        raise RecordError(
            "Line 1 is damaged: this is no record of a Nerts round, or its head is lost."
        ) from None
    if version < 1:
        raise RecordError(f"Line 1 is damaged: there is no version {version} of records.")
    if version > VERSION:
        raise RecordError(f"This record is of version {version}, newer than {VERSION}: update the software.")
    try:
        return _read_head(fields)
    except (NotationError, RulesError) as error:
        raise RecordError(f"Line 1 is damaged: {error}") from None


def _read_head(fields: Fields) -> Head:
    seats = fields.items("seats", Fields)
    starter = fields.optional_text("starter")
    numbers = {f"P{number + 1}": number for number in range(len(seats))}
    if starter is not None and starter not in numbers:
        raise NotationError(f"there is no seat {starter}.")
    head = Head(
        seed=fields.text("seed"),
        rules=Rules.from_json(fields.get("rules")),
        seats=tuple(_read_seat(seat) for seat in seats),
        nerts_sizes=tuple(as_whole(seat.get("nerts"), f"'nerts' of {seat.where}") for seat in seats),
        number=fields.whole("round", 1),
        starter=None if starter is None else numbers[starter],
    )
    head.deal()  # Refuses sizes that no deck has.
    return head


def _read_seat(fields: Fields) -> Seat:
    return Seat(fields.items("players", as_text), fields.text("deck"), fields.optional_text("bot"))
