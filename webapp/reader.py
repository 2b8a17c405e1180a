"""The border between the pages and the reader of photos."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from scorer.errors import ModelError
from scorer.reading import Quad, Reading
from scorer.scoring import Rules

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
        from scorer.vision.teaching import taught_by_outlines
    except ImportError as error:
        raise ModelError(
            f"The photo reader is not installed here ({error.name} is missing): type the numbers instead."
        ) from error
    book = taught_by_outlines(
        {name: [(back.photo, back.outline) for back in backs] for name, backs in known.items()}
    )
    return read(photos, decks=book, rules=rules, owners=decks, progress=progress)
