"""Every legal move of a seat, and whether it is stuck."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from scorer.game import jokers
from scorer.game.codes import DECK_CODES, JOKER, RANK, VALUE
from scorer.game.layout import Layout
from scorer.game.moves import (
    CALL,
    FOUNDATION,
    NERTS,
    PLAY,
    REDEAL,
    ROTATE,
    SLIDE,
    STUCK,
    TURN,
    WASTE,
    Kind,
    Move,
)
from scorer.game.state import State

_ACES = tuple(code for code in DECK_CODES if code & RANK == 1)
_SEARCH_LIMIT = 400
"""How many arrangements of the work piles the detector looks at."""


def legal_moves(state: State, seat: int) -> list[Move]:
    """Return every move the seat may make now; runs moved, jokers declared and words said included."""
    at = state.now + 1
    return [move for move in _candidates(state, seat) if state.refusal(move, at, at) is None]


def _candidates(state: State, seat: int) -> Iterator[Move]:
    layout = state.layouts[seat]
    for source, card, count in _sources(layout):
        if count == 1:
            yield from _foundation_moves(state, seat, source, card)
        meant = min(card, JOKER)
        for target in range(len(layout.work)):
            yield Move(seat, PLAY, source, meant, count, target)
            if source < 0:
                yield Move(seat, SLIDE, source, meant, 1, target)
    for kind in (TURN, REDEAL, ROTATE, STUCK):
        yield Move(seat, kind)
    if not layout.nerts:  # A false call is an offence, not a move to offer.
        yield Move(seat, CALL)


def _sources(layout: Layout) -> Iterator[tuple[int, int, int]]:
    """Yield place, card and number of cards of everything that can be lifted."""
    if layout.nerts:
        yield NERTS, layout.nerts[-1], 1
    if layout.waste:
        yield WASTE, layout.waste[-1], 1
    for place, pile in enumerate(layout.work):
        for count in range(1, len(pile) + 1):
            yield place, pile[-count], count


def _foundation_moves(state: State, seat: int, source: int, card: int) -> Iterator[Move]:
    meant = min(card, JOKER)
    for counts_as in (card,) if card < JOKER else (*_ACES, *state.wanted):
        declared = counts_as if card >= JOKER else 0
        for number in (0,) if counts_as & RANK == 1 else state.wanted.get(counts_as, ()):
            yield Move(seat, PLAY, source, meant, 1, FOUNDATION + number, declared)


def perft(state: State, depth: int, kinds: Iterable[Kind] = Kind) -> int:
    """Count the lines of legal moves of a given length, all seats moving in any order."""
    if depth == 0:
        return 1
    wanted, lines = frozenset(kinds), 0
    for seat in range(state.seats):
        for move in legal_moves(state, seat):
            if move.kind in wanted:
                after = state.copy()
                after.perform(move)
                lines += perft(after, depth - 1, wanted)
    return lines


# --- Stuck -------------------------------------------------------------------------------------------------


def can_play(state: State, seat: int) -> bool:
    """Whether the seat has a play that gets it on, now or within one pass through its stock.

    Moves between work piles count only for what they make possible: alone they can go round in circles.
    """
    layout = state.layouts[seat]
    loose = {card for card in (layout.nerts_top, *tops_of_a_pass(state, layout)) if card}
    if any(_lands(state, card, layout.fixed) for card in loose):
        return True
    seen: set[tuple[tuple[int, ...], ...]] = set()
    queue = [tuple(tuple(pile) for pile in layout.work)]
    while queue and len(seen) < _SEARCH_LIMIT:
        work = queue.pop()
        if work in seen:
            continue
        seen.add(work)
        if _work_gets_on(state, layout, work, loose):
            return True
        queue += _rearranged(state, layout, work)
    return False


def tops_of_a_pass(state: State, layout: Layout) -> Iterator[int]:
    """Yield the cards that become the top of the waste: now, until the turn-over, and in the next pass."""
    yield layout.waste_top
    yield from _shown(state, layout.stock, len(layout.waste))
    limit = state.rules.redeal_limit
    if limit is None or layout.redeals < limit:
        yield from _shown(state, (layout.waste + layout.stock[::-1])[::-1], 0)


def _shown(state: State, stock: Sequence[int], waste: int) -> list[int]:
    """Return the cards that turning a stock shows one after another."""
    tops = list(stock[len(stock) - state.turn :: -state.turn]) if len(stock) >= state.turn else []
    left = len(stock) % state.turn
    if left and (state.rules.leftover == "flip" or len(stock) + waste < state.turn):
        tops.append(stock[0])
    return tops


def _lands(state: State, card: int, fixed: jokers.Fixed) -> bool:
    if card < JOKER:
        return card & RANK == 1 or card in state.wanted
    value = fixed.get(card)
    return value is None or any(value == wanted & VALUE for wanted in (*_ACES, *state.wanted))


_Work = tuple[tuple[int, ...], ...]


def _work_gets_on(state: State, layout: Layout, work: _Work, loose: set[int]) -> bool:
    if any(pile and _lands(state, pile[-1], layout.fixed) for pile in work):
        return True
    has_space = not all(work)
    for card in loose:
        if has_space and _may_fill(state, layout, card):
            return True
        if any(pile and jokers.fits([card], pile, layout.fixed) for pile in work):
            return True
        if state.rules.slide_under == "without_space" and any(
            pile and jokers.slides_under(card, pile, layout.fixed) for pile in work
        ):
            return True
    return False


def _may_fill(state: State, layout: Layout, card: int) -> bool:
    return state.rules.space_fill == "any" or not layout.nerts or card == layout.nerts[-1]


def _rearranged(state: State, layout: Layout, work: _Work) -> Iterator[_Work]:
    """Yield every arrangement that one move between work piles makes of another."""
    for source, pile in enumerate(work):
        for start in _starts(state, pile):
            run = pile[start:]
            for target, onto in enumerate(work):
                if target == source or not _accepts(state, layout, onto, run, start):
                    continue
                after = list(work)
                after[source], after[target] = pile[:start], onto + run
                yield tuple(after)


def _starts(state: State, pile: Sequence[int]) -> Iterable[int]:
    """Return where the runs of a pile that may be moved begin."""
    match state.rules.move_run:
        case "whole":
            return range(min(1, len(pile)))
        case "single":
            return range(len(pile) - 1, len(pile)) if pile else ()
    return range(len(pile))


def _accepts(state: State, layout: Layout, onto: Sequence[int], run: Sequence[int], start: int) -> bool:
    if onto:
        return jokers.fits(run, onto, layout.fixed)
    # A whole pile moved to a space changes nothing.
    return start > 0 and (state.rules.space_fill == "any" or not layout.nerts)
