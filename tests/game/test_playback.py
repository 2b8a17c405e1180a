"""A record as the player of replays shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from scorer.game import record, series
from scorer.game.places import Places, seen_afterwards
from scorer.game.playback import deck_number, frames, replay_json
from scorer.game.record import Game, Recording
from scorer.scoring import PRESETS, Rules


def recorded(*kinds: str, rules: str = "classic", seed: str = "5") -> Recording:
    start = series.seat_bots(kinds, Rules.parse(rules), seed)
    table = series.play(start)
    return record.parse("\n".join(record.lines(start, table.records, table.state)).encode())


@pytest.mark.parametrize("rules", [*PRESETS, "classic jokers=2", "classic tie_window_ms=400 hands=2"])
def test_the_frames_add_up_to_the_end_of_the_round(rules):
    recording = recorded("shark", "family", "beginner", rules=rules)
    shown: Places = {}
    times, outcomes = [], []
    for frame, state in frames(recording.game):
        times.append(frame.at)
        outcomes += [frame.record] if frame.record else []
        shown |= {place: tuple(cards) for place, cards in frame.change.items()}
        if frame.record is not None:
            flying = {place for place, cards in shown.items() if place.endswith(".A") and cards}
            lying = {place: cards for place, cards in shown.items() if cards}
            if not flying:
                there = seen_afterwards(state, [None] * 3)
                assert lying == {place: cards for place, cards in there.items() if cards}
    assert times == sorted(times)
    assert tuple(outcomes) == recording.game.records
    assert not any(cards for place, cards in shown.items() if place.endswith(".A"))


def test_every_card_is_in_every_moment_once():
    recording = recorded("shark", "shark")
    shown: Places = {}
    for frame, _state in frames(recording.game):
        shown |= {place: tuple(cards) for place, cards in frame.change.items()}
        cards = [card for lying in shown.values() for card in lying]
        assert len(cards) == len({*cards}) == 104


def test_the_running_score_ends_at_the_score_of_the_round():
    recording = recorded("shark", "family", "beginner", rules="racing_demon")
    shown = replay_json(recording)
    scores = recording.game.head.score(recording.state).scores
    assert shown["scores"][0] == [0, -13, -13, -13]
    assert shown["scores"][-1][1:] == [scores[name] for name in recording.game.head.players]
    assert shown["length"] == recording.game.records[-1].at
    assert shown["end"] == recording.state.end


def test_the_first_to_empty_his_pile_is_found():
    recording = recorded("shark", "shark", "shark")
    assert recording.state.end == "called"
    shown = replay_json(recording)
    by_hand = next(
        entry.at
        for entry, state in recording.game.states()
        if entry is not None and any(not layout.nerts for layout in state.layouts)
    )
    assert shown["first_empty"] == by_hand


def test_a_round_nobody_has_played_yet_can_be_shown():
    start = series.seat_bots(["shark", "shark"], Rules(), "1")
    game = Game(start, ())
    shown = replay_json(Recording(game, game.replay()))
    assert len(shown["frames"]) == 1
    assert (shown["length"], shown["first_empty"], shown["end"]) == (0, None, None)


def test_a_damaged_record_is_shown_up_to_the_damage():
    recording = recorded("shark", "shark")
    raw = list(record.lines(recording.game.head, recording.game.records, recording.state))
    shown = replay_json(record.parse("\n".join([*raw[:40], "{}", *raw[41:]]).encode()))
    assert "Line 41 is damaged" in shown["damage"]
    assert sum(frame["record"] is not None for frame in shown["frames"]) == 39


def test_seats_name_player_bot_and_back():
    shown = replay_json(recorded("shark", "family"))
    assert shown["seats"] == [
        {"seat": "P1", "name": "shark P1", "bot": "shark", "deck": 0},
        {"seat": "P2", "name": "family P2", "bot": "family", "deck": 1},
    ]


def test_a_deck_of_any_name_has_a_back():
    assert deck_number("blue") == 1
    assert 0 <= deck_number("grandma's") < 8


def test_records_of_a_file(tmp_path: Path):
    recording = recorded("shark", "shark")
    record.write(tmp_path / "r.jsonl", recording.game.head, recording.game.records, recording.state)
    assert replay_json(record.read(tmp_path / "r.jsonl")) == replay_json(recording)
