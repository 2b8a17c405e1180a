"""The worked cases T1 to T40 of the rules, by their numbers."""

from __future__ import annotations

import pytest

from scorer.game.codes import encode
from scorer.game.ending import foundation_piles, score, tally_round
from scorer.game.layout import Laid
from scorer.game.moves import Move
from scorer.game.state import Outcome, State
from scorer.game.table import Table
from scorer.scoring import Rules
from tests.builders import card
from tests.game.tables import lay, play, refused, shown, table, words

NAMES = ("Ada", "Ben", "Cleo", "Dan")
DECKS = ("red", "blue", "green", "black")


def points(state: State) -> list[int | None]:
    seats = state.seats
    return list(score(state, DECKS[:seats], NAMES[:seats]).scores.values())


# Deal.


def test_t01_deal_for_four():
    state = State(Rules(), "any", [13] * 4)
    for layout in state.layouts:
        assert len(layout.nerts) == 13
        assert [len(pile) for pile in layout.work] == [1, 1, 1, 1]
        assert len(layout.stock) == 35
        assert layout.waste == []
    assert sum(len(list(layout.cards())) for layout in state.layouts) == 208
    assert state.foundations == []
    assert state.faults() == []


def test_t02_deal_with_jokers_or_other_sizes():
    assert len(State(Rules(jokers=2), "any", [13] * 4).layouts[0].stock) == 37
    assert len(State(Rules(nerts_size=10, work_piles=6), "any", [10]).layouts[0].stock) == 36


# Foundations.


def test_t03_ace_of_the_nerts_pile_starts_a_foundation():
    state = table(lay(nerts="2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC KC AH"))
    play(state, "P1 N:AH>F")
    assert len(state.layouts[0].nerts) == 12
    assert words(state.layouts[0].nerts[-1:]) == "KC"
    assert [str(pile) for pile in foundation_piles(state, DECKS)] == ["AH@red"]


def test_t04_only_an_ace_starts_a_foundation():
    refused(table(lay("2H")), "P1 1:2H>F", "Only an ace starts")


def test_t05_any_player_plays_on_any_foundation():
    state = table(lay(), lay(waste="3H"), foundations=("AH 2H@1",))
    play(state, "P2 W:3H>F1")
    assert str(foundation_piles(state, DECKS)[0]) == "AH@red 2H@red 3H@blue"


@pytest.mark.parametrize("card", ["3D", "4H", "2H"])
def test_t06_what_does_not_fit_a_foundation(card):
    state = table(lay(), lay(waste=card), foundations=("AH 2H",))
    refused(state, f"P2 W:{card}>F1", "needs 3H|has its 2H already")


def test_t07_legal_on_the_second_pile_only():
    state = table(lay(nerts="2S"), foundations=("AS 2S", "AS@2"))
    refused(state, "P1 N:2S>F1", "already")
    play(state, "P1 N:2S>F2")


def test_t08_king_completes_and_closes():
    cards = "AC 2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC"
    state = table(lay(waste="KC"), lay(nerts="AC"), foundations=(f"{cards}@2",))
    play(state, "P1 W:KC>F1")
    assert state.foundations[0].is_complete
    assert state.wanted == {}
    refused(state, "P2 N:AC>F1", "starts a foundation of its own")
    tally = tally_round(state, DECKS[:2], NAMES[:2])
    assert [deck.foundation for deck in tally.decks] == [1, 12]
    assert [deck.kings for deck in tally.decks] == [1, 0]


def test_t09_only_the_exposed_card():
    state = table(lay("10S 9H 8S"), foundations=("AH 2H 3H 4H 5H 6H 7H 8H", "AS 2S 3S 4S 5S 6S 7S"))
    refused(state, "P1 1:9H>F1", "exposed card of work pile 1 is 8S")
    play(state, "P1 1:8S>F2")
    assert shown(state) == "10S 9H"
    play(state, "P1 1:9H>F1")


def test_t10_no_runs_on_a_foundation():
    state = table(lay("4H 3S"), foundations=("AH 2H 3H",))
    refused(state, "P1 1:4Hx2>F1", "Only one card at a time")


def test_t11_nothing_leaves_a_foundation():
    state = table(lay("6C"), foundations=("AD 2D 3D 4D 5D",))
    refused(state, "P1 F1:5D>1", "stays there")


# Work piles.


def test_t12_down_by_one_in_alternating_colours():
    state = table(lay("10C", waste="8D 9S 9D"))
    play(state, "P1 W:9D>1")
    assert shown(state) == "10C 9D"
    refused(table(lay("10C", waste="9S")), "P1 W:9S>1", "alternating colours")
    refused(table(lay("10C", waste="8D")), "P1 W:8D>1", "down by one rank")


def test_t13_a_whole_pile_moves():
    state = table(lay("QS JH 10S / KD"))
    play(state, "P1 1:QSx3>2")
    assert shown(state) == "- / KD QS JH 10S"


def test_t14_a_suffix_moves():
    state = table(lay("10S 9H 8S 7D / 10C"))
    refused(state, "P1 1:8Sx2>2", "does not go on 10C")
    play(state, "P1 1:9Hx3>2")
    assert shown(state) == "10S / 10C 9H 8S 7D"


def test_t15_a_space_takes_any_card_but_none_of_the_stock():
    state = table(lay("-", waste="5C", stock="4C 3C 2C"))
    refused(state, "P1 S:4C>1", "face down")
    play(state, "P1 W:5C>1")
    assert shown(state) == "5C"


def test_t16_an_ace_may_go_on_a_two_and_takes_nothing():
    state = table(lay("2C", nerts="2S AD", waste="KS"))
    play(state, "P1 N:AD>1")
    refused(state, "P1 N:2S>1", "does not go on AD")
    refused(state, "P1 W:KS>1", "does not go on AD")  # The ace is low, and nothing wraps round.


def test_t17_not_on_others_nor_on_nerts_or_waste():
    state = table(lay("9D", waste="4C"), lay("5D"))
    refused(state, "P1 W:4C>P2.1", "another player's layout")
    refused(state, "P1 W:4C>N", "Nothing may be laid on the Nerts pile")
    refused(state, "P1 1:9D>W", "Nothing may be laid on the waste")
    refused(state, "P1 1:9D>S", "Nothing may be laid on the stock")
    refused(state, "P1 P2.1:5D>1", "only his own layout")


# Sliding under.


def test_t18_slide_under():
    state = table(lay("QS JD / - / 5C", waste="KH"))
    play(state, "P1 W:KH<1")
    assert shown(state) == "KH QS JD / - / 5C"


def test_t19_no_slide_without_a_space():
    refused(table(lay("QS JD / 5C", waste="KH")), "P1 W:KH<1", "empty space")
    state = table(lay("QS JD / 5C", waste="KH"), rules="classic slide_under=without_space")
    play(state, "P1 W:KH<1")
    assert shown(state) == "KH QS JD / 5C"


def test_t20_what_does_not_slide_under():
    refused(table(lay("QS / -", waste="KS")), "P1 W:KS<1", "other colour")
    refused(table(lay("JS / -", waste="KH")), "P1 W:KH<1", "one rank higher")
    for any_card in ("AH", "QH", "KH"):
        refused(table(lay("KS / -", waste=any_card)), f"P1 W:{any_card}<1", "does not go under KS")


def test_t21_slide_from_the_nerts_pile():
    state = table(lay("7D 6S / -", nerts="2H 8C"))
    play(state, "P1 N:8C<1")
    assert shown(state) == "8C 7D 6S / -"
    assert words(state.layouts[0].nerts) == "2H"


def test_t22_no_slide_from_the_stock():
    refused(
        table(lay("7D / -", stock="8C")), "P1 S:8C<1", "Only the top card of the Nerts pile or of the waste"
    )


# Stock and waste.


def test_t23_turning_three():
    state = table(lay("-", stock="4C 9D KS 2H"))
    play(state, "P1 turn")
    assert words(state.layouts[0].waste) == "4C 9D KS"
    play(state, "P1 W:KS>1")
    assert words(state.layouts[0].waste) == "4C 9D"


def test_t24_two_left_in_the_stock():
    state = table(lay(waste="2C 3C 4C", stock="JD 3S"))
    refused(state, "P1 turn", "Fewer than 3 cards")
    play(state, "P1 redeal")
    assert words(state.layouts[0].stock[::-1]) == "2C 3C 4C JD 3S"
    assert state.layouts[0].waste == []
    state = table(lay(waste="2C 3C 4C", stock="JD 3S"), rules="classic leftover=flip")
    refused(state, "P1 redeal", "2 cards are left in the stock")
    play(state, "P1 turn")
    assert words(state.layouts[0].waste) == "2C 3C 4C JD 3S"


def test_t25_no_early_redeal_and_none_of_nothing():
    refused(table(lay(waste="2C", stock="3C 4C 5C 6C 7C")), "P1 redeal", "5 cards are left in the stock")
    refused(table(lay()), "P1 turn", "The stock is empty")
    refused(table(lay()), "P1 redeal", "no waste")


def test_t26_two_cards_in_all_are_turned():
    state = table(lay(stock="JD 3S"))
    play(state, "P1 turn")
    assert words(state.layouts[0].waste) == "JD 3S"


def test_t27_second_pass_shows_the_same_cards():
    state = State(Rules(), "any", [13])
    passes = []
    for _ in range(2):
        tops = []
        while len(state.layouts[0].stock) >= 3:
            play(state, "P1 turn")
            tops.append(state.layouts[0].waste[-1])
        refused(state, "P1 turn", "Fewer than 3")
        play(state, "P1 redeal")
        passes.append(tops)
    assert len(passes[0]) == 11
    assert passes[0] == passes[1]


def test_t28_stuck_alone_moves_the_top_card_to_the_bottom():
    state = State(Rules(), "any", [13, 13])
    before = state.layouts[0].stock[::-1]
    refused(state, "P1 rotate", "said he is stuck")
    play(state, "P1 stuck", "P1 rotate")
    after = state.layouts[0].stock[::-1]
    assert after == [*before[1:], before[0]]
    play(state, "P1 turn")
    assert state.layouts[0].waste == before[1:4]


def test_t29_all_stuck_twice_ends_the_round():
    stocks = ("2C 3C 4C 5C 6C 7C 8C", "2D 3D 4D", "2H 3H 4H")
    state = table(*(lay("KD", waste="9S", stock=stock) for stock in stocks))
    play(state, "P1 stuck", "P2 stuck", "P3 stuck")
    assert words(state.layouts[0].stock[::-1]) == "2C 3C 4C 5C 6C 7C 8C 9S"
    assert not state.is_over
    play(state, "P1 stuck", "P2 stuck", "P3 stuck")
    assert state.end == "stuck"
    assert state.callers == []
    assert points(state) == [-2, -2, -2]


def test_t29_new_stock_and_top_card_to_the_bottom():
    state = table(lay(waste="9S 10S", stock="2C 3C 4C"))
    play(state, "P1 stuck")
    # Turned over, 9S is on top; then it goes to the bottom.
    assert words(state.layouts[0].stock[::-1]) == "10S 2C 3C 4C 9S"


def test_t30_no_reset_while_one_can_and_wants_to_move():
    state = table(lay(stock="2C"), lay(stock="2D"), lay("10C", waste="9D"))
    play(state, "P1 stuck", "P2 stuck")
    assert words(state.layouts[0].stock) == "2C"
    play(state, "P3 W:9D>1")
    assert state.resets == 0


# Ending, ties, cards in the air.


def test_t31_nobody_has_to_call():
    state = table(lay("10C", nerts="9D", stock="2C 3C 4C"), lay())
    play(state, "P1 N:9D>1", "P1 turn")
    assert not state.is_over


def test_t32_no_call_with_a_card_left():
    refused(table(lay(nerts="9D"), lay()), "P1 nerts!", "with 1 card left")


def test_t33_a_card_in_the_air_at_the_call_counts():
    state = table(lay(nerts=""), lay(nerts="6D"), foundations=("AD 2D 3D 4D 5D",))
    play(state, "P1 nerts!", at=10_050)
    refused(state, "P2 N:6D>F1", "called Nerts before", at=10_200, lifted=10_060)
    play(state, "P2 N:6D>F1", at=10_200, lifted=10_000)
    assert state.layouts[1].nerts == []
    assert state.callers == [0]


def test_t34_a_card_in_the_air_that_is_beaten_goes_back():
    state = table(lay(nerts=""), lay(nerts="6D"), lay(waste="6D"), foundations=("AD 2D 3D 4D 5D",))
    play(state, "P1 nerts!", at=10_050)
    play(state, "P3 W:6D>F1", at=10_100, lifted=10_000)
    refused(state, "P2 N:6D>F1", "lands first", at=10_200, lifted=10_000)
    assert points(state) == [5, -2, -1]


def test_t35_a_clear_tie():
    seats = (lay(waste="8S", nerts=""), lay(waste="7S", nerts=""), lay(waste="7S", nerts=""))
    state = table(
        *seats, lay(waste="7S"), foundations=("AS 2S 3S 4S 5S 6S@4",), rules="classic tie_window_ms=50"
    )
    assert play(state, "P2 W:7S>F1", at=1000, lifted=800) is Outcome.DONE
    assert play(state, "P3 W:7S>F1", at=1040, lifted=800) is Outcome.TIED
    refused(state, "P4 W:7S>F1", "already", at=1045, lifted=800)
    play(state, "P1 W:8S>F1", at=1100)
    assert str(foundation_piles(state, DECKS)[0]).endswith("7S@blue 7S@green 8S@red")
    assert points(state) == [1, 1, 1, 4]


def test_t36_not_a_tie():
    seats = (lay(waste="7S"), lay(waste="7S"))
    state = table(*seats, foundations=("AS 2S 3S 4S 5S 6S",), rules="classic tie_window_ms=50")
    play(state, "P1 W:7S>F1", at=1000, lifted=800)
    refused(state, "P2 W:7S>F1", "lands first", at=1120, lifted=800)


def test_t37_another_calls_first():
    state = table(lay(nerts="", waste="AS"), lay(nerts=""), lay(nerts="2C"), rules="classic caller_bonus=10")
    play(state, "P1 nerts!", at=1000)
    assert points(state) == [10, 0, -2]
    assert [deck.called for deck in tally_round(state, DECKS[:3], NAMES[:3]).decks] == [True, False, False]


# Jokers.

JOKERS = "classic jokers=2"


def test_t38_a_joker_is_any_card_that_fits():
    state = table(lay("9H", waste="6D 7S 7D JK"), rules=JOKERS)
    play(state, "P1 W:JK>1")
    play(state, "P1 W:7D>1")
    assert shown(state) == "9H JK 7D"
    for misfit in ("7S", "6D", "9S"):
        other = table(lay("9H JK", waste=misfit), rules=JOKERS)
        refused(other, f"P1 W:{misfit}>1", "does not go on JK")


def test_t39_a_joker_in_a_space():
    state = table(lay("JK / KC / -", waste="QH KD QD"), rules=JOKERS)
    play(state, "P1 W:QD>1")
    # Now the joker counts as a black king, which fits nowhere.
    refused(state, "P1 1:JKx2>2", "does not go on KC")
    play(state, "P1 1:QD>2")
    refused(state, "P1 W:KD>1", "does not go on JK")
    play(state, "P1 W:KD>3")
    play(state, "P1 W:QH>1")


def test_t39_a_joker_fixed_for_good():
    state = table(lay("JK / KC", waste="9H QD"), rules=JOKERS + " joker_unfix=no")
    play(state, "P1 W:QD>1", "P1 1:QD>2")
    refused(state, "P1 W:9H>1", "does not go on JK")
    refused(state, "P1 1:JK=AC>F", "fixed as a black card of rank 13")


def test_t40_jokers_on_foundations():
    state = table(lay("JK / JK", nerts="JK JK"), foundations=("AS 2S",), rules=JOKERS)
    refused(state, "P1 N:JK>F1", "must be declared")
    refused(state, "P1 N:JK=4S>F1", "needs 3S, not 4S")
    play(state, "P1 N:JK=3S>F1")
    play(state, "P1 N:JK=AC>F")
    assert [str(pile) for pile in foundation_piles(state, DECKS)] == ["AS@red 2S@red JK=3S@red", "JK=AC@red"]
    refused(table(lay("AS", waste="JK"), rules=JOKERS), "P1 W:JK>1", "does not go on AS")


def test_owner_of_a_laid_card_is_its_seat():
    state = table(lay(), lay(nerts="AH"))
    play(state, "P2 N:AH>F")
    assert state.foundations[0].cards == [Laid(encode(card("AH")), encode(card("AH")), 1)]


def test_simultaneous_calls_make_two_callers():
    state = table(lay(nerts=""), lay(nerts=""), lay(nerts=""))
    play(state, "P1 nerts!", at=500)
    play(state, "P3 nerts!", at=500)
    refused(state, "P2 nerts!", "The round is over", at=501)
    assert state.callers == [0, 2]


def test_a_persons_card_lands_when_the_clock_gets_there():
    state = table(lay(nerts="6D"), lay(nerts="6D", waste="2C"), foundations=("AD 2D 3D 4D 5D",))
    game = Table(state, [None, None], "seed")
    game.submit(Move.parse("P1 N:6D>F1"), by=0, at=1000, flight=400)
    game.submit(Move.parse("P2 N:6D>F1"), by=1, at=1100, flight=200)
    records = game.advance(2000)
    assert [record.outcome for record in records] == [Outcome.DONE, Outcome.BOUNCED]
    assert [record.move.seat for record in records] == [1, 0]
