"""Every parameter of the engine that is not as in the classic rules."""

from __future__ import annotations

import itertools

import pytest

from scorer.errors import RulesError
from scorer.game.bots import SHARK
from scorer.game.moves import Move
from scorer.game.state import Outcome, State
from scorer.game.table import Table
from scorer.game.view import View
from scorer.scoring import Rules
from tests.game.tables import lay, play, refused, shown, table, words


def top_down(state: State, seat: int = 1) -> str:
    return words(state.layouts[seat - 1].stock[::-1])


@pytest.mark.parametrize(("players", "piles"), [(1, 6), (2, 6), (3, 5), (4, 4), (8, 4)])
def test_work_piles_by_players(players, piles):
    state = State(Rules.parse("classic work_piles=by_players"), "any", [13] * players)
    assert {len(layout.work) for layout in state.layouts} == {piles}


def test_deals_differ_by_seed_and_seat_and_are_repeatable():
    deals = [State(Rules(), seed, [13, 13]) for seed in ("1", "1", "2")]
    layouts = [[list(layout.cards()) for layout in deal.layouts] for deal in deals]
    assert layouts[0] == layouts[1]
    assert all(one != other for one, other in itertools.combinations(layouts[1] + layouts[2], 2))


def test_deal_stays_the_same_for_ever():
    """Old records replay only as long as this does not change."""
    layout = State(Rules(), "record", [13]).layouts[0]
    assert words(layout.nerts) == "9S KS 7S 4S JC 3D KH 5C QH 9D AH 10H JS"
    assert [words(pile) for pile in layout.work] == ["3C", "4D", "5H", "2D"]


@pytest.mark.parametrize("sizes", [[], [13] * 9, [0], [27], [13, -1]])
def test_deals_that_cannot_be(sizes):
    with pytest.raises(RulesError, match=r"A table has 1 to 8|A Nerts pile has 1 to 26"):
        State(Rules(), "any", sizes)


def test_faceup_nerts_pile_can_be_seen_whole():
    for faceup, seen in (("yes", "2C 3C 4C"), ("no", "-- -- 4C")):
        state = table(lay(nerts="2C 3C 4C"), rules=f"classic nerts_faceup={faceup}")
        assert words(View(state, 0).nerts) == seen


def test_turn_one():
    state = table(lay(stock="2C 3C"), rules="classic turn=1")
    play(state, "P1 turn")
    assert words(state.layouts[0].waste) == "2C"
    refused(state, "P1 redeal", "1 card is left")
    play(state, "P1 turn", "P1 redeal")
    assert top_down(state) == "2C 3C"


def test_redeal_limit():
    state = table(lay(stock="2C 3C 4C"), rules="classic redeal_limit=1")
    play(state, "P1 turn", "P1 redeal", "P1 turn")
    refused(state, "P1 redeal", "only 1 time in a round")


@pytest.mark.parametrize(
    ("how", "stock", "nerts"),
    [
        ("new_stock_and_rotate", "3C 4C 2C", "9D KC"),
        ("new_stock", "2C 3C 4C", "9D KC"),
        ("rotate_nerts", "2C 3C 4C", "KC 9D"),
    ],
)
def test_all_stuck(how, stock, nerts):
    state = table(lay(nerts="9D KC", waste="2C", stock="3C 4C"), rules=f"classic stuck_all={how}")
    play(state, "P1 stuck")
    assert top_down(state) == stock
    assert words(state.layouts[0].nerts) == nerts


def test_all_stuck_shuffles():
    rules = Rules.parse("classic stuck_all=shuffle max_stuck_resets=2")
    state = State(rules, "any", [13])
    before = state.layouts[0].stock.copy()
    play(state, "P1 turn", "P1 stuck")
    first = state.layouts[0].stock.copy()
    assert first != before
    assert sorted(first) == sorted(before)
    assert state.layouts[0].seen == set()
    play(state, "P1 stuck")
    assert state.layouts[0].stock != first
    again = State(rules, "any", [13])
    play(again, "P1 turn", "P1 stuck", "P1 stuck")
    assert again.layouts[0].stock == state.layouts[0].stock


def test_all_stuck_without_help_ends_the_round():
    state = table(lay(), lay(), rules="classic stuck_all=none")
    play(state, "P1 stuck", "P2 stuck")
    assert state.end == "stuck"


@pytest.mark.parametrize(("limit", "rounds"), [("0", 1), ("1", 2), ("2", 3)])
def test_resets_before_the_round_ends(limit, rounds):
    state = table(lay(), lay(), rules=f"classic max_stuck_resets={limit}")
    for _ in range(rounds):
        assert not state.is_over
        play(state, "P1 stuck", "P2 stuck")
    assert state.end == "stuck"


def test_resets_without_limit():
    state = table(lay(), rules="classic max_stuck_resets=off")
    for _ in range(20):
        play(state, "P1 stuck")
    assert not state.is_over


@pytest.mark.parametrize("progress", ["P1 N:AC>F", "P1 N:AC>1"])
def test_progress_forgives_resets(progress):
    state = table(lay("2D", nerts="KC AC"), lay())
    play(state, "P1 stuck", "P2 stuck", progress, "P1 stuck", "P2 stuck")
    assert not state.is_over


def test_stuck_is_over_when_a_foundation_changes():
    state = table(lay(nerts="AC"), lay(stock="2C"))
    play(state, "P2 stuck", "P1 N:AC>F")
    assert not state.is_stuck(1)
    refused(state, "P2 rotate", "said he is stuck")


def test_stuck_only_once():
    state = table(lay(), lay())
    play(state, "P1 stuck")
    refused(state, "P1 stuck", "said so already")


def test_rotating_is_trying_again():
    state = table(lay(stock="2C 3C"), lay())
    play(state, "P1 stuck", "P1 rotate")
    assert top_down(state) == "3C 2C"
    refused(state, "P1 rotate", "said he is stuck")
    play(state, "P1 stuck", "P1 rotate")
    assert top_down(state) == "2C 3C"


def test_rotating_needs_a_stock():
    state = table(lay(waste="2C 3C 4C"), lay())
    play(state, "P1 stuck")
    refused(state, "P1 rotate", "stock is empty")


def test_stuck_alone_at_any_time_or_never():
    play(table(lay(stock="2C 3C"), rules="classic stuck_alone=any_time"), "P1 rotate")
    state = table(lay(stock="2C 3C"), lay(), rules="classic stuck_alone=never")
    play(state, "P1 stuck")
    refused(state, "P1 rotate", "By this house rule")


def test_table_calls_a_stall():
    state = table(lay(waste="2C", stock="3C"), lay(), rules="classic stall_seconds=60 stall_grace_seconds=10")
    refused(state, "table stall", "only when nothing has been played", at=69_999)
    play(state, "table stall", at=70_000)
    assert top_down(state) == "3C 2C"
    refused(state, "table stall", "only when", at=100_000)
    play(state, "table stall", at=140_000)
    assert state.end == "stuck"


def test_no_stall_in_the_classic_rules():
    refused(table(lay()), "table stall", "only when", at=10**9)


def test_clock_of_the_table_calls_the_stall():
    state = table(lay(), lay(), rules="classic stall_seconds=5")
    game = Table(state, [None, None], "seed")
    assert [str(record.move) for record in game.advance(4_999)] == []
    assert [(str(record.move), record.at) for record in game.advance(12_000)] == [
        ("table stall", 5_000),
        ("table stall", 10_000),
    ]
    assert game.is_over


def test_table_plays_no_cards_and_players_call_no_stall():
    state = table(lay())
    refused(state, "P1 turn", "stock is empty")
    for move, reason in (
        (Move(-1, Move.parse("P1 turn").kind), "plays no cards"),
        (Move(0, Move.parse("table stop").kind), "Only the table"),
    ):
        assert reason in (state.refusal(move, 1, 1) or "")


def test_spaces_are_filled_from_the_nerts_pile_only():
    rules = "classic space_fill=nerts_only"
    state = table(lay("- / 5D 4C / 6S", nerts="2H", waste="9C"), rules=rules)
    refused(state, "P1 W:9C>1", "filled from the Nerts pile")
    refused(state, "P1 2:4C>1", "filled from the Nerts pile")
    refused(
        table(lay("- / 8D", nerts="2H", waste="9C"), rules=rules), "P1 W:9C<2", "filled from the Nerts pile"
    )
    play(state, "P1 2:5Dx2>3", "P1 N:2H>1", "P1 W:9C>2")


def test_spaces_are_filled_by_themselves():
    state = table(lay("JC / 10D / 9S", nerts="2H 3H 4H", waste="8D"), rules="classic space_fill=auto_nerts")
    play(state, "P1 2:10D>1")
    assert shown(state) == "JC 10D / 4H / 9S"
    assert words(state.layouts[0].nerts) == "2H 3H"
    state = table(lay("JC / 10D", nerts="", waste="9S"), rules="classic space_fill=auto_nerts")
    play(state, "P1 2:10D>1", "P1 W:9S>2")


def test_automatic_filling_is_progress():
    state = table(lay("JC / 10D", nerts="2H 3H"), rules="classic space_fill=auto_nerts")
    play(state, "P1 stuck", "P1 2:10D>1")
    assert state.resets == 0


def test_only_whole_piles_move():
    state = table(lay("10S 9H / 10C / JD"), rules="classic move_run=whole")
    refused(state, "P1 1:9H>2", "only whole work piles")
    play(state, "P1 1:10Sx2>3")


def test_only_single_cards_move():
    state = table(lay("10S 9H / 10C / JD"), rules="classic move_run=single")
    refused(state, "P1 1:10Sx2>3", "only single cards")
    play(state, "P1 1:9H>2", "P1 1:10S>3")


def test_no_sliding():
    refused(table(lay("QS / -", waste="KH"), rules="classic slide_under=off"), "P1 W:KH<1", "no card is slid")


def test_aces_go_first():
    state = table(
        lay("2D / AC", nerts="9H AS", waste="AH", stock="2C 3C 4C"), rules="classic aces_forced=yes"
    )
    for other in ("P1 turn", "P1 N:AS>1", "P1 stuck", "P1 2:AC>1"):
        refused(state, other, "an ace that can be played goes to a foundation first")
    play(state, "P1 N:AS>F", "P1 W:AH>F", "P1 2:AC>F", "P1 turn")


def test_call_is_made_for_the_player():
    state = table(lay("10C", nerts="9D"), lay(waste="AC"), rules="classic call_required=automatic")
    play(state, "P1 N:9D>1", at=1000)
    assert (state.end, state.callers) == ("called", [0])
    play(state, "P2 W:AC>F", at=1200, lifted=900)


def test_cards_in_the_air_go_back():
    state = table(lay(nerts=""), lay(nerts="AC"), rules="classic midair=return")
    play(state, "P1 nerts!", at=1000)
    refused(state, "P2 N:AC>F", "go back", at=1100, lifted=900)


def test_first_only():
    rules = "classic tie_window_ms=50 tie_rule=first_only"
    state = table(lay(nerts="2C"), lay(nerts="2C"), foundations=("AC",), rules=rules)
    play(state, "P1 N:2C>F1", at=1000, lifted=900)
    refused(state, "P2 N:2C>F1", "lands first", at=1010, lifted=900)


BOTH_RETURN = "classic tie_window_ms=50 tie_rule=both_return"


@pytest.mark.parametrize("source", ["N", "W", "1"])
def test_both_go_back(source):
    card = {"nerts": "KC"} | {"N": {"nerts": "3D 2C"}, "W": {"waste": "3D 2C"}}.get(source, {})
    state = table(lay("3D 2C", **card), lay(waste="2C"), foundations=("AC",), rules=BOTH_RETURN)
    before = [[*layout.cards()] for layout in state.layouts]
    play(state, f"P1 {source}:2C>F1", at=1000, lifted=900)
    assert play(state, "P2 W:2C>F1", at=1010, lifted=900) is Outcome.BOTH_BACK
    assert [[*layout.cards()] for layout in state.layouts] == before
    assert len(state.foundations[0].cards) == 1
    play(state, "P2 W:2C>F1", at=2000)


def test_both_kings_go_back():
    cards = "AC 2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC"
    state = table(lay(nerts="KC"), lay(nerts="KC"), foundations=(cards,), rules=BOTH_RETURN)
    play(state, "P1 N:KC>F1", at=1000, lifted=900)
    assert play(state, "P2 N:KC>F1", at=1010, lifted=900) is Outcome.BOTH_BACK
    assert not state.foundations[0].is_complete
    assert len(state.wanted) == 1


def test_first_card_stays_when_its_player_has_gone_on():
    state = table(
        lay(nerts="3D 2C", stock="4C 5C 6C"), lay(waste="2C"), foundations=("AC",), rules=BOTH_RETURN
    )
    play(state, "P1 N:2C>F1", at=1000, lifted=900)
    play(state, "P1 turn", at=1005)
    refused(state, "P2 W:2C>F1", "lands first", at=1010, lifted=900)


def test_tied_kings_complete_a_pile_of_fourteen():
    cards = "AC 2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC"
    state = table(lay(nerts="KC"), lay(nerts="KC"), foundations=(cards,), rules="classic tie_window_ms=50")
    play(state, "P1 N:KC>F1", at=1000, lifted=900)
    assert play(state, "P2 N:KC>F1", at=1050, lifted=1000) is Outcome.TIED
    assert state.foundations[0].is_complete
    assert len(state.foundations[0].cards) == 14


def test_no_tie_with_a_card_lifted_later():
    state = table(lay(nerts="2C"), lay(nerts="2C"), foundations=("AC",), rules="classic tie_window_ms=500")
    play(state, "P1 N:2C>F1", at=1000, lifted=900)
    refused(state, "P2 N:2C>F1", "lands first", at=1200, lifted=1001)


def test_aces_never_tie():
    state = table(lay(nerts="AC"), lay(nerts="AC"), rules="classic tie_window_ms=500")
    play(state, "P1 N:AC>F", at=1000)
    refused(state, "P2 N:AC>F1", "foundation of its own", at=1001, lifted=900)
    play(state, "P2 N:AC>F", at=1001, lifted=900)
    assert len(state.foundations) == 2


def test_false_calls_are_counted_and_play_goes_on():
    state = table(lay(nerts="2C"), lay(), rules="classic false_call_penalty=5")
    play(state, "P1 nerts!", "P1 nerts!")
    assert state.false_calls == [2, 0]
    assert not state.is_over


def test_one_card_at_a_time():
    state = table(lay("5D / 7D", nerts="2H 4C", waste="6C"))
    play(state, "P1 N:4C>1", at=1000, lifted=800)
    refused(state, "P1 W:6C>2", "one card at a time", at=1100, lifted=900)
    play(state, "P1 W:6C>2", at=1100, lifted=1000)


def test_two_hands():
    state = table(lay("5D / 7D / 9D", nerts="2H 4C", waste="8C 6C"), rules="classic hands=2")
    play(state, "P1 N:4C>1", at=1000, lifted=800)
    play(state, "P1 W:6C>2", at=1100, lifted=900)
    refused(state, "P1 W:8C>3", "one card at a time", at=1200, lifted=950)
    play(state, "P1 W:8C>3", at=1200, lifted=1000)


def test_time_does_not_run_backwards():
    state = table(lay(stock="2C 3C 4C"))
    play(state, "P1 turn", at=1000)
    refused(state, "P1 redeal", "Time does not run backwards", at=999)
    refused(state, "P1 redeal", "Time does not run backwards", at=2000, lifted=2001)


@pytest.mark.parametrize("rules", ["classic jokers=2", "classic jokers=4 joker_unfix=no"])
def test_bots_play_with_jokers(rules):
    parsed = Rules.parse(rules)
    declared = 0
    for seed in range(5):
        state = Table(State(parsed, str(seed), [13] * 3), [SHARK] * 3, str(seed)).play()
        assert state.faults() == []
        declared += sum(laid.printed >= 64 for pile in state.foundations for laid in pile.cards)
    assert declared > 0


# Jokers, further.

JOKERS = "classic jokers=2"


def test_jokers_one_on_another():
    state = table(lay("9H / 5C", waste="6H 6S JK JK"), rules=JOKERS)
    play(state, "P1 W:JK>1", "P1 W:JK>1")
    refused(state, "P1 W:6S>2", "does not go on 5C")
    state.layouts[0].waste.pop()
    refused(state, "P1 W:6H>1", "does not go on JK")
    state = table(lay("9H JK JK", waste="6S"), rules=JOKERS)
    play(state, "P1 W:6S>1")


def test_joker_runs_move_as_what_they_count_as():
    state = table(lay("9H JK 7D / 9D / 8C"), rules=JOKERS)
    refused(state, "P1 1:JKx2>3", "does not go on 8C")
    play(state, "P1 1:JKx2>2")
    assert shown(state) == "9H / 9D JK 7D / 8C"


def test_jokers_slide_and_are_slid_under():
    state = table(lay("QS / JK / -", waste="2H JK", nerts="2C"), rules=JOKERS)
    play(state, "P1 W:JK<1")
    assert shown(state).startswith("JK QS")
    play(state, "P1 W:2H<2")
    assert shown(state) == "JK QS / 2H JK / -"
    refused(table(lay("KS / -", waste="JK"), rules=JOKERS), "P1 W:JK<1", "does not go under KS")
    refused(table(lay("JK / -", waste="AH"), rules=JOKERS), "P1 W:AH<1", "does not go under JK")


def test_no_joker_stands_below_an_ace():
    refused(table(lay("2H JK", waste="JK"), rules=JOKERS), "P1 W:JK>1", "does not go on JK")


def test_only_jokers_are_declared_and_only_for_foundations():
    state = table(lay("9H", waste="JK", nerts="2C"), rules=JOKERS)
    refused(state, "P1 W:JK=8C>1", "declared only for a foundation")
    refused(state, "P1 W:JK=8C<1", "declared only for a foundation")
    move = Move.parse("P1 N:2C>F")._replace(declared=Move.parse("P1 N:AC>F").card)
    assert "is no joker" in (state.refusal(move, 1, 1) or "")


# Moves that cannot be.


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("P5 turn", "no seat P5"),
        ("P1 1:9H>1", "on that work pile already"),
        ("P1 1:9H>7", "no work pile 7"),
        ("P1 7:9H>1", "no work pile 7"),
        ("P1 1:9Hx3>2", "has 1 card,"),
        ("P1 1:8H>2", "exposed card of work pile 1 is 9H"),
        ("P1 2:10Hx2>1", "begins with 10S, not 10H"),
        ("P1 N:2C>1", "Nerts pile is KC, not 2C"),
        ("P1 N:KCx2>1", "Only the top card of the Nerts pile"),
        ("P1 W:2C>1", "waste is empty"),
        ("P1 1:9H<2", "Only the top card of the Nerts pile or of the waste"),
        ("P1 N:KC<3", "Work pile 3 is empty"),
        ("P1 N:KC<9", "no work pile 9"),
        ("P1 N:KC<P2.1", "another player's layout"),
        ("P1 N:KC>F2", "no foundation 2"),
        ("P1 P2.N:KC>1", "only his own layout"),
        ("P1 F1:AC>1", "stays there"),
        ("P1 N:KC>F1", "needs 2C, not KC"),
    ],
)
def test_moves_that_cannot_be(move, reason):
    state = table(lay("9H / 10S 9D / -"), lay(), foundations=("AC",))
    refused(state, move, reason)


def test_nothing_is_played_after_the_table_stopped():
    state = table(lay(stock="2C 3C 4C"))
    play(state, "table stop")
    refused(state, "P1 turn", "The round is over: the table stopped it")


def test_faults_of_the_state_itself():
    state = State(Rules(), "any", [13])
    assert state.faults() == []
    state.layouts[0].work[0].append(state.layouts[0].work[1].pop())
    state.layouts[0].work[1].append(state.layouts[0].work[0][0])
    assert any("is no run" in fault for fault in state.faults())
    assert "the deck of seat P1 is not complete" in state.faults()
    hollow = table(lay(), foundations=("AC 3C", "2C", "AC 2D"))
    assert [fault for fault in hollow.faults() if "foundation" in fault] == [
        f"foundation {number} is no run of one suit from the ace" for number in (1, 2, 3)
    ]


def test_nothing_is_played_after_the_end():
    state = table(lay(), lay(stock="2C 3C 4C", nerts=""))
    play(state, "P1 stuck", "P2 stuck", "P1 stuck", "P2 stuck")
    assert state.end == "stuck"
    for move in ("P2 turn", "P2 nerts!", "P2 stuck", "table stop"):
        refused(state, move, "The round is over")
