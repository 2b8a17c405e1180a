"""The corrections: each kind is one small function from a review and its JSON to the next review."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from flask_babel import gettext as _

from scorer.cards import parse_face
from scorer.errors import NotationError
from scorer.reading import Reading
from scorer.store import Seat
from webapp.review.model import Review, ReviewCard, ReviewPile, Spot, from_reading

Step = Mapping[str, Any]


def reviewed(
    reading: Reading,
    seats: Sequence[Seat],
    corrections: Iterable[Step],
    *,
    jokers: int = 0,
    holders: Mapping[str, str] | None = None,
) -> Review:
    """Return what people made of a reading."""
    review = from_reading(reading, seats, jokers, holders)
    for number, step in enumerate(corrections, 1):
        review = apply(review, step, number)
    return review


def apply(review: Review, step: Step, number: int) -> Review:
    """Apply the correction with this number; refused in one sentence where it does not fit."""
    kind = step.get("kind")
    if kind not in STEPS:
        raise NotationError(_("The page sent a correction this version does not know: reload it."))
    return STEPS[kind](review, step, number)


def _card(review: Review, step: Step) -> ReviewCard:
    found = next((card for card in review.cards() if card.id == step.get("card")), None)
    if found is None:
        raise NotationError(_("This card is no longer there: somebody took it away."))
    return found


def _pile(review: Review, pile_id: object) -> ReviewPile:
    found = next((pile for pile in review.piles if pile.id == pile_id), None)
    if found is None:
        raise NotationError(_("This pile is no longer there: somebody changed it."))
    return found


def _seat(review: Review, step: Step) -> str:
    seat = step.get("seat")
    if seat not in review.names():
        raise NotationError(_("This player is not in the match."))
    return str(seat)


def _replaced(review: Review, pile: ReviewPile, *others: ReviewPile) -> Review:
    """Return the review with a pile replaced by others; empty ones vanish."""
    piles: list[ReviewPile] = []
    for one in review.piles:
        piles += [other for other in others if other.cards] if one.id == pile.id else [one]
    return replace(review, piles=tuple(piles))


def _face(review: Review, step: Step, number: int) -> Review:
    """Say what a card is; any card, since the right one may be no candidate."""
    face = parse_face(str(step.get("face")))
    return review.with_card(replace(_card(review, step), face=face, settled=True))


def _look(review: Review, step: Step, number: int) -> Review:
    """Say that a card is what it was taken for."""
    return review.with_card(replace(_card(review, step), settled=True))


def _look_pile(review: Review, step: Step, number: int) -> Review:
    """Say that all cards of a pile are what they were taken for."""
    pile = _pile(review, step.get("pile"))
    cards = tuple(replace(card, settled=True) for card in pile.cards)
    return _replaced(review, pile, replace(pile, cards=cards))


def _owner(review: Review, step: Step, number: int) -> Review:
    """Say whose a single card is."""
    return review.with_card(replace(_card(review, step), seat=_seat(review, step)))


def _drop(review: Review, step: Step, number: int) -> Review:
    """Say that something is not a card, or was counted twice."""
    card = _card(review, step)
    pile = next(pile for pile in review.piles if card in pile.cards)
    rest = tuple(one for one in pile.cards if one.id != card.id)
    return replace(_replaced(review, pile, replace(pile, cards=rest)), dropped=(*review.dropped, card))


def _add(review: Review, step: Step, number: int) -> Review:
    """Add a card the reader missed, at a place in a pile or as a pile of its own."""
    text = step.get("face")
    card = ReviewCard(
        id=f"a{number}",
        face=None if text is None else parse_face(str(text)),
        seat=_seat(review, step) if step.get("seat") is not None else None,
        spots=_tapped(review, step),
        settled=text is not None,
        added=True,
    )
    return _placed(review, card, step, number)


def _tapped(review: Review, step: Step) -> tuple[Spot, ...]:
    photo, x, y = step.get("photo"), step.get("x"), step.get("y")
    if photo is None or x is None or y is None or not 0 <= photo < len(review.reading.photos):
        return ()
    return (Spot(photo, None, float(x), float(y)),)


def _placed(review: Review, card: ReviewCard, step: Step, number: int) -> Review:
    if step.get("pile") is None:
        return replace(review, piles=(*review.piles, ReviewPile(f"n{number}", (card,))))
    pile = _pile(review, step["pile"])
    at = step.get("number")
    at = len(pile.cards) if at is None or not 0 <= at <= len(pile.cards) else at
    return _replaced(review, pile, replace(pile, cards=(*pile.cards[:at], card, *pile.cards[at:])))


def _move(review: Review, step: Step, number: int) -> Review:
    """Move a card to another place, another pile or a pile of its own."""
    card = _card(review, step)
    pile = next(pile for pile in review.piles if card in pile.cards)
    rest = replace(pile, cards=tuple(one for one in pile.cards if one.id != card.id))
    if not rest.cards and step.get("pile") in (None, pile.id):
        return review
    return _placed(_replaced(review, pile, rest), card, step, number)


def _merge(review: Review, step: Step, number: int) -> Review:
    """Lay one pile on another."""
    lower, upper = _pile(review, step.get("pile")), _pile(review, step.get("other"))
    if lower.id == upper.id:
        raise NotationError(_("A pile cannot be laid on itself: choose another."))
    joined = replace(lower, cards=lower.cards + upper.cards)
    return _replaced(_replaced(review, upper), lower, joined)


def _split(review: Review, step: Step, number: int) -> Review:
    """Divide a pile before one of its cards."""
    card = _card(review, step)
    pile = next(pile for pile in review.piles if card in pile.cards)
    at = pile.cards.index(card)
    upper = ReviewPile(f"n{number}", pile.cards[at:], pile.ordered)
    return _replaced(review, pile, replace(pile, cards=pile.cards[:at]), upper)


def _reverse(review: Review, step: Step, number: int) -> Review:
    """Turn a pile round that was read from the wrong end."""
    pile = _pile(review, step.get("pile"))
    return _replaced(review, pile, replace(pile, cards=pile.cards[::-1]))


def _shift(review: Review, step: Step, number: int) -> Review:
    """Move a pile in the list."""
    pile = _pile(review, step.get("pile"))
    others = [one for one in review.piles if one.id != pile.id]
    at = min(max(0, int(step.get("number") or 0)), len(others))
    return replace(review, piles=(*others[:at], pile, *others[at:]))


def _discard(review: Review, step: Step, number: int) -> Review:
    """Leave out a pile that does not count: work cards, or a pile photographed twice."""
    pile = _pile(review, step.get("pile"))
    return replace(_replaced(review, pile), dropped=review.dropped + pile.cards)


def _pile_owner(review: Review, step: Step, number: int) -> Review:
    """Say that all cards of a pile are one player's: piles sorted by owner."""
    pile, seat = _pile(review, step.get("pile")), _seat(review, step)
    cards = tuple(replace(card, seat=seat) for card in pile.cards)
    return _replaced(review, pile, replace(pile, cards=cards))


def _unordered(review: Review, step: Step, number: int) -> Review:
    """Say that a pile lies in no order: swept together, or sorted by owner."""
    pile = _pile(review, step.get("pile"))
    return _replaced(review, pile, replace(pile, ordered=not pile.ordered))


def _back(review: Review, step: Step, number: int) -> Review:
    """Say whose back it is, for all cards that have it, whatever was said of single ones before."""
    back, seat = str(step.get("owner")), _seat(review, step)
    piles = tuple(
        replace(pile, cards=tuple(replace(one, seat=None) if one.back == back else one for one in pile.cards))
        for pile in review.piles
    )
    return replace(review, piles=piles, owners={**review.owners, back: seat})


def _left(review: Review, step: Step, number: int) -> Review:
    """Say how many cards are left in a Nerts pile; -1 takes the number back."""
    seat, count = _seat(review, step), step.get("number")
    rest = {name: value for name, value in review.left.items() if name != seat}
    return replace(review, left=rest if count is None or count < 0 else {**rest, seat: int(count)})


def _false_calls(review: Review, step: Step, number: int) -> Review:
    """Say how often a player called with cards left in the Nerts pile."""
    count = max(0, int(step.get("number") or 0))
    return replace(review, false_calls={**review.false_calls, _seat(review, step): count})


def _left_pile(review: Review, step: Step, number: int) -> Review:
    """Say that a pile is what somebody had left in the Nerts pile, photographed beside the foundations."""
    pile = _pile(review, step.get("pile"))
    owners = {review.owner(card) for card in pile.cards}
    owner = owners.pop()
    if owner is None or owners:
        raise NotationError(_("First say whose cards these are: one player has all cards of a Nerts pile."))
    counted = replace(review, left={**review.left, owner: len(pile.cards)})
    return replace(_replaced(counted, pile), dropped=counted.dropped + pile.cards)


def _caller(review: Review, step: Step, number: int) -> Review:
    """Say who called Nerts, or that nobody did."""
    if step.get("seat") == "none":
        return replace(review, caller="none", also=frozenset())
    seat = _seat(review, step)
    return replace(review, caller=seat, also=review.also - {seat})


def _also(review: Review, step: Step, number: int) -> Review:
    """Say that somebody called at the same moment as the caller; said again, that he did not.

    Where nobody was named before, he is the caller.
    """
    seat = _seat(review, step)
    if review.caller in (None, "none", seat):
        return replace(review, caller=seat)
    return replace(review, also=review.also ^ {seat})


def _first(review: Review, step: Step, number: int) -> Review:
    """Say who was the first to reach the target, or that nobody saw it."""
    return replace(review, first="none" if step.get("seat") == "none" else _seat(review, step))


def _accept(review: Review, step: Step, number: int) -> Review:
    """Say that a doubt was looked at and all is right; so is then the card it was about."""
    if step.get("card") is not None:
        review = _look(review, step, number)
    return replace(review, accepted=review.accepted | {str(step.get("doubt"))})


STEPS: dict[str, Callable[[Review, Step, int], Review]] = {
    "face": _face,
    "look": _look,
    "look_pile": _look_pile,
    "owner": _owner,
    "drop": _drop,
    "add": _add,
    "move": _move,
    "merge": _merge,
    "split": _split,
    "reverse": _reverse,
    "shift": _shift,
    "discard": _discard,
    "pile_owner": _pile_owner,
    "unordered": _unordered,
    "back": _back,
    "left": _left,
    "left_pile": _left_pile,
    "false_calls": _false_calls,
    "caller": _caller,
    "also": _also,
    "first": _first,
    "accept": _accept,
}
"""Every kind of correction."""
