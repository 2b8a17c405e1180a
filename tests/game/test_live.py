"""A round with people at the table: flights, turns taken over, and going on from a record."""

from __future__ import annotations

import pytest

from scorer.cards import Card
from scorer.errors import IllegalMove
from scorer.game import record, series
from scorer.game.bots import BOTS, SHARK
from scorer.game.codes import encode
from scorer.game.live import FLIGHT_MS, LiveRound
from scorer.game.moves import Move
from scorer.game.places import Places
from scorer.game.record import Head
from scorer.game.state import Outcome
from scorer.scoring import Rules

ACES = "two aces"


def head(*kinds: str | None, seed: str = ACES, rules: str = "classic") -> Head:
    """A round; a seat without a kind of bot is a person's."""
    return series.seat_bots([kind or "shark" for kind in kinds], Rules.parse(rules), seed)


def people(count: int = 2, seed: str = ACES, rules: str = "classic") -> LiveRound:
    return LiveRound(head(*[None] * count, seed=seed, rules=rules), [None] * count)


def say(played: LiveRound, notation: str, at: int) -> None:
    move = Move.parse(notation)
    played.submit(move, move.seat, at)


def with_an_ace(seat: int = 0) -> tuple[LiveRound, Move]:
    """A round in which a seat can start a foundation at once."""
    for seed in range(200):
        played = people(seed=str(seed))
        for move in played.legal_moves(seat):
            if move.target >= 100:
                return played, move
    raise AssertionError("no deal with an open ace")


def test_bots_play_as_they_do_without_being_watched():
    start = head("shark", "family", "beginner")
    watched = LiveRound(start, [BOTS["shark"], BOTS["family"], BOTS["beginner"]])
    while not watched.is_over:
        watched.advance(watched.next_at or 0)
    assert watched.records == series.play(start).records


def test_changes_add_up_to_what_every_seat_sees():
    start = head("shark", "family", "shark", rules="racing_demon")
    watched = LiveRound(start, [BOTS["shark"], BOTS["family"], BOTS["shark"]])
    kept: list[Places] = [dict(watched.places(seat)) for seat in range(3)]
    records = []
    while not watched.is_over:
        watched.advance(watched.next_at or 0)
        for glimpse in watched.take_glimpses():
            records += [glimpse.record] if glimpse.record else []
            for seat, changed in enumerate(glimpse.changes):
                for place, cards in changed.items():
                    kept[seat][place] = tuple(cards)
    there = [{place: cards for place, cards in seen.items() if cards} for seen in kept]
    assert there == [
        {place: cards for place, cards in watched.places(seat).items() if cards} for seat in range(3)
    ]
    assert records == watched.records


def test_a_card_for_a_foundation_is_in_the_air_until_it_lands():
    played, ace = with_an_ace()
    card = played.places(0)
    say(played, str(ace), 1000)
    (lifted,) = played.take_glimpses()
    assert lifted.record is None
    assert len(lifted.changes[1]["P1.A"]) == 1
    assert lifted.air == {"P1": "F"}
    assert lifted.changes[0] == lifted.changes[1]
    played.advance(1000 + FLIGHT_MS - 1)
    assert played.take_glimpses() == []
    played.advance(1000 + FLIGHT_MS)
    (landed,) = played.take_glimpses()
    assert landed.record is not None
    assert landed.record.outcome is Outcome.DONE
    assert landed.changes[1]["P1.A"] == []
    assert landed.changes[1]["F1"] == lifted.changes[1]["P1.A"]
    assert played.places(0) != card


def test_of_two_cards_for_one_place_the_one_lifted_later_comes_back():
    played = people()
    for layout in played.state.layouts:
        layout.work[0][:], layout.work[1][:] = [encode(Card.parse("AS"))], [encode(Card.parse("2S"))]
    say(played, "P1 1:AS>F", 0)
    played.advance(500)
    say(played, "P1 2:2S>F1", 600)
    say(played, "P2 2:2S>F1", 650)
    played.take_glimpses()
    played.advance(1000)
    first, second = played.take_glimpses()
    assert first.record is not None and second.record is not None
    assert [first.record.outcome, second.record.outcome] == [Outcome.DONE, Outcome.BOUNCED]
    assert "lands first stays" in (second.record.reason or "")
    assert second.changes[0] == {"P2.A": [], "P2.2": ["P2:2S"]}


def test_one_hand_moves_one_card_at_a_time():
    played, ace = with_an_ace()
    say(played, str(ace), 1000)
    assert played.is_busy(0)
    with pytest.raises(IllegalMove, match="one card at a time"):
        say(played, "P1 turn", 1000 + FLIGHT_MS // 2)
    say(played, "P2 turn", 1000 + FLIGHT_MS // 2)
    played.advance(1000 + FLIGHT_MS)
    assert not played.is_busy(0)
    say(played, "P1 turn", 1000 + FLIGHT_MS)


def test_what_is_refused_changes_nothing():
    played = people()
    before = [played.places(seat) for seat in (0, 1)]
    for notation, because in (
        ("P1 nerts!", "cannot call"),
        ("P1 redeal", "no waste"),
        ("P1 W:4C>1", "empty"),
        ("P1 P2.N:4C>1", "only his own layout"),
    ):
        with pytest.raises(IllegalMove, match=because):
            say(played, notation, 100)
    with pytest.raises(IllegalMove, match="cannot move for"):
        played.submit(Move.parse("P2 turn"), 0, 100)
    assert [played.places(seat) for seat in (0, 1)] == before
    assert played.take_glimpses() == []
    assert played.records == []


def test_a_bot_takes_over_a_seat_and_a_person_takes_it_back():
    played = LiveRound(head("shark", None), [SHARK, None])
    played.advance(10_000)
    assert {one.move.seat for one in played.records} == {0}
    played.seat(1, SHARK, 10_000)
    played.advance(20_000)
    assert {one.move.seat for one in played.records} == {0, 1}
    played.seat(1, None, 20_000)
    count = sum(one.move.seat == 1 and one.lifted > 20_000 for one in played.records)
    played.advance(35_000)
    assert sum(one.move.seat == 1 and one.lifted > 20_000 for one in played.records) == count
    assert played.state.faults() == []


def test_a_card_in_the_air_comes_down_when_its_player_leaves():
    played, ace = with_an_ace()
    say(played, str(ace), 1000)
    played.seat(0, SHARK, 1050)
    played.advance(1000 + FLIGHT_MS)
    assert played.records[-1].move == ace
    assert played.records[-1].outcome is Outcome.DONE


def test_a_round_goes_on_from_its_records():
    start = head("shark", "shark", "family")
    whole = LiveRound(start, [SHARK, SHARK, BOTS["family"]])
    whole.advance(15_000)
    again = LiveRound(start, [SHARK, SHARK, BOTS["family"]], whole.records)
    assert again.state.snapshot() == whole.state.snapshot()
    assert [dict(again.places(0))[f"P1.{pile}"] for pile in range(1, 5)] == [
        dict(whole.places(0))[f"P1.{pile}"] for pile in range(1, 5)
    ]
    while not again.is_over:
        again.advance(again.next_at or 0)
    assert again.records[: len(whole.records)] == whole.records
    assert len(again.records) > len(whole.records) + 20
    assert [one.at for one in again.records] == sorted(one.at for one in again.records)
    parsed = record.parse("\n".join(record.lines(start, again.records, again.state)).encode())
    assert parsed.damage is None


def test_a_tag_comes_back_from_the_record():
    played = people()
    played.submit(Move.parse("P1 turn"), 0, 5, "page.7")
    (kept,) = played.records
    lines = list(record.lines(played.head, played.records, played.state))
    assert record.parse("\n".join(lines[:2]).encode()).game.records == (kept,)
    assert kept.tag == "page.7"


def test_nothing_is_due_where_only_people_can_act():
    played = people(rules="classic stall_seconds=30")
    assert played.next_at == 30_000
    assert people().next_at == 45 * 60 * 1000 + 1


def test_a_stall_is_called_by_itself():
    played = people(rules="classic stall_seconds=30")
    played.advance(59_999)
    (reset,) = played.records
    assert (str(reset.move), reset.at) == ("table stall", 30_000)
    played.advance(60_000)
    assert played.state.end == "stuck"
    assert played.is_over
