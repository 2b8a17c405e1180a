"""What is wrong with all piles of a round together, whichever way the single piles are wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypedDict, Unpack

from scorer.cards import DECK, Card, Joker, Rank, Suit
from scorer.piles.faults import Fault, Faults
from scorer.piles.foundation import check_pile, owned_twice
from scorer.piles.pile import Pile, PileCard

_MISREAD = Faults.NO_ACE | Faults.GAP | Faults.FOREIGN_SUIT | Faults.WRONG_RANK | Faults.UNREADABLE
"""Faults of a pile that explain why a rank is on the table more often than the one below it."""


class TableFacts(TypedDict, total=False):
    """What is known of a round besides its piles."""

    decks: int | None
    """How many decks are played with."""
    nerts_left: Mapping[str, int]
    """For each back the cards left in its Nerts pile, as far as known."""
    callers: Collection[str]
    """The backs of whoever called."""
    backs_counted: int | None
    """How many backs were counted apart from the piles."""
    faces_counted: int | None
    """How many faces were counted; if absent, as many as there are cards in the piles."""
    jokers: int
    """How many jokers each deck holds."""


def check_round(piles: Sequence[Pile], **facts: Unpack[TableFacts]) -> tuple[Fault, ...]:
    """Return everything that stands against scoring a round: its piles, the table, unknown owners.

    What is said of a pile already is not said again of the table.
    """
    faults = [fault for index, pile in enumerate(piles) for fault in check_pile(pile, index=index)]
    told = {(fault.name, fault.pile, fault.position) for fault in faults}
    explained = _misread_suits(piles, faults)
    for fault in check_table(piles, **facts):
        rises = fault.name is Faults.COUNTS_RISE and dict(fault.details)["suit"] in explained
        if not rises and (fault.name, fault.pile, fault.position) not in told:
            faults.append(fault)
    cards = list(_cards(piles))
    if cards and all(card.back is None for card in cards):
        faults.append(Fault.make(Faults.BACKS_UNSEEN))
    return tuple(faults)


def check_table(piles: Sequence[Pile], **facts: Unpack[TableFacts]) -> tuple[Fault, ...]:
    """Return everything that is wrong with the piles of a round together."""
    decks, jokers = facts.get("decks"), facts.get("jokers", 0)
    left = facts.get("nerts_left", {})
    faces = facts.get("faces_counted")
    if faces is None:
        faces = sum(len(pile) for pile in piles)
    return (
        *_unseen_sides(piles),
        *_rises(piles),
        *_too_many(piles, decks, jokers),
        *_too_many_decks(piles, decks),
        *owned_twice(piles),
        *_overfull_decks(piles, left, jokers),
        *_sides_differ(faces, facts.get("backs_counted")),
        *_callers_with_cards(left, facts.get("callers", ())),
    )


def _cards(piles: Sequence[Pile]) -> Iterator[PileCard]:
    for pile in piles:
        yield from pile.cards


def _misread_suits(piles: Sequence[Pile], faults: Sequence[Fault]) -> set[str]:
    """Return the suits of the piles in which a card was misread or is hidden."""
    wrong = {fault.pile for fault in faults if fault.name & _MISREAD and fault.pile is not None}
    cards = [card.card for index in wrong for card in piles[index]]
    return {card.suit.value for card in cards if card is not None}


def _unseen_sides(piles: Sequence[Pile]) -> Iterator[Fault]:
    """Tell of piles of which only one side was photographed."""
    filled = [(index, pile) for index, pile in enumerate(piles) if pile.cards]
    faces_seen = any(card.face is not None for card in _cards(piles))
    backs_seen = any(card.back is not None for card in _cards(piles))
    if filled and not faces_seen:
        yield Fault.make(Faults.FACES_UNSEEN)
    for index, pile in filled:
        if faces_seen and all(card.face is None for card in pile):
            yield Fault.make(Faults.UNPAIRED_PILE, pile=index, backs=len(pile))
        if backs_seen and all(card.back is None for card in pile):
            yield Fault.make(Faults.UNPAIRED_PILE, pile=index, cards=len(pile))


def _rises(piles: Sequence[Pile]) -> Iterator[Fault]:
    """Tell of ranks that lie on the table more often than the rank below, on which they were played."""
    counts: Counter[Card] = Counter()
    for pile in piles:
        cards = [card.card for card in pile if card.card is not None]
        # Twice in one pile is a tie on one card; that is told with the pile.
        counts.update(set(cards) if pile.ordered else cards)
    for card in DECK:
        if card.rank is Rank.ACE:
            continue
        below = Card(Rank(card.rank - 1), card.suit)
        if counts[card] > counts[below]:
            yield Fault.make(Faults.COUNTS_RISE, card=card.symbol, below=below.symbol, suit=card.suit.value)


def _too_many(piles: Sequence[Pile], decks: int | None, jokers: int) -> Iterator[Fault]:
    """Tell of cards of which there are more than decks, and of jokers nobody plays with."""
    faces = Counter("JK" if isinstance(card.face, Joker) else card.face for card in _cards(piles))
    if faces["JK"] and (decks is not None or not jokers):
        allowed = jokers * (decks or 0)
        if faces["JK"] > allowed:
            yield Fault.make(Faults.TOO_MANY_JOKERS, count=faces["JK"], allowed=allowed)
    for card in DECK:
        if decks is not None and faces[card] > decks:
            yield Fault.make(Faults.TOO_MANY_OF_A_CARD, card=card.symbol, count=faces[card], decks=decks)


def _too_many_decks(piles: Sequence[Pile], decks: int | None) -> Iterator[Fault]:
    backs = {card.back for card in _cards(piles)} - {None}
    if decks is not None and len(backs) > decks:
        yield Fault.make(Faults.MORE_BACKS_THAN_PLAYERS, backs=len(backs), decks=decks)


def _overfull_decks(piles: Sequence[Pile], left: Mapping[str, int], jokers: int) -> Iterator[Fault]:
    """Tell of decks with more cards than a deck holds, in one suit or together with the Nerts pile."""
    owned = Counter(card.back for card in _cards(piles) if card.back is not None)
    suits = Counter((card.back, card.card.suit) for card in _cards(piles) if card.card is not None)
    for owner in dict.fromkeys([*owned, *left]):
        for suit in Suit:
            if suits[owner, suit] > len(Rank) + jokers:
                suit_name = suit.name.lower()
                yield Fault.make(Faults.OWNER_TOO_MANY, owner=owner, count=suits[owner, suit], suit=suit_name)
        if owned[owner] + left.get(owner, 0) > len(DECK) + jokers:
            yield Fault.make(Faults.OWNER_TOO_MANY, owner=owner, count=owned[owner], left=left.get(owner, 0))


def _sides_differ(faces: int, backs: int | None) -> Iterator[Fault]:
    if backs is not None and backs != faces:
        yield Fault.make(Faults.FACES_AND_BACKS_DIFFER, faces=faces, backs=backs)


def _callers_with_cards(left: Mapping[str, int], callers: Collection[str]) -> Iterator[Fault]:
    for caller in callers:
        if left.get(caller, 0) > 0:
            yield Fault.make(Faults.CALLER_HAS_NERTS, owner=caller, left=left[caller])
