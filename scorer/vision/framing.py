"""Framing: whether a pile may go on beyond the border of its photo.

A card on top of a ribbon hides none of what would lie on it, and the lowest one shows where another would come out from
under it: where either is not to be seen, the pile may have more cards than the photo.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scorer.reading import Quad, SeenCard

Points = NDArray[np.float64]

OUTSIDE = 0.15
"""How far a card may seem to reach out of the photo, in its own widths: its outline is known no better."""
FURTHER = 1.2
"""Where to expect the card before the lowest one, in the largest gaps of its ribbon."""
FIRST_GAP = 0.35
"""The largest gap of a ribbon, in widths of a card, as long as only one card of it is seen."""


def top_runs_out(cards: Sequence[SeenCard], size: tuple[int, int]) -> bool:
    """Whether cards may lie on the top one of a pile, outside a photo of `size` (width, height).

    Args:
        cards: of the pile, from the lowest up.
        size: of the photo in pixels.
    """
    outlines = outlines_of(cards)
    if not len(outlines):
        return False
    return _any_outside(_sides(outlines, +1), size, OUTSIDE * width_of(outlines))


def foot_runs_out(cards: Sequence[SeenCard], size: tuple[int, int]) -> bool:
    """Whether cards may lie under the lowest one of a pile, outside a photo of `size` (width, height)."""
    outlines = outlines_of(cards)
    if not len(outlines):
        return False
    middles = outlines.mean(axis=1)
    width = width_of(outlines)
    gaps = np.linalg.norm(np.diff(middles, axis=0), axis=1)
    reach = FURTHER * float(gaps.max()) if len(gaps) else FIRST_GAP * width
    sides = _sides(outlines, -1)
    out = sides - middles[0]
    return _any_outside(sides + reach * out / np.linalg.norm(out, axis=1, keepdims=True), size, 0.0)


def outlines_of(cards: Sequence[SeenCard]) -> Points:
    """Outlines (cards, 4, 2) of those cards that have one."""
    quads: list[Quad] = [card.quad for card in cards if card.quad is not None]
    return np.array(quads, float).reshape(-1, 4, 2)


def width_of(outlines: Points) -> float:
    """Mean width of cards by their outlines (cards, 4, 2), pixels; 1 where there are none."""
    if not len(outlines):
        return 1.0
    return float(np.linalg.norm(outlines[:, 1] - outlines[:, 0], axis=1).mean())


def _sides(outlines: Points, way: int) -> Points:
    """Middles of the sides (n, 2) where a pile goes on: of the last card (+1) or of the first (-1).

    A ribbon goes on along its axis, a single card in any direction.
    """
    card = outlines[-1 if way > 0 else 0]
    sides = (card + np.roll(card, -1, axis=0)) / 2
    if len(outlines) == 1:
        return np.asarray(sides)
    axis = way * (outlines[-1].mean(axis=0) - outlines[0].mean(axis=0))
    return np.asarray(sides[[int((sides @ axis).argmax())]])


def _any_outside(points: Points, size: tuple[int, int], slack: float) -> bool:
    return bool(((points < -slack) | (points > np.array(size) + slack)).any())
