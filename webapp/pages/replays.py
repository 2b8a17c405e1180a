"""Replays: the record of a round, card by card, be it of a table here or of a file that somebody brought."""

from __future__ import annotations

import dataclasses
import secrets
from contextlib import closing
from pathlib import Path
from typing import Any, cast

from flask import (
    Blueprint,
    Response,
    abort,
    current_app,
    jsonify,
    redirect,
    render_template,
    request,
    send_file,
    url_for,
)
from flask_babel import gettext as _
from werkzeug.wrappers import Response as BaseResponse

from scorer.errors import RecordError
from scorer.game.playback import replay_json
from scorer.game.record import Head, Recording
from scorer.scoring import PRESETS
from scorer.store import Seat
from webapp import access, preferences, security
from webapp.forms import HOUSE
from webapp.pages.photos import sheet_or_404
from webapp.play import Library
from webapp.play.library import MAX_BYTES
from webapp.play.photographs import Photographs

blueprint = Blueprint("replays", __name__, url_prefix="/replay")

Answer = str | BaseResponse | tuple[str, int]


def library() -> Library:
    """The records of the running application."""
    return cast(Library, current_app.extensions["nerts"]["library"])


def recording_or_404(name: str) -> Recording:
    """Return a record, or a page that does not exist."""
    found = library().read(name)
    if found is None:
        abort(404)
    return found


@blueprint.get("/<name>")
@security.joining
def show(name: str) -> str:
    """Show the player of replays."""
    recording = recording_or_404(name)
    title = " · ".join(seat.name for seat in recording.game.head.seats)
    return render_template("replay.html", replay_id=name, title=title, complete=recording.state.is_over)


@blueprint.get("/<name>.json")
@security.joining
def data(name: str) -> Response:
    """Return the round, frame by frame."""
    recording = recording_or_404(name)
    if recording.damage is not None:
        recording = dataclasses.replace(recording, damage=_(recording.damage))
    response = jsonify(replay_json(recording))
    # A record never changes under its name.
    response.headers["Cache-Control"] = "private, max-age=3600"
    return response


@blueprint.get("/<name>/record")
@security.joining
def record(name: str) -> Response:
    """Download the record."""
    path = library().find(name)
    if path is None:
        abort(404)
    response = Response(path.read_bytes(), mimetype="application/x-ndjson")
    response.headers["Content-Disposition"] = 'attachment; filename="nerts-round.jsonl"'
    return response


@blueprint.post("")
@security.joining
@security.new_matches
def upload() -> Answer:
    """Take in the record of a round."""
    content = b""
    if (file := request.files.get("file")) is not None:
        with closing(file):
            content = file.read(MAX_BYTES + 1)
    if not content:
        raise RecordError(_("Choose the file of a record first: it ends in .jsonl."))
    return redirect(url_for("replays.show", name=library().add(content)), 303)


# --- Photographs of the end ------------------------------------------------------------------------------------


def photographs() -> Photographs:
    """The photographs of the running application."""
    return cast(Photographs, current_app.extensions["nerts"]["photographs"])


@blueprint.get("/<name>/photos")
@security.joining
def photos(name: str) -> str:
    """Show the photographs of a round, or how far they are."""
    recording = recording_or_404(name)
    return render_template(
        "photographs.html",
        replay_id=name,
        progress=photographs().progress(name),
        decks=recording.game.head.tally(recording.state).decks,
        token=secrets.token_urlsafe(12),
    )


@blueprint.get("/<name>/photos/progress")
@security.joining
def photos_progress(name: str) -> Response:
    """Return how far the photographs are."""
    recording_or_404(name)
    progress = photographs().progress(name)
    response = Response(render_template("photographs_live.html", progress=progress), mimetype="text/html")
    # The page loads anew when there is something else to see.
    response.headers["X-Stage"] = "reading" if progress.stage in ("waiting", "working") else progress.stage
    return response


@blueprint.post("/<name>/photograph")
@security.joining
@security.new_matches
def photograph(name: str) -> BaseResponse:
    """Have a round photographed."""
    recording_or_404(name)
    photographs().start(name)
    return redirect(url_for("replays.photos", name=name), 303)


@blueprint.get("/<name>/photos/<any(faces, backs):side>.jpg")
@security.joining
def photo(name: str, side: str) -> BaseResponse:
    """Show one photograph."""
    faces, backs = _made(name)
    return send_file(faces if side == "faces" else backs, mimetype="image/jpeg")


@blueprint.get("/<name>/photos.zip")
@security.joining
def photos_zip(name: str) -> Response:
    """Download the photographs, with the truth about them."""
    _made(name)
    response = Response(photographs().zipped(name), mimetype="application/zip")
    response.headers["Content-Disposition"] = 'attachment; filename="nerts-round.zip"'
    return response


@blueprint.post("/<name>/score")
@security.joining
@security.new_matches
def score(name: str) -> BaseResponse:
    """Start a match of the companion with those who played, and have the photographs read for it."""
    head = recording_or_404(name).game.head
    files = _made(name)
    store = access.store()
    links = store.matches.create(_match_of(head), token=request.form.get("token", "")[:40] or None)
    preferences.remember_match(links.edit_key)
    opened = access.to_edit(links.edit_key)
    waiting = store.sheets.open_sheets(opened.id)
    sheet = waiting[0].key if waiting else store.sheets.start(opened.id)
    if not waiting:
        for file in files:
            store.sheets.add_photo(opened.id, sheet, file.read_bytes())
        access.readings().start(sheet_or_404(opened, sheet))
    return redirect(url_for("photos.show", key=links.edit_key, sheet=sheet), 303)


def _made(name: str) -> list[Path]:
    files = photographs().files(name) if library().find(name) else []
    if not files:
        abort(404)
    return files


def _match_of(head: Head) -> dict[str, Any]:
    """Return the start of a match with the players and the rules of a round."""
    seats = [Seat(f"p{place}", seat.players) for place, seat in enumerate(head.seats, 1)]
    named = (name for name, rules in PRESETS.items() if rules == head.rules)
    preset = next(named, HOUSE)
    return {"seats": [seat.to_json() for seat in seats], "rules": head.rules.to_json(), "preset": preset}
