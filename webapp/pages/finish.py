"""The end of a match: winners, note, rematch, export."""

from __future__ import annotations

import json
import secrets
from datetime import UTC, datetime

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from webapp import access, preferences, security
from webapp.board import Board
from webapp.transfer import to_csv, to_export

blueprint = Blueprint("finish", __name__, url_prefix="/m/<key>")

MAX_NOTE = 2000
Answer = str | Response


@blueprint.get("/end")
@security.joining
def show(key: str) -> Answer:
    """Show who won, or how the match stands."""
    opened = access.to_view(key)
    token = secrets.token_urlsafe(12)
    return render_template(
        "end.html", access=opened, board=Board(opened.state), token=token, max_note=MAX_NOTE
    )


@blueprint.post("/note")
@security.joining
def note(key: str) -> Answer:
    """Keep a note with the match."""
    opened = access.to_edit(key)
    text = request.form.get("note", "").replace("\r\n", "\n").strip()[:MAX_NOTE]
    if text != opened.state.note:
        access.store().matches.append(opened.id, "note_changed", {"note": text})
    flash(_("Saved."), "done")
    return redirect(url_for("finish.show", key=key))


@blueprint.post("/rematch")
@security.joining
@security.new_matches
def rematch(key: str) -> Answer:
    """Start a match with the same people, rules and decks."""
    state = access.to_edit(key).state
    payload = {
        "seats": [seat.to_json() for seat in state.seats],
        "rules": state.rules.to_json(),
        "preset": state.preset,
        "backs": dict(state.backs),
    }
    links = access.store().matches.create(payload, token=request.form.get("token", "")[:40] or None)
    preferences.remember_match(links.edit_key)
    return redirect(url_for("board.show", key=links.edit_key))


@blueprint.get("/export.json")
@security.joining
def export_json(key: str) -> Response:
    """Download the match, readings included."""
    opened = access.to_view(key)
    text = json.dumps(to_export(access.store(), opened.state), ensure_ascii=False, indent=1)
    return _download(text, "application/json", "json")


@blueprint.get("/export.csv")
@security.joining
def export_csv(key: str) -> Response:
    """Download the scores."""
    return _download(to_csv(access.to_view(key).state), "text/csv; charset=utf-8", "csv")


def _download(text: str, kind: str, ending: str) -> Response:
    response = Response(text, content_type=kind)
    name = f"nerts-{datetime.now(UTC):%Y-%m-%d}.{ending}"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
