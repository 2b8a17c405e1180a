"""Cards as small integers, for the engine's inner loops; everything public speaks `scorer.cards`.

A code holds the rank in its low four bits, the colour in the next and the second suit bit above: two cards
of one colour and rank differ only in bit 5. So ``code & VALUE`` is all that matters on a work pile, and
``code + 1`` is the next card on a foundation. Jokers are numbered from `JOKER` up.
"""

from __future__ import annotations

from scorer.cards import Card, Face, Joker, Rank, Suit

NO_CARD = 0
"""No card at all, or one that this seat has not seen."""
RANK = 15
"""Mask: the rank of a code."""
RED = 16
"""Bit: the card is red."""
VALUE = RANK | RED
"""Mask: rank and colour, which is what decides where a card fits on a work pile."""
JOKER = 64
"""The first joker; a seat's second joker is `JOKER` + 1."""
KING = int(Rank.KING)

_SUITS = (Suit.CLUBS, Suit.DIAMONDS, Suit.SPADES, Suit.HEARTS)
_CODES = {Card(rank, suit): number << 4 | rank for number, suit in enumerate(_SUITS) for rank in Rank}
_CARDS = {code: card for card, code in _CODES.items()}
_TEXTS = {code: str(card) for code, card in _CARDS.items()}

DECK_CODES = tuple(sorted(_CARDS))
"""The 52 codes of one deck."""

STEP_UP = tuple((value + 1) ^ RED if value & RANK < KING else 99 for value in range(32))
"""For each value, the value of the exposed card it may be laid on; 99, which no card has, above a king."""


def encode(face: Face) -> int:
    """Return the code of a face; all jokers give `JOKER`."""
    return JOKER if isinstance(face, Joker) else _CODES[face]


def decode(code: int) -> Face:
    """Return the face of a code."""
    return Joker() if code >= JOKER else _CARDS[code]


def card_of(code: int) -> Card:
    """Return the card of a code that is no joker."""
    return _CARDS[code]


def text(code: int) -> str:
    """Return the notation of a code, "--" where there is no card or none was seen."""
    if code >= JOKER:
        return "JK"
    return _TEXTS.get(code, "--")


def same_card(shown: int, meant: int) -> bool:
    """Whether a card lying on the table is the card a move names; jokers are not told apart."""
    return shown == meant or (meant == JOKER and shown >= JOKER)
