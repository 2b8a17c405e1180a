"""Where every card lies, as the pages are told: places, and the changes from one moment to the next.

A physical card is written ``P2:4C`` (of the deck of seat 2), a joker ``P2:JK``, a second one ``P2:JK.2``; one
that lies on a foundation adds what it was declared as, ``P2:JK=10H``. A card whose face may not be seen is
``P2:``. A place is ``P2.N`` (Nerts pile), ``P2.S`` (stock), ``P2.W`` (waste), ``P2.1`` … (work piles), ``F1`` …
(foundations in the order they were started) or ``P2.A`` (in the air, on the way to a foundation).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from scorer.game.codes import DECK_CODES, JOKER, text
from scorer.game.layout import Foundation, Laid, Layout
from scorer.game.moves import FOUNDATION, NERTS, WASTE, Move
from scorer.game.state import State
from scorer.scoring import LIMITS, MAX_PLAYERS

Cards = tuple[str, ...]
Places = dict[str, Cards]
"""For each place the cards that lie there, bottom first."""
Change = dict[str, list[str]]
"""The places that differ from the moment before, with all that lies there now."""


def _name(code: int) -> str:
    extra = code - JOKER
    return text(code) if extra <= 0 else f"JK.{extra + 1}"


_CODES = (*DECK_CODES, *range(JOKER, JOKER + LIMITS["jokers"][1]))
_IDS = tuple({code: f"P{seat + 1}:{_name(code)}" for code in _CODES} for seat in range(MAX_PLAYERS))
_HIDDEN = tuple(f"P{seat + 1}:" for seat in range(MAX_PLAYERS))

Eye = Callable[[Layout, int, Sequence[int], bool], Iterable[bool]]
"""Tells which cards of a Nerts pile, waste or stock are seen: of the layout, the place, the cards, and whether
the one above them is in the air."""


def change(before: Mapping[str, Cards], after: Mapping[str, Cards]) -> Change:
    """Return every place that differs; a place that is no more is empty."""
    changed = {place: list(cards) for place, cards in after.items() if before.get(place) != cards}
    return changed | {place: [] for place in before if place not in after}


def seen_by_all(state: State, in_air: Sequence[Move | None]) -> Places:
    """Return what everybody at the table sees."""
    return _places(state, in_air, _from_outside)


def seen_by(seat: int, state: State, in_air: Sequence[Move | None], common: Places) -> Places:
    """Return what one seat sees: what all see, and what it has seen of its own waste and Nerts pile."""
    own = _Seat(seat, state.layouts[seat], in_air[seat], _from_seat(state))
    return common | {f"P{seat + 1}.N": own.nerts(), f"P{seat + 1}.W": own.waste()}


def seen_afterwards(state: State, in_air: Sequence[Move | None]) -> Places:
    """Return where every card lies, all of them with their faces: for the replay of a round that is over."""
    return _places(state, in_air, lambda layout, place, cards, lifted: (True for _ in cards))


def _places(state: State, in_air: Sequence[Move | None], eye: Eye) -> Places:
    places: Places = {}
    for seat, layout in enumerate(state.layouts):
        places |= _Seat(seat, layout, in_air[seat], eye).places()
    return places | {f"F{foundation.number}": _foundation(foundation) for foundation in state.foundations}


def _from_outside(layout: Layout, place: int, cards: Sequence[int], lifted: bool) -> Iterable[bool]:
    """Only the tops of Nerts pile and waste lie open; under a card in the air nothing is turned yet."""
    top = len(cards) - 1
    return (place in (NERTS, WASTE) and at == top and not lifted for at in range(len(cards)))


def _from_seat(state: State) -> Eye:
    def eye(layout: Layout, place: int, cards: Sequence[int], lifted: bool) -> Iterable[bool]:
        if place == WASTE:
            return (card in layout.seen for card in cards)
        if place == NERTS and state.rules.nerts_faceup:
            return (True for _ in cards)
        return _from_outside(layout, place, cards, lifted)

    return eye


class _Seat:
    """One layout, with the card that is in the air taken off its place."""

    def __init__(self, seat: int, layout: Layout, move: Move | None, eye: Eye) -> None:
        self._seat, self._layout, self._eye = seat, layout, eye
        self._move = move
        self._lifted = None if move is None else _printed(layout, move)

    def places(self) -> Places:
        name = f"P{self._seat + 1}"
        found = {f"{name}.N": self.nerts(), f"{name}.S": self._covered(None, self._layout.stock)}
        found[f"{name}.W"] = self.waste()
        for number, pile in enumerate(self._layout.work):
            found[f"{name}.{number + 1}"] = self._ids(self._left(number, pile))
        if self._lifted is not None and self._move is not None:
            found[f"{name}.A"] = (_laid_id(self._seat, self._lifted, self._move.declared),)
        return found

    def nerts(self) -> Cards:
        return self._covered(NERTS, self._layout.nerts)

    def waste(self) -> Cards:
        return self._covered(WASTE, self._layout.waste)

    def _covered(self, place: int | None, cards: Sequence[int]) -> Cards:
        left = self._left(place, cards)
        is_open = self._eye(self._layout, 0 if place is None else place, left, len(left) < len(cards))
        ids, hidden = _IDS[self._seat], _HIDDEN[self._seat]
        return tuple(ids[card] if seen else hidden for card, seen in zip(left, is_open, strict=True))

    def _left(self, place: int | None, cards: Sequence[int]) -> Sequence[int]:
        if self._lifted is None or self._move is None or self._move.source != place:
            return cards
        return [card for card in cards if card != self._lifted]

    def _ids(self, cards: Iterable[int]) -> Cards:
        ids = _IDS[self._seat]
        return tuple(ids[card] for card in cards)


def _printed(layout: Layout, move: Move) -> int | None:
    """Return the card itself that a move has lifted; None if it is no longer where it was taken from."""
    pile = {NERTS: layout.nerts, WASTE: layout.waste}.get(move.source)
    if pile is None:
        pile = layout.work[move.source] if 0 <= move.source < len(layout.work) else []
    matching = (card for card in reversed(pile) if min(card, JOKER) == min(move.card, JOKER))
    return next(matching, None) if move.target >= FOUNDATION else None


def _foundation(foundation: Foundation) -> Cards:
    return tuple(_id_of(laid) for laid in foundation.cards)


def _id_of(laid: Laid) -> str:
    return _laid_id(laid.owner, laid.printed, laid.card)


def _laid_id(owner: int, printed: int, counts_as: int) -> str:
    card = _IDS[owner][printed]
    return card if printed < JOKER or not counts_as else f"{card}={text(counts_as)}"
