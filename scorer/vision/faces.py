"""Faces of one photo: detect, classify, join corners to cards, cards to piles, and read each pile as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from scorer.cards import Card, Face, Rank
from scorer.piles import NO_FAULTS, STRONG, Fault, Faults, foundation_up_to_top, likeliest_pile
from scorer.reading import Candidates, SeenCard
from scorer.vision.classifier import RANKS, classify, face_probabilities
from scorer.vision.detector import FACE, Detections, pick
from scorer.vision.layout import neighbourly, ribbons
from scorer.vision.mirages import mirages
from scorer.vision.models import Network
from scorer.vision.overlooked import Search, is_gap, overlooked
from scorer.vision.sightings import (
    MOST_CORNERS,
    FoundCard,
    Sightings,
    cards_of,
    joined_card,
    outline,
    pair_corners,
    sightings,
)
from scorer.vision.strays import with_strays

Image = NDArray[np.uint8]

LOOKS = 3
"""How often cards are looked for that the piles demand: each one found may demand another."""
LEAST_SCORE = 0.5
"""Joint score of detector and classifier below which nothing is reported."""
LEAST_ALONE = 0.5
"""Confidence below which a card is not reported, unless it lies in a pile whose other cards vouch for it."""
FOREIGN_ALONE = 0.75
"""The same for a letter of another language: many a pattern looks a little like one."""
SURE = 0.9
"""A card below this confidence is marked."""
CANDIDATES = 5
ACE, FOREIGN = (RANKS.index(rank) for rank in ("A", "?"))
INDEX_HEIGHT = 1.9
"""Height of an index, from the rank's top to the suit's foot, in distances between their middles."""
NEEDED_HEIGHT = 16
"""Height of an index in pixels below which ranks cannot be told apart reliably."""
MANY, MOST = 0.3, 0.6
"""Shares of marked cards from which on the photo is to blame if its indices are small, or anyway."""
RULED = 2
"""Cards a pile must have for the sequence rule to say anything about its corners: an ace and a two of one suit agree."""
PRESENT = 0.65
"""Joint score of detector and classifier from which on there is an index in a pile, whatever its face."""
ONE_CARD = 1.1
"""Largest distance between two indices of one card, in usual ones between opposite corners."""
VOUCHED = 0.25
"""Probability from which on a weak corner continues the card beside it."""
PILED = 3
"""Cards a pile must have for its neighbours to vouch that a weak corner is a card at all."""


@dataclass(frozen=True, slots=True)
class FaceReading:
    """Cards and piles of the faces in one photo."""

    cards: tuple[SeenCard, ...]
    piles: tuple[tuple[int, ...], ...]
    """Indices into `cards`, from the lowest card up."""
    faults: tuple[Faults, ...]
    """What the reading of each pile, as opposed to the rules, found wrong."""
    photo_faults: tuple[Fault, ...] = ()
    """What is wrong with the photo as a whole."""

    def only(self, piles: Sequence[int]) -> FaceReading:
        """The reading with no other piles than these, by their numbers."""
        numbers = iter(range(len(self.cards)))
        kept = [self.piles[n] for n in piles]
        return replace(
            self,
            cards=tuple(self.cards[i] for pile in kept for i in pile),
            piles=tuple(tuple(next(numbers) for _ in pile) for pile in kept),
            faults=tuple(self.faults[n] for n in piles),
        )


def read_faces(picture: Image, found: Detections, network: Network) -> FaceReading:
    """Read the faces of a photo (h, w, 3) from its detections."""
    faces = pick(found, found.classes == FACE)
    seen = sightings(faces, classify(picture, faces.points, network), LEAST_SCORE)
    cards, piles, reach = _laid(seen)
    tried: set[Search] = set()
    for _ in range(LOOKS):
        more = overlooked(picture, seen, cards, piles, reach, network, tried)
        if more is None:
            whole = with_strays(piles, cards, _outlines(seen, cards, reach))
            more = overlooked(picture, seen, cards, whole, reach, network, tried)
        if more is None:
            break
        seen = more
        cards, piles, reach = _laid(seen)
    nothing = mirages(seen, cards, piles, reach)
    cards, piles = _only(set(range(len(cards))) - nothing, cards, piles)
    piles = with_strays(piles, cards, _outlines(seen, cards, reach))
    shown = [_seen_card(seen, card, reach) for card in cards]
    faults = []
    for pile in piles:
        faults.append(_read_as_pile(pile, cards, shown))
    return FaceReading(tuple(shown), tuple(piles), tuple(faults), _photo_faults(seen, shown))


def _laid(seen: Sightings) -> tuple[list[FoundCard], list[tuple[int, ...]], NDArray[np.float64]]:
    """Cards, piles, and how far apart the two indices of a card are where each sighting is."""
    pairs, reach = pair_corners(seen)
    return *_reported(cards_of(seen, pairs, reach), seen, reach), reach


def _photo_faults(seen: Sightings, shown: list[SeenCard]) -> tuple[Fault, ...]:
    """Whether doubts are the photo's fault: indices too small, or blurred although they are large enough."""
    marked = sum(card.marked for card in shown)
    if not len(seen) or marked < MANY * len(shown):
        return ()
    height = INDEX_HEIGHT * float(np.median(seen.lengths))
    if height < NEEDED_HEIGHT:
        return (Fault.make(Faults.TOO_SMALL, found=f"{height:.0f}", needed=str(NEEDED_HEIGHT)),)
    return (Fault.make(Faults.BLURRED),) if shown and marked > MOST * len(shown) and len(shown) > 2 else ()


def _reported(
    cards: list[FoundCard], seen: Sightings, reach: NDArray[np.float64]
) -> tuple[list[FoundCard], list[tuple[int, ...]]]:
    """Cards worth reporting, and their piles; in a pile the neighbours vouch for a weak corner, alone nobody does.

    What is not worth reporting may have stood between two cards of a pile.
    """
    joined, piles = _piled(cards, seen, reach)
    kept = _worth_reporting(joined, piles)
    dropped = {i for pile in piles for i in pile} - kept
    if dropped:
        left = [card for i, card in enumerate(cards) if i not in dropped]
        joined, piles = _piled(left, seen, reach)
        kept = _worth_reporting(joined, piles)
    return _only(kept, joined, piles)


def _piled(
    cards: list[FoundCard], seen: Sightings, reach: NDArray[np.float64]
) -> tuple[list[FoundCard], list[tuple[int, ...]]]:
    piles = [part for pile in ribbons(seen, cards, reach) for part in _split_at_aces(pile, cards)]
    return _with_halves_joined(seen, *_with_echoes_joined(seen, cards, piles, reach), reach)


def _worth_reporting(cards: list[FoundCard], piles: list[tuple[int, ...]]) -> set[int]:
    kept = {
        i
        for pile in piles
        for n, i in enumerate(pile)
        if cards[i].confidence >= LEAST_ALONE or _vouched(pile, cards, n)
    }
    return kept | {i for i, card in enumerate(cards) if card.ranks[FOREIGN] > FOREIGN_ALONE}


def _only(
    kept: set[int], cards: Sequence[FoundCard], piles: Sequence[tuple[int, ...]]
) -> tuple[list[FoundCard], list[tuple[int, ...]]]:
    """Some of the cards, and the piles that are left."""
    place = {old: new for new, old in enumerate(sorted(kept))}
    left = [tuple(place[i] for i in pile if i in kept) for pile in piles]
    return [cards[i] for i in sorted(kept)], [pile for pile in left if pile]


def _vouched(pile: tuple[int, ...], cards: Sequence[FoundCard], place: int) -> bool:
    """Whether the cards beside it in a pile vouch for one of a weak face: that it is a card, at least.

    There a clear index of an unclear face is a card; and so is an unclear one that continues another, or fills a gap.
    """
    if len(pile) < PILED:
        return False
    if cards[pile[place]].score > PRESENT:
        return True
    around = [cards[i] for i in (*pile[max(0, place - 1) : place], *pile[place + 1 : place + 2])]
    follow = neighbourly([cards[pile[place]], *around])
    # Between two that follow one another there is no room for a card.
    return is_gap(*(card.face for card in around)) or bool(
        follow[0].max() > VOUCHED and not follow[1:, 1:].max() > 0.5
    )


def _split_at_aces(pile: tuple[int, ...], cards: list[FoundCard]) -> list[tuple[int, ...]]:
    """A pile that runs into the next one, taken apart: no ace was ever played on a card.

    Laid the wrong way round, an ace follows its two, and is the last: that is left as it lies.
    """
    begins = [
        n
        for n in range(1, len(pile))
        if cards[pile[n]].ranks[ACE] >= STRONG and not _runs_down(pile, cards, n)
    ]
    return [pile[a:b] for a, b in pairwise([0, *begins, len(pile)])]


def _runs_down(pile: tuple[int, ...], cards: list[FoundCard], place: int) -> bool:
    if place + 1 < len(pile):
        return False
    below, ace = cards[pile[place - 1]].face, cards[pile[place]].face
    return (
        isinstance(below, Card) and isinstance(ace, Card) and (below.suit, below.rank) == (ace.suit, Rank.TWO)
    )


def _with_echoes_joined(
    seen: Sightings, cards: list[FoundCard], piles: list[tuple[int, ...]], reach: NDArray[np.float64]
) -> tuple[list[FoundCard], list[tuple[int, ...]]]:
    """Cards and piles in which a further corner of a card, that was taken for a card between others, is that card's again."""
    cards, left = list(cards), []
    for pile in piles:
        echoes = {
            e: n
            for e, n in _echoes([cards[i].face for i in pile]).items()
            if _are_near(seen, reach, cards[pile[e]], cards[pile[n]])
        }
        joined = {}
        for echo, place in echoes.items():
            # More corners than a card has are two cards, of two piles that run together.
            if len(cards[pile[place]].corners + cards[pile[echo]].corners) <= MOST_CORNERS:
                cards[pile[place]] = joined_card(seen, cards[pile[place]], cards[pile[echo]])
                joined[echo] = place
        left.append(tuple(i for n, i in enumerate(pile) if n not in joined))
    return cards, left


def _with_halves_joined(
    seen: Sightings, cards: list[FoundCard], piles: list[tuple[int, ...]], reach: NDArray[np.float64]
) -> tuple[list[FoundCard], list[tuple[int, ...]]]:
    """Cards and piles in which one that ends with a card and one that begins with another corner of it are one.

    A deck with four indices shows two of them of every card, and either may stand in line with other cards.
    """
    cards, left = list(cards), list(piles)
    for upper in piles:
        for lower in [pile for pile in left if pile != upper and upper in left]:
            i, j = lower[-1], upper[0]
            if _are_corners_of_one(seen, reach, cards[i], cards[j]):
                cards[i] = joined_card(seen, cards[i], cards[j])
                left.remove(upper)
                left[left.index(lower)] = lower + upper[1:]
    return cards, left


def _are_corners_of_one(
    seen: Sightings, reach: NDArray[np.float64], card: FoundCard, other: FoundCard
) -> bool:
    """Whether two that are no aces show the same face where one card has two corners."""
    face = card.face
    if face != other.face or not isinstance(face, Card) or face.rank is Rank.ACE:
        return False
    return len(card.corners + other.corners) <= MOST_CORNERS and _are_near(seen, reach, card, other)


def _are_near(seen: Sightings, reach: NDArray[np.float64], card: FoundCard, other: FoundCard) -> bool:
    """Whether two indices are no farther apart than those of one card."""
    i, j = card.corners[0], other.corners[0]
    return float(np.linalg.norm(seen.middles[i] - seen.middles[j])) < ONE_CARD * float(np.hypot(*reach[i]))


def _echoes(faces: list[Face]) -> dict[int, int]:
    """Places in a pile where a card cannot lie that lies elsewhere in it, and where that is.

    Without them the faces rise in one suit. Neighbours with equal faces may be a clear tie: they stay.
    """
    if foundation_up_to_top(faces) is not None:
        return {}
    again = [n for n in range(len(faces)) if faces[n] in faces[: max(0, n - 1)] + faces[n + 2 :]]
    for some in (combo for size in (1, 2) for combo in combinations(again, size)):
        rest = [n for n in range(len(faces)) if n not in some]
        where = {faces[n]: n for n in rest}
        if foundation_up_to_top([faces[n] for n in rest]) and all(faces[n] in where for n in some):
            return {n: where[faces[n]] for n in some}
    return {}


def _ranked(probabilities: dict[Face, float]) -> Candidates:
    best = sorted(probabilities.items(), key=lambda item: -item[1])[:CANDIDATES]
    return tuple((face, round(p, 4)) for face, p in best)


def _seen_card(seen: Sightings, card: FoundCard, reach: NDArray[np.float64]) -> SeenCard:
    candidates = _ranked(face_probabilities(card.ranks, card.suits))
    confidence = round(card.confidence, 4)
    corners = tuple((float(x), float(y)) for x, y in seen.middles[list(card.corners)])
    # A foreign letter must not become the English one it looks like.
    face = None if card.ranks[FOREIGN] > candidates[0][1] else candidates[0][0]
    marked = face is None or confidence < SURE
    return SeenCard(face, None, confidence, marked, candidates, outline(seen, card, reach), corners)


def _outlines(seen: Sightings, cards: Sequence[FoundCard], reach: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([outline(seen, card, reach) for card in cards], np.float64).reshape(-1, 4, 2)


def _read_as_pile(pile: tuple[int, ...], cards: list[FoundCard], shown: list[SeenCard]) -> Faults:
    """Let the sequence rule repair weak corners of a pile; changes `shown` where it overrules one."""
    if len(pile) < RULED:
        return NO_FAULTS
    decoded = likeliest_pile([face_probabilities(cards[i].ranks, cards[i].suits) for i in pile])
    if not decoded.legal:
        return NO_FAULTS
    if decoded.is_weak:
        return Faults.WEAK
    repaired = NO_FAULTS
    # What the rule overruled vouches for nothing.
    ruled = sum(face == shown[n].face for n, face in zip(pile, decoded.cards, strict=True)) >= RULED
    for number, face in zip(pile, decoded.cards, strict=True):
        if face != shown[number].face and isinstance(face, Card):
            shown[number] = replace(shown[number], face=face, marked=True)
            repaired = Faults.REPAIRED
        elif ruled:
            # A card that fits between its neighbours is vouched for by them.
            shown[number] = replace(shown[number], marked=False)
    return repaired
