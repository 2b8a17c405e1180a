"""Tables set out by hand, in few words.

A layout is written as its piles, each with the playable card last: the work piles with "-" for a space,
``lay("QS JD / 7D / - / KC", nerts="8C", waste="KH", stock="…")``; the stock alone from its top down, as it is
turned. A foundation is "AS 2S", with "@2" for the seat whose cards they are (seat 1 if left out).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pytest

from scorer.cards import Joker, parse_face
from scorer.errors import IllegalMove
from scorer.game.codes import JOKER, RANK, encode, text
from scorer.game.layout import Foundation, Laid
from scorer.game.moves import Move
from scorer.game.state import Outcome, State
from scorer.scoring import Rules


@dataclass(frozen=True)
class Lay:
    work: str
    nerts: str
    waste: str
    stock: str


def lay(work: str = "-", *, nerts: str = "KC", waste: str = "", stock: str = "") -> Lay:
    return Lay(work, nerts, waste, stock)


def table(*seats: Lay, foundations: tuple[str, ...] = (), rules: str = "classic") -> State:
    """A state with these layouts; whatever is not named is not there."""
    parsed = Rules.parse(rules)
    state = State(parsed, "set out by hand", [parsed.nerts_size] * len(seats))
    for layout, seat in zip(state.layouts, seats, strict=True):
        numbers = iter(range(JOKER, JOKER + 9))
        layout.nerts, layout.waste = _cards(seat.nerts, numbers), _cards(seat.waste, numbers)
        layout.stock = _cards(seat.stock, numbers)[::-1]
        layout.work = [_cards(pile, numbers) for pile in seat.work.split("/")]
        layout.seen = {*layout.waste}
    for notation in foundations:
        _found(state, notation)
    return state


def _cards(notation: str, numbers: Iterator[int]) -> list[int]:
    faces = [parse_face(word) for word in notation.split() if word != "-"]
    return [next(numbers) if isinstance(face, Joker) else encode(face) for face in faces]


def _found(state: State, notation: str) -> None:
    cards, _, seat = notation.partition("@")
    laid = [
        Laid(code, code, int(seat or 1) - 1) for code in (encode(parse_face(word)) for word in cards.split())
    ]
    number = len(state.foundations) + 1
    foundation = Foundation(number, laid[0], 0, 0, 0)
    foundation.cards, foundation.top = laid, laid[-1].card
    state.foundations.append(foundation)
    if foundation.top & RANK < 13:
        state.wanted.setdefault(foundation.top + 1, []).append(number)


def play(state: State, *moves: str, at: int | None = None, lifted: int | None = None) -> Outcome:
    """Carry out moves; the outcome of the last."""
    for notation in moves:
        outcome = state.perform(Move.parse(notation), at, lifted)
    return outcome


def refused(
    state: State, notation: str, because: str, at: int | None = None, lifted: int | None = None
) -> None:
    """Check that a move is refused with a sentence that says this, and that nothing changed."""
    before = state.snapshot()
    with pytest.raises(IllegalMove, match=because) as caught:
        state.perform(Move.parse(notation), at, lifted)
    assert state.snapshot() == before
    sentence = str(caught.value)
    assert sentence.endswith(".") and ". " not in sentence


def shown(state: State, seat: int = 1) -> str:
    """The work piles of a seat, as they are written for `lay`."""
    piles = state.layouts[seat - 1].work
    return " / ".join(" ".join(text(card) for card in pile) or "-" for pile in piles)


def words(cards: Iterable[int]) -> str:
    return " ".join(text(card) for card in cards)
