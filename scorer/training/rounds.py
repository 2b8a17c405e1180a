"""Rounds of the training decks, photographed and read: what the networks that look at backs meet at a table.

Where the reader finds an edge a little off, takes a frame for one or sees a card in a lamp's glare, the network that compares
strips has to know it. Scenes whose edges are known exactly and shaken by chance teach it less; nor do they show ribbons as
finely as a photo of a whole table does, which the network that reads along them sees made smaller.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scorer.reading import PhotoReading, SeenCard
from scorer.scoring import Rules
from scorer.staging import StagedRound, play_rounds, stage
from scorer.training.crops import LabelledScene, save_labelled
from scorer.vision import look_at_all
from scorer.vision.backs import STRIP
from scorer.vision.lines import Reduced
from scorer.vision.photo import load
from scorer.vision.rows import BackRibbon, Edge

Floats = NDArray[np.float64]

ROUNDS = "rounds"
"""Folder of the rounds that were read, in that of the scenes."""
PLAYERS = 4
NEAR = 0.3
"""How far from a side of a card, in its widths, an edge may have been found for its strip to show that card."""
ALONG = 0.7
"""Least cosine between the ways into the card from its side and from the edge."""
_QUALITY = 95
"""Of the photos of backs that are kept."""


def save_rounds(folder: Path, numbers: range) -> Iterator[int]:
    """Render and read rounds into the folder, unless they are there; yields how many are done."""
    folder.mkdir(parents=True, exist_ok=True)
    for done, number in enumerate(numbers, 1):
        target = folder / f"{number:05d}.npz"
        if not target.exists():
            seed = f"training/{number}"
            (played,) = play_rounds(1, seed, PLAYERS, Rules())
            save_round(target, stage(played, seed, unseen=False))
        yield done


def save_round(target: Path, staged: StagedRound) -> None:
    """Write the strips that the reader cuts in a round, and its photo of backs as a scene for `crops.load_scene`."""
    strips, decks = read_strips(staged)
    scene = scene_of_backs(staged)
    labels = scene.labels | {"strips": strips, "decks": decks}
    save_labelled(target, LabelledScene(scene.picture, labels), _QUALITY)


def read_strips(staged: StagedRound) -> tuple[NDArray[np.uint8], NDArray[np.str_]]:
    """The strips (n, 96, 48, 4) that the reader cuts in the photo of a round's backs, and whose they are (n,), "" if nobody's."""
    seen = look_at_all([load(photo) for photo in staged.photos], decks=PLAYERS)[1]
    strips = np.concatenate([np.zeros((0, *STRIP, 4), np.uint8), *seen.backs.strips])
    edges = [(ribbon, edge) for ribbon in seen.backs.ribbons for edge in ribbon.edges]
    decks = [deck_at(edge, ribbon, staged.truth.photos[1]) or "" for ribbon, edge in edges]
    return strips, np.array(decks, dtype=str)


def scene_of_backs(staged: StagedRound) -> LabelledScene:
    """The photo of a round's backs, as small as the reader makes it for its lines, and where every card lies in it."""
    truth = staged.truth.photos[1]
    quads = np.array([card.quad for card in truth.cards], float)
    heights = np.linalg.norm(quads[:, 2] - quads[:, 1], axis=1)
    photo = Reduced.of(load(staged.photos[1]).pixels, float(heights.min()))
    pile = np.full(len(quads), -1, np.int16)
    for number, members in enumerate(truth.piles):
        pile[list(members.cards)] = number
    labels: dict[str, NDArray[np.generic]] = {
        "quads": ((quads + 0.5) * photo.ratio - 0.5).astype(np.float32),
        # The truth lists only cards that show.
        "shown": np.ones(len(quads), np.float32),
        "face_up": np.zeros(len(quads), bool),
        "pile": pile,
    }
    return LabelledScene(photo.picture, labels)


def deck_at(edge: Edge, ribbon: BackRibbon, truth: PhotoReading) -> str | None:
    """The deck of the card one of whose sides an edge is; None where none is near."""
    off, nearest = min(((_off(edge, ribbon, card), card) for card in truth.cards), key=lambda pair: pair[0])
    return nearest.back if off < NEAR else None


def _off(edge: Edge, ribbon: BackRibbon, card: SeenCard) -> float:
    """How far an edge lies from the nearest side of a card that it may be, in card widths: the farther of its ends."""
    assert card.quad is not None, "The truth knows where every card lies."
    corners = np.array(card.quad)
    width = float(np.hypot(*(corners[1] - corners[0])))
    return min((_apart(edge, side) / width for side in _sides(corners, ribbon.axis)), default=np.inf)


def _sides(corners: Floats, axis: Floats) -> Iterator[Floats]:
    """Sides (2, 2) of a card (4, 2) from which the way into it runs along the axis."""
    for side in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        inward = corners.mean(axis=0) - np.mean(side, axis=0)
        if inward @ axis > ALONG * np.hypot(*inward):
            yield np.array(side)


def _apart(edge: Edge, side: Floats) -> float:
    ends = np.array([edge.start, edge.end])
    return float(min(np.linalg.norm(ends - way, axis=1).max() for way in (side, side[::-1])))
