"""What a person has to look at before a round may be scored, in the order in which to look."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from flask_babel import gettext as _
from flask_babel import ngettext

from scorer.cards import Face
from scorer.piles import INFORMATION, Fault, Faults, check_round
from webapp import texts
from webapp.review.model import Review, ReviewCard, ReviewPile

_RECOMPUTED = (
    Faults.NO_ACE
    | Faults.GAP
    | Faults.FOREIGN_SUIT
    | Faults.WRONG_RANK
    | Faults.DISORDER
    | Faults.REVERSED
    | Faults.TWO_PILES
    | Faults.AFTER_KING
    | Faults.DUPLICATE
    | Faults.TIE
    | Faults.SAME_OWNER_TWICE
    | Faults.UNREADABLE
    | Faults.UNKNOWN_BACK
    | Faults.UNDECLARED_JOKER
    | Faults.COUNTS_RISE
    | Faults.TOO_MANY_OF_A_CARD
    | Faults.TOO_MANY_JOKERS
    | Faults.OWNER_TOO_MANY
    | Faults.CALLER_HAS_NERTS
    | Faults.MORE_BACKS_THAN_PLAYERS
    | Faults.BACKS_UNSEEN
    | Faults.FACES_UNSEEN
    | Faults.UNPAIRED_PILE
)
"""Said by the rules of the piles as they stand; what the machine said of these may be out of date."""

_MANY = 3
"""So many marked cards of one pile are asked about one by one; more of them together."""

_UNOWNED = Faults.UNKNOWN_BACK | Faults.BACKS_UNSEEN | Faults.MORE_BACKS_THAN_PLAYERS
"""Asked as "whose back is this?", once for each; whoever has answered that has settled these."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """One thing to look at."""

    key: str
    sentence: str
    kind: str
    """"back" (whose is it), "card" or "look"."""
    card: ReviewCard | None = None
    pile: str | None = None
    back: str | None = None
    candidates: tuple[Face, ...] = ()
    needs_answer: bool = False
    """Whether it cannot be left as it is: a card that is nobody's cannot be scored."""
    settled: bool = False
    whole_pile: bool = False
    """Whether the owner is asked for of all cards of the pile at once."""
    action: str | None = None
    """A correction that would settle it: "reverse", "split", "drop" or "look_pile"."""


def doubts(review: Review) -> list[Doubt]:
    """Return all doubts, those already settled last."""
    found = [*_backs(review), *_unowned(review), *_of_rules(review), *_of_machine(review)]
    # Whoever answers what is said about a card has answered its mark as well.
    told = {doubt.card.id for doubt in found if doubt.card is not None and doubt.kind == "card"}
    unique = {doubt.key: doubt for doubt in (*found, *_marked(review, told))}
    return sorted(unique.values(), key=lambda doubt: doubt.settled)


def _key(*parts: object) -> str:
    return hashlib.sha256("|".join(str(part) for part in parts).encode()).hexdigest()[:16]


def _backs(review: Review) -> Iterator[Doubt]:
    """Ask whose each unknown back is, once for all its cards."""
    backs = dict.fromkeys(card.back for card in review.cards() if card.back and review.owner(card) is None)
    for back in backs:
        cards = [card for card in review.cards() if card.back == back and review.owner(card) is None]
        told = ngettext(
            "Whose back is this? It lies on the table %(num)d time.",
            "Whose back is this? It lies on the table %(num)d times.",
            len(cards),
        )
        yield Doubt(_key("back", back), told, "back", card=cards[0], back=back, needs_answer=True)


def _unowned(review: Review) -> Iterator[Doubt]:
    """Ask for the owners of cards no back was seen of, pile by pile."""
    for number, pile in enumerate(review.piles, 1):
        cards = [card for card in pile.cards if card.back is None and review.owner(card) is None]
        if not cards:
            continue
        if len(cards) == len(pile.cards):
            told = _("Pile %(number)d: no backs were seen. Whose cards are these?", number=number)
            yield Doubt(
                _key("pile", pile.id),
                told,
                "back",
                pile=pile.id,
                card=cards[0],
                needs_answer=True,
                whole_pile=True,
            )
            continue
        for card in cards:
            told = _(
                "Pile %(number)d: the back of %(card)s was not recognised. Whose is it?",
                number=number,
                card=card.face.symbol if card.face else "?",
            )
            yield Doubt(_key("owner", card.id), told, "back", card=card, pile=pile.id, needs_answer=True)


def _of_rules(review: Review) -> Iterator[Doubt]:
    """What the rules find wrong with the piles as they stand."""
    left = {review.names()[seat]: count for seat, count in review.left.items()}
    faults = check_round(
        review.as_piles(),
        decks=len(review.seats),
        nerts_left=left,
        callers=review.callers(),
        jokers=review.jokers,
    )
    for fault in faults:
        # A pile of which no back was seen is asked for with its owners; one without faces is counted by its backs.
        without_backs = fault.name is Faults.UNPAIRED_PILE and "cards" in dict(fault.details)
        if fault.is_doubt and not fault.name & _UNOWNED and not without_backs:
            yield _doubt(review, fault, fault.pile)


def _of_machine(review: Review) -> Iterator[Doubt]:
    """What only the machine can know: how sure it was, what the photos looked like."""
    faults = [fault for fault in review.reading.faults if fault.is_doubt and not fault.name & _RECOMPUTED]
    crowded = Counter(fault.pile for fault in faults if fault.position is not None)
    for fault in faults:
        doubt = _doubt(review, fault, fault.pile, said_by_machine=True)
        marked = doubt.card is not None and doubt.card.marked
        # Where nearly every card of a pile is doubted, the pile is asked about (`_many_marked`).
        if not (marked and crowded[fault.pile] > _MANY):
            yield doubt
    for number, photo in enumerate(review.reading.photos, 1):
        for fault in photo.faults:
            if fault.name & INFORMATION or fault.name & _RECOMPUTED:
                continue
            told = _("Photo %(number)d: %(sentence)s", number=number, sentence=texts.told(fault))
            key = _key("photo", number, fault.name.name, told)
            yield Doubt(key, told, "look", settled=key in review.accepted)


_ACTIONS: Mapping[Faults, str] = {
    Faults.REVERSED: "reverse",
    Faults.TWO_PILES: "split",
    Faults.DUPLICATE: "drop",
    Faults.AFTER_KING: "split",
}


def _doubt(review: Review, fault: Fault, index: int | None, *, said_by_machine: bool = False) -> Doubt:
    """Turn a fault into a doubt about the pile and card it names."""
    # The machine numbered its own piles: those keep the ids of the start, whatever became of their order.
    pile = _pile_at(review, index, by_id=said_by_machine)
    card = None
    if pile is not None and fault.position is not None and fault.position < len(pile.cards):
        card = pile.cards[fault.position]
    told = texts.told(fault)
    if pile is not None:
        told = _("Pile %(number)d: %(sentence)s", number=review.piles.index(pile) + 1, sentence=told)
    key = _key(fault.name.name, pile and pile.id, card and card.id, dict(fault.details))
    settled = key in review.accepted or (said_by_machine and card is not None and card.settled)
    return Doubt(
        key,
        told,
        "card" if card is not None else "look",
        card=card,
        pile=pile.id if pile else None,
        candidates=_candidates(card, fault),
        settled=settled,
        action=_ACTIONS.get(fault.name),
    )


def _pile_at(review: Review, index: int | None, *, by_id: bool) -> ReviewPile | None:
    if index is None:
        return None
    if by_id:
        return next((pile for pile in review.piles if pile.id == f"p{index + 1}"), None)
    return review.piles[index]


def _candidates(card: ReviewCard | None, fault: Fault | None = None) -> tuple[Face, ...]:
    """What the card may be: what the rules suggest, then what the machine thought, five at most."""
    faces = [] if fault is None or fault.suggestion is None else [fault.suggestion]
    if card is not None:
        faces += [face for face, _share in card.candidates]
        faces += [card.face] if card.face is not None else []
    return tuple(dict.fromkeys(faces))[:5]


def _marked(review: Review, told: Collection[str]) -> Iterator[Doubt]:
    """Cards the machine marked, except those something is said about already; many of one pile together."""
    for number, pile in enumerate(review.piles, 1):
        cards = [card for card in pile.cards if card.marked and card.id not in told]
        if len(cards) > _MANY:
            yield _many_marked(number, pile, cards)
            continue
        for card in cards:
            shown = card.face.symbol if card.face is not None else "?"
            yield Doubt(
                _key("marked", card.id),
                _("Pile %(number)d: is this the %(card)s?", number=number, card=shown),
                "card",
                card=card,
                pile=pile.id,
                candidates=_candidates(card),
                settled=card.settled,
            )


def _many_marked(number: int, pile: ReviewPile, cards: Sequence[ReviewCard]) -> Doubt:
    unsettled = [card for card in cards if not card.settled]
    told = _(
        "Pile %(number)d: %(count)d cards were hard to read. Compare the pile with the photo.",
        number=number,
        count=len(unsettled) or len(cards),
    )
    key = _key("marked", pile.id, [card.id for card in unsettled])
    return Doubt(
        key,
        told,
        "look",
        card=(unsettled or cards)[0],
        pile=pile.id,
        settled=not unsettled,
        action="look_pile",
    )
