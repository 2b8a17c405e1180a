from __future__ import annotations

import json
import os
import pty
import threading

import pytest
from click.testing import CliRunner

from scorer.cli import main
from scorer.game import record
from scorer.game.record import Game
from scorer.game.series import play, seat_bots
from scorer.replay_screen import ReplayScreen
from scorer.scoring import Rules


def run(*arguments: str):
    return CliRunner().invoke(main, arguments)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    head = seat_bots(("shark", "family"), Rules(), "8")
    game = play(head)
    path = tmp_path_factory.mktemp("records") / "round.jsonl"
    record.write(path, head, game.records, game.state)
    return path


# Simulate.


def test_simulate_prints_a_table():
    result = run("simulate", "--players", "4", "--bots", "shark,family", "--rounds", "10", "--workers", "1")
    assert result.exit_code == 0, result.output
    assert "10 rounds, rules classic, seed 1" in result.output
    assert "shark × 2" in result.output
    assert "moves a second" in result.output


def test_simulate_prints_json_and_writes_records(tmp_path):
    folder = tmp_path / "new" / "records"
    result = run("simulate", "--bots", "shark,beginner", "--rounds", "3", "--seed", "x", "--rules", "quick turn=1",
                 "--handicap", "2", "--record", str(folder), "--json", "--workers", "1")  # fmt: skip
    assert result.exit_code == 0, result.output
    figures = json.loads(result.output)
    assert figures["seats"] == ["shark", "beginner"]
    assert figures["rules"] == "quick turn=1"
    assert sum(figures["ends"].values()) == figures["rounds"] == 3
    assert figures["bots"][0].keys() == {"bot", "seats", "score", "wins", "calls", "out", "left"}
    assert len(list(folder.iterdir())) == 3
    assert record.read(folder / "round-00001.jsonl").game.head.nerts_sizes == (12, 10)


def test_one_round_has_no_confidence_interval():
    one = run("simulate", "--rounds", "1", "--workers", "1")
    assert one.exit_code == 0
    line = next(line for line in one.output.splitlines() if "shark" in line)
    assert "%" in line and "±" not in line


def test_same_seed_same_figures():
    arguments = ("--bots", "shark,family", "--rounds", "5", "--json", "--workers", "1")
    one, other = (json.loads(run("simulate", *arguments).output) for _ in range(2))
    assert one["bots"] == other["bots"]
    assert one["moves"] == other["moves"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--rules", "fantasy"), "There is no preset named 'fantasy'; known are classic"),
        (("--rules", "classic turn=99"), "turn must be a whole number from 1 to 10"),
        (("--players", "9"), "A table has 1 to 8 seats, not 9."),
        (("--players", "0"), "A table has 1 to 8 seats, not 0."),
        (("--bots", "shark," * 9), "A table has 1 to 8 seats, not 9."),
        (("--bots", "whale"), "There is no bot named 'whale'; known are beginner, family, shark."),
        (("--bots", " , "), "Name at least one bot"),
        (("--players", "1", "--bots", "shark,family"), "There are 2 bots for 1 seat: name fewer."),
        (("--handicap", "-1"), "cannot be negative"),
        (("--handicap", "99"), "A Nerts pile has 1 to 26 cards, not 112."),
        (("--handicap", "one"), "'one' is no handicap"),
        (("--seed", "\udcff"), "is no text: give another seed."),
        (("--rounds", "0"), "At least one round has to be played, not 0."),
        (("--rounds", "many"), "is not a valid integer"),
    ],
)
def test_simulate_refuses(arguments, sentence):
    result = run("simulate", *arguments)
    assert result.exit_code == 2
    assert sentence in result.output
    assert "Traceback" not in result.output


def test_simulate_refuses_a_folder_that_cannot_be(file):
    result = run("simulate", "--record", str(file / "below"))
    assert result.exit_code == 2
    assert "cannot be used: Not a directory." in result.output


def test_simulate_does_not_write_over_the_records_of_an_earlier_run(tmp_path):
    options = ("simulate", "--rounds", "2", "--workers", "1", "--record", str(tmp_path))
    assert run(*options, "--seed", "x").exit_code == 0
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    again = run(*options, "--seed", "y")
    assert again.exit_code == 2 and "name another folder" in again.output
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


# Replay.


def test_replay_prints_the_round(file):
    result = run("replay", str(file))
    assert result.exit_code == 0, result.output
    assert "P1 shark P1   N " in result.output
    assert "P1 turn" in result.output
    assert "called Nerts." in result.output
    assert "♥" in result.output


def test_replay_prints_every_state(file):
    moves = len(record.read(file).game.records)
    result = run("replay", str(file), "--states")
    assert result.output.count("Foundations") == moves + 1


def test_replay_where_suits_cannot_be_printed(file):
    result = CliRunner(charset="latin-1").invoke(main, ["replay", str(file)])
    assert result.exit_code == 0
    assert "\\u2665" in result.output


def test_replay_prints_json(file):
    result = run("replay", str(file), "--json")
    round_ = json.loads(result.output)
    assert round_["head"]["seed"] == "8"
    assert round_["damage"] is None
    assert set(round_["scores"]) == {"shark P1", "family P2"}
    assert all(pile.startswith("A") for pile in round_["piles"])
    assert len(round_["records"]) == len(record.read(file).game.records)


def test_replay_of_a_damaged_record(file, tmp_path):
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(file.read_bytes()[:3000])
    for arguments in ((), ("--json",)):
        result = run("replay", str(broken), *arguments)
        assert result.exit_code == 2
        assert "is damaged, replayed up to line" in result.output
    assert "The round is not over." in run("replay", str(broken)).output


@pytest.mark.parametrize("content", [b"", b"\x00\xff", b"{}", b'{"nerts": 99}'])
def test_replay_refuses(tmp_path, content):
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    result = run("replay", str(path))
    assert result.exit_code == 2
    assert "Line 1 is damaged" in result.output or "update the software" in result.output
    assert run("replay", str(tmp_path / "gone")).exit_code == 2


# The screen.


@pytest.fixture
def screen(file) -> ReplayScreen:
    return ReplayScreen(record.read(file).game)


RIGHT, LEFT, UP, DOWN = "\x1b[C", "\x1b[D", "\x1b[A", "\x1b[B"


def test_arrows_step(screen):
    for key in (RIGHT, RIGHT, LEFT, UP, DOWN, UP):
        assert screen.press(key)
    assert screen.step == 11
    assert screen.text().startswith(f"11/{screen.last}  paused, speed 1\n")
    for key in (LEFT, DOWN, DOWN):
        screen.press(key)
    assert screen.step == 0
    assert "The deal." in screen.text()


def test_first_and_last(screen):
    screen.press("G")
    assert screen.step == screen.last
    assert "called Nerts." in screen.text()
    screen.press(RIGHT)
    assert screen.step == screen.last
    screen.press("g")
    assert screen.step == 0


def test_space_plays_and_pauses(screen):
    assert screen.wait() is None
    screen.press(" ")
    first = screen.game.records[0].at / 1000
    assert screen.wait() == pytest.approx(min(first, 3.0))
    screen.press("+")
    assert screen.wait() == pytest.approx(min(first / 2, 3.0))
    screen.tick()
    assert (screen.step, screen.is_playing) == (1, True)
    screen.press(" ")
    assert not screen.is_playing


def test_bounce_that_is_late_in_the_record_does_not_turn_the_clock_back(screen):
    first, *rest = screen.game.records
    screen.game = Game(screen.game.head, (first._replace(at=rest[-1].at), *rest))
    screen.press(RIGHT)
    screen.press(" ")
    assert screen.wait() == 0


def test_playing_stops_at_the_end(screen):
    screen.press("G")
    screen.press(LEFT)
    screen.press(" ")
    screen.tick()
    assert not screen.is_playing
    screen.press(" ")
    assert screen.wait() is None


def test_speed_has_limits(screen):
    for _ in range(20):
        screen.press("+")
    assert screen.speed == 100
    for _ in range(30):
        screen.press("-")
    assert screen.speed == 0.1


def test_screen_on_a_terminal(screen, monkeypatch, capsys):
    keyboard, terminal = pty.openpty()
    with os.fdopen(terminal) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        os.write(keyboard, (RIGHT + RIGHT + "+" * 7 + " ").encode())
        screen.game = Game(screen.game.head, screen.game.records[:4])
        typist = threading.Timer(1.0, os.write, (keyboard, b"q"))
        typist.start()
        screen.run()
        typist.join()
    os.close(keyboard)
    shown = capsys.readouterr().out
    assert "0/4  paused" in shown
    assert "2/4  playing, speed 100" in shown
    assert "4/4  paused, speed 100" in shown


def test_keys_that_mean_nothing_and_keys_that_end(screen):
    assert screen.press("x")
    assert screen.step == 0
    assert not screen.press("q")
    assert not screen.press("\x03")
