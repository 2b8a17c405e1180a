"""What is kept of a table beside the record of its round: who sits there, the rules, the rounds before."""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

from flask_babel import gettext as _

from scorer.errors import RecordError, RulesError
from scorer.game.record import Head, Seat
from scorer.game.series import DECKS, head_of_round
from scorer.jsonfields import Fields, as_text
from scorer.scoring import Match, Rules

VERSION = 1
MOST_SEATS = 6
PHASES = ("waiting", "playing", "over", "finished")
MAX_NAME = 24
NEW_BOT = "family"
"""Who takes the place of a person who leaves."""
BOT_NAMES = {"beginner": "Beginner", "family": "Family", "shark": "Shark"}


@dataclass(frozen=True, slots=True)
class Chair:
    """A seat at the table and who sits there."""

    name: str
    bot: str | None = None
    """The kind of bot; None for a person."""
    secret: str | None = None
    """The second half of a person's key."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A table as it is kept."""

    id: str
    """Twelve hexadecimal digits: the first half of every key of the table."""
    chairs: tuple[Chair, ...]
    rules: Rules
    match: Match
    """Its players are the seats, P1 and so on: people come and go, points stay with the seat."""
    host: int = 0
    """The seat of whoever may let others join and begins the first round."""
    invitation: str | None = None
    """The second half of the link to join; None where nobody may."""
    seed: str = field(default_factory=lambda: new_seed())
    number: int = 0
    """The number of the round on the table, or played last; 0 before the first."""
    replay: str = ""
    """The name the record of that round has, or will have, in the library."""
    phase: str = "waiting"
    paused: bool = False

    @classmethod
    def new(cls, name: str, bots: Sequence[str], rules: Rules, *, may_join: bool) -> Self:
        """Set a table for a person and some bots."""
        chairs = [Chair(name, None, secrets.token_urlsafe(12))]
        for kind in bots:
            chairs.append(Chair(free_name(BOT_NAMES[kind], chairs), kind))
        invitation = secrets.token_urlsafe(12) if may_join else None
        match = Match(seat_names(len(chairs)), rules)
        return cls(secrets.token_hex(6), tuple(chairs), rules, match, invitation=invitation)

    def key(self, seat: int) -> str:
        """Return the key that plays a seat."""
        return f"{self.id}{self.chairs[seat].secret}"

    @property
    def people(self) -> tuple[int, ...]:
        """The seats of people."""
        return tuple(seat for seat, chair in enumerate(self.chairs) if chair.bot is None)

    def with_person(self, name: str) -> tuple[Self, int]:
        """Return the table with one more person, and the seat: a bot's, or a new one before the first round.

        Raises:
            RulesError: the name will not do, or every seat is taken.
        """
        chair = Chair(self._checked(name), None, secrets.token_urlsafe(12))
        bots = [seat for seat, there in enumerate(self.chairs) if there.bot is not None]
        if bots:
            return self._with_chair(bots[-1], chair), bots[-1]
        if self.phase != "waiting" or len(self.chairs) == MOST_SEATS:
            raise RulesError(
                "Every seat at this table is taken: ask somebody to leave, or set another table."
            )
        chairs = (*self.chairs, chair)
        match = Match(seat_names(len(chairs)), self.rules)
        return dataclasses.replace(self, chairs=chairs, match=match), len(chairs) - 1

    def _checked(self, name: str) -> str:
        name = tidy(name)
        if not name:
            raise RulesError(_("Write your name, so that the others know who plays."))
        if any(chair.name.casefold() == name.casefold() for chair in self.chairs):
            taken = _("Somebody called %(name)s sits at this table: choose another name.", name=name)
            raise RulesError(taken)
        return name

    def without_person(self, seat: int) -> Self:
        """Return the table with a bot in the place of a person; the next person becomes the host."""
        name = free_name(f"{self.chairs[seat].name} (bot)", self.chairs)
        table = self._with_chair(seat, Chair(name, NEW_BOT))
        return table if seat != self.host else dataclasses.replace(table, host=table.people[0])

    def _with_chair(self, seat: int, chair: Chair) -> Self:
        return dataclasses.replace(self, chairs=(*self.chairs[:seat], chair, *self.chairs[seat + 1 :]))

    def next_head(self) -> Head:
        """Return what the next round starts from, with the names of those who sit there now."""
        head = head_of_round(self._first_head(), self.match, self.number + 1)
        return dataclasses.replace(head, seats=self.named(head.seats))

    def for_match(self, head: Head) -> Head:
        """Return the head of a round with the seats as the match calls them."""
        seats = zip(head.seats, self.match.players, strict=True)
        return dataclasses.replace(
            head, seats=tuple(dataclasses.replace(seat, players=(name,)) for seat, name in seats)
        )

    def named(self, seats: Sequence[Seat]) -> tuple[Seat, ...]:
        """Return seats with the names of those who sit there now."""
        return tuple(
            dataclasses.replace(seat, players=(chair.name,), bot=chair.bot)
            for seat, chair in zip(seats, self.chairs, strict=True)
        )

    def _first_head(self) -> Head:
        seats = tuple(Seat((name,), deck) for name, deck in zip(self.match.players, DECKS, strict=False))
        return Head(self.seed, self.rules, seats, (self.rules.nerts_size,) * len(seats))

    def to_json(self) -> dict[str, object]:
        """Return what `json.dumps` takes."""
        plain = {name: getattr(self, name) for name in _PLAIN}
        chairs = [dataclasses.asdict(chair) for chair in self.chairs]
        return {"version": VERSION, **plain, "chairs": chairs, "match": self.match.to_json()}

    @classmethod
    def from_json(cls, data: object) -> Self:
        """Read a table.

        Raises:
            RecordError: it was written by a newer version.
            NotationError: it is damaged.
        """
        fields = Fields(data, "the table")
        if fields.whole("version") > VERSION:
            raise RecordError("This table was set by a newer version: update nerts to play on.")
        match = Match.from_json(fields.get("match"))
        return cls(
            id=fields.text("id"),
            chairs=fields.items("chairs", _chair),
            rules=match.rules,
            match=match,
            host=fields.whole("host"),
            invitation=fields.optional_text("invitation"),
            seed=fields.text("seed"),
            number=fields.whole("number"),
            replay=fields.text("replay"),
            phase=fields.text("phase"),
            paused=fields.flag("paused"),
        )


_PLAIN = ("id", "host", "invitation", "seed", "number", "replay", "phase", "paused")


def _chair(data: object, where: str) -> Chair:
    fields = Fields(data, where)
    return Chair(
        as_text(fields.get("name"), where), fields.optional_text("bot"), fields.optional_text("secret")
    )


def new_seed() -> str:
    """Return what decides the deals of a table; nobody can foretell it."""
    return secrets.token_hex(8)


def seat_names(seats: int) -> tuple[str, ...]:
    """Return the names of so many seats: P1, P2 and so on."""
    return tuple(f"P{seat}" for seat in range(1, seats + 1))


def free_name(wanted: str, chairs: Sequence[Chair]) -> str:
    """Return a name that nobody at the table has yet: "Shark", "Shark 2" and so on."""
    taken = {chair.name.casefold() for chair in chairs}
    names = (wanted, *(f"{wanted} {number}" for number in range(2, len(chairs) + 3)))
    return next(name for name in names if name.casefold() not in taken)


def tidy(name: str) -> str:
    """Return a name without what does not belong to it: blanks around, characters that are not printed."""
    printed = "".join(letter if letter.isprintable() else " " for letter in name)
    return " ".join(printed.split())[:MAX_NAME]
