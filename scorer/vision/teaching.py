"""Learning what the back of a deck looks like: from one photo of it, or from cards whose owner people named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scorer.errors import PhotoError
from scorer.reading import Quad
from scorer.vision.backs import CLASSES, cut_strip, embed
from scorer.vision.decks import EMPTY, DeckBook
from scorer.vision.looking import Compared, look
from scorer.vision.models import network
from scorer.vision.owners import name_owners
from scorer.vision.photo import load

STRAYS = 0.2
"""Share of cards with another back from which on a photo shows more than one deck."""


def teach(book: DeckBook, name: str, path: Path) -> DeckBook:
    """Return a book that knows the deck in a photo by a name.

    Raises:
        PhotoError: the photo cannot be decoded, shows no back, or those of several decks.
    """
    seen = look(load(path)).backs.strips
    if not seen:
        raise PhotoError(f"No card back was found in {path}: photograph the deck's backs from above, closer.")
    compared = Compared.of(np.concatenate(seen))
    owners = np.array(name_owners(compared.odds, compared.embeddings, EMPTY, prints=compared.prints).names)
    counts = Counter(owners.tolist())
    deck, most = counts.most_common(1)[0]
    if len(owners) - most >= STRAYS * len(owners):
        raise PhotoError(f"{path} shows {len(counts)} different backs: photograph one deck alone.")
    return book.taught(name, compared.embeddings[owners == deck])


def taught_by_outlines(known: Mapping[str, Sequence[tuple[Path, Quad]]]) -> DeckBook:
    """Return a book of decks of which single cards were named before.

    Args:
        known: by the name of the deck, photos with the outline of a card in shares of the photo's width and height, from
            0 to 1; its exposed edge comes first, as in what the reader reports.

    Raises:
        PhotoError: a photo cannot be decoded.
        ModelError: a network is missing or altered.
    """
    pictures = {path: load(path).pixels for path in {path for cards in known.values() for path, _ in cards}}
    book = EMPTY
    for name, cards in known.items():
        if cards:
            strips = [_strip(pictures[path], outline) for path, outline in cards]
            book = book.taught(name, embed(np.stack(strips), network("strips", CLASSES)))
    return book


def _strip(picture: NDArray[np.uint8], outline: Quad) -> NDArray[np.uint8]:
    size = np.array([picture.shape[1], picture.shape[0]], np.float32)
    start, end = (np.array(point, np.float32) * size for point in outline[:2])
    return cut_strip(picture, (start, end))
