"""From what single photos show to the piles of one round: photos of the same piles counted once, backs joined to faces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, zip_longest

import numpy as np

from scorer.assignment import cheapest_pairs
from scorer.cards import Rank, as_card
from scorer.piles import NO_FAULTS, Fault, Faults, Pile, PileCard, check_round, foundation_up_to_top
from scorer.reading import Pairing, PhotoReading, Reading, SeenCard
from scorer.vision.framing import foot_runs_out, outlines_of, top_runs_out, width_of
from scorer.vision.overlaps import PlacedPile, repeated
from scorer.vision.pairing import Paired, PilePlace, pair_piles


@dataclass(frozen=True, slots=True)
class PhotoPile:
    """One pile as one photo shows it, from its lowest card up."""

    photo: int
    pile: int
    cards: tuple[SeenCard, ...]
    faults: Faults = NO_FAULTS
    """What the reading of this pile found wrong."""

    @property
    def is_face_up(self) -> bool:
        """Whether faces were seen (a pile lies one way up)."""
        return self.cards[0].back is None

    @property
    def place(self) -> PilePlace:
        """Where it lies and how many cards it has."""
        middles = np.array([np.mean(card.quad or card.corners, axis=0) for card in self.cards])
        x, y = middles.mean(axis=0)
        outlines = outlines_of(self.cards)
        return PilePlace(len(self.cards), float(x), float(y), width_of(outlines) if len(outlines) else None)


def photo_piles(photos: Sequence[PhotoReading]) -> list[PhotoPile]:
    """All piles of all photos."""
    return [
        PhotoPile(p, n, tuple(photo.cards[i] for i in pile.cards), pile.faults)
        for p, photo in enumerate(photos)
        for n, pile in enumerate(photo.piles)
        if pile.cards
    ]


def _by_photo(piles: Sequence[PhotoPile]) -> dict[int, list[PhotoPile]]:
    sorted_piles: dict[int, list[PhotoPile]] = {}
    for pile in piles:
        sorted_piles.setdefault(pile.photo, []).append(pile)
    return sorted_piles


SAME_PHOTO = 1e6
"""Cost of pairing a photo with itself: more than any other."""


def _pair_photos(
    faces: dict[int, list[PhotoPile]], backs: dict[int, list[PhotoPile]]
) -> list[tuple[int, int, Paired]]:
    """Which face photo shows the piles of which back photo: those whose piles pair best.

    What lies face up and face down in one photo are different piles.
    """
    rows, columns = list(faces), list(backs)
    tries = {
        (f, b): pair_piles(_places(faces[f]), _places(backs[b])) for f in rows for b in columns if f != b
    }
    cost = [
        [_misfit(tries[f, b], faces[f], backs[b]) if f != b else SAME_PHOTO for b in columns] for f in rows
    ]
    pairs = [(rows[i], columns[j]) for i, j in cheapest_pairs(cost)]
    return [(f, b, tries[f, b]) for f, b in pairs if f != b]


def _places(piles: list[PhotoPile]) -> tuple[PilePlace, ...]:
    return tuple(pile.place for pile in piles)


def _misfit(paired: Paired, a: list[PhotoPile], b: list[PhotoPile]) -> float:
    apart = sum(abs(len(a[i].cards) - len(b[j].cards)) for i, j in paired.pairs)
    return apart + 3.0 * abs(len(a) - len(b))


def _owned(face: PhotoPile, back: PhotoPile) -> tuple[PileCard, ...]:
    """The cards of a pile with their owners: turned over, the lowest card has become the top one.

    Where the counts differ, owners are given from the ace on, since the top card of a ribbon of backs is seen best; what
    is left over on either side stays, so that nothing seen is lost before somebody has looked.
    """
    owners = back.cards[::-1]
    faces = _with_hidden(face, len(owners))
    even = len(owners) == len(faces)
    return tuple(
        PileCard(
            card.face if card else None,
            owner.back if owner else None,
            not even or bool(card and card.marked) or bool(owner and owner.marked),
            card.candidates if card else (),
        )
        for card, owner in zip_longest(faces, owners)
    )


MOST_STRANGERS = 2
"""Indices seen in a pile that are no cards of it: pips, or a card's further corner, taken for an index."""


def _without_strangers(face: PhotoPile, count: int) -> PhotoPile:
    """A pile of faces without what was taken for a card, where the others are a foundation of just as many cards as the backs.

    Only between other cards: what lies on top may be a card that was misread, and whose back was overlooked.
    """
    extra = len(face.cards) - count
    if not 0 < extra <= MOST_STRANGERS or count < 2 or foundation_up_to_top([c.face for c in face.cards]):
        return face
    if face.cards[-2].face == face.cards[-1].face:
        return face
    for middle in combinations(face.cards[1:-1], count - 2):
        cards = (face.cards[0], *middle, face.cards[-1])
        whole = foundation_up_to_top([card.face for card in cards])
        if whole is not None and len(whole) == count:
            return replace(face, cards=cards)
    return face


def _with_hidden(face: PhotoPile, count: int) -> tuple[PileCard, ...]:
    """The faces of a pile; those that were not seen among them where there are as many backs as the whole pile has cards.

    Then the backs' count and the other faces vouch for a face that was read weakly.
    """
    seen = tuple(map(_face_card, face.cards))
    whole = foundation_up_to_top([card.face for card in seen])
    if whole is None or len(whole) != count:
        return seen
    of = {card.face: replace(card, marked=False) for card in seen} if count > len(seen) else {}
    return tuple(of.get(card, PileCard(card)) for card in whole) if of else seen


def _face_card(card: SeenCard) -> PileCard:
    return PileCard(card.face, None, card.marked, card.candidates)


def _back_cards(back: PhotoPile) -> tuple[PileCard, ...]:
    return tuple(PileCard(None, card.back, card.marked) for card in reversed(back.cards))


@dataclass(frozen=True, slots=True)
class _Joined:
    pile: Pile
    face: PhotoPile | None
    back: PhotoPile | None
    ambiguous: bool = False

    @property
    def is_uneven(self) -> bool:
        """Whether faces and backs were counted differently, and hidden faces do not explain it."""
        if self.face is None or self.back is None:
            return False
        return len(self.back.cards) != len(_with_hidden(self.face, len(self.back.cards)))

    @property
    def hidden(self) -> tuple[int, ...]:
        """Places of cards whose backs alone were seen."""
        if self.face is None or self.is_uneven:
            return ()
        seen = {card.face for card in self.face.cards}
        return tuple(n for n, card in enumerate(self.pile.cards) if card.face not in seen)


def _joined(piles: Sequence[PhotoPile]) -> list[_Joined]:
    faces, backs = (
        _by_photo([p for p in piles if p.is_face_up]),
        _by_photo([p for p in piles if not p.is_face_up]),
    )
    joined: list[_Joined] = []
    used: set[tuple[int, int]] = set()
    for f, b, paired in _pair_photos(faces, backs):
        for k, (i, j) in enumerate(paired.pairs):
            back = backs[b][j]
            face = _without_strangers(faces[f][i], len(back.cards))
            joined.append(_Joined(Pile(_owned(face, back)), face, back, k in paired.ambiguous))
            used |= {(face.photo, face.pile), (back.photo, back.pile)}
    for pile in piles:
        if (pile.photo, pile.pile) not in used:
            cards = tuple(map(_face_card, pile.cards)) if pile.is_face_up else _back_cards(pile)
            joined.append(
                _Joined(Pile(cards), pile if pile.is_face_up else None, None if pile.is_face_up else pile)
            )
    return joined


def _pairing_faults(joined: Sequence[_Joined]) -> list[Fault]:
    both = any(j.face for j in joined) and any(j.back for j in joined)
    faults = []
    for number, j in enumerate(joined):
        if both and (j.face is None or j.back is None):
            faults.append(_lonely(j, number))
        elif j.face and j.back and j.is_uneven:
            faults.append(_differ(j.face, j.back, number))
        elif j.ambiguous:
            faults.append(Fault.make(Faults.UNPAIRED_PILE, pile=number))
    return faults


def _differ(face: PhotoPile, back: PhotoPile, number: int) -> Fault:
    faces, backs = str(len(face.cards)), str(len(back.cards))
    return Fault.make(Faults.FACES_AND_BACKS_DIFFER, pile=number, faces=faces, backs=backs)


def _lonely(joined: _Joined, number: int) -> Fault:
    if joined.back is not None:
        return Fault.make(Faults.UNPAIRED_PILE, pile=number, backs=str(len(joined.pile.cards)))
    return Fault.make(Faults.UNPAIRED_PILE, pile=number, cards=_span(joined.pile))


def _span(pile: Pile) -> str:
    cards = [as_card(c.face) for c in pile.cards if c.face is not None]
    names = [c.symbol for c in cards if c is not None]
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}" if names else "unread"


def _doubts_of_reading(joined: Sequence[_Joined]) -> list[Fault]:
    """What the reading of a pile found wrong, and every marked card: both withhold the score.

    A count of backs that is in doubt is settled by an equal count of faces. A corner that the sequence repaired without
    a rival reading is told, but is no doubt.
    """
    doubts = []
    for number, j in enumerate(joined):
        if j.face and j.face.faults & Faults.WEAK:
            doubts.append(Fault.make(Faults.WEAK, pile=number))
        if j.back and j.back.faults & Faults.COUNTS_DISAGREE and (j.face is None or j.hidden):
            doubts.append(Fault.make(Faults.COUNTS_DISAGREE, pile=number))
        doubts += [_hidden(j.pile, number, place) for place in j.hidden]
        doubts += [_mark(j, number, place) for place, card in enumerate(j.pile.cards) if card.marked]
    return doubts


def _hidden(pile: Pile, number: int, place: int) -> Fault:
    face = pile.cards[place].face
    card = as_card(face) if face else None
    return Fault.make(
        Faults.HIDDEN, pile=number, position=place, number=place + 1, card=card.symbol if card else None
    )


def _mark(joined: _Joined, number: int, place: int) -> Fault:
    repaired = joined.face is not None and joined.face.faults == Faults.REPAIRED
    owners = joined.back.cards[::-1] if joined.back else ()
    owner_known = joined.back is None or (place < len(owners) and not owners[place].marked)
    name = Faults.REPAIRED if repaired and owner_known else Faults.WEAK
    return Fault.make(name, pile=number, position=place)


def _cut_off(joined: Sequence[_Joined], photos: Sequence[PhotoReading]) -> list[Fault]:
    """Piles that may go on beyond the border of every photo that shows them."""
    return [Fault.make(Faults.CUT_OFF, pile=n) for n, j in enumerate(joined) if _runs_out(j, photos)]


def _runs_out(joined: _Joined, photos: Sequence[PhotoReading]) -> bool:
    """Turned over, what lies on top of the faces is what lies under the backs: to see the end of either is enough.

    The other end of the faces is an ace, or else a fault is told anyway.
    """
    face, back = joined.face, joined.back
    ends = []
    if face is not None:
        ends.append(not _is_complete(face) and top_runs_out(face.cards, _size(photos[face.photo])))
    if back is not None:
        size = _size(photos[back.photo])
        ends.append(foot_runs_out(back.cards, size) or (face is None and top_runs_out(back.cards, size)))
    return all(ends)


def _is_complete(face: PhotoPile) -> bool:
    top = face.cards[-1].face
    card = as_card(top) if top else None
    return card is not None and card.rank is Rank.KING


def _size(photo: PhotoReading) -> tuple[int, int]:
    return photo.width, photo.height


def _placed(joined: _Joined) -> PlacedPile:
    sight = joined.face or joined.back
    assert sight is not None, "A joined pile was seen from at least one side."
    cards = sight.cards if sight.is_face_up else tuple(reversed(sight.cards))
    width = width_of(outlines_of(cards))
    points = np.array([np.mean(card.quad or card.corners, axis=0) for card in cards])
    # Of a pile's cards those have a place that were seen from this side.
    placed = [card for n, card in enumerate(joined.pile.cards) if n not in joined.hidden][: len(points)]
    labels = tuple((str(card.face), card.back) for card in placed)
    return PlacedPile(sight.photo, labels, points, width)


def _counted_once(joined: list[_Joined]) -> list[_Joined]:
    """Of several sights of one pile the fullest stays."""
    again = repeated([_placed(j) for j in joined])
    groups: dict[int, list[_Joined]] = {}
    for number, j in enumerate(joined):
        groups.setdefault(again.get(number, number), []).append(j)
    return [max(sights, key=lambda j: len(j.pile.cards)) for sights in groups.values()]


_FROM_UNEVEN = Faults.UNREADABLE | Faults.UNKNOWN_BACK | Faults.SAME_OWNER_TWICE
"""What a pile shows for no other reason than that its faces and backs were counted differently."""


def _too_few_decks(piles: Sequence[Pile], decks: int | None) -> list[Fault]:
    """Two decks whose backs look alike are easily taken for one; seldom has somebody not played a single card."""
    backs = {card.back for pile in piles for card in pile} - {None}
    if decks is None or not 0 < len(backs) < decks:
        return []
    return [Fault.make(Faults.FEWER_BACKS_THAN_PLAYERS, backs=len(backs), decks=decks)]


def join_round(
    photos: Sequence[PhotoReading],
    *,
    jokers: int = 0,
    decks: int | None = None,
    decks_are_clear: bool = True,
) -> Reading:
    """Join the photos of one round into its piles, with everything that stands against scoring them.

    Args:
        photos: what each photo shows.
        jokers: in each deck.
        decks: how many are on the table, if that is known.
        decks_are_clear: whether the backs were clearly told apart.
    """
    joined = _counted_once(_joined(photo_piles(photos)))
    piles = tuple(j.pile for j in joined)
    faults = _pairing_faults(joined)
    faults += _too_few_decks(piles, decks) + _cut_off(joined, photos)
    faults += [] if decks_are_clear else [Fault.make(Faults.DECKS_LOOK_ALIKE, decks=decks)]
    # Why a pile lacks faces or owners is told already; so is, where its two counts differ, what follows from that.
    unpaired = {(fault.name, fault.pile) for fault in faults if fault.name is Faults.UNPAIRED_PILE}
    uneven: set[int | None] = {fault.pile for fault in faults if fault.name is Faults.FACES_AND_BACKS_DIFFER}
    checked = [f for f in check_round(piles, jokers=jokers) if (f.name, f.pile) not in unpaired]
    faults += [f for f in checked if f.pile not in uneven or not f.name & _FROM_UNEVEN]
    told = {(f.pile, f.position) for f in faults}
    doubts = [f for f in _doubts_of_reading(joined) if f.pile not in uneven]
    faults += [f for f in doubts if (f.pile, f.position) not in told]
    pairing = tuple(
        Pairing(
            n,
            j.face.photo if j.face else None, j.face.pile if j.face else None,
            j.back.photo if j.back else None, j.back.pile if j.back else None,
        )
        for n, j in enumerate(joined)
    )  # fmt: skip
    return Reading(tuple(photos), piles, tuple(faults), pairing)
