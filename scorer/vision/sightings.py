"""Sightings: visible indices with their frame and their meaning, and which of them are corners of one card."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.vision.classifier import Named
from scorer.vision.detector import Detections

Floats = NDArray[np.float32]

OPPOSITE = -0.8
"""Cosine between the two indices of one card: they stand upside down to one another, give or take perspective."""
ALONG = (1.2, 9.0)
"""Distance between the indices of one card along the card's short side, in index lengths: jumbo to small index."""
SLANT = (0.5, 2.8)
"""Ratio of that distance along the long side to that along the short side, on cards seen at up to 45 degrees."""
SAME_SIZE = 1.7
"""The two indices of one card differ in length by perspective only."""
SAME_FACE = 0.02
"""Least probability that two corners show the same face for them to be joined."""
USUAL_REACH = (3.6, 5.0)
"""Offset between the two indices of a card in index lengths, as on a standard poker deck; used until the photo tells better."""


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

    @property
    def rights(self) -> Floats:
        """(n, 2) unit vectors to the right of "down", as the card is read upright."""
        return np.stack([self.downs[:, 1], -self.downs[:, 0]], axis=1)


def sightings(found: Detections, named: Named, least: float) -> Sightings:
    """Join what the detector and the classifier say of the face indices; `least` is the lowest joint score kept."""
    d = found.points[:, 1] - found.points[:, 0]
    lengths = np.maximum(np.linalg.norm(d, axis=1), 1e-3)
    scores = np.sqrt(found.scores * named.index)
    keep = scores >= least
    return Sightings(
        found.points.mean(axis=1)[keep],
        (d / lengths[:, None])[keep],
        lengths[keep],
        named.ranks[keep],
        named.suits[keep],
        scores[keep],
    )


@dataclass(frozen=True, slots=True)
class FoundCard:
    """One physical card: the sightings of its corners, the surest first."""

    corners: tuple[int, ...]
    ranks: Floats
    """(15,) probabilities from all corners together."""
    suits: Floats
    """(4,)"""
    score: float


def in_frame(seen: Sightings, i: int, j: int) -> tuple[float, float]:
    """Offset from sighting i to j in i's own frame (right, down), in lengths of i."""
    w = (seen.middles[j] - seen.middles[i]) / seen.lengths[i]
    return float(w @ seen.rights[i]), float(w @ seen.downs[i])


def _faces_agree(seen: Sightings, i: int, j: int) -> float:
    return float((seen.ranks[i] @ seen.ranks[j]) * (seen.suits[i] @ seen.suits[j]))


def _could_be_one_card(seen: Sightings, i: int, j: int) -> bool:
    if seen.downs[i] @ seen.downs[j] > OPPOSITE:
        return False
    ratio = seen.lengths[i] / seen.lengths[j]
    if not 1 / SAME_SIZE < ratio < SAME_SIZE:
        return False
    for a, b in ((i, j), (j, i)):
        x, y = in_frame(seen, a, b)
        if not ALONG[0] < x < ALONG[1] or not SLANT[0] < y / x < SLANT[1]:
            return False
    return _faces_agree(seen, i, j) > SAME_FACE


def _reach(seen: Sightings, i: int, j: int) -> NDArray[np.float64]:
    return np.asarray((np.array(in_frame(seen, i, j)) + np.array(in_frame(seen, j, i))) / 2)


def card_reach(seen: Sightings, pairs: list[tuple[int, int]]) -> NDArray[np.float64]:
    """Usual offset (right, down) between a card's indices in this photo, in index lengths: the median of all possible pairs."""
    if not pairs:
        return np.array(USUAL_REACH)
    return np.asarray(np.median([_reach(seen, i, j) for i, j in pairs], axis=0))


def pair_corners(seen: Sightings) -> tuple[list[tuple[int, int]], NDArray[np.float64]]:
    """Which sightings are two corners of one card, by geometry first; and the photo's usual reach.

    Several decks show the same face several times, so among equal faces the pairs nearest the photo's usual offset win.
    """
    n = len(seen)
    possible = [(i, j) for i in range(n) for j in range(i + 1, n) if _could_be_one_card(seen, i, j)]
    count = np.bincount(np.array(possible, int).reshape(-1), minlength=n) if possible else np.zeros(n, int)
    clear = [(i, j) for i, j in possible if count[i] == 1 and count[j] == 1]
    reach = card_reach(seen, clear or possible)
    cost = {
        p: float(np.abs(np.log(_reach(seen, *p) / reach)).sum() - 0.1 * np.log(_faces_agree(seen, *p)))
        for p in possible
    }
    pairs: list[tuple[int, int]] = []
    taken: set[int] = set()
    for i, j in sorted(possible, key=cost.__getitem__):
        if i not in taken and j not in taken:
            pairs.append((i, j))
            taken |= {i, j}
    return pairs, reach


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


def cards_of(seen: Sightings, pairs: list[tuple[int, int]]) -> list[FoundCard]:
    """One card for each pair of corners and for each corner left alone."""
    paired = {i for pair in pairs for i in pair}
    groups = [*pairs, *((i,) for i in range(len(seen)) if i not in paired)]
    return [_card(seen, group) for group in groups]
