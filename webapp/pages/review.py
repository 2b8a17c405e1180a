"""The review: photo with boxes, piles, doubts; every correction is one step that can be taken back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flask import Blueprint, Response, abort, flash, jsonify, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response as AnyResponse

from scorer.cards import Rank, Suit
from scorer.errors import NotationError, ScorerError
from scorer.reading import Reading
from scorer.scoring import score_round
from scorer.store import Sheet
from webapp import access, forms, security
from webapp.backs import named_backs
from webapp.board import Board
from webapp.overlay import crop, overlays
from webapp.pages.typed import sizes
from webapp.review import (
    Review,
    apply,
    confirmed_reading,
    doubts,
    entries,
    missing,
    reviewed,
    tally_of_review,
)

blueprint = Blueprint("review", __name__, url_prefix="/m/<key>/sheet/<sheet>")

SHOWN_DOUBTS = 12
"""The next ones come as these are answered."""

Answer = str | AnyResponse


def _review(opened: access.Access, sheet: Sheet) -> Review:
    if sheet.reading is None:
        abort(404)
    reading = Reading.from_json(access.store().sheets.reading(sheet.reading))
    state = opened.state
    index = _index(opened, sheet)
    holders, seats = state.holders(index), state.playing(index).seats
    return reviewed(reading, seats, sheet.corrections, jokers=state.rules.jokers, holders=holders)


def _index(opened: access.Access, sheet: Sheet) -> int:
    """The number of the round this sheet is about, from 0."""
    kept = opened.state.round(sheet.replaces) if sheet.replaces else None
    return len(opened.state.rounds) if kept is None else opened.state.rounds.index(kept)


def _racers(opened: access.Access, review: Review, index: int) -> tuple[str, ...]:
    """The seats of which must be asked who reached the target first; nobody before all is counted."""
    counted = tally_of_review(review)
    if counted.unowned or not score_round(counted, opened.state.rules).is_complete:
        return ()
    ids = {seat.name: seat.id for seat in review.seats}
    known = replace(counted, decks=tuple(deck for deck in counted.decks if deck.name in ids))
    match = Board(opened.state).match
    played = (
        match.with_round(known) if index == len(match.rounds) else match.with_round_replaced(index, known)
    )
    return tuple(ids[name] for name in played.racers(index))


def _sheet(opened: access.Access, key: str) -> Sheet:
    found = access.store().sheets.get(opened.id, key)
    if found is None or found.reading is None:
        abort(404)
    return found


def review_page(opened: access.Access, sheet: Sheet) -> str:
    """Show the whole page."""
    review = _review(opened, sheet)
    return render_template(
        "review.html",
        **_content(opened, sheet, review),
        suits=list(Suit),
        ranks=list(Rank),
        photos=sheet.photos,
    )


def _content(opened: access.Access, sheet: Sheet, review: Review) -> dict[str, Any]:
    state = opened.state
    index = _index(opened, sheet)
    racers = _racers(opened, review, index)
    found = doubts(review)
    return {
        "access": opened,
        "sheet": sheet,
        "review": review,
        "number": index + 1,
        "numbers": {seat.id: number for number, seat in enumerate(state.seats, 1)},
        "doubts": found,
        "shown_doubts": SHOWN_DOUBTS,
        "open_doubts": [doubt for doubt in found if not doubt.settled],
        "overlays": overlays(review),
        "crop": lambda doubt: crop(review, doubt.card, back=doubt.kind == "back"),
        "scores": score_round(tally_of_review(review), state.rules).scores,
        "counted": {deck.name: deck for deck in tally_of_review(review).decks},
        "racers": racers,
        "missing": missing(review, state.rules, racers),
        "sizes": sizes(state, index),
    }


@blueprint.post("/correct")
@security.joining
def correct(key: str, sheet: str) -> AnyResponse:
    """Apply one correction to the sheet as this phone shows it."""
    opened = access.to_edit(key)
    found = _sheet(opened, sheet)
    try:
        sent = forms.Correction.read(request.get_json())
    except NotationError:
        abort(400)
    step = dict(sent.step)
    try:
        # Tried before it is kept: a correction that cannot be applied must never be in the list.
        apply(_review(opened, found), step, len(found.corrections) + 1)
        after = access.store().sheets.correct(opened.id, sheet, sent.version, step)
    except ScorerError as error:
        return _state(opened, _sheet(opened, sheet), sentence=_(str(error)))
    return _state(opened, after)


@blueprint.post("/back")
@security.joining
def back(key: str, sheet: str) -> AnyResponse:
    """Take back the last correction."""
    return _stepped(key, sheet, forward=False)


@blueprint.post("/forward")
@security.joining
def forward(key: str, sheet: str) -> AnyResponse:
    """Make the correction that was taken back again."""
    return _stepped(key, sheet, forward=True)


def _stepped(key: str, sheet: str, *, forward: bool) -> AnyResponse:
    opened = access.to_edit(key)
    version = (request.get_json() or {}).get("version")
    if not isinstance(version, int):
        abort(400)
    sheets = access.store().sheets
    try:
        after = (sheets.step_forward if forward else sheets.step_back)(opened.id, sheet, version)
    except ScorerError as error:
        return _state(opened, _sheet(opened, sheet), sentence=_(str(error)))
    return _state(opened, after)


@blueprint.get("/state")
@security.joining
def state(key: str, sheet: str) -> AnyResponse:
    """Return the sheet as it stands, for a second phone that reviews it too."""
    opened = access.to_edit(key)
    found = _sheet(opened, sheet)
    if request.args.get("version", type=int) == found.version:
        return Response(status=304)
    return _state(opened, found)


def _state(opened: access.Access, sheet: Sheet, sentence: str | None = None) -> AnyResponse:
    if sheet.status != "review":
        return jsonify({"leave": url_for("photos.show", key=opened.key, sheet=sheet.key)})
    content = _content(opened, sheet, _review(opened, sheet))
    return jsonify(
        {
            "version": sheet.version,
            "main": render_template("review_live.html", **content),
            "bar": render_template("review_bar.html", **content),
            "overlays": [render_template("overlay.html", overlay=one) for one in content["overlays"]],
            "sentence": sentence,
        }
    )


@blueprint.post("/confirm")
@security.joining
def confirm(key: str, sheet: str) -> Answer:
    """Score the round, once, whoever confirms and however often."""
    opened = access.to_edit(key)
    found = _sheet(opened, sheet)
    review = _review(opened, found)
    version = request.form.get("version", type=int)
    if version is None:
        abort(400)
    if found.status == "review":
        _refuse_unfinished(opened, found, review)
    access.store().sheets.confirm(
        opened.id,
        sheet,
        version=version,
        entries=entries(review),
        reading=confirmed_reading(review).to_json(),
        backs=named_backs(review, found.photos, opened.state, opened.state.holders(_index(opened, found))),
        token=f"sheet-{sheet}-{version}",
        first=review.first if review.first in review.names() else None,
    )
    if not access.config().keep_originals:
        for photo in found.photos:
            access.store().sheets.reduce(photo)
    flash(_("Round scored."), "undo")
    return redirect(url_for("board.show", key=key))


def _refuse_unfinished(opened: access.Access, sheet: Sheet, review: Review) -> None:
    racers = _racers(opened, review, _index(opened, sheet))
    open_points = missing(review, opened.state.rules, racers)
    if open_points:
        raise ScorerError(_("Not yet: %(what)s", what=open_points[0].sentence))
