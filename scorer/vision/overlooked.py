"""Faces that were overlooked or misread: the rules say which card lies between two others, and there it is looked for again.

A foundation rises one rank at a time in one suit, so that a card between a five and a seven is known before it is seen; the
indices beside it say how large it is and which way up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.cards import Card, Face, Rank, Suit
from scorer.vision.classifier import SUITS, Named, classify, likeliest
from scorer.vision.layout import index_corners
from scorer.vision.models import Network
from scorer.vision.sightings import OVERLAPPING, FoundCard, Sightings, card_widths, index_offset

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

FOUND = 0.5
"""Certainty from which on an expected face is believed to be seen: that it lies there, the rules say already."""
FOUND_ON_TOP = 0.65
"""The same beyond the last card of a pile, where the rules expect nothing: the pile may end there."""
MOST_MISSING = 3
"""Cards in a row that may be missing between two."""
BESIDE = 0.9
"""How far beyond the end of a pile, in card widths, its next card is looked for."""
STEP, ASIDE = 0.2, 0.25
"""Distance between the places that are looked at, and how far they lie beside the row, in lengths of an index."""
AROUND = 0.4
"""How far around a misread index it is looked at again, in lengths of an index."""
OWN_PLACE = 0.45
"""Distance in index lengths within which two indices are one."""
KNOWN = 0.6
"""Certainty of a face from which on its index is not taken for another's."""
OTHER_SIZE = 1.15
"""Ratio from which on two indices are of different sizes: decks differ."""
ALSO = 0.2
"""Probability from which on a card may as well be of another suit."""
SEVERAL = 3
"""Indices of one size from which on it is that of a deck."""
FARTHER = 0.15
"""How far from its usual place a card's other index is looked for, in shares of the way there."""


Search = tuple[Card, int, int]
"""A face that is looked for, and about where: pixels."""


@dataclass(frozen=True, slots=True)
class _Search:
    """A face that must lie somewhere."""

    face: Card
    places: Floats
    """(n, 2) where its card's corner may be, pixels."""
    beside: tuple[int, ...]
    """Sightings of the cards beside it."""
    least: float
    instead: int | None = None
    """The sighting that was misread."""
    turned: bool = False
    """Whether it is upside down to those beside."""

    @property
    def key(self) -> Search:
        """What is looked for, and about where."""
        x, y = self.places[0].round().astype(int).tolist()
        return self.face, x, y


def overlooked(
    picture: Image,
    seen: Sightings,
    cards: Sequence[FoundCard],
    piles: Sequence[tuple[int, ...]],
    reach: Floats,
    network: Network,
    tried: set[Search],
) -> Sightings | None:
    """The sightings together with those that the piles demand and the photo shows, None where there are none.

    Args:
        picture: (h, w, 3) uint8.
        seen: what was found without knowing the rules.
        cards: the cards they are corners of.
        piles: indices into `cards`, from the lowest card up.
        reach: (sightings, 2) offset between a card's two indices where each sighting is, pixels.
        network: the classifier.
        tried: what was looked for before; it grows.
    """
    widths = card_widths(seen.lengths, reach)
    corners = index_corners(seen, widths)
    now = seen
    for pile in piles:
        for search in _searches(seen, [cards[i] for i in pile], corners, reach):
            if search.key in tried:
                continue
            tried.add(search.key)
            others = now if search.instead is None else _without(now, seen.middles[search.instead])
            found = _looked(picture, _index_places(seen, search, widths, others), search.face, network)
            if found is not None and found.scores[0] >= search.least:
                # What was seen there unsurely was this.
                now = Sightings.joined([_not_at(others, found.middles[0], search.face), found])
    return None if now is seen else now


def _without(seen: Sightings, place: NDArray[np.float32]) -> Sightings:
    """The sightings but the one at a place."""
    return seen.picked(np.flatnonzero((seen.middles != place).any(axis=1)))


def _not_at(seen: Sightings, place: NDArray[np.float32], face: Card) -> Sightings:
    """The sightings that are not the index of a face that was found at a place, nor that index seen a little beside it."""
    away = np.linalg.norm(seen.middles - place, axis=1) / seen.lengths
    same = np.array([_likeliest(seen, i) == face for i in range(len(seen))], bool)
    return seen.picked(np.flatnonzero(away > np.where(same, OVERLAPPING, OWN_PLACE)))


def _searches(
    seen: Sightings, pile: Sequence[FoundCard], corners: Floats, reach: Floats
) -> Iterator[_Search]:
    """What the faces of a pile leave open."""
    row = _row(seen, pile, corners)
    faces = _faces_of_one_suit(pile)
    yield from _other_index(seen, pile, reach)
    for n in range(len(row)):
        yield from _misread(seen, row, faces, n, corners)
    for n in range(len(row) - 1):
        for face in _between(faces[n], faces[n + 1]):
            places = _along(corners[row[n]], corners[row[n + 1]], seen.lengths[row[n]])
            yield _Search(face, places, (row[n], row[n + 1]), FOUND)
    yield from _at_the_ends(seen, pile, row, faces, corners, card_widths(seen.lengths, reach))


def _other_index(seen: Sightings, pile: Sequence[FoundCard], reach: Floats) -> Iterator[_Search]:
    """The other index of a card that lies alone and shows but one; found, it tells in which pile the card lies."""
    if len(pile) > 1 or len(pile[0].corners) > 1:
        return
    (i,) = pile[0].corners
    face, frame = _likeliest(seen, i), np.stack([seen.rights[i], seen.downs[i]]).astype(np.float64)
    if isinstance(face, Card):
        shares = np.arange(-FARTHER, FARTHER + 0.01, FARTHER / 3)
        offsets = (1 + np.stack(np.meshgrid(shares, shares), axis=-1).reshape(-1, 2)) * reach[i]
        inset = index_offset(float(seen.lengths[i]), -frame[1], float(card_widths(seen.lengths, reach)[i]))
        yield _Search(face, seen.middles[i] + offsets @ frame - inset, (i,), FOUND, turned=True)


def _row(seen: Sightings, pile: Sequence[FoundCard], corners: Floats) -> list[int]:
    """For each card of a pile the sighting that stands in line with the others'."""
    row = [pile[0].corners[0]]
    for card in pile[1:]:
        last = row[-1]
        upright = [i for i in card.corners if seen.downs[i] @ seen.downs[last] > 0] or list(card.corners)
        row.append(min(upright, key=lambda i: float(np.linalg.norm(corners[i] - corners[last]))))
    return row


def _faces_of_one_suit(pile: Sequence[FoundCard]) -> list[Face]:
    """The faces of a pile, all of the suit that most of it shows where they may be of it: suits of one colour look alike."""
    suit = int(np.log(np.maximum([card.suits for card in pile], 1e-3)).sum(axis=0).argmax())
    faces = [card.face for card in pile]
    return [
        Card(face.rank, Suit(SUITS[suit])) if isinstance(face, Card) and card.suits[suit] > ALSO else face
        for card, face in zip(pile, faces, strict=True)
    ]


def _likeliest(seen: Sightings, i: int) -> Face:
    return likeliest(seen.ranks[i], seen.suits[i])


def _misread(
    seen: Sightings, row: Sequence[int], faces: Sequence[Face], n: int, corners: Floats
) -> Iterator[_Search]:
    """The face that a card must have for its neighbours' sake, where it was read as another."""
    expected = _expected(faces, n)
    if expected is not None and expected != faces[n]:
        reach = np.arange(-AROUND, AROUND + 0.01, AROUND / 3) * seen.lengths[row[n]]
        grid = np.stack(np.meshgrid(reach, reach), axis=-1).reshape(-1, 2)
        beside = (row[n], *row[max(0, n - 1) : n], *row[n + 1 : n + 2])
        yield _Search(expected, corners[row[n]] + grid, beside, FOUND, row[n])


def _expected(faces: Sequence[Face], n: int) -> Card | None:
    if n == 0:
        above = faces[1] if len(faces) > 1 else None
        return Card(Rank.ACE, above.suit) if isinstance(above, Card) and above.rank is Rank.TWO else None
    if n + 1 >= len(faces):
        return None
    between = _between(faces[n - 1], faces[n + 1])
    return between[0] if len(between) == 1 else None


def is_gap(below: Face, above: Face | None = None) -> bool:
    """Whether exactly one card is missing between two."""
    return len(_between(below, above)) == 1


def _between(below: Face | None, above: Face | None) -> list[Card]:
    """The cards between two of one suit, if there are few."""
    if not isinstance(below, Card) or not isinstance(above, Card) or below.suit is not above.suit:
        return []
    missing = [Card(rank, below.suit) for rank in Rank if below.rank < rank < above.rank]
    return missing if len(missing) <= MOST_MISSING else []


def _at_the_ends(
    seen: Sightings,
    pile: Sequence[FoundCard],
    row: Sequence[int],
    faces: Sequence[Face],
    corners: Floats,
    widths: Floats,
) -> Iterator[_Search]:
    """The ace and two under a pile that starts above them, and the card on top of one whose last card is half covered."""
    first, last = faces[0], faces[-1]
    if isinstance(first, Card) and Rank.ACE < first.rank <= MOST_MISSING + 1:
        # A card alone may lie either way up.
        for i in row[:1] if len(row) > 1 else pile[0].corners:
            end = corners[i] - _step(seen, [i, *row[1:]], corners) * BESIDE * widths[i]
            places = _along(corners[i], end, seen.lengths[i])
            for rank in Rank:
                if rank < first.rank:
                    yield _Search(Card(rank, first.suit), places, (i,), FOUND)
    step = _step(seen, row, corners)
    if isinstance(last, Card) and last.rank < Rank.KING and len(pile[-1].corners) == 1 and len(row) > 1:
        end = corners[row[-1]] + step * BESIDE * widths[row[-1]]
        places = _along(corners[row[-1]], end, seen.lengths[row[-1]])
        yield _Search(Card(Rank(last.rank + 1), last.suit), places, (row[-1],), FOUND_ON_TOP)


def _step(seen: Sightings, row: Sequence[int], corners: Floats) -> Floats:
    """Unit vector from a card of a pile to the next; of a single card, to its right."""
    way = corners[row[-1]] - corners[row[0]] if len(row) > 1 else seen.rights[row[0]].astype(np.float64)
    return np.asarray(way / max(float(np.hypot(*way)), 1e-6))


def _along(start: Floats, end: Floats, length: float) -> Floats:
    """(n, 2) places between two corners and a little beside the way from one to the other; not on the corners themselves."""
    way = end - start
    distance = float(np.hypot(*way))
    along, across = way / max(distance, 1e-6), np.array([-way[1], way[0]]) / max(distance, 1e-6)
    ts = np.arange(2 * STEP * length, max(distance - STEP * length, 2 * STEP * length + 1e-6), STEP * length)
    sides = np.array([-ASIDE, 0.0, ASIDE]) * length
    grid = ts[:, None, None] * along + sides[None, :, None] * across
    return np.asarray(start + grid.reshape(-1, 2))


def _index_places(seen: Sightings, search: _Search, widths: Floats, others: Sightings) -> Floats:
    """(n, 2, 2) where the rank and the suit of a face may stand; not where another index surely is."""
    width = widths[search.beside[0]]
    places = [_indices(search.places, *frame, width) for frame in _frames(seen, search, widths)]
    points = np.concatenate(places)
    others = others.picked(np.flatnonzero(others.ranks.max(axis=1) * others.suits.max(axis=1) > KNOWN))
    away = np.linalg.norm(points.mean(axis=1)[:, None] - others.middles[None], axis=2)
    return np.asarray(points[(away > OWN_PLACE * others.lengths).all(axis=1)])


def _looked(picture: Image, points: Floats, face: Card, network: Network) -> Sightings | None:
    """The sighting of a face at the best of its possible places; its score is how sure it is that it is there."""
    if not len(points):
        return None
    named = classify(picture, points.astype(np.float32), network)
    rank, suit = tuple(Rank).index(face.rank), SUITS.index(face.suit.value)
    sure = named.index * named.ranks[:, rank] * named.suits[:, suit]
    best = int(sure.argmax())
    return _sighting(points[best], named, best, float(sure[best]))


def _frames(seen: Sightings, search: _Search, widths: Floats) -> Iterator[tuple[float, Floats]]:
    """Lengths of indices, and which way is down: as on the cards beside, and of each size that the decks of the photo have."""
    beside = list(search.beside)
    down = seen.downs[beside].astype(np.float64).sum(axis=0) * (-1 if search.turned else 1)
    down /= max(float(np.hypot(*down)), 1e-6)
    sizes = [*(seen.lengths[beside] / widths[beside]), *([] if search.turned else _sizes(seen, widths))]
    lengths: list[float] = []
    for length in (np.array(sizes) * widths[beside[0]]).tolist():
        if all(max(length, other) / min(length, other) > OTHER_SIZE for other in lengths):
            lengths.append(length)
            yield length, down


def _sizes(seen: Sightings, widths: Floats) -> list[float]:
    """Lengths of indices in card widths that several indices of the photo have."""
    sizes = seen.lengths / widths
    steps = np.round(np.log(sizes) / np.log(OTHER_SIZE)).astype(int)
    return [float(np.median(sizes[steps == k])) for k in np.unique(steps) if (steps == k).sum() >= SEVERAL]


def _indices(corners: Floats, length: float, down: Floats, width: float) -> Floats:
    """(n, 2, 2) centres of rank and suit of indices that stand in corners of cards."""
    middles = corners + index_offset(length, down, width)
    return np.stack([middles - down * length / 2, middles + down * length / 2], axis=1)


def _sighting(points: Floats, named: Named, row: int, score: float) -> Sightings:
    way = (points[1] - points[0]).astype(np.float32)
    length = np.array([np.hypot(*way)], np.float32)
    return Sightings(
        points.mean(axis=0, dtype=np.float32)[None],
        (way / length)[None],
        length,
        named.ranks[row : row + 1],
        named.suits[row : row + 1],
        np.array([score], np.float32),
    )
