"""Rounds that are rendered and read to learn from: every strip with the deck whose it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scorer.reading import PhotoReading, SeenCard
from scorer.scoring import Rules
from scorer.staging import StagedRound, play_rounds, stage
from scorer.training.crops import load_scene
from scorer.training.rounds import PLAYERS, deck_at, read_strips, save_round, save_rounds
from scorer.vision.backs import STRIP
from scorer.vision.rows import BackRibbon, Edge

RIGHT = np.array([1.0, 0.0])


def lying(x: float, back: str) -> SeenCard:
    """A card face down, 100 wide."""
    quad = ((x, 0.0), (x + 100, 0.0), (x + 100, 140.0), (x, 140.0))
    return SeenCard(None, back, quad=quad)


TABLE = PhotoReading("backs.jpg", 999, 999, cards=(lying(100, "red"), lying(140, "blue")))


def deck_of(x: float, *, lean: float = 0.0, axis: np.ndarray = RIGHT) -> str | None:
    edge = Edge(np.array([x - lean, 140.0]), np.array([x + lean, 0.0]), (), 0.9)
    return deck_at(edge, BackRibbon((edge,), axis, 100.0, (1, 1)), TABLE)


def test_a_strip_is_of_the_card_at_whose_side_its_edge_was_found() -> None:
    assert deck_of(100) == "red" and deck_of(136) == "blue"
    assert deck_of(115, lean=5) == "red"
    # Read from the other end, the card to the left of its right side.
    assert deck_of(205, axis=-RIGHT) == "red" and deck_of(235, axis=-RIGHT) == "blue"


@pytest.mark.parametrize(("x", "lean"), [(60.0, 0.0), (180.0, 0.0), (100.0, 35.0)])
def test_what_is_no_cards_edge_is_nobodys(x: float, lean: float) -> None:
    assert deck_of(x, lean=lean) is None


@pytest.fixture(scope="module")
def staged() -> StagedRound:
    (played,) = play_rounds(1, "strips", PLAYERS, Rules())
    return stage(played, "strips", megapixels=4, unseen=False)


def test_the_strips_of_a_round_are_cut_and_told(staged: StagedRound) -> None:
    strips, decks = read_strips(staged)
    cards = sum(len(pile) for pile in staged.played.piles)
    assert strips.shape == (len(decks), *STRIP, 4)
    assert (decks != "").sum() > 0.8 * cards
    assert set(decks) - {""} <= {deck.back for deck in staged.played.tally.decks}


def test_a_round_is_kept_with_its_backs_as_a_scene(staged: StagedRound, tmp_path: Path) -> None:
    save_round(tmp_path / "00001.npz", staged)
    scene = load_scene(tmp_path / "00001.npz")
    truth = staged.truth.photos[1]
    ratio = scene.picture.shape[1] / truth.width
    assert ratio <= 1
    corners = np.array([card.quad for card in truth.cards])
    # Half a pixel of either photo is all that may be lost.
    assert np.abs(scene.labels["quads"] - corners * ratio).max() < 1
    piles = [scene.labels["pile"].tolist().count(number) for number in range(len(truth.piles))]
    assert piles == [len(pile.cards) for pile in truth.piles]
    assert {"strips", "decks"} <= scene.labels.keys() and not scene.labels["face_up"].any()


def test_a_round_that_was_read_is_not_read_again(tmp_path: Path) -> None:
    (tmp_path / "00007.npz").write_bytes(b"read")
    assert list(save_rounds(tmp_path, range(7, 8))) == [1]
    assert (tmp_path / "00007.npz").read_bytes() == b"read"
