"""The command line, with a reader that says what the test wants."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result
from PIL import Image

from scorer import staging, vision
from scorer.cli import COMMANDS, main
from scorer.errors import ModelError, PhotoError
from scorer.piles import Fault, Faults
from scorer.reading import Pairing, PhotoReading, Reading, SeenCard, SeenPile
from scorer.scoring import Rules, Tally
from scorer.staging import PlayedRound, StagedRound
from scorer.vision import teaching
from scorer.vision.decks import DeckBook, load_decks, save_decks
from tests.builders import piles

Run = Callable[..., Result]
GOOD = ("AH@red 2H@blue 3H@red", "AS@blue 2S@blue")
QUAD = ((10.0, 10.0), (40.0, 10.0), (40.0, 50.0), (10.0, 50.0))


class FakeReader:
    """Stands in for `scorer.vision`: gives the reading it was told to, and remembers what it was asked."""

    def __init__(self) -> None:
        self.piles: tuple[str, ...] = GOOD
        self.photo = PhotoReading(
            "a.jpg", 100, 80, 0.5, (SeenCard(None, "red", quad=QUAD),), (SeenPile((0,)),)
        )
        self.faults: tuple[Fault, ...] = ()
        self.pairing: tuple[Pairing, ...] = ()
        self.error: Exception | None = None
        self.seconds = 0.0
        self.asked: dict[str, Any] = {}
        self.taught: list[tuple[str, Path]] = []

    def read(self, photos: Sequence[Path], **asked: Any) -> Reading:
        self.asked = asked | {"photos": list(photos)}
        if self.error is not None:
            raise self.error
        time.sleep(self.seconds)
        seen = tuple(replace(self.photo, file=Path(path).name) for path in photos)
        return Reading(seen, tuple(piles(*self.piles)), self.faults, self.pairing)

    def teach(self, book: DeckBook, name: str, photo: Path) -> DeckBook:
        if self.error is not None:
            raise self.error
        self.taught.append((name, photo))
        return replace(book, decks={**book.decks, name: (1.0, 0.0)})


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> FakeReader:
    fake = FakeReader()
    monkeypatch.setattr(vision, "read", fake.read)
    monkeypatch.setattr(teaching, "teach", fake.teach)
    return fake


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: FakeReader) -> Run:
    """Run nerts in an empty folder with a photo `a.jpg` and no known decks."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "120")
    Image.fromarray(np.full((80, 100, 3), 90, np.uint8)).save("a.jpg")

    def run(*arguments: str) -> Result:
        result = CliRunner().invoke(main, arguments)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


def known(tmp_path: Path, *names: str) -> None:
    save_decks(DeckBook({name: (1.0, 0.0) for name in names}), tmp_path / "data" / "nerts" / "decks")


def refused(result: Result) -> str:
    """The one sentence of a refusal."""
    assert result.exit_code == 2
    assert result.stdout == ""
    sentence = result.stderr.strip().splitlines()[-1]
    assert sentence.startswith("Error: ") and sentence.endswith(".")
    assert "Traceback" not in result.stderr
    return sentence


# Score.


def test_score_of_a_round(run: Run) -> None:
    result = run("score", "a.jpg", "--players", "red,blue", "--nerts", "red=4", "--nerts", "blue=0")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert any("A♥a" in line and "2♥b" in line and "3♥a" in line for line in lines)
    assert any(line.split() == ["a", "red", "red", "2", "4", "-6"] for line in lines)
    assert any(line.split() == ["b", "blue", "blue", "(called)", "3", "0", "3"] for line in lines)


def test_score_as_json_has_the_agreed_form(run: Run) -> None:
    result = run("score", "a.jpg", "--players", "red,blue", "--nerts", "red=4", "--json")
    data = json.loads(result.stdout)
    assert result.exit_code == 0
    assert data["scored"] is True
    assert data["tally"] == [
        {"back": "red", "player": "red", "foundation": 2, "nerts_left": 4, "score": -6},
        {"back": "blue", "player": "blue", "foundation": 3, "nerts_left": None, "score": None},
    ]
    assert [pile["suit"] for pile in data["piles"]] == ["H", "S"]
    assert data["piles"][1]["cards"][0] == {"face": "AS", "back": "blue", "marked": False}
    assert data["faults"] == []


def test_doubt_withholds_the_score_and_says_what_to_look_at(run: Run, reader: FakeReader) -> None:
    reader.piles = ("AH@red 2H@blue 4H@red",)
    result = run("score", "a.jpg", "--players", "red,blue", "--nerts", "red=0", "--nerts", "blue=0")
    assert result.exit_code == 3
    assert "Pile 1: The 3♥ is missing between 2♥ and 4♥" in result.stdout
    assert "Not scored:" in result.stdout
    data = json.loads(run("score", "a.jpg", "--json").stdout)
    assert (data["scored"], data["faults"][0]["name"], data["piles"][0]["faults"]) == (False, "GAP", ["GAP"])


def test_what_is_to_be_looked_at_is_said_once_for_each_pile(run: Run, reader: FakeReader) -> None:
    reader.faults = tuple(
        Fault.make(Faults.WEAK, pile=pile, position=n) for pile, n in ((0, 0), (0, 1), (0, 2), (1, 0))
    )
    lines = run("score", "a.jpg").stdout.splitlines()
    assert [line[:9] for line in lines if "otherwise: compare it" in line] == ["? Pile 1:", "? Pile 2:"]


def test_photo_that_cannot_be_used_is_named(run: Run, reader: FakeReader) -> None:
    reader.photo = replace(reader.photo, faults=(Fault.make(Faults.TOO_SMALL, found=7, needed=12),))
    result = run("score", "a.jpg")
    assert result.exit_code == 3
    assert (
        "a.jpg: The cards are too small to read: an index is 7 pixels high and 12 are needed" in result.stdout
    )


def test_more_backs_than_players_is_one_sentence(run: Run, reader: FakeReader) -> None:
    reader.piles = ("AH@deck-1 2H@deck-2 3H@deck-3",)
    result = run("score", "a.jpg", "--players", "Ann,Bob")
    assert result.exit_code == 3
    assert "3 different backs were found for 2 decks" in result.stdout


def test_players_without_a_known_deck_are_told_how_to_teach_it(run: Run, reader: FakeReader) -> None:
    reader.piles = ("AH@deck-1 2H@deck-2",)
    result = run("score", "a.jpg", "--players", "Ann,Bob", "--nerts", "Ann=0")
    assert result.exit_code == 0
    assert "nerts decks add Ann PHOTO" in result.stdout


def test_known_decks_reach_the_reader_and_the_count(run: Run, reader: FakeReader, tmp_path: Path) -> None:
    known(tmp_path, "red", "Cleo", "Zoe")
    result = run(
        "score", "a.jpg", "--players", "red,Cleo", "--nerts", "Cleo=13", "--json", "--rules", "nna_singles"
    )
    assert set(reader.asked["decks"].decks) == {"red", "Cleo", "Zoe"}
    assert reader.asked["rules"].caller_bonus == 10
    backs = {deck["back"]: deck["score"] for deck in json.loads(result.stdout)["tally"]}
    # Cleo has no card out; Zoe does not play.
    assert backs == {"red": None, "Cleo": -26, "blue": None}


def test_decks_of_another_folder(run: Run, reader: FakeReader, tmp_path: Path) -> None:
    save_decks(DeckBook({"green": (1.0,)}), tmp_path / "elsewhere")
    run("score", "a.jpg", "--decks", "elsewhere")
    assert list(reader.asked["decks"].decks) == ["green"]


def test_rules_change_the_score(run: Run) -> None:
    result = run(
        "score", "a.jpg", "--nerts", "red=0", "--nerts", "blue=1", "--called", "red",
        "--rules", "classic nerts_penalty=1 caller_bonus=5", "--json",
    )  # fmt: skip
    assert [deck["score"] for deck in json.loads(result.stdout)["tally"]] == [7, 2]


def test_annotated_photos_are_written(run: Run, reader: FakeReader, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    shutil.copy("a.jpg", "other/a.jpg")
    reader.pairing = (Pairing(1, back_photo=0, back_pile=0),)
    run("score", "a.jpg", "other/a.jpg", "--out", "new/pictures")
    written = sorted((tmp_path / "new" / "pictures").iterdir())
    assert [path.name for path in written] == ["a-2-annotated.jpg", "a-annotated.jpg"]
    assert not np.array_equal(np.array(Image.open(written[1])), np.array(Image.open("a.jpg")))


def test_out_that_is_a_file_is_refused(run: Run) -> None:
    assert "a.jpg" in refused(run("score", "a.jpg", "--out", "a.jpg/b"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("--nerts", "Zoe=3", "--players", "Ann,Bob"),
            "'Zoe' is no player of this round: known are Ann, Bob.",
        ),
        (("--nerts", "Zoe=3"), "'Zoe' is no player of this round: known are red, blue."),
        (("--called", "Zoe"), "'Zoe' is no player of this round"),
        (("--players", "Ann,Ann"), "no two may have the same"),
        (("--players", "Ann,,Bob"), "Each player needs a name"),
        (("--players", "A,B,C,D,E,F,G,H,I"), "At most 8 can play"),
        (("--nerts", "Ann"), "write it like Ann=4"),
        (("--nerts", "Ann=-1"), "write it like Ann=4"),
        (("--nerts", "Ann=1", "--nerts", "Ann=2"), "named twice"),
        (("--rules", "nonsense"), "nonsense"),
        (("--rules", "classic target=x"), "target"),
    ],
)
def test_bad_options_are_refused_in_one_sentence(run: Run, arguments: tuple[str, ...], said: str) -> None:
    assert said in refused(run("score", "a.jpg", *arguments))


def test_misspelt_player_is_refused_before_time_is_spent_on_photos(run: Run, reader: FakeReader) -> None:
    refused(run("score", "a.jpg", "--players", "Ann,Bob", "--nerts", "An=0"))
    assert reader.asked == {}


@pytest.mark.parametrize(
    "error", [PhotoError("a.jpg is damaged: take it again."), ModelError("The model is missing: install.")]
)
@pytest.mark.parametrize("command", ["score", "read"])
def test_what_cannot_be_read_is_one_sentence(
    run: Run, reader: FakeReader, error: Exception, command: str
) -> None:
    reader.error = error
    assert refused(run(command, "a.jpg")) == f"Error: {error}"


@pytest.mark.parametrize("command", ["score", "read", "bench"])
def test_at_least_one_photo_is_needed(run: Run, command: str) -> None:
    assert "PHOTO" in refused(run(command))


# Read.


def test_read_prints_what_each_photo_shows(run: Run, reader: FakeReader) -> None:
    reader.photo = replace(reader.photo, faults=(Fault.make(Faults.CUT_OFF),))
    result = run("read", "a.jpg")
    assert result.exit_code == 0
    assert "a.jpg (100 × 80, 0.50 s): 0 faces, 1 backs" in result.stdout
    assert "A pile runs out of the picture" in result.stdout
    assert "Decks: a red, b blue" in result.stdout


def test_read_as_json_is_a_reading_with_the_files_as_they_were_named(run: Run, tmp_path: Path) -> None:
    path = str(tmp_path / "a.jpg")
    data = json.loads(run("read", path, "--json").stdout)
    assert data["photos"][0]["file"] == path
    assert set(data["photos"][0]) == {"file", "width", "height", "seconds", "cards", "piles", "faults"}
    assert data["photos"][0]["cards"][0] == {
        "face": None, "back": "red", "confidence": 1.0, "marked": False, "candidates": [],
        "quad": [[10.0, 10.0], [40.0, 10.0], [40.0, 50.0], [10.0, 50.0]], "corners": [],
    }  # fmt: skip
    assert len(Reading.from_json(data).piles) == 2


def test_of_an_animation_the_first_picture_is_read_and_that_is_said(run: Run) -> None:
    pictures = [Image.new("RGB", (20, 10), colour) for colour in ("red", "blue")]
    pictures[0].save("a.gif", save_all=True, append_images=pictures[1:])
    result = run("read", "a.gif", "--json")
    assert result.stderr == "a.gif holds several pictures: the first one was read.\n"
    assert json.loads(result.stdout)["photos"]


# Decks.


def test_decks_are_added_listed_and_removed(run: Run, reader: FakeReader, tmp_path: Path) -> None:
    assert "No decks are known" in run("decks", "list").stdout
    assert run("decks", "add", "Ann", "a.jpg").stdout == "The deck 'Ann' is known now.\n"
    assert "learned anew" in run("decks", "add", "Ann", "a.jpg").stdout
    run("decks", "add", "Bob & Zoë", "a.jpg")
    assert reader.taught == [("Ann", Path("a.jpg")), ("Ann", Path("a.jpg")), ("Bob & Zoë", Path("a.jpg"))]
    assert run("decks", "list").stdout.splitlines() == ["Ann", "Bob & Zoë"]
    assert json.loads(run("decks", "list", "--json").stdout) == ["Ann", "Bob & Zoë"]
    assert run("decks", "remove", "Ann").exit_code == 0
    assert list(load_decks(tmp_path / "data" / "nerts" / "decks").decks) == ["Bob & Zoë"]


@pytest.mark.parametrize("name", ["", " ", "deck-1", "a\nb", "x" * 41, "Ann,Bob", "A=1"])
def test_names_no_deck_can_have_are_refused(run: Run, name: str) -> None:
    assert "choose another" in refused(run("decks", "add", name, "a.jpg"))


def test_removing_an_unknown_deck_names_the_known_ones(run: Run, tmp_path: Path) -> None:
    known(tmp_path, "red")
    assert "There is no deck named 'blue': known are red." in refused(run("decks", "remove", "blue"))


def test_photo_without_a_back_teaches_nothing(run: Run, reader: FakeReader, tmp_path: Path) -> None:
    reader.error = PhotoError("No back was found in a.jpg: photograph one closer.")
    assert "No back was found" in refused(run("decks", "add", "Ann", "a.jpg"))
    assert not (tmp_path / "data").exists()


# Evaluate, bench.


def labelled(folder: Path, faces: str) -> Path:
    folder.mkdir()
    Image.new("RGB", (50, 40)).save(folder / "b.jpg")
    line = {"file": "b.jpg", "kind": "single", "faces": faces.split()}
    (folder / "truth.jsonl").write_text(json.dumps(line))
    return folder


def test_evaluate_prints_figures_and_writes_rows(run: Run, reader: FakeReader, tmp_path: Path) -> None:
    labelled(tmp_path / "set", "AH 2H")
    cards = (SeenCard(piles("AH")[0].cards[0].face),)
    reader.photo = PhotoReading("b.jpg", 50, 40, 0.1, cards)
    result = run("evaluate", "set", "--csv", "rows.csv")
    assert result.exit_code == 0
    row = next(
        line for line in result.stdout.splitlines() if line.startswith(" all") or line.startswith("all")
    )
    assert row.split()[:7] == ["all", "1", "2", "100.00", "%", "50.00", "%"]
    assert (tmp_path / "rows.csv").read_text().count("\n") == 2
    assert json.loads(run("evaluate", "set", "--json").stdout)["all"]["recall"] == 0.5


def test_evaluate_needs_truth(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "holds no photos with truth" in refused(run("evaluate", "empty"))
    assert "nowhere" in refused(run("evaluate", "nowhere"))


def test_bench_compares_with_decoding(run: Run, reader: FakeReader) -> None:
    reader.seconds = 0.05
    (timing,) = json.loads(run("bench", "a.jpg", "--repeat", "2", "--no-cold", "--json").stdout)
    assert timing["cards"] == 1 and timing["cold_start"] is None
    assert timing["warm"] >= 0.05 and timing["first"] >= 0.05
    assert timing["ratio"] == pytest.approx(timing["warm"] / timing["decode"], rel=0.2)
    assert timing["memory"] > 20
    assert "× decode" in run("bench", "a.jpg", "--repeat", "1", "--no-cold").stdout


# Rendered rounds, training.

TABLE = piles("AH@red 2H@blue")
PLAYED = PlayedRound("round-0001", tuple(TABLE), Tally.parse("red=1/0! blue=1/2"), Rules())


def staged(played: PlayedRound) -> StagedRound:
    """Photos that nobody decodes, and their truth: two cards side by side."""
    photos = []
    for side in ("faces", "backs"):
        cards = tuple(
            SeenCard(
                card.face if side == "faces" else None,
                card.back if side == "backs" else None,
                corners=((50.0 * x, 9.0),),
            )
            for x, card in enumerate(TABLE[0])
        )
        photos.append(PhotoReading(f"{played.name}-{side}.jpg", 100, 80, 0.5, cards))
    picture = Path("a.jpg").read_bytes()
    return StagedRound(played, (picture, picture), Reading(tuple(photos), tuple(TABLE)))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Rounds that take no time to play and to render; what was asked for."""
    asked: dict[str, Any] = {}

    def play(rounds: int, seed: str, players: int, rules: Rules) -> Iterator[PlayedRound]:
        asked.update(rounds=rounds, seed=seed, players=players, rules=str(rules))
        return (replace(PLAYED, name=f"round-{number:04}") for number in range(1, rounds + 1))

    def stage(played: PlayedRound, seed: str, **options: Any) -> StagedRound:
        asked.update(options)
        return staged(played)

    monkeypatch.setattr(staging, "play_rounds", play)
    monkeypatch.setattr(staging, "stage", stage)
    return asked


def test_render_writes_photos_and_truth(run: Run, asked: dict[str, Any], tmp_path: Path) -> None:
    result = run(
        "render", "--out", "new", "--rounds", "2", "--players", "3", "--megapixels", "2", "--seed", "x"
    )
    assert result.stdout.splitlines() == ["new/round-0001.json", "new/round-0002.json"]
    assert asked == {
        "rounds": 2, "seed": "x", "players": 3, "rules": "classic", "megapixels": 2.0, "unseen": True
    }  # fmt: skip
    assert len(list((tmp_path / "new").glob("*.jpg"))) == 4
    run("render", "--out", "new", "--training-art")
    assert asked["unseen"] is False
    (round_,) = json.loads(run("render", "--out", "new", "--json").stdout)
    assert round_["tally"]["decks"][0]["foundation"] == 1


def test_render_of_a_record(run: Run, asked: dict[str, Any], tmp_path: Path) -> None:
    done = run("simulate", "--rounds", "1", "--bots", "shark,family", "--record", "records", "--workers", "1")
    assert done.exit_code == 0
    (record,) = (tmp_path / "records").iterdir()
    result = run("render", str(record), "--out", "new")
    assert result.stdout.splitlines() == [f"new/{record.stem}.json"]
    record.write_text("{\n")
    assert "Line 1 is damaged" in refused(run("render", str(record), "--out", "new"))
    assert "nowhere.jsonl" in refused(run("render", "nowhere.jsonl", "--out", "new"))


def test_render_of_records_of_one_name(run: Run, asked: dict[str, Any], tmp_path: Path) -> None:
    for folder in ("one", "two"):
        run("simulate", "--rounds", "1", "--seed", folder, "--record", folder, "--workers", "1")
    records = ["one/round-00001.jsonl", "two/round-00001.jsonl"]
    assert "Two records are called round-00001" in refused(run("render", *records, "--out", "new"))
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("option", [("--rounds", "2"), ("--players", "3"), ("--rules", "quick")])
def test_render_of_a_record_plays_nothing(run: Run, asked: dict[str, Any], option: tuple[str, str]) -> None:
    run("simulate", "--rounds", "1", "--record", ".", "--workers", "1")
    sentence = f"A RECORD is of a round that was played already: leave out {option[0]}."
    assert sentence in refused(run("render", "round-00001.jsonl", "--out", "new", *option))
    assert asked == {}


def test_validate_is_content_with_a_reader_that_is_right(
    run: Run, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(vision, "read", lambda photos, **_: staged(PLAYED).truth)
    result = run("validate", "--rounds", "2", "--keep", "bad")
    assert result.exit_code == 0
    assert "silently wrong" in result.stdout
    assert not (tmp_path / "bad").exists()


def test_verdict_fits_a_narrow_terminal(
    run: Run, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(vision, "read", lambda photos, **_: staged(PLAYED).truth)
    shown = run("validate", "--rounds", "2").stdout
    assert "needlessly" in shown and "s a round" in shown and "…" not in shown


def test_validate_fails_if_a_round_is_silently_wrong(
    run: Run, asked: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    truth = staged(PLAYED).truth
    wrong = replace(truth, piles=tuple(piles("AH@blue 2H@blue")))
    monkeypatch.setattr(vision, "read", lambda photos, **_: wrong)
    result = run("validate", "--rounds", "2", "--json", "--keep", "bad", "--most", "1")
    assert result.exit_code == 1
    data = json.loads(result.stdout)
    assert data["outcomes"]["silently wrong"] == 2
    assert [one["outcome"] for one in data["of_rounds"]] == ["silently wrong"] * 2
    assert [path.name for path in (tmp_path / "bad").iterdir()] == ["round-0001-wrong"]


def test_training_without_its_extra_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scorer.training.run", None)
    assert 'pip install "nerts-companion[train]"' in refused(run("train", "detector", "--work", "w"))


# The group.


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(run: Run, name: str) -> None:
    result = run(name, "--help")
    assert result.exit_code == 0
    assert result.stdout.startswith("Usage: nerts ")
    command = main.get_command(click.Context(main), name)
    assert command is not None and command.help


def test_help_lists_every_command(run: Run) -> None:
    listed = run("--help").stdout
    assert all(f"\n  {name} " in listed for name in COMMANDS)


def test_unknown_command_is_refused(run: Run) -> None:
    assert "No such command 'scor'" in refused(run("scor"))


def test_version_is_told(run: Run) -> None:
    try:
        installed = version("nerts-companion")
    except PackageNotFoundError:
        pytest.skip("the package is not installed, it runs from its folder")
    assert run("--version").stdout == f"nerts, version {installed}\n"


def test_reading_a_photo_imports_neither_server_nor_game() -> None:
    code = (
        "import sys, click; from scorer.cli import main;"
        "main.get_command(click.Context(main), 'read');"
        "print([name for name in ('flask', 'sqlalchemy', 'cv2', 'onnxruntime', 'scorer.game', 'rich') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
