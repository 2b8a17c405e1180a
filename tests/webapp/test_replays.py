"""Replays of rounds played here and of records that people bring, and the photographs of how they ended."""

from __future__ import annotations

import io
import json
import re
import threading
import time as real_time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from scorer.errors import PhotoError
from scorer.game import record, series
from scorer.piles import Pile
from scorer.scoring import Rules
from tests.webapp.at_table import Player, Time
from tests.webapp.scripted import CLEAN
from tests.webapp.table import Phone
from webapp.pages import replays
from webapp.pile_replay import piles_replay
from webapp.play import library
from webapp.play.photographs import photograph


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    return Time(monkeypatch)


def a_record(*bots: str, seed: str = "3", rules: str = "classic") -> bytes:
    head = series.seat_bots(bots or ("shark", "shark", "family"), Rules.parse(rules), seed)
    table = series.play(head)
    return "".join(f"{line}\n" for line in record.lines(head, table.records, table.state)).encode()


def upload(client: FlaskClient, data: bytes) -> TestResponse:
    return client.post("/replay", data={"file": (io.BytesIO(data), "round.jsonl")})


def brought(client: FlaskClient, data: bytes) -> str:
    """Bring a record, and return the path of its replay."""
    answer = upload(client, data)
    assert answer.status_code == 303
    return str(answer.location)


# Rounds played here.


def test_a_round_that_is_over_can_be_replayed(app: Flask, time: Time) -> None:
    ann = Player(app).set_table("shark", "shark")
    over = ann.until_over(time)
    replay = over["result"]["replay"]
    watcher = app.test_client()
    assert watcher.get(replay).status_code == 200
    shown = watcher.get(f"{replay}.json").json
    assert [seat["name"] for seat in shown["seats"]] == ["Ann", "Shark", "Shark 2"]
    assert shown["scores"][-1][1:] == [line["score"] for line in over["result"]["scores"]]
    assert shown["damage"] is None
    lying: dict[str, list[str]] = {}
    for frame in shown["frames"]:
        lying |= frame["change"]
    for place, cards in over["change"].items():
        if place.startswith("F"):
            assert lying[place] == cards


def test_its_record_can_be_downloaded_and_brought_back(app: Flask, time: Time) -> None:
    ann = Player(app).set_table("shark", "shark")
    replay = ann.until_over(time)["result"]["replay"]
    answer = app.test_client().get(f"{replay}/record")
    assert "attachment" in answer.headers["Content-Disposition"]
    assert record.parse(answer.data).damage is None
    again = brought(app.test_client(), answer.data)
    assert again != replay
    assert app.test_client().get(f"{again}.json").json == app.test_client().get(f"{replay}.json").json


def test_a_replay_tells_no_key(app: Flask, time: Time) -> None:
    ann = Player(app).set_table("shark", join="1")
    ann.press("resume")
    replay = ann.until_over(time)["result"]["replay"]
    for page in ("", ".json", "/record", "/photos"):
        text = app.test_client().get(replay + page).text
        assert ann.key[12:] not in text
        assert ann.key[:12] not in text


@pytest.mark.parametrize("page", ["", ".json", "/record", "/photos", "/photos/progress", "/photos.zip"])
def test_no_link_no_replay(app: Flask, page: str) -> None:
    for name in ("guessed", "x" * 22, "..", "..%2F..%2Fnerts", "a" * 200):
        assert app.test_client().get(f"/replay/{name}{page}").status_code == 404


# Records that people bring.


def test_a_record_from_the_command_line_is_replayed(app: Flask) -> None:
    client = app.test_client()
    path = brought(client, a_record())
    assert client.get(path).status_code == 200
    shown = client.get(f"{path}.json").json
    assert shown["end"] in ("called", "stuck")
    assert shown["length"] > 10_000


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "Choose the file"),
        (b"no record at all", "Line 1 is damaged"),
        (b"\xff\xd8\xff\xe0" + bytes(400), "Line 1 is damaged"),
        (b"{}", "Line 1 is damaged"),
        (b'{"nerts": 2}', "version 2, newer than 1"),
        (b"[" * 100_000, "Line 1 is damaged"),
    ],
    ids=["empty", "text", "photo", "json", "newer", "deep"],
)
def test_what_is_no_record_is_refused_in_one_sentence(app: Flask, data: bytes, told: str) -> None:
    answer = upload(app.test_client(), data)
    assert answer.status_code == 422
    assert told in answer.text
    assert not list(app.extensions["nerts"]["library"].folder.glob("*"))


def test_a_file_that_is_too_large_is_refused(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (library, replays):
        monkeypatch.setattr(module, "MAX_BYTES", len(a_record()) - 1)
    answer = upload(app.test_client(), a_record())
    assert answer.status_code == 422
    assert "larger than" in answer.text


def test_a_damaged_record_is_replayed_up_to_the_damage(app: Flask) -> None:
    lines = a_record().splitlines(keepends=True)
    path = brought(app.test_client(), b"".join([*lines[:30], b"{broken\n", *lines[31:]]))
    shown = app.test_client().get(f"{path}.json").json
    assert "Line 31 is damaged" in shown["damage"]
    assert sum(frame["record"] is not None for frame in shown["frames"]) == 29
    assert app.test_client().get(path).status_code == 200


def test_a_forged_record_is_found_out(app: Flask) -> None:
    lines = a_record().splitlines(keepends=True)
    end = json.loads(lines[-1])
    end["foundation"][0] += 5
    path = brought(app.test_client(), b"".join(lines[:-1]) + json.dumps(end).encode())
    assert "the lines before come to" in app.test_client().get(f"{path}.json").json["damage"]


def test_names_in_a_record_are_escaped(app: Flask) -> None:
    data = a_record().replace(b"shark P1", b"<img src=x>")
    path = brought(app.test_client(), data)
    for page in ("", "/photos"):
        assert "<img src=x" not in app.test_client().get(path + page).text


def test_eight_players_are_shown(app: Flask) -> None:
    path = brought(app.test_client(), a_record(*["shark"] * 8, rules="classic jokers=2"))
    shown = app.test_client().get(f"{path}.json").json
    assert len(shown["seats"]) == 8
    assert {seat["deck"] for seat in shown["seats"]} == set(range(8))


# Photographs.


class Camera:
    """Photographs at once, or when it is let; it can fail."""

    def __init__(self) -> None:
        self.let, self.calls = threading.Event(), 0
        self.error: Exception | None = None
        self.let.set()

    def __call__(self, path: Path, out: Path) -> None:
        self.calls += 1
        assert self.let.wait(10)
        if self.error is not None:
            raise self.error
        out.mkdir()
        for side, data in zip(("faces", "backs"), CLEAN.photos(), strict=True):
            (out / f"{path.stem}-{side}.jpg").write_bytes(data)


@pytest.fixture
def camera() -> Camera:
    return Camera()


@pytest.fixture
def client(make_app: Callable[..., Flask], camera: Camera) -> FlaskClient:
    return make_app(photograph=camera).test_client()


def photographed(client: FlaskClient, path: str) -> None:
    assert client.post(f"{path}/photograph").status_code == 303
    wait_for(client, path, "ready")


def wait_for(client: FlaskClient, path: str, stage: str) -> None:
    end = real_time.monotonic() + 10
    while client.get(f"{path}/photos/progress").headers["X-Stage"] != stage:
        assert real_time.monotonic() < end
        real_time.sleep(0.02)


def test_a_round_is_photographed_in_the_background(client: FlaskClient, camera: Camera) -> None:
    path = brought(client, a_record())
    assert "Photograph this round" in client.get(f"{path}/photos").text
    camera.let.clear()
    client.post(f"{path}/photograph")
    client.post(f"{path}/photograph")
    assert client.get(f"{path}/photos/progress").headers["X-Stage"] == "reading"
    assert client.get(f"{path}/photos.zip").status_code == 404
    assert client.get("/").status_code == 200
    camera.let.set()
    wait_for(client, path, "ready")
    client.post(f"{path}/photograph")
    assert camera.calls == 1
    assert "Download" in client.get(f"{path}/photos").text


def test_the_photos_are_shown_and_downloaded(client: FlaskClient) -> None:
    path = brought(client, a_record())
    photographed(client, path)
    faces, backs = CLEAN.photos()
    for side, photo in (("faces", faces), ("backs", backs)):
        with client.get(f"{path}/photos/{side}.jpg") as answer:
            assert answer.data == photo
    assert client.get(f"{path}/photos/other.jpg").status_code == 404
    with zipfile.ZipFile(io.BytesIO(client.get(f"{path}/photos.zip").data)) as archive:
        assert sorted(archive.read(name) for name in archive.namelist()) == sorted([faces, backs])


def test_the_photos_are_read_in_a_match_of_the_same_players(client: FlaskClient) -> None:
    path = brought(client, a_record(rules="pounce25"))
    photographed(client, path)
    answer = client.post(f"{path}/score", data={"token": "one-tap-only"})
    assert answer.status_code == 303
    sheet = re.fullmatch(r"(/m/[\w-]+/)(sheet/[\w-]+)", answer.location)
    assert sheet is not None
    phone = Phone(client.application, sheet[1])
    assert [seat.name for seat in phone.state.seats] == ["shark P1", "shark P2", "family P3"]
    assert phone.state.rules == Rules.parse("pounce25")
    assert phone.state.preset == "pounce25"
    phone.wait(sheet[2], "review")
    assert len(phone.sheet(sheet[2]).photos) == 2
    assert sheet[1] in client.get("/").text
    again = client.post(f"{path}/score", data={"token": "one-tap-only"})
    assert again.location == answer.location


def test_photographing_that_fails_says_so_and_can_be_tried_again(client: FlaskClient, camera: Camera) -> None:
    path = brought(client, a_record())
    for error, told in (
        (PhotoError("The table broke."), "The table broke."),
        (ValueError(), "try again later"),
    ):
        camera.error = error
        client.post(f"{path}/photograph")
        wait_for(client, path, "failed")
        assert told in client.get(f"{path}/photos").text
    camera.error = None
    photographed(client, path)


def test_a_round_without_an_end_is_not_photographed(client: FlaskClient, camera: Camera) -> None:
    lines = a_record().splitlines(keepends=True)
    for data in (b"".join(lines[:20]), lines[0] + b'{"end": null}\n', b"".join(lines[:-1])):
        path = brought(client, data)
        answer = client.post(f"{path}/photograph")
        assert answer.status_code == 422
        assert "no sound end" in answer.text
    assert camera.calls == 0


def test_the_real_camera_refuses_in_one_sentence(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "broken.jsonl").write_bytes(b"{}")
    with pytest.raises(PhotoError, match="could not be photographed"):
        photograph(tmp_path / "broken.jsonl", tmp_path / "out")
    assert "Line 1 is damaged" in caplog.text


# Rounds of the real table.


def test_the_piles_of_a_round_are_replayed_side_by_side(match: Phone) -> None:
    match.type_round({"Ann": (3, 0), "Ben": (2, 1), "Cleo": (0, 4)}, caller="Ann")
    piles = (Pile.parse("AS@p1 2S@p2 3S@p1"), Pile.parse("AH@p1 2H@p2"))
    shown = piles_replay(piles, match.state.rounds[0], match.state)
    changes = [frame["change"] for frame in shown["frames"]]
    assert changes == [
        {},
        {"F1": ["P1:AS"]},
        {"F2": ["P1:AH"]},
        {"F1": ["P1:AS", "P2:2S"]},
        {"F2": ["P1:AH", "P2:2H"]},
        {"F1": ["P1:AS", "P2:2S", "P1:3S"]},
    ]
    assert shown["scores"][0] == [0, 0, -2, -8]
    assert shown["scores"][-1] == [shown["length"], 3, 0, -8]
    assert shown["end"] == "called"


def test_a_typed_round_has_no_piles_to_replay(match: Phone) -> None:
    match.type_round({"Ann": (10, 0), "Ben": (5, 1), "Cleo": (4, 4)}, caller="Ann")
    path = f"{match.match}round/{match.state.rounds[0].id}/replay.json"
    shown = match.other(view=True).client.get(path.replace(match.key, match.other(view=True).key)).json
    assert [seat["name"] for seat in shown["seats"]] == ["Ann", "Ben", "Cleo"]
    assert len(shown["frames"]) == 1
    assert match.client.get(f"/m/guessed/round/{match.state.rounds[0].id}/replay.json").status_code == 404


def test_cards_read_alike_and_cards_of_nobody_are_told_apart(match: Phone) -> None:
    match.type_round({"Ann": (10, 0), "Ben": (5, 1), "Cleo": (4, 4)}, caller="Ann")
    piles = (Pile.parse("AS@p1 2S@p1"), Pile.parse("AS@p1 ?@p2 3S"))
    shown = piles_replay(piles, match.state.rounds[0], match.state)
    lying: dict[str, list[str]] = {}
    for frame in shown["frames"]:
        lying |= frame["change"]
    assert lying == {"F1": ["P1:AS", "P1:2S"], "F2": ["P1:AS.2", "P2:", "P0:3S"]}
