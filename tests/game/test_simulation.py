from __future__ import annotations

import itertools
import math

import pytest

from scorer.errors import RulesError
from scorer.game import record
from scorer.game.series import chain, is_chained, play, seat_bots
from scorer.game.simulation import Estimate, Setup, figures, results
from scorer.scoring import Rules


def setup(bots=("shark", "family", "beginner"), rules="classic", **more) -> Setup:
    return Setup(tuple(bots), Rules.parse(rules), "t", **more)


def test_results_do_not_depend_on_the_workers():
    alone = list(results(setup(), 60, workers=1))
    assert alone == list(results(setup(), 60, workers=2))
    assert [result.number for result in alone] == list(range(1, 61))


def test_strength_differs_clearly():
    """A small tournament: the difference of the means is beyond both confidence intervals."""
    summary = figures(setup().bots, list(results(setup(), 150, workers=1)))
    shark, family, beginner = summary.bots
    assert [line.bot for line in summary.bots] == ["shark", "family", "beginner"]
    assert shark.score.mean - shark.score.margin > family.score.mean + family.score.margin + 5
    assert family.score.mean - family.score.margin > beginner.score.mean + beginner.score.margin + 5
    assert sum(line.wins.mean * line.seats for line in summary.bots) == pytest.approx(1)


def test_results_and_records_agree(tmp_path):
    plan = setup(record_dir=tmp_path)
    for result in results(plan, 5, workers=1):
        recording = record.read(tmp_path / f"round-{result.number:05}.jsonl")
        assert recording.damage is None
        assert len(recording.game.records) == result.moves
        scores = recording.game.head.score(recording.state).scores
        assert tuple(scores.values()) == result.scores
        assert recording.state.now == result.milliseconds


def test_estimate():
    estimate = Estimate.of([1.0, 2.0, 3.0, 4.0])
    assert estimate.mean == 2.5
    assert math.isclose(estimate.margin, 1.96 * math.sqrt(5 / 3) / 2)
    assert Estimate.of([3.0]) == Estimate(3.0, None)
    assert Estimate.of([3.0]).to_json() == {"mean": 3.0, "margin": None}


def test_seats_of_one_bot_are_one_sample():
    plan = setup(("shark", "shark", "family"))
    summary = figures(plan.bots, list(results(plan, 10, workers=1)))
    assert {(line.bot, line.seats) for line in summary.bots} == {("shark", 2), ("family", 1)}
    assert summary.rounds == 10


@pytest.mark.parametrize(
    ("plan", "rounds", "reason"),
    [
        (setup(), 0, "At least one round"),
        (setup(("ghost",)), 1, "no bot named"),
        (setup(["shark"] * 9), 1, "1 to 8 seats"),
        (setup([]), 1, "1 to 8 seats"),
        (setup(extra=(-1,)), 1, "cannot be negative"),
        (setup(extra=(1, 1, 1, 1)), 1, "handicaps for 4"),
        (setup(extra=(14,)), 1, "1 to 26 cards"),
    ],
)
def test_what_cannot_be_simulated(plan, rounds, reason):
    with pytest.raises(RulesError, match=reason):
        results(plan, rounds)


def test_handicap_cards():
    head = setup(extra=(2,)).head(1)
    assert head.nerts_sizes == (15, 13, 13)


# Series.


def test_nerts_piles_follow_the_rounds_before():
    rules = Rules.parse("classic nerts_handicap=yes target=1000")
    assert is_chained(rules)
    head = seat_bots(("shark", "beginner"), rules, "s")
    played = list(chain(head, 6))
    assert [table.state.seed for _, table in played] == [f"s/{number}" for number in range(1, 7)]
    for (before, table), (after, _) in itertools.pairwise(played):
        scores = before.score(table.state)
        for seat, name in enumerate(before.players):
            change = after.nerts_sizes[seat] - before.nerts_sizes[seat]
            if name in scores.winners:
                assert change == 1
            else:
                assert change == (-1 if (scores.scores[name] or 0) <= 0 else 0)


def test_series_begins_afresh_after_a_match():
    rules = Rules.parse("classic nerts_handicap=yes target=1")
    sizes = [head.nerts_sizes for head, _ in chain(seat_bots(("shark", "shark"), rules, "s"), 4)]
    assert sizes == [(13, 13)] * 4


def test_matches_end_for_the_first_at_the_target():
    rules = Rules.parse("classic nerts_handicap=yes over_target=first target=1")
    sizes = [head.nerts_sizes for head, _ in chain(seat_bots(("shark", "shark"), rules, "s"), 4)]
    assert sizes == [(13, 13)] * 4


def test_decks_move_to_the_left():
    rules = Rules.parse("classic pass_decks=move_left")
    played = list(chain(seat_bots(("shark", "family", "beginner"), rules, "s"), 4))
    decks = [head.decks for head, _ in played]
    assert decks[0] == ("red", "blue", "green")
    assert sorted(set(decks)) == [
        ("blue", "green", "red"),
        ("green", "red", "blue"),
        ("red", "blue", "green"),
    ]
    head, table = played[1]
    assert {deck.back: deck.player for deck in head.tally(table.state).decks} == dict(
        zip(head.decks, head.players, strict=True)
    )


@pytest.mark.parametrize("starter", ["rotates", "last_place"])
def test_somebody_says_go(starter):
    rules = Rules.parse(f"classic starter={starter} target=1000")
    starters = [head.starter for head, _ in chain(seat_bots(("shark", "beginner"), rules, "s"), 4)]
    assert starters == ([0, 1, 0, 1] if starter == "rotates" else [None, 1, 1, 1])


def test_chained_series_are_simulated_in_order():
    plan = setup(rules="classic nerts_handicap=yes")
    played = list(results(plan, 30))
    assert [result.number for result in played] == list(range(1, 31))
    assert played == list(results(plan, 30, workers=1))


def test_one_round():
    assert play(seat_bots(("shark",) * 4, Rules(), "one")).is_over
