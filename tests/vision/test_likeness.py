"""Strips of backs laid over one another: the best fit is found, and only what both cards show is compared."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.vision.backs import STRIP
from scorer.vision.likeness import (
    MARGIN,
    SLANTS,
    SMALL,
    UPRIGHT,
    SmallStrips,
    best_fits,
    laid_over,
    likeness,
    moved,
)

ROWS, COLUMNS = STRIP


def printed(seed: int) -> np.ndarray:
    """A back's print, larger than a strip on every side, of blots a few pixels wide."""
    rng = np.random.default_rng(seed)
    blots = rng.integers(0, 2, (40, 30, 3)).repeat(4, axis=0).repeat(4, axis=1)
    return np.asarray(40 + 170 * blots, np.uint8)


def strip(seed: int, down: int = 0, right: int = 0, light: float = 1.0, shown: int = COLUMNS) -> np.ndarray:
    """A strip of a print, its edge found a little off, under more or less light, and covered from a column on."""
    colours = printed(seed)[16 + down : 16 + down + ROWS, 16 + right : 16 + right + COLUMNS] * light
    own = np.where(np.arange(COLUMNS) < shown, 255, 0)[None, :, None].repeat(ROWS, axis=0)
    return np.concatenate([colours, own], axis=2).astype(np.uint8)


def aslant(picture: np.ndarray, lower_end: float) -> np.ndarray:
    """The strip of an edge that was found aslant: its lower end is moved inwards by so many pixels against the upper one."""
    rows = [np.roll(row, round(lower_end * (n / (ROWS - 1) - 0.5)), axis=0) for n, row in enumerate(picture)]
    return np.stack(rows)


def differences(batch: np.ndarray) -> np.ndarray:
    """Stands in for the network: less than 0 the more two strips differ."""
    return np.asarray(2 - 20 * np.abs(batch[:, :3] - batch[:, 3:6]).mean(axis=(1, 2, 3)), np.float32)[:, None]


@settings(max_examples=30)
@given(st.integers(0, 1000), st.integers(-3, 3), st.integers(-4, 4))
def test_a_strip_is_moved_to_where_the_print_is_the_same(seed: int, down: int, right: int) -> None:
    strips = SmallStrips.of(np.stack([strip(seed), strip(seed, 2 * down, 2 * right, 0.8)]))
    fits = best_fits(strips)
    # What was cut farther down must be moved down again: the same print stands higher in it.
    assert fits.shifts.tolist() == [[down, right]]
    first, second, common = np.split(laid_over(strips, fits, np.array([0]))[0], [3, 6])
    assert np.abs(0.8 * first - second).max() < 0.02 and common.sum() > 400


@pytest.mark.parametrize("number", range(len(SLANTS)))
def test_a_strip_is_slanted_as_the_print_of_the_other_is(number: int) -> None:
    seeds = range(20, 26)
    found = []
    for seed in seeds:
        # By as much as the second is slanted here must it be slanted back: two pixels of a strip are one of a small one.
        second = aslant(strip(seed), -2 * SLANTS[number])
        fits = best_fits(SmallStrips.of(np.stack([strip(seed), second])))
        found.append(fits.slants[0])
        assert fits.shifts.tolist() == [[0, 0]]
    assert found == [number] * len(seeds)


def test_which_of_two_strips_is_laid_over_the_other_does_not_matter() -> None:
    pair = [strip(7), aslant(strip(7, 4), 6)]
    there, back = (best_fits(SmallStrips.of(np.stack(p))) for p in (pair, pair[::-1]))
    assert (there.shifts == -back.shifts).all() and (there.slants + back.slants == 2 * UPRIGHT).all()
    assert there.slants[0] != UPRIGHT


def test_only_what_both_cards_show_is_compared() -> None:
    strips = SmallStrips.of(np.stack([strip(1, shown=24), strip(1), strip(2, shown=24)]))
    pairs = laid_over(strips, best_fits(strips), np.arange(3))
    commons = pairs[:, 6]
    assert (commons[:2, :, 14:] == 0).all() and (pairs[:, :6] * (1 - commons[:, None]) == 0).all()
    assert (commons[:, : MARGIN - 2] == 0).all() and commons.shape == (3, *SMALL)


@pytest.mark.parametrize("light", [0.97, 1.0])
def test_strips_of_one_print_are_likely_of_one_deck(light: float) -> None:
    seeds = [3, 4, 3, 4, 4]
    cut = np.stack([strip(s, down=2 * (n % 2), light=light**n) for n, s in enumerate(seeds)])
    alike = likeness(cut, differences)  # type: ignore[arg-type]
    odds, prints = alike.odds, alike.prints
    assert (odds == odds.T).all() and (np.diag(odds) == 0).all()
    assert (prints == prints.T).all() and (np.diag(prints) == 1).all()
    same = np.equal.outer(seeds, seeds) & ~np.eye(5, dtype=bool)
    other = np.not_equal.outer(seeds, seeds)
    assert odds[same].min() > 0 > odds[other].max()
    assert prints[same].min() > 0.9 > 0.8 > prints[other].max()


def test_strips_and_their_mirror_images_are_as_alike() -> None:
    def upper_half(batch: np.ndarray) -> np.ndarray:
        return differences(batch[:, :, : SMALL[0] // 2])

    # What differs between these two is at their lower ends.
    cut = np.stack([strip(3), strip(3)])
    cut[1, ROWS // 2 :, :, :3] //= 2
    odds, mirrored = (
        likeness(strips, upper_half).odds  # type: ignore[arg-type]
        for strips in (cut, cut[:, ::-1].copy())
    )
    assert odds[0, 1] < 1.9 and mirrored == pytest.approx(odds, abs=1e-3)


@pytest.mark.parametrize("count", [0, 1])
def test_few_strips_have_nothing_to_be_compared_with(count: int) -> None:
    alike = likeness(np.zeros((count, *STRIP, 4), np.uint8), differences)  # type: ignore[arg-type]
    assert alike.odds.shape == alike.prints.shape == (count, count)


@given(st.integers(-8, 8), st.integers(-2, 2))
def test_what_is_moved_there_and_back_is_the_same_but_for_its_borders(down: int, right: int) -> None:
    pictures = np.random.default_rng(5).random((2, *SMALL)).astype(np.float32)
    back = moved(moved(pictures, (down, right)), (-down, -right))
    inner = (slice(None), slice(8, -8), slice(2, -2))
    assert (back[inner] == pictures[inner]).all()
