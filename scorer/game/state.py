"""The state of one round, and what the actions do to it.

`State.perform` judges a move and carries it out, or raises `IllegalMove` and leaves everything as it was. The
table, which judges thousands of moves a second, asks `State.refusal` first and then calls `State.apply`.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Sequence

from scorer.errors import IllegalMove, RulesError
from scorer.game import jokers
from scorer.game import layout as layouts
from scorer.game.codes import KING, RANK
from scorer.game.layout import Foundation, Laid, Layout
from scorer.game.legality import refusal
from scorer.game.moves import FOUNDATION, NERTS, TABLE, WASTE, Move
from scorer.scoring import LIMITS, MAX_PLAYERS, Rules


class Outcome(enum.Enum):
    """What came of a move."""

    DONE = "done"
    TIED = "tied"
    """It lies on its foundation together with a rival's card."""
    BOTH_BACK = "both back"
    """A tie by the rule that both cards go back."""
    BOUNCED = "bounced"
    """It did not fit any more when it came down, and went back."""


class State:
    """One round: the layouts of the seats and the foundations between them."""

    def __init__(self, rules: Rules, seed: str, nerts_sizes: Sequence[int]) -> None:
        """Deal a round.

        Args:
            rules: the house rules.
            seed: any text; it decides the deal, and every later shuffle.
            nerts_sizes: for each seat the size of its Nerts pile.
        """
        _check_seats(nerts_sizes)
        self.rules = rules
        self.seed = seed
        self.turn = rules.turn
        self.jokers = rules.jokers > 0
        self.aces_forced = rules.aces_forced
        self.two_hands = rules.hands > 1
        work = rules.work_piles_for(len(nerts_sizes))
        self.layouts = [
            layouts.deal(f"{seed}/deal/{seat}", size, work, rules.jokers)
            for seat, size in enumerate(nerts_sizes)
        ]
        self.foundations: list[Foundation] = []
        """All of them in the order they were started, complete ones too."""
        self.wanted: dict[int, list[int]] = {}
        """For each card that fits an open foundation, the numbers of those foundations."""
        self.landings = 0
        """How many cards have been laid on foundations."""
        self.now = 0
        self.progress_at = 0
        """When a card last reached a foundation or left a Nerts pile."""
        self.resets = 0
        """How often all were stuck since then."""
        self.shuffles = 0
        self.end: str | None = None
        """How the round ended: "called", "stuck" or "stopped"; None while it lasts."""
        self.called_at = 0
        self.callers: list[int] = []
        self.false_calls = [0] * len(nerts_sizes)
        for seat in range(len(nerts_sizes)):
            self._fill_spaces(self.layouts[seat])

    # --- Actions -------------------------------------------------------------------------------------------

    def perform(
        self, move: Move, at: int | None = None, lifted: int | None = None, by: int | None = None
    ) -> Outcome:
        """Judge a move and carry it out.

        Args:
            move: what the player wants.
            at: when it comes down, in milliseconds; by default just after the last one.
            lifted: when the card was taken; by default at that same moment.
            by: the seat that asks for it, where that is known.

        Raises:
            IllegalMove: the move breaks a rule, and nothing has changed.
        """
        at = self.now + 1 if at is None else at
        reason = self._misdirected(move, by) or self.refusal(move, at if lifted is None else lifted, at)
        if reason is not None:
            raise IllegalMove(reason)
        return self.apply(move, at)

    def refusal(self, move: Move, lifted: int, at: int) -> str | None:
        """Return the rule a move breaks if it comes down now, None when it is legal."""
        if at < self.now or lifted > at:
            return f"Time does not run backwards: the game has reached {self.now} ms."
        return refusal(self, move, lifted, at)

    def apply(self, move: Move, at: int) -> Outcome:
        """Carry out a move that is known to be legal."""
        self.now = at
        return _ACTIONS[move.kind](self, move, at)

    def _misdirected(self, move: Move, by: int | None) -> str | None:
        if by is None or by == move.seat:
            return None
        who = "The table" if by == TABLE else f"P{by + 1}"
        return f"{who} cannot move for {'the table' if move.seat == TABLE else f'P{move.seat + 1}'}."

    def _play(self, move: Move, at: int) -> Outcome:
        layout = self.layouts[move.seat]
        outcome = Outcome.DONE
        if move.target >= FOUNDATION:
            outcome = self._to_foundation(move, layout, at)
        elif move.source >= 0:
            source = layout.work[move.source]
            layout.work[move.target] += source[-move.length :]
            del source[-move.length :]
        else:
            layout.work[move.target].append(self._take(layout, move.source, at))
        self._moved(layout, at)
        if outcome is not Outcome.BOTH_BACK:
            self._played(move, layout, at)
        return outcome

    def _slide(self, move: Move, at: int) -> Outcome:
        layout = self.layouts[move.seat]
        layout.work[move.target].insert(0, self._take(layout, move.source, at))
        self._moved(layout, at)
        self._played(move, layout, at)
        return Outcome.DONE

    def _moved(self, layout: Layout, at: int) -> None:
        """Note that a hand has come down."""
        layout.actions += 1
        layout.free_before, layout.free_at = layout.free_at, at

    def _played(self, move: Move, layout: Layout, at: int) -> None:
        """Do what follows every played card."""
        if move.source < 0:
            layout.forget_passes()
            layout.rotations = 0
        layout.stuck_mark = -1
        if self.jokers and not self.rules.joker_unfix:
            for pile in layout.work:
                jokers.fix_covered(pile, layout.fixed)
        self._fill_spaces(layout)
        if not layout.nerts and self.end is None and self.rules.call_required == "automatic":
            self._end_by_call(move.seat, at)

    def _take(self, layout: Layout, source: int, at: int) -> int:
        """Take the top card of the Nerts pile or of the waste; the next one shows its face."""
        if source == NERTS:
            self._progress(at)
            return layout.nerts.pop()
        card = layout.waste.pop()
        if layout.waste:
            layout.show_waste()
        return card

    def _progress(self, at: int) -> None:
        self.resets = 0
        self.progress_at = at

    def _fill_spaces(self, layout: Layout) -> None:
        """Racing Demon: a space is filled from the Nerts pile at once."""
        if self.rules.space_fill != "auto_nerts":
            return
        for pile in layout.work:
            if not pile and layout.nerts:
                pile.append(layout.nerts.pop())
                self._progress(self.now)

    # --- Foundations ---------------------------------------------------------------------------------------

    def _to_foundation(self, move: Move, layout: Layout, at: int) -> Outcome:
        card = move.declared or move.card
        number = move.target - FOUNDATION
        if number and self.foundations[number - 1].top == card:
            return self._tie(self.foundations[number - 1], move, layout, at)
        printed = layout.work[move.source].pop() if move.source >= 0 else self._take(layout, move.source, at)
        laid = Laid(printed, card, move.seat)
        if number:
            foundation = self.foundations[number - 1]
            self._unwant(card, number)
            foundation.cards.append(laid)
            foundation.top, foundation.tied, foundation.laid_at = card, False, at
            foundation.origin, foundation.actions = move.source, layout.actions + 1
        else:
            number = len(self.foundations) + 1
            self.foundations.append(Foundation(number, laid, at, move.source, layout.actions + 1))
        if card & RANK != KING:
            self.wanted.setdefault(card + 1, []).append(number)
        self._landed(at)
        return Outcome.DONE

    def _landed(self, at: int) -> None:
        self.landings += 1
        self.resets = 0
        self.progress_at = at

    def _unwant(self, card: int, number: int) -> None:
        numbers = self.wanted[card]
        if len(numbers) == 1:
            del self.wanted[card]
        else:
            numbers.remove(number)

    def _tie(self, foundation: Foundation, move: Move, layout: Layout, at: int) -> Outcome:
        if self.rules.tie_rule == "both_return":
            self._give_back(foundation)
            return Outcome.BOTH_BACK
        printed = layout.work[move.source].pop() if move.source >= 0 else self._take(layout, move.source, at)
        foundation.cards.append(Laid(printed, foundation.top, move.seat))
        foundation.tied = True
        self._landed(at)
        return Outcome.TIED

    def _give_back(self, foundation: Foundation) -> None:
        """Take the top card off a foundation, back to where it came from."""
        laid = foundation.cards.pop()
        if laid.card & RANK != KING:
            self._unwant(laid.card + 1, foundation.number)
        foundation.top = foundation.cards[-1].card
        foundation.tied = len(foundation.cards) > 1 and foundation.cards[-2].card == foundation.top
        self.wanted.setdefault(laid.card, []).append(foundation.number)
        layout = self.layouts[laid.owner]
        pile = {NERTS: layout.nerts, WASTE: layout.waste}.get(foundation.origin)
        (layout.work[foundation.origin] if pile is None else pile).append(laid.printed)
        self.landings += 1

    # --- Stock and waste -----------------------------------------------------------------------------------

    def _turn(self, move: Move, at: int) -> Outcome:
        layout = self.layouts[move.seat]
        stock, waste, size = layout.stock, layout.waste, self.turn
        waste += stock[: -size - 1 : -1]
        del stock[-size:]
        layout.show_waste()
        self._moved(layout, at)
        return Outcome.DONE

    def _redeal(self, move: Move, at: int) -> Outcome:
        layout = self.layouts[move.seat]
        layout.new_stock()
        layout.redeals += 1
        is_fruitless = layout.pass_mark == (self.landings, layout.redeals - 1)
        layout.fruitless = layout.fruitless + 1 if is_fruitless else 0
        layout.pass_mark = (self.landings, layout.redeals)
        self._moved(layout, at)
        return Outcome.DONE

    def _rotate(self, move: Move, at: int) -> Outcome:
        layout = self.layouts[move.seat]
        layout.rotate()
        again = layout.rotation_mark == self.landings
        layout.rotations = layout.rotations + 1 if again else 1
        layout.rotation_mark = self.landings
        # He tries again: only when that was fruitless too is he stuck again.
        layout.stuck_mark = -1
        layout.forget_passes()
        self._moved(layout, at)
        return Outcome.DONE

    # --- Said, not played ----------------------------------------------------------------------------------

    def _call(self, move: Move, at: int) -> Outcome:
        if self.layouts[move.seat].nerts:
            self.false_calls[move.seat] += 1
        else:
            self._end_by_call(move.seat, at)
        return Outcome.DONE

    def _end_by_call(self, seat: int, at: int) -> None:
        self.end = "called"
        self.called_at = at
        self.callers.append(seat)

    def _stuck(self, move: Move, at: int) -> Outcome:
        self.layouts[move.seat].stuck_mark = self.landings
        if all(self.is_stuck(seat) for seat in range(len(self.layouts))):
            self._all_stuck(at)
        return Outcome.DONE

    def _stall(self, move: Move, at: int) -> Outcome:
        self._all_stuck(at)
        return Outcome.DONE

    def _stop(self, move: Move, at: int) -> Outcome:
        self.end = "stopped"
        return Outcome.DONE

    def is_stuck(self, seat: int) -> bool:
        """Whether a seat has said it is stuck, has played nothing since, and no foundation has changed."""
        return self.layouts[seat].stuck_mark == self.landings

    def _all_stuck(self, at: int) -> None:
        """Give everybody a new stock; where that did not help before, or by the rules, the round is over."""
        limit = self.rules.max_stuck_resets
        if self.rules.stuck_all == "none" or (limit is not None and self.resets >= limit):
            self.end = "stuck"
            return
        self.resets += 1
        self.progress_at = at
        for seat, layout in enumerate(self.layouts):
            self._new_stock(seat, layout)
            layout.stuck_mark = -1
            layout.actions += 1
            layout.rotations = 0
            layout.forget_passes()

    def _new_stock(self, seat: int, layout: Layout) -> None:
        layout.new_stock()
        match self.rules.stuck_all:
            case "new_stock_and_rotate":
                layout.rotate()
            case "shuffle":
                self.shuffles += 1
                layouts.shuffle(layout.stock, f"{self.seed}/shuffle/{seat}/{self.shuffles}")
                layout.seen.clear()
            case "rotate_nerts":
                layout.nerts[:] = layout.nerts[-1:] + layout.nerts[:-1]

    # --- Questions -----------------------------------------------------------------------------------------

    @property
    def seats(self) -> int:
        """How many seats are taken."""
        return len(self.layouts)

    @property
    def is_over(self) -> bool:
        """Whether no more cards may be lifted."""
        return self.end is not None

    def copy(self) -> State:
        """Return an independent copy."""
        twin = State.__new__(State)
        twin.__dict__.update(self.__dict__)
        twin.layouts = [layout.copy() for layout in self.layouts]
        twin.foundations = [foundation.copy() for foundation in self.foundations]
        twin.wanted = {card: numbers.copy() for card, numbers in self.wanted.items()}
        twin.callers, twin.false_calls = self.callers.copy(), self.false_calls.copy()
        return twin

    def snapshot(self) -> tuple[object, ...]:
        """Everything that can be told apart in two states, for comparing them."""
        seats = tuple(
            tuple(_frozen(getattr(layout, name)) for name in Layout.__slots__) for layout in self.layouts
        )
        piles = tuple(
            tuple(_frozen(getattr(foundation, name)) for name in Foundation.__slots__)
            for foundation in self.foundations
        )
        rest = {name: value for name, value in vars(self).items() if name not in ("layouts", "foundations")}
        return (seats, piles, *(_frozen(value) for value in rest.values()))

    def faults(self) -> list[str]:
        """Return what is wrong with the state itself; always empty unless the engine has a bug."""
        found = [fault for seat in range(self.seats) for fault in self._seat_faults(seat)]
        for foundation in self.foundations:
            ranks = [laid.card & RANK for laid in foundation.cards]
            rising = all(after - before in (0, 1) for before, after in itertools.pairwise(ranks))
            if ranks[0] != 1 or not rising or len({laid.card & ~RANK for laid in foundation.cards}) > 1:
                found.append(f"foundation {foundation.number} is no run of one suit from the ace")
        return found

    def _seat_faults(self, seat: int) -> list[str]:
        layout = self.layouts[seat]
        laid = [card.printed for pile in self.foundations for card in pile.cards if card.owner == seat]
        cards = sorted([*layout.cards(), *laid])
        faults = []
        if cards != sorted({*cards}) or len(cards) != self.rules.deck_size:
            faults.append(f"the deck of seat P{seat + 1} is not complete")
        for number, pile in enumerate(layout.work, 1):
            if not all(jokers.fits(pile[end:], pile[:end], layout.fixed) for end in range(1, len(pile))):
                faults.append(f"work pile {number} of P{seat + 1} is no run")
        return faults


def _frozen(value: object) -> object:
    """Return a hashable twin of a nested value."""
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    if isinstance(value, set):
        return frozenset(value)
    if isinstance(value, dict):
        return tuple(sorted((key, _frozen(item)) for key, item in value.items()))
    return value


def _check_seats(nerts_sizes: Sequence[int]) -> None:
    if not 1 <= len(nerts_sizes) <= MAX_PLAYERS:
        raise RulesError(f"A table has 1 to {MAX_PLAYERS} seats, not {len(nerts_sizes)}.")
    low, high = LIMITS["nerts_size"]
    for size in nerts_sizes:
        if not low <= size <= high:
            raise RulesError(f"A Nerts pile has {low} to {high} cards, not {size}.")


_ACTIONS = (
    State._play,
    State._slide,
    State._turn,
    State._redeal,
    State._rotate,
    State._stuck,
    State._call,
    State._stall,
    State._stop,
)
