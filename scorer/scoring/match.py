"""A match: rounds until it is won. Everything follows from the raw numbers of its rounds."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from scorer.errors import RulesError
from scorer.jsonfields import Fields, as_text, as_whole, refusal
from scorer.scoring.rounds import RoundScore, Tally, score_round
from scorer.scoring.rules import LIMITS, MAX_PLAYERS, MIN_PLAYERS, Rules

VERSION = 1
"""Of the JSON form; this program refuses what a newer one wrote."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one player stands; players with equal measure share a place (1, 1, 3)."""

    place: int
    player: str
    total: int
    hands_won: int
    calls: int


@dataclass(frozen=True, slots=True)
class _State:
    """Where a match stands after some rounds."""

    totals: Mapping[str, int]
    hands: Mapping[str, int]
    calls: Mapping[str, int]
    contenders: tuple[str, ...]
    """Who plays an extra round against whom; all players where none is due."""
    leaders: tuple[str, ...] = ()
    decided: bool = False
    """Whether the end of the match is reached, be it with several leaders."""
    winners: tuple[str, ...] = ()
    racers: tuple[str, ...] = ()
    """Who stands at the goal, where the rules ask who was there first."""


@dataclass(frozen=True, slots=True)
class Match:
    """A match and its rounds; correcting a round means building another match, and all else follows."""

    players: tuple[str, ...]
    """Players, or partners who share a deck, in the order of their seats."""
    rules: Rules = field(default_factory=Rules)
    rounds: tuple[Tally, ...] = ()
    """The raw numbers of each round; a player who is absent from one scores 0 in it."""
    nerts_sizes: Mapping[str, int] = field(default_factory=dict)
    """Sizes of the Nerts piles at the start that differ from the rules', as a handicap."""
    _scores: tuple[RoundScore, ...] = field(init=False, repr=False, compare=False)
    _states: tuple[_State, ...] = field(init=False, repr=False, compare=False)
    """How the match stands before the first round and after each; worked out once, asked for often."""

    def __post_init__(self) -> None:
        if not MIN_PLAYERS <= len(self.players) <= MAX_PLAYERS:
            raise RulesError(
                f"A match needs {MIN_PLAYERS} to {MAX_PLAYERS} players, not {len(self.players)}."
            )
        if len(set(self.players)) < len(self.players) or not all(name.strip() for name in self.players):
            raise RulesError("Each player needs a name, and no two may have the same.")
        object.__setattr__(self, "_scores", tuple(score_round(tally, self.rules) for tally in self.rounds))
        for number, (tally, score) in enumerate(zip(self.rounds, self._scores, strict=True), 1):
            self._check_round(number, tally, score)
        self._check_sizes()
        object.__setattr__(self, "_states", self._played())

    def _check_round(self, number: int, tally: Tally, score: RoundScore) -> None:
        for name in tally.names:
            if name not in self.players:
                raise RulesError(f"Round {number} has scores for {name!r}, who does not play in this match.")
        if tally.unowned or not score.is_complete:
            raise RulesError(f"Round {number} is not complete: say whose all cards are and what is left.")

    def _check_sizes(self) -> None:
        low, high = LIMITS["nerts_size"]
        for name, size in self.nerts_sizes.items():
            if name not in self.players or not low <= size <= high:
                raise RulesError(f"A Nerts pile of {size} for {name!r} is not possible in this match.")

    # Rounds.

    @property
    def round_scores(self) -> tuple[RoundScore, ...]:
        """The score of each round."""
        return self._scores

    def with_round(self, tally: Tally) -> Self:
        """Return the match with one round more."""
        return dataclasses.replace(self, rounds=(*self.rounds, tally))

    def with_round_replaced(self, index: int, tally: Tally) -> Self:
        """Return the match with one round corrected; rounds are counted from 0."""
        rounds = list(self.rounds)
        rounds[index] = tally
        return dataclasses.replace(self, rounds=tuple(rounds))

    def without_round(self, index: int) -> Self:
        """Return the match without one round; rounds are counted from 0."""
        rounds = list(self.rounds)
        del rounds[index]
        return dataclasses.replace(self, rounds=tuple(rounds))

    def to_json(self) -> dict[str, object]:
        """Return what `json.dumps` takes: only what was put in, no score."""
        return {
            "version": VERSION,
            "players": list(self.players),
            "rules": self.rules.to_json(),
            "rounds": [tally.to_json() for tally in self.rounds],
            "nerts_sizes": dict(self.nerts_sizes),
        }

    @classmethod
    def from_json(cls, data: object, where: str = "the match") -> Self:
        """Build a match from parsed JSON."""
        fields = Fields(data, where)
        version = fields.whole("version", VERSION)
        if version > VERSION:
            raise refusal(where, f"has version {version}, written by a newer program: update this one.")
        sizes = fields.pairs("nerts_sizes").items()
        return cls(
            fields.items("players", as_text),
            Rules.from_json(fields.pairs("rules")),
            fields.items("rounds", Tally.from_json, ()),
            {name: as_whole(size, f"the Nerts pile of {name!r} in {where}") for name, size in sizes},
        )

    # Totals.

    @property
    def history(self) -> tuple[dict[str, int], ...]:
        """The totals after each round, for a chart."""
        return tuple(dict(state.totals) for state in self._states[1:])

    @property
    def totals(self) -> dict[str, int]:
        """The total of each player, below 0 too."""
        return dict(self._state().totals)

    @property
    def hands_won(self) -> dict[str, int]:
        """How many rounds each player won; equal best scores win for both."""
        return dict(self._state().hands)

    @property
    def calls(self) -> dict[str, int]:
        """How many rounds each player called."""
        return dict(self._state().calls)

    @property
    def standings(self) -> tuple[Standing, ...]:
        """All players, the leader first."""
        state = self._state()
        measure = self._measure(state)
        order = sorted(self.players, key=lambda name: -measure[name])
        return tuple(
            Standing(
                1 + sum(measure[other] > measure[name] for other in self.players),
                name,
                state.totals[name],
                state.hands[name],
                state.calls[name],
            )
            for name in order
        )

    @property
    def leaders(self) -> tuple[str, ...]:
        """Who is ahead, several if equal; nobody before the first round."""
        first = tuple(standing.player for standing in self.standings if standing.place == 1)
        return first if self.rounds else ()

    @property
    def leader(self) -> str | None:
        """Who is ahead alone."""
        return self.leaders[0] if len(self.leaders) == 1 else None

    # The end.

    @property
    def winners(self) -> tuple[str, ...]:
        """Who won the match; nobody while it goes on."""
        return self._state().winners

    @property
    def is_over(self) -> bool:
        """Whether the match is won, by the totals as they stand after the last round."""
        return bool(self.winners)

    @property
    def needs_extra_round(self) -> bool:
        """Whether the end is reached, but several are equal and must play on."""
        state = self._state()
        return state.decided and not state.winners

    def racers(self, number: int) -> tuple[str, ...]:
        """Return who reached the goal together in a round, counted from 0, of whom the first wins by the rules.

        Nobody where the rules do not ask for it, where one reached it alone, or where it was reached before.
        """
        before, after = self._states[number], self._states[number + 1]
        return after.racers if len(after.racers) > 1 and not before.decided else ()

    @property
    def players_next(self) -> tuple[str, ...]:
        """Who plays the next round; nobody when the match is over."""
        state = self._state()
        return () if state.winners else self._players_of_extra_round(state)

    def players_of(self, number: int) -> tuple[str, ...]:
        """Return who plays in a round, counted from 0: all, but in an extra round of the tied only those."""
        return self._players_of_extra_round(self._states[number])

    @property
    def payoffs(self) -> dict[str, int]:
        """What each player receives (or pays, below 0): the differences, where the rules say so.

        Winners who share collect the difference from each loser each. Where each hand stands for itself
        its winner collects.
        """
        if self.rules.payoff == "none":
            return dict.fromkeys(self.players, 0)
        if self.rules.end != "per_hand":
            return self._collected(self.totals, self.winners)
        paid = dict.fromkeys(self.players, 0)
        for score in self.round_scores:
            known = {name: points for name, points in score.scores.items() if points is not None}
            for name, points in self._collected(known, score.winners).items():
                paid[name] += points
        return paid

    def _collected(self, points: Mapping[str, int], winners: Sequence[str]) -> dict[str, int]:
        paid = dict.fromkeys(self.players, 0)
        for winner in winners:
            for loser in points.keys() - set(winners):
                paid[winner] += points[winner] - points[loser]
                paid[loser] -= points[winner] - points[loser]
        return paid

    # The next round.

    @property
    def sizes_next(self) -> dict[str, int]:
        """The size of each player's Nerts pile in the next round."""
        sizes = {name: self.nerts_sizes.get(name, self.rules.nerts_size) for name in self.players}
        if self.rules.nerts_handicap:
            for score in self.round_scores:
                for name, points in score.scores.items():
                    sizes[name] = self._resized(sizes[name], points or 0, name in score.winners)
        return sizes

    def _resized(self, size: int, points: int, won: bool) -> int:
        if won:
            return min(size + self.rules.handicap_winner, LIMITS["nerts_size"][1])
        step = self.rules.handicap_loser if points <= 0 else 0
        # A pile that is smaller by an agreed handicap must not grow by losing.
        return max(size + step, min(size, self.rules.handicap_min))

    @property
    def starters_next(self) -> tuple[str, ...]:
        """Who may say go; several if equally placed, nobody in particular (empty) where anyone may."""
        if self.rules.starter == "rotates":
            return (self.players[len(self.rounds) % len(self.players)],)
        if self.rules.starter == "last_place" and self.rounds:
            worst = max(standing.place for standing in self.standings)
            return tuple(standing.player for standing in self.standings if standing.place == worst)
        return ()

    def deck_holders(self, number: int) -> dict[str, str]:
        """Return who plays with whose deck in round `number`, counted from 0: owner by player."""
        shift = number if self.rules.pass_decks == "move_left" else 0
        count = len(self.players)
        return {name: self.players[(seat - shift) % count] for seat, name in enumerate(self.players)}

    # How the match stands, round by round.

    def _played(self) -> tuple[_State, ...]:
        zero = dict.fromkeys(self.players, 0)
        states = [_State(zero, zero, zero, self.players)]
        for tally, score in zip(self.rounds, self._scores, strict=True):
            states.append(self._after(states[-1], tally, score, len(states)))
        return tuple(states)

    def _state(self) -> _State:
        return self._states[-1]

    def _after(self, state: _State, tally: Tally, score: RoundScore, played: int) -> _State:
        """Judge how the match stands after one round more."""
        points = {name: value for name, value in score.scores.items() if value is not None}
        after = _State(
            {name: total + points.get(name, 0) for name, total in state.totals.items()},
            _counted(state.hands, score.winners),
            _counted(state.calls, score.callers),
            self._players_of_extra_round(state),
        )
        finalists = self._finalists(after, played)
        if not finalists:
            return dataclasses.replace(after, contenders=self.players)
        racers = () if self._is_ended_for_all(after, played) else self._racers(finalists)
        leaders = self._best(finalists, self._measure(after))
        if tally.first_to_reach in racers:
            leaders = (tally.first_to_reach,)
        winners = self._untied(leaders, after, points)
        return dataclasses.replace(after, leaders=leaders, decided=True, winners=winners, racers=racers)

    def _racers(self, finalists: tuple[str, ...]) -> tuple[str, ...]:
        return finalists if self.rules.over_target == "first" and self._goal() is not None else ()

    def _measure(self, state: _State) -> Mapping[str, int]:
        return state.hands if self.rules.end == "hands_won" else state.totals

    def _finalists(self, state: _State, played: int) -> tuple[str, ...]:
        """Return who may win now; nobody if the match goes on.

        After an extra round of some players it is among them, unless all of them fell below the target again.
        """
        if self._is_ended_for_all(state, played):
            return state.contenders
        goal = self._goal()
        if goal is None:
            return ()
        measure = self._measure(state)
        reached = tuple(name for name in self.players if measure[name] >= goal)
        return tuple(name for name in reached if name in state.contenders) or reached

    def _is_ended_for_all(self, state: _State, played: int) -> bool:
        """Whether the match ends whatever anybody's total is."""
        if self.rules.mercy is not None and min(state.totals.values()) <= self.rules.mercy:
            return True
        return self.rules.end == "rounds" and played >= (self.rules.rounds or 0)

    def _goal(self) -> int | None:
        if self.rules.end == "target":
            return self.rules.target
        return self.rules.hands_to_win if self.rules.end == "hands_won" else None

    def _untied(self, leaders: tuple[str, ...], state: _State, last: Mapping[str, int]) -> tuple[str, ...]:
        """Return the winners among equal leaders; nobody if they must play on."""
        tiebreak = self.rules.tiebreak
        if tiebreak == "most_calls":
            leaders = self._best(leaders, state.calls)
        elif tiebreak == "last_round":
            leaders = self._best(leaders, {name: last.get(name, 0) for name in leaders})
        return leaders if len(leaders) == 1 or tiebreak == "shared" else ()

    def _players_of_extra_round(self, state: _State) -> tuple[str, ...]:
        tied_only = self.rules.tiebreak == "tied_only" and state.decided and not state.winners
        return state.leaders if tied_only else self.players

    @staticmethod
    def _best(names: Iterable[str], measure: Mapping[str, int]) -> tuple[str, ...]:
        names = tuple(names)
        best = max(measure[name] for name in names)
        return tuple(name for name in names if measure[name] == best)


def _counted(counts: Mapping[str, int], names: Iterable[str]) -> dict[str, int]:
    chosen = set(names)
    return {name: count + (name in chosen) for name, count in counts.items()}
