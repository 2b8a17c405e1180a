"""Replays: the record of a round, card by card, be it of a table here or of a file that somebody brought."""

from __future__ import annotations

import dataclasses
from typing import cast

from flask import (
    Blueprint,
    Response,
    abort,
    current_app,
    jsonify,
    redirect,
    render_template,
    request,
    url_for,
)
from flask_babel import gettext as _
from werkzeug.wrappers import Response as BaseResponse

from scorer.errors import RecordError
from scorer.game.playback import replay_json
from scorer.game.record import Recording
from webapp import security
from webapp.play import Library
from webapp.play.library import MAX_BYTES

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
    file = request.files.get("file")
    content = b"" if file is None else file.read(MAX_BYTES + 1)
    if not content:
        raise RecordError(_("Choose the file of a record first: it ends in .jsonl."))
    return redirect(url_for("replays.show", name=library().add(content)), 303)
