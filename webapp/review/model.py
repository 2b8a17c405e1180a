"""What is reviewed: piles of cards that know where on which photo they lie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from scorer.cards import Face
from scorer.piles import Pile, PileCard
from scorer.reading import Pairing, PhotoReading, Reading
from scorer.store import Seat


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a card is seen: an entry of a photo's cards, or a point somebody tapped."""

    photo: int
    card: int | None = None
    x: float = 0.0
    y: float = 0.0


@dataclass(frozen=True, slots=True)
class ReviewCard:
    """One physical card."""

    id: str
    face: Face | None
    back: str | None = None
    seat: str | None = None
    """Whose it is, where a person said so of this card."""
    marked: bool = False
    candidates: tuple[tuple[Face, float], ...] = ()
    spots: tuple[Spot, ...] = ()
    settled: bool = False
    """Whether a person has looked at it."""
    said: Face | None = None
    """What the reader said, for cards a person changed."""
    added: bool = False


@dataclass(frozen=True, slots=True)
class ReviewPile:
    """One pile, from the ace up."""

    id: str
    cards: tuple[ReviewCard, ...]
    ordered: bool = True


@dataclass(frozen=True, slots=True)
class Review:
    """The round as it stands after some corrections."""

    reading: Reading
    seats: tuple[Seat, ...]
    piles: tuple[ReviewPile, ...]
    owners: Mapping[str, str] = field(default_factory=dict)
    """Seat by name of the back."""
    left: Mapping[str, int] = field(default_factory=dict)
    """Cards left in the Nerts pile, by seat."""
    false_calls: Mapping[str, int] = field(default_factory=dict)
    """How often a seat called with cards left."""
    caller: str | None = None
    """The seat that called, "none", or nothing while nobody said."""
    also: frozenset[str] = frozenset()
    """Seats that called at the same moment: they are callers too."""
    first: str | None = None
    """The seat that reached the target first, "none" if nobody saw it, or nothing while nobody said."""
    accepted: frozenset[str] = frozenset()
    """Doubts that were looked at and left as they are."""
    dropped: tuple[ReviewCard, ...] = ()
    """What turned out not to be a card."""
    jokers: int = 0
    """In each deck."""

    def cards(self) -> Iterator[ReviewCard]:
        """All cards, pile by pile."""
        return (card for pile in self.piles for card in pile.cards)

    def owner(self, card: ReviewCard) -> str | None:
        """The seat a card belongs to."""
        return card.seat or (self.owners.get(card.back) if card.back is not None else None)

    def names(self) -> dict[str, str]:
        """Names of the seats by id."""
        return {seat.id: seat.name for seat in self.seats}

    def owner_name(self, card: ReviewCard) -> str | None:
        """The name of the owner; where nobody said whose the back is, that of the back."""
        seat = self.owner(card)
        return card.back if seat is None else self.names().get(seat, seat)

    def callers(self) -> tuple[str, ...]:
        """The names of all who called."""
        called = {self.caller, *self.also}
        return tuple(name for seat, name in self.names().items() if seat in called)

    def as_pile(self, pile: ReviewPile) -> Pile:
        """Return a pile as the rules know it, its owners under their names."""
        cards = tuple(
            PileCard(card.face, self.owner_name(card), card.marked and not card.settled, card.candidates)
            for card in pile.cards
        )
        return Pile(cards, pile.ordered)

    def as_piles(self) -> tuple[Pile, ...]:
        """Return all piles as the rules know them."""
        return tuple(self.as_pile(pile) for pile in self.piles)

    def with_card(self, card: ReviewCard) -> Review:
        """Return the review with one card replaced by its new version."""
        return replace(
            self,
            piles=tuple(
                replace(pile, cards=tuple(card if one.id == card.id else one for one in pile.cards))
                for pile in self.piles
            ),
        )


def from_reading(
    reading: Reading, seats: Sequence[Seat], jokers: int = 0, holders: Mapping[str, str] | None = None
) -> Review:
    """Return the review at its start: what the machine said.

    ``holders`` names the seat that has each deck in this round; by default everybody has the own one.
    """
    piles = reading.piles or _piles_of_photos(reading.photos)
    pairing = {pair.pile: pair for pair in reading.pairing} if reading.piles else _own_pairing(reading.photos)
    counter = iter(range(1, 1 + sum(len(pile.cards) for pile in piles)))
    built = tuple(
        ReviewPile(
            f"p{number + 1}",
            tuple(
                _card(
                    f"c{next(counter)}",
                    card,
                    _spots(reading.photos, pairing.get(number), pile, at),
                )
                for at, card in enumerate(pile.cards)
            ),
            pile.ordered,
        )
        for number, pile in enumerate(piles)
    )
    # The reader names backs it was taught by their decks, and decks are called after their first seats.
    ids = {seat.id for seat in seats}
    decks = {seat: seat for seat in ids} if holders is None else holders
    owners = {deck: seat for deck, seat in decks.items() if seat in ids}
    return Review(reading, tuple(seats), built, owners, jokers=jokers)


def _card(card_id: str, card: PileCard, spots: tuple[Spot, ...]) -> ReviewCard:
    return ReviewCard(
        card_id,
        card.face,
        card.back,
        marked=card.marked,
        candidates=card.candidates,
        spots=spots,
        said=card.face,
    )


def _piles_of_photos(photos: Sequence[PhotoReading]) -> tuple[Pile, ...]:
    """Without piles joined by the reader, every pile of every photo is one."""
    return tuple(
        Pile(
            tuple(
                PileCard(card.face, card.back, card.marked, card.candidates)
                for card in (photo.cards[index] for index in pile.cards)
            )
        )
        for photo in photos
        for pile in photo.piles
    )


def _own_pairing(photos: Sequence[PhotoReading]) -> dict[int, Pairing]:
    places = [(at, number) for at, photo in enumerate(photos) for number in range(len(photo.piles))]
    return {
        pile: Pairing(pile, face_photo=photo, face_pile=number) for pile, (photo, number) in enumerate(places)
    }


def _spots(photos: Sequence[PhotoReading], pair: Pairing | None, pile: Pile, at: int) -> tuple[Spot, ...]:
    """Find a card's boxes: its face by its place or, where faces are hidden, by what it is; its back by its place.

    Photos tell piles from the lowest card up; turned over, the ace is the highest.
    """
    if pair is None:
        return ()
    faces, backs = (
        _numbers(photos, *side)
        for side in ((pair.face_photo, pair.face_pile), (pair.back_photo, pair.back_pile))
    )
    spots = []
    if pair.face_photo is not None and len(faces) == len(pile.cards):
        spots.append(Spot(pair.face_photo, faces[at]))
    elif pair.face_photo is not None and pile.cards[at].face is not None:
        seen = [
            number for number in faces if photos[pair.face_photo].cards[number].face == pile.cards[at].face
        ]
        spots += [Spot(pair.face_photo, seen[0])] if len(seen) == 1 else []
    if pair.back_photo is not None and len(backs) == len(pile.cards):
        spots.append(Spot(pair.back_photo, backs[len(backs) - 1 - at]))
    return tuple(spots)


def _numbers(photos: Sequence[PhotoReading], photo: int | None, pile: int | None) -> tuple[int, ...]:
    """The cards of a pile of a photo, none where the reading names one that is not there."""
    if photo is None or pile is None or photo >= len(photos) or pile >= len(photos[photo].piles):
        return ()
    return photos[photo].piles[pile].cards
