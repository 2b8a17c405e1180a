"""Start: the matches of this phone, a new match, an imported one."""

from __future__ import annotations

import secrets
from typing import Any

from flask import Blueprint, abort, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from scorer.errors import ScorerError
from scorer.scoring import LIMITS, PRESETS
from scorer.store import Opened, Seat
from webapp import access, forms, preferences, security
from webapp.board import Board
from webapp.transfer import MAX_IMPORT_BYTES, from_export

blueprint = Blueprint("start", __name__)

Answer = str | Response | tuple[str, int]


@blueprint.get("/")
def index() -> Answer:
    """List the matches this phone has opened."""
    keys = preferences.known_matches()
    return render_template("start.html", matches=_listed(access.store().matches.by_keys(keys), set(keys)))


@blueprint.get("/admin/<key>")
@security.joining
def admin(key: str) -> Answer:
    """List every match; only with the link the server prints when it starts."""
    if not secrets.compare_digest(key, access.store().matches.setting("admin_key")):
        abort(404)
    return render_template("start.html", matches=_listed(access.store().matches.all(), None), admin=True)


def _listed(matches: list[Opened], keys: set[str] | None) -> list[dict[str, Any]]:
    """Pair each match with the link it is opened by: editing, where this phone may."""
    return [
        {
            "board": Board(one.state),
            "changed": one.changed,
            "key": one.links.edit_key if keys is None or one.links.edit_key in keys else one.links.view_key,
        }
        for one in matches
    ]


@blueprint.get("/new")
def new() -> Answer:
    """Show the form of a new match, on request with the people of an earlier one."""
    seats = _seats_of(request.args.get("like", ""))
    return _form(forms.Setup(seats, PRESETS["classic"], "classic", {}))


def _seats_of(key: str) -> tuple[Seat, ...]:
    return access.to_view(key).state.seats if key else ()


@blueprint.post("/new")
@security.new_matches
def create() -> Answer:
    """Start a match."""
    setup = forms.setup(request.form)
    if setup.errors:
        return _form(setup), 422
    payload = setup_json(setup)
    links = access.store().matches.create(payload, token=request.form.get("token", "")[:40] or None)
    preferences.remember_match(links.edit_key)
    return redirect(url_for("board.show", key=links.edit_key))


def setup_json(setup: forms.Setup) -> dict[str, Any]:
    """Return players and rules as an event carries them."""
    return {
        "seats": [seat.to_json() for seat in setup.seats],
        "rules": setup.rules.to_json(),
        "preset": setup.preset,
    }


def _form(setup: forms.Setup) -> str:
    return render_template(
        "new.html",
        setup=setup,
        form=request.form,
        names=_remembered_names(),
        token=secrets.token_urlsafe(12),
        limits=LIMITS,
    )


def _remembered_names() -> list[str]:
    """Names from the matches this phone knows, the latest first; nobody else's."""
    matches = access.store().matches.by_keys(preferences.known_matches()[:20])
    names = [name for one in matches for seat in one.state.seats for name in seat.names]
    return list(dict.fromkeys(names))[:12]


@blueprint.post("/import")
@security.new_matches
def import_match() -> Answer:
    """Start a match from an exported file."""
    upload = request.files.get("file")
    data = b"" if upload is None else upload.read(MAX_IMPORT_BYTES + 1)
    try:
        payload, readings = from_export(data)
    except ScorerError as error:
        return render_template("error.html", sentence=_(str(error)), status=422), 422
    for reading in readings:
        access.store().sheets.keep(reading)
    links = access.store().matches.create(payload)
    preferences.remember_match(links.edit_key)
    return redirect(url_for("board.show", key=links.edit_key))


@blueprint.post("/forget/<key>")
def forget(key: str) -> Answer:
    """Take a match off this phone's list."""
    preferences.forget_match(key)
    return redirect(url_for("start.index"))


@blueprint.get("/manifest.webmanifest")
def manifest() -> dict[str, Any]:
    """Describe the companion to a phone that puts it on its home screen."""
    icon = {"src": url_for("static", filename="icon.svg"), "type": "image/svg+xml", "sizes": "any"}
    return {
        "name": _("Nerts companion"),
        "short_name": "Nerts",
        "start_url": url_for("start.index"),
        "display": "standalone",
        "background_color": "#f5f4f0",
        "theme_color": "#f5f4f0",
        "icons": [icon],
    }
