"""Jokers on work piles: free while exposed, fixed by the cards laid on them.

A *value* is rank and colour (``code & VALUE``). A joker that a card x covers counts as rank(x) + 1 of the
other colour, and so on up through the jokers beneath. Without jokers none of this is reached.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scorer.game.codes import JOKER, KING, NO_CARD, RANK, RED, VALUE

Fixed = Mapping[int, int]


def raised(value: int, steps: int) -> int:
    """Return the value this many places further up a run (negative: further down), `NO_CARD` if none."""
    rank = (value & RANK) + steps
    if not 1 <= rank <= KING:
        return NO_CARD
    return rank | (value & RED) ^ (RED if steps & 1 else 0)


def value_of(card: int, fixed: Fixed) -> int:
    """Return the value of a card by itself; `NO_CARD` for a joker that is not fixed."""
    return card & VALUE if card < JOKER else fixed.get(card, NO_CARD)


def first_value(run: Sequence[int], fixed: Fixed) -> int:
    """Return what the first card of a run counts as by the cards on it; `NO_CARD` if all are jokers."""
    for steps, card in enumerate(run):
        value = value_of(card, fixed)
        if value:
            return raised(value, steps)
    return NO_CARD


def fits(run: Sequence[int], pile: Sequence[int], fixed: Fixed) -> bool:
    """Whether a run may be laid on the exposed end of a pile that is not empty."""
    lead = first_value(run, fixed)
    for steps, card in enumerate(reversed(pile), 1):
        value = value_of(card, fixed)
        if value:
            wanted = raised(value, -steps)
            return lead == wanted if lead and wanted else bool(raised(value, 1 - steps - len(run)))
    return _rank_room(lead, len(run), len(pile))


def slides_under(card: int, pile: Sequence[int], fixed: Fixed) -> bool:
    """Whether a card may be slid under a pile that is not empty."""
    base, value = first_value(pile, fixed), value_of(card, fixed)
    if base:
        above = raised(base, 1)
        return bool(above) and value in (NO_CARD, above)
    return not value or (value & RANK) > len(pile)


def fix_covered(pile: Sequence[int], fixed: dict[int, int]) -> None:
    """Fix for good every joker of a pile that a card has been laid on."""
    for position, card in enumerate(pile[:-1]):
        if card >= JOKER and card not in fixed:
            value = first_value(pile[position:], fixed)
            if value:
                fixed[card] = value


def _rank_room(lead: int, run: int, jokers: int) -> bool:
    """Whether jokers alone in a space can be high enough for what is laid on them."""
    return (lead & RANK if lead else run) + jokers <= KING
