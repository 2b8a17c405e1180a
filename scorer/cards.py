"""Playing cards and their notation: "10H", "AS", "JK" (a joker), "JK=10H" (a joker standing for a card)."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import total_ordering

from scorer.errors import NotationError


class Suit(enum.Enum):
    """One of the four suits, in the order of the alphabet."""

    CLUBS = "C"
    DIAMONDS = "D"
    HEARTS = "H"
    SPADES = "S"

    def __str__(self) -> str:
        return self.value

    @property
    def symbol(self) -> str:
        """The sign printed on the card, such as "♥"."""
        return _SYMBOLS[self]

    @property
    def is_red(self) -> bool:
        """Whether the suit is diamonds or hearts."""
        return self in (Suit.DIAMONDS, Suit.HEARTS)

    @classmethod
    def parse(cls, text: str) -> Suit:
        """Read a suit from its letter (either case) or its sign."""
        suit = _SUITS.get(text.strip().upper())
        if suit is None:
            raise NotationError(f"{text!r} is not a suit; write C, D, H or S.")
        return suit


class Rank(enum.IntEnum):
    """A rank; the ace is always low and the king always high."""

    ACE = 1
    TWO = 2
    THREE = 3
    FOUR = 4
    FIVE = 5
    SIX = 6
    SEVEN = 7
    EIGHT = 8
    NINE = 9
    TEN = 10
    JACK = 11
    QUEEN = 12
    KING = 13

    @property
    def notation(self) -> str:
        """The index printed on the card: "A", "2" to "10", "J", "Q", "K"."""
        return _NOTATIONS[self - 1]

    @classmethod
    def parse(cls, text: str) -> Rank:
        """Read a rank from its index (either case); "T" is a ten."""
        rank = _RANKS.get(text.strip().upper())
        if rank is None:
            raise NotationError(f"{text!r} is not a rank; write A, 2 to 10, J, Q or K.")
        return rank


_SYMBOLS = {Suit.CLUBS: "♣", Suit.DIAMONDS: "♦", Suit.HEARTS: "♥", Suit.SPADES: "♠"}
_SUITS = {suit.value: suit for suit in Suit} | {symbol: suit for suit, symbol in _SYMBOLS.items()}
_NOTATIONS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
_RANKS = {notation: Rank(rank) for rank, notation in enumerate(_NOTATIONS, 1)} | {"T": Rank.TEN}


@total_ordering
@dataclass(frozen=True, slots=True)
class Card:
    """The face of a card; who owns it is printed on its back and kept elsewhere."""

    rank: Rank
    suit: Suit

    def __str__(self) -> str:
        return self.rank.notation + self.suit.value

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Card):
            return NotImplemented
        return (self.suit.value, self.rank) < (other.suit.value, other.rank)

    @property
    def symbol(self) -> str:
        """How a player writes the card, such as "10♥"."""
        return self.rank.notation + self.suit.symbol

    @classmethod
    def parse(cls, text: str) -> Card:
        """Read a card from text such as "10H", "th" or "10♥"."""
        stripped = text.strip()
        try:
            return cls(Rank.parse(stripped[:-1]), Suit.parse(stripped[-1:]))
        except NotationError:
            raise NotationError(
                f"{text!r} is not a card; write rank and suit, such as 10H or AS, or JK for a joker."
            ) from None


@dataclass(frozen=True, slots=True)
class Joker:
    """A joker; on a foundation it must have been declared, and then is that card for good."""

    standing_for: Card | None = None

    def __str__(self) -> str:
        return "JK" if self.standing_for is None else f"JK={self.standing_for}"

    @property
    def symbol(self) -> str:
        """How a player writes the joker, such as "joker for 10♥"."""
        return "joker" if self.standing_for is None else f"joker for {self.standing_for.symbol}"


Face = Card | Joker

DECK: tuple[Card, ...] = tuple(Card(rank, suit) for suit in Suit for rank in Rank)
"""The 52 cards of one deck, suit by suit from the ace up."""


def parse_face(text: str) -> Face:
    """Read a card or a joker from its notation."""
    head, equals, card = text.strip().partition("=")
    if head.strip().upper() != "JK":
        return Card.parse(text)
    return Joker(Card.parse(card)) if equals else Joker()


def as_card(face: Face) -> Card | None:
    """Return the card a face counts as on a foundation; an undeclared joker counts as none."""
    return face if isinstance(face, Card) else face.standing_for
