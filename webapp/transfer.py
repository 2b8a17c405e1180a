"""A match as a file: JSON with everything (readings too), CSV with the scores."""

from __future__ import annotations

import csv
import io
import json
import secrets
from typing import Any

from scorer.errors import NotationError, ScorerError
from scorer.reading import Reading
from scorer.store import MatchState, Store
from scorer.store.state import fold
from webapp.board import Board

VERSION = 1
MAX_IMPORT_BYTES = 20 * 1024 * 1024
_FORMAT = "nerts-match"


def to_export(store: Store, state: MatchState) -> dict[str, Any]:
    """Return the match as JSON; photos are named by hash, their readings are in it."""
    digests = {name for one in state.rounds for name in (one.machine, one.confirmed) if name}
    return {
        "format": _FORMAT,
        "version": VERSION,
        "seats": [seat.to_json() for seat in state.seats],
        "rules": state.rules.to_json(),
        "preset": state.preset,
        "rounds": [one.to_json() for one in state.rounds],
        "backs": dict(state.backs),
        "note": state.note,
        "readings": {digest: store.sheets.reading(digest) for digest in sorted(digests)},
    }


def from_export(data: bytes) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Read an exported match: the payload of its "created" event, and its readings."""
    if len(data) > MAX_IMPORT_BYTES:
        raise NotationError(
            f"The file is larger than {MAX_IMPORT_BYTES // 2**20} MB: this is no exported match."
        )
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        raise NotationError(
            "The file is not an exported match: choose the .json file of an export."
        ) from None
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise NotationError("The file is not an exported match: choose the .json file of an export.")
    if content.get("version") != VERSION:
        raise NotationError("The file was written by a newer version: update nerts to import it.")
    return _checked(content)


def _checked(content: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Build the match once: what cannot be folded and scored is refused here, not on a page later."""
    names = ("seats", "rules", "preset", "rounds", "backs", "note")
    try:
        payload = {name: content[name] for name in names}
        # Photos stay where they were taken: the file holds their readings only.
        payload["rounds"] = [dict(one, id=secrets.token_urlsafe(6), photos=[]) for one in payload["rounds"]]
        state = fold([("created", payload)])
        _check_types(state)
        Board(state).lines  # noqa: B018 - computing is the check
        readings = dict(content["readings"])
        for reading in readings.values():
            Reading.from_json(reading)
    except ScorerError as error:
        raise NotationError(f"The exported match cannot be used: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError, StopIteration, IndexError):
        raise NotationError("The exported match is damaged: export it again.") from None
    payload["rounds"] = [_with_known_readings(one, readings) for one in payload["rounds"]]
    return payload, list(readings.values())


def _check_types(state: MatchState) -> None:
    ids = [seat.id for seat in state.seats]
    if len(set(ids)) < len(ids) or not all(
        isinstance(name, str) for seat in state.seats for name in seat.names
    ):
        raise NotationError("its players are damaged.")
    for one in state.rounds:
        for entry in one.entries:
            if entry.seat not in ids or any(type(n) is not int or n < 0 for n in (entry.out, entry.left)):
                raise NotationError("a round has numbers that cannot be scored.")
        if type(one.at) is not int or not isinstance(one.source, str) or one.first not in (None, *ids):
            raise NotationError("a round is damaged.")
    if not isinstance(state.note, str):
        raise NotationError("its note is damaged.")


def _with_known_readings(one: dict[str, Any], readings: dict[str, Any]) -> dict[str, Any]:
    """A round names only readings that came with it."""
    return one | {name: one[name] if one[name] in readings else None for name in ("machine", "confirmed")}


def to_csv(state: MatchState) -> str:
    """Return one row per round and player: raw inputs, score and total."""
    board = Board(state)
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(
        ["round", "player", "cards out", "cards left", "kings", "called", "false calls", "score", "total"]
    )
    history = board.match.history
    for number, (kept, score) in enumerate(zip(state.rounds, board.scores, strict=True), 1):
        points = score.scores
        for seat in state.seats:
            entry = kept.entry(seat.id)
            if entry is None:
                continue
            raw = [entry.out, entry.left, entry.kings, int(entry.called), entry.false_calls]
            total = history[number - 1][seat.name]
            writer.writerow([number, _harmless(seat.name), *raw, points[seat.name], total])
    return stream.getvalue()


def _harmless(name: str) -> str:
    """A name that a spreadsheet would run as a formula is written as text."""
    return f"'{name}" if name[:1] in ("=", "+", "-", "@", "\t", "\r") else name
