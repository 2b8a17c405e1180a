"""Counts of legal lines: every change of a rule shows here.

The first are small enough to be counted by hand; the others pin what the engine says.
"""

from __future__ import annotations

import itertools

import pytest

from scorer.game.bots import SHARK
from scorer.game.choices import legal_moves, perft
from scorer.game.codes import DECK_CODES, JOKER
from scorer.game.moves import FOUNDATION, Kind, Move
from scorer.game.state import State
from scorer.game.table import Table
from scorer.scoring import Rules
from tests.game.tables import lay, table

PLAYED = (Kind.PLAY, Kind.SLIDE, Kind.TURN, Kind.REDEAL, Kind.ROTATE)


def test_counted_by_hand():
    # 9H on 10S, or to the space; 10S to the space; the ace to the space, or to start a foundation.
    state = table(lay("10S / 9H / -", nerts="AC"))
    assert perft(state, 1, PLAYED) == 5
    # After 9H on 10S two spaces: 9H to either (2), both to either (2), the ace to either or out (3): 7.
    # After 9H to the space: again 9H on 10S or to the other space, 10S to it, the ace to it or out: 5.
    # After 10S to the space: 9H on 10S or to the other space, 10S to it, the ace to it or out: 5.
    # After the ace to the space: 9H on 10S, the ace out: 2. After the ace out: 9H twice, 10S once: 3.
    assert perft(state, 2, PLAYED) == 7 + 5 + 5 + 2 + 3


def test_two_seats_move_in_any_order():
    state = table(lay("KS", nerts="AC"), lay("KS", nerts="AC"))
    assert [perft(state, depth, PLAYED) for depth in (1, 2, 3)] == [2, 2, 0]


DEALS = [
    ("classic", 2, "1", [4, 16, 65, 271]),
    ("classic jokers=2 leftover=flip turn=1", 1, "3", [3, 13, 65, 339]),
    ("racing_demon", 2, "2", [2, 8, 36, 183]),
    ("two_player slide_under=without_space move_run=single", 2, "4", [8, 84, 1028]),
    ("classic work_piles=6 stuck_alone=any_time", 1, "5", [4, 22, 152, 1172]),
]


@pytest.mark.parametrize(("rules", "seats", "seed", "counts"), DEALS)
def test_deals(rules, seats, seed, counts):
    parsed = Rules.parse(rules)
    state = State(parsed, seed, [parsed.nerts_size] * seats)
    before = state.snapshot()
    assert [perft(state, depth) for depth in range(1, len(counts) + 1)] == counts
    assert state.snapshot() == before


@pytest.mark.parametrize(
    "rules", ["classic", "racing_demon", "classic jokers=2", "two_player move_run=whole"]
)
def test_no_legal_move_is_left_out(rules):
    """Every move that can be written is tried, and the legal ones are those that are listed."""
    parsed = Rules.parse(rules)
    for seed in range(3):
        state = State(parsed, str(seed), [parsed.nerts_size] * 2)
        Table(state, [SHARK] * 2, str(seed)).advance(15_000 * (seed + 1))
        for seat in range(2):
            assert set(legal_moves(state, seat)) == set(_all_legal(state, seat))


def _all_legal(state: State, seat: int):
    at = state.now + 1
    work = range(len(state.layouts[seat].work))
    sources = [*work, -1, -2, -3, FOUNDATION + 1]
    cards = {min(card, JOKER) for card in state.layouts[seat].cards()}
    foundations = range(FOUNDATION, FOUNDATION + len(state.foundations) + 2)
    spoken = [Move(seat, kind) for kind in Kind if kind >= Kind.TURN]
    runs = itertools.product(sources, cards, range(1, 14), [*work, -1, -2, *foundations])
    plays = [Move(seat, Kind.PLAY, source, card, length, target) for source, card, length, target in runs]
    slides = [
        Move(seat, Kind.SLIDE, source, card, 1, target)
        for source, card, target in itertools.product(sources, cards, work)
    ]
    jokers = [
        Move(seat, Kind.PLAY, source, JOKER, 1, target, declared)
        for source, target, declared in itertools.product(sources, foundations, DECK_CODES)
    ]
    return [move for move in spoken + plays + slides + jokers if state.refusal(move, at, at) is None]
