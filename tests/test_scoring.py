from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.errors import NotationError, RulesError
from scorer.piles import Faults, Pile
from scorer.scoring import (
    CHOICES,
    LIMITS,
    OPTIONAL,
    PRESETS,
    DeckTally,
    Match,
    Rules,
    Tally,
    check_tally,
    preset,
    score_round,
    tally,
)
from tests import strategies
from tests.builders import a_match, a_round, names, pile, piles, points


def scores(text: str, rules: str = "classic") -> dict[str, int | None]:
    return score_round(a_round(text), Rules.parse(rules)).scores


# Rules.


@given(strategies.rules())
def test_rules_round_trip_through_notation_and_json(rules):
    assert Rules.parse(str(rules)) == rules
    assert Rules.from_json(json.loads(json.dumps(rules.to_json()))) == rules


def test_presets():
    assert preset("classic") == Rules() and preset("classic").target == 100
    assert (preset("nna_singles").caller_bonus, preset("nna_singles").target) == (10, 150)
    demon = preset("racing_demon")
    assert (demon.nerts_penalty, demon.caller_bonus, demon.king_bonus) == (1, 10, 5)
    assert (demon.aces_forced, demon.space_fill, demon.leftover) == (True, "auto_nerts", "flip")
    assert preset("pounce25").caller_bonus == 25
    assert (preset("two_player").work_piles, preset("two_player").turn) == (6, 1)
    assert (preset("quick").nerts_size, preset("quick").target) == (10, 50)
    assert str(PRESETS["racing_demon"]) == "racing_demon"


def test_an_unknown_preset_names_the_known_ones():
    with pytest.raises(RulesError, match=r"'poker'.*classic, nna_singles, racing_demon") as refusal:
        preset("poker")
    assert isinstance(refusal.value, ValueError)


@pytest.mark.parametrize(
    "text",
    [
        "poker",
        "classic target=0",
        "classic target=ten",
        "classic target=12.5",
        "classic target",
        "classic luck=3",
        "classic target=off",
        "nerts_size=27",
        "nerts_size=0",
        "caller_bonus=-5",
        "mercy=0",
        "end=rounds",
        "end=never",
        "floor_zero=1",
        "floor_zero=maybe",
        "floor_zero=none",
        "target=none",
        "target=unlimited",
        "target=100 target=150",
        "quick nerts_size=9 nerts_size=9",
        "turn=yes",
        "work_piles=many",
        "rounds=--5",
        "handicap_min=9 nerts_size=5 nerts_handicap=yes",
    ],
)
def test_rules_that_cannot_be_played_are_refused(text):
    with pytest.raises(RulesError) as refusal:
        Rules.parse(text)
    assert str(refusal.value).endswith(".")


@pytest.mark.parametrize("data", [None, [], {"luck": 1}, {"target": "100"}, {"jokers": True}, {"turn": [3]}])
def test_json_that_is_no_rules_is_refused(data):
    with pytest.raises(RulesError):
        Rules.from_json(data)


def test_what_is_refused_says_what_would_do():
    for text, sentence in {
        "mercy=never": "mercy must be a whole number from -10000 to -1, or off, not 'never'.",
        "turn=off": "turn must be a whole number from 1 to 10, not 'off'.",
        "floor_zero=maybe": "floor_zero must be true or false, not 'maybe'.",
        "target=100 turn=1 target=150": "target is given twice: write it once.",
    }.items():
        with pytest.raises(RulesError) as refusal:
            Rules.parse(text)
        assert str(refusal.value) == sentence


def test_words_for_no_limit_and_for_yes_and_no():
    for word in ("off", "none", "unlimited"):
        assert Rules.parse(f"redeal_limit={word} max_stuck_resets={word}") == Rules(max_stuck_resets=None)
    assert Rules.parse("racing_demon aces_forced=off nerts_handicap=on").differences(
        preset("racing_demon")
    ) == {
        "aces_forced": False,
        "nerts_handicap": True,
    }
    assert Rules.parse("payoff=none stuck_all=none slide_under=off partnership=off").stuck_all == "none"


def test_notation_of_rules():
    rules = Rules.parse("quick, target=75, mercy=-50, slide_under=off, max_stuck_resets=off, floor_zero=yes")
    assert (rules.nerts_size, rules.target, rules.mercy) == (10, 75, -50)
    assert (rules.slide_under, rules.max_stuck_resets, rules.floor_zero) == ("off", None, True)
    assert Rules.parse("") == Rules.parse("classic") == Rules()
    assert Rules.parse("caller_bonus=0").caller_bonus == 0
    assert str(Rules(target=50)) == "classic target=50"


def test_every_parameter_is_described():
    fields = {field.name for field in dataclasses.fields(Rules)}
    flags = {name for name in fields if isinstance(getattr(Rules(), name), bool)}
    assert set(CHOICES) | set(LIMITS) | flags == fields
    assert set(LIMITS) >= OPTIONAL
    for name, words in CHOICES.items():
        for word in words:
            changes = {name: word, "rounds": 3}
            assert getattr(Rules.from_json(changes), name) == word


def test_work_piles_by_the_number_of_players():
    assert [Rules(work_piles="by_players").work_piles_for(players) for players in (1, 2, 3, 4, 8)] == [
        6,
        6,
        5,
        4,
        4,
    ]
    assert Rules(work_piles=5).work_piles_for(2) == 5
    assert Rules(jokers=2).deck_size == 54


# Counting.


@given(strategies.tallies)
def test_tallies_round_trip_through_notation_and_json(counted):
    assert Tally.parse(str(counted)) == counted
    assert Tally.from_json(json.loads(json.dumps(counted.to_json()))) == counted


@pytest.mark.parametrize(
    "text", ["Ann", "Ann=1", "Ann=1/x", "Ann=-1/0", "=1/2", "Ann=1/2 Ann=3/4", "Ann=1/2?", "a b"]
)
def test_what_is_no_count_is_refused(text):
    with pytest.raises(NotationError):
        Tally.parse(text)


def test_cards_are_counted_by_their_backs():
    table = [*piles("AH@red 2H@blue 3H@red", "~ ?@blue ?@blue ?"), pile("S", 13, "red")]
    counted = tally(
        table, players={"red": "Ann", "green": "Cleo"}, nerts_left={"blue": 3, "Cleo": 5}, callers=["Ann"]
    )
    assert counted == Tally(
        (
            DeckTally("red", "Ann", 15, 0, kings=1, called=True),
            DeckTally("green", "Cleo", 0, 5),
            DeckTally("blue", None, 3, 3),
        ),
        unowned=1,
    )
    assert counted.callers == ("Ann",)


def test_what_is_not_known_is_not_scored():
    counted = tally(piles("AH@deck-1 2H@deck-2"), nerts_left={"deck-1": 1})
    assert str(counted) == "deck-1:=1/1 deck-2:=1/?"
    result = score_round(counted, Rules())
    assert result.scores == {"deck-1": -1, "deck-2": None}
    assert not result.is_complete and result.winners == ()
    assert score_round(counted, Rules(nerts_penalty=0)).scores == {"deck-1": 1, "deck-2": 1}


@pytest.mark.parametrize("wrong", [{"nerts_left": {"Bob": 1}}, {"callers": ["Bob"]}])
def test_an_unknown_name_is_refused(wrong):
    with pytest.raises(NotationError, match="'Bob' is neither a player nor a deck"):
        tally(piles("AH@red"), players={"red": "Ann"}, **wrong)


def test_typed_numbers_make_a_tally():
    typed = Tally.typed({"Ann": (19, 0), "Bob": (14, 4)}, callers=["Ann"])
    assert typed == a_round("Ann=19/0! Bob=14/4")
    with pytest.raises(NotationError):
        Tally.typed({"Ann": (19, 0)}, callers=["Bob"])
    with pytest.raises(NotationError, match="below 0"):
        Tally.typed({"Ann": (-1, 0)})


@given(strategies.any_piles, st.data())
def test_every_card_is_counted_once(some, data):
    counted = tally([some])
    assert sum(deck.foundation for deck in counted.decks) + counted.unowned == len(some)


IMPOSSIBLE = {
    "more than a deck": ("Ann=40/13", ["OWNER_TOO_MANY"]),
    "more than a pile": ("Ann=1/14", ["NERTS_TOO_MANY"]),
    "caller with cards left": ("Ann=1/2!", ["CALLER_HAS_NERTS"]),
    "five kings": ("Ann=30/0+5K", ["OWNER_TOO_MANY"]),
    "more kings than cards": ("Ann=1/0+2K", ["OWNER_TOO_MANY"]),
    "nobody's cards": ("Ann=1/0 ?=3", ["UNKNOWN_BACK"]),
    "nothing wrong": ("Ann=39/13 Bob=52/0! Cleo=0/?", []),
}


@pytest.mark.parametrize(("text", "faults"), IMPOSSIBLE.values(), ids=IMPOSSIBLE.keys())
def test_impossible_numbers(text, faults):
    assert names(check_tally(a_round(text), Rules())) == faults


def test_handicap_sizes_and_jokers_change_what_is_possible():
    assert check_tally(a_round("Ann=1/14"), Rules(), {"Ann": 14}) == ()
    assert check_tally(a_round("Ann=41/13+5K"), Rules(jokers=2)) == ()
    assert check_tally(a_round("Ann=1/11"), Rules.parse("quick"))[0].name is Faults.NERTS_TOO_MANY


# The worked cases of the rules: scoring.


def test_t41_cards_out_less_two_for_each_left():
    assert scores("Ada=19/0! Ben=14/4 Cleo=7/6 Dan=11/2") == {"Ada": 19, "Ben": 6, "Cleo": -5, "Dan": 7}
    assert scores("Ada=9/0! Ben=14/4 Cleo=7/6 Dan=11/2") == {"Ada": 9, "Ben": 6, "Cleo": -5, "Dan": 7}


def test_t42_many_out_and_many_left():
    assert scores("Ann=23/7") == {"Ann": 9}


def test_t43_nobody_plays_anything():
    assert scores("A=0/13 B=0/13 C=0/13") == {"A": -26, "B": -26, "C": -26}


def test_t44_a_rival_can_beat_the_caller():
    result = score_round(a_round("Ann=4/0! Bob=12/3"), Rules())
    assert result.scores == {"Ann": 4, "Bob": 6}
    assert result.winners == ("Bob",) and result.callers == ("Ann",)
    assert score_round(a_round("Ann=4/0! Bob=12/3"), Rules(caller_wins=True)).winners == ("Ann",)
    assert score_round(a_round("Ann=4/1 Bob=12/3"), Rules(caller_wins=True)).winners == ("Bob",)


def test_t45_racing_demon():
    assert scores("Ann=12/0+1K! Bob=15/5", "racing_demon") == {"Ann": 27, "Bob": 10}


def test_t46_all_stuck():
    assert scores("Ann=10/3 Bob=8/0", "pounce25") == {"Ann": 4, "Bob": 8}


def test_t47_a_completed_pile_with_tied_kings_counts_all_fourteen():
    tied = Pile((*pile("H", 13, "a", "b").cards, *Pile.parse("KH@b").cards))
    counted = tally([tied], nerts_left={"a": 0, "b": 0})
    assert score_round(counted, Rules()).scores == {"a": 7, "b": 7}
    assert [deck.kings for deck in counted.decks] == [1, 1]


def test_t48_jokers_count_like_any_card():
    table = [pile("H", 12, "a"), Pile.parse("JK=AS@a 2S@b")]
    assert score_round(tally(table, nerts_left={"a": 1, "b": 0}), Rules(jokers=2)).scores == {"a": 11, "b": 1}


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("classic", {"Ann": -8, "Bob": 9}),
        ("nerts_penalty=1", {"Ann": -3, "Bob": 9}),
        ("nerts_penalty=0", {"Ann": 2, "Bob": 9}),
        ("card_points=2", {"Ann": -6, "Bob": 18}),
        ("caller_bonus=5", {"Ann": -8, "Bob": 14}),
        ("king_bonus=3", {"Ann": -8, "Bob": 15}),
        ("floor_zero=yes", {"Ann": 0, "Bob": 9}),
        ("false_call_penalty=4", {"Ann": -12, "Bob": 9}),
    ],
)
def test_scoring_parameters(rules, expected):
    assert scores("Ann=2/5-1F Bob=9/0+2K!", rules) == expected


@given(strategies.deck_tallies, strategies.rules())
def test_the_parts_of_a_score_sum_up(deck, rules):
    (part,) = score_round(Tally((deck,)), rules).decks
    if part.score is not None and not rules.floor_zero:
        assert part.score == part.cards + part.penalty + part.kings + part.bonus + part.false_calls
    assert part.score is None or part.score >= 0 or not rules.floor_zero


def test_two_callers_at_the_same_moment_both_get_the_bonus():
    assert scores("Ann=4/0! Bob=5/0! Cleo=5/0", "caller_bonus=10") == {"Ann": 14, "Bob": 15, "Cleo": 5}


# The worked cases of the rules: the match.


def test_t49_of_two_past_the_target_the_highest_wins():
    match = points("Ann 88 Bob 95 Cleo 50", "Ann 14 Bob 5 Cleo 10")
    assert match.totals == {"Ann": 102, "Bob": 100, "Cleo": 60}
    assert match.is_over and match.winners == ("Ann",)


def test_t50_the_target_is_reached_or_passed():
    assert not points("Ann 52 Bob 3", "Ann 47 Bob 4").is_over
    assert points("Ann 52 Bob 3", "Ann 48 Bob 4").winners == ("Ann",)


def test_t51_equal_leaders_play_an_extra_round():
    tied = points("Ann 101 Bob 101 Cleo 70")
    assert not tied.is_over and tied.winners == () and tied.needs_extra_round
    assert tied.players_next == ("Ann", "Bob", "Cleo")
    decided = tied.with_round(a_round("Ann=19/0 Bob=17/0 Cleo=0/0"))
    assert decided.totals == {"Ann": 120, "Bob": 118, "Cleo": 70} and decided.winners == ("Ann",)
    fallen = tied.with_round(a_round("Ann=1/3 Bob=1/2 Cleo=0/0"))
    assert fallen.totals == {"Ann": 96, "Bob": 98, "Cleo": 70}
    assert not fallen.is_over and not fallen.needs_extra_round


def test_t52_totals_may_fall_and_be_negative():
    match = points("Ann 98 Bob -6", "Ann -6 Bob -6")
    assert match.totals == {"Ann": 92, "Bob": -12} and not match.is_over
    assert match.history == ({"Ann": 98, "Bob": -6}, {"Ann": 92, "Bob": -12})


def test_t53_editing_a_round_reopens_the_match():
    match = points(*["Ann 23 Bob 20"], "Ann 12 Bob 10", *["Ann 23 Bob 20"] * 3)
    assert match.totals["Ann"] == 104 and match.winners == ("Ann",)
    edited = match.with_round_replaced(1, a_round("Ann=2/0 Bob=10/0"))
    assert edited.totals["Ann"] == 94 and not edited.is_over and edited.winners == ()
    other = match.with_round_replaced(1, a_round("Ann=2/0 Bob=30/0"))
    assert other.winners == ("Bob",)
    assert match.totals["Ann"] == 104  # The old match is as it was.
    assert match.without_round(1).totals == {"Ann": 92, "Bob": 80}


def test_t54_partners_score_once():
    match = a_match('"Ann and Bob"=30/2 "Cleo and Dan"=20/0!')
    assert match.totals == {"Ann and Bob": 26, "Cleo and Dan": 20}


# The match: the rest.


@given(strategies.matches())
def test_matches_round_trip_through_json(match):
    assert Match.from_json(json.loads(json.dumps(match.to_json()))) == match


@given(strategies.matches())
def test_totals_are_the_sums_of_the_scores(match):
    for name in match.players:
        assert match.totals[name] == sum(score.scores[name] for score in match.round_scores)
    assert match.is_over == bool(match.winners)
    assert not (match.is_over and match.needs_extra_round)
    assert match.is_over == (match.players_next == ())
    assert [standing.place for standing in match.standings] == sorted(s.place for s in match.standings)
    assert sum(match.payoffs.values()) == 0


@given(strategies.matches(), st.data())
def test_the_order_of_rounds_does_not_matter_for_totals(match, data):
    mixed = dataclasses.replace(match, rounds=tuple(data.draw(st.permutations(match.rounds))))
    assert mixed.totals == match.totals and mixed.hands_won == match.hands_won


def test_standings_share_places():
    match = points("Ann 10 Bob 20 Cleo 20 Dan 5")
    assert [(s.place, s.player, s.total) for s in match.standings] == [
        (1, "Bob", 20),
        (1, "Cleo", 20),
        (3, "Ann", 10),
        (4, "Dan", 5),
    ]
    assert match.leaders == ("Bob", "Cleo") and match.leader is None
    assert points("Ann 1 Bob 0").leader == "Ann"


def test_before_the_first_round_nobody_leads():
    match = Match(("Ann", "Bob"))
    assert match.leaders == () and match.leader is None and not match.is_over
    assert match.totals == {"Ann": 0, "Bob": 0} and match.players_next == ("Ann", "Bob")


def test_an_absent_player_scores_nothing_and_is_not_a_round_behind():
    match = a_match("Ann=10/0 Bob=5/0", "Ann=10/0", "Ann=0/0 Bob=6/0")
    assert match.history[-1] == {"Ann": 20, "Bob": 11} and match.history[1] == {"Ann": 20, "Bob": 5}


def test_hands_and_calls_are_counted():
    match = a_match("Ann=10/0! Bob=12/0", "Ann=10/0! Bob=2/2", "Ann=9/0 Bob=9/0!")
    assert match.hands_won == {"Ann": 2, "Bob": 2} and match.calls == {"Ann": 2, "Bob": 1}


@pytest.mark.parametrize(
    ("tiebreak", "winners"),
    [
        ("extra_round", ()),
        ("tied_only", ()),
        ("shared", ("Ann", "Bob")),
        ("most_calls", ("Ann",)),
        ("last_round", ("Bob",)),
    ],
)
def test_tiebreaks(tiebreak, winners):
    match = a_match("Ann=52/0! Bob=50/0 Cleo=9/0", "Ann=49/0 Bob=51/0 Cleo=9/0", rules=f"tiebreak={tiebreak}")
    assert match.totals == {"Ann": 101, "Bob": 101, "Cleo": 18}
    assert match.winners == winners and match.needs_extra_round == (not winners)


@pytest.mark.parametrize("tiebreak", ["most_calls", "last_round"])
def test_a_tie_that_the_tiebreak_leaves_is_played_out(tiebreak):
    match = points("Ann 101 Bob 101 Cleo 70", rules=f"tiebreak={tiebreak}")
    assert match.needs_extra_round and match.players_next == ("Ann", "Bob", "Cleo")


def test_only_the_tied_play_the_extra_round():
    tied = points("Ann 101 Bob 101 Cleo 100", rules="tiebreak=tied_only")
    assert tied.players_next == ("Ann", "Bob")
    assert tied.with_round(a_round("Ann=1/0 Bob=3/0")).winners == ("Bob",)
    # Ann falls below the others, but is the only one of the tied at the target.
    assert tied.with_round(a_round("Ann=1/1 Bob=0/1")).winners == ("Ann",)
    again = tied.with_round(a_round("Ann=2/0 Bob=2/0"))
    assert again.needs_extra_round and again.players_next == ("Ann", "Bob")
    # Both fall below the target: whoever is there wins after all.
    assert tied.with_round(a_round("Ann=0/4 Bob=0/4")).winners == ("Cleo",)


def test_if_all_of_the_tied_fall_below_the_target_the_match_goes_on_for_all():
    tied = points("Ann 101 Bob 101 Cleo 70", rules="tiebreak=tied_only")
    fallen = tied.with_round(a_round("Ann=0/4 Bob=0/3"))
    assert not fallen.is_over and fallen.players_next == ("Ann", "Bob", "Cleo")
    assert fallen.with_round(a_round("Ann=1/0 Bob=0/0 Cleo=40/0")).winners == ("Cleo",)


def test_the_first_to_reach_the_target_wins_where_somebody_watched():
    rules = "over_target=first"
    assert a_match("Ann=104/0 Bob=101/0 first=Bob", rules=rules).winners == ("Bob",)
    assert a_match("Ann=104/0 Bob=101/0", rules=rules).winners == ("Ann",)
    assert a_match("Ann=104/0 Bob=99/0 first=Bob", rules=rules).winners == ("Ann",)
    assert a_match("Ann=104/0 Bob=101/0 first=Bob").winners == ("Ann",)
    # Of what was to be reached first a match of so many rounds knows nothing.
    rounds = "over_target=first end=rounds rounds=1"
    assert a_match("Ann=104/0 Bob=101/0 first=Bob", rules=rounds).winners == ("Ann",)


def test_who_was_first_is_asked_only_where_it_decides():
    rules = "over_target=first"
    assert a_match("Ann=104/0 Bob=101/0", rules=rules).racers(0) == ("Ann", "Bob")
    assert a_match("Ann=104/0 Bob=99/0", rules=rules).racers(0) == ()
    assert a_match("Ann=99/0 Bob=99/0", rules=rules).racers(0) == ()
    assert a_match("Ann=104/0 Bob=101/0").racers(0) == ()
    tied = a_match("Ann=104/0 Bob=104/0", rules=rules)
    assert tied.needs_extra_round
    # Both were there a round ago: who of them came first no longer follows from this one.
    assert tied.with_round(a_round("Ann=2/0 Bob=1/0")).racers(1) == ()


def test_a_match_of_a_number_of_rounds():
    rules = "end=rounds rounds=2"
    match = points("Ann 150 Bob 3", rules=rules)
    assert not match.is_over
    assert match.with_round(a_round("Ann=0/0 Bob=1/0")).winners == ("Ann",)
    tied = points("Ann 10 Bob 3", "Ann 3 Bob 10", rules=rules)
    assert tied.needs_extra_round
    assert tied.with_round(a_round("Ann=0/0 Bob=1/0")).winners == ("Bob",)


def test_a_match_of_hands_won():
    rules = "end=hands_won hands_to_win=2"
    match = points("Ann 150 Bob 3", "Ann 1 Bob 2", rules=rules)
    assert not match.is_over and match.leaders == ("Ann", "Bob")
    assert match.with_round(a_round("Ann=0/0 Bob=1/0")).winners == ("Bob",)


def test_hands_that_stand_for_themselves_never_end_the_match():
    match = points("Ann 150 Bob 3", "Ann 1 Bob 2", rules="end=per_hand")
    assert not match.is_over and match.round_scores[1].winners == ("Bob",)


def test_mercy_ends_the_match():
    assert points("Ann 10 Bob -49", rules="mercy=-50").winners == ()
    assert points("Ann 10 Bob -50", rules="mercy=-50").winners == ("Ann",)
    assert points("Ann 10 Bob -50").winners == ()


def test_the_winner_collects_the_differences():
    rules = "payoff=differences"
    assert points("Ann 110 Bob 90 Cleo -10", rules=rules).payoffs == {"Ann": 140, "Bob": -20, "Cleo": -120}
    assert points("Ann 99 Bob 90 Cleo -10", rules=rules).payoffs == {"Ann": 0, "Bob": 0, "Cleo": 0}
    assert points("Ann 110 Bob 90").payoffs == {"Ann": 0, "Bob": 0}
    shared = points("Ann 110 Bob 110 Cleo 100", rules=f"{rules} tiebreak=shared")
    assert shared.payoffs == {"Ann": 10, "Bob": 10, "Cleo": -20}
    each = points("Ann 10 Bob 4", "Ann 1 Bob 3", rules=f"{rules} end=per_hand")
    assert each.payoffs == {"Ann": 4, "Bob": -4}


def test_sizes_of_the_next_deal_follow_the_handicap():
    rules = "nerts_handicap=yes"
    assert points("Ann 9 Bob 3 Cleo 0 Dan -1", rules=rules).sizes_next == {
        "Ann": 14,
        "Bob": 13,
        "Cleo": 12,
        "Dan": 12,
    }
    assert points("Ann 9 Bob 3").sizes_next == {"Ann": 13, "Bob": 13}
    assert points(*["Ann 9 Bob -3"] * 15, rules=f"{rules} end=per_hand").sizes_next == {"Ann": 26, "Bob": 3}


def test_agreed_sizes_differ_from_the_start():
    match = a_match("Ann=9/0 Bob=0/1", sizes={"Ann": 16})
    assert match.sizes_next == {"Ann": 16, "Bob": 13}
    small = a_match("Ann=9/0 Bob=0/1", rules="nerts_handicap=yes", sizes={"Bob": 2})
    assert small.sizes_next == {"Ann": 14, "Bob": 2}


def test_who_starts():
    assert points("Ann 9 Bob 3 Cleo 3").starters_next == ()
    assert points("Ann 9 Bob 3 Cleo 3", rules="starter=last_place").starters_next == ("Bob", "Cleo")
    assert Match(("Ann", "Bob"), Rules(starter="last_place")).starters_next == ()
    assert points("Ann 9 Bob 3", rules="starter=rotates").starters_next == ("Bob",)


def test_decks_that_wander():
    match = Match(("Ann", "Bob", "Cleo"), Rules(pass_decks="move_left"))
    assert match.deck_holders(0) == {"Ann": "Ann", "Bob": "Bob", "Cleo": "Cleo"}
    assert match.deck_holders(1) == {"Ann": "Cleo", "Bob": "Ann", "Cleo": "Bob"}
    assert Match(("Ann", "Bob")).deck_holders(1) == {"Ann": "Ann", "Bob": "Bob"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"players": ()},
        {"players": tuple("ABCDEFGHI")},
        {"players": ("Ann", "Ann")},
        {"players": ("Ann", " ")},
        {"rounds": (a_round("Bob=1/0"),)},
        {"rounds": (a_round("Ann=1/?"),)},
        {"rounds": (a_round("Ann=1/0 ?=2"),)},
        {"nerts_sizes": {"Bob": 12}},
        {"nerts_sizes": {"Ann": 27}},
    ],
)
def test_impossible_matches_are_refused(wrong):
    with pytest.raises(RulesError) as refusal:
        Match(**({"players": ("Ann",)} | wrong))
    assert str(refusal.value).endswith(".")


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"players": "Ann"},
        {"players": ["Ann"], "rounds": [{}]},
        {"players": ["Ann"], "rounds": [{"decks": [{"back": "Ann", "player": "Ann", "foundation": 1.5}]}]},
        {"players": ["Ann"], "nerts_sizes": {"Ann": "13"}},
        {"players": ["Ann"], "rules": []},
        {"players": ["Ann"], "version": 2},
    ],
)
def test_json_that_is_no_match_is_refused(data):
    with pytest.raises(NotationError):
        Match.from_json(data)


def test_a_long_evening_is_quick_and_exact():
    everybody = " ".join(f"P{seat}={seat}/{seat % 3}" for seat in range(8))
    match = a_match(*[everybody] * 30, rules="target=10000")
    assert match.totals["P7"] == 30 * (7 - 2) and len(match.history) == 30
