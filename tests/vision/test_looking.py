"""One photo: what lies face up is not read as backs."""

from __future__ import annotations

import numpy as np

from scorer.vision.looking import is_backs
from tests.vision.test_second_look import ribbon

ACROSS = ribbon(100, 100, 0.9, 0.9, 0.9)
"""Edges at 100, 140, 180 pixels to the right, the last card 100 wide: from 100 to 280, 100 to 240 downwards."""


def indices(count: int, y: float) -> np.ndarray:
    return np.array([(120.0 + 30 * n, y) for n in range(count)])


def test_a_ribbon_drawn_across_the_blank_corners_of_faces_is_none() -> None:
    assert not is_backs(ACROSS, indices(5, 170))


def test_a_pattern_on_a_back_that_looks_like_an_index_does_not_undo_its_ribbon() -> None:
    assert is_backs(ACROSS, indices(2, 170))


def test_faces_beside_a_ribbon_do_not_undo_it() -> None:
    assert is_backs(ACROSS, indices(5, 320))
    assert is_backs(ACROSS, indices(0, 0).reshape(-1, 2))
