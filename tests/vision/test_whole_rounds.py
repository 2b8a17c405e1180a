"""Rendered rounds, read with a perfect detector and a perfect classifier: what is left is geometry and the joining of photos."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from scorer.piles import Faults, Pile
from scorer.reading import PhotoReading, SeenCard, SeenPile
from scorer.synth.render import Photo
from scorer.synth.rounds import lay_round, photograph
from scorer.synth.scene import Scene
from scorer.vision.classifier import CLASSES, RANKS, SUITS
from scorer.vision.detector import BACK, FACE
from scorer.vision.faces import read_faces
from scorer.vision.rounds import join_round
from scorer.vision.rows import BackRibbon, back_ribbons, corners_of
from tests import builders
from tests.rendered import decks, no_card_art
from tests.vision.lying import detections


@pytest.fixture(autouse=True, scope="module")
def bare() -> Iterator[None]:
    with no_card_art():
        yield


class Knowing:
    """A classifier that knows what the crops show: they come in the order of the detections."""

    def __init__(self, faces: Sequence[str]) -> None:
        self.faces = faces

    def __call__(self, batch: np.ndarray) -> np.ndarray:
        assert len(batch) == len(self.faces)
        logits = np.zeros((len(batch), len(CLASSES)), np.float32)
        logits[:, -1] = 6
        for row, face in zip(logits, self.faces, strict=True):
            row[RANKS.index(face[:-1])] = row[len(RANKS) + SUITS.index(face[-1])] = 9
        return logits


def faces_read(photo: Photo) -> PhotoReading:
    points = np.array([(i.rank, i.suit) for i in photo.indices], np.float32)
    found = read_faces(photo.picture, detections(points, FACE), Knowing([i.face for i in photo.indices]))  # type: ignore[arg-type]
    piles = tuple(SeenPile(pile, faults) for pile, faults in zip(found.piles, found.faults, strict=True))
    return PhotoReading("faces.jpg", 1200, 900, 0.0, found.cards, piles)


def backs_read(photo: Photo, scene: Scene) -> PhotoReading:
    points = np.array([(c.corner, c.inward) for c in photo.back_corners], np.float32)
    owners = [scene.decks[scene.cards[c.card].deck].name for c in photo.back_corners]
    cards: list[SeenCard] = []
    piles = []
    for ribbon in back_ribbons(corners_of(detections(points, BACK))):
        piles.append(SeenPile(tuple(range(len(cards), len(cards) + len(ribbon.edges)))))
        cards += _cards(ribbon, owners)
    return PhotoReading("backs.jpg", 1200, 900, 0.0, tuple(cards), tuple(piles))


def _cards(ribbon: BackRibbon, owners: Sequence[str]) -> Iterator[SeenCard]:
    for edge in ribbon.edges:
        (owner,) = {owners[k] for k in edge.corners}
        middle = (edge.start + edge.end) / 2 + ribbon.axis * ribbon.width / 2
        yield SeenCard(None, owner, 1.0, False, (), None, ((float(middle[0]), float(middle[1])),))


def random_piles(rng: np.random.Generator) -> list[Pile]:
    """Two to seven foundations, each card from any of four decks that has not played it yet."""
    names, used = ("red", "blue", "green", "black"), set()
    piles = []
    for number in range(int(rng.integers(2, 8))):
        suit = "CDHS"[number % 4]
        owners = []
        for rank in range(1, int(rng.integers(1, 14)) + 1):
            free = [name for name in names if (suit, rank, name) not in used]
            owners.append(str(rng.choice(free)))
            used.add((suit, rank, owners[-1]))
        pile = builders.pile(suit, len(owners))
        piles.append(Pile.parse(" ".join(f"{c.face}@{o}" for c, o in zip(pile, owners, strict=True))))
    return piles


@pytest.mark.parametrize("seed", range(8))
def test_a_round_photographed_from_both_sides_is_read_as_it_was_laid(seed: int) -> None:
    rng = np.random.default_rng(seed)
    piles = random_piles(rng)
    scene = lay_round(piles, decks("red", "blue", "green", "black"), rng)
    photos = photograph(scene, rng, 1200, 900)
    reading = join_round([faces_read(photos.faces), backs_read(photos.backs, photos.back_scene)])
    assert sorted(map(str, reading.piles)) == sorted(map(str, piles))
    # Chance may let a rank lie there more often than the one below it; nothing else may be in doubt.
    assert not Faults.of(reading.faults) & ~Faults.COUNTS_RISE
