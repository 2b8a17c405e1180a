"""The looks a player takes at the table, one after another, until one finds a move.

Each is a function from a `View` to a move or None; a bot is an order of looks and a tempo. They suggest only
moves that are legal as far as the seat can see; somebody else's card may still land first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from scorer.game import cycle, jokers
from scorer.game.codes import JOKER, NO_CARD, RANK, STEP_UP, VALUE
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
from scorer.game.view import View

Look = Callable[[View], Move | None]

_NEARLY_OUT = 2
"""So few cards left in a Nerts pile are a danger to everybody else."""

# --- What fits where ---------------------------------------------------------------------------------------


def onto(view: View, card: int) -> int:
    """Return a work pile the card fits on, -1 if there is none."""
    if view.jokers:
        return _onto_with_jokers(view, card)
    wanted = STEP_UP[card & VALUE]
    for place, pile in enumerate(view.work):
        if pile and pile[-1] & VALUE == wanted:
            return place
    return -1


def _onto_with_jokers(view: View, card: int) -> int:
    for place, pile in enumerate(view.work):
        if pile and jokers.fits((card,), pile, view.fixed):
            return place
    return -1


def space(view: View) -> int:
    """Return an empty space, -1 if there is none."""
    work = view.work
    return -1 if all(work) else [not pile for pile in work].index(True)


def beneath(view: View, card: int) -> int:
    """Return a work pile the card can be slid under, -1 if there is none."""
    if view.rules.slide_under == "off" or (view.rules.slide_under == "with_space" and space(view) < 0):
        return -1
    for place, pile in enumerate(view.work):
        if not pile:
            continue
        if view.jokers:
            if jokers.slides_under(card, pile, view.fixed):
                return place
        elif STEP_UP[pile[0] & VALUE] == card & VALUE:
            return place
    return -1


def may_fill(view: View, source: int) -> bool:
    """Whether the house rules let a card from this place fill a space."""
    return source == NERTS or view.rules.space_fill == "any" or not view.nerts_left


def landing(view: View, source: int, card: int) -> Move | None:
    """Return the move of a card to a foundation that takes it, None if there is none."""
    if card >= JOKER:
        return _joker_landing(view, source, card)
    if card & RANK == 1:
        return Move(view.seat, PLAY, source, card, 1, FOUNDATION)
    numbers = view.wanted.get(card)
    return Move(view.seat, PLAY, source, card, 1, FOUNDATION + numbers[0]) if numbers else None


def _joker_landing(view: View, source: int, card: int) -> Move | None:
    """Declare a joker as the highest card that is wanted: the fewest cards can still follow it."""
    value = view.fixed.get(card)
    fitting = [wanted for wanted in view.wanted if value in (None, wanted & VALUE)]
    if not fitting:
        return None
    best = max(fitting, key=lambda wanted: (wanted & RANK, wanted))
    return Move(view.seat, PLAY, source, JOKER, 1, FOUNDATION + view.wanted[best][0], best)


def _lay(view: View, source: int, card: int, target: int) -> Move:
    return Move(view.seat, PLAY, source, min(card, JOKER), 1, target)


# --- Looks -------------------------------------------------------------------------------------------------


def nerts_to_foundation(view: View) -> Move | None:
    """The best play there is: a point, and two saved."""
    card = view.nerts_top
    return landing(view, NERTS, card) if card else None


def nerts_to_work(view: View) -> Move | None:
    """Get rid of the Nerts card on a work pile."""
    card = view.nerts_top
    if not card:
        return None
    place = onto(view, card)
    return _lay(view, NERTS, card, place) if place >= 0 else None


def nerts_under_work(view: View) -> Move | None:
    """Slide the Nerts card under a work pile and keep the space."""
    card = view.nerts_top
    place = beneath(view, card) if card else -1
    return Move(view.seat, SLIDE, NERTS, min(card, JOKER), 1, place) if place >= 0 else None


def nerts_to_space(view: View) -> Move | None:
    """Fill a space with the Nerts card."""
    card = view.nerts_top
    place = space(view) if card else -1
    return _lay(view, NERTS, card, place) if place >= 0 else None


def forced_ace(view: View) -> Move | None:
    """Play an ace that lies ready: by this house rule nothing else may be played before."""
    ends = [(place, pile[-1]) for place, pile in enumerate(view.work) if pile]
    for source, card in [(NERTS, view.nerts_top), (WASTE, view.waste_top), *ends]:
        if card & RANK == 1 and card < JOKER:
            return landing(view, source, card)
    return None


def waste_to_foundation(view: View) -> Move | None:
    """Play the top of the waste to a foundation."""
    card = view.waste_top
    return landing(view, WASTE, card) if card else None


def work_to_foundation(view: View) -> Move | None:
    """Play an exposed card to a foundation, single cards first since they leave a space."""
    found = None
    for place, pile in enumerate(view.work):
        if pile and (pile[-1] & RANK == 1 or pile[-1] in view.wanted or pile[-1] >= JOKER):
            move = landing(view, place, pile[-1])
            if move is not None and len(pile) == 1:
                return move
            found = found or move
    return found


def work_held_back(view: View) -> Move | None:
    """Play an exposed card to a foundation, unless it lets a rival go out who has nearly done so."""
    move = work_to_foundation(view)
    if move is None or move.card >= JOKER or not _feeds(view, move.card + 1):
        return move
    for place, pile in enumerate(view.work):
        if pile and pile[-1] != move.card and pile[-1] < JOKER and not _feeds(view, pile[-1] + 1):
            other = landing(view, place, pile[-1])
            if other is not None:
                return other
    return None


def _feeds(view: View, card: int) -> bool:
    """Whether a card would be the way out for a rival, and not for this seat."""
    if card == view.nerts_top:
        return False
    return any(
        view.nerts_top_of(seat) == card and view.nerts_left_of(seat) <= _NEARLY_OUT
        for seat in range(view.seats)
        if seat != view.seat
    )


def waste_to_work(view: View) -> Move | None:
    """Play the top of the waste on a work pile, for what may lie beneath."""
    card = view.waste_top
    place = onto(view, card) if card else -1
    return _lay(view, WASTE, card, place) if place >= 0 else None


def waste_to_work_planned(view: View) -> Move | None:
    """Play the top of the waste on a work pile, unless it covers a card wanted soon or spoils the pass."""
    card = view.waste_top
    if not card:
        return None
    if view.jokers:
        return waste_to_work(view)
    fitting, wanted = STEP_UP[card & VALUE], view.wanted
    for place, pile in enumerate(view.work):
        if not pile or pile[-1] & VALUE != fitting:
            continue
        if pile[-1] not in wanted and pile[-1] - 1 not in wanted and cycle.pays_to_play_waste(view):
            return _lay(view, WASTE, card, place)
    return None


def waste_to_space(view: View) -> Move | None:
    """Fill a space with the top of the waste."""
    card = view.waste_top
    place = space(view) if card and may_fill(view, WASTE) else -1
    return _lay(view, WASTE, card, place) if place >= 0 else None


def waste_under_work(view: View) -> Move | None:
    """Slide the top of the waste under a work pile."""
    card = view.waste_top
    place = beneath(view, card) if card and may_fill(view, WASTE) else -1
    return Move(view.seat, SLIDE, WASTE, min(card, JOKER), 1, place) if place >= 0 else None


def merge_piles(view: View) -> Move | None:
    """Move a whole work pile on to another, so that the Nerts card finds a space."""
    if not view.nerts_left or space(view) >= 0:
        return None
    for place, pile in enumerate(view.work):
        if view.rules.move_run == "single" and len(pile) > 1:
            continue
        target = _run_onto(view, pile, place)
        if target >= 0:
            return Move(view.seat, PLAY, place, min(pile[0], JOKER), len(pile), target)
    return None


def _run_onto(view: View, run: Sequence[int], source: int) -> int:
    """Return a work pile, not the run's own, that the run fits on."""
    if view.jokers:
        for place, pile in enumerate(view.work):
            if pile and place != source and jokers.fits(run, pile, view.fixed):
                return place
        return -1
    wanted = STEP_UP[run[0] & VALUE]
    for place, pile in enumerate(view.work):
        if place != source and pile and pile[-1] & VALUE == wanted:
            return place
    return -1


def uncover(view: View) -> Move | None:
    """Move part of a run away from a card that can be played, or that the Nerts card fits on."""
    if view.rules.move_run == "whole":
        return None
    wanted, nerts = view.wanted, view.nerts_top
    place_of_nerts = STEP_UP[nerts & VALUE] if nerts and nerts < JOKER else NO_CARD
    for place, pile in enumerate(view.work):
        for start in range(1, len(pile)):
            freed = pile[start - 1]
            if freed not in wanted and freed & VALUE != place_of_nerts:
                continue
            target = _run_onto(view, pile[start:], place)
            length = len(pile) - start
            if target >= 0 and (length == 1 or view.rules.move_run == "suffix"):
                return Move(view.seat, PLAY, place, min(pile[start], JOKER), length, target)
    return None


def waste_for_nerts(view: View) -> Move | None:
    """Play the top of the waste where the Nerts card then fits on it."""
    card, nerts = view.waste_top, view.nerts_top
    if not card or not nerts or STEP_UP[nerts & VALUE] != card & VALUE or card >= JOKER or nerts >= JOKER:
        return None
    return waste_to_work(view) or waste_under_work(view) or waste_to_space(view)


def follow_in_air(view: View) -> Move | None:
    """Lift the successor of a card that a rival is just laying, to be there first when it has landed."""
    for seat, move in enumerate(view.in_air):
        if move is None or seat == view.seat or move.target == FOUNDATION:
            continue
        follower = (move.declared or move.card) + 1
        if follower & RANK > 13:
            continue
        if view.nerts_top == follower:
            return Move(view.seat, PLAY, NERTS, follower, 1, move.target)
        if view.waste_top == follower:
            return Move(view.seat, PLAY, WASTE, follower, 1, move.target)
        for place, pile in enumerate(view.work):
            if pile and pile[-1] == follower:
                return Move(view.seat, PLAY, place, follower, 1, move.target)
    return None


# --- Calling ----------------------------------------------------------------------------------------------


def call_at_once(view: View) -> Move | None:
    """Call as soon as the Nerts pile is empty."""
    return Move(view.seat, CALL)


def call_when_played_out(view: View) -> Move | None:
    """Play what lies ready for the foundations first, as long as no rival is nearly out himself."""
    rivals = [view.nerts_left_of(seat) for seat in range(view.seats) if seat != view.seat]
    if min(rivals, default=0) <= _NEARLY_OUT:
        return Move(view.seat, CALL)
    return waste_to_foundation(view) or work_to_foundation(view) or Move(view.seat, CALL)


# --- The stream: what to do when no look has found anything ------------------------------------------------


def stream(view: View) -> Move | None:
    """Turn cards, turn the waste over, say "stuck", rotate; None means wait."""
    seat = view.seat
    if view.is_stuck:
        return _try_again(view)
    if view.fruitless >= 2 or (view.fruitless and view.is_hopeless()):
        return Move(seat, STUCK)
    kind = _turning(view)
    return Move(seat, STUCK if kind is None else kind)


def _turning(view: View) -> Kind | None:
    stock, waste, turn = view.stock_left, view.waste_left, view.turn
    if stock >= turn or (stock and (view.rules.leftover == "flip" or stock + waste < turn)):
        return TURN
    limit = view.rules.redeal_limit
    return REDEAL if waste and (limit is None or view.redeals < limit) else None


def _try_again(view: View) -> Move | None:
    """Rotate, but not more often than it brings other cards to the top."""
    if view.rules.stuck_alone == "never" or view.rotations >= view.turn - 1:
        return None
    if view.stock_left:
        return Move(view.seat, ROTATE)
    return Move(view.seat, REDEAL) if _turning(view) is REDEAL else None
