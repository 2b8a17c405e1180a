"""A foundation as it lies on the table, from the ace up, and its notation: "AH@red 2H@blue 3H"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from scorer.cards import Card, Face, Rank, Suit, as_card, parse_face
from scorer.errors import NotationError
from scorer.names import NAME, quoted, tokens, unquoted


@dataclass(frozen=True, slots=True)
class PileCard:
    """One physical card of a pile: its face, and whose it is.

    The notation is the face ("?" if unknown), then the owner after "@" and "!" if marked: "10H@red!".
    An owner's name that is not one plain word stands in double quotes. Candidates have no notation.
    """

    face: Face | None
    """None if the face was not seen or could not be read."""
    back: str | None = None
    """The name of the back, which is the name of the deck; None if unknown."""
    marked: bool = False
    """Whether somebody should look at this card."""
    candidates: tuple[tuple[Face, float], ...] = ()
    """What the face may be, with probabilities, the likeliest first."""

    def __str__(self) -> str:
        face = "?" if self.face is None else str(self.face)
        back = "" if self.back is None else "@" + quoted(self.back)
        return face + back + ("!" if self.marked else "")

    @property
    def card(self) -> Card | None:
        """The card it counts as; None if unread, or a joker that was not declared."""
        return None if self.face is None else as_card(self.face)

    @classmethod
    def parse(cls, text: str) -> PileCard:
        """Read one card of a pile from its notation."""
        match = _PILE_CARD.fullmatch(text.strip())
        if match is None:
            raise NotationError(f"{text!r} is not a card of a pile; write it like 10H, 10H@red or ?@red.")
        face, back, mark = match.group("face", "back", "mark")
        owner = None if back is None else unquoted(back)
        return cls(None if face == "?" else parse_face(face), owner, mark is not None)


_PILE_CARD = re.compile(rf"""(?P<face>[^\s@!"]+)(?:@(?P<back>{NAME}))?(?P<mark>!)?""")
_SHORTHAND = re.compile(r"(?P<suit>[cdhsCDHS]):(?P<top>\w+)(?P<rest>@.+)?")


@dataclass(frozen=True, slots=True)
class Pile:
    """A pile of cards, from the ace up; anything can be in it, `check_pile` says what is wrong.

    The notation is the cards with blanks between them; "h:7" is short for the hearts from ace to seven.
    Cards swept together or sorted by owner are no foundation; their notation begins with "~".
    """

    cards: tuple[PileCard, ...] = ()
    ordered: bool = True
    """False for cards that lie in no order: piles swept together, or sorted by owner."""

    def __str__(self) -> str:
        return " ".join(([] if self.ordered else ["~"]) + [str(card) for card in self.cards])

    def __len__(self) -> int:
        return len(self.cards)

    def __iter__(self) -> Iterator[PileCard]:
        return iter(self.cards)

    @property
    def suit(self) -> Suit | None:
        """The suit of most of its cards; None if no card is known."""
        suits = Counter(card.suit for pile_card in self.cards if (card := pile_card.card) is not None)
        return suits.most_common(1)[0][0] if suits else None

    @classmethod
    def parse(cls, text: str) -> Pile:
        """Read a pile from its notation."""
        shorthand = _SHORTHAND.fullmatch(text.strip())
        if shorthand is not None:
            return cls(_run(*shorthand.group("suit", "top", "rest")))
        words = tokens(text)
        ordered = words[:1] != ["~"]
        return cls(tuple(PileCard.parse(word) for word in words[0 if ordered else 1 :]), ordered)


def _run(suit: str, top: str, rest: str | None) -> tuple[PileCard, ...]:
    ranks = range(1, Rank.parse(top) + 1)
    return tuple(PileCard.parse(f"{Rank(rank).notation}{suit}{rest or ''}") for rank in ranks)
