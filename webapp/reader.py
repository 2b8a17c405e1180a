"""The border between the pages and the reader of photos."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from scorer.errors import ModelError
from scorer.reading import Quad, Reading
from scorer.scoring import Rules

if TYPE_CHECKING:
    from scorer.vision.decks import DeckBook

Progress = Callable[[str, float], None]
"""Told the name of the stage and how much of the whole is done, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class KnownBack:
    """A card whose owner people named in an earlier round."""

    photo: Path
    outline: Quad
    """In shares of the photo's width and height, from 0 to 1: the photo may have been reduced since."""


class ReadPhotos(Protocol):
    """Reads the photos of one round."""

    def __call__(
        self,
        photos: Sequence[Path],
        *,
        known: Mapping[str, Sequence[KnownBack]],
        decks: int,
        rules: Rules,
        progress: Progress,
    ) -> Reading:
        """Return what the photos show; backs that are known are named by the keys of ``known``."""
        ...


def read_with_models(
    photos: Sequence[Path],
    *,
    known: Mapping[str, Sequence[KnownBack]],
    decks: int,
    rules: Rules,
    progress: Progress,
) -> Reading:
    """Read with the models of `scorer.vision`, loaded at the first call."""
    try:
        from scorer.vision import read
    except ImportError as error:
        raise ModelError(
            f"The photo reader is not installed here ({error.name} is missing): type the numbers instead."
        ) from error
    return read(photos, decks=_taught(known), rules=rules, owners=decks, progress=progress)


def _taught(known: Mapping[str, Sequence[KnownBack]]) -> DeckBook:
    """Show the reader the backs people named before."""
    import numpy as np

    from scorer.vision.backs import CLASSES as STRIP_CLASSES
    from scorer.vision.backs import cut_strip
    from scorer.vision.classifier import as_batch
    from scorer.vision.decks import EMPTY
    from scorer.vision.models import network
    from scorer.vision.photo import load

    book = EMPTY
    pictures = {
        path: load(path).pixels for path in {back.photo for backs in known.values() for back in backs}
    }
    for name, backs in known.items():
        strips = []
        for back in backs:
            picture = pictures[back.photo]
            scale = np.array([picture.shape[1], picture.shape[0]], np.float32)
            # The exposed edge of a card comes first in the outline of its back.
            start, end = (np.array(point, np.float32) * scale for point in back.outline[:2])
            strips.append(cut_strip(picture, start, end))
        if strips:
            book = book.taught(name, network("strips", STRIP_CLASSES)(as_batch(np.stack(strips))))
    return book
