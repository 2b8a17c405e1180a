"""The photos that the repository ships are read as they were laid, and the wrong ones are not scored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scorer.piles import Faults, Pile
from scorer.reading import Reading
from scorer.vision import read

PHOTOS = Path(__file__).parent / "photos"


def truth(name: str) -> Reading:
    data = json.loads((PHOTOS / f"{name}.json").read_text("utf-8"))
    data.pop("tally", None)
    return Reading.from_json(data)


def sample(name: str) -> Reading:
    return read([PHOTOS / name / "backs.jpg", PHOTOS / name / "faces.jpg"])


def by_ace(piles: tuple[Pile, ...], names: dict[str | None, str]) -> list[str]:
    """Piles as text, owners by other names."""
    return sorted(" ".join(f"{card.face}@{names.get(card.back)}" for card in pile) for pile in piles)


@pytest.fixture(scope="module")
def round_read() -> Reading:
    return sample("round")


def test_the_sample_round_is_read_without_a_doubt(round_read: Reading) -> None:
    assert [fault.sentence for fault in round_read.doubts] == []


def test_every_card_of_the_sample_round_has_its_face_and_its_owner(round_read: Reading) -> None:
    laid = truth("round")
    # Decks that nobody named are called deck-1 ...; which is whose follows from any one card.
    owners = {card.back for pile in laid.piles for card in pile}
    first = {str(pile): pile for pile in round_read.piles}
    names: dict[str | None, str] = {}
    for pile in laid.piles:
        for other in first.values():
            if len(other.cards) == len(pile.cards) > 1 and [c.face for c in other] == [c.face for c in pile]:
                names |= {mine.back: str(yours.back) for mine, yours in zip(other, pile, strict=True)}
    assert set(names.values()) == owners
    assert by_ace(round_read.piles, names) == by_ace(laid.piles, {o: str(o) for o in owners})


def test_a_gap_and_a_foreign_suit_are_doubted_and_nothing_is_scored() -> None:
    doubts = sample("wrong").doubts
    assert Faults.of(doubts) & Faults.FOREIGN_SUIT
    # The three of hearts is missing. The backs are dark and worn, so that six may be counted where five lie: then the doubt
    # is whether a card lies there whose face was not seen.
    (place,) = {
        (f.pile, f.position) for f in doubts if f.name in (Faults.GAP, Faults.WEAK) and f.position == 2
    }
    assert place == (0, 2)
