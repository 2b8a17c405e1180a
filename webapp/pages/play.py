"""Play: set a table, join one, play at it."""

from __future__ import annotations

import functools
import json
import re
import secrets
from collections.abc import Callable
from typing import Any, cast

from flask import Blueprint, Response, current_app, jsonify, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as BaseResponse

from scorer.errors import IllegalMove, NotationError, RulesError, ScorerError
from scorer.game.bots import BOTS
from scorer.scoring import PRESETS
from webapp import access, preferences, security
from webapp.pages.board import qr
from webapp.play import Hall
from webapp.play.saved import MOST_SEATS, tidy
from webapp.play.streams import Streams
from webapp.play.table import Gone, LiveTable, TooFast
from webapp.texts import N_

blueprint = Blueprint("play", __name__, url_prefix="/play")

Answer = str | BaseResponse | tuple[str | BaseResponse, int]
MOST_MOVE = 60
"""The longest move has not half as many characters."""


def hall() -> Hall:
    """The hall of the running application."""
    return cast(Hall, current_app.extensions["nerts"]["hall"])


def _streams() -> Streams:
    return cast(Streams, current_app.extensions["nerts"]["streams"])


# --- Setting a table -------------------------------------------------------------------------------------------


@blueprint.get("")
def start() -> str:
    """Show the tables of this phone and the form of a new one."""
    return _start({}, {})


def _start(form: dict[str, Any], errors: dict[str, str]) -> str:
    return render_template(
        "play/start.html",
        tables=_own_tables(),
        presets=PRESETS,
        kinds=list(BOTS),
        most_bots=MOST_SEATS - 1,
        form=form,
        errors=errors,
        token=secrets.token_urlsafe(12),
    )


def _own_tables() -> list[dict[str, Any]]:
    tables = []
    for key in preferences.known_tables():
        try:
            found = hall().by_key(key, attend=False)
        except ScorerError:
            continue
        if found is not None:
            table, _seat = found
            names = [chair.name for chair in table.saved.chairs]
            round_number = max(1, table.saved.number)
            tables.append(
                {"key": key, "title": " · ".join(names), "phase": table.phase, "round": round_number}
            )
    return tables


@blueprint.post("")
@security.new_matches
def create() -> Answer:
    """Set a table."""
    form = request.form
    name = tidy(form.get("name", ""))
    bots = _bots(form.getlist("bot"))
    preset = form.get("rules", "classic")
    errors = _mistakes(name, bots, preset)
    if errors:
        return _start(form.to_dict(), errors), 422
    token = form.get("token", "")[:40]
    key = hall().create(name, bots, PRESETS[preset], may_join="join" in form, token=token)
    preferences.remember_table(key)
    return redirect(url_for("play.table", key=key), 303)


def _bots(kinds: list[str]) -> list[str]:
    """Return the bots of the form; empty places are left out."""
    return [kind for kind in kinds if kind]


def _mistakes(name: str, bots: list[str], preset: str) -> dict[str, str]:
    errors = {}
    if not name:
        errors["name"] = _("Write your name, so that the others know who plays.")
    if not 1 <= len(bots) < MOST_SEATS or any(kind not in BOTS for kind in bots):
        errors["bot"] = _("Choose one to %(most)d bots.", most=MOST_SEATS - 1)
    if preset not in PRESETS:
        errors["rules"] = _("Choose one of the rules offered.")
    return errors


@blueprint.get("/join/<invitation>")
@security.joining
def join(invitation: str) -> Answer:
    """Ask for the name of somebody who joins."""
    return _join_page(invitation, "", 200)


@blueprint.post("/join/<invitation>")
@security.joining
@security.new_matches
def take_seat(invitation: str) -> Answer:
    """Give somebody a seat."""
    table = hall().by_invitation(invitation)
    if table is None:
        return _gone()
    try:
        seat = table.join(request.form.get("name", ""), request.form.get("token", "")[:40])
    except RulesError as error:
        return _join_page(invitation, str(error), 422)
    key = table.saved.key(seat)
    preferences.remember_table(key)
    return redirect(url_for("play.table", key=key), 303)


def _join_page(invitation: str, error: str, status: int) -> Answer:
    table = hall().by_invitation(invitation)
    if table is None:
        return _gone()
    page = render_template(
        "play/join.html",
        invitation=invitation,
        host=table.saved.chairs[table.saved.host].name,
        name=request.form.get("name", ""),
        error=error,
        token=secrets.token_urlsafe(12),
    )
    return page, status


# --- At the table ----------------------------------------------------------------------------------------------


def _gone() -> Answer:
    sentence = _(
        "This table is cleared, or the link is not complete: ask for it again, or set another table."
    )
    if _is_script() or request.is_json:
        return jsonify({"ok": False, "error": sentence}), 404
    return render_template("play/gone.html", sentence=sentence), 404


AtTable = Callable[[LiveTable, int, str], Answer]


def at_table(view: AtTable) -> Callable[[str], Answer]:
    """Turn a view of a table and a seat into one of their key; an unknown key is a table that is gone."""

    @functools.wraps(view)
    def found(key: str) -> Answer:
        here = hall().by_key(key)
        try:
            return _gone() if here is None else view(*here, key)
        except Gone:
            return _gone()

    return security.joining(found)


@blueprint.get("/<key>")
@at_table
def table(here: LiveTable, seat: int, key: str) -> Answer:
    """Show the table."""
    preferences.remember_table(key)
    hello = here.hello(seat)
    join = hello["join"]
    link = f"{access.config().address or request.host_url.rstrip('/')}{join}" if join else None
    return render_template(
        "play/table.html", table=hello, key=key, join_link=link, join_code=qr(link) if link else None
    )


@blueprint.get("/<key>/events")
@at_table
def events(here: LiveTable, seat: int, key: str) -> Answer:
    """Follow the table."""
    since = request.headers.get("Last-Event-ID") or request.args.get("since", "")
    seen = int(since) if re.fullmatch(r"[0-9]{1,16}", since) else None
    # The server tells whether the connection is still there; the one of the tests does not.
    is_left = cast(Callable[[], bool], request.environ.get("waitress.client_disconnected", lambda: False))
    stream = Response(_streams().follow(here, seat, seen, is_left), mimetype="text/event-stream")
    stream.headers["Cache-Control"] = "no-store"
    stream.headers["X-Accel-Buffering"] = "no"
    return stream


@blueprint.post("/<key>/move")
@at_table
def move(here: LiveTable, seat: int, key: str) -> Answer:
    """Make a move."""
    sent = _sent()
    if sent is None:
        return _refused(here, N_("The page sent no move: reload it."), 400)
    text, number, client = sent
    try:
        seq = here.move(seat, text, f"{client}.{number}")
    except TooFast as error:
        return _refused(here, str(error), 429)
    except (IllegalMove, NotationError) as error:
        return _refused(here, str(error), 409)
    return jsonify({"ok": True, "number": number, "seq": seq})


def _sent() -> tuple[str, int, str] | None:
    """Return what the page sent: move, its number, and the name the page gave itself; None if it is nothing."""
    try:
        sent = json.loads(request.get_data())
    except (ValueError, RecursionError):
        return None
    if not isinstance(sent, dict):
        return None
    text, number, client = sent.get("move"), sent.get("number"), sent.get("client", "")
    if not isinstance(text, str) or type(number) is not int or not isinstance(client, str):
        return None
    return (text, number, client[:24]) if len(text) <= MOST_MOVE and 0 <= number < 2**53 else None


def _refused(here: LiveTable, sentence: str, status: int) -> tuple[BaseResponse, int]:
    return jsonify({"ok": False, "error": here.with_names(_(sentence)), "seq": here.last_seq}), status


@blueprint.get("/<key>/legal")
@at_table
def legal(here: LiveTable, seat: int, key: str) -> Answer:
    """Return the moves that are legal now."""
    return jsonify({"moves": here.legal_moves(seat)})


def _is_script() -> bool:
    return request.accept_mimetypes.best == "application/json" or "X-CSRFToken" in request.headers


def _done(act: Callable[[LiveTable, int], None], here: LiveTable, seat: int, key: str) -> Answer:
    """Do something at the table, and answer the script or the form that asked for it."""
    try:
        act(here, seat)
    except IllegalMove as error:
        return _refused(here, str(error), 409)
    if _is_script():
        return jsonify({"ok": True, "seq": here.last_seq})
    return redirect(url_for("play.table", key=key), 303)


@blueprint.post("/<key>/pause")
@at_table
def pause(here: LiveTable, seat: int, key: str) -> Answer:
    """Let the clock stand still."""
    return _done(LiveTable.pause, here, seat, key)


@blueprint.post("/<key>/resume")
@at_table
def resume(here: LiveTable, seat: int, key: str) -> Answer:
    """Go on, or begin."""
    return _done(LiveTable.resume, here, seat, key)


@blueprint.post("/<key>/next")
@at_table
def next_round(here: LiveTable, seat: int, key: str) -> Answer:
    """Deal the next round."""
    return _done(LiveTable.deal_next, here, seat, key)


@blueprint.post("/<key>/leave")
@at_table
def leave(here: LiveTable, seat: int, key: str) -> Answer:
    """Give the seat to a bot."""
    here.leave(seat)
    preferences.forget_table(key)
    if _is_script():
        return jsonify({"ok": True, "url": url_for("play.start")})
    return redirect(url_for("play.start"), 303)
