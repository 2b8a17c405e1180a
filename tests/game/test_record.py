from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.errors import RecordError, RulesError
from scorer.game import record
from scorer.game.drawing import draw, draw_end, draw_record
from scorer.game.record import Game, Head, Seat
from scorer.game.series import play, seat_bots
from scorer.game.table import Table
from scorer.scoring import PRESETS, Rules

VARIANTS = (
    "classic jokers=2 tie_window_ms=300",
    "racing_demon tie_window_ms=300 tie_rule=both_return jokers=2 joker_unfix=no",
    "classic work_piles=3 stuck_all=shuffle stall_seconds=20",
)


def played(
    rules: str = "classic", seed: str = "7", bots=("shark", "family", "beginner")
) -> tuple[Head, Table]:
    head = seat_bots(bots, Rules.parse(rules), seed)
    return head, play(head)


def written(head: Head, game: Table) -> list[str]:
    return list(record.lines(head, game.records, game.state))


def read(lines: list[str]) -> record.Recording:
    return record.parse("\n".join(lines).encode())


@pytest.fixture(scope="module")
def sound() -> list[str]:
    return written(*played())


@pytest.mark.parametrize("rules", [*PRESETS, *VARIANTS])
def test_replay_gives_the_same_state_to_the_last_card(rules):
    for seed in ("1", "2"):
        head, game = played(rules, seed)
        recording = read(written(head, game))
        assert recording.damage is None
        assert recording.game == Game(head, tuple(game.records))
        assert recording.state.snapshot() == game.state.snapshot()
        assert recording.game.replay().snapshot() == game.state.snapshot()


def test_file_round_trip(tmp_path):
    head, game = played()
    path = tmp_path / "round.jsonl"
    record.write(path, head, game.records, game.state)
    assert record.read(path).game == Game(head, tuple(game.records))


def test_lines_can_be_read_by_a_person(sound):
    head, second, last = (json.loads(sound[index]) for index in (0, 1, -1))
    assert head["nerts"] == 1
    assert [seat["deck"] for seat in head["seats"]] == ["red", "blue", "green"]
    assert second == {"at": 1267, "move": "P1 turn", "lifted": 829, "outcome": "done"}
    assert last["end"] == "called"
    assert len(last["foundation"]) == 3


def test_states_step_by_step(sound):
    game = read(sound).game
    steps = [(entry, state.landings) for entry, state in game.states()]
    assert steps[0] == (None, 0)
    assert len(steps) == len(game.records) + 1
    assert [landings for _, landings in steps] == sorted(landings for _, landings in steps)


def test_partners_and_people(tmp_path):
    seats = (Seat(("Ann", "Bob"), "red"), Seat(("Cleo", "Dan"), "sea blue"))
    head = Head("x", Rules(partnership="forced"), seats, (13, 11), 3, 1)
    state = head.deal()
    recording = read(list(record.lines(head, [], state)))
    assert recording.damage is None
    assert recording.game.head == head
    assert recording.game.head.players == ("Ann & Bob", "Cleo & Dan")
    assert draw_end(state, head).startswith("The round is not over.\nAnn & Bob: 0 out, 13 left, -26 points")


# Damage.


@pytest.mark.parametrize("kept", [1, 2, 50])
def test_record_that_breaks_off(sound, kept):
    recording = read(sound[:kept])
    assert recording.damage == f"The record breaks off after line {kept}: the line that ends it is missing."
    assert len(recording.game.records) == kept - 1


def damaged(lines: list[str], number: int, line: str) -> record.Recording:
    """Read the record with one line exchanged; lines are counted from 1."""
    recording = read([*lines[: number - 1], line, *lines[number:]])
    assert recording.damage is not None
    assert recording.damage.startswith(f"Line {number} is damaged, replayed up to line {number - 1}: ")
    assert recording.damage.endswith(".")
    assert len(recording.game.records) == number - 2
    assert recording.state.snapshot() == read(lines[: number - 1]).state.snapshot()
    return recording


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "is not a line of JSON|outcome"),
        ("{", "not a line of JSON"),
        ("[" * 100_000, "not a line of JSON"),
        ("[]", "must be a JSON object"),
        ("{}", "has no 'outcome'"),
        ('{"outcome": "lost"}', "the outcome is one of"),
        ('{"outcome": "done", "move": "P1 fly", "at": 1, "lifted": 1}', "is not a move"),
        ('{"outcome": "done", "move": 7, "at": 1, "lifted": 1}', "must be text"),
        ('{"outcome": "done", "move": "P1 turn", "at": "x", "lifted": 1}', "must be a whole number"),
        ('{"outcome": "done", "move": "P1 turn", "at": 1, "lifted": 1}', "Time does not run backwards"),
        ('{"outcome": "done", "move": "P1 nerts!", "at": 90000, "lifted": 90000}', "cannot call Nerts"),
        (
            '{"outcome": "bounced", "move": "P2 turn", "at": 90000, "lifted": 90000}',
            "fits, and did not bounce",
        ),
        ('{"outcome": "tied", "move": "P2 turn", "at": 90000, "lifted": 90000}', "is done, not tied"),
    ],
)
def test_damaged_line(sound, line, reason):
    if not line:
        # A lost line shows where the next one does not fit.
        recording = read([*sound[:40], *sound[41:]])
        assert recording.damage is not None
        return
    recording = damaged(sound, 60, line)
    assert any(part in (recording.damage or "") for part in reason.split("|"))


@pytest.mark.parametrize(("lifted", "at"), [(-9, -5), (8, 7), (0, 10**400), (0, 1000)])
@pytest.mark.parametrize("outcome", ["done", "bounced"])
def test_times_that_cannot_be(sound, lifted, at, outcome):
    line = {"outcome": outcome, "move": "P1 redeal", "lifted": lifted, "at": at}
    recording = damaged(sound, 60, json.dumps(line))
    assert any(part in (recording.damage or "") for part in ("is lifted after the deal", "run backwards"))


def test_lines_are_counted_as_an_editor_does(sound):
    recording = read([sound[0], "", " ", *sound[1:30], "", "{"])
    assert (recording.damage or "").startswith("Line 34 is damaged, replayed up to line 32: ")
    assert read([sound[0], "", *sound[1:30]]).damage == (
        "The record breaks off after line 31: the line that ends it is missing."
    )


def test_record_from_an_editor_of_windows(sound):
    recording = record.parse(b"\xef\xbb\xbf" + "\r\n".join(sound).encode())
    assert (recording.damage, recording.game) == (None, read(sound).game)


def test_long_damage_is_told_in_one_line(sound):
    line = {"outcome": "done", "lifted": 90000, "at": 90000}
    for move in ("x" * 5000, "P1 " + "x" * 5000):
        assert len(damaged(sound, 60, json.dumps(line | {"move": move})).damage or "") < 250


@pytest.mark.parametrize("field", ["move", "reason", "tag", "end"])
def test_half_of_a_character_is_no_text(sound, field):
    line = {"outcome": "bounced", "move": "P1 redeal", "lifted": 90000, "at": 90000, field: "\ud83c"}
    (damaged(sound, 60, json.dumps(line)).damage or "").encode()


def test_line_that_is_no_text(sound):
    recording = record.parse("\n".join(sound[:30]).encode() + b"\n\xff\xfe\n")
    assert recording.damage is not None
    assert recording.damage.startswith("Line 31 is damaged")


def test_end_that_does_not_agree(sound):
    end = json.loads(sound[-1])
    for name, value in {"moves": 1, "callers": [], "foundation": [1, 2, 3], "at": 0, "end": "stuck"}.items():
        recording = damaged(sound, len(sound), json.dumps(end | {name: value}))
        assert f"it says {name} is" in (recording.damage or "")
    del end["nerts_left"]
    damaged(sound, len(sound), json.dumps(end))


def test_lines_after_the_end(sound):
    recording = read([*sound, sound[1]])
    assert "there are lines after" in (recording.damage or "")
    assert len(recording.game.records) == len(sound) - 2


def test_newer_version(sound):
    head = json.loads(sound[0]) | {"nerts": 2}
    with pytest.raises(RecordError, match=r"version 2, newer than 1: update the software\."):
        read([json.dumps(head), *sound[1:]])


@pytest.mark.parametrize("version", [0, -3])
def test_version_that_never_was(sound, version):
    with pytest.raises(RecordError, match=f"there is no version {version} of records"):
        read([json.dumps(json.loads(sound[0]) | {"nerts": version}), *sound[1:]])


@pytest.mark.parametrize("line", ["", "{}", "[]", "x", '{"nerts": "one"}', '{"nerts": true}'])
def test_what_is_no_record(line, sound):
    with pytest.raises(RecordError, match=r"Line 1 is damaged: this is no record of a Nerts round"):
        read([line])


SEAT = {"players": ["Ann"], "deck": "red", "nerts": 13}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"seed": 7}, "'seed' of line 1 must be text"),
        ({"seed": "\ud83c"}, "'seed' of line 1 must be text"),
        ({"seats": [SEAT | {"players": ["\ud83c"]}]}, "must be text"),
        ({"seats": []}, "A table has 1 to 8 seats, not 0"),
        ({"seats": [SEAT] * 9}, "A table has 1 to 8 seats, not 9"),
        ({"seats": [SEAT, SEAT | {"players": ["Bob"]}]}, "the same deck, 'red'"),
        ({"seats": [SEAT, SEAT | {"deck": "blue"}]}, "the same player, 'Ann'"),
        ({"seats": [SEAT | {"players": []}]}, "Seat P1 needs the name"),
        ({"seats": [SEAT | {"players": ["A", "B", "C"]}]}, "Seat P1 needs the name"),
        ({"seats": [SEAT | {"players": [" "]}]}, "Seat P1 needs the name"),
        ({"seats": [SEAT | {"nerts": 99}]}, "A Nerts pile has 1 to 26 cards, not 99"),
        ({"seats": [SEAT | {"nerts": None}]}, "must be a whole number"),
        ({"seats": [3]}, "must be a JSON object"),
        ({"starter": "P9"}, "there is no seat P9"),
        ({"rules": {"speed": 3}}, "There is no rule named 'speed'"),
        ({"rules": {"turn": 0}}, "turn must be a whole number from 1 to 10"),
        ({"rules": None}, "must be a JSON object"),
    ],
)
def test_damaged_head(sound, change, reason):
    head = json.loads(sound[0]) | change
    with pytest.raises(RecordError, match=r"Line 1 is damaged: ") as caught:
        read([json.dumps(head), *sound[1:]])
    assert reason in str(caught.value)


def test_files_that_cannot_be_read(tmp_path, monkeypatch):
    with pytest.raises(RecordError, match=r"gone\.jsonl cannot be read: No such file"):
        record.read(tmp_path / "gone.jsonl")
    with pytest.raises(RecordError, match="cannot be read"):
        record.read(tmp_path)
    monkeypatch.setattr(record, "MAX_BYTES", 3)
    (tmp_path / "long.jsonl").write_text("long")
    with pytest.raises(RecordError, match="longer than any record"):
        record.read(tmp_path / "long.jsonl")


@settings(max_examples=60)
@given(data=st.data())
def test_any_damage_is_told_or_harmless(data, sound):
    """Bytes are overwritten anywhere: the record is refused, or replayed up to a line, or still sound."""
    text = bytearray("\n".join(sound).encode())
    place = data.draw(st.integers(0, len(text) - 1))
    text[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    try:
        recording = record.parse(bytes(text))
    except RecordError as error:
        assert str(error).startswith(("Line 1 is damaged", "This record is of version"))
        return
    assert recording.state.faults() == []
    assert recording.state.snapshot() == recording.game.replay().snapshot()


def test_forced_partners():
    rules = Rules(partnership="forced")
    seats = tuple(Seat((f"player {place}",), f"deck {place}") for place in range(6))
    with pytest.raises(RulesError, match="six or more players play in pairs"):
        Head("x", rules, seats, (13,) * 6)
    Head("x", rules, seats[:5], (13,) * 5)


def test_sizes_for_every_seat():
    with pytest.raises(RulesError, match="There are 1 seats, but 2 Nerts piles"):
        Head("x", Rules(), (Seat(("Ann",), "red"),), (13, 13))


def test_first_to_reach_the_target(sound):
    game = read(sound).game
    rules = Rules.parse("classic over_target=first target=100")
    game = Game(dataclasses.replace(game.head, rules=rules), game.records)
    scores = game.head.score(game.replay()).scores
    assert game.first_to_reach(dict.fromkeys(scores, 0)) is None
    for name, points in scores.items():
        # His last card, or the end of his Nerts pile, brings him to the target; the others are far from it.
        assert game.first_to_reach(dict.fromkeys(scores, -1000) | {name: 100 - points}) == name
    ahead = {"shark P1": 99, "family P2": 100 + 26 - 1, "beginner P3": 0}
    assert game.first_to_reach(ahead) == "family P2"


def test_drawing(sound):
    game = read(sound).game
    entry = game.records[0]
    assert draw_record(entry) == "   1.267  P1 turn"
    lost = entry._replace(outcome=record.Outcome.BOUNCED, reason="Foundation 1 needs 3C.")
    assert draw_record(lost) == "   1.267  P1 turn  bounced: Foundation 1 needs 3C."
    drawn = draw(read(sound).state, game.head.players)
    assert drawn.startswith("Foundations  1:")
    assert len(drawn.splitlines()) == 4
