"""Scoreboard, rounds, settings, end of a match, export and import, commands."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from scorer.store import Store
from tests.store.test_faults import limit_database
from tests.webapp.scripted import CLEAN, FakeReader
from tests.webapp.table import Phone, sentence, token
from webapp import commands
from webapp.chart import HEIGHT, chart

EVENING = [
    ({"Ann": (19, 0), "Ben": (14, 4), "Cleo": (7, 6)}, "Ann"),
    ({"Ann": (12, 3), "Ben": (22, 0), "Cleo": (0, 13)}, "Ben"),
    ({"Ann": (52, 0), "Ben": (10, 1), "Cleo": (30, 0)}, None),
]


def evening(phone: Phone) -> Phone:
    for hands, caller in EVENING:
        assert phone.type_round(hands, caller=caller).status_code == 302
    return phone


def test_totals_leader_and_grid(match: Phone) -> None:
    evening(match)
    assert match.totals() == {"Ann": 77, "Ben": 36, "Cleo": -1}
    page = match.get().text
    assert "leads" in page and "23 to go" in page and "101 to go" in page
    assert len(re.findall('class="called"', page)) == 2 + 1  # two calls and the legend
    assert "−26" in page


def test_the_preview_is_the_score(match: Phone) -> None:
    form = match.round_form({"Ann": (19, ""), "Ben": (14, 4), "Cleo": ("", 6)}, caller="Ann")
    shown = match.client.post(match.match + "preview", data=form).json
    assert shown == {
        "p1": {"text": "+19", "negative": False},
        "p2": {"text": "+6", "negative": False},
        "p3": {"text": "–", "negative": False},
    }


def test_a_round_typed_on_two_phones_is_scored_once_unless_wanted(match: Phone) -> None:
    other = match.other()
    mine = match.round_form({"Ann": (10, 0), "Ben": (5, 1), "Cleo": (4, 4)}, caller="Ann")
    theirs = other.round_form({"Ann": (10, 0), "Ben": (5, 1), "Cleo": (4, 4)}, caller="Ann")
    assert match.post("type", **mine).status_code == 302
    answer = other.post("type", **theirs)
    assert answer.status_code == 409
    assert "Meanwhile a round was scored" in answer.text
    assert 'value="10"' in answer.text
    assert len(match.state.rounds) == 1
    again = theirs | {"played": 1}
    assert other.post("type", **again).status_code == 302
    assert len(match.state.rounds) == 2


def test_an_edit_backwards_reopens_the_match(match: Phone) -> None:
    evening(match)
    match.type_round({"Ann": (25, 0), "Ben": (0, 0), "Cleo": (0, 0)}, caller="Ann")
    assert match.winners() == ["Ann"]
    match.edit_round(3, {"Ann": (42, 0), "Ben": (10, 1), "Cleo": (30, 0)})
    assert match.winners() == []
    match.undo()
    assert match.winners() == ["Ann"]


def test_a_deleted_round_comes_back(match: Phone) -> None:
    evening(match)
    before, round_id = match.totals(), match.state.rounds[0].id
    for _tap in range(2):
        match.post(f"round/{round_id}/delete")
    assert match.totals() == {"Ann": 58, "Ben": 30, "Cleo": 4}
    assert match.get(f"round/{round_id}").status_code == 404
    match.undo()
    assert match.totals() == before
    match.redo()
    assert len(match.state.rounds) == 2


def test_undo_by_two_phones_undoes_once(match: Phone) -> None:
    evening(match)
    step = match.store.matches.open(match.match_id).undo
    assert step is not None
    for phone in (match, match.other()):
        assert phone.post("undo", seq=step.seq).status_code == 302
    assert len(match.state.rounds) == 2


def test_watching_phones_are_told_only_what_changed(match: Phone) -> None:
    viewer = match.other(view=True)
    first = viewer.get("live")
    etag = first.headers["ETag"]
    assert viewer.client.get(viewer.match + "live", headers={"If-None-Match": etag}).status_code == 304
    evening(match)
    second = viewer.client.get(viewer.match + "live", headers={"If-None-Match": etag})
    assert second.status_code == 200
    assert "77" in second.text
    assert second.headers["ETag"] != etag


def test_those_who_score_see_that_a_round_is_being_scored(match: Phone) -> None:
    etags = {phone: phone.get("live").headers["ETag"] for phone in (match, match.other(view=True))}
    match.read(*CLEAN.photos())
    codes = [
        phone.client.get(phone.match + "live", headers={"If-None-Match": etag}).status_code
        for phone, etag in etags.items()
    ]
    assert codes == [200, 304]
    assert "waits for your look" in match.get("live").text


def test_compressed_pages_are_revalidated_too(match: Phone) -> None:
    headers = {"Accept-Encoding": "gzip"}
    first = match.client.get(match.match + "live", headers=headers)
    assert first.headers["Content-Encoding"] == "gzip"
    again = match.client.get(match.match + "live", headers=headers | {"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304


def test_players_and_rules_change_and_all_totals_follow(match: Phone) -> None:
    evening(match)
    fields = {"name-1": "Anna", "name-2": "Ben", "name-3": "Cleo", "name-4": "Dora"}
    form = fields | {"preset": "nna_singles", "size-3": "9", "token": token()}
    assert match.client.post(match.match + "setup", data=form).status_code == 302
    assert match.totals() == {"Anna": 87, "Ben": 46, "Cleo": -1, "Dora": 0}  # 10 for calling
    assert 'data-most="9"' in match.get("type").text
    match.undo()
    assert match.totals() == {"Ann": 77, "Ben": 36, "Cleo": -1}


def test_who_has_played_is_not_left_out(match: Phone) -> None:
    form = {"name-1": "Ann", "name-3": "Cleo", "preset": "classic", "token": token()}
    answer = match.client.post(match.match + "setup", data=form)
    assert answer.status_code == 422
    assert "cannot be left out" in sentence(answer)


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"name-1": "Ann"}, "at least two players"),
        ({"name-1": "Ann", "name-2": "ann "}, "same name"),
        ({"name-1": "A" * 30, "name-2": "Ben"}, "At most 24 letters"),
        ({"name-1": "Ann", "name-2": "Ben", "size-1": "99"}, "from 1 to 26"),
        ({"name-1": "Ann", "name-2": "Ben", "preset": "house", "target": "0"}, "from 1 to 10000"),
        ({"name-1": "Ann", "name-2": "Ben", "preset": "house", "end": "rounds"}, "How many rounds?"),
        ({"name-1": "Ann", "name-2": "Ben", "preset": "house", "mercy": "5"}, "from -10000 to -1"),
    ],
)
def test_a_match_that_cannot_be_is_refused_beside_its_field(
    phone: Phone, form: dict[str, str], told: str
) -> None:
    answer = phone.client.post("/new", data={"preset": "classic", "token": token(), **form})
    assert answer.status_code == 422
    assert told in sentence(answer)
    assert "Ann" in answer.text or "A" * 24 in answer.text  # what was typed is still there
    assert phone.store.matches.all() == []


def test_pairs_share_a_deck_and_a_score(phone: Phone) -> None:
    phone.new_match("Ann", "Cleo", pairs="1", **{"partner-1": "Ben", "partner-2": "Dan"})
    phone.type_round({"Ann & Ben": (30, 2), "Cleo & Dan": (10, 0)}, caller="Cleo & Dan")
    assert phone.totals() == {"Ann & Ben": 26, "Cleo & Dan": 10}


def test_a_double_tap_on_start_starts_one_match(phone: Phone) -> None:
    form = {"name-1": "Ann", "name-2": "Ben", "preset": "classic", "token": token()}
    first, second = (phone.client.post("/new", data=form).location for _tap in range(2))
    assert first == second


def test_a_rematch_has_the_same_people_and_rules(phone: Phone) -> None:
    phone.new_match("Ann", "Ben", "Cleo", preset="pounce25")
    evening(phone)
    answer = phone.post("rematch", token=token())
    again = Phone(phone.app, answer.location)
    assert again.match != phone.match
    assert again.totals() == {"Ann": 0, "Ben": 0, "Cleo": 0}
    assert again.state.rules == phone.state.rules


def test_the_note_is_kept_and_undone(match: Phone) -> None:
    match.post("note", note="at Ben's, with cake")
    assert "with cake" in match.other(view=True).get("end").text
    match.undo()
    assert "with cake" not in match.get("end").text


def test_export_and_import_are_the_same_match(match: Phone, reader: FakeReader) -> None:
    evening(match)
    match.post("note", note="windy")
    data = match.get("export.json").data
    answer = match.client.post("/import", data={"file": (io.BytesIO(data), "x.json")})
    copy = Phone(match.app, answer.location)
    assert copy.totals() == match.totals()
    assert copy.state.note == "windy"
    assert [one.entries for one in copy.state.rounds] == [one.entries for one in match.state.rounds]
    assert copy.key != match.key


def test_the_csv_has_raw_inputs_scores_and_totals(match: Phone) -> None:
    evening(match)
    rows = list(csv.DictReader(io.StringIO(match.get("export.csv").text)))
    assert len(rows) == 9
    assert rows[5] == {
        "round": "2",
        "player": "Cleo",
        "cards out": "0",
        "cards left": "13",
        "kings": "0",
        "called": "0",
        "false calls": "0",
        "score": "-26",
        "total": "-31",
    }


def broken(change: Callable[[dict[str, object]], object]) -> Callable[[bytes], bytes]:
    def broken_copy(data: bytes) -> bytes:
        content = json.loads(data)
        change(content)
        return json.dumps(content).encode()

    return broken_copy


def first_entry(content: dict[str, object]) -> dict[str, object]:
    return content["rounds"][0]["entries"][0]  # type: ignore[index, no-any-return]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: b"[1, 2]",
        lambda data: b"\xff\xfe\x00",
        lambda data: b"[" * 100_000,
        broken(lambda content: content.update(version=99)),
        broken(lambda content: content.pop("rounds")),
        broken(lambda content: content.update(seats=[])),
        broken(lambda content: content.update(seats="Ann")),
        broken(lambda content: content["rules"].update(target="x")),  # type: ignore[attr-defined]
        broken(lambda content: first_entry(content).update(out=-5)),
        broken(lambda content: first_entry(content).update(out=1.5)),
        broken(lambda content: first_entry(content).update(out=None)),
        broken(lambda content: first_entry(content).update(seat="p9")),
        broken(lambda content: content.update(readings={"x": {"photos": 3}})),
        broken(lambda content: content.update(note=["x"])),
        broken(lambda content: content["rounds"][0].update(at="now")),  # type: ignore[index]
    ],
)
def test_a_damaged_import_is_refused_in_one_sentence(match: Phone, damage: Callable[[bytes], bytes]) -> None:
    evening(match)
    data = damage(match.get("export.json").data)
    answer = match.client.post("/import", data={"file": (io.BytesIO(data), "x.json")})
    assert answer.status_code == 422
    assert re.search(r"[:.]", sentence(answer))
    assert len(match.store.matches.all()) == 1


def test_settings_are_kept_on_this_phone(match: Phone) -> None:
    match.client.post("/settings", data={"theme": "dark"})
    assert 'data-theme="dark"' in match.get().text
    assert "data-wake" not in match.get().text
    assert 'data-theme="auto"' in match.other().get().text
    assert match.client.post("/settings", data={"theme": "pink"}).status_code == 400


def test_the_language_follows_the_browser_and_unknown_ones_fall_back(match: Phone) -> None:
    page = match.client.get("/", headers={"Accept-Language": "xx, tlh;q=0.9"})
    assert '<html lang="en"' in page.text


@pytest.mark.parametrize("path", ["/", "/new", "/rules", "/settings", "/manifest.webmanifest", "/static/x"])
def test_plain_pages_answer(phone: Phone, path: str) -> None:
    assert phone.client.get(path).status_code == (404 if path == "/static/x" else 200)


# The chart.


def test_the_chart_tells_players_apart_without_colour(match: Phone) -> None:
    evening(match)
    page = match.get().text
    drawing = page[page.index('class="chart"') : page.index("</svg>", page.index('class="chart"'))]
    assert all(name in drawing for name in ("Ann", "Ben", "Cleo"))
    dashes = [
        re.search('stroke-dasharray="([^"]+)', line) for line in re.findall('class="run"[^>]*', drawing)
    ]
    assert len({dash and dash[1] for dash in dashes}) == 3


@pytest.mark.parametrize("goal", [None, 100])
@pytest.mark.parametrize("totals", [[0], [-26], [5, 5, 5], [-300, 40], [120], list(range(0, 400, 7))])
def test_the_chart_stays_in_its_frame(totals: list[int], goal: int | None) -> None:
    names = [f"Player {number}" for number in range(8)]
    drawn = chart([{name: total + at for at, name in enumerate(names)} for total in totals], names, goal)
    heights = [float(y) for run in drawn.runs for _x, y in run.dots] + [run.label[1] for run in drawn.runs]
    assert all(0 <= height <= HEIGHT for height in heights)
    labels = sorted(run.label[1] for run in drawn.runs)
    assert all(later - earlier >= 14.9 for earlier, later in pairwise(labels))
    assert len(drawn.rows) <= 9


# Commands.


def test_backup_and_restore_commands(tmp_path: Path, match: Phone) -> None:
    evening(match)
    runner, file = CliRunner(), str(tmp_path / "evening.zip")
    data = ["--data", str(match.store.folder)]
    done = runner.invoke(commands.backup, [*data, file])
    assert done.exit_code == 0, done.output
    assert runner.invoke(commands.backup, [*data, file]).exit_code == 1
    refused = runner.invoke(commands.restore, [*data, file])
    assert refused.exit_code == 1
    assert "already holds matches" in refused.output
    elsewhere = tmp_path / "elsewhere"
    assert runner.invoke(commands.restore, ["--data", str(elsewhere), file]).exit_code == 0
    store = Store(elsewhere)
    assert len(store.matches.all()) == 1
    store.close()


def test_photos_of_a_round_are_shown_with_it(match: Phone) -> None:
    sheet = match.read(*CLEAN.photos())
    for step in (
        {"kind": "back", "owner": "red", "seat": "p1"},
        {"kind": "back", "owner": "blue", "seat": "p2"},
        {"kind": "back", "owner": "green", "seat": "p3"},
        {"kind": "caller", "seat": "none"},
        *({"kind": "left", "seat": f"p{number}", "number": 1} for number in (1, 2, 3)),
    ):
        match.correct(sheet, **step)  # type: ignore[arg-type]
    match.confirm(sheet)
    page = match.other(view=True).get(f"round/{match.state.rounds[0].id}").text
    assert page.count("<img") == 2
    assert page.count('class="card static') == 19


def test_a_full_disk_is_told_and_the_same_tap_works_afterwards(match: Phone) -> None:
    form = match.round_form({"Ann": (10, 0), "Ben": (5, 1), "Cleo": (4, 4)}, caller="Ann")
    limit_database(match.store, 0)
    told = []
    for number in range(400):
        answer = match.post("note", note=f"{number} " + "x" * 1900)
        if answer.status_code == 507:
            told.append(sentence(answer))
            break
    assert len(told) == 1
    assert "The disk is full: nothing was saved; free some space and try again." in told[0]
    refused = match.post("type", **form)
    limit_database(match.store, 100_000)
    again = match.post("type", **form)
    assert (refused.status_code, again.status_code) in {(507, 302), (302, 302)}
    assert match.totals() == {"Ann": 10, "Ben": 3, "Cleo": -4}
    assert len(match.state.rounds) == 1


def test_a_photo_that_finds_no_room_is_told(match: Phone, monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = match.start_sheet()

    def full(_file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    answer = match.send(sheet, CLEAN.photos()[0])
    monkeypatch.undo()
    assert answer.status_code == 507
    assert "free some space and send it again" in sentence(answer)
    assert match.send(sheet, CLEAN.photos()[0]).status_code == 200
