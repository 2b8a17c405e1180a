"""House rules: one record for scoring, for the match and for the software game, with the usual presets."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import Literal, Self, get_args

from scorer.errors import RulesError

MIN_PLAYERS, MAX_PLAYERS = 1, 8
"""One player may practise alone; a table holds eight."""
DECK_SIZE = 52

End = Literal["target", "rounds", "hands_won", "per_hand"]
OverTarget = Literal["highest", "first"]
Tiebreak = Literal["extra_round", "shared", "tied_only", "most_calls", "last_round"]
Payoff = Literal["none", "differences"]
WorkPiles = Literal["by_players"]
Leftover = Literal["merge", "flip"]
StuckAll = Literal["new_stock_and_rotate", "new_stock", "shuffle", "rotate_nerts", "none"]
StuckAlone = Literal["when_stuck", "any_time", "never"]
SpaceFill = Literal["any", "nerts_only", "auto_nerts"]
MoveRun = Literal["suffix", "whole", "single"]
SlideUnder = Literal["with_space", "without_space", "off"]
CallRequired = Literal["optional", "automatic"]
Midair = Literal["complete", "return"]
TieRule = Literal["both_stay", "first_only", "both_return"]
PassDecks = Literal["none", "right_shuffles", "opponent_shuffles", "move_left"]
Starter = Literal["anyone", "last_place", "rotates"]
Partnership = Literal["advice", "off", "forced"]

CHOICES: dict[str, tuple[str, ...]] = {
    "end": get_args(End),
    "over_target": get_args(OverTarget),
    "tiebreak": get_args(Tiebreak),
    "payoff": get_args(Payoff),
    "leftover": get_args(Leftover),
    "stuck_all": get_args(StuckAll),
    "stuck_alone": get_args(StuckAlone),
    "space_fill": get_args(SpaceFill),
    "move_run": get_args(MoveRun),
    "slide_under": get_args(SlideUnder),
    "call_required": get_args(CallRequired),
    "midair": get_args(Midair),
    "tie_rule": get_args(TieRule),
    "pass_decks": get_args(PassDecks),
    "starter": get_args(Starter),
    "partnership": get_args(Partnership),
}
"""The parameters that are one of several words."""

LIMITS: dict[str, tuple[int, int]] = {
    "card_points": (0, 10),
    "nerts_penalty": (0, 10),
    "caller_bonus": (0, 100),
    "king_bonus": (0, 100),
    "false_call_penalty": (0, 100),
    "target": (1, 10_000),
    "rounds": (1, 1_000),
    "hands_to_win": (1, 100),
    "mercy": (-10_000, -1),
    "nerts_size": (1, 26),
    "handicap_winner": (0, 13),
    "handicap_loser": (-13, 0),
    "handicap_min": (1, 26),
    "work_piles": (1, 13),
    "turn": (1, 10),
    "redeal_limit": (0, 1_000),
    "stall_seconds": (1, 3_600),
    "stall_grace_seconds": (0, 3_600),
    "max_stuck_resets": (0, 1_000),
    "tie_window_ms": (0, 10_000),
    "jokers": (0, 4),
    "hands": (1, 2),
}
"""The parameters that are whole numbers, with the least and the greatest that is allowed."""

OPTIONAL = frozenset({"rounds", "mercy", "redeal_limit", "stall_seconds", "max_stuck_resets"})
"""The numbers that may be None: no such limit."""

_BY_PLAYERS = {1: 6, 2: 6, 3: 5}


@dataclass(frozen=True, slots=True)
class Rules:
    """All parameters of the game; the defaults are the classic rules.

    The notation is a preset and what differs from it: "classic target=150 caller_bonus=10".
    """

    # Scoring a round.
    card_points: int = 1
    """For each own card on the foundations."""
    nerts_penalty: int = 2
    """For each card left in the own Nerts pile."""
    caller_bonus: int = 0
    king_bonus: int = 0
    """For each king on the foundations, to its owner."""
    caller_wins: bool = False
    """Whether the caller wins the hand whatever the scores are; the points stay as they are."""
    false_call_penalty: int = 0
    """For each call with cards left in the Nerts pile."""
    floor_zero: bool = False
    """Whether a round never scores below 0."""

    # The match.
    end: End = "target"
    target: int = 100
    rounds: int | None = None
    """How many rounds are played where `end` is "rounds"."""
    hands_to_win: int = 5
    """How many hands win the match where `end` is "hands_won"."""
    over_target: OverTarget = "highest"
    """Who wins of several at the target: the highest total, or who was the first to reach it."""
    tiebreak: Tiebreak = "extra_round"
    mercy: int | None = None
    """A total (below 0) at which the match ends."""
    payoff: Payoff = "none"
    """Whether the winner collects from each other player the difference of their totals."""
    pass_decks: PassDecks = "none"
    starter: Starter = "anyone"
    partnership: Partnership = "advice"

    # The deal.
    nerts_size: int = 13
    nerts_handicap: bool = False
    """Whether the sizes of the Nerts piles follow the last round."""
    handicap_winner: int = 1
    handicap_loser: int = -1
    """For whoever scored 0 or less."""
    handicap_min: int = 3
    nerts_faceup: bool = False
    """Whether the whole Nerts pile lies face up."""
    work_piles: int | WorkPiles = 4
    jokers: int = 0
    """In each deck."""
    joker_unfix: bool = True
    """Whether a joker on a work pile is free again when the cards on it have gone."""

    # Play.
    turn: int = 3
    leftover: Leftover = "merge"
    redeal_limit: int | None = None
    stuck_all: StuckAll = "new_stock_and_rotate"
    stuck_alone: StuckAlone = "when_stuck"
    stall_seconds: int | None = None
    """Time without a foundation or Nerts play after which software takes all as stuck."""
    stall_grace_seconds: int = 0
    """Time between the warning of that and its doing."""
    max_stuck_resets: int | None = 1
    """How often all may be stuck without progress before the round ends."""
    space_fill: SpaceFill = "any"
    move_run: MoveRun = "suffix"
    slide_under: SlideUnder = "with_space"
    aces_forced: bool = False
    call_required: CallRequired = "optional"
    midair: Midair = "complete"
    tie_rule: TieRule = "both_stay"
    tie_window_ms: int = 0
    hands: int = 1

    def __post_init__(self) -> None:
        for name in _NAMES:
            _check(name, getattr(self, name))
        if self.end == "rounds" and self.rounds is None:
            raise RulesError("A match that ends after a number of rounds needs that number: set rounds.")
        if self.nerts_handicap and self.handicap_min > self.nerts_size:
            raise RulesError("handicap_min must not be above nerts_size.")

    def __str__(self) -> str:
        name, base = min(PRESETS.items(), key=lambda item: len(self.differences(item[1])))
        return " ".join(
            [name, *(f"{key}={_written(value)}" for key, value in self.differences(base).items())]
        )

    def differences(self, base: Rules) -> dict[str, object]:
        """Return the parameters that are not as in other rules."""
        pairs = ((name, getattr(self, name)) for name in _NAMES)
        return {name: value for name, value in pairs if value != getattr(base, name)}

    @property
    def deck_size(self) -> int:
        """Cards in one deck, jokers included."""
        return DECK_SIZE + self.jokers

    def work_piles_for(self, players: int) -> int:
        """Return how many work piles each of so many players has."""
        return self.work_piles if isinstance(self.work_piles, int) else _BY_PLAYERS.get(players, 4)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read rules from their notation; commas may stand for blanks, a missing preset is classic."""
        words = text.replace(",", " ").split()
        named = bool(words) and "=" not in words[0]
        base = preset(words[0]) if named else PRESETS["classic"]
        assignments = [_assignment(word) for word in words[1 if named else 0 :]]
        names = [name for name, _ in assignments]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise RulesError(f"{twice} is given twice: write it once.")
        return cls.from_json(base.to_json() | dict(assignments))

    def to_json(self) -> dict[str, object]:
        """Return all parameters by name."""
        return {name: getattr(self, name) for name in _NAMES}

    @classmethod
    def from_json(cls, data: object) -> Self:
        """Read parameters by name; those that are absent are as in the classic rules."""
        if not isinstance(data, dict):
            raise RulesError("Rules must be a JSON object of parameters and values.")
        unknown = next((name for name in data if name not in _NAMES), None)
        if unknown is not None:
            raise RulesError(f"There is no rule named {unknown!r}.")
        return cls(**data)


_NAMES = tuple(field.name for field in dataclasses.fields(Rules))


def _check(name: str, value: object) -> None:
    """Refuse a value that a parameter cannot have."""
    if name == "work_piles" and value in get_args(WorkPiles):
        return
    if name in CHOICES:
        if value not in CHOICES[name]:
            raise RulesError(f"{name} must be one of {', '.join(CHOICES[name])}, not {value!r}.")
    elif name in LIMITS:
        _check_number(name, value)
    elif not isinstance(value, bool):
        raise RulesError(f"{name} must be true or false, not {value!r}.")


def _check_number(name: str, value: object) -> None:
    low, high = LIMITS[name]
    if value is None and name in OPTIONAL:
        return
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        or_none = ", or off" if name in OPTIONAL else ""
        raise RulesError(f"{name} must be a whole number from {low} to {high}{or_none}, not {value!r}.")


def _assignment(word: str) -> tuple[str, object]:
    """Read "target=150" as a parameter and its value."""
    name, equals, value = word.partition("=")
    if not equals:
        raise RulesError(f"{word!r} is not a rule; write it like target=150.")
    if name in OPTIONAL and value in _NO_LIMIT:
        return name, None
    # "off" is one of the words of some parameters.
    if value in _YES_OR_NO and name not in CHOICES and name not in LIMITS:
        return name, _YES_OR_NO[value]
    return name, int(value) if re.fullmatch(r"-?[0-9]{1,9}", value) else value


_NO_LIMIT = ("off", "none", "unlimited")
_YES_OR_NO = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "off" if value is None else str(value)


PRESETS: dict[str, Rules] = {
    "classic": Rules(),
    "nna_singles": Rules(caller_bonus=10, target=150),
    "racing_demon": Rules(
        nerts_penalty=1,
        caller_bonus=10,
        king_bonus=5,
        aces_forced=True,
        space_fill="auto_nerts",
        leftover="flip",
    ),
    "pounce25": Rules(caller_bonus=25),
    "two_player": Rules(work_piles=6, turn=1),
    "quick": Rules(nerts_size=10, target=50),
    "ligretto_like": Rules(),
}
"""Rules that are commonly played, by name."""


def preset(name: str) -> Rules:
    """Return the rules of a preset."""
    if name not in PRESETS:
        raise RulesError(f"There is no preset named {name!r}; known are {', '.join(PRESETS)}.")
    return PRESETS[name]
