"""From a reviewed round to its raw inputs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from flask_babel import gettext as _

from scorer.piles import Pile
from scorer.reading import Reading
from scorer.scoring import Rules, Tally, tally
from scorer.store import Entry, Round
from webapp.review.doubts import doubts
from webapp.review.model import Review


@dataclass(frozen=True, slots=True)
class Missing:
    """Why the round cannot be confirmed yet."""

    sentence: str
    place: str
    """The part of the page where it can be answered."""


def tally_of_review(review: Review) -> Tally:
    """Count the round as it stands, players under their names; what nobody said yet stays unknown."""
    names = review.names()
    counted = tally(
        review.as_piles(),
        players={name: name for name in names.values()},
        nerts_left={names[seat]: count for seat, count in review.left.items()},
        callers=review.callers(),
    )
    false_calls = {names[seat]: count for seat, count in review.false_calls.items()}
    decks = tuple(replace(deck, false_calls=false_calls.get(deck.name, 0)) for deck in counted.decks)
    return replace(counted, decks=decks)


def entries(review: Review) -> list[Entry]:
    """Return the raw inputs of each seat; only for a round in which nothing is missing."""
    counted = {deck.name: deck for deck in tally_of_review(review).decks}
    backs = {seat: back for back, seat in review.owners.items()}
    return [
        Entry(
            seat=seat.id,
            out=counted[seat.name].foundation,
            left=counted[seat.name].nerts_left or 0,
            kings=counted[seat.name].kings,
            called=counted[seat.name].called,
            false_calls=counted[seat.name].false_calls,
            back=backs.get(seat.id),
        )
        for seat in review.seats
    ]


def typed_since(review: Review, scored: Round) -> list[dict[str, Any]]:
    """Return the corrections that bring a review to what was typed for its round since: all but the cards out."""
    now = {entry.seat: entry for entry in entries(review)}
    steps: list[dict[str, Any]] = []
    for entry in (one for one in scored.entries if one.seat in now):
        if entry.left != now[entry.seat].left or entry.seat not in review.left:
            steps.append({"kind": "left", "seat": entry.seat, "number": entry.left})
        if entry.false_calls != now[entry.seat].false_calls:
            steps.append({"kind": "false_calls", "seat": entry.seat, "number": entry.false_calls})
    return steps + _called_since(review, scored)


def _called_since(review: Review, scored: Round) -> list[dict[str, Any]]:
    called = [entry.seat for entry in scored.entries if entry.called]
    steps: list[dict[str, Any]] = []
    if review.caller is None or {review.caller, *review.also} - {"none"} != set(called):
        steps = [{"kind": "caller", "seat": "none"}]
        steps += [{"kind": "caller" if at == 0 else "also", "seat": seat} for at, seat in enumerate(called)]
    if scored.first is not None and scored.first != review.first:
        steps.append({"kind": "first", "seat": scored.first})
    return steps


def missing(review: Review, rules: Rules, racers: Collection[str] = ()) -> list[Missing]:
    """Return what must be answered before the round may be confirmed.

    ``racers`` are the seats that reach the target together in this round, where the first of them wins.
    """
    found = []
    open_doubts = sum(not doubt.settled for doubt in doubts(review))
    if open_doubts:
        found.append(Missing(_("Doubts to look at: %(count)d", count=open_doubts), "doubts"))
    if review.caller is None:
        found.append(Missing(_("Who called Nerts?"), "caller"))
    if rules.nerts_penalty:
        unknown = [deck.name for deck in tally_of_review(review).decks if deck.nerts_left is None]
        for name in unknown:
            if name in review.names().values():
                found.append(Missing(_("Cards left of %(name)s?", name=name), "left"))
    if racers and review.first not in (*racers, "none"):
        found.append(Missing(_("Who reached the target first?"), "first"))
    return found


def confirmed_reading(review: Review) -> Reading:
    """Return the round as people confirmed it, owners by the ids of their seats."""
    piles = tuple(
        Pile(
            tuple(
                replace(card, back=review.owner(mine) or card.back, marked=False)
                for card, mine in zip(review.as_pile(pile), pile.cards, strict=True)
            ),
            pile.ordered,
        )
        for pile in review.piles
    )
    return replace(review.reading, piles=piles, faults=(), pairing=())
