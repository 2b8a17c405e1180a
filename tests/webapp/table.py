"""A phone at the table, for tests that speak of players, rounds and totals."""

from __future__ import annotations

import html
import io
import itertools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic, sleep

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from scorer.store import MatchState, Store

_TOKENS = itertools.count(1)


def token() -> str:
    return f"token-{next(_TOKENS):06d}"


@dataclass(eq=False)
class Phone:
    """A browser with its own cookies; it opens a match by one of its links."""

    app: Flask
    match: str = ""
    """Path of the match, such as "/m/key/"."""
    client: FlaskClient = field(init=False)

    def __post_init__(self) -> None:
        self.client = self.app.test_client()

    @property
    def store(self) -> Store:
        store: Store = self.app.extensions["nerts"]["store"]
        return store

    @property
    def key(self) -> str:
        return self.match.split("/")[2]

    @property
    def match_id(self) -> int:
        found = self.store.matches.find(self.key)
        assert found is not None
        return found.id

    @property
    def state(self) -> MatchState:
        return self.store.matches.open(self.match_id).state

    def get(self, path: str = "") -> TestResponse:
        return self.client.get(self.match + path)

    def post(self, path: str, **form: object) -> TestResponse:
        return self.client.post(self.match + path, data={name: str(value) for name, value in form.items()})

    def new_match(self, *names: str, **form: object) -> Phone:
        """Start a match and open it."""
        fields = {f"name-{number}": name for number, name in enumerate(names, 1)}
        answer = self.client.post("/new", data={"preset": "classic", "token": token(), **fields, **form})
        assert answer.status_code == 302, sentence(answer)
        self.match = answer.location
        return self

    def other(self, *, view: bool = False) -> Phone:
        """Another phone that opens the same match."""
        links = self.store.matches.open(self.match_id).links
        return Phone(self.app, f"/m/{links.view_key if view else links.edit_key}/")

    def round_form(
        self, hands: Mapping[str, tuple[object, object]], caller: str | None = None, **more: object
    ) -> dict[str, object]:
        """Fill in the form of a round: cards out and cards left by name."""
        ids = {seat.name: seat.id for seat in self.state.seats}
        form: dict[str, object] = {"token": token(), "played": len(self.state.rounds)}
        form["caller"] = "none" if caller is None else ids[caller]
        for name, (out, left) in hands.items():
            form |= {f"out-{ids[name]}": out, f"left-{ids[name]}": left}
        return form | more

    def type_round(
        self, hands: Mapping[str, tuple[object, object]], caller: str | None = None, **more: object
    ) -> TestResponse:
        """Type a round and confirm it."""
        return self.post("type", **self.round_form(hands, caller, **more))

    def edit_round(
        self, number: int, hands: Mapping[str, tuple[object, object]], caller: str | None = None
    ) -> TestResponse:
        """Correct the numbers of a round as it stands."""
        kept = self.state.rounds[number - 1]
        form = self.round_form(hands, caller, seen=kept.changed or 0)
        return self.post(f"round/{kept.id}/edit", **form)

    def totals(self) -> dict[str, int]:
        """Read the totals off the scoreboard."""
        page = self.get().text
        rows = re.findall(
            r'<span translate="no">([^<]+)</span></div>.*?class="total">([^<]+)<', page, re.DOTALL
        )
        return {html.unescape(name): int(total.replace("−", "-")) for name, total in rows}

    def winners(self) -> list[str]:
        """Read the winners off the scoreboard."""
        found = re.search(r'class="winner".*?class="names"[^>]*>([^<]+)<', self.get().text, re.DOTALL)
        return found[1].split(" · ") if found else []

    def undo(self) -> TestResponse:
        step = self.store.matches.open(self.match_id).undo
        assert step is not None
        return self.post("undo", seq=step.seq)

    def redo(self) -> TestResponse:
        step = self.store.matches.open(self.match_id).redo
        assert step is not None
        return self.post("redo", seq=step.seq)

    # Photos.

    def start_sheet(self) -> str:
        """Begin a round from photos and return the path of its sheet."""
        answer = self.client.post(self.match + "sheet")
        assert answer.status_code == 302
        return str(answer.location).removeprefix(self.match)

    def send(self, sheet: str, *photos: bytes, name: str = "photo.jpg") -> TestResponse:
        """Upload photos."""
        files = [(io.BytesIO(photo), name) for photo in photos]
        return self.client.post(
            f"{self.match}{sheet}/photo", data={"photo": files}, headers={"Accept": "application/json"}
        )

    def read(self, *photos: bytes) -> str:
        """Take photos, have them read and return the path of the sheet in review."""
        sheet = self.start_sheet()
        assert self.send(sheet, *photos).status_code == 200
        assert self.post(f"{sheet}/read").status_code == 302
        self.wait(sheet, "review")
        return sheet

    def wait(self, sheet: str, status: str) -> None:
        """Wait until a sheet has come to a status."""
        end = monotonic() + 10
        while self.sheet(sheet).status != status:
            assert monotonic() < end, self.sheet(sheet)
            sleep(0.02)

    def sheet(self, path: str):  # type: ignore[no-untyped-def]
        found = self.store.sheets.get(self.match_id, path.split("/")[1])
        assert found is not None
        return found

    def correct(self, sheet: str, kind: str, version: int | None = None, **step: object) -> dict[str, object]:
        """Make a correction, on the version the store has unless told."""
        shown = self.sheet(sheet).version if version is None else version
        answer = self.client.post(
            f"{self.match}{sheet}/correct",
            json={"version": shown, "kind": kind, **step},
            headers={"Accept": "application/json"},
        )
        data: dict[str, object] = json.loads(answer.data)
        return data

    def confirm(self, sheet: str) -> TestResponse:
        return self.post(f"{sheet}/confirm", version=self.sheet(sheet).version)


def sentence(answer: TestResponse) -> str:
    """What a page says went wrong."""
    if answer.is_json:
        return str(answer.json["sentence"])
    found = re.findall(r'<h2>([^<]+)</h2>|class="error"[^>]*>([^<]+)<|notice[^>]*><p>([^<]+)<', answer.text)
    return html.unescape(" ".join(part for parts in found for part in parts if part))
