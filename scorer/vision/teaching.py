"""Learning what the back of a deck looks like from one photo of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from scorer.errors import PhotoError
from scorer.vision import look
from scorer.vision.backs import name_owners
from scorer.vision.decks import EMPTY, DeckBook
from scorer.vision.photo import load

STRAYS = 0.2
"""Share of cards with another back from which on a photo shows more than one deck."""


def teach(book: DeckBook, name: str, path: Path) -> DeckBook:
    """Return a book that knows the deck in a photo by a name.

    Raises:
        PhotoError: the photo cannot be decoded, shows no back, or those of several decks.
    """
    strips = look(load(path)).backs.embeddings
    if not strips:
        raise PhotoError(f"No card back was found in {path}: photograph the deck's backs from above, closer.")
    embeddings = np.concatenate(strips)
    owners = np.array(name_owners(embeddings, EMPTY).names)
    counts = Counter(owners.tolist())
    deck, most = counts.most_common(1)[0]
    if len(owners) - most >= STRAYS * len(owners):
        raise PhotoError(f"{path} shows {len(counts)} different backs: photograph one deck alone.")
    return book.taught(name, embeddings[owners == deck])
