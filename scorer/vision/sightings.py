"""Sightings: visible indices with their frame and their meaning, and which of them are corners of one card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.cards import Face
from scorer.reading import Quad
from scorer.vision.classifier import JOKER, Named, likeliest
from scorer.vision.detector import Detections

Floats = NDArray[np.float32]
Reach = NDArray[np.float64]
Pairs = NDArray[np.int64]
Rows = NDArray[np.int64]

OPPOSITE = -0.8
"""Cosine between the two indices of one card: they stand upside down to one another, give or take perspective."""
ALONG = (1.2, 11.0)
"""Distance between the indices of one card along the card's short side, in index lengths: jumbo to tiny index."""
SLANT = (0.5, 2.8)
"""Ratio of that distance along the long side to that along the short side, on cards seen at up to 45 degrees."""
SAME_SIZE = 1.7
"""The two indices of one card differ in length by perspective only."""
HARDLY_ALIKE, RATHER_ALIKE = 0.02, 0.1
"""How alike the two indices of a card must look at least, since one may be misread: where it lies open, and anywhere."""
SAME_FACE_SURELY = 0.3
"""The same for corners that only a deck with four indices has side by side."""
ALIKE = 0.4
"""How alike two corners of such a card must look: a card's width apart lie other cards of its ribbon, too."""
CORNER_PLACE = 0.2
"""How far from its due place, in shares of the usual offset, such a corner may be found."""
CLEARLY = 0.15
"""Share of the usual offset from which on one index surely stands beside another."""
CORNER_BELOW = 0.4, 1.4
"""The same of the corner below it: decks with four indices print them nearer to its edges, or much larger."""
ALIGNED = 0.9
INSET = ((0.005, 0.51), (0.055, 0.92))
"""Where the middle of an index stands, from the card's left-hand edge and from its top: so much of the card's width, and so many
of its own lengths.

Between what two sets of rendered rounds, small to jumbo, gave by least squares: 0.017 and 0.431, 0.074 and 0.802; -0.009 and 0.596,
0.037 and 1.038. Around either half of the indices lay within 0.015 of a card's width, 90 % within 0.037.
"""
LEAST_REACH = 0.2
"""Share of a card's size that lies between its two indices, however large they are."""
USUAL_REACH = (3.6, 5.0)
"""Offset between the two indices of a card in index lengths, as on a standard poker deck; used until the photo tells better."""
ENOUGH = 6
"""Sizes from which on perspective can be told from chance."""
ONE_SIZE = 0.1
"""Difference of the logarithms of two sizes up to which they are of one card, and the camera's slant known."""
NEAR_AND_FAR = 0.5
"""Logarithm of the ratio by which cards at the edge of a photo may differ in size from those in its middle."""
NARROW = 0.15
"""Spread in one direction, as a share of that in the other, below which perspective is not looked for in it."""
AS_THE_REST, UNLIKE_THE_REST = 0.1, 0.22
"""Logarithms of the ratio of the size of the card that a pair makes, either way, to the usual one there: up to the former they
agree, and where ENOUGH pairs do, those beyond the latter are of two cards. Of 513 pairs of rendered rounds 99 % lie within 0.18."""
ALIKE_SURELY, SLANTED = 0.9, 0.32
"""How alike two corners must look that are believed to be of one card though this ratio is as large. The top card of a pile lies
slantwise on the others, and so the camera sees it at another angle: of 350 rendered photos five showed one at 0.23 to 0.28."""
LIKE_THE_REST = 0.2
"""Logarithm of the ratio by which a size may differ from what perspective makes of the others."""


OVERLAPPING = 0.72
"""Distance between two indices, in lengths of the larger, below which both can hardly be ones."""
WEAKER = 0.6
"""Ratio of their strengths below which the weaker one then is none."""


@dataclass(frozen=True, slots=True)
class Sightings:
    """Visible indices; all arrays share the first axis. Pixels of the upright photo."""

    middles: Floats
    """(n, 2) between rank and suit."""
    downs: Floats
    """(n, 2) unit vectors from rank to suit: "down" on the card."""
    lengths: Floats
    """(n,) distance from rank to suit."""
    ranks: Floats
    """(n, 15) probabilities."""
    suits: Floats
    """(n, 4) probabilities."""
    scores: Floats
    """(n,) how sure it is that there is an index at all."""

    def __len__(self) -> int:
        return len(self.middles)

    def picked(self, rows: NDArray[np.int64]) -> Sightings:
        """Some of them."""
        return Sightings(*(getattr(self, name)[rows] for name in self.__slots__))

    @classmethod
    def joined(cls, parts: Sequence[Sightings]) -> Sightings:
        """All of several."""
        return cls(*(np.concatenate([getattr(p, name) for p in parts]) for name in cls.__slots__))

    @property
    def rights(self) -> Floats:
        """(n, 2) unit vectors to the right of "down", as the card is read upright."""
        return np.stack([self.downs[:, 1], -self.downs[:, 0]], axis=1)


def sightings(found: Detections, named: Named, least: float) -> Sightings:
    """Join what the detector and the classifier say of the face indices; `least` is the lowest joint score kept."""
    d = found.points[:, 1] - found.points[:, 0]
    lengths = np.maximum(np.linalg.norm(d, axis=1), 1e-3)
    scores = np.sqrt(found.scores * named.index)
    middles = found.points.mean(axis=1)
    strengths = found.scores * named.index * named.ranks.max(axis=1) * named.suits.max(axis=1)
    same = (named.ranks @ named.ranks.T) * (named.suits @ named.suits.T)
    keep = (scores >= least) & ~_half_indices(middles, lengths, strengths, same)
    return Sightings(
        middles[keep],
        (d / lengths[:, None])[keep],
        lengths[keep],
        named.ranks[keep],
        named.suits[keep],
        scores[keep],
    )


def _half_indices(middles: Floats, lengths: Floats, strengths: Floats, same: Floats) -> NDArray[np.bool_]:
    """Which are not indices but parts of two: the rank of one card beside the suit of the next looks a little like one.

    `same` (n, n) is the probability that two show the same face: then they are one index, found twice.
    """
    away = np.linalg.norm(middles[:, None] - middles[None], axis=2)
    near = away < OVERLAPPING * np.maximum.outer(lengths, lengths)
    share = np.where(same > SAME_FACE_SURELY, 1.0, WEAKER)
    return np.asarray((near & (strengths[:, None] < share * strengths[None])).any(axis=1))


@dataclass(frozen=True, slots=True)
class FoundCard:
    """One physical card: the sightings of its corners, the surest first."""

    corners: tuple[int, ...]
    ranks: Floats
    """(15,) probabilities from all corners together."""
    suits: Floats
    """(4,)"""
    score: float

    @property
    def face(self) -> Face:
        """The likeliest."""
        return likeliest(self.ranks, self.suits)

    @property
    def confidence(self) -> float:
        """How sure it is that there is a card, and that it is the likeliest face."""
        # A joker has no suit.
        face = max(float(self.ranks[:JOKER].max() * self.suits.max()), float(self.ranks[JOKER]))
        return face * min(1.0, self.score)


def index_offset(length: float, down: Floats | Reach, width: float) -> Reach:
    """(2,) from the corner of a card to the middle of the index in it: small and jumbo indices stand differently far from it."""
    right = np.array([down[1], -down[0]], np.float64)
    (side, by_side), (top, by_top) = INSET
    return np.asarray(
        (side * width + by_side * length) * right
        + (top * width + by_top * length) * np.asarray(down, np.float64)
    )


def card_widths(lengths: Floats, reach: Reach) -> Reach:
    """(n,) width of a card from (n, 2) the offset between its two indices of these lengths."""
    (side, by_side), _ = INSET
    return np.asarray((reach[:, 0] + 2 * by_side * lengths) / (1 - 2 * side))


def card_heights(lengths: Floats, reach: Reach) -> Reach:
    """(n,) height of the same card."""
    _, (top, by_top) = INSET
    return np.asarray(reach[:, 1] + 2 * (top * card_widths(lengths, reach) + by_top * lengths))


def _card_sizes(lengths: Floats, reach: Reach) -> Reach:
    """(n, 2) width and height of a card from the offset between its two indices."""
    return np.stack([card_widths(lengths, reach), card_heights(lengths, reach)], axis=1)


def _reach_in(sizes: Reach, lengths: Floats) -> Reach:
    """(n, 2) the offset between the two indices of these lengths on cards (n, 2) of these widths and heights."""
    inset = np.array([[share, by] for share, by in INSET])
    both = 2 * (sizes[:, :1] * inset[:, 0] + lengths[:, None] * inset[:, 1])
    return np.asarray(np.maximum(sizes - both, LEAST_REACH * sizes))


def _frames(seen: Sightings) -> tuple[Floats, Floats]:
    """Offset (right, down) from each sighting to each other in its own frame, both (n, n), pixels."""
    way = seen.middles[None] - seen.middles[:, None]
    return (way * seen.rights[:, None]).sum(axis=2), (way * seen.downs[:, None]).sum(axis=2)


def _faces_agree(seen: Sightings) -> Floats:
    """(n, n) probability that two sightings show the same face."""
    return np.asarray((seen.ranks @ seen.ranks.T) * (seen.suits @ seen.suits.T))


def _look_alike(seen: Sightings) -> Floats:
    """(n, n) 0..1 how alike two sightings look: 1 where both were read, or could as well be misread, as the same faces."""
    agree = _faces_agree(seen)
    own = np.sqrt(np.maximum(np.diag(agree), 1e-12))
    return np.asarray(agree / (own[:, None] * own[None]))


def _could_be_one_card(seen: Sightings, right: Floats, down: Floats, alike: Floats) -> Pairs:
    """Pairs (k, 2) of sightings that could be two corners of one card."""
    ratio = seen.lengths[:, None] / seen.lengths[None]
    # Both corners' views of the way, averaged: each alone is as imprecise as the direction of one index.
    x, y = (right + right.T) / 2, (down + down.T) / 2
    along = x / np.sqrt(seen.lengths[:, None] * seen.lengths[None])
    ok = (along > ALONG[0]) & (along < ALONG[1]) & (y > SLANT[0] * x) & (y < SLANT[1] * x)
    ok &= (seen.downs @ seen.downs.T <= OPPOSITE) & (ratio < SAME_SIZE) & (ratio > 1 / SAME_SIZE)
    pairs = np.argwhere(np.triu(ok & (alike > HARDLY_ALIKE), 1))
    i, j = pairs.T
    return pairs[
        (alike[i, j] > RATHER_ALIKE)
        | ~(_covered(seen, right, down, i, j) | _covered(seen, right, down, j, i))
    ]


def _covered(seen: Sightings, right: Floats, down: Floats, i: Rows, j: Rows) -> NDArray[np.bool_]:
    """(k,) whether beside the first of two corners the index of another card stands, which then lies on this one."""
    across, below = right[i, j][:, None], down[i, j][:, None]
    beside = (right[i] > CLEARLY * across) & (right[i] < (1 - CLEARLY) * across)
    beside &= (np.abs(down[i]) < CORNER_PLACE * below) & (seen.downs[i] @ seen.downs.T > ALIGNED)
    return np.asarray(beside.any(axis=1))


def _clear(possible: Pairs, offsets: Reach) -> NDArray[np.bool_]:
    """Which pairs have no rival; where all have, those that are nearest to one another."""
    count = np.bincount(possible.reshape(-1))
    clear = (count[possible] == 1).all(axis=1)
    if not clear.any():
        size = offsets.sum(axis=1)
        nearest = np.full(len(count), np.inf)
        np.minimum.at(nearest, possible.reshape(-1), np.repeat(size, 2))
        clear = (size[:, None] <= nearest[possible]).all(axis=1)
    return np.asarray(clear)


def _growth(places: Reach, logs: Reach) -> Reach:
    """(2,) by how much the logarithm of a size grows per pixel to the right and down: perspective. Outliers are left out."""
    if len(logs) < ENOUGH:
        return np.zeros(2)
    away = places - places.mean(axis=0)
    spread = max(float(np.sqrt((away**2).mean())), 1e-6)
    table = np.column_stack([away / spread, np.ones(len(logs))])
    inside = np.abs(logs - np.median(logs)) < NEAR_AND_FAR
    for _ in range(3):
        if inside.sum() < ENOUGH:
            return np.zeros(2)
        # Across a single row of cards nothing can be known: such directions count as even.
        solved, *_ = np.linalg.lstsq(table[inside], logs[inside], rcond=NARROW)
        inside = np.abs(table @ solved - logs) < LIKE_THE_REST
    return np.asarray(solved[:2] / spread, np.float64)


def _agreed_growth(places: Reach, logs: Reach, usual: Reach) -> tuple[Reach, NDArray[np.bool_]]:
    """How sizes grow, so that most pairs are of one size, and which those are.

    Corners of different cards, taken for a pair, look like a card of another size; a slope must not be made of these.
    """
    tries = [np.zeros(2), usual, *([_growth(places, logs)] if len(logs) >= ENOUGH else [])]
    agreed = [(grown, _of_one_size(logs - places @ grown)) for grown in tries]
    return max(agreed, key=lambda a: int(a[1].sum()))


def _of_one_size(logs: Reach) -> NDArray[np.bool_]:
    """The largest set of sizes that are alike."""
    alike = np.abs(logs[:, None] - logs[None]) < ONE_SIZE
    return np.asarray(alike[alike.sum(axis=1).argmax()])


def _sizes(seen: Sightings, possible: Pairs, found: Reach) -> Reach:
    """(n, 2) width and height in pixels of a card where each sighting is.

    Cards are of one size even where decks with small and with large indices lie on one table, so the pairs without a
    rival give the size of all cards; where there is no pair, the usual index gives it.

    Args:
        seen: all sightings.
        possible: pairs (k, 2) that could be two corners of one card.
        found: (k, 2) size of the card that each would make.
    """
    logs = np.log(seen.lengths.astype(np.float64))
    if not len(possible):
        return _card_sizes(seen.lengths, np.exp(logs)[:, None] * np.array(USUAL_REACH))
    clear = _clear(possible, found)
    pairs, sizes = possible[clear], np.log(found[clear])
    middles = seen.middles.astype(np.float64)
    places = middles[pairs].mean(axis=1)
    grown, alike = _agreed_growth(places, sizes.mean(axis=1), _growth(middles, logs))
    level = np.median(sizes[alike] - (places[alike] @ grown)[:, None], axis=0)
    there = middles @ grown
    usual = np.median(places[alike] @ grown)
    return np.asarray(np.exp(level + (usual + np.clip(there - usual, -NEAR_AND_FAR, NEAR_AND_FAR))[:, None]))


def pair_corners(seen: Sightings) -> tuple[list[tuple[int, int]], Reach]:
    """Which sightings are two corners of one card, by geometry first; and how far apart those are where each sighting is.

    Several decks show the same face several times, so among equal faces the pairs nearest the photo's usual size win.
    """
    right, down = _frames(seen)
    alike = _look_alike(seen)
    possible = _could_be_one_card(seen, right, down, alike)
    i, j = possible.T
    offsets = np.stack([right[i, j] + right[j, i], down[i, j] + down[j, i]], axis=1).astype(np.float64) / 2
    found = _card_sizes((seen.lengths[i] + seen.lengths[j]) / 2, offsets)
    sizes = _sizes(seen, possible, found)
    misfit = np.abs(np.log(found**2 / (sizes[i] * sizes[j]))) / 2
    cost = misfit.sum(axis=1) - 0.1 * np.log(alike[i, j])
    if (misfit.max(axis=1, initial=0) < AS_THE_REST).sum() >= ENOUGH:
        most = np.where(alike[i, j] > ALIKE_SURELY, SLANTED, UNLIKE_THE_REST)
        fit = misfit.max(axis=1, initial=0) < most
        possible, cost = possible[fit], cost[fit]
    pairs: list[tuple[int, int]] = []
    taken: set[int] = set()
    for a, b in possible[np.argsort(cost, kind="stable")].tolist():
        if a not in taken and b not in taken:
            pairs.append((a, b))
            taken |= {a, b}
    return pairs, _reach_in(sizes, seen.lengths)


def _product(rows: Floats) -> Floats:
    """Probabilities of one class seen several times; half the evidence of a second look, since the looks share light and print."""
    weights = np.array([1.0] + [0.5] * (len(rows) - 1))[:, None]
    logs = (np.log(np.maximum(rows, 1e-6)) * weights).sum(axis=0)
    e = np.exp(logs - logs.max())
    return np.asarray(e / e.sum()).astype(np.float32)


def _card(seen: Sightings, corners: tuple[int, ...]) -> FoundCard:
    order = tuple(sorted(corners, key=lambda i: -seen.scores[i] * seen.ranks[i].max() * seen.suits[i].max()))
    rows = list(order)
    score = 1 - float(np.prod(1 - seen.scores[rows]))
    return FoundCard(order, _product(seen.ranks[rows]), _product(seen.suits[rows]), score)


def joined_card(seen: Sightings, card: FoundCard, other: FoundCard) -> FoundCard:
    """One card of the corners of two."""
    return _card(seen, tuple(sorted({*card.corners, *other.corners})))


def _something_between(
    right: Floats, down: Floats, wide: Reach, high: Reach, same_way: Floats
) -> NDArray[np.bool_]:
    """(n, n) whether the index of a third card stands on the way from one index to the other: then no card lies open there."""
    level = (np.abs(down) / high < CORNER_PLACE) & (same_way > ALIGNED)
    after = level & (right > CLEARLY * wide)
    before = level & (right < -CLEARLY * wide)
    return np.asarray((after.astype(np.float32) @ before.T.astype(np.float32)) > 0)


def _other_corners(seen: Sightings, reach: Reach) -> Pairs:
    """Pairs (k, 2) that could be neighbouring corners of a card with four indices: side by side, or one above the other."""
    right, down = _frames(seen)
    same_way = seen.downs @ seen.downs.T
    wide, high = np.sqrt(reach[:, None] * reach[None]).transpose(2, 0, 1)
    # Both corners' views of the distance, averaged: each alone is as imprecise as the direction of one index.
    x, y = (np.abs(right) + np.abs(right.T)) / 2 / wide, (down + down.T) / 2 / high
    beside = (np.abs(x - 1) < CORNER_PLACE) & (np.abs(down) / high < CORNER_PLACE) & (same_way > ALIGNED)
    below = (y > CORNER_BELOW[0]) & (y < CORNER_BELOW[1]) & (x < CORNER_PLACE) & (same_way < -ALIGNED)
    between = _something_between(right, down, wide, high, same_way)
    near = ((beside | beside.T) & ~(between | between.T)) | below
    return np.argwhere(np.triu(near & (_look_alike(seen) > ALIKE), 1))


MOST_CORNERS = 4


def _joined(n: int, links: list[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Groups of corners that are linked, directly or by others; a link that gives a card too many corners is none."""
    groups: dict[int, tuple[int, ...]] = {i: (i,) for i in range(n)}
    for i, j in links:
        if groups[i] != groups[j] and len(groups[i] + groups[j]) <= MOST_CORNERS:
            groups |= dict.fromkeys(groups[i] + groups[j], tuple(sorted(groups[i] + groups[j])))
    return list(dict.fromkeys(groups.values()))


def cards_of(seen: Sightings, pairs: list[tuple[int, int]], reach: Reach) -> list[FoundCard]:
    """One card for each pair of corners and for each corner left alone; up to four corners where the deck has four indices.

    That it has is believed only where two faces show it, or a third corner of one card: two decks' equal cards may
    by chance lie side by side.
    """
    others = [(int(i), int(j)) for i, j in _other_corners(seen, reach)]
    paired = {i for pair in pairs for i in pair}
    agree = _faces_agree(seen)
    clear = [(i, j) for i, j in others if agree[i, j] > SAME_FACE_SURELY]
    faces = {(int(seen.ranks[i].argmax()), int(seen.suits[i].argmax())) for i, _ in clear}
    four = len(faces) > 1 or any(i in paired or j in paired for i, j in clear)
    # Of a card whose four corners are complete none can be the opposite corner of another card.
    return [_card(seen, group) for group in _joined(len(seen), [*(others if four else ()), *pairs])]


def outline(seen: Sightings, card: FoundCard, reach: Reach) -> Quad:
    """The card's outline from its surest index and the photo's usual reach."""
    i = card.corners[0]
    own = slice(i, i + 1)
    width, height = (float(of(seen.lengths[own], reach[own])[0]) for of in (card_widths, card_heights))
    right, down = seen.rights[i], seen.downs[i]
    origin = seen.middles[i] - index_offset(float(seen.lengths[i]), down, width)
    points = [origin, origin + width * right, origin + width * right + height * down, origin + height * down]
    a, b, c, d = ((float(x), float(y)) for x, y in points)
    return a, b, c, d
