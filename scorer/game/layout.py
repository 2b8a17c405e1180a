"""One seat's cards, and the foundations in the middle of the table."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from scorer.game.codes import DECK_CODES, JOKER, KING, RANK


def shuffle(cards: list[int], seed: str) -> None:
    """Shuffle in place by a named seed.

    Fisher and Yates' way over `random.Random.random`, whose sequence Python promises to keep for ever, so
    that a record replays under any later version.
    """
    draw = random.Random(seed).random
    for last in range(len(cards) - 1, 0, -1):
        other = int(draw() * (last + 1))
        cards[last], cards[other] = cards[other], cards[last]


class Laid(NamedTuple):
    """A card lying on a foundation."""

    printed: int
    """Code of the card itself: a joker stays a joker."""
    card: int
    """Code of the card it counts as."""
    owner: int
    """The seat whose deck it is from."""


class Foundation:
    """A pile in the middle: one suit from the ace up; at the king it is complete and put aside."""

    __slots__ = ("actions", "cards", "laid_at", "number", "origin", "tied", "top")

    def __init__(self, number: int, ace: Laid, at: int, origin: int, actions: int) -> None:
        self.number = number
        """Foundations are numbered from 1 in the order they were started."""
        self.cards = [ace]
        self.top = ace.card
        """Code of the card on top; the next one is `top` + 1."""
        self.laid_at = at
        """When the top card landed, in milliseconds."""
        self.origin = origin
        """The place the top card came from."""
        self.actions = actions
        """How many actions its player had made when the top card landed."""
        self.tied = False
        """Whether the top two cards are a tie pair."""

    @property
    def is_complete(self) -> bool:
        """Whether the pile has reached its king."""
        return self.top & RANK == KING

    def copy(self) -> Foundation:
        """Return an independent copy."""
        twin = Foundation(self.number, self.cards[0], self.laid_at, self.origin, self.actions)
        twin.cards, twin.top, twin.tied = self.cards.copy(), self.top, self.tied
        return twin


class Layout:
    """What lies before one seat. Lists end with the card that can be played."""

    __slots__ = (
        "actions", "expected", "fixed", "free_at", "free_before", "fruitless", "nerts", "pass_mark",
        "redeals", "rotation_mark", "rotations", "seen", "stock", "stuck_mark", "waste", "work",
    )  # fmt: skip

    def __init__(self, cards: list[int], nerts_size: int, work_piles: int) -> None:
        """Deal the shuffled cards: the Nerts pile first, then the work piles; the rest is the stock."""
        self.nerts = cards[:nerts_size]
        self.work = [[card] for card in cards[nerts_size : nerts_size + work_piles]]
        self.stock = cards[: nerts_size + work_piles - 1 : -1]
        self.waste: list[int] = []
        self.seen: set[int] = set()
        """Cards of stock and waste that have shown their face: what the seat may remember."""
        self.expected = False
        """Whether the top of the waste had been seen before it came up this time."""
        self.fixed: dict[int, int] = {}
        """Value of each joker that was fixed for good (house rule `joker_unfix` off)."""
        self.stuck_mark = -1
        """The state's count of foundation plays when the seat said it was stuck; -1 when it did not."""
        self.pass_mark = (0, 0)
        self.fruitless = 0
        """How many complete passes through the stock in a row went by without a card of Nerts or waste played
        and without a change of the foundations."""
        self.actions = 0
        """How many actions the seat has made."""
        self.redeals = 0
        self.rotations = 0
        """How many cards went from the top of the stock to its bottom since the seat last played one of Nerts
        or waste and, by `rotation_mark`, since the foundations last changed."""
        self.rotation_mark = -1
        self.free_at = 0
        """When the seat's last card landed, and `free_before` the one before: a hand is busy until then."""
        self.free_before = 0

    @property
    def nerts_top(self) -> int:
        """Code of the face-up Nerts card, 0 when the pile is empty."""
        return self.nerts[-1] if self.nerts else 0

    @property
    def waste_top(self) -> int:
        """Code of the playable card of the waste, 0 when there is none."""
        return self.waste[-1] if self.waste else 0

    def cards(self) -> Iterator[int]:
        """Every card still before the seat."""
        yield from self.nerts
        for pile in self.work:
            yield from pile
        yield from self.stock
        yield from self.waste

    def show_waste(self) -> None:
        """Note that the top of the waste shows its face."""
        card = self.waste[-1]
        self.expected = card in self.seen
        self.seen.add(card)

    def new_stock(self) -> None:
        """Put what is left of the stock on the waste and turn the whole over; the cyclic order stays."""
        self.waste += self.stock[::-1]
        self.stock, self.waste = self.waste[::-1], []

    def forget_passes(self) -> None:
        """Begin to count fruitless passes anew."""
        self.fruitless = 0
        self.pass_mark = (-1, -1)

    def rotate(self) -> None:
        """Move the top card of the stock to its bottom."""
        if self.stock:
            self.stock.insert(0, self.stock.pop())

    def copy(self) -> Layout:
        """Return an independent copy."""
        twin = Layout([], 0, 0)
        for name in self.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.nerts, twin.stock, twin.waste = self.nerts.copy(), self.stock.copy(), self.waste.copy()
        twin.work = [pile.copy() for pile in self.work]
        twin.seen, twin.fixed = self.seen.copy(), self.fixed.copy()
        return twin


def deal(seed: str, nerts_size: int, work_piles: int, jokers: int) -> Layout:
    """Shuffle a deck by its seed and deal it."""
    cards = [*DECK_CODES, *range(JOKER, JOKER + jokers)]
    shuffle(cards, seed)
    return Layout(cards, nerts_size, work_piles)
