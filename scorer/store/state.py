"""What a match is: the fold of its events. Pure values, no database.

An event is a kind and a payload of plain JSON; `fold` applies them in order. Undoing one is folding without
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from scorer.errors import StoreError
from scorer.scoring import DeckTally, Match, Rules, Tally

JsonObject = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Seat:
    """A player, or two who share a deck, a layout and a score."""

    id: str
    names: tuple[str, ...]
    nerts_size: int | None = None
    """A handicap: the size of this seat's Nerts pile where it differs from the rules."""

    @property
    def name(self) -> str:
        """The name shown: "Ann", or "Ann & Ben" for a pair."""
        return " & ".join(self.names)

    def to_json(self) -> JsonObject:
        """Return the seat as plain JSON."""
        return {"id": self.id, "names": list(self.names), "nerts_size": self.nerts_size}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Seat:
        """Read a seat written by `to_json`."""
        return cls(data["id"], tuple(data["names"]), data["nerts_size"])


@dataclass(frozen=True, slots=True)
class Entry:
    """The raw inputs of one seat in one round; scores are computed from these and never stored alone."""

    seat: str
    out: int
    """Own cards on the foundations."""
    left: int
    """Cards left in the Nerts pile."""
    kings: int = 0
    called: bool = False
    false_calls: int = 0
    """How often this seat called with cards left."""
    back: str | None = None
    """The back the cards were counted by, where photos were read."""

    def to_json(self) -> JsonObject:
        """Return the entry as plain JSON."""
        return {
            "seat": self.seat,
            "out": self.out,
            "left": self.left,
            "kings": self.kings,
            "called": self.called,
            "false_calls": self.false_calls,
            "back": self.back,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Entry:
        """Read an entry written by `to_json`."""
        return cls(
            **{name: data[name] for name in ("seat", "out", "left", "kings", "called", "false_calls", "back")}
        )


@dataclass(frozen=True, slots=True)
class Round:
    """One scored round."""

    id: str
    at: int
    entries: tuple[Entry, ...]
    source: str = "typed"
    """"typed" or "photos"."""
    photos: tuple[str, ...] = ()
    machine: str | None = None
    """Digest of what the reader said."""
    confirmed: str | None = None
    """Digest of what people made of it."""
    changed: int | None = None
    """When it was last edited."""
    first: str | None = None
    """The seat that reached the target first, where the rules ask for it and somebody watched."""

    def entry(self, seat: str) -> Entry | None:
        """The inputs of one seat."""
        return next((entry for entry in self.entries if entry.seat == seat), None)

    def to_json(self) -> JsonObject:
        """Return the round as plain JSON."""
        return {
            "id": self.id,
            "at": self.at,
            "entries": [entry.to_json() for entry in self.entries],
            "source": self.source,
            "photos": list(self.photos),
            "machine": self.machine,
            "confirmed": self.confirmed,
            "changed": self.changed,
            "first": self.first,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Round:
        """Read a round written by `to_json`."""
        return cls(
            id=data["id"],
            at=data["at"],
            entries=tuple(Entry.from_json(entry) for entry in data["entries"]),
            source=data["source"],
            photos=tuple(data["photos"]),
            machine=data["machine"],
            confirmed=data["confirmed"],
            changed=data["changed"],
            # Absent from rounds that were scored before it was asked for.
            first=data.get("first"),
        )


@dataclass(frozen=True)
class MatchState:
    """A match after some of its events."""

    seats: tuple[Seat, ...] = ()
    rules: Rules = field(default_factory=Rules)
    preset: str | None = "classic"
    rounds: tuple[Round, ...] = ()
    backs: Mapping[str, list[JsonObject]] = field(default_factory=dict)
    """Samples of each deck's back, as people named them: photo and outline of a card.

    A deck is named by the seat that has it in the first round; where decks move on, others have it later.
    """
    note: str = ""

    @cached_property
    def _match(self) -> Match:
        """Worked out once for each state: a state is asked for as long as nobody scores."""
        return Match(
            players=tuple(seat.name for seat in self.seats),
            rules=self.rules,
            rounds=tuple(tally_of(one.entries, self.seats, one.first) for one in self.rounds),
            nerts_sizes={seat.name: seat.nerts_size for seat in self.seats if seat.nerts_size is not None},
        )

    def seat(self, seat_id: str) -> Seat:
        """The seat with this id."""
        return next(seat for seat in self.seats if seat.id == seat_id)

    def round(self, round_id: str) -> Round | None:
        """The round with this id, unless it was deleted."""
        return next((one for one in self.rounds if one.id == round_id), None)

    def playing(self, number: int) -> MatchState:
        """Return the match with the seats only that play in a round, counted from 0."""
        names = match_of(self).players_of(number)
        return replace(self, seats=tuple(seat for seat in self.seats if seat.name in names))

    def holders(self, number: int) -> dict[str, str]:
        """Return whose each deck is in a round, counted from 0: seat by deck, each named by its first seat."""
        ids = {seat.name: seat.id for seat in self.seats}
        return {ids[deck]: ids[name] for name, deck in match_of(self).deck_holders(number).items()}

    def nerts_size(self, seat: Seat) -> int:
        """How many cards this seat's Nerts pile starts with."""
        return self.rules.nerts_size if seat.nerts_size is None else seat.nerts_size


def tally_of(entries: Iterable[Entry], seats: Iterable[Seat], first: str | None = None) -> Tally:
    """Return a round's inputs as the tally the scoring rules work on, players under their shown names.

    ``first`` is the seat that reached the target first.
    """
    names = {seat.id: seat.name for seat in seats}
    return Tally(
        tuple(
            DeckTally(
                back=entry.back or names[entry.seat],
                player=names[entry.seat],
                foundation=entry.out,
                nerts_left=entry.left,
                kings=entry.kings,
                called=entry.called,
                false_calls=entry.false_calls,
            )
            for entry in entries
        ),
        first_to_reach=None if first is None else names.get(first),
    )


def match_of(state: MatchState) -> Match:
    """Return the match for the scoring rules: everything shown is computed from the raw inputs by these."""
    return state._match


def _created(state: MatchState, payload: JsonObject) -> MatchState:
    return replace(
        _settings_changed(state, payload),
        rounds=tuple(Round.from_json(one) for one in payload.get("rounds", ())),
        backs=dict(payload.get("backs", {})),
        note=payload.get("note", ""),
    )


def _settings_changed(state: MatchState, payload: JsonObject) -> MatchState:
    return replace(
        state,
        seats=tuple(Seat.from_json(seat) for seat in payload["seats"]),
        rules=Rules.from_json(payload["rules"]),
        preset=payload["preset"],
    )


def _round_added(state: MatchState, payload: JsonObject) -> MatchState:
    return replace(
        state,
        rounds=(*state.rounds, Round.from_json(payload["round"])),
        backs={**state.backs, **payload.get("backs", {})},
    )


def _round_changed(state: MatchState, payload: JsonObject) -> MatchState:
    changed = Round.from_json(payload["round"])
    return replace(
        state,
        rounds=tuple(changed if one.id == changed.id else one for one in state.rounds),
        backs={**state.backs, **payload.get("backs", {})},
    )


def _round_deleted(state: MatchState, payload: JsonObject) -> MatchState:
    return replace(state, rounds=tuple(one for one in state.rounds if one.id != payload["id"]))


def _note_changed(state: MatchState, payload: JsonObject) -> MatchState:
    return replace(state, note=payload["note"])


_APPLY: dict[str, Callable[[MatchState, JsonObject], MatchState]] = {
    "created": _created,
    "settings_changed": _settings_changed,
    "round_added": _round_added,
    "round_changed": _round_changed,
    "round_deleted": _round_deleted,
    "note_changed": _note_changed,
}

KINDS = frozenset(_APPLY)
"""Every kind of event there is."""


def fold(events: Iterable[tuple[str, JsonObject]]) -> MatchState:
    """Return the match these events make, in order."""
    state = MatchState()
    for kind, payload in events:
        if kind not in _APPLY:
            raise StoreError(
                f"The match holds a change of kind {kind!r} this version does not know: update nerts."
            )
        state = _APPLY[kind](state, payload)
    return state
