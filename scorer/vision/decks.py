"""Known decks: what each deck's back looks like, taught from a photo and kept for later rounds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scorer.assignment import cheapest_pairs
from scorer.errors import ScorerError

Floats = NDArray[np.float32]


class DeckBookError(ScorerError):
    """A folder of decks cannot be read."""


@dataclass(frozen=True, slots=True)
class DeckBook:
    """Names of decks and the mean embedding of their backs."""

    decks: Mapping[str, tuple[float, ...]]

    def assign(self, centres: Floats, least: float) -> dict[int, str]:
        """Which groups (n, d) are which known decks, one to one, the most similar overall; those below `least` stay unknown."""
        names = list(self.decks)
        if not names or not len(centres):
            return {}
        near = centres @ np.array([self.decks[n] for n in names], np.float32).T
        return {r: names[c] for r, c in cheapest_pairs((-near).tolist()) if near[r, c] >= least}

    def taught(self, name: str, embeddings: Floats) -> DeckBook:
        """A book in which `name` looks like the mean of (n, d) embeddings."""
        mean = embeddings.mean(axis=0)
        unit = mean / max(float(np.linalg.norm(mean)), 1e-9)
        return replace(self, decks={**self.decks, name: tuple(round(float(v), 5) for v in unit)})

    def without(self, name: str) -> DeckBook:
        """A book that has forgotten a deck."""
        return replace(self, decks={n: v for n, v in self.decks.items() if n != name})


EMPTY = DeckBook({})
FILE = "decks.json"


def load_decks(folder: Path) -> DeckBook:
    """Read the book in a folder; an absent one is empty. Raises DeckBookError where it cannot be understood."""
    path = folder / FILE
    if not path.exists():
        return EMPTY
    try:
        raw = json.loads(path.read_text("utf-8"))
        return DeckBook({str(k): tuple(float(x) for x in v) for k, v in raw["decks"].items()})
    except (ValueError, KeyError, TypeError, AttributeError):
        raise DeckBookError(f"{path} is not a list of decks: delete it and teach the decks again.") from None


def save_decks(book: DeckBook, folder: Path) -> None:
    """Write the book into a folder, replacing the old one only when the new one is complete."""
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / (FILE + ".part")
    partial.write_text(
        json.dumps({"version": 1, "decks": {n: list(v) for n, v in book.decks.items()}}) + "\n", "utf-8"
    )
    partial.replace(folder / FILE)
