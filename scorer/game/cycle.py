"""Planning the stock cycle: what the next pass through the stock would bring, as far as a seat remembers.

Turning three at a time shows every third card; each card played from the waste shifts all that come after it.
So a card that could go on a work pile is better left alone when the pass as it stands is worth clearly more.
"""

from __future__ import annotations

from collections.abc import Sequence

from scorer.game.codes import NO_CARD, RANK, STEP_UP, VALUE
from scorer.game.view import View

_WORTH_UNKNOWN = 0.15
_WORTH_LANDING = 1.0
_WORTH_NEXT = 0.4
"""A card that follows one that is wanted now."""
_WORTH_FOR_NERTS = 2.0
"""A card that fits on a work pile and takes the Nerts card in turn."""
_WORTH_WORK = 0.3
_WORTH_PLAYING = 2.0
"""A card played is one less in the way, and shows the next at once."""


def pays_to_play_waste(view: View) -> bool:
    """Whether playing the top of the waste is worth the shift of all that comes after it."""
    waste, coming = list(view.waste), list(view.stock)[::-1]
    beneath = waste[-2] if len(waste) > 1 else NO_CARD
    gain = _WORTH_PLAYING + (1 if beneath in view.wanted else 0)
    return pass_worth(view, waste[:-1] + coming) + gain >= pass_worth(view, waste + coming)


def pass_worth(view: View, cards: Sequence[int]) -> float:
    """Return what a pass through cards in this order is worth, in points."""
    ends = {pile[-1] & VALUE for pile in view.work if pile}
    nerts = view.nerts_top
    under_nerts = STEP_UP[nerts & VALUE] if nerts else -1
    return sum(_worth(view, card, ends, under_nerts) for card in cards[view.turn - 1 :: view.turn])


def _worth(view: View, card: int, ends: set[int], under_nerts: int) -> float:
    if card == NO_CARD:
        return _WORTH_UNKNOWN
    if card & RANK == 1 or card in view.wanted:
        return _WORTH_LANDING
    if STEP_UP[card & VALUE] in ends:
        return _WORTH_FOR_NERTS if card & VALUE == under_nerts else _WORTH_WORK
    return _WORTH_NEXT if card - 1 in view.wanted else 0.0
