"""Load: 200 phones watch one match while 20 matches are scored; run it with `python -m tests.webapp.load`."""

from __future__ import annotations

import argparse
import asyncio
import gzip
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

ROOT = Path(__file__).parents[2]
SERVE = """
import sys
from pathlib import Path
from waitress.server import create_server
from webapp import Config, create_app
from webapp.commands import CONNECTIONS, THREADS_FOR_PAGES
from webapp.play.streams import MOST
server = create_server(create_app(Config(folder=Path(sys.argv[1]), limits=False)),
                       host="127.0.0.1", port=0, threads=THREADS_FOR_PAGES + MOST,
                       connection_limit=CONNECTIONS, asyncore_use_poll=True)
print(server.effective_port, flush=True)
server.run()
"""
POLL_SECONDS = 2.0
ROUND_SECONDS = 3.0


@dataclass
class Figures:
    seconds: dict[str, list[float]] = field(default_factory=dict)
    failed: int = 0

    def note(self, what: str, seconds: float) -> None:
        self.seconds.setdefault(what, []).append(seconds)


class Phone:
    """One connection that is kept open, as browsers do."""

    def __init__(self, port: int, figures: Figures) -> None:
        self.port, self.figures = port, figures
        self.cookie, self.streams = "", None

    async def ask(
        self, what: str, method: str, path: str, form: dict[str, object] | None = None, etag: str = ""
    ):  # type: ignore[no-untyped-def]
        began = time.perf_counter()
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        body = urlencode(form or {})
        lines = [
            f"{method} {path} HTTP/1.1",
            "Host: 127.0.0.1",
            f"Cookie: {self.cookie}",
            "Accept-Encoding: gzip",
        ]
        lines += [f"If-None-Match: {etag}"] if etag else []
        lines += (
            ["Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(body)}"]
            if form
            else []
        )
        writer.write(("\r\n".join(lines) + "\r\n\r\n" + (body if form else "")).encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = re.search(r"(?i)content-length: (\d+)", head)
        content = await reader.readexactly(int(length[1])) if length else b""
        self.figures.note(what, time.perf_counter() - began)
        if "connection: close" in head.lower() or " 304 " in head.split("\r\n")[0]:
            # Answers without content end the connection.
            writer.close()
            self.streams = None
        status = int(head.split()[1])
        if status >= 400:
            self.figures.failed += 1
        found = re.search(r"(?i)set-cookie: ([^;]+)", head)
        self.cookie = found[1] if found else self.cookie
        return status, head, content


async def new_match(phone: Phone) -> tuple[str, str]:
    _status, _head, content = await phone.ask("page", "GET", "/new")
    csrf = re.search(r'name="csrf_token" value="([^"]+)"', gzip.decompress(content).decode())
    assert csrf is not None
    form = {f"name-{n}": f"Player {n}" for n in range(1, 5)} | {"preset": "house", "target": 10000}
    form |= {"nerts_penalty": 2, "caller_bonus": 0, "king_bonus": 0, "false_call_penalty": 0, "end": "target"}
    form |= {"hands_to_win": 5, "nerts_size": 13, "jokers": 0, "csrf_token": csrf[1]}
    _status, head, _content = await phone.ask("new", "POST", "/new", form)
    location = re.search(r"(?i)location: (\S+)", head)
    assert location is not None
    return location[1], csrf[1]


async def view_link(phone: Phone, match: str) -> str:
    """The link that the QR code on the scoreboard hands out."""
    _status, _head, content = await phone.ask("page", "GET", f"{match}share")
    found = re.search(r'class="link"[^>]*>http://[^/]+(/m/[^<]+)<', gzip.decompress(content).decode())
    assert found is not None
    return found[1]


async def score(phone: Phone, match: str, csrf: str, until: float, confirmed: dict[str, int]) -> None:
    played = 0
    while time.perf_counter() < until:
        form: dict[str, object] = {
            "token": f"tap-{played:08d}",
            "played": played,
            "caller": "p1",
            "csrf_token": csrf,
        }
        form |= {f"out-p{n}": played % 40 for n in range(1, 5)} | {f"left-p{n}": 0 for n in range(1, 5)}
        began = time.perf_counter()
        status, _head, _content = await phone.ask("score", "POST", f"{match}type", form)
        assert status == 302, status
        played += 1
        confirmed[match] = played
        await phone.ask("scoreboard", "GET", match)
        await asyncio.sleep(max(0.0, ROUND_SECONDS - (time.perf_counter() - began)))


async def watch(phone: Phone, match: str, until: float, delay: float) -> None:
    etag = ""
    await asyncio.sleep(delay)
    while time.perf_counter() < until:
        _status, head, _content = await phone.ask("watch", "GET", f"{match}live", etag=etag)
        found = re.search(r"(?i)etag: (\S+)", head)
        etag = found[1] if found else etag
        await asyncio.sleep(POLL_SECONDS)


async def evening(port: int, watchers: int, matches: int, seconds: float) -> tuple[Figures, dict[str, int]]:
    figures, confirmed = Figures(), {}
    phones = [Phone(port, figures) for _match in range(matches)]
    started = [await new_match(phone) for phone in phones]
    watched = await view_link(phones[0], started[0][0])
    until = time.perf_counter() + seconds
    views = [Phone(port, figures) for _phone in range(watchers)]
    await asyncio.gather(
        *(score(phone, *match, until, confirmed) for phone, match in zip(phones, started, strict=True)),
        *(watch(view, watched, until, POLL_SECONDS * n / watchers) for n, view in enumerate(views)),
    )
    return figures, confirmed


def memory(pid: int) -> int:
    """The most memory the server has held, in MB."""
    peak = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(peak[1]) // 1024 if peak else 0


def busy(pid: int) -> float:
    """Seconds of processor time the server has used; on a shared machine this says more than the waiting."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def lost(folder: Path, confirmed: dict[str, int]) -> int:
    from scorer.store import Store

    store = Store(folder)
    kept = {f"/m/{one.links.edit_key}/": len(one.state.rounds) for one in store.matches.all()}
    store.close()
    return sum(abs(kept[match] - rounds) for match, rounds in confirmed.items())


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--watchers", type=int, default=200)
    options.add_argument("--matches", type=int, default=20)
    options.add_argument("--seconds", type=float, default=30)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "data"
        command = [sys.executable, "-c", SERVE, str(folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as server:
            assert server.stdout is not None
            try:
                port = int(server.stdout.readline())
                figures, confirmed = asyncio.run(
                    evening(port, chosen.watchers, chosen.matches, chosen.seconds)
                )
                print(
                    f"memory of the server: {memory(server.pid)} MB at most, processor: {busy(server.pid):.1f} s"
                )
            finally:
                server.kill()
        print(f"rounds scored: {sum(confirmed.values())}, lost or doubled: {lost(folder, confirmed)}")
    print(
        f"requests: {sum(map(len, figures.seconds.values())) / chosen.seconds:.0f}/s, failed: {figures.failed}"
    )
    for what, seconds in figures.seconds.items():
        p95 = statistics.quantiles(seconds, n=20)[-1] if len(seconds) > 1 else seconds[0]
        print(
            f"{what}: {len(seconds)} times, median {1000 * statistics.median(seconds):.0f} ms, p95 {1000 * p95:.0f} ms"
        )


if __name__ == "__main__":
    main()
