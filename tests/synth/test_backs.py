"""Invented backs: equal designs are equal pictures; pairs that differ only in colour, or only in pattern."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.synth.backs import PATTERNS, BackDesign, draw_back, invent_back, recoloured, repatterned
from scorer.synth.scene import invent_backs

generators = st.integers(0, 2**32 - 1).map(np.random.default_rng)
DARK = BackDesign("checks", 7, (20, 40, 160), (240, 235, 225), 0.06, (255, 255, 252))


def changed(a: BackDesign, b: BackDesign) -> set[str]:
    old, new = asdict(a), asdict(b)
    return {name for name in old if old[name] != new[name]}


def where(design: BackDesign, colour: tuple[int, int, int]) -> np.ndarray:
    """Pixels of this colour."""
    apart = np.abs(draw_back(design).image[..., :3].astype(int) - colour)
    return np.asarray((apart < 4).all(axis=2))


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("wear", [0.0, 0.9])
def test_equal_designs_are_equal_pictures(pattern: str, wear: float) -> None:
    design = replace(DARK, pattern=pattern, wear=wear)
    first, second = draw_back(design), draw_back(replace(design))
    assert first.image.tobytes() == second.image.tobytes()


@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_pattern_shows_both_colours(pattern: str) -> None:
    design = replace(DARK, pattern=pattern, border=0.0)
    assert where(design, design.ground).mean() > 0.05
    assert where(design, design.ink).mean() > 0.01


@settings(max_examples=40)
@given(generators)
def test_red_and_blue_packs_of_one_brand_differ_in_one_colour_only(rng: np.random.Generator) -> None:
    design = invent_back(rng)
    assert changed(design, recoloured(design, rng)) in ({"ground"}, {"ink"})


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_recoloured_back_is_the_same_print(pattern: str) -> None:
    design = replace(DARK, pattern=pattern)
    other = recoloured(design, np.random.default_rng(3))
    assert other.ground != design.ground and other.ink == design.ink
    assert np.abs(inked(design) - inked(other)).max() < 0.04


def inked(design: BackDesign) -> np.ndarray:
    """How much ink, from 0 to 1, each pixel inside the border has."""
    edge = round(design.border * 400) + 8
    print_ = draw_back(design).image[edge:-edge, edge:-edge, :3].astype(float)
    ground, ink = np.array(design.ground), np.array(design.ink)
    return np.asarray((print_ - ground) @ (ink - ground) / ((ink - ground) @ (ink - ground)))


@settings(max_examples=40)
@given(generators)
def test_a_repatterned_back_keeps_colours_border_and_wear(rng: np.random.Generator) -> None:
    design = invent_back(rng)
    other = repatterned(design, rng)
    assert other.pattern != design.pattern
    assert changed(design, other) <= {"pattern", "seed"}


def test_borders_are_blank_and_as_wide_as_asked() -> None:
    image = draw_back(replace(DARK, border=0.1)).image
    height, width = image.shape[:2]
    edge = round(0.1 * width)
    rim = np.ones((height, width), bool)
    # A printed frame may lie on the border's inner edge.
    rim[edge - 4 : 4 - edge, edge - 4 : 4 - edge] = False
    assert (image[rim][:, :3] == DARK.border_colour).all()


def test_wear_lets_paper_show_through_at_the_edges() -> None:
    new, worn = (draw_back(replace(DARK, border=0.0, wear=wear)).image.astype(int) for wear in (0.0, 1.0))
    apart = np.abs(new - worn).max(axis=2)
    assert apart[200:202, :2].max() > 20
    assert (apart[100:400, 100:300] > 0).mean() < 0.2


@settings(max_examples=40)
@given(generators, st.integers(1, 8))
def test_no_two_decks_of_a_table_have_the_same_back(rng: np.random.Generator, count: int) -> None:
    designs = invent_backs(count, rng)
    assert len(designs) == count
    assert len({tuple(asdict(d).items()) for d in designs}) == count


def test_some_tables_have_backs_that_differ_only_in_colour_and_some_only_in_pattern() -> None:
    tables = [invent_backs(2, np.random.default_rng(seed)) for seed in range(40)]
    differences = [changed(first, second) for first, second in tables]
    assert any(d <= {"ground", "ink"} for d in differences)
    assert any(d <= {"pattern", "seed"} for d in differences)
