"""What one seat may see: its own layout, what lies open before the others, and the foundations.

Cards are codes (`scorer.game.codes`), since bots read views in inner loops; `View.to_json` is for people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from scorer.game import choices, codes
from scorer.game.codes import NO_CARD
from scorer.game.moves import Move
from scorer.scoring import Rules

if TYPE_CHECKING:
    from scorer.game.state import State


class View:
    """A window on the state that shows no card this seat could not see at a real table."""

    __slots__ = (
        "_layout",
        "_state",
        "aces_forced",
        "in_air",
        "jokers",
        "nerts_faceup",
        "rules",
        "seat",
        "turn",
    )

    def __init__(self, state: State, seat: int, in_air: Sequence[Move | None] = ()) -> None:
        """Open a view that follows the state.

        Args:
            state: the round.
            seat: whose view it is.
            in_air: for each seat the card on its way to a foundation, which everybody can see.
        """
        self._state = state
        self._layout = state.layouts[seat]
        self.seat = seat
        self.in_air = in_air
        self.rules: Rules = state.rules
        self.turn = state.turn
        self.jokers = state.jokers
        self.aces_forced = state.aces_forced
        self.nerts_faceup = state.rules.nerts_faceup

    # --- Before the seat itself ----------------------------------------------------------------------------

    @property
    def nerts_left(self) -> int:
        """Cards in the own Nerts pile, the face-up one included."""
        return len(self._layout.nerts)

    @property
    def nerts_top(self) -> int:
        """The face-up card of the own Nerts pile."""
        nerts = self._layout.nerts
        return nerts[-1] if nerts else NO_CARD

    @property
    def nerts(self) -> Sequence[int]:
        """The own Nerts pile, top last; unseen cards are `NO_CARD`."""
        nerts = self._layout.nerts
        if self.nerts_faceup or not nerts:
            return tuple(nerts)
        return (*[NO_CARD] * (len(nerts) - 1), nerts[-1])

    @property
    def work(self) -> Sequence[Sequence[int]]:
        """The own work piles, each from its base to its exposed card; not to be changed."""
        return self._layout.work

    @property
    def fixed(self) -> Mapping[int, int]:
        """The values of own jokers that are fixed for good."""
        return self._layout.fixed

    @property
    def waste_top(self) -> int:
        """The playable card of the own waste."""
        waste = self._layout.waste
        return waste[-1] if waste else NO_CARD

    @property
    def waste_left(self) -> int:
        """Cards in the own waste."""
        return len(self._layout.waste)

    @property
    def stock_left(self) -> int:
        """Cards in the own stock."""
        return len(self._layout.stock)

    @property
    def waste(self) -> Sequence[int]:
        """The own waste, top last, as far as the seat has seen it."""
        seen = self._layout.seen
        return [card if card in seen else NO_CARD for card in self._layout.waste]

    @property
    def stock(self) -> Sequence[int]:
        """The own stock, top last, as far as the seat remembers it from earlier passes."""
        seen = self._layout.seen
        return [card if card in seen else NO_CARD for card in self._layout.stock]

    @property
    def waste_was_expected(self) -> bool:
        """Whether the top of the waste had been seen before it came up this time."""
        return self._layout.expected

    @property
    def fruitless(self) -> int:
        """How many complete passes through the stock in a row have brought nothing."""
        return self._layout.fruitless

    @property
    def rotations(self) -> int:
        """How many cards were moved to the bottom of the stock since anything changed."""
        layout = self._layout
        return layout.rotations if layout.rotation_mark == self._state.landings else 0

    @property
    def redeals(self) -> int:
        """How often the own waste was turned over."""
        return self._layout.redeals

    @property
    def is_stuck(self) -> bool:
        """Whether the seat has said it is stuck and nothing has changed since."""
        return self._layout.stuck_mark == self._state.landings

    def is_hopeless(self) -> bool:
        """Whether a complete pass was fruitless and another would be; every card of it has then been seen."""
        stream_seen = self._layout.fruitless or not (self._layout.stock or self._layout.waste)
        return bool(stream_seen) and not choices.can_play(self._state, self.seat)

    # --- In the middle -------------------------------------------------------------------------------------

    @property
    def wanted(self) -> Mapping[int, Sequence[int]]:
        """For each card that fits an open foundation, the numbers of those foundations."""
        return self._state.wanted

    @property
    def tops(self) -> Sequence[int]:
        """The top card of each foundation in the order they were started."""
        return [foundation.top for foundation in self._state.foundations]

    @property
    def is_over(self) -> bool:
        """Whether no more cards may be lifted."""
        return self._state.end is not None

    # --- Before the others ---------------------------------------------------------------------------------

    @property
    def seats(self) -> int:
        """How many seats are taken."""
        return len(self._state.layouts)

    def nerts_left_of(self, seat: int) -> int:
        """Cards in another seat's Nerts pile: it lies in the open and can be estimated closely enough."""
        return len(self._state.layouts[seat].nerts)

    def nerts_top_of(self, seat: int) -> int:
        """The face-up card of another seat's Nerts pile."""
        return self._state.layouts[seat].nerts_top

    def exposed_of(self, seat: int) -> Sequence[int]:
        """The cards another seat could play now: the ends of its work piles, the tops of Nerts and waste."""
        layout = self._state.layouts[seat]
        ends = [pile[-1] for pile in layout.work if pile]
        return [card for card in (layout.nerts_top, layout.waste_top, *ends) if card]

    def work_of(self, seat: int) -> Sequence[Sequence[int]]:
        """The work piles of another seat."""
        return self._state.layouts[seat].work

    def to_json(self) -> dict[str, object]:
        """Return all that the seat sees, in the notation of cards."""
        others = [seat for seat in range(self.seats) if seat != self.seat]
        return {
            "seat": f"P{self.seat + 1}",
            "nerts": _texts(self.nerts),
            "work": [_texts(pile) for pile in self.work],
            "waste": _texts(self.waste),
            "stock": _texts(self.stock),
            "stuck": self.is_stuck,
            "foundations": _texts(self.tops),
            "others": {f"P{seat + 1}": self._other_json(seat) for seat in others},
            "over": self.is_over,
        }

    def _other_json(self, seat: int) -> dict[str, object]:
        return {
            "nerts_left": self.nerts_left_of(seat),
            "exposed": _texts(self.exposed_of(seat)),
            "work": [_texts(pile) for pile in self.work_of(seat)],
        }


def _texts(cards: Sequence[int]) -> list[str]:
    return [codes.text(card) for card in cards]
