"""What is wrong with one pile.

Each card is compared with the rank expected at its place. The places themselves are in doubt (a card may be
hidden, or misread), so the cheapest explanation of the whole pile is sought first; the faults are its parts.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from scorer.cards import Card, Face, Joker, Rank, Suit
from scorer.piles.faults import Fault, Faults
from scorer.piles.pile import Pile, PileCard

_MISREAD, _OTHER_SUIT = 1.0, 0.5
# A hidden card explains a jump better than a misread card does, and two hidden cards hardly worse than one.
_HIDDEN, _FURTHER_HIDDEN = 0.9, 0.01
_TIED, _TIED_AGAIN = 0.3, 0.95
_ON_KING = 0.8
# Read from the other end a pile must be this much better before that is said.
_WRONG_END = 0.5
_BEYOND_KING = Rank.KING + 1


@dataclass(frozen=True, slots=True)
class _Place:
    """What is expected at one place of a pile."""

    rank: int
    """14 is on top of a king."""
    ties: int = 0
    """How many cards of that rank lie beneath it."""


def check_pile(pile: Pile, *, index: int | None = None) -> tuple[Fault, ...]:
    """Return everything that is wrong with a pile, in the order of its cards.

    Args:
        pile: a foundation from the ace up, or cards in no order (of which only each card is checked).
        index: what to put into the `pile` of the faults.
    """
    faults = [*_unknown_backs(pile), *owned_twice([pile])]
    faults += _in_order(pile.cards) if pile.ordered else _in_no_order(pile.cards)
    faults.sort(key=lambda fault: (fault.position is not None, fault.position or 0, fault.name))
    return tuple(replace(fault, pile=index) for fault in faults)


def foundation_up_to_top(faces: Sequence[Face | None]) -> tuple[Card, ...] | None:
    """Return the foundation, from the ace up, that faces must be part of; None if they do not rise in one suit.

    Cards that are hidden are part of it: nobody could have played the seven without the six.

    Args:
        faces: from the lowest one seen up.
    """
    cards = [face for face in faces if isinstance(face, Card)]
    if not cards or len(cards) < len(faces) or len({card.suit for card in cards}) > 1:
        return None
    if any(low.rank >= high.rank for low, high in itertools.pairwise(cards)):
        return None
    return tuple(Card(Rank(rank), cards[0].suit) for rank in range(Rank.ACE, cards[-1].rank + 1))


def _unknown_backs(pile: Pile) -> Iterator[Fault]:
    """Tell of backs that were not recognised; where none was seen, none was photographed."""
    if all(card.back is None for card in pile):
        return
    for position, card in enumerate(pile):
        if card.back is None:
            yield Fault.make(
                Faults.UNKNOWN_BACK, position=position, number=position + 1, card=_symbol(card.face)
            )


def owned_twice(piles: Sequence[Pile]) -> Iterator[Fault]:
    """Tell of cards that one deck has twice; jokers may stand for a card that lies there already."""
    met: set[tuple[Card, str]] = set()
    for index, pile in enumerate(piles):
        for position, card in enumerate(pile):
            if not isinstance(card.face, Card) or card.back is None:
                continue
            if (card.face, card.back) in met:
                symbol = card.face.symbol
                yield Fault.make(
                    Faults.SAME_OWNER_TWICE, pile=index, position=position, card=symbol, owner=card.back
                )
            met.add((card.face, card.back))


def _in_no_order(cards: Sequence[PileCard]) -> Iterator[Fault]:
    if all(card.face is None for card in cards):
        return
    for position, card in enumerate(cards):
        if card.card is None:
            yield _unknown_face(card, position, None)


def _in_order(cards: Sequence[PileCard]) -> Iterator[Fault]:
    """Check the order of a ribbon, in which more than one pile may lie by mistake."""
    for start, end in itertools.pairwise([0, *_second_piles(cards), len(cards)]):
        if start > 0:
            yield Fault.make(Faults.TWO_PILES, position=start, card=_symbol(cards[start].face))
        yield from _check_run(cards[start:end], range(start, end))


def _second_piles(cards: Sequence[PileCard]) -> Iterator[int]:
    """Yield where an ace begins another pile: on an ace or a king, or with its two on it."""
    for position in range(1, len(cards)):
        card = cards[position].card
        if card is None or card.rank is not Rank.ACE:
            continue
        before = cards[position - 1].card
        after = cards[position + 1].card if position + 1 < len(cards) else None
        if (before is not None and before.rank is Rank.ACE) or after == Card(Rank.TWO, card.suit):
            yield position


def _check_run(cards: Sequence[PileCard], positions: Sequence[int]) -> Iterator[Fault]:
    """Check what should be one pile; `positions` are the places of its cards in the ribbon."""
    suit = Pile(tuple(cards)).suit
    if suit is None:
        yield from _in_no_order(cards)
        return
    cost, places = _explain(cards, suit)
    turned_cost, turned = _explain(cards[::-1], suit)
    if turned_cost + _WRONG_END < cost:
        yield Fault.make(Faults.REVERSED)
        cards, positions, places = cards[::-1], positions[::-1], turned
    yield from _told(cards, positions, places, suit)


def _explain(cards: Sequence[PileCard], suit: Suit) -> tuple[float, list[_Place]]:
    """Find the places of the cards that explain them with the least fault, and its cost."""
    ways: dict[_Place, tuple[float, list[_Place]]] = {_Place(0): (0.0, [])}
    for pile_card in cards:
        longer: dict[_Place, tuple[float, list[_Place]]] = {}
        for below, (cost, places) in ways.items():
            for place, step in _places_above(below, pile_card.card):
                total = cost + step + _misfit(pile_card.card, place, suit)
                if place not in longer or total < longer[place][0]:
                    longer[place] = (total, [*places, place])
        ways = longer
    return min(ways.values(), key=lambda way: way[0])


def _places_above(below: _Place, card: Card | None) -> Iterator[tuple[_Place, float]]:
    """Yield where the next card may lie, and what that costs."""
    if below.rank >= Rank.KING:
        yield _Place(_BEYOND_KING), _ON_KING
    for rank in range(below.rank + 1, _BEYOND_KING):
        hidden = rank - below.rank - 1
        yield _Place(rank), _HIDDEN + _FURTHER_HIDDEN * hidden if hidden else 0.0
    # Only a card that looks like the one beneath it can be taken for its tie.
    if 1 < below.rank <= Rank.KING and card is not None and card.rank == below.rank:
        yield _Place(below.rank, below.ties + 1), _TIED_AGAIN if below.ties else _TIED


def _misfit(card: Card | None, place: _Place, suit: Suit) -> float:
    if card is None or place.rank == _BEYOND_KING:
        return 0.0
    if card.rank != place.rank:
        return _MISREAD
    return 0.0 if card.suit is suit else _OTHER_SUIT


def _told(
    cards: Sequence[PileCard], positions: Sequence[int], places: Sequence[_Place], suit: Suit
) -> Iterator[Fault]:
    """Yield the faults of which an explanation consists."""
    strangers = [i for i, place in enumerate(places) if _misfit(cards[i].card, place, suit) >= _MISREAD]
    wanted = {Card(Rank(places[i].rank), suit) for i in strangers}
    for i, place in enumerate(places):
        card, position, below = cards[i], positions[i], places[i - 1].rank if i else 0
        if place.rank == _BEYOND_KING:
            yield Fault.make(Faults.AFTER_KING, position=position, card=_symbol(card.face))
            continue
        expected = Card(Rank(place.rank), suit)
        if place.rank - below > 1:
            yield _hidden(below, expected, position)
        if place.ties:
            yield from _tie(cards[i - 1], card, place, expected, position)
        if card.card is None:
            yield _unknown_face(card, position, expected)
        elif card.card != expected:
            yield _misplaced(card.card, expected, position, swapped=i in strangers and card.card in wanted)


def _hidden(below: int, above: Card, position: int) -> Fault:
    """Tell of cards that are missing beneath a card."""
    if below == 0:
        return Fault.make(Faults.NO_ACE, position=position, card=above.symbol)
    before, first, last = (Card(Rank(rank), above.suit).symbol for rank in (below, below + 1, above.rank - 1))
    if first == last:
        return Fault.make(Faults.GAP, position=position, missing=first, before=before, after=above.symbol)
    return Fault.make(
        Faults.GAP, position=position, first=first, last=last, before=before, after=above.symbol
    )


def _tie(below: PileCard, card: PileCard, place: _Place, expected: Card, position: int) -> Iterator[Fault]:
    if place.ties > 1:
        yield Fault.make(Faults.DUPLICATE, position=position, card=expected.symbol)
    elif card.back is None or card.back != below.back or isinstance(card.face, Joker):
        # Twice from one deck is no tie; that is told by itself.
        yield Fault.make(Faults.TIE, position=position, card=expected.symbol)


def _unknown_face(card: PileCard, position: int, expected: Card | None) -> Fault:
    name = Faults.UNREADABLE if card.face is None else Faults.UNDECLARED_JOKER
    suggestion = None if expected is None else expected if card.face is None else Joker(expected)
    return Fault.make(
        name, position=position, suggestion=suggestion, number=position + 1, probable=_symbol(expected)
    )


def _misplaced(card: Card, expected: Card, position: int, *, swapped: bool) -> Fault:
    """Tell of a card that is not the one expected."""
    if card.rank == expected.rank:
        name, suit = Faults.FOREIGN_SUIT, expected.suit.name.lower()
    else:
        name, suit = Faults.DISORDER if swapped else Faults.WRONG_RANK, None
    return Fault.make(
        name,
        position=position,
        suggestion=expected,
        card=card.symbol,
        probable=expected.symbol,
        suit=suit,
    )


def _symbol(face: Face | None) -> str | None:
    return None if face is None else face.symbol
