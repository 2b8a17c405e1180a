"""A person at a table of the software game, for tests that speak of moves, seats and rounds."""

from __future__ import annotations

import itertools
import json
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from webapp.play import attendance, clock, flood, saved
from webapp.play.table import LiveTable

Message = dict[str, Any]


class Time:
    """The time of the server, which a test can push forward; under it the deals are always the same."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._ahead = 0.0
        self._stopped: float | None = None
        for module in (attendance, clock, flood):
            monkeypatch.setattr(module, "monotonic", self.now)
        deals = itertools.count(1)
        monkeypatch.setattr(saved, "new_seed", lambda: f"deal {next(deals)}")

    def now(self) -> float:
        real = time.monotonic() if self._stopped is None else self._stopped
        return real + self._ahead

    def stops(self) -> None:
        """From now on it is only what the test says that passes."""
        self._stopped = time.monotonic()

    def passes(self, seconds: float) -> None:
        self._ahead += seconds


@dataclass(eq=False)
class Player:
    """A browser with its own cookies, at a seat of a table once it has a key."""

    app: Flask
    path: str = ""
    """Of the table, such as "/play/key"."""
    page: str = "page"
    """What the loaded page calls itself."""
    client: FlaskClient = field(init=False)
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    idle: int = 0
    """Moves since the last one that moved a card."""

    def __post_init__(self) -> None:
        self.client = self.app.test_client()

    # Setting up.

    def set_table(self, *bots: str, name: str = "Ann", rules: str = "classic", **form: str) -> Player:
        answer = self.send_form("/play", name=name, bot=list(bots or ("family",)), rules=rules, **form)
        assert answer.status_code == 303, answer.text
        self.path = answer.location
        return self

    def join(self, invitation: str, name: str, **form: str) -> Player:
        answer = self.send_form(invitation, name=name, **form)
        assert answer.status_code == 303, answer.text
        self.path = answer.location
        return self

    def send_form(self, path: str, **form: object) -> TestResponse:
        return self.client.post(path, data=form)

    def other_tab(self, page: str = "other") -> Player:
        """The same seat in another tab."""
        tab = Player(self.app, self.path, page)
        tab.client = self.client
        return tab

    # Playing.

    @property
    def key(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def table(self) -> LiveTable:
        found = self.app.extensions["nerts"]["hall"].by_key(self.key)
        assert found is not None
        return found[0]

    @property
    def seat(self) -> int:
        found = self.app.extensions["nerts"]["hall"].by_key(self.key)
        assert found is not None
        return found[1]

    def hello(self) -> Message:
        """Everything the page would be told if it were loaded now."""
        return self.table.hello(self.seat)

    def places(self) -> dict[str, list[str]]:
        return self.hello()["change"]

    def legal(self) -> list[str]:
        return self.client.get(f"{self.path}/legal").json["moves"]

    def send(self, move: object, number: object = None, **more: object) -> TestResponse:
        """Send a move as the page does."""
        sent = {"move": move, "number": next(self.numbers) if number is None else number}
        return self.client.post(f"{self.path}/move", json={"client": self.page, **sent, **more})

    def play(self, move: str) -> int:
        """Make a move, and wait for the card to come down."""
        answer = self.send(move)
        assert answer.status_code == 200, answer.text
        return answer.json["seq"]

    def refused(self, move: object, status: int = 409, number: object = None) -> str:
        answer = self.send(move, number)
        assert answer.status_code == status, answer.text
        assert answer.json["ok"] is False
        sentence = answer.json["error"]
        assert sentence.endswith(".") and ". " not in sentence
        return sentence

    def press(self, button: str) -> TestResponse:
        return self.client.post(f"{self.path}/{button}", headers={"Accept": "application/json"})

    def records(self) -> list[Any]:
        played = self.table._round
        return [] if played is None else [*played.records]

    def moves_made(self) -> list[str]:
        """The own moves as recorded."""
        return [str(one.move)[3:] for one in self.records() if one.move.seat == self.seat]

    def until_over(self, time: Time, seed: int = 1, others: Sequence[Player] = ()) -> Message:
        """Play like children until the round is over: any move that is allowed, one every 0.8 seconds."""
        rng = random.Random(seed)
        time.stops()
        for _ in range(3000):
            time.passes(0.8)
            here = self.hello()
            if here["phase"] != "playing":
                return here
            for player in (self, *others):
                player.make_any_move(rng)
        raise AssertionError("the round has no end")

    def make_any_move(self, rng: random.Random) -> None:
        moves = self.legal()
        # Runs moved to and fro between work piles would go on for ever.
        cards = [move for move in moves if ":" in move and (move[0] in "NW" or ">F" in move)]
        cards += [move for move in moves if move == "nerts!"]
        if cards:
            self.send(rng.choice(cards))
            self.idle = 0
        elif moves:
            self.send("stuck" if "stuck" in moves and self.idle > 30 else moves[0])
            self.idle += 1

    # Following.

    @contextmanager
    def following(self, last: int | None = None, since: int | None = None) -> Iterator[Iterator[Event]]:
        """The events of the table, one after another."""
        headers = {} if last is None else {"Last-Event-ID": str(last)}
        query = "" if since is None else f"?since={since}"
        answer = self.client.get(f"{self.path}/events{query}", headers=headers, buffered=False)
        assert answer.status_code == 200
        assert answer.mimetype == "text/event-stream"
        try:
            yield parsed(answer.iter_encoded())
        finally:
            answer.close()


@dataclass(frozen=True)
class Event:
    kind: str
    id: int | None
    data: Message


def parsed(chunks: Iterator[bytes]) -> Iterator[Event]:
    """Read a stream of events as browsers do."""
    text = ""
    for chunk in chunks:
        text += chunk.decode()
        while "\n\n" in text:
            block, _, text = text.partition("\n\n")
            fields = dict(line.split(": ", 1) for line in block.split("\n") if not line.startswith(":"))
            if "event" in fields:
                number = int(fields["id"]) if "id" in fields else None
                yield Event(fields["event"], number, json.loads(fields["data"]))
