"""What the scoreboard shows, computed from a match by the scoring rules."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from scorer.scoring import Match, RoundScore
from scorer.store import MatchState, Seat, match_of


@dataclass(frozen=True, slots=True)
class Line:
    """One player's line."""

    seat: Seat
    number: int
    """From 1, in the order of the seats: it decides colour and shape."""
    place: int
    total: int
    gain: int | None
    """The score of the last round."""
    to_go: int | None
    """Points to the target; none where the match ends otherwise."""
    way: float
    """Share of the way to the target, from 0 to 1."""
    leads: bool
    wins: bool
    hands_won: int


@dataclass(frozen=True, slots=True)
class RoundLine:
    """One round of the grid."""

    number: int
    id: str
    scores: tuple[int, ...]
    """By seat; 0 for a seat that was not in this round."""
    called: tuple[bool, ...]
    source: str


class Board:
    """A match as the scoreboard shows it."""

    def __init__(self, state: MatchState) -> None:
        self.state = state
        self.match: Match = match_of(state)

    @cached_property
    def lines(self) -> list[Line]:
        """The players, the leader first."""
        match = self.match
        numbers = {seat.name: number for number, seat in enumerate(self.state.seats, 1)}
        gains = self.scores[-1].scores if self.scores else {}
        return [
            Line(
                seat=self.state.seats[numbers[standing.player] - 1],
                number=numbers[standing.player],
                place=standing.place,
                total=standing.total,
                gain=gains.get(standing.player),
                to_go=self._to_go(standing.total, standing.hands_won),
                way=self._way(standing.total, standing.hands_won),
                leads=standing.player in match.leaders,
                wins=standing.player in match.winners,
                hands_won=standing.hands_won,
            )
            for standing in match.standings
        ]

    @cached_property
    def scores(self) -> tuple[RoundScore, ...]:
        """The score of each round."""
        return self.match.round_scores

    @property
    def goal(self) -> int | None:
        """What has to be reached; none where the match ends otherwise."""
        rules = self.state.rules
        return {"target": rules.target, "hands_won": rules.hands_to_win}.get(rules.end)

    def _to_go(self, total: int, hands: int) -> int | None:
        if self.goal is None:
            return None
        return max(0, self.goal - (hands if self.state.rules.end == "hands_won" else total))

    def _way(self, total: int, hands: int) -> float:
        to_go = self._to_go(total, hands)
        if self.goal is None or to_go is None:
            return 0.0
        return min(1.0, max(0.0, 1 - to_go / self.goal))

    @cached_property
    def rounds(self) -> list[RoundLine]:
        """The rounds, first to last."""
        return [self._round(number) for number in range(1, len(self.state.rounds) + 1)]

    def _round(self, number: int) -> RoundLine:
        kept, score = self.state.rounds[number - 1], self.scores[number - 1]
        points = score.scores
        return RoundLine(
            number=number,
            id=kept.id,
            scores=tuple(points.get(seat.name) or 0 for seat in self.state.seats),
            called=tuple(seat.name in score.callers for seat in self.state.seats),
            source=kept.source,
        )

    @property
    def winners(self) -> list[Line]:
        """Who won, once the match is over."""
        return [line for line in self.lines if line.wins]

    @property
    def title(self) -> str:
        """The names, as the match is called in lists."""
        return " · ".join(seat.name for seat in self.state.seats)

    @property
    def next_holders(self) -> dict[str, str]:
        """Who plays the next round with whose deck; nobody named who has the own one."""
        holders = self.match.deck_holders(len(self.match.rounds))
        return {name: deck for name, deck in holders.items() if name != deck}

    @property
    def next_sizes(self) -> dict[str, int]:
        """Seats whose Nerts pile differs from the rules in the next round, by name."""
        usual = self.state.rules.nerts_size
        return {name: size for name, size in self.match.sizes_next.items() if size != usual}
