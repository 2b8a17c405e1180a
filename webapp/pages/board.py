"""The scoreboard, live on every phone that has it open, and the links that lead to it."""

from __future__ import annotations

import secrets
from functools import lru_cache

import segno
from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from flask_wtf.csrf import generate_csrf
from markupsafe import Markup
from werkzeug.wrappers import Response

from scorer.errors import StoreError
from scorer.scoring import LIMITS
from webapp import access, forms, security
from webapp.board import Board
from webapp.chart import chart
from webapp.live import Shared, unchanged
from webapp.pages.start import setup_json

blueprint = Blueprint("board", __name__, url_prefix="/m/<key>")

Answer = str | Response | tuple[str, int]

_shared = Shared()
_TOKEN = secrets.token_urlsafe(16)
"""Stands for the token that a phone's forms carry, in what all phones are shown alike."""


@blueprint.get("/")
@security.joining
def show(key: str) -> Answer:
    """Show the scoreboard."""
    opened = access.to_view(key)
    content = _content(opened)
    # Before the first round the code is part of what changes; later it waits below, folded up.
    follow = None if content["code"] else qr(_link(opened.opened.links.view_key))
    return render_template("board.html", **content, follow=follow)


@blueprint.get("/live")
@security.joining
def live(key: str) -> Answer:
    """Return the changing part of the scoreboard, or nothing if it is as the phone has it."""
    found = access.store().matches.find(key)
    if found is None:
        abort(404)
    # Only those who may score see that a round is being read.
    stages = access.store().sheets.stages(found.id) if found.may_edit else ""
    etag, same = unchanged(found, stages)
    if same is not None:
        return same
    html = _shared.get(f"{key} {etag}", lambda: _changing(key)).replace(_TOKEN, generate_csrf())
    response = Response(html, mimetype="text/html")
    response.set_etag(etag)
    response.headers["Cache-Control"] = "no-cache"
    return response


def _changing(key: str) -> str:
    """Render what is the same on every phone with this link; the token of its forms is put in for each."""
    content = _content(access.to_view(key))
    return render_template("board_live.html", **content, csrf_token=lambda: _TOKEN)


def _content(opened: access.Access) -> dict[str, object]:
    board = Board(opened.state)
    names = [seat.name for seat in opened.state.seats]
    goal = board.goal if opened.state.rules.end == "target" else None
    return {
        "access": opened,
        "board": board,
        "chart": chart(board.match.history, names, goal) if opened.state.rounds else None,
        # Before the first round everybody takes out his phone: then the code belongs on the scoreboard itself.
        "code": qr(_link(opened.opened.links.view_key)) if not opened.state.rounds else None,
        "sheets": access.store().sheets.open_sheets(opened.id) if opened.may_edit else [],
    }


@blueprint.get("/share")
@security.joining
def share(key: str) -> Answer:
    """Show the links of the match with their QR codes; the edit link only to those who have it."""
    opened = access.to_view(key)
    links = {"view": _link(opened.opened.links.view_key)}
    if opened.may_edit:
        links["edit"] = _link(opened.opened.links.edit_key)
    codes = {name: qr(link) for name, link in links.items()}
    return render_template("share.html", access=opened, links=links, codes=codes)


def _link(key: str) -> str:
    address = access.config().address or request.host_url.rstrip("/")
    return address + url_for("board.show", key=key)


@lru_cache(maxsize=256)
def qr(text: str) -> Markup:
    """Return a QR code as SVG without any style that the content policy would refuse."""
    return Markup(segno.make(text, error="m").svg_inline(border=0, omitsize=True, dark="#000"))


@blueprint.post("/undo")
@security.joining
def undo(key: str) -> Answer:
    """Undo the last change, the one the button named."""
    return _step(key, "undo")


@blueprint.post("/redo")
@security.joining
def redo(key: str) -> Answer:
    """Redo the change undone last, the one the button named."""
    return _step(key, "redo")


def _step(key: str, direction: str) -> Answer:
    opened = access.to_edit(key)
    seq = request.form.get("seq", type=int)
    if seq is None:
        abort(400)
    matches = access.store().matches
    try:
        (matches.undo if direction == "undo" else matches.redo)(opened.id, seq)
    except StoreError as error:
        flash(_(str(error)), "warn")
    else:
        flash(_("Undone.") if direction == "undo" else _("Done again."), "undo")
    return redirect(url_for("board.show", key=key))


@blueprint.get("/setup")
@security.joining
def setup(key: str) -> Answer:
    """Show players and rules of a running match, to change them."""
    opened = access.to_edit(key)
    state = opened.state
    return _setup_form(opened, forms.Setup(state.seats, state.rules, state.preset or forms.HOUSE, {}))


@blueprint.post("/setup")
@security.joining
def change_setup(key: str) -> Answer:
    """Change players or rules; all totals follow."""
    opened = access.to_edit(key)
    changed = forms.setup(request.form, before=opened.state)
    if changed.errors:
        return _setup_form(opened, changed), 422
    payload = setup_json(changed)
    token = request.form.get("token", "")[:40] or None
    access.store().matches.append(opened.id, "settings_changed", payload, token=token)
    flash(_("Saved."), "undo")
    return redirect(url_for("board.show", key=key))


def _setup_form(opened: access.Access, setup: forms.Setup) -> str:
    return render_template(
        "new.html",
        access=opened,
        setup=setup,
        form=request.form,
        names=[],
        token=secrets.token_urlsafe(12),
        limits=LIMITS,
    )
