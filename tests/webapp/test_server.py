"""The command `serve` as a process of its own: what it prints, and that it can be killed at any moment."""

from __future__ import annotations

import http.client
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import pytest

from scorer.store import Store

ROOT = Path(__file__).parents[2]
SERVE = "from webapp.commands import serve; serve()"


@dataclass
class Server:
    process: subprocess.Popen[str]
    port: int
    printed: str

    def ask(
        self, method: str, path: str, form: dict[str, object] | None = None, cookie: str = ""
    ) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        headers = {"Cookie": cookie} | ({"Content-Type": "application/x-www-form-urlencoded"} if form else {})
        connection.request(method, path, urlencode(form) if form else None, headers)
        answer = connection.getresponse()
        answer.body = answer.read().decode()  # type: ignore[attr-defined]
        connection.close()
        return answer


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    command = [sys.executable, "-c", SERVE, "--data", str(folder), "--host", "127.0.0.1", "--port", "0"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment) as process:
        assert process.stdout is not None
        printed = ""
        while "Stop it" not in printed:
            line = process.stdout.readline()
            assert line, printed
            printed += line
        port = re.search(r"http://127\.0\.0\.1:(\d+)", printed)
        assert port is not None
        try:
            yield Server(process, int(port[1]), printed)
        finally:
            process.kill()


class Player:
    """Types rounds until the server is gone, and remembers which were confirmed."""

    def __init__(self, server: Server) -> None:
        self.server, self.confirmed = server, 0
        page = server.ask("GET", "/new")
        self.cookie = (page.getheader("Set-Cookie") or "").split(";")[0]
        self.csrf = self.token_of(page)
        form = {"name-1": "Ann", "name-2": "Ben", "preset": "house", "target": 10000, "end": "target"}
        defaults = {"nerts_penalty": 2, "caller_bonus": 0, "king_bonus": 0, "false_call_penalty": 0}
        more = {"hands_to_win": 5, "nerts_size": 13, "jokers": 0, "csrf_token": self.csrf}
        self.match = server.ask("POST", "/new", form | defaults | more, self.cookie).getheader("Location")

    @staticmethod
    def token_of(page: http.client.HTTPResponse) -> str:
        found = re.search(r'name="csrf_token" value="([^"]+)"', page.body)  # type: ignore[attr-defined]
        assert found is not None
        return found[1]

    def round(self, number: int) -> dict[str, object]:
        hands = {"out-p1": number % 40, "left-p1": 0, "out-p2": 1, "left-p2": 3}
        more = {"token": f"tap-{number:06d}", "played": number, "csrf_token": self.csrf}
        return {"caller": "p1", **hands, **more}

    def play(self) -> None:
        while True:
            try:
                answer = self.server.ask("POST", f"{self.match}type", self.round(self.confirmed), self.cookie)
            except (OSError, http.client.HTTPException):
                return
            assert answer.status == 302
            self.confirmed += 1


def test_it_prints_how_phones_reach_it(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as server:
        assert re.search(r"[▀▄█]{5}", server.printed)
        admin = re.search(r"http://[\d.:]+(/admin/\S+)", server.printed)
        assert admin is not None
        assert server.ask("GET", admin[1]).status == 200
        assert server.ask("GET", "/").status == 200


def test_two_hundred_phones_that_stay_connected_leave_room_for_another(tmp_path: Path) -> None:
    """Browsers keep connections open; who comes last must not wait until somebody leaves."""
    with serving(tmp_path / "data") as server, ExitStack() as open_phones:
        for _phone in range(200):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
            open_phones.callback(connection.close)
            connection.request("GET", "/manifest.webmanifest")
            connection.getresponse().read()
        assert server.ask("GET", "/").status == 200


def test_a_second_server_on_the_folder_is_refused(tmp_path: Path) -> None:
    with serving(tmp_path / "data"):
        command = [sys.executable, "-c", SERVE, "--data", str(tmp_path / "data"), "--port", "0"]
        second = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=30)
    assert second.returncode == 1
    assert "already running" in second.stderr


@pytest.mark.parametrize("seed", range(2))
def test_a_server_killed_while_scoring_loses_and_doubles_nothing(tmp_path: Path, seed: int) -> None:
    with serving(tmp_path / "data") as server:
        player = Player(server)
        playing = threading.Thread(target=player.play)
        playing.start()
        time.sleep(0.4 + random.Random(seed).random())
        server.process.send_signal(signal.SIGKILL)
        playing.join()
    assert player.confirmed > 3
    with serving(tmp_path / "data") as server:
        # The phone tries its last round again: it counts once, whether or not it had arrived.
        answer = server.ask("POST", f"{player.match}type", player.round(player.confirmed), player.cookie)
        assert answer.status in (302, 409)
    store = Store(tmp_path / "data")
    (match,) = store.matches.all()
    outs = [one.entries[0].out for one in match.state.rounds]
    assert outs == [number % 40 for number in range(player.confirmed + 1)]
    store.close()


def test_an_upload_cut_off_in_the_middle_leaves_nothing(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as server:
        player = Player(server)
        assert player.match is not None
        form = {"csrf_token": player.csrf}
        sheet = server.ask("POST", f"{player.match}sheet", form, player.cookie).getheader("Location")
        head = (
            f"POST {sheet}/photo HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {player.cookie}\r\n"
            f"X-CSRFToken: {player.csrf}\r\nContent-Type: multipart/form-data; boundary=x\r\n"
            "Content-Length: 500000\r\n\r\n--x\r\n"
            'Content-Disposition: form-data; name="photo"; filename="a.jpg"\r\n\r\n'
        )
        with socket.create_connection(("127.0.0.1", server.port)) as half:
            half.sendall(head.encode() + b"\xff\xd8" + os.urandom(100_000))
        assert server.ask("GET", "/").status == 200
        assert "No photo" not in server.ask("GET", sheet or "", cookie=player.cookie).body  # type: ignore[attr-defined]
    assert list((tmp_path / "data" / "photos").iterdir()) == []
