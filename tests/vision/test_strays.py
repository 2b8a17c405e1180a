"""Cards that lie apart from the pile that they continue."""

import numpy as np
import pytest

from scorer.vision.sightings import FoundCard
from scorer.vision.strays import with_strays
from tests.vision.lying import HEIGHT, Lying, chances, on_table, ribbon_of

PILE = [f"{rank}S" for rank in ("A", "2", "3", "4", "5")]
OUTLINE = [(-0.5, -HEIGHT / 2), (0.5, -HEIGHT / 2), (0.5, HEIGHT / 2), (-0.5, HEIGHT / 2)]


def piles_with(stray: Lying, sure: float = 0.97, direction: float = 0.0) -> list[tuple[int, ...]]:
    """The piles of a ribbon from the ace to the five of spades at 0.3 card widths, its five at 1.2, and a card that lies apart."""
    laid = [*ribbon_of(PILE, 0, 0, pitch=0.3, direction=direction), stray]
    cards = [FoundCard((n,), *chances(card.face, sure), 0.9) for n, card in enumerate(laid)]
    outlines = np.array([on_table(card, OUTLINE) for card in laid]) * 200
    return with_strays([(0, 1, 2, 3, 4), (5,)], cards, outlines)


WHOLE, APART = [(0, 1, 2, 3, 4, 5)], [(0, 1, 2, 3, 4), (5,)]


@pytest.mark.parametrize(
    ("stray", "piles"),
    [
        (Lying("6S", 2.0, 0.1), WHOLE),
        (Lying("8S", 3.2, -0.2, 0.3), WHOLE),
        # Upside down it is the same card.
        (Lying("6S", 2.0, 0.1, np.pi), WHOLE),
        # Farther than the cards between would reach, beside the pile, before it, across it.
        (Lying("6S", 2.6, 0.0), APART),
        (Lying("6S", 1.9, 0.9), APART),
        (Lying("6S", -0.5, 0.0), APART),
        (Lying("6S", 2.0, 0.0, np.pi / 2), APART),
        # No card that continues it.
        (Lying("5S", 2.0, 0.0), APART),
        (Lying("AS", 2.0, 0.0), APART),
        (Lying("6C", 2.0, 0.0), APART),
        (Lying("10S", 2.0, 0.0), APART),
    ],
)
def test_a_card_that_seems_to_lie_alone_belongs_to_the_pile_it_continues(
    stray: Lying, piles: list[tuple[int, ...]]
) -> None:
    assert piles_with(stray) == piles


def test_what_may_be_a_misread_ace_begins_a_pile() -> None:
    assert piles_with(Lying("6S", 2.0, 0.1), sure=0.85) == APART


def test_a_pile_goes_on_in_its_own_direction() -> None:
    assert piles_with(Lying("6S", 0.1, 2.0, np.pi / 2), direction=np.pi / 2) == WHOLE
    assert piles_with(Lying("6S", 2.0, 0.1), direction=np.pi / 2) == APART


def test_between_two_piles_that_it_continues_a_stray_stays_alone() -> None:
    laid = [
        *ribbon_of(PILE[:2], 0, 0, pitch=0.3),
        *ribbon_of(PILE[:2], 0, 0.3, pitch=0.3),
        Lying("3S", 1.0, 0.15),
    ]
    cards = [FoundCard((n,), *chances(card.face, 0.97), 0.9) for n, card in enumerate(laid)]
    outlines = np.array([on_table(card, OUTLINE) for card in laid]) * 200
    assert with_strays([(0, 1), (2, 3), (4,)], cards, outlines) == [(0, 1), (2, 3), (4,)]


@pytest.mark.parametrize(
    ("two", "piles"), [(Lying("2S", 0.6, 0.1), [(0, 1)]), (Lying("2S", 0.1, 0.7), [(0,), (1,)])]
)
def test_a_two_beside_its_ace_lies_on_it(two: Lying, piles: list[tuple[int, ...]]) -> None:
    laid = [Lying("AS", 0, 0), two]
    cards = [FoundCard((n,), *chances(card.face, 0.97), 0.9) for n, card in enumerate(laid)]
    outlines = np.array([on_table(card, OUTLINE) for card in laid]) * 200
    assert with_strays([(0,), (1,)], cards, outlines) == piles


def test_a_pile_whose_beginning_lies_apart_is_one() -> None:
    laid = [*ribbon_of(PILE[:3], 0, 0, pitch=0.3), *ribbon_of(PILE[3:], 1.3, 0.1, pitch=0.3)]
    cards = [FoundCard((n,), *chances(card.face, 0.97), 0.9) for n, card in enumerate(laid)]
    outlines = np.array([on_table(card, OUTLINE) for card in laid]) * 200
    assert with_strays([(0, 1, 2), (3, 4)], cards, outlines) == [(0, 1, 2, 3, 4)]
