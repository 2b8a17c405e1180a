"""Spoiled strips: what light and ink do to a print, and what they leave alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.training.spoiling import blurred, lit, lit_evenly, recoloured, spoiled, with_slivers
from scorer.vision.likeness import SMALL

seeds = st.integers(0, 2**32 - 1)


def prints(count: int, seed: int, grey: bool = False) -> np.ndarray:
    """Strips of blots, (count, 3, 48, 24), neither black nor white."""
    rng = np.random.default_rng(seed)
    blots = rng.random((count, 1 if grey else 3, SMALL[0] // 4, SMALL[1] // 4)).repeat(4, 2).repeat(4, 3)
    return np.broadcast_to(0.2 + 0.5 * blots, (count, 3, *SMALL)).astype(np.float32)


@settings(max_examples=20)
@given(seeds)
def test_spoiled_strips_are_still_pictures_of_the_same_size(seed: int) -> None:
    strips = prints(12, seed)
    for spoil in (lit, lit_evenly, blurred, with_slivers, spoiled):
        result = spoil(strips, np.random.default_rng(seed))
        assert result.shape == strips.shape and result.dtype == np.float32
        assert result.min() >= 0 and result.max() <= 1


@given(seeds)
def test_an_even_light_changes_no_ratio_of_two_colours_that_stay_below_white(seed: int) -> None:
    strips = prints(8, seed)
    result = lit_evenly(strips, np.random.default_rng(seed))
    dark = result.max(axis=(1, 2, 3)) < 1
    ratios = result[dark] / strips[dark]
    assert np.allclose(ratios, ratios[:, :1, :1, :1], rtol=1e-4)


def test_other_inks_make_another_deck_of_a_coloured_print() -> None:
    strips, common = prints(200, 1), np.ones((200, 1, *SMALL), np.float32)
    inked, unlike = recoloured(strips, common, np.random.default_rng(1))
    assert unlike.mean() > 0.9
    assert np.abs(inked[unlike] - strips[unlike]).mean(axis=(1, 2, 3)).min() > 0.02


def test_a_grey_print_has_no_inks_to_be_changed() -> None:
    strips, common = prints(50, 2, grey=True), np.ones((50, 1, *SMALL), np.float32)
    inked, unlike = recoloured(strips, common, np.random.default_rng(2))
    assert not unlike.any() and inked == pytest.approx(strips, abs=2e-3)


def test_what_is_not_shown_does_not_tell_two_prints_apart() -> None:
    strips, common = prints(20, 3, grey=True).copy(), np.ones((20, 1, *SMALL), np.float32)
    strips[:, 0, :, 12:] = 1
    common[..., 12:] = 0
    assert not recoloured(strips, common, np.random.default_rng(3))[1].any()


def test_slivers_come_from_other_strips_and_leave_the_middle_of_most_alone() -> None:
    strips = np.linspace(0, 1, 40, dtype=np.float32)[:, None, None, None] * np.ones(
        (1, 3, *SMALL), np.float32
    )
    result = with_slivers(strips, np.random.default_rng(4))
    changed = (result != strips).any(axis=(1, 2, 3))
    assert 0.05 < changed.mean() < 0.6
    assert set(np.unique(result)) <= set(np.unique(strips))
