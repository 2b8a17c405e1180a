"""Decks whose backs are known by name: photos of them, kept in a folder until the reader needs them.

Photos are kept, not what a network made of them, so that a deck stays known when the network changes. Every
deck has a folder of its own::

    decks/red/1.jpg    a photo in which cards of the deck lie face down
    decks/red/1.json   their outlines
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self
from urllib.parse import quote, unquote

from PIL import Image

from scorer.errors import NotationError, PhotoError, StoreError
from scorer.jsonfields import Fields
from scorer.reading import PhotoReading, Quad, SeenCard
from scorer.vision.photo import Photo

VERSION = 1
LONGEST_SIDE = 2000
"""Of the photos that are kept, in pixels."""
MOST_SAMPLES = 12
"""Cards of one photo that are kept; more say nothing new."""
_MIXED = 0.2
"""Share of cards with another back at which a photo shows more than one deck."""
_UNNAMED = re.compile(r"deck-\d+")


@dataclass(frozen=True, slots=True)
class KnownBack:
    """A card whose deck is known."""

    photo: Path
    outline: Quad
    """In shares of the photo's width and height, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class DeckBook:
    """The known decks, each with some of its cards; what the reader names backs by."""

    decks: Mapping[str, tuple[KnownBack, ...]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the decks, in the order of the alphabet."""
        return tuple(sorted(self.decks))

    def only(self, names: Sequence[str]) -> Self:
        """Return the decks with these names."""
        return type(self)({name: backs for name, backs in self.decks.items() if name in names})

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Load all decks of a folder; there are none where the folder does not exist.

        Raises:
            StoreError: the folder holds something damaged.
        """
        homes = sorted(folder.iterdir()) if folder.is_dir() else []
        decks = {unquote(home.name): tuple(_known_backs(home)) for home in homes if home.is_dir()}
        return cls({name: backs for name, backs in decks.items() if backs})


def learn(folder: Path, name: str, photo: Photo, reading: PhotoReading) -> int:
    """Keep the backs in a photo as those of a deck; returns how many cards were kept.

    Raises:
        PhotoError: the photo does not show the backs of one deck.
        StoreError: the name cannot be used, or the folder cannot be written.
    """
    home = folder / _folder_name(name)
    outlines = [card.quad for card in _cards_of_one_deck(photo, reading) if card.quad is not None]
    outlines = outlines[:MOST_SAMPLES]
    shares = [[[x / reading.width, y / reading.height] for x, y in outline] for outline in outlines]
    image = Image.fromarray(photo.pixels)
    image.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    try:
        home.mkdir(parents=True, exist_ok=True)
        number = 1 + max((int(path.stem) for path in home.glob("*.jpg") if path.stem.isdecimal()), default=0)
        image.save(home / f"{number}.jpg", quality=92)
        # Written last: a photo without outlines is passed over.
        text = json.dumps({"version": VERSION, "outlines": shares})
        (home / f"{number}.json").write_text(text, "utf-8")
    except OSError as error:
        raise StoreError(f"The folder {home} cannot be written ({error.strerror}): name another.") from error
    return len(outlines)


def forget(folder: Path, name: str) -> None:
    """Delete a deck.

    Raises:
        StoreError: there is none of that name, or it cannot be deleted.
    """
    home = folder / _folder_name(name)
    if not home.is_dir():
        known = ", ".join(DeckBook.load(folder).names) or "none"
        raise StoreError(f"There is no deck named {name!r}: known are {known}.")
    try:
        shutil.rmtree(home)
    except OSError as error:
        raise StoreError(
            f"The folder {home} cannot be deleted ({error.strerror}): delete it by hand."
        ) from error


def _folder_name(name: str) -> str:
    if not name.strip() or len(name) > 40 or not name.isprintable():
        raise StoreError("A deck's name has 1 to 40 printable characters: choose another.")
    if _UNNAMED.fullmatch(name):
        raise StoreError(f"{name!r} is what decks without a name are called: choose another name.")
    # No name may lead out of the folder.
    return quote(name, safe=" ").replace(".", "%2E")


def _cards_of_one_deck(photo: Photo, reading: PhotoReading) -> list[SeenCard]:
    cards = [card for card in reading.cards if card.face is None and card.quad is not None]
    if not cards:
        raise PhotoError(f"No card back was found in {photo.name}: photograph one from above, and closer.")
    counts = Counter(card.back for card in cards)
    deck, most = counts.most_common(1)[0]
    if len(cards) - most > _MIXED * len(cards):
        raise PhotoError(f"{photo.name} shows {len(counts)} different backs: photograph one deck alone.")
    return [card for card in cards if card.back == deck]


def _known_backs(home: Path) -> Iterator[KnownBack]:
    for path in sorted(home.glob("*.json")):
        photo = path.with_suffix(".jpg")
        try:
            outlines = json.loads(path.read_text("utf-8"))
            fields = Fields(outlines, str(path))
            if fields.whole("version") > VERSION or not photo.exists():
                raise NotationError(f"{photo} is missing, or of a newer version")
            yield from (KnownBack(photo, outline) for outline in fields.items("outlines", _outline))
        except (OSError, ValueError) as error:
            raise StoreError(f"The deck in {home} is damaged ({error}): remove and add it again.") from error


def _outline(value: object, where: str) -> Quad:
    card = SeenCard.from_json({"quad": value}, where)
    if card.quad is None:
        raise NotationError(f"{where} must be four points.")
    return card.quad
