"""How surely two strips of backs are of one deck: laid over one another, as somebody would who compares two cards.

Equal prints differ by light, sharpness and by how exactly their edges were found, so one strip is moved and slanted over the
other until it fits best, and a small network judges what is left of the difference. Only what both cards show is compared.
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
SLANTS = (-3.0, -1.5, 0.0, 1.5, 3.0)
"""By how much farther inwards, in pixels of the small strips, the lower end of a strip is moved than the upper one: an edge of
which one corner alone was seen is often found a little aslant."""
UPRIGHT = SLANTS.index(0.0)
LEAST_COMMON = 40
"""Pixels that two strips must have in common for a place to count."""
BATCH = 128
"""Pairs that are judged at once; 512 took 200 MB more."""


@dataclass(frozen=True, slots=True)
class SmallStrips:
    """Strips of backs reduced to what is compared, under every slant; all arrays share the first two axes."""

    colours: Floats
    """(slants, n, 48, 24, 3) in 0..1."""
    own: Floats
    """(slants, n, 48, 24) 1 where the card itself shows, else 0."""

    @classmethod
    def of(cls, strips: Image) -> SmallStrips:
        """Reduce strips (n, 96, 48, 4)."""
        height, width = SMALL
        slanted = [_slanted(strip, slant) for slant in SLANTS for strip in strips]
        small = np.array([cv2.resize(s, (width, height), interpolation=cv2.INTER_AREA) for s in slanted])
        small = small.reshape(len(SLANTS), -1, height, width, 4)
        own = (small[..., 3] == 255).astype(np.float32)
        own[..., :MARGIN, :] = own[..., -MARGIN:, :] = own[..., 0] = 0
        return cls(small[..., :3].astype(np.float32) / np.float32(255), own)


def _slanted(strip: Image, slant: float) -> Image:
    """A strip (h, w, 4) whose lower end is moved inwards by `slant` pixels of a small strip against the upper one."""
    if slant == 0:
        return strip
    height, width = strip.shape[:2]
    inward = slant * width / SMALL[1]
    shear = np.array([[1, inward / (height - 1), -inward / 2], [0, 1, 0]])
    return np.asarray(cv2.warpAffine(strip, shear, (width, height), borderValue=(0, 0, 0, 0)), np.uint8)


@dataclass(frozen=True, slots=True)
class Fits:
    """Pairs of strips, and how the second of each must be slanted and moved to fit on the first."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    shifts: NDArray[np.int64]
    """(pairs, 2) pixels down and to the right."""
    slants: NDArray[np.int64]
    """(pairs,) number of the slant in SLANTS."""
    correlations: Floats
    """(pairs,) of the brightness of both there, -1 where they have too little in common."""


def best_fits(strips: SmallStrips) -> Fits:
    """For every two strips, the slant and the shift at which their brightness correlates best."""
    first, second = np.triu_indices(strips.own.shape[1], 1)
    grey = strips.colours.mean(axis=4) * strips.own
    best, shifts = np.full(len(first), -np.inf), np.zeros((len(first), 2), np.int64)
    slants = np.full(len(first), UPRIGHT, np.int64)
    for slant, shift in _half_of_the_places():
        own = moved(strips.own[slant], shift)
        fit = _correlation(grey[UPRIGHT], strips.own[UPRIGHT], moved(grey[slant], shift), own)
        # Moving the second strip over the first one is moving the first the other way over the second.
        for fits, sign in ((fit[first, second], 1), (fit[second, first], -1)):
            better = fits > best
            best[better], shifts[better] = fits[better], (sign * shift[0], sign * shift[1])
            slants[better] = UPRIGHT + sign * (slant - UPRIGHT)
    correlations = np.asarray(best, np.float32)
    return Fits(first.astype(np.int64), second.astype(np.int64), shifts, slants, correlations)


def _half_of_the_places() -> list[tuple[int, tuple[int, int]]]:
    """Slants, by their numbers, and shifts: of every two that are opposite one."""
    shifts = [(down, right) for down in SHIFTS_ALONG for right in SHIFTS_INWARD]
    upright = [(UPRIGHT, shift) for shift in shifts if shift >= (0, 0)]
    return upright + [(slant, shift) for slant in range(UPRIGHT + 1, len(SLANTS)) for shift in shifts]


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
    """(rows, 7, 48, 24): colours of the first and of the second strip, laid onto it, and where both show."""
    stacked = np.concatenate([strips.colours, strips.own[..., None]], axis=4)
    down, right = max(SHIFTS_ALONG), max(SHIFTS_INWARD)
    wide = np.pad(stacked, ((0, 0), (0, 0), (down, down), (right, right), (0, 0)))
    every_shift = sliding_window_view(wide, SMALL, axis=(2, 3))
    firsts = stacked[UPRIGHT].transpose(0, 3, 1, 2)[fits.first[rows]]
    places = (down - fits.shifts[rows, 0], right - fits.shifts[rows, 1])
    seconds = every_shift[(fits.slants[rows], fits.second[rows], *places)]
    common = firsts[:, 3:] * seconds[:, 3:]
    return np.concatenate([firsts[:, :3] * common, seconds[:, :3] * common, common], axis=1)


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike strips are; both (strips, strips) and symmetric."""

    odds: NDArray[np.float64]
    """Logarithm of the odds that two are of one deck; 0 on the diagonal."""
    prints: NDArray[np.float64]
    """Correlation of their prints where they fit best; 1 on the diagonal."""


def likeness(strips: Image, network: Network) -> Likeness:
    """Compare every two strips (n, 96, 48, 4).

    Every pair is looked at as it is and mirrored from end to end, which changes nothing about whose they are: of the pairs of 60
    rendered rounds 0.95 % are then decided wrongly, 1.06 % if looked at once; equal and different ones weigh the same.
    """
    odds, prints = np.zeros((len(strips), len(strips))), np.eye(len(strips))
    if len(strips) < 2:
        return Likeness(odds, prints)
    small = SmallStrips.of(strips)
    fits = best_fits(small)
    first, second = fits.first, fits.second
    prints[first, second] = prints[second, first] = fits.correlations
    for rows in _batches(len(first)):
        pairs = laid_over(small, fits, rows)
        found = (network(pairs) + network(np.ascontiguousarray(pairs[:, :, ::-1])))[:, 0] / 2
        odds[first[rows], second[rows]] = odds[second[rows], first[rows]] = found
    return Likeness(odds, prints)


def _batches(count: int) -> Iterator[NDArray[np.int64]]:
    yield from np.split(np.arange(count), range(BATCH, count, BATCH))
