"""Names what the detector found: rank, suit, joker or no index, from upright 64-pixel crops."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.cards import Card, Face, Joker, Rank, Suit
from scorer.vision.models import Network

Floats = NDArray[np.float32]
Image = NDArray[np.uint8]

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "JK", "?")
"""The thirteen ranks, the joker, and letters that are no English index (B, D, V ...)."""
SUITS = ("C", "D", "H", "S")
JOKER = RANKS.index("JK")
CLASSES = (*RANKS, *SUITS, "index")

CROP = 64
SPAN = 26.0
"""Distance in pixels from the rank's centre to the suit's in a crop."""


@dataclass(frozen=True, slots=True)
class Named:
    """Class probabilities of n crops."""

    ranks: Floats
    """(n, 15) as RANKS; rows sum to 1."""
    suits: Floats
    """(n, 4); rows sum to 1."""
    index: Floats
    """(n,) that there is an index at all, this way up."""


def upright(points: Floats) -> NDArray[np.float64]:
    """Similarity (2, 3) that sets the suit straight below the rank, SPAN pixels apart, in the middle of a crop."""
    rank, suit = points.astype(float)
    down = suit - rank
    length = max(float(np.hypot(*down)), 1e-6)
    scale = SPAN / length
    c, s = scale * down[1] / length, scale * down[0] / length
    turn = np.array([[c, -s], [s, c]])
    return np.column_stack([turn, CROP / 2 - turn @ (rank + suit) / 2])


def cut(picture: Image, points: Floats) -> Image:
    """One upright crop, (64, 64, 3); large indices are reduced by area so that they do not alias."""
    matrix = upright(points)
    scale = float(np.hypot(matrix[0, 0], matrix[1, 0]))
    factor = 1 if scale >= 0.55 else int(np.ceil(0.8 / scale))
    side = CROP * factor
    crop = cv2.warpAffine(
        picture, matrix * factor, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    if factor > 1:
        crop = cv2.resize(crop, (CROP, CROP), interpolation=cv2.INTER_AREA)
    return np.asarray(crop, np.uint8)


def classify(picture: Image, points: Floats, network: Network) -> Named:
    """Name every index.

    Args:
        picture: (h, w, 3) uint8 RGB.
        points: (n, 2, 2) centres of rank and suit in pixels.
        network: the corner classifier.
    """
    if not len(points):
        return Named(
            np.zeros((0, len(RANKS)), np.float32), np.zeros((0, 4), np.float32), np.zeros(0, np.float32)
        )
    crops = np.stack([cut(picture, p) for p in points])
    logits = network(as_batch(crops))
    ranks, suits = logits[:, : len(RANKS)], logits[:, len(RANKS) : -1]
    index = 1 / (1 + np.exp(-logits[:, -1]))
    return Named(_softmax(ranks), _softmax(suits), index.astype(np.float32))


def as_batch(pictures: NDArray[np.uint8]) -> Floats:
    """(n, h, w, channels) uint8 as a network takes it: (n, channels, h, w) float32 in 0..1."""
    return np.ascontiguousarray(pictures.transpose(0, 3, 1, 2)).astype(np.float32) / np.float32(255)


def _softmax(logits: Floats) -> Floats:
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


def likeliest(ranks: Floats, suits: Floats) -> Face:
    """The likeliest of the 52 faces and the joker, from a rank row (15,) and a suit row (4,)."""
    rank, suit = int(ranks[: len(Rank)].argmax()), int(suits.argmax())
    if ranks[JOKER] >= ranks[rank] * suits[suit]:
        return Joker()
    return Card(tuple(Rank)[rank], Suit(SUITS[suit]))


def face_probabilities(ranks: Floats, suits: Floats) -> dict[Face, float]:
    """Probability of each of the 52 faces and the joker, from a rank row (15,) and a suit row (4,)."""
    table: dict[Face, float] = {Joker(): float(ranks[JOKER])}
    for r, rank in enumerate(Rank):
        for s, letter in enumerate(SUITS):
            table[Card(rank, Suit(letter))] = float(ranks[r] * suits[s])
    return table
