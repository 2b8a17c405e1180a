"""Strips in doubt are cut again, turned and moved: one cut is just like one deck, or the doubt remains."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scorer.synth.backs import draw_back, invent_back
from scorer.vision.backs import BackPhoto, cut_strips
from scorer.vision.faces import FaceReading
from scorer.vision.looking import Seen
from scorer.vision.owners import Owners
from scorer.vision.photo import Photo
from scorer.vision.recutting import MOST, with_new_cuts
from scorer.vision.rows import BackRibbon, Edge

RIGHT = np.array([1.0, 0.0])
RED, BLUE = (np.asarray(draw_back(invent_back(np.random.default_rng(seed))).image) for seed in (4, 9))
HEIGHT, WIDTH = RED.shape[:2]
EACH = 5
"""Cards of either deck; they lie alone on a grey table, the red ones above."""


def table() -> np.ndarray:
    picture = np.full((3 * HEIGHT, (EACH + 1) * WIDTH * 5 // 4, 3), 120, np.uint8)
    for row, back in enumerate((RED, BLUE)):
        for n in range(EACH):
            x, y = place(n, row)
            picture[y : y + HEIGHT, x : x + WIDTH] = back[..., :3]
    return picture


def place(number: int, row: int) -> tuple[int, int]:
    return 60 + number * WIDTH * 5 // 4, 60 + row * HEIGHT * 5 // 4


def ribbon(number: int, row: int, lean: float = 0.0) -> BackRibbon:
    """A card alone, by its left edge; found leaning, it shows the table and another part of the print."""
    x, y = place(number, row)
    ahead = np.array([lean * HEIGHT / 2, 0.0])
    start, end = np.array([x, y + HEIGHT], float), np.array([x, y], float)
    return BackRibbon((Edge(start + ahead, end - ahead, (), 0.9),), RIGHT, float(WIDTH), (1, 1))


def seen(lean: float) -> list[Seen]:
    """The photo of the table on which the edge of the first card was found leaning."""
    picture = table()
    ribbons = tuple(
        ribbon(n, row, lean if (n, row) == (0, 0) else 0.0) for row in (0, 1) for n in range(EACH)
    )
    strips = tuple(cut_strips(picture, each) for each in ribbons)
    return [Seen(Photo("backs.jpg", picture), FaceReading((), (), ()), BackPhoto(ribbons, strips), 0.0)]


def named(*doubtful: int, first: str = "blue", clear: bool = True) -> Owners:
    names = (first, *["red"] * (EACH - 1), *["blue"] * EACH)
    sure = ~np.isin(np.arange(2 * EACH), doubtful)
    return Owners(names, sure, sure, sure, clear)


TOLD = np.ones(2 * EACH, bool)


@pytest.mark.parametrize("lean", [-0.2, 0.2])
def test_a_strip_cut_askew_is_given_to_the_deck_that_a_new_cut_is_like(lean: float) -> None:
    again = with_new_cuts(seen(lean), named(0), TOLD, 2)
    assert again.names == ("red",) * EACH + ("blue",) * EACH and again.sure.all()


def test_a_strip_in_the_dark_remains_a_doubt() -> None:
    (photo,) = seen(0.2)
    dark = photo.photo.pixels.copy()
    x, y = place(0, 0)
    dark[y : y + HEIGHT, x : x + WIDTH] //= 40
    before = named(0)
    after = with_new_cuts([replace(photo, photo=Photo("dark.jpg", dark))], before, TOLD, 2)
    assert after.names == before.names and after.sure.tolist() == before.sure.tolist()


def test_only_cards_known_to_lie_there_of_decks_known_to_be_clear_are_cut_again() -> None:
    photos = seen(0.2)
    before = named(0)
    assert with_new_cuts(photos, before, ~TOLD, 2).sure.tolist() == before.sure.tolist()
    for decks in (None, 3):
        assert with_new_cuts(photos, before, TOLD, decks) is before
    unclear, many = named(0, clear=False), named(*range(MOST + 1))
    assert with_new_cuts(photos, unclear, TOLD, 2) is unclear
    assert with_new_cuts(photos, many, TOLD, 2) is many
