"""Whatever is tried on a table, every deck stays complete, and what is refused changes nothing."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from scorer.errors import IllegalMove
from scorer.game.bots import SHARK
from scorer.game.choices import can_play, legal_moves
from scorer.game.codes import KING, RANK
from scorer.game.ending import foundation_piles, tally_round
from scorer.game.moves import FOUNDATION, TABLE, Kind, Move
from scorer.game.state import State
from scorer.game.table import Table
from scorer.game.view import View
from scorer.piles import INFORMATION, Faults, check_round
from scorer.scoring import PRESETS, Rules

VARIANTS = (
    "classic jokers=2",
    "classic jokers=4 joker_unfix=no slide_under=without_space",
    "classic tie_window_ms=500 tie_rule=both_return",
    "classic tie_window_ms=500 jokers=2 hands=2",
    "racing_demon tie_window_ms=500 tie_rule=both_return jokers=2",
    "classic move_run=whole stuck_all=shuffle stuck_alone=any_time turn=1 max_stuck_resets=off",
    "classic move_run=single stuck_all=rotate_nerts space_fill=nerts_only stall_seconds=1",
    "classic call_required=automatic nerts_size=1 work_piles=13 false_call_penalty=5 midair=return",
    "two_player stuck_all=none redeal_limit=2 leftover=flip turn=4",
)

seats = st.integers(0, 3)
places = st.sampled_from([-5, -3, -2, -1, *range(6), 99, *range(FOUNDATION, FOUNDATION + 6)])
codes = st.integers(0, 70)
wild_moves = st.builds(
    Move,
    st.integers(0, 4),
    st.sampled_from(Kind),
    places,
    codes,
    st.integers(-1, 4),
    places,
    st.sampled_from([0, 1, 17, 33, 49, 2, 60]),
    st.sampled_from([-1, -1, 0, 1, 7]),
    st.sampled_from([-1, -1, 0, 1, 7]),
)


class AnyTable(RuleBasedStateMachine):
    """Seats that do anything at all, legal or not, one after another or at once."""

    house_rules = Rules()

    @initialize(players=st.integers(1, 4), seed=st.integers(0, 99), seconds=st.integers(0, 60))
    def deal(self, players: int, seed: int, seconds: int) -> None:
        """Begin somewhere in a round: bots have played for a while."""
        self.state = State(self.house_rules, str(seed), [self.house_rules.nerts_size] * players)
        Table(self.state, [SHARK] * players, str(seed)).advance(seconds * 1000)

    @rule(seat=seats, choice=st.integers(0, 1000), pause=st.integers(0, 3))
    def move_cards(self, seat: int, choice: int, pause: int) -> None:
        said = (Kind.STUCK, Kind.CALL)
        moves = [move for move in legal_moves(self.state, seat % self.state.seats) if move.kind not in said]
        if moves:
            self.state.perform(moves[choice % len(moves)], self.state.now + 1 + pause * 100)

    @rule(seat=seats, choice=st.integers(0, 1000))
    def say_something(self, seat: int, choice: int) -> None:
        moves = [move for move in legal_moves(self.state, seat % self.state.seats) if move.kind >= Kind.STUCK]
        if moves and not choice % 4:
            self.state.perform(moves[choice % len(moves)])

    @rule(choice=st.integers(0, 1000), late=st.integers(0, 700))
    def race(self, choice: int, late: int) -> None:
        """Two seats lay a card on one foundation at nearly the same time, where two can."""
        everything = [move for seat in range(self.state.seats) for move in legal_moves(self.state, seat)]
        moves = [move for move in everything if move.target >= FOUNDATION]
        places = Counter((move.target, move.declared or move.card) for move in moves)
        moves.sort(key=lambda move: -places[move.target, move.declared or move.card])
        if not moves:
            return
        at = self.state.now + 1000
        self.state.perform(moves[0], at, at - 500)
        for move in moves[1:]:
            if self.state.refusal(move, at - 500, at + late) is None:
                self.state.perform(move, at + late, at - 500)
                break

    @rule(move=wild_moves, ago=st.integers(-50, 900), ahead=st.integers(-5, 1500))
    def try_anything(self, move: Move, ago: int, ahead: int) -> None:
        before = self.state.snapshot()
        at = self.state.now + ahead
        try:
            self.state.perform(move, at, at - ago)
        except IllegalMove as refusal:
            assert str(refusal).endswith(".")
            assert self.state.snapshot() == before

    @rule(seat=seats, other=seats)
    def move_for_another(self, seat: int, other: int) -> None:
        if seat != other:
            before = self.state.snapshot()
            with pytest.raises(IllegalMove, match="cannot move for"):
                self.state.perform(Move(seat, Kind.TURN), by=other)
            assert self.state.snapshot() == before

    @rule(seat=seats)
    def look(self, seat: int) -> None:
        seat %= self.state.seats
        View(self.state, seat).to_json()
        can_play(self.state, seat)

    @rule(kind=st.sampled_from(Kind), choice=st.integers(0, 20))
    def let_the_table_speak(self, kind: Kind, choice: int) -> None:
        before = self.state.snapshot()
        if kind is Kind.STOP and choice:
            return
        try:
            self.state.perform(Move(TABLE, kind), self.state.now + 2000)
        except IllegalMove:
            assert self.state.snapshot() == before

    @invariant()
    def every_deck_is_complete(self) -> None:
        assert self.state.faults() == []

    @invariant()
    def wanted_are_the_successors_of_the_tops(self) -> None:
        expected: dict[int, list[int]] = {}
        for foundation in self.state.foundations:
            if foundation.top & RANK != KING:
                expected.setdefault(foundation.top + 1, []).append(foundation.number)
        assert {card: sorted(numbers) for card, numbers in self.state.wanted.items()} == expected

    def teardown(self) -> None:
        """The scorer, too, finds nothing wrong with where the round stands."""
        state = self.state
        decks = [f"deck {seat}" for seat in range(state.seats)]
        piles = foundation_piles(state, decks)
        faults = check_round(piles, decks=state.seats, jokers=self.house_rules.jokers)
        assert [fault for fault in faults if fault.name not in INFORMATION | Faults.TIE] == []
        tally = tally_round(state, decks, decks)
        assert sum(deck.foundation for deck in tally.decks) == sum(len(pile) for pile in piles)


@pytest.mark.parametrize("rules", [*PRESETS, *VARIANTS])
def test_decks_stay_complete(rules):
    class ThisTable(AnyTable):
        pass

    ThisTable.house_rules = Rules.parse(rules)
    run_state_machine_as_test(
        ThisTable, settings=settings(max_examples=15, stateful_step_count=40, deadline=None, derandomize=True)
    )
