"""Makes the sample photos anew: `python -m tests.samples`; needs the card art named in models/README.md.

`tests/photos/round` is a round of the software game, `tests/photos/wrong` a smaller one with a gap and a foreign suit.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from scorer.piles import Pile
from scorer.scoring import PRESETS
from scorer.staging import play_rounds, stage
from scorer.synth.camera import jpeg
from scorer.synth.invented import invented_deck
from scorer.synth.rounds import lay_round, photograph, round_truth
from scorer.synth.scene import scene_decks

PHOTOS = Path(__file__).parent / "photos"
SEED = "sample-18"
WRONG = (
    "AH@Ann 2H@Ben 4H@Ann 5H@Ben 6H@Ben",
    "AS@Ben 2S@Ben 3C@Ann 4S@Ann",
    "AD@Ann 2D@Ben 3D@Ann",
)


def make_round() -> None:
    """Four players, photographed face up and turned over, 12 megapixels."""
    played = next(iter(play_rounds(1, SEED, 4, PRESETS["classic"])))
    staged = stage(played, SEED)
    _write(PHOTOS / "round", dict(zip(("faces.jpg", "backs.jpg"), staged.photos, strict=True)))
    truth = staged.truth.to_json() | {"tally": played.tally.to_json()}
    (PHOTOS / "round.json").write_text(json.dumps(truth, ensure_ascii=False) + "\n", "utf-8")


def make_wrong() -> None:
    """Two players; the 3♥ is missing, and a club lies among the spades."""
    rng = np.random.default_rng(5)
    art = invented_deck(20_000_003)
    decks = scene_decks([(name, art.faces, art.jokers) for name in ("Ann", "Ben")], rng)
    piles = [Pile.parse(text) for text in WRONG]
    taken = photograph(lay_round(piles, decks, rng), rng, 2000, 1500, strength=0.3)
    pictures = {"faces.jpg": taken.faces.picture, "backs.jpg": taken.backs.picture}
    _write(PHOTOS / "wrong", {name: jpeg(picture, 85) for name, picture in pictures.items()})
    truth = round_truth(taken, "faces.jpg", "backs.jpg").to_json()
    (PHOTOS / "wrong.json").write_text(json.dumps(truth, ensure_ascii=False) + "\n", "utf-8")


def _write(folder: Path, photos: dict[str, bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, photo in photos.items():
        (folder / name).write_bytes(photo)


if __name__ == "__main__":
    make_round()
    make_wrong()
