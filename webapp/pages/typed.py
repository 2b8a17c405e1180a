"""Typing a round: cards out and cards left of each player, with the score as one types."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping
from dataclasses import replace

from flask import Blueprint, abort, flash, jsonify, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from scorer.errors import NotationError
from scorer.scoring import DeckTally, Tally, score_round
from scorer.store import MatchState, Round, Seat, match_of
from scorer.store.database import now
from webapp import access, forms, security, texts
from webapp.board import Board

blueprint = Blueprint("typed", __name__, url_prefix="/m/<key>")

Answer = str | Response | tuple[str, int]


@blueprint.get("/type")
@security.joining
def new(key: str) -> Answer:
    """Show the form of the next round."""
    return _form(access.to_edit(key), {}, {})


@blueprint.post("/type")
@security.joining
def score(key: str) -> Answer:
    """Score a typed round, once for each tap."""
    opened = access.to_edit(key)
    sent = _sent()
    number = len(opened.state.rounds)
    typed = forms.typed_round(request.form, opened.state.playing(number), sizes(opened.state))
    if typed.errors:
        return _form(opened, request.form, typed.errors), 422
    if sent.played != number and not _is_repeated(opened, sent.token):
        flash(
            _("Meanwhile a round was scored on another phone. Is this one more? Then confirm again."), "warn"
        )
        return _form(opened, request.form, {}), 409
    entries = tuple(typed.entries({}))
    scored = Round(id=secrets.token_urlsafe(6), at=now(), entries=entries, first=typed.first)
    racers = _racers(opened.state, scored, number)
    if asked := forms.ask_who_was_first(typed, request.form, racers):
        return _form(opened, request.form, asked, racers=racers), 422
    done = access.store().matches.append(
        opened.id, "round_added", {"round": scored.to_json()}, token=sent.token
    )
    if done.in_force:
        flash(_("Round scored."), "undo")
    else:
        flash(_("This round was scored before and then undone: redo it, or type it anew."), "warn")
    return redirect(url_for("board.show", key=key))


def _sent() -> forms.RoundForm:
    try:
        return forms.RoundForm.read(request.form)
    except NotationError:
        abort(400)


def _is_repeated(opened: access.Access, token: str) -> bool:
    return any(event.token == token for event in access.store().matches.history(opened.id))


@blueprint.post("/preview")
@security.joining
def preview(key: str) -> Response:
    """Return what the numbers typed so far would score."""
    whole = access.to_edit(key).state
    index = request.args.get("round", len(whole.rounds), type=int)
    state = whole.playing(max(0, min(index, len(whole.rounds))))
    typed = forms.typed_round(request.form, state, sizes(whole))
    tally = Tally(
        tuple(_counted(seat, typed) for seat in state.seats if typed.hands[seat.id].out is not None)
    )
    scores = score_round(tally, state.rules).scores
    return jsonify({seat.id: _shown(scores.get(seat.name)) for seat in state.seats})


def _counted(seat: Seat, typed: forms.TypedRound) -> DeckTally:
    hand = typed.hands[seat.id]
    return DeckTally(
        back=seat.name,
        player=seat.name,
        foundation=hand.out or 0,
        nerts_left=hand.left,
        kings=min(hand.kings or 0, hand.out or 0),
        called=seat.id in typed.callers,
        false_calls=hand.false_calls or 0,
    )


def _shown(score: int | None) -> dict[str, object]:
    return {"text": texts.signed(score), "negative": score is not None and score < 0}


def sizes(state: MatchState, before: int | None = None) -> dict[str, int]:
    """Return how large each seat's Nerts pile is in the next round, or in the one with this index."""
    match = Board(state).match
    while before is not None and len(match.rounds) > before:
        match = match.without_round(len(match.rounds) - 1)
    by_name = match.sizes_next
    return {seat.id: by_name[seat.name] for seat in state.seats}


@blueprint.get("/round/<round_id>/edit")
@security.joining
def edit(key: str, round_id: str) -> Answer:
    """Show the raw inputs of a scored round, to correct them."""
    opened = access.to_edit(key)
    kept, _number = _round(opened, round_id)
    return _form(opened, _values(kept), {}, kept)


@blueprint.post("/round/<round_id>/edit")
@security.joining
def change(key: str, round_id: str) -> Answer:
    """Correct a scored round; all totals follow."""
    opened = access.to_edit(key)
    kept, number = _round(opened, round_id)
    sent = _sent()
    playing = opened.state.playing(number - 1)
    typed = forms.typed_round(request.form, playing, sizes(opened.state, number - 1))
    if typed.errors:
        return _form(opened, request.form, typed.errors, kept), 422
    backs = {entry.seat: entry.back for entry in kept.entries}
    changed = replace(kept, entries=tuple(typed.entries(backs)), changed=now(), first=typed.first)
    racers = _racers(opened.state, changed, number - 1)
    if asked := forms.ask_who_was_first(typed, request.form, racers):
        return _form(opened, request.form, asked, kept, racers), 422
    if sent.seen != (kept.changed or 0) and not _is_repeated(opened, sent.token):
        flash(
            _("Meanwhile somebody else corrected this round. Save again to keep these numbers instead."),
            "warn",
        )
        return _form(opened, request.form, {}, kept), 409
    access.store().matches.append(opened.id, "round_changed", {"round": changed.to_json()}, token=sent.token)
    flash(_("Round corrected."), "undo")
    return redirect(url_for("board.show", key=key))


def _round(opened: access.Access, round_id: str) -> tuple[Round, int]:
    for number, kept in enumerate(opened.state.rounds, 1):
        if kept.id == round_id:
            return kept, number
    abort(404)


def _racers(state: MatchState, played: Round, index: int) -> tuple[str, ...]:
    """The seats that reach the target together with this round, where the rules ask who was first."""
    rounds = (*state.rounds[:index], played, *state.rounds[index + 1 :])
    ids = {seat.name: seat.id for seat in state.seats}
    return tuple(ids[name] for name in match_of(replace(state, rounds=rounds)).racers(index))


def _racers_of(state: MatchState, kept: Round | None) -> tuple[str, ...]:
    return () if kept is None else _racers(state, kept, state.rounds.index(kept))


def _values(kept: Round) -> dict[str, str]:
    """Return the inputs as the form holds them: exactly what was typed then, nothing worked out."""
    callers = [entry.seat for entry in kept.entries if entry.called]
    values = {"caller": callers[0] if callers else "none", "first": kept.first or ""}
    values |= {f"also-{seat}": "1" for seat in callers[1:]}
    for entry in kept.entries:
        values |= {
            f"out-{entry.seat}": str(entry.out),
            f"left-{entry.seat}": str(entry.left),
            f"kings-{entry.seat}": str(entry.kings),
            f"false_calls-{entry.seat}": str(entry.false_calls),
        }
    return values


def _form(
    opened: access.Access,
    values: Mapping[str, str],
    errors: forms.Errors,
    kept: Round | None = None,
    racers: Collection[str] = (),
) -> str:
    state = opened.state
    number = len(state.rounds) + 1 if kept is None else _round(opened, kept.id)[1]
    return render_template(
        "typed.html",
        access=opened,
        values=values,
        errors=errors,
        kept=kept,
        seats=state.playing(number - 1).seats,
        numbers={seat.id: at for at, seat in enumerate(state.seats, 1)},
        racers=racers or _racers_of(state, kept),
        number=number,
        sizes=sizes(state, number - 1),
        played=len(state.rounds),
        # A refused form is sent again under its own token: it was not scored.
        token=values.get("token") or secrets.token_urlsafe(12),
    )
