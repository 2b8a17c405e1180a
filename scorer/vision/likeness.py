"""How surely two strips of backs are of one deck: laid over one another, as somebody would who compares two cards.

Equal prints differ by light, sharpness and by how exactly their edges were found, so one strip is moved over the other until
it fits best, and a small network judges what is left of the difference. Only what both cards show is compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from scorer.vision.models import Network

Floats = NDArray[np.float32]
Image = NDArray[np.uint8]

CLASSES = ("same-deck",)
SMALL = (48, 24)
"""Height and width in pixels at which strips are compared."""
MARGIN = 3
"""Rows at either end of a strip that are not compared: the edge's ends are found less exactly than its line."""
SHIFTS_ALONG, SHIFTS_INWARD = range(-8, 9), range(-5, 6)
"""How far a strip is moved over the other, in pixels of the small strips: along the edge by a sixth of it at most, and inward
as far as a frame printed on the back is wide, whose inner line may have been taken for the edge."""
LEAST_COMMON = 40
"""Pixels that two strips must have in common for a place to count."""
BATCH = 512


@dataclass(frozen=True, slots=True)
class SmallStrips:
    """Strips of backs reduced to what is compared; all arrays share the first axis."""

    colours: Floats
    """(n, 48, 24, 3) in 0..1."""
    own: Floats
    """(n, 48, 24) 1 where the card itself shows, else 0."""

    @classmethod
    def of(cls, strips: Image) -> SmallStrips:
        """Reduce strips (n, 96, 48, 4)."""
        height, width = SMALL
        small = np.array([cv2.resize(s, (width, height), interpolation=cv2.INTER_AREA) for s in strips])
        small = small.reshape(-1, height, width, 4)
        own = (small[..., 3] == 255).astype(np.float32)
        own[:, :MARGIN] = own[:, -MARGIN:] = own[:, :, 0] = 0
        return cls(small[..., :3].astype(np.float32) / np.float32(255), own)


@dataclass(frozen=True, slots=True)
class Fits:
    """Pairs of strips, and how the second of each must be moved to fit on the first."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    shifts: NDArray[np.int64]
    """(pairs, 2) pixels down and to the right."""


def best_fits(strips: SmallStrips) -> Fits:
    """For every two strips, the shift at which their brightness correlates best."""
    first, second = np.triu_indices(len(strips.own), 1)
    grey = strips.colours.mean(axis=3) * strips.own
    best, found = np.full(len(first), -np.inf), np.zeros((len(first), 2), np.int64)
    for shift in _half_of_the_shifts():
        fit = _correlation(grey, strips.own, moved(grey, shift), moved(strips.own, shift))
        # Moving the second strip over the first one is moving the first the other way over the second.
        for fits, sign in ((fit[first, second], 1), (fit[second, first], -1)):
            better = fits > best
            best[better], found[better] = fits[better], (sign * shift[0], sign * shift[1])
    return Fits(first.astype(np.int64), second.astype(np.int64), found)


def _half_of_the_shifts() -> list[tuple[int, int]]:
    """Of every shift and its opposite one."""
    return [(down, right) for down in SHIFTS_ALONG for right in SHIFTS_INWARD if (down, right) >= (0, 0)]


def moved(pictures: Floats, shift: tuple[int, int]) -> Floats:
    """Pictures (n, h, w, ...) moved down and to the right; what comes in is 0."""
    result = np.zeros_like(pictures)
    height, width = pictures.shape[1:3]
    down, right = shift
    rows, columns = slice(max(0, down), height + min(0, down)), slice(max(0, right), width + min(0, right))
    from_rows = slice(max(0, -down), height + min(0, -down))
    from_columns = slice(max(0, -right), width + min(0, -right))
    result[:, rows, columns] = pictures[:, from_rows, from_columns]
    return result


def _correlation(a: Floats, own_a: Floats, b: Floats, own_b: Floats) -> Floats:
    """(n, n) correlation of each of a with each of b where both show; pictures (n, h, w) are 0 elsewhere."""
    x, m, y, k = (part.reshape(len(part), -1) for part in (a, own_a, b, own_b))
    common = np.maximum(m @ k.T, 1)
    mean_x, mean_y = (x @ k.T) / common, (m @ y.T) / common
    spread = ((x * x) @ k.T / common - mean_x**2) * (m @ (y * y).T / common - mean_y**2)
    fit = ((x @ y.T) / common - mean_x * mean_y) / np.sqrt(np.maximum(spread, 1e-7))
    return np.asarray(np.where(common < LEAST_COMMON, -1.0, fit), np.float32)


def laid_over(strips: SmallStrips, fits: Fits, rows: NDArray[np.int64]) -> Floats:
    """(rows, 7, 48, 24): colours of the first and of the second strip, moved onto it, and where both show."""
    stacked = np.concatenate([strips.colours, strips.own[..., None]], axis=3)
    down, right = max(SHIFTS_ALONG), max(SHIFTS_INWARD)
    wide = np.pad(stacked, ((0, 0), (down, down), (right, right), (0, 0)))
    every_shift = sliding_window_view(wide, SMALL, axis=(1, 2))
    firsts = stacked.transpose(0, 3, 1, 2)[fits.first[rows]]
    seconds = every_shift[fits.second[rows], down - fits.shifts[rows, 0], right - fits.shifts[rows, 1]]
    common = firsts[:, 3:] * seconds[:, 3:]
    return np.concatenate([firsts[:, :3] * common, seconds[:, :3] * common, common], axis=1)


def likeness(strips: Image, network: Network) -> NDArray[np.float64]:
    """(n, n) logarithm of the odds that two strips (n, 96, 48, 4) are of one deck; 0 on the diagonal."""
    odds = np.zeros((len(strips), len(strips)))
    if len(strips) < 2:
        return odds
    small = SmallStrips.of(strips)
    fits = best_fits(small)
    for rows in _batches(len(fits.first)):
        found = network(laid_over(small, fits, rows))[:, 0]
        odds[fits.first[rows], fits.second[rows]] = odds[fits.second[rows], fits.first[rows]] = found
    return odds


def _batches(count: int) -> Iterator[NDArray[np.int64]]:
    yield from np.split(np.arange(count), range(BATCH, count, BATCH))
