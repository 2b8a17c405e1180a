"""A scored round: its piles card by card, its photos, what the reader said and what people corrected."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, abort, flash, jsonify, redirect, render_template, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from scorer.cards import Face
from scorer.piles import Pile
from scorer.reading import Reading
from scorer.store import Round
from webapp import access, security
from webapp.board import Board
from webapp.pile_replay import piles_replay
from webapp.review import Review, entries, reviewed, typed_since

blueprint = Blueprint("rounds", __name__, url_prefix="/m/<key>/round/<round_id>")


def _round(opened: access.Access, round_id: str) -> Round:
    found = opened.state.round(round_id)
    if found is None:
        abort(404)
    return found


@blueprint.get("")
@security.joining
def show(key: str, round_id: str) -> str:
    """Show the round."""
    opened = access.to_view(key)
    kept = _round(opened, round_id)
    board = Board(opened.state)
    number = opened.state.rounds.index(kept) + 1
    return render_template(
        "round.html",
        access=opened,
        kept=kept,
        number=number,
        board=board,
        score=board.scores[number - 1],
        numbers={seat.id: at for at, seat in enumerate(opened.state.seats, 1)},
        names={seat.id: seat.name for seat in opened.state.seats},
        piles=_piles(kept),
        changes=_changes(opened, kept),
    )


def _piles(kept: Round) -> tuple[Pile, ...]:
    if kept.confirmed is None:
        return ()
    return Reading.from_json(access.store().sheets.reading(kept.confirmed)).piles


@blueprint.get("/replay.json")
@security.joining
def replay(key: str, round_id: str) -> Response:
    """Return the piles of the round for the player of replays: card by card, all piles side by side."""
    opened = access.to_view(key)
    kept = _round(opened, round_id)
    return jsonify(piles_replay(_piles(kept), kept, opened.state))


def _changes(opened: access.Access, kept: Round) -> list[dict[str, Any]]:
    """Return what people changed in what the reader said: read, added, dropped."""
    sheet = access.store().sheets.scored_sheet(opened.id, kept.id)
    if sheet is None or sheet.reading is None:
        return []
    review = _review(opened, kept, sheet.reading, sheet.corrections)
    return [*_differences(review), *_other_owners(review)]


def _review(
    opened: access.Access, kept: Round, reading: str, corrections: tuple[dict[str, Any], ...]
) -> Review:
    state, index = opened.state, opened.state.rounds.index(kept)
    return reviewed(
        Reading.from_json(access.store().sheets.reading(reading)),
        state.playing(index).seats,
        corrections,
        jokers=state.rules.jokers,
        holders=state.holders(index),
    )


def _differences(review: Review) -> list[dict[str, Any]]:
    changes = [
        {"kind": "added" if card.added else "face", "said": _shown(card.said), "is": _shown(card.face)}
        for card in review.cards()
        if card.added or (card.settled and card.face != card.said)
    ]
    return changes + [{"kind": "dropped", "said": _shown(card.said), "is": ""} for card in review.dropped]


def _other_owners(review: Review) -> list[dict[str, Any]]:
    """Cards that belong to another than their back was taken to say."""
    return [
        {"kind": "owner", "said": _shown(card.face), "is": review.names()[card.seat]}
        for card in review.cards()
        if card.seat and card.back and not card.added and card.seat != review.owners.get(card.back)
    ]


def _shown(face: Face | None) -> str:
    return "?" if face is None else face.symbol


@blueprint.post("/delete")
@security.joining
def delete(key: str, round_id: str) -> Response:
    """Delete the round; it can be undone. A second tap finds it deleted and changes nothing."""
    opened = access.to_edit(key)
    if opened.state.round(round_id) is not None:
        access.store().matches.append(opened.id, "round_deleted", {"id": round_id})
        flash(_("Round deleted."), "undo")
    return redirect(url_for("board.show", key=key))


def _begun(opened: access.Access, kept: Round) -> str:
    """Begin a correction where the round stands: what was typed for it since the photos is not lost."""
    sheets = access.store().sheets
    key = sheets.start_correction(opened.id, kept)
    sheet = sheets.get(opened.id, key)
    if sheet is None or sheet.reading is None:
        return key
    review = _review(opened, kept, sheet.reading, sheet.corrections)
    for step in typed_since(review, kept):
        sheet = sheets.correct(opened.id, key, sheet.version, step)
    counted = {entry.seat: entry.out for entry in entries(review)}
    if any(entry.out != counted.get(entry.seat) for entry in kept.entries):
        flash(_("Cards out were typed for this round; confirming counts them from the cards again."), "warn")
    return key


@blueprint.post("/correct")
@security.joining
def correct(key: str, round_id: str) -> Response:
    """Open the review of a round scored from photos again."""
    opened = access.to_edit(key)
    kept = _round(opened, round_id)
    sheets = access.store().sheets
    lying_open = [one.key for one in sheets.open_sheets(opened.id) if one.replaces == round_id]
    sheet = lying_open[0] if lying_open else _begun(opened, kept)
    return redirect(url_for("photos.show", key=key, sheet=sheet))
