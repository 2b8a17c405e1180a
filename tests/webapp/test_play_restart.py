"""What is kept: a table goes on after the server was stopped, killed, or could not write."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import threading
import time as real_time
from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask

from scorer.game import record
from tests.webapp.at_table import Player, Time
from tests.webapp.test_server import Server, serving
from webapp.play import files, hall, library
from webapp.play.files import TableFiles
from webapp.play.saved import VERSION


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    return Time(monkeypatch)


@pytest.fixture
def ann(app: Flask, time: Time) -> Player:
    return Player(app).set_table("family", "shark", join="1")


@pytest.fixture
def restarted(make_app: Callable[..., Flask]) -> Callable[[Player], Player]:
    """Stops the server and starts another on the same folder; what was only in memory is gone."""

    def again(player: Player) -> Player:
        player.app.extensions["nerts"]["hall"].close()
        twin = Player(make_app(), player.path, player.page)
        twin.numbers = player.numbers
        return twin

    return again


def played_for(player: Player, time: Time, seconds: int) -> Player:
    player.press("resume")
    for _ in range(seconds):
        time.passes(1)
        if "turn" in player.legal():
            player.play("turn")
    return player


def record_file(player: Player) -> Path:
    saved = player.table.saved
    return player.table._files.record_path(saved.number)


def test_a_round_goes_on_after_a_restart(
    ann: Player, time: Time, restarted: Callable[[Player], Player]
) -> None:
    played_for(ann, time, 12)
    ann.table.close()
    before = ann.hello()
    records = ann.records()
    later = restarted(ann)
    after = later.hello()
    assert later.records() == records
    for part in ("you", "round", "seats", "phase", "join", "host"):
        assert after[part] == before[part]
    lying = {place: cards for place, cards in before["change"].items() if not place.endswith(".A")}
    in_air = {place for place in before["change"] if place.endswith(".A")}
    assert in_air or {place: cards for place, cards in after["change"].items()} == lying
    time.passes(15)
    later.hello()
    assert {one.move.seat for one in later.records()[len(records) :]} >= {1, 2}
    assert record.read(record_file(later)).breaks_off


def test_a_table_that_waits_is_still_there_after_a_restart(
    ann: Player, restarted: Callable[[Player], Player]
) -> None:
    link = ann.hello()["join"]
    later = restarted(ann)
    ben = Player(later.app).join(link, "Ben")
    assert ben.hello()["phase"] == "waiting"
    assert later.press("resume").json["ok"]


def test_the_clock_stands_still_until_somebody_is_back(
    ann: Player, time: Time, restarted: Callable[[Player], Player]
) -> None:
    played_for(ann, time, 5)
    at = ann.hello()["at"]
    later = restarted(ann)
    time.passes(1000)
    first = later.table.hello(0)
    assert first["at"] <= at
    time.passes(3)
    assert later.table.hello(0)["at"] >= first["at"] + 3000


def test_a_paused_table_stays_paused(ann: Player, time: Time, restarted: Callable[[Player], Player]) -> None:
    played_for(ann, time, 3)
    ann.press("pause")
    later = restarted(ann)
    assert later.hello()["phase"] == "paused"
    later.press("resume")
    later.play("turn")


def test_a_move_sent_again_after_a_restart_is_made_once(
    ann: Player, time: Time, restarted: Callable[[Player], Player]
) -> None:
    ann.press("resume")
    assert ann.send("turn", number=41).json["ok"]
    later = restarted(ann)
    assert later.send("turn", number=41).json["ok"]
    assert later.moves_made() == ["turn"]
    later.send("turn", number=42)
    assert later.moves_made() == ["turn", "turn"]


def test_a_page_of_before_the_restart_is_told_everything(
    ann: Player, time: Time, restarted: Callable[[Player], Player]
) -> None:
    played_for(ann, time, 3)
    seen = ann.hello()["seq"]
    later = restarted(ann)
    with later.following(last=seen) as events:
        assert next(events).kind == "hello"


def test_points_and_result_are_still_there_after_a_restart(
    ann: Player, time: Time, restarted: Callable[[Player], Player]
) -> None:
    ann.press("resume")
    over = ann.until_over(time)
    later = restarted(ann)
    after = later.hello()
    assert after["phase"] == over["phase"] == "over"
    assert after["result"] == over["result"]
    assert after["change"] == over["change"]
    later.press("next")
    assert later.hello()["round"] == 2


def test_who_joined_and_who_left_is_kept(
    ann: Player, time: Time, restarted: Callable[[Player], Player]
) -> None:
    ben = Player(ann.app).join(ann.hello()["join"], "Ben")
    cleo = Player(ann.app).join(ann.hello()["join"], "Cleo")
    played_for(ann, time, 3)
    cleo.press("leave")
    later = restarted(ann)
    assert [seat["name"] for seat in later.hello()["seats"]] == ["Ann", "Cleo (bot)", "Ben"]
    assert Player(later.app, ben.path).hello()["you"] == "P3"
    assert later.client.get(cleo.path).status_code == 404


@pytest.mark.parametrize("tail", [b'{"at": 99', b"\x00\xff\xfe", b'{"at": 1, "move": "P1 nonsense"}\n'])
def test_a_damaged_tail_loses_only_the_damaged_line(
    ann: Player, time: Time, restarted: Callable[[Player], Player], tail: bytes
) -> None:
    played_for(ann, time, 6)
    records, path = ann.records(), record_file(ann)
    ann.table.close()
    with path.open("ab") as stream:
        stream.write(tail)
    later = restarted(ann)
    assert later.hello()["phase"] == "playing"
    assert later.records()[: len(records)] == records
    later.play("turn" if "turn" in later.legal() else "redeal")
    assert record.read(path).breaks_off
    assert path.with_suffix(".damaged").exists()


def test_a_line_that_was_half_written_is_lost_alone(
    ann: Player, time: Time, restarted: Callable[[Player], Player]
) -> None:
    played_for(ann, time, 6)
    records, path = ann.records(), record_file(ann)
    ann.table.close()
    path.write_bytes(path.read_bytes()[:-20])
    later = restarted(ann)
    later.hello()
    assert later.records()[: len(records) - 1] == records[:-1]


def test_a_round_whose_last_line_was_lost_is_ended_again(
    ann: Player, time: Time, restarted: Callable[[Player], Player]
) -> None:
    ann.press("resume")
    over = ann.until_over(time)
    saved = ann.table.saved
    kept = ann.app.extensions["nerts"]["library"].path(saved.replay)
    table_file = ann.table._files.folder / "table.json"
    # As if the server had been killed before the end was written: once with, once without the record moved.
    data = json.loads(table_file.read_bytes())
    data |= {"phase": "playing"}
    data["match"]["rounds"] = []
    table_file.write_text(json.dumps(data))
    whole = kept.read_bytes()
    later = restarted(ann)
    assert later.hello()["result"] == over["result"]
    kept.rename(ann.table._files.record_path(1))
    later.table.close()
    ann.table._files.record_path(1).write_bytes(b"".join(whole.splitlines(keepends=True)[:-1]))
    table_file.write_text(json.dumps(data))
    last = restarted(later)
    assert last.hello()["result"] == over["result"]
    assert kept.read_bytes() == whole


def test_a_table_whose_record_is_gone_deals_anew(
    ann: Player, time: Time, restarted: Callable[[Player], Player]
) -> None:
    played_for(ann, time, 2)
    path = record_file(ann)
    ann.table.close()
    path.unlink()
    later = restarted(ann)
    assert later.hello()["phase"] == "waiting"
    later.press("resume")
    later.play("turn")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "cannot be set up"),
        (b"{", "cannot be set up"),
        (b"[]", "cannot be set up"),
        (b'{"version": 1}', "cannot be set up"),
        (json.dumps({"version": VERSION + 1}).encode(), "newer version"),
    ],
)
def test_a_table_that_cannot_be_read_says_so(
    ann: Player, restarted: Callable[[Player], Player], content: bytes, told: str
) -> None:
    path = ann.table._files.folder / "table.json"
    ann.table.close()
    path.write_bytes(content)
    later = restarted(ann)
    answer = later.client.get(later.path)
    assert answer.status_code == 409
    assert told in answer.text
    with later.client.session_transaction() as session:
        session["tables"] = [later.key]
    assert later.client.get("/play").status_code == 200


def test_a_record_of_a_newer_version_says_so(
    ann: Player, time: Time, restarted: Callable[[Player], Player]
) -> None:
    played_for(ann, time, 2)
    path = record_file(ann)
    ann.table.close()
    path.write_bytes(path.read_bytes().replace(b'"nerts": 1', b'"nerts": 9', 1))
    later = restarted(ann)
    answer = later.client.get(later.path)
    assert answer.status_code == 422
    assert "version 9" in answer.text
    assert path.exists()


# A disk that is full.


def test_a_full_disk_pauses_the_table_and_loses_nothing(
    ann: Player, time: Time, restarted: Callable[[Player], Player], monkeypatch: pytest.MonkeyPatch
) -> None:
    played_for(ann, time, 3)
    with monkeypatch.context() as patched:
        patched.setattr(TableFiles, "_write", full)
        ann.send("turn" if "turn" in ann.legal() else "redeal")
        there = ann.hello()
        assert (there["phase"], there["running"]) == ("paused", False)
        assert "cannot write" in there["trouble"]
        assert "paused" in ann.refused("turn")
    ann.press("resume")
    assert ann.hello()["trouble"] is None
    ann.play("turn" if "turn" in ann.legal() else "redeal")
    records = ann.records()
    ann.table.close()
    later = restarted(ann)
    later.hello()
    assert later.records()[: len(records)] == records


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_no_table_is_set_on_a_full_disk(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "write_whole", full)
    answer = Player(app).send_form("/play", name="Ann", bot="shark", rules="classic")
    assert answer.status_code == 507
    assert "disk" in answer.text


# Forgetting.


def test_tables_nobody_is_at_are_put_away_and_come_back(ann: Player, time: Time) -> None:
    played_for(ann, time, 3)
    kept: hall.Hall = ann.app.extensions["nerts"]["hall"]
    before = ann.table
    kept._put_away()
    assert ann.table is before
    time.passes(60)
    before.tick()
    kept._put_away()
    assert before.is_closed
    assert ann.table is not before
    assert before._round is not None
    assert ann.records()[: len(before._round.records)] == before._round.records
    ann.play("turn" if "turn" in ann.legal() else "redeal")


def test_tables_and_records_untouched_for_long_are_forgotten(
    ann: Player, time: Time, restarted: Callable[[Player], Player]
) -> None:
    ann.press("resume")
    replay = ann.until_over(time)["result"]["replay"]
    folder = ann.table._files.folder
    kept = ann.app.extensions["nerts"]["library"].folder
    assert ann.client.get(replay).status_code == 200
    ann.table.close()
    age(folder, hall.KEPT_SECONDS - 60)
    age(kept, library.KEPT_SECONDS - 60)
    again = restarted(ann)
    again.app.extensions["nerts"]["hall"]._sweep()
    assert again.hello()["phase"] == "over"
    again.table.close()
    age(folder, hall.KEPT_SECONDS + 60)
    age(kept, library.KEPT_SECONDS + 60)
    later = restarted(again)
    later.app.extensions["nerts"]["hall"]._sweep()
    assert later.client.get(later.path).status_code == 404
    assert later.client.get(replay).status_code == 404
    assert not folder.exists()


def age(folder: Path, seconds: float) -> None:
    for path in folder.glob("*"):
        os.utime(path, (real_time.time() - seconds,) * 2)


# A server that is killed.


class Remote:
    """A page at a real server, which turns its stock as fast as it may."""

    def __init__(self, server: Server) -> None:
        self.server = server
        page = server.ask("GET", "/play")
        self.cookie = (page.getheader("Set-Cookie") or "").split(";")[0]
        token = re.search(r'name="csrf_token" value="([^"]+)"', page.body)  # type: ignore[attr-defined]
        assert token is not None
        form = {"name": "Ann", "bot": "shark", "rules": "classic", "csrf_token": token[1]}
        answer = server.ask("POST", "/play", form, self.cookie)
        assert answer.status == 303
        self.path, self.token = str(answer.getheader("Location")), token[1]
        self.made: list[int] = []

    def move(self, server: Server, number: int) -> int:
        import http.client

        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        body = json.dumps({"move": "turn" if number % 12 else "redeal", "number": number, "client": "x"})
        headers = {"Cookie": self.cookie, "X-CSRFToken": self.token, "Content-Type": "application/json"}
        connection.request("POST", f"{self.path}/move", body, headers)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status

    def play(self) -> None:
        import http.client

        for number in range(1, 1000):
            try:
                if self.move(self.server, number) == 200:
                    self.made.append(number)
            except (OSError, http.client.HTTPException):
                return
            real_time.sleep(0.09)


def test_a_server_killed_in_a_round_loses_and_doubles_no_move(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as server:
        ann = Remote(server)
        playing = threading.Thread(target=ann.play)
        playing.start()
        real_time.sleep(1.2)
        server.process.send_signal(signal.SIGKILL)
        playing.join()
    assert len(ann.made) > 4
    with serving(tmp_path / "data") as server:
        # The page tries all again, answered or not: each counts once.
        for number in ann.made[-3:]:
            assert ann.move(server, number) == 200
        assert server.ask("GET", ann.path, cookie=ann.cookie).status == 200
        (kept,) = (tmp_path / "data" / "play" / "tables").glob("*/round-1.jsonl")
        own = [one.tag for one in record.read(kept).game.records if one.move.seat == 0]
        assert own[: len(ann.made)] == [f"x.{number}" for number in ann.made]
        assert len(own) == len({*own}) <= len(ann.made) + 1


def test_ctrl_c_stops_a_server_at_once_though_somebody_plays(tmp_path: Path) -> None:
    import http.client

    with serving(tmp_path / "data") as server:
        ann = Remote(server)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        connection.request("GET", f"{ann.path}/events")
        stream = connection.getresponse()
        assert stream.readline().startswith(b"retry")
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(4) == 0
        connection.close()
