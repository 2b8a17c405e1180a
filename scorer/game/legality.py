"""The rules: why a move is not allowed, in one sentence, or None when it is.

A move is judged on landing. `lifted` and `at` are the moments, in milliseconds, at which the hand took the
card and at which the card came down; nothing here changes the state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from scorer.game import jokers
from scorer.game.codes import JOKER, RANK, RED, STEP_UP, VALUE, same_card, text
from scorer.game.layout import Foundation, Layout
from scorer.game.moves import (
    CALL,
    FOUNDATION,
    NERTS,
    OWN,
    SLIDE,
    STALL,
    STOCK,
    STOP,
    STUCK,
    TABLE,
    WASTE,
    Move,
)

if TYPE_CHECKING:
    from scorer.game.state import State

_NAMES = {NERTS: "Nerts pile", WASTE: "waste", STOCK: "stock"}


def refusal(state: State, move: Move, lifted: int, at: int) -> str | None:
    """Return the rule a move breaks if it comes down on this state, None when it is legal."""
    if not 0 <= move.seat < len(state.layouts):
        return _table_refusal(state, move, at)
    if move.kind in (STALL, STOP):
        return "Only the table can say that."
    if move.kind in (CALL, STUCK):
        return _SPOKEN[move.kind](state, move, at)
    if state.end is not None and (reason := _too_late(state, lifted)):
        return reason
    layout = state.layouts[move.seat]
    if lifted < (layout.free_before if state.two_hands else layout.free_at):
        return f"{_name(move)} moves one card at a time, and the last one has not come down yet."
    if state.aces_forced and (reason := _ace_first(layout, move)):
        return reason
    return _CHECKS[move.kind](state, move, layout, lifted, at)


def _name(move: Move) -> str:
    return f"P{move.seat + 1}"


def _cards(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"


# --- When --------------------------------------------------------------------------------------------------


def _too_late(state: State, lifted: int) -> str | None:
    if state.end != "called":
        why = "nobody could play on" if state.end == "stuck" else "the table stopped it"
        return f"The round is over: {why}."
    if lifted > state.called_at:
        return f"The round is over: P{state.callers[0] + 1} called Nerts before this card was lifted."
    if state.rules.midair == "return":
        return "By this house rule cards in the air at the call go back."
    return None


def _ace_first(layout: Layout, move: Move) -> str | None:
    """Racing Demon: an ace that can be played must be played."""
    exposed = [layout.nerts_top, layout.waste_top, *(pile[-1] for pile in layout.work if pile)]
    if not any(card & RANK == 1 for card in exposed if card < JOKER):
        return None
    if move.target >= FOUNDATION and move.card & RANK == 1 and move.kind is not SLIDE:
        return None
    return "By this house rule an ace that can be played goes to a foundation first."


def _table_refusal(state: State, move: Move, at: int) -> str | None:
    if move.seat != TABLE:
        return f"There is no seat P{move.seat + 1}: {len(state.layouts)} are taken."
    if move.kind not in (STALL, STOP):
        return "The table plays no cards."
    if state.end is not None:
        return "The round is over already."
    if move.kind is STALL:
        limit = stall_limit_ms(state)
        if limit is None or at - state.progress_at < limit:
            return "The table calls a stall only when nothing has been played for the time agreed."
    return None


def stall_limit_ms(state: State) -> int | None:
    """Return the time without progress after which the table calls a stall; None where it never does."""
    rules = state.rules
    return None if rules.stall_seconds is None else (rules.stall_seconds + rules.stall_grace_seconds) * 1000


def _call_refusal(state: State, move: Move, at: int) -> str | None:
    if state.end is not None and (state.end != "called" or at != state.called_at):
        return _too_late(state, at)
    if move.seat in state.callers:
        return f"{_name(move)} has called already."
    left = len(state.layouts[move.seat].nerts)
    if left and not state.rules.false_call_penalty:
        return f"{_name(move)} cannot call Nerts with {_cards(left)} left in his Nerts pile."
    return None


def _stuck_refusal(state: State, move: Move, at: int) -> str | None:
    if state.end is not None:
        return _too_late(state, at + 1)  # Words are not in the air.
    if state.is_stuck(move.seat):
        return f"{_name(move)} has said so already."
    if state.aces_forced:
        return _ace_first(state.layouts[move.seat], move)
    return None


_SPOKEN = {CALL: _call_refusal, STUCK: _stuck_refusal}

# --- Stock and waste ---------------------------------------------------------------------------------------


def _turn_refusal(state: State, move: Move, layout: Layout, lifted: int, at: int) -> str | None:
    stock, size = len(layout.stock), state.turn
    if stock >= size or (stock and state.rules.leftover == "flip"):
        return None
    if not stock:
        return "The stock is empty: turn the waste over first."
    if stock + len(layout.waste) < size:
        return None  # Guard: merging would never show so few cards.
    return f"Fewer than {size} cards are left in the stock: put them on the waste and turn it over."


def _redeal_refusal(state: State, move: Move, layout: Layout, lifted: int, at: int) -> str | None:
    limit = state.rules.redeal_limit
    if limit is not None and layout.redeals >= limit:
        return f"The waste may be turned over only {limit} time{'s' * (limit != 1)} in a round."
    if not layout.waste:
        return "There is no waste to turn over."
    if len(layout.stock) >= (1 if state.rules.leftover == "flip" else state.turn):
        verb = "is" if len(layout.stock) == 1 else "are"
        return f"{_cards(len(layout.stock))} {verb} left in the stock: turn what is left first."
    return None


def _rotate_refusal(state: State, move: Move, layout: Layout, lifted: int, at: int) -> str | None:
    allowed = state.rules.stuck_alone
    if allowed == "never":
        return "By this house rule no card of the stock is moved to its bottom."
    if allowed == "when_stuck" and not state.is_stuck(move.seat):
        return "Only a player who has said he is stuck moves the top card of his stock to the bottom."
    return None if layout.stock else "The stock is empty: turn the waste over first."


# --- Where from --------------------------------------------------------------------------------------------


def _source_refusal(move: Move, layout: Layout) -> str | None:
    """Say what is wrong with taking this card from that place."""
    source, card = move.source, move.card
    if move.source_seat not in (OWN, move.seat):
        return "A player may touch only his own layout."
    if source >= 0:
        return _work_source_refusal(move, layout)
    if source == STOCK:
        return "The stock is face down: only the top of the waste can be played."
    pile = layout.nerts if source == NERTS else layout.waste if source == WASTE else None
    if pile is None:
        return "There is no such pile."
    if not pile:
        return f"{_name(move)}'s {_NAMES[source]} is empty."
    if move.length != 1:
        return f"Only the top card of the {_NAMES[source]} can be played."
    if pile[-1] != card and not same_card(pile[-1], card):
        return f"The top card of {_name(move)}'s {_NAMES[source]} is {text(pile[-1])}, not {text(card)}."
    return None


def _work_source_refusal(move: Move, layout: Layout) -> str | None:
    if move.source >= FOUNDATION:
        return "A card on a foundation stays there."
    if move.source >= len(layout.work):
        return f"{_name(move)} has no work pile {move.source + 1}."
    pile = layout.work[move.source]
    if not 1 <= move.length <= len(pile):
        return (
            f"Work pile {move.source + 1} has {_cards(len(pile))}, so {move.length} cannot be taken from it."
        )
    shown = pile[-move.length]
    if shown == move.card or same_card(shown, move.card):
        return None
    if move.length == 1:
        return f"The exposed card of work pile {move.source + 1} is {text(shown)}, not {text(move.card)}."
    where = f"The run of {move.length} on work pile {move.source + 1}"
    return f"{where} begins with {text(shown)}, not {text(move.card)}."


# --- Where to ----------------------------------------------------------------------------------------------


def _play_refusal(state: State, move: Move, layout: Layout, lifted: int, at: int) -> str | None:
    reason = _source_refusal(move, layout)
    if reason is not None:
        return reason
    if move.target_seat not in (OWN, move.seat):
        return "A card may not be laid on another player's layout."
    if move.target >= FOUNDATION:
        return _foundation_refusal(state, move, layout, lifted, at)
    if move.declared:
        return "A joker is declared only for a foundation."
    if not 0 <= move.target < len(layout.work):
        return _no_target(move)
    return _work_refusal(state, move, layout)


def _no_target(move: Move) -> str:
    if move.target in _NAMES:
        return f"Nothing may be laid on the {_NAMES[move.target]}."
    return f"{_name(move)} has no work pile {move.target + 1}."


def _work_refusal(state: State, move: Move, layout: Layout) -> str | None:
    from_work = move.source >= 0
    if from_work:
        if move.source == move.target:
            return "The card lies on that work pile already."
        if reason := _run_refusal(state, move, layout):
            return reason
    pile = layout.work[move.target]
    if not pile:
        return _space_refusal(state, move, layout)
    if state.jokers:
        run = layout.work[move.source][-move.length :] if from_work else [_printed(layout, move.source)]
        if jokers.fits(run, pile, layout.fixed):
            return None
    elif STEP_UP[move.card & VALUE] == pile[-1] & VALUE:
        return None
    rule = "work piles go down by one rank in alternating colours"
    return f"{text(move.card)} does not go on {text(pile[-1])}: {rule}."


def _printed(layout: Layout, source: int) -> int:
    return layout.nerts[-1] if source == NERTS else layout.waste[-1]


def _run_refusal(state: State, move: Move, layout: Layout) -> str | None:
    allowed = state.rules.move_run
    if allowed == "whole" and move.length != len(layout.work[move.source]):
        return "By this house rule only whole work piles are moved."
    if allowed == "single" and move.length != 1:
        return "By this house rule only single cards are moved."
    return None


def _space_refusal(state: State, move: Move, layout: Layout) -> str | None:
    if state.rules.space_fill == "any" or move.source == NERTS or not layout.nerts:
        return None
    return "By this house rule a space is filled from the Nerts pile."


def _slide_refusal(state: State, move: Move, layout: Layout, lifted: int, at: int) -> str | None:
    if move.source not in (NERTS, WASTE) and move.source_seat in (OWN, move.seat):
        return "Only the top card of the Nerts pile or of the waste is slid under a work pile."
    reason = _source_refusal(move, layout)
    if reason is not None:
        return reason
    if move.target_seat not in (OWN, move.seat):
        return "A card may not be laid on another player's layout."
    if move.declared:
        return "A joker is declared only for a foundation."
    if not 0 <= move.target < len(layout.work):
        return _no_target(move)
    return _room_refusal(state, move, layout) or _under_refusal(state, move, layout)


def _room_refusal(state: State, move: Move, layout: Layout) -> str | None:
    """Sliding is laying in a space and moving the pile on to it, so it needs the space."""
    if state.rules.slide_under == "off":
        return "By this house rule no card is slid under a work pile."
    if not layout.work[move.target]:
        return f"Work pile {move.target + 1} is empty: lay the card there."
    if state.rules.slide_under == "without_space":
        return None
    if all(layout.work):
        return "A card is slid under a work pile only while there is an empty space."
    return _space_refusal(state, move, layout)


def _under_refusal(state: State, move: Move, layout: Layout) -> str | None:
    pile, card = layout.work[move.target], move.card
    if state.jokers:
        if jokers.slides_under(_printed(layout, move.source), pile, layout.fixed):
            return None
    elif STEP_UP[pile[0] & VALUE] == card & VALUE:
        return None
    rule = "it must be one rank higher and of the other colour"
    return f"{text(card)} does not go under {text(pile[0])}: {rule}."


# --- Foundations -------------------------------------------------------------------------------------------


def _foundation_refusal(state: State, move: Move, layout: Layout, lifted: int, at: int) -> str | None:
    if move.length != 1:
        return "Only one card at a time goes on a foundation."
    card = move.card
    if card >= JOKER or move.declared:
        if reason := _declaration_refusal(move, layout):
            return reason
        card = move.declared
    number = move.target - FOUNDATION
    if card & RANK == 1 or not number:
        return _start_refusal(card, number)
    if number > len(state.foundations):
        return f"There is no foundation {number}."
    foundation = state.foundations[number - 1]
    if foundation.top + 1 == card or is_tie(state, foundation, move.seat, card, lifted, at):
        return None
    return _misfit(foundation, card)


def _declaration_refusal(move: Move, layout: Layout) -> str | None:
    if move.card < JOKER:
        return f"{text(move.card)} is no joker, so it cannot be declared as another card."
    if not move.declared:
        return "A joker must be declared before it goes on a foundation."
    printed = layout.work[move.source][-1] if move.source >= 0 else _printed(layout, move.source)
    value = layout.fixed.get(printed)
    if value is not None and value != move.declared & VALUE:
        colour = "red" if value & RED else "black"
        return f"This joker was fixed as a {colour} card of rank {value & RANK} and stays one."
    return None


def _start_refusal(card: int, number: int) -> str | None:
    if card & RANK != 1:
        return f"Only an ace starts a foundation, not {text(card)}."
    return "Each ace starts a foundation of its own." if number else None


def _misfit(foundation: Foundation, card: int) -> str:
    name = f"Foundation {foundation.number}"
    if foundation.top == card:
        return f"{name} has its {text(card)} already: the card that lands first stays."
    if foundation.is_complete:
        return f"{name} is complete."
    return f"{name} needs {text(foundation.top + 1)}, not {text(card)}."


def is_tie(state: State, foundation: Foundation, seat: int, card: int, lifted: int, at: int) -> bool:
    """Whether a card reaches its place together with the card that lies there: a clear tie."""
    window = state.rules.tie_window_ms
    if not window or foundation.top != card or foundation.tied or state.rules.tie_rule == "first_only":
        return False
    if lifted > foundation.laid_at or at - foundation.laid_at > window:
        return False
    rival = foundation.cards[-1].owner
    if rival == seat or card & RANK == 1:
        return False
    return state.rules.tie_rule == "both_stay" or _can_go_back(state, foundation, rival)


def _can_go_back(state: State, foundation: Foundation, seat: int) -> bool:
    """Whether the top card's old place is still as it was: its player has neither played on nor called."""
    layout, laid = state.layouts[seat], foundation.cards[-1]
    if layout.actions != foundation.actions or seat in state.callers:
        return False
    pile = layout.work[foundation.origin] if foundation.origin >= 0 else []
    return not pile or jokers.fits([laid.printed], pile, layout.fixed)


_Check = Callable[["State", Move, Layout, int, int], str | None]
_CHECKS: tuple[_Check, ...] = (_play_refusal, _slide_refusal, _turn_refusal, _redeal_refusal, _rotate_refusal)
