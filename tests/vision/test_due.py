"""Where other piles lie that are in line with one: the line along its backs shows them too."""

from __future__ import annotations

import numpy as np
import pytest

from scorer.cards import parse_face
from scorer.reading import PhotoReading, SeenCard, SeenPile
from scorer.vision.due import Due, due_of, others_in_line
from scorer.vision.movement import similarity

STILL = similarity(1, 0)


def photo(*piles: tuple[str, float, float]) -> list[Due]:
    """Piles of faces 40 pixels apart, each from a place on, of cards 100 wide."""
    cards, numbers = [], []
    for names, x, y in piles:
        numbers.append(tuple(range(len(cards), len(cards) + len(names.split()))))
        for n, name in enumerate(names.split()):
            left = x + 40 * n
            quad = ((left, y), (left + 100, y), (left + 100, y + 140), (left, y + 140))
            cards.append(SeenCard(parse_face(name), corners=((left + 10, y + 10),), quad=quad))
    piles_seen = tuple(SeenPile(pile) for pile in numbers)
    reading = PhotoReading("faces.jpg", 2000, 1500, 0.1, tuple(cards), piles_seen)
    return [due_of(reading, n, None) for n in range(len(numbers))]


def in_line(*others: tuple[str, float, float]) -> int:
    piles = photo(("AH 2H 3H", 500, 500), *others)
    return len(others_in_line(piles, piles[0], STILL))


def test_the_next_pile_of_a_row_is_in_line() -> None:
    assert in_line(("AS 2S", 730, 500), ("AD", 300, 510)) == 2


@pytest.mark.parametrize("piece", ["7H", "6H 7H"])
def test_what_begins_with_no_ace_may_be_the_piles_own_upper_part(piece: str) -> None:
    assert in_line((piece, 730, 500)) == 0


def test_what_lies_on_the_piles_own_cards_is_no_other_pile() -> None:
    assert in_line(("AS", 560, 500)) == 0


def test_a_piles_outline_has_the_outer_corners_of_its_first_and_its_last_card() -> None:
    (pile,) = photo(("AH 2H 3H", 500, 500))
    outline = sorted(map(tuple, np.round(pile.outline(STILL)).tolist()))
    assert outline == [(500, 500), (500, 640), (680, 500), (680, 640)]
    for corner, inward in pile.ends:
        assert (np.array([590, 570]) - corner) @ inward > 0
