"""What pages send, checked in this one place; each refusal is one sentence beside its field."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Self

from flask_babel import gettext as _

from scorer.errors import NotationError, RulesError
from scorer.jsonfields import Fields
from scorer.piles import Faults
from scorer.scoring import CHOICES, LIMITS, PRESETS, Rules
from scorer.store import Entry, MatchState, Seat
from webapp.texts import wording

MAX_NAME = 24
MIN_SEATS, MAX_SEATS = 2, 8
HOUSE = "house"
"""The preset of rules that are nobody's preset."""

Errors = dict[str, str]


def _number(value: object) -> object:
    """Read what people type: blanks around, a true minus sign; nothing at all stays nothing."""
    if not isinstance(value, str):
        return value
    text = value.strip().replace("−", "-")
    return None if text == "" else text


@dataclass(frozen=True, slots=True)
class Hand:
    """The fields of one player on the form of a round; None where nothing was typed."""

    out: int | None = None
    left: int | None = None
    kings: int | None = None
    false_calls: int | None = None


MOST_FALSE_CALLS = 99


@dataclass(frozen=True, slots=True)
class RoundForm:
    """What the form of a typed round sends besides its numbers."""

    token: str
    played: int = 0
    """How many rounds had been played when the form was opened."""
    seen: int = 0
    """When the round that is corrected was last changed before the form was opened; 0 for never."""

    @classmethod
    def read(cls, form: Mapping[str, str]) -> Self:
        """Read what the page sent. Raises NotationError if no page of ours sends such a thing."""
        token, played, seen = form.get("token", ""), form.get("played", "0"), form.get("seen", "0")
        if not 8 <= len(token) <= 40 or not re.fullmatch(r"[0-9]{1,15} [0-9]{1,15}", f"{played} {seen}"):
            raise NotationError("The form is not one of this page: open it again.")
        return cls(token, int(played), int(seen))


@dataclass(frozen=True, slots=True)
class TypedRound:
    """A form as read: what was typed, and what is wrong with it."""

    hands: Mapping[str, Hand]
    callers: frozenset[str]
    first: str | None = None
    """The seat that reached the target first; None where nobody said or nobody saw it."""
    errors: Errors = field(default_factory=dict)

    def entries(self, backs: Mapping[str, str | None]) -> list[Entry]:
        """Return the inputs; only for a form without errors."""
        return [
            Entry(
                seat=seat,
                out=hand.out or 0,
                left=hand.left or 0,
                kings=hand.kings or 0,
                called=seat in self.callers,
                false_calls=hand.false_calls or 0,
                back=backs.get(seat),
            )
            for seat, hand in self.hands.items()
        ]


def typed_round(form: Mapping[str, str], state: MatchState, sizes: Mapping[str, int]) -> TypedRound:
    """Read the form of a typed round; ``sizes`` says how large each seat's Nerts pile was."""
    errors: Errors = {}
    callers = _callers(form, state, errors)
    hands = {seat.id: _hand(form, seat, errors) for seat in state.seats}
    for seat in state.seats:
        if seat.id in callers and hands[seat.id].left is None:
            # Whoever calls has an empty pile; the page shows it as 0.
            hands[seat.id] = replace(hands[seat.id], left=0)
        _check_hand(hands[seat.id], seat, state, sizes[seat.id], seat.id in callers, errors)
    first = next((seat.id for seat in state.seats if seat.id == form.get("first")), None)
    return TypedRound(hands, callers, first, errors)


def _callers(form: Mapping[str, str], state: MatchState, errors: Errors) -> frozenset[str]:
    """Read who called, and who did so at the same moment: two are possible, and both are callers."""
    called = form.get("caller", "")
    also = frozenset(seat.id for seat in state.seats if f"also-{seat.id}" in form)
    if called == "":
        errors["caller"] = _("Say who called Nerts, or that nobody did.")
    elif called == "none" and also:
        errors["caller"] = _(
            "Nobody called, yet somebody is ticked as calling at the same moment: which is right?"
        )
    return also | {seat.id for seat in state.seats if seat.id == called}


def ask_who_was_first(typed: TypedRound, form: Mapping[str, str], racers: Collection[str]) -> Errors:
    """Return the question that is open if these seats reach the target together and the first of them wins."""
    if not racers or typed.first in racers or form.get("first") == "none":
        return {}
    return {"first": _("Several reach the target in this round: who was the first?")}


def _hand(form: Mapping[str, str], seat: Seat, errors: Errors) -> Hand:
    values: dict[str, int | None] = {}
    for name in (f.name for f in fields(Hand)):
        try:
            values[name] = _count(form.get(f"{name}-{seat.id}", ""), name)
        except ValueError:
            errors[f"{name}-{seat.id}"] = _("A whole number, 0 or more.")
    return Hand(**values)


def _count(text: str, name: str) -> int | None:
    value = _number(text)
    if value is None:
        return None
    number = int(str(value))
    if number < 0 or (name == "false_calls" and number > MOST_FALSE_CALLS):
        raise ValueError(text)
    return number


def _check_hand(hand: Hand, seat: Seat, state: MatchState, size: int, called: bool, errors: Errors) -> None:
    deck = state.rules.deck_size
    if hand.out is None:
        errors.setdefault(
            f"out-{seat.id}", _("How many cards of %(name)s lie on the foundations?", name=seat.name)
        )
    elif hand.out > deck:
        errors[f"out-{seat.id}"] = _("A deck has only %(deck)d cards.", deck=deck)
    if hand.left is None:
        errors.setdefault(f"left-{seat.id}", _("How many cards are left in the Nerts pile?"))
    elif hand.left > size:
        errors[f"left-{seat.id}"] = _("This Nerts pile started with %(size)d cards.", size=size)
    elif called and hand.left:
        errors[f"left-{seat.id}"] = wording(Faults.CALLER_HAS_NERTS, {"owner": seat.name, "left": hand.left})
    elif (hand.out or 0) + hand.left > deck:
        errors.setdefault(
            f"left-{seat.id}",
            wording(Faults.OWNER_TOO_MANY, {"owner": seat.name, "count": hand.out, "left": hand.left}),
        )
    if (hand.kings or 0) > min(4 + state.rules.jokers, hand.out or 0):
        errors[f"kings-{seat.id}"] = _("More kings than cards out, or more than a deck holds.")


NUMBERS = (
    "card_points",
    "nerts_penalty",
    "caller_bonus",
    "king_bonus",
    "false_call_penalty",
    "target",
    "rounds",
    "hands_to_win",
    "mercy",
    "nerts_size",
    "handicap_winner",
    "handicap_loser",
    "handicap_min",
    "jokers",
)
"""The numbers of the house rules, as fields of the form."""
FLAGS = ("floor_zero", "caller_wins", "nerts_handicap")
WORDS = ("end", "over_target", "tiebreak", "payoff", "pass_decks", "starter")
MAY_BE_BLANK = frozenset({"mercy", "rounds"})


@dataclass(frozen=True, slots=True)
class Setup:
    """Players and rules as typed, and what is wrong with them."""

    seats: tuple[Seat, ...]
    rules: Rules
    preset: str
    errors: Errors


def setup(form: Mapping[str, str], *, before: MatchState | None = None) -> Setup:
    """Read the form of a new match, or of the settings of one (then every seat stays)."""
    errors: Errors = {}
    rules, preset = _rules(form, errors)
    seats = _seats(form, errors, {seat.id for seat in before.seats} if before else set())
    return Setup(seats, rules, preset, errors)


def _seats(form: Mapping[str, str], errors: Errors, keep: set[str]) -> tuple[Seat, ...]:
    seats = []
    for number in range(1, MAX_SEATS + 1):
        seat = _seat(form, number, errors)
        if seat.names:
            seats.append(seat)
        elif seat.id in keep:
            errors[f"name-{number}"] = _("Who has played cannot be left out; change the name instead.")
    names = [seat.name.casefold() for seat in seats]
    if len(seats) < MIN_SEATS:
        errors.setdefault("names", _("A match needs at least two players: type their names."))
    if len(set(names)) < len(names):
        errors["names"] = _("Two players have the same name: tell them apart.")
    return tuple(seats)


def _seat(form: Mapping[str, str], number: int, errors: Errors) -> Seat:
    fields = [f"name-{number}"] + ([f"partner-{number}"] if form.get("pairs") else [])
    typed = [" ".join(form.get(name, "").split()) for name in fields]
    for name, text in zip(fields, typed, strict=True):
        if len(text) > MAX_NAME:
            errors[name] = _("At most %(most)d letters.", most=MAX_NAME)
    size = _whole(form.get(f"size-{number}", ""), LIMITS["nerts_size"], f"size-{number}", errors)
    return Seat(f"p{number}", tuple(text[:MAX_NAME] for text in typed if text), size)


def _whole(text: str, limits: tuple[int, int], name: str, errors: Errors) -> int | None:
    low, high = limits
    value = _number(text)
    if value is None:
        return None
    try:
        number = int(str(value))
    except ValueError:
        errors[name] = _("A whole number from %(low)d to %(high)d.", low=low, high=high)
        return None
    if not low <= number <= high:
        errors[name] = _("A whole number from %(low)d to %(high)d.", low=low, high=high)
        return None
    return number


def _rules(form: Mapping[str, str], errors: Errors) -> tuple[Rules, str]:
    chosen = form.get("preset", "classic")
    if chosen in PRESETS:
        return PRESETS[chosen], chosen
    base = PRESETS.get(form.get("base", ""), PRESETS["classic"])
    changes: dict[str, Any] = {name: name in form for name in FLAGS}
    changes |= {name: form[name] for name in WORDS if form.get(name) in CHOICES[name]}
    for name in NUMBERS:
        value = _whole(form.get(name, ""), LIMITS[name], name, errors)
        if value is not None or name in MAY_BE_BLANK:
            changes[name] = value
        elif name in form and name not in errors:
            errors[name] = _(
                "A whole number from %(low)d to %(high)d.", low=LIMITS[name][0], high=LIMITS[name][1]
            )
    return _built(base, changes, errors), HOUSE


def _built(base: Rules, changes: dict[str, Any], errors: Errors) -> Rules:
    if changes.get("end") == "rounds" and changes.get("rounds") is None:
        errors.setdefault("rounds", _("How many rounds?"))
    try:
        return Rules.from_json(base.to_json() | changes)
    except RulesError as error:
        if not errors:
            errors["rules"] = str(error)
        return base


THEMES = ("auto", "light", "dark")


@dataclass(frozen=True, slots=True)
class SettingsForm:
    """The settings page."""

    theme: str = "auto"
    language: str = ""
    wake_lock: bool = False

    @classmethod
    def read(cls, form: Mapping[str, str]) -> Self:
        """Read what the page sent. Raises NotationError if no page of ours sends such a thing."""
        theme, language = form.get("theme", "auto"), form.get("language", "")
        if theme not in THEMES or len(language) > 20:
            raise NotationError("These are no settings of this page: open it again.")
        return cls(theme, language, form.get("wake_lock", "") in ("on", "1", "true"))


@dataclass(frozen=True, slots=True)
class Correction:
    """One step of the review, as the page sends it."""

    version: int
    step: Mapping[str, str | int | float]
    """Its kind, and what it is about; fields that the page left empty are absent."""

    TEXTS: ClassVar[Mapping[str, int]] = {
        "card": 20,
        "face": 8,
        "owner": 40,
        "pile": 20,
        "other": 20,
        "doubt": 64,
        "seat": 8,
    }
    """Fields of text, and how long they may be."""
    WHOLES: ClassVar[Mapping[str, tuple[int, int]]] = {"photo": (0, 99), "number": (-1, 200)}
    """Fields of whole numbers, from and to."""

    @classmethod
    def read(cls, data: object) -> Self:
        """Read what the page sent. Raises NotationError if no page of ours sends such a thing."""
        sent = Fields(data, "the correction")
        step: dict[str, str | int | float] = {"kind": sent.text("kind")}
        step |= {name: sent.text(name) for name in cls.TEXTS if name in sent}
        step |= {name: sent.whole(name) for name in cls.WHOLES if name in sent}
        step |= {name: sent.number(name) for name in ("x", "y") if name in sent}
        cls._check(step)
        return cls(sent.whole("version"), step)

    @classmethod
    def _check(cls, step: Mapping[str, str | int | float]) -> None:
        for name, longest in {"kind": 20, **cls.TEXTS}.items():
            if len(str(step.get(name, ""))) > longest:
                raise NotationError(f"{name!r} of the correction is too long.")
        for name, (low, high) in cls.WHOLES.items():
            if not low <= int(step.get(name, low)) <= high:
                raise NotationError(f"{name!r} of the correction must be from {low} to {high}.")
