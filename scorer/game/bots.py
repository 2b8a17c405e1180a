"""The bots: an order of looks and a tempo each. A bot sees a `View` and is given its randomness."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from scorer.errors import RulesError
from scorer.game import looks
from scorer.game.looks import Look
from scorer.game.moves import FOUNDATION, TURN, WASTE, Move
from scorer.game.view import View

Draw = Callable[[], float]
"""Draws a number from 0 up to 1."""


@dataclass(frozen=True, slots=True)
class Tempo:
    """How long a player takes, in milliseconds; drawn from half to one and a half times these."""

    recognise: int
    """From seeing what can be played to lifting the card."""
    glance: int
    """From seeing that nothing can be played to turning on."""
    near: int
    """A hand's way within the own layout."""
    far: int
    """A hand's way to the foundations."""
    turn: int
    """Turning cards from the stock."""
    hesitation: float
    """How likely a card is held for a moment before it is lifted."""
    pause: int
    """How long that moment is."""
    memory: float = 1.0
    """What part of `recognise` is left for a card of the stock that was seen in an earlier pass."""

    def delay(self, move: Move, view: View, draw: Draw) -> int:
        """Return the time until the card is lifted."""
        mean: float = self.recognise if move.kind < TURN else self.glance
        if move.kind < TURN and move.source == WASTE and view.waste_was_expected:
            mean *= self.memory
        delay = mean * (0.5 + draw())
        if draw() < self.hesitation:
            delay += self.pause * (0.5 + draw())
        return int(delay)

    def flight(self, move: Move, draw: Draw) -> int:
        """Return the time the card is in the air."""
        mean = self.far if move.target >= FOUNDATION else self.near if move.kind < TURN else self.turn
        return 1 + int(mean * (0.5 + draw()))


class Bot(Protocol):
    """Whoever decides for a seat."""

    @property
    def name(self) -> str:
        """How the bot is called in commands and records."""

    @property
    def tempo(self) -> Tempo:
        """How fast it is."""

    def decide(self, view: View, draw: Draw) -> Move | None:
        """Return the move to make next, None to wait."""


@dataclass(frozen=True, slots=True)
class Player:
    """A bot made of looks: the first that finds a move decides, unless the player overlooks it."""

    name: str
    tempo: Tempo
    looks: tuple[Look, ...]
    misses: float
    """How likely the first move found is overlooked."""
    call: Look
    """Whether to call, asked whenever the Nerts pile is empty."""
    desperate: tuple[Look, ...] = ()
    """Looks taken only when a whole pass through the stock was fruitless."""

    def decide(self, view: View, draw: Draw) -> Move | None:
        """Return the move to make next, None to wait."""
        if view.aces_forced and (move := looks.forced_ace(view)) is not None:
            return move
        if not view.nerts_left:
            move = self.call(view)
            if move is not None:
                return move
        overlooks = draw() < self.misses
        for look in self.looks:
            move = look(view)
            if move is not None:
                if not overlooks:
                    return move
                overlooks = False
        if view.fruitless:
            for look in self.desperate:
                move = look(view)
                if move is not None:
                    return move
        return looks.stream(view)


BEGINNER = Player(
    "beginner",
    Tempo(recognise=1700, glance=900, near=800, far=1000, turn=1100, hesitation=0.3, pause=1500),
    (
        looks.waste_to_foundation,
        looks.work_to_foundation,
        looks.nerts_to_foundation,
        looks.waste_to_work,
        looks.nerts_to_work,
        looks.waste_to_space,
        looks.nerts_to_space,
        looks.merge_piles,
    ),
    misses=0.3,
    call=looks.call_at_once,
    desperate=(looks.uncover,),
)

FAMILY = Player(
    "family",
    Tempo(recognise=1000, glance=550, near=550, far=700, turn=750, hesitation=0.15, pause=1000),
    (
        looks.nerts_to_foundation,
        looks.waste_to_foundation,
        looks.work_to_foundation,
        looks.nerts_to_work,
        looks.nerts_to_space,
        looks.merge_piles,
        looks.waste_to_work,
        looks.waste_to_space,
    ),
    misses=0.1,
    call=looks.call_at_once,
    desperate=(looks.nerts_under_work, looks.uncover, looks.waste_under_work),
)

SHARK = Player(
    "shark",
    Tempo(recognise=550, glance=300, near=400, far=500, turn=480, hesitation=0.04, pause=600, memory=0.6),
    (
        looks.follow_in_air,
        looks.nerts_to_foundation,
        looks.nerts_to_work,
        looks.nerts_under_work,
        looks.nerts_to_space,
        looks.waste_to_foundation,
        looks.work_held_back,
        looks.merge_piles,
        looks.uncover,
        looks.waste_for_nerts,
        looks.waste_to_work_planned,
    ),
    misses=0.01,
    call=looks.call_when_played_out,
    desperate=(looks.waste_to_work, looks.waste_to_space, looks.waste_under_work),
)

BOTS: dict[str, Bot] = {bot.name: bot for bot in (BEGINNER, FAMILY, SHARK)}


def bot(name: str) -> Bot:
    """Return a bot by name."""
    if name not in BOTS:
        raise RulesError(f"There is no bot named {name!r}; known are {', '.join(BOTS)}.")
    return BOTS[name]
