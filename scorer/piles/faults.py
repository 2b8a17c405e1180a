"""What can be wrong with a pile, a table or a photo: flags, and for each a sentence a player understands."""

from __future__ import annotations

import enum
import string
from collections.abc import Iterable
from dataclasses import dataclass

from scorer.cards import Face


class Faults(enum.IntFlag):
    """Everything that may be wrong; several at once are joined with `|`."""

    # One pile.
    NO_ACE = enum.auto()
    GAP = enum.auto()
    FOREIGN_SUIT = enum.auto()
    WRONG_RANK = enum.auto()
    DISORDER = enum.auto()
    REVERSED = enum.auto()
    TWO_PILES = enum.auto()
    AFTER_KING = enum.auto()
    DUPLICATE = enum.auto()
    TIE = enum.auto()
    SAME_OWNER_TWICE = enum.auto()
    UNREADABLE = enum.auto()
    UNKNOWN_BACK = enum.auto()
    UNDECLARED_JOKER = enum.auto()
    # The whole table.
    COUNTS_RISE = enum.auto()
    TOO_MANY_OF_A_CARD = enum.auto()
    TOO_MANY_JOKERS = enum.auto()
    FACES_AND_BACKS_DIFFER = enum.auto()
    OWNER_TOO_MANY = enum.auto()
    CALLER_HAS_NERTS = enum.auto()
    NERTS_TOO_MANY = enum.auto()
    MORE_BACKS_THAN_PLAYERS = enum.auto()
    FEWER_BACKS_THAN_PLAYERS = enum.auto()
    DECKS_LOOK_ALIKE = enum.auto()
    UNPAIRED_PILE = enum.auto()
    FACES_UNSEEN = enum.auto()
    BACKS_UNSEEN = enum.auto()
    # The reading of photos.
    WEAK = enum.auto()
    REPAIRED = enum.auto()
    HIDDEN = enum.auto()
    CONTRADICTION = enum.auto()
    COUNTS_DISAGREE = enum.auto()
    STRAY_CARD = enum.auto()
    CUT_OFF = enum.auto()
    TOO_SMALL = enum.auto()
    BLURRED = enum.auto()
    NO_CARDS = enum.auto()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the single flags that are set, in the order of their definition."""
        return tuple(flag.name for flag in Faults if flag & self and flag.name is not None)

    @classmethod
    def of(cls, faults: Iterable[Fault]) -> Faults:
        """Join the flags of collected faults."""
        joined = cls(0)
        for fault in faults:
            joined |= fault.name
        return joined


NO_FAULTS = Faults(0)

INFORMATION = Faults.REPAIRED | Faults.HIDDEN | Faults.FACES_UNSEEN
"""Flags that tell something without casting doubt on the count; all others withhold the score."""


WORDINGS: dict[Faults, tuple[str, ...]] = {
    Faults.NO_ACE: (
        "The pile starts with {card} instead of an ace: what lies under it is hidden, or a card was misread.",
        "The pile does not start with an ace: what lies under it is hidden, or a card was misread.",
    ),
    Faults.GAP: (
        "The {missing} is missing between {before} and {after}: it is hidden, or a card was misread.",
        "All from {first} to {last} are missing between {before} and {after}:"
        " they are hidden, or a card was misread.",
        "A card is missing in the pile: it is hidden, or a card was misread.",
    ),
    Faults.FOREIGN_SUIT: (
        "The {card} does not belong in a pile of {suit}: it is probably the {probable}.",
        "A card of another suit lies in the pile: it was misread, or belongs to another pile.",
    ),
    Faults.WRONG_RANK: (
        "The {card} does not fit in its place: it is probably the {probable}.",
        "A card does not fit in its place: it was misread, or belongs to another pile.",
    ),
    Faults.DISORDER: (
        "The {card} lies where the {probable} should be: two cards have changed places.",
        "Two cards of the pile have changed places: put them in order.",
    ),
    Faults.REVERSED: ("The pile runs down to the ace: it was read from the wrong end.",),
    Faults.TWO_PILES: (
        "A second pile begins with {card}: two piles lie in one ribbon, or a card was counted twice.",
        "Two piles lie in one ribbon: separate them.",
    ),
    Faults.AFTER_KING: (
        "The {card} lies on a king, and nothing can: it belongs to another pile, or a card was misread.",
        "A card lies on a king, and nothing can: it belongs to another pile, or a card was misread.",
    ),
    Faults.DUPLICATE: (
        "The {card} lies in the pile more often than a tie allows: it was counted twice, or misread.",
        "A card lies in the pile more often than a tie allows: it was counted twice, or misread.",
    ),
    Faults.TIE: (
        "The {card} lies in the pile twice: a clear tie, or was one of them misread?",
        "A card lies in the pile twice: a clear tie, or was one of them misread?",
    ),
    Faults.SAME_OWNER_TWICE: (
        "The deck {owner} has the {card} twice, and it has only one: a card or a back was misread.",
        "A deck has one card twice: a card or a back was misread.",
    ),
    Faults.UNREADABLE: (
        "Card {number} could not be read: by its place it is the {probable}.",
        "Card {number} could not be read: say which it is.",
        "A card could not be read: say which it is.",
    ),
    Faults.UNKNOWN_BACK: (
        "The back of card {number}, {card}, was not recognised: say whose it is.",
        "The back of a card was not recognised: say whose it is.",
    ),
    Faults.UNDECLARED_JOKER: (
        "A joker lies at place {number}: by its place it stands for the {probable}.",
        "A joker lies in the pile: say which card it stands for.",
    ),
    Faults.COUNTS_RISE: (
        "There are more {card} than {below}, each of which needs one beneath it:"
        " a card was missed or misread, or two lie there by a tie.",
        "A card lies on the table more often than the card below it: a card was missed or misread.",
    ),
    Faults.TOO_MANY_OF_A_CARD: (
        "The {card} was counted {count} times with {decks} decks on the table:"
        " one was counted twice, or misread.",
        "A card was counted more often than there are decks: one was counted twice, or misread.",
    ),
    Faults.TOO_MANY_JOKERS: (
        "A joker was counted {count} times, but the decks hold {allowed} of them: a card was misread.",
        "More jokers were counted than the decks hold: a card was misread.",
    ),
    Faults.FACES_AND_BACKS_DIFFER: (
        "{faces} faces and {backs} backs were counted: photograph again, or correct the one that is wrong.",
        "The faces and backs counted differ: photograph again, or correct the one that is wrong.",
    ),
    Faults.OWNER_TOO_MANY: (
        "The deck {owner} has {count} {suit} on the table, more than a deck holds: a back was misread.",
        "The deck {owner} has {count} cards on the table and {left} left in its Nerts pile,"
        " more than a deck holds: correct one of them.",
        "A deck has more cards on the table than it holds: a back was misread.",
    ),
    Faults.CALLER_HAS_NERTS: (
        "{owner} called Nerts but has {left} left in the Nerts pile:"
        " somebody else called, or the count is wrong.",
        "The caller still has cards in the Nerts pile: somebody else called, or the count is wrong.",
    ),
    Faults.NERTS_TOO_MANY: (
        "{owner} cannot have {left} cards left in a Nerts pile of {size}: correct the count.",
        "More cards are left in a Nerts pile than were dealt to it: correct the count.",
    ),
    Faults.MORE_BACKS_THAN_PLAYERS: (
        "{backs} different backs were found for {decks} decks: two of them belong together.",
        "More different backs were found than there are decks: two of them belong together.",
    ),
    Faults.FEWER_BACKS_THAN_PLAYERS: (
        "Only {backs} different backs were found for {decks} decks: has somebody played no card, or do two look alike?",
        "Fewer different backs were found than there are decks: has somebody played no card, or do two look alike?",
    ),
    Faults.DECKS_LOOK_ALIKE: (
        "Two of the {decks} backs look so much alike that their cards may have been mixed up: compare whose they are.",
        "Two backs look so much alike that the number of decks is in doubt: say how many play, by naming the players.",
    ),
    Faults.UNPAIRED_PILE: (
        "No photo of backs was found for this pile: the owners of its cards ({cards}) are unknown.",
        "No photo of faces was found for this pile: its cards ({backs}) are counted by their backs alone.",
        "The faces and the backs of a pile were not found together: say which belong together.",
    ),
    Faults.FACES_UNSEEN: ("Only backs were photographed: the count could not be checked against the faces.",),
    Faults.BACKS_UNSEEN: (
        "Only faces were photographed: photograph the backs, or say whose cards they are.",
    ),
    Faults.WEAK: (
        "This pile could also be read otherwise ({card} at place {number}): compare it with the photo.",
        "This pile could almost as well be read otherwise: compare it with the photo.",
    ),
    Faults.REPAIRED: (
        "Card {number} looked like the {card}: by its place it was taken for the {probable}.",
        "A card was hard to read: by its place it was taken for the one that fits.",
    ),
    Faults.HIDDEN: (
        "The face of card {number} was not seen: the backs count it, and only the {card} can lie there.",
        "The face of a card was not seen: the backs count it, and only one card can lie there.",
    ),
    Faults.CONTRADICTION: (
        "Card {number} is clearly the {card}, which cannot lie there: look at the pile.",
        "What was clearly read cannot be a foundation: look at the pile.",
    ),
    Faults.COUNTS_DISAGREE: (
        "One count finds {first} cards in this pile and another {second}: count them.",
        "Two counts of this pile disagree: count its cards.",
    ),
    Faults.STRAY_CARD: (
        "The {card} lies apart from all piles: does it belong to one?",
        "A card lies apart from all piles: does it belong to one?",
    ),
    Faults.CUT_OFF: ("A pile runs out of the picture: photograph it whole.",),
    Faults.TOO_SMALL: (
        "The cards are too small to read: an index is {found} pixels high and {needed} are needed,"
        " so move closer.",
        "The cards are too small to read: move closer.",
    ),
    Faults.BLURRED: ("The photo is too blurred to read: hold still, or find more light.",),
    Faults.NO_CARDS: ("No cards were found in the photo: photograph the piles from closer.",),
}
"""For each flag its wordings, from the most to the least detailed; the last one needs no details."""


def sentence(fault: Faults, /, **details: object) -> str:
    """Say a single fault in one sentence, in the most detailed wording the details allow."""
    wording = next(wording for wording in WORDINGS[fault] if _fields(wording) <= details.keys())
    return wording.format_map(details)


def _fields(wording: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(wording) if field is not None}


@dataclass(frozen=True, slots=True)
class Fault:
    """One collected fault, ready to show."""

    name: Faults
    """A single flag."""
    sentence: str
    pile: int | None = None
    """Which pile it concerns, where it concerns one."""
    position: int | None = None
    """Which card of that pile, counted from 0."""
    suggestion: Face | None = None
    """What the card at `position` probably is."""
    details: tuple[tuple[str, str], ...] = ()
    """What the sentence was made of, so that it can be made again in another language."""

    @property
    def is_doubt(self) -> bool:
        """Whether the count must not be trusted before somebody has looked."""
        return not self.name & INFORMATION

    @classmethod
    def make(
        cls,
        name: Faults,
        *,
        pile: int | None = None,
        position: int | None = None,
        suggestion: Face | None = None,
        **details: object,
    ) -> Fault:
        """Build a fault together with its sentence; details that are None are unknown."""
        told = tuple(sorted((key, str(value)) for key, value in details.items() if value is not None))
        return cls(name, sentence(name, **dict(told)), pile, position, suggestion, told)
