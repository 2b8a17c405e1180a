"""What pages send, checked in this one place; each refusal is one sentence beside its field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from flask_babel import gettext as _
from pydantic import BaseModel, BeforeValidator, Field, StringConstraints, ValidationError

from scorer.errors import RulesError
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


Count = Annotated[int | None, BeforeValidator(_number)]
Name = Annotated[str, StringConstraints(strip_whitespace=True, max_length=MAX_NAME)]


class Hand(BaseModel):
    """The fields of one player on the form of a round."""

    out: Count = Field(None, ge=0)
    left: Count = Field(None, ge=0)
    kings: Count = Field(None, ge=0)
    false_calls: Count = Field(None, ge=0, le=99)


class RoundForm(BaseModel):
    """The form of a typed round."""

    token: Annotated[str, StringConstraints(min_length=8, max_length=40)]
    played: int = 0
    """How many rounds had been played when the form was opened."""


@dataclass(frozen=True, slots=True)
class TypedRound:
    """A form as read: what was typed, and what is wrong with it."""

    hands: Mapping[str, Hand]
    callers: frozenset[str]
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
    called = form.get("caller", "")
    callers = frozenset(seat.id for seat in state.seats if seat.id == called)
    if called == "":
        errors["caller"] = _("Say who called Nerts, or that nobody did.")
    hands = {seat.id: _hand(form, seat, errors) for seat in state.seats}
    for seat in state.seats:
        if seat.id in callers and hands[seat.id].left is None:
            # Whoever calls has an empty pile; the page shows it as 0.
            hands[seat.id].left = 0
        _check_hand(hands[seat.id], seat, state, sizes[seat.id], seat.id in callers, errors)
    return TypedRound(hands, callers, errors)


def _hand(form: Mapping[str, str], seat: Seat, errors: Errors) -> Hand:
    values = {name: form.get(f"{name}-{seat.id}", "") for name in Hand.model_fields}
    try:
        return Hand.model_validate(values)
    except ValidationError as error:
        wrong = {str(one["loc"][0]) for one in error.errors()}
        for name in wrong:
            errors[f"{name}-{seat.id}"] = _("A whole number, 0 or more.")
        return Hand.model_validate({name: "" if name in wrong else value for name, value in values.items()})


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


class Numbers(BaseModel):
    """The numbers of the house rules, as fields of the form."""

    nerts_penalty: Count = None
    caller_bonus: Count = None
    king_bonus: Count = None
    false_call_penalty: Count = None
    target: Count = None
    rounds: Count = None
    hands_to_win: Count = None
    mercy: Count = None
    nerts_size: Count = None
    jokers: Count = None


FLAGS = ("floor_zero", "caller_wins", "nerts_handicap")
WORDS = ("end", "tiebreak", "over_target", "payoff")
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
    for name in Numbers.model_fields:
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


class SettingsForm(BaseModel):
    """The settings page."""

    theme: Literal["auto", "light", "dark"] = "auto"
    language: Annotated[str, StringConstraints(max_length=20)] = ""
    wake_lock: bool = False


class Correction(BaseModel):
    """One step of the review, as the page sends it."""

    version: int
    kind: Annotated[str, StringConstraints(max_length=20)]
    card: str | None = Field(None, max_length=20)
    face: str | None = Field(None, max_length=8)
    owner: str | None = Field(None, max_length=40)
    pile: str | None = Field(None, max_length=20)
    other: str | None = Field(None, max_length=20)
    doubt: str | None = Field(None, max_length=64)
    seat: str | None = Field(None, max_length=8)
    photo: int | None = Field(None, ge=0, le=99)
    x: float | None = None
    y: float | None = None
    number: int | None = Field(None, ge=-1, le=200)
