"""Following a table: what a page is told, what it is told again after a break, and what streams cost."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time as real_time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
from flask import Flask

from tests.webapp.at_table import Event, Player, Time, parsed
from tests.webapp.scripted import CLEAN, FakeReader
from tests.webapp.serving import served
from webapp.play import log, streams
from webapp.play.streams import Streams


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    return Time(monkeypatch)


@pytest.fixture
def ann(app: Flask, time: Time) -> Player:
    """Ann, at a table where nothing happens unless she acts: the bot waits for 1.5 seconds or more."""
    player = Player(app).set_table("beginner")
    time.stops()
    return player


def test_a_page_is_told_everything_first_and_then_what_changes(ann: Player) -> None:
    with ann.following() as events:
        hello = next(events)
        assert (hello.kind, hello.id) == ("hello", hello.data["seq"])
        seq = ann.play("turn")
        change = next(event for event in events if event.kind == "change")
    assert change.id == change.data["seq"] == seq
    assert set(change.data["change"]) == {"P1.S", "P1.W"}
    assert change.data["record"] == {"seat": "P1", "move": "turn", "outcome": "done", "reason": None}


def test_a_page_that_knows_the_table_is_told_only_what_it_missed(ann: Player) -> None:
    seen = ann.hello()["seq"]
    made = [ann.play("turn") for _ in range(3)]
    with ann.following(last=seen) as events:
        missed = [next(events) for _ in made]
    assert [event.kind for event in missed] == ["change"] * 3
    assert [event.id for event in missed] == made
    with ann.following(since=made[1]) as events:
        assert next(events).id == made[2]


@pytest.mark.parametrize("last", [0, 5, 10**15])
def test_a_page_that_knows_another_table_is_told_everything(ann: Player, last: int) -> None:
    with ann.following(last=last) as events:
        assert next(events).kind == "hello"


def test_a_page_that_slept_too_long_is_told_everything(ann: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ann.table._log, "_events", log.deque(maxlen=4))
    seen = ann.hello()["seq"]
    for _ in range(3):
        ann.play("turn")
    with ann.following(last=seen) as events:
        assert next(events).kind == "change"
    for _ in range(3):
        ann.play("turn")
    with ann.following(last=seen) as events:
        assert next(events).kind == "hello"


def test_all_that_was_told_adds_up_to_the_table(app: Flask, time: Time) -> None:
    ann = Player(app).set_table("shark", "shark", "family")
    with ann.following() as events:
        first = next(events)
        there = ann.until_over(time)
        told = dict(first.data["change"])
        for event in events:
            told |= event.data.get("change", {})
            if event.id is not None and event.id >= there["seq"]:
                break
    assert {place: cards for place, cards in told.items() if cards} == {
        place: cards for place, cards in there["change"].items() if cards
    }


def test_the_number_is_never_one_of_before_a_restart(ann: Player) -> None:
    assert abs(ann.hello()["seq"] / 1000 - real_time.time()) < 60


def test_a_silent_table_sends_a_sign_of_life(ann: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "HEARTBEAT_SECONDS", 0.05)
    monkeypatch.setattr(streams, "_LOOK_SECONDS", 0.03)
    ann.press("pause")
    answer = ann.client.get(f"{ann.path}/events", buffered=False)
    chunks = answer.iter_encoded()
    assert b": still there\n\n" in chunks
    answer.close()


def test_a_stream_ends_after_a_while_and_the_page_comes_again(
    ann: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "LONGEST_SECONDS", 0.05)
    monkeypatch.setattr(streams, "_LOOK_SECONDS", 0.03)
    ann.press("pause")
    with ann.following() as events:
        assert [event.kind for event in events] == ["hello"]


def test_beyond_the_limit_pages_poll(ann: Player) -> None:
    ann.app.extensions["nerts"]["streams"] = Streams(most=1)
    with ann.following() as events:
        next(events)
        answer = ann.client.get(f"{ann.path}/events")
        assert answer.text.startswith("retry: 700\n\n")
        (hello,) = parsed(iter([answer.data]))
        ann.play("turn")
        again = ann.client.get(f"{ann.path}/events", headers={"Last-Event-ID": str(hello.id)})
        (change,) = parsed(iter([again.data]))
        assert (hello.kind, change.kind) == ("hello", "change")
        nothing = ann.client.get(f"{ann.path}/events", headers={"Last-Event-ID": str(change.id)})
        assert nothing.data == b"retry: 700\n\n"
    with ann.following() as events:
        assert next(events).kind == "hello"


def test_one_seat_cannot_take_all_streams(ann: Player) -> None:
    kept: Streams = ann.app.extensions["nerts"]["streams"]
    with ExitStack() as open_pages:
        for _ in range(streams.MOST_OF_A_SEAT):
            next(open_pages.enter_context(ann.following()))
        assert len(list(parsed(iter([ann.client.get(f"{ann.path}/events").data])))) == 1
        assert kept.open == streams.MOST_OF_A_SEAT
    assert kept.open == 0
    assert ann.table.streams_of(0) == 0


def test_a_stream_is_not_kept_by_anybody_on_the_way(ann: Player) -> None:
    answer = ann.client.get(f"{ann.path}/events", buffered=False, headers={"Accept-Encoding": "gzip"})
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Content-Encoding" not in answer.headers
    answer.close()


# A real server.


class Remote:
    """A phone at a real server."""

    def __init__(self, url: str) -> None:
        self.place = urlsplit(url).netloc
        self.path = ""

    def ask(
        self, method: str, path: str, body: bytes | str | None = None, kind: str = ""
    ) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(self.place, timeout=20)
        connection.request(method, path, body, {"Content-Type": kind, "Accept": "application/json"})
        answer = connection.getresponse()
        data = answer.read()
        self.location = answer.getheader("Location", "")
        connection.close()
        return answer.status, data

    def set_table(self, *bots: str) -> Remote:
        form = urlencode([("name", "Ann"), ("rules", "classic"), *(("bot", bot) for bot in bots)])
        assert self.ask("POST", "/play", form, "application/x-www-form-urlencoded")[0] == 303
        self.path = self.location
        return self

    def turn(self, number: int) -> int:
        sent = json.dumps({"move": "turn", "number": number, "client": "x"})
        return self.ask("POST", f"{self.path}/move", sent, "application/json")[0]

    @contextmanager
    def following(self) -> Iterator[Iterator[Event]]:
        connection = http.client.HTTPConnection(self.place, timeout=20)
        connection.request("GET", f"{self.path}/events")
        answer = connection.getresponse()
        try:
            yield parsed(iter(answer.readline, b""))
        finally:
            answer.close()
            connection.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[str, Flask]]:
    with served(tmp_path / "data", FakeReader([CLEAN])) as (url, app):
        app.config["WTF_CSRF_ENABLED"] = False
        yield url, app


def wait_for(what: object, seconds: float = 15.0) -> None:
    end = real_time.monotonic() + seconds
    while not what():  # type: ignore[operator]
        assert real_time.monotonic() < end
        real_time.sleep(0.02)


def test_eight_streams_at_two_tables_and_the_rest_of_the_site(server: tuple[str, Flask]) -> None:
    url, app = server
    kept: Streams = app.extensions["nerts"]["streams"]
    tables = [Remote(url).set_table("shark", "shark") for _ in range(4)]
    told: list[list[Event]] = [[] for _ in range(8)]

    def follow(number: int) -> None:
        with tables[number % 4].following() as events:
            for event in events:
                told[number].append(event)
                if len(told[number]) > 12:
                    return

    followers = [threading.Thread(target=follow, args=[number]) for number in range(8)]
    for follower in followers:
        follower.start()
    wait_for(lambda: kept.open == 8)
    pages = [Remote(url).ask("GET", page)[0] for _ in range(5) for page in ("/", "/new", "/rules", "/play")]
    assert pages == [200] * 20
    assert [table.turn(number) for number in range(3) for table in tables] == [200] * 12
    for follower in followers:
        follower.join(30)
    assert all(len(events) > 12 for events in told)
    # Two pages of one table were told the same.
    for first, second in zip(told[:4], told[4:], strict=True):
        both = {event.id: event.data for event in first if event.kind == "change"}
        again = {event.id: event.data for event in second if event.kind == "change"}
        assert both.keys() & again.keys()
        assert all(both[number] == again[number] for number in both.keys() & again.keys())
    wait_for(lambda: kept.open == 0)


def test_more_pages_than_streams_and_the_site_still_answers(server: tuple[str, Flask]) -> None:
    url, app = server
    app.extensions["nerts"]["streams"] = kept = Streams(most=6)
    tables = [Remote(url).set_table("family") for _ in range(4)]
    with ExitStack() as pages:
        for number in range(12):
            next(pages.enter_context(tables[number % 4].following()))
        assert kept.open <= 6
        assert Remote(url).ask("GET", "/")[0] == 200
        assert [table.turn(1) for table in tables] == [200] * 4
    wait_for(lambda: kept.open == 0)


def test_a_page_that_goes_away_frees_its_thread_at_once(server: tuple[str, Flask]) -> None:
    url, app = server
    kept: Streams = app.extensions["nerts"]["streams"]
    table = Remote(url).set_table("family")
    with table.following() as events:
        next(events)
        assert kept.open == 1
    began = real_time.monotonic()
    wait_for(lambda: kept.open == 0)
    assert real_time.monotonic() - began < streams.HEARTBEAT_SECONDS


def test_a_page_that_reads_nothing_holds_up_nobody(server: tuple[str, Flask]) -> None:
    url, app = server
    table = Remote(url).set_table("shark", "shark", "shark", "shark", "shark")
    host, port = table.place.split(":")
    with socket.create_connection((host, int(port))) as dead:
        dead.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        dead.sendall(f"GET {table.path}/events HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        with table.following() as events:
            hello = next(events)
            table.turn(1)
            later = [next(events) for _ in range(25)]
        assert hello.kind == "hello"
        assert later[-1].id is not None and hello.id is not None
        assert later[-1].id >= hello.id + 25
    kept: Streams = app.extensions["nerts"]["streams"]
    wait_for(lambda: kept.open == 0)


def test_stopping_the_server_ends_the_streams(tmp_path: Path) -> None:
    with served(tmp_path / "data", FakeReader([CLEAN])) as (url, app):
        app.config["WTF_CSRF_ENABLED"] = False
        table = Remote(url).set_table("family")
        with table.following() as events:
            next(events)
            app.extensions["nerts"]["hall"].close()
            assert "gone" not in {event.kind for event in events}
        kept: Streams = app.extensions["nerts"]["streams"]
        wait_for(lambda: kept.open == 0)
