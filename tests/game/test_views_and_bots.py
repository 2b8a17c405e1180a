from __future__ import annotations

import dataclasses
import itertools
import random

import pytest

from scorer.errors import RulesError
from scorer.game import looks
from scorer.game.bots import BEGINNER, BOTS, FAMILY, SHARK, bot
from scorer.game.choices import can_play, legal_moves
from scorer.game.codes import encode, text
from scorer.game.moves import FOUNDATION, Move
from scorer.game.state import Outcome, State
from scorer.game.table import Table
from scorer.game.view import View
from scorer.scoring import PRESETS, Rules
from tests.builders import card
from tests.game.tables import lay, play, table


def decision(bot, state, seat=1, in_air=()):
    move = bot.decide(View(state, seat - 1, in_air), lambda: 0.99)
    return None if move is None else str(move)


# What a seat sees.


def hidden_swapped(state: State, seat: int, rng: random.Random) -> State:
    """The same table with every card exchanged that the seat cannot have seen."""
    twin = state.copy()
    for other, layout in enumerate(twin.layouts):
        seen = layout.seen if other == seat else {layout.waste_top}
        unseen = [(layout.nerts, i) for i in range(len(layout.nerts) - 1)]
        unseen += [
            (pile, i)
            for pile in (layout.stock, layout.waste)
            for i, card in enumerate(pile)
            if card not in seen
        ]
        cards = [pile[i] for pile, i in unseen]
        rng.shuffle(cards)
        for (pile, i), exchanged in zip(unseen, cards, strict=True):
            pile[i] = exchanged
    return twin


@pytest.mark.parametrize("seconds", [5, 20, 40])
def test_nothing_hidden_reaches_a_view_or_a_bot(seconds):
    rng = random.Random(seconds)
    for seed in range(6):
        state = State(Rules(), str(seed), [13] * 3)
        Table(state, [SHARK, FAMILY, BEGINNER], str(seed)).advance(seconds * 1000)
        for seat in range(3):
            twin = hidden_swapped(state, seat, rng)
            assert twin.faults() == []
            assert View(twin, seat).to_json() == View(state, seat).to_json()
            for player in BOTS.values():
                assert decision(player, twin, seat + 1) == decision(player, state, seat + 1)


def test_view_for_people():
    state = table(
        lay("9D 8C / -", nerts="2H KC", waste="4C 5C", stock="6C"),
        lay("7H", nerts="3S", waste="JD"),
        foundations=("AC 2C",),
    )
    assert View(state, 0).to_json() == {
        "seat": "P1",
        "nerts": ["--", "KC"],
        "work": [["9D", "8C"], []],
        "waste": ["4C", "5C"],
        "stock": ["--"],
        "stuck": False,
        "foundations": ["2C"],
        "others": {"P2": {"nerts_left": 1, "exposed": ["3S", "JD", "7H"], "work": [["7H"]]}},
        "over": False,
    }


def test_stock_is_remembered_from_earlier_passes():
    state = table(lay(stock="2C 3C 4C 5C 6C 7C", waste=""), lay())
    view = View(state, 0)
    play(state, "P1 turn")
    assert not view.waste_was_expected
    play(state, "P1 turn", "P1 redeal")
    assert [text(card) for card in view.stock[::-1]] == ["--", "--", "4C", "--", "--", "7C"]
    play(state, "P1 turn")
    assert view.waste_was_expected


# Stuck or not.


@pytest.mark.parametrize(
    ("seat", "expected"),
    [
        (lay("2C", nerts="AH"), True),
        (lay("10C", nerts="9D"), True),
        (lay("10C", nerts="KD", waste="9D"), True),
        (lay("10C", nerts="KD", stock="2C 3C 9D"), True),
        (lay("10C", nerts="KD", stock="2C 9D 3C"), False),
        (lay("10C / 5C 9H / -", nerts="KC"), True),
        (lay("10C / 2S", nerts="KC"), False),
        (lay("10C / 10S 9H", nerts="10H", waste="JC"), False),
        (lay("10C / 10S 9H / JD", nerts="9D"), True),
        # Only after 9H has gone to the other ten does 10S accept the 9D.
        (lay("10C / 10S 9H", nerts="9D"), True),
        (lay("10C 9D / 10S 9H / 8S", nerts="7D"), True),
    ],
)
def test_detector(seat, expected):
    assert can_play(table(seat, lay()), 0) is expected


def test_detector_looks_through_moves_between_piles():
    # 7S goes on 8D, then 7C would be no help; 6H is freed for nobody; but 8D 7S on 9C leaves a space.
    state = table(lay("8D / 9C / 7S / 2H", nerts="KH"), lay())
    assert can_play(state, 0)
    assert not can_play(table(lay("8D / 10C / 7H / 2H", nerts="KH"), lay()), 0)


@pytest.mark.parametrize(
    ("rules", "seat", "expected"),
    [
        ("classic move_run=whole", lay("10C / 10S 9H", nerts="9D"), True),
        ("classic move_run=whole", lay("10C / JH 10S 9H / 4H", nerts="9D"), True),
        ("classic move_run=whole", lay("10C 9D / JH 10S 9H / 4H", nerts="QC"), False),
        ("classic", lay("KH QC / KD / 2S", nerts="QS"), True),
        ("classic move_run=single", lay("KH QC JD / KD / 2S", nerts="QS"), True),
        ("classic move_run=single", lay("QC JD / KD / 2S", nerts="5H"), False),
        ("classic", lay("QC JD / KD / 2S", nerts="5H"), True),
        ("classic slide_under=without_space", lay("QC JD / 2S", nerts="KH"), True),
        ("classic", lay("QC JD / 2S", nerts="KH"), False),
        ("classic space_fill=nerts_only", lay("2S / -", nerts="KH", waste="5C"), True),
        ("classic redeal_limit=0", lay("10C", nerts="KD", stock="2C 3C", waste="9D 4C"), False),
        ("classic leftover=flip", lay("10C", nerts="KD", stock="2C 9D"), True),
        ("classic", lay("10C", nerts="KD", stock="2C 9D"), True),
        ("classic", lay("10C", nerts="KD", stock="9D 2C"), False),
    ],
)
def test_detector_under_house_rules(rules, seat, expected):
    assert can_play(table(seat, lay(), rules=rules), 0) is expected


def test_detector_agrees_with_play_on_foundations():
    assert can_play(table(lay("3C", nerts="KH"), lay(), foundations=("AC 2C",)), 0)
    assert not can_play(table(lay("4C", nerts="KH"), lay(), foundations=("AC 2C",)), 0)


def test_joker_that_is_free_is_never_stuck():
    assert can_play(table(lay("4C", nerts="JK"), rules="classic jokers=2"), 0)


# Looks.


def test_merging_makes_a_space():
    state = table(lay("QS JH / KD / 3C / 3S", nerts="9H"), lay())
    assert decision(SHARK, state) == "P1 1:QSx2>2"


def test_uncovering_frees_a_card_for_a_foundation():
    state = table(lay("2C AH / 2S / 9D / 9H", nerts="KD"), lay(), foundations=("AC",))
    move = looks.uncover(View(state, 0))
    assert str(move) == "P1 1:AH>2"


def test_waste_card_that_takes_the_nerts_card():
    state = table(lay("10S / 5C / 5S / 2H", nerts="8C", waste="9H"), lay())
    assert str(looks.waste_for_nerts(View(state, 0))) == "P1 W:9H>1"


def test_shark_holds_a_card_back_from_a_rival_nearly_out():
    feeding = table(lay("5H / KS / KC / KH", nerts="KD"), lay(nerts="6H"), foundations=("AH 2H 3H 4H@2",))
    assert looks.work_held_back(View(feeding, 0)) is None
    harmless = table(lay("5H / KS / KC / KH", nerts="KD"), lay(nerts="6S"), foundations=("AH 2H 3H 4H@2",))
    assert str(looks.work_held_back(View(harmless, 0))) == "P1 1:5H>F1"


def test_shark_holds_back_one_card_and_plays_another():
    state = table(
        lay("5H / 2S / KC / KH", nerts="KD"), lay(nerts="6H"), foundations=("AH 2H 3H 4H@2", "AS@2")
    )
    assert str(looks.work_held_back(View(state, 0))) == "P1 2:2S>F2"


def test_shark_does_not_cover_a_card_that_is_wanted_soon():
    state = table(lay("5H / KC", nerts="QC", waste="4S"), lay(), foundations=("AH 2H 3H",))
    assert looks.waste_to_work_planned(View(state, 0)) is None
    assert str(looks.waste_to_work(View(state, 0))) == "P1 W:4S>1"


def test_shark_keeps_a_pass_that_is_worth_more():
    # In the pass as it stands 2C, 2D and 2H come up; with one card less before them, none does.
    stock = "2C KH KS 2D KH KS 2H KH KS"
    state = table(
        lay("10H / KC", nerts="QC", waste="3C 9C", stock=stock), lay(), foundations=("AC", "AD", "AH")
    )
    state.layouts[0].seen |= {*state.layouts[0].stock, *state.layouts[0].waste}
    assert looks.waste_to_work_planned(View(state, 0)) is None


def test_shark_follows_a_card_in_the_air():
    state = table(lay("KS", nerts="KD", waste="6D"), lay(nerts="5D"), foundations=("AD 2D 3D 4D",))
    flying = Move.parse("P2 N:5D>F1")
    assert decision(SHARK, state, in_air=[None, flying]) == "P1 W:6D>F1"
    assert decision(FAMILY, state, in_air=[None, flying]) != "P1 W:6D>F1"


@pytest.mark.parametrize(("rival", "expected"), [("2C 3C 4C", "P1 W:AD>F"), ("2C", "P1 nerts!")])
def test_shark_calls_at_the_right_moment(rival, expected):
    state = table(lay("KS", nerts="", waste="AD"), lay(nerts=rival))
    assert decision(SHARK, state) == expected
    assert decision(FAMILY, state) == "P1 nerts!"


def test_bots_say_when_they_are_stuck_and_then_rotate():
    state = table(lay("KS", nerts="KD", stock="2C 3C 4C 5C"), lay())
    for expected in ("turn", "redeal", "stuck", "rotate", "turn", "redeal", "turn", "redeal", "stuck"):
        assert decision(FAMILY, state) == f"P1 {expected}"
        play(state, f"P1 {expected}")


def test_bots_wait_when_rotating_brings_nothing_new():
    state = table(lay("KS", nerts="KD", waste="3C", stock="2C"), lay(), rules="classic stuck_alone=never")
    play(state, "P1 stuck")
    assert decision(SHARK, state) is None


def test_unknown_bot():
    with pytest.raises(RulesError, match="no bot named 'ghost'; known are beginner, family, shark"):
        bot("ghost")


# Timing.


def test_tempos_are_in_order():
    draws = [0.5, 0.9]
    turn, landing = Move.parse("P1 turn"), Move.parse("P1 N:AC>F")
    view = View(table(lay()), 0)
    spans = [
        [
            player.tempo.delay(landing, view, lambda: 0.99) + player.tempo.flight(landing, lambda: draws[0]),
            player.tempo.delay(turn, view, lambda: 0.99) + player.tempo.flight(turn, lambda: draws[0]),
        ]
        for player in (SHARK, FAMILY, BEGINNER)
    ]
    assert all(
        fast < slow
        for before, after in itertools.pairwise(spans)
        for fast, slow in zip(before, after, strict=True)
    )


def test_hesitation_and_memory():
    tempo = SHARK.tempo
    view = View(table(lay(waste="AC")), 0)
    move = Move.parse("P1 W:AC>F")
    sure, hesitant = tempo.delay(move, view, lambda: 0.99), tempo.delay(move, view, lambda: 0.0)
    assert sure == int(tempo.recognise * 1.49)
    assert hesitant == int(tempo.recognise * 0.5 + tempo.pause * 0.5)
    view._layout.expected = True
    assert tempo.delay(move, view, lambda: 0.99) < sure


def test_overlooking():
    state = table(lay("KS", nerts="AC", waste="AD"), lay())
    careless = dataclasses.replace(SHARK, misses=1.0)
    assert decision(careless, state) == "P1 W:AD>F"


# Rounds.


@pytest.mark.parametrize("rules", PRESETS)
def test_bots_are_refused_nothing_but_lost_races(rules):
    parsed = Rules.parse(rules)
    for seed in range(4):
        state = State(parsed, str(seed), [parsed.nerts_size] * 4)
        game = Table(state, [SHARK, FAMILY, BEGINNER, SHARK], str(seed))
        game.play()
        assert game.is_over
        for record in game.records:
            assert record.outcome is not Outcome.BOUNCED or record.move.target >= FOUNDATION
            assert record.lifted <= record.at


def test_rounds_are_repeatable_whatever_else_draws_random_numbers():
    def play_one():
        game = Table(State(Rules(), "s", [13] * 3), [SHARK, FAMILY, BEGINNER], "s")
        game.play()
        return game.records

    first = play_one()
    random.seed(5)
    random.random()
    assert play_one() == first


def test_observers_are_told_everything():
    seen = []
    game = Table(
        State(Rules(), "s", [13] * 2),
        [SHARK, SHARK],
        "s",
        [lambda record, state: seen.append((record, state))],
    )
    game.play()
    assert [record for record, _ in seen] == game.records
    assert seen[0][1] is game.state


def test_table_stops_a_round_without_end():
    state = table(lay("KS"), lay("KS"), rules="classic max_stuck_resets=off")
    game = Table(state, [FAMILY, FAMILY], "s", limit_ms=60_000)
    game.play()
    assert state.end == "stopped"


def test_losers_of_races_get_their_cards_back():
    bounced = 0
    for seed in range(10):
        state = State(Rules(), str(seed), [13] * 6)
        game = Table(state, [SHARK] * 6, str(seed))
        game.play()
        assert state.faults() == []
        bounced += sum(record.outcome is Outcome.BOUNCED for record in game.records)
    assert bounced > 20


def test_ties_happen_with_a_window():
    outcomes = set()
    for seed in range(10):
        game = Table(State(Rules(tie_window_ms=150), str(seed), [13] * 8), [SHARK] * 8, str(seed))
        game.play()
        assert game.state.faults() == []
        outcomes |= {record.outcome for record in game.records}
    assert Outcome.TIED in outcomes


def test_people_and_bots_at_one_table():
    state = State(Rules(), "mixed", [13, 13])
    game = Table(state, [None, SHARK], "mixed")
    game.advance(5_000)
    game.submit(Move.parse("P1 turn"), by=0, at=5_000, flight=300)
    with pytest.raises(Exception, match="one card at a time"):
        game.submit(Move.parse("P1 turn"), by=0, at=5_100)
    with pytest.raises(Exception, match="P1 cannot move for P2"):
        game.submit(Move.parse("P2 turn"), by=0, at=5_200)
    records = game.advance(10_000)
    assert next(record for record in records if record.move.seat == 0).at == 5_300
    assert len({record.move.seat for record in game.records}) == 2
    with pytest.raises(Exception, match=r"stock is empty|Fewer than|cards are left"):
        game.submit(Move.parse("P1 redeal"), by=0, at=10_100)
    assert not game.is_over


def test_legal_moves_are_legal_and_complete():
    state = table(
        lay("9H / 10S / -", nerts="AC", waste="8S", stock="2C 3C 4C"), lay(nerts=""), foundations=("AS 2S@2",)
    )
    assert sorted(str(move) for move in legal_moves(state, 0)) == [
        "P1 1:9H>2",
        "P1 1:9H>3",
        "P1 2:10S>3",
        "P1 N:AC>3",
        "P1 N:AC>F",
        "P1 W:8S>1",
        "P1 W:8S>3",
        "P1 stuck",
        "P1 turn",
    ]
    assert "P2 nerts!" in [str(move) for move in legal_moves(state, 1)]
    assert encode(card("AC")) in {move.card for move in legal_moves(state, 0)}
