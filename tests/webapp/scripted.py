"""Rounds made up for tests: photos drawn from pile notation, and what a reader would return for them."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from scorer.piles import Fault, Pile, check_round
from scorer.reading import Pairing, PhotoReading, Quad, Reading, SeenCard, SeenPile
from scorer.scoring import Rules
from webapp.reader import KnownBack

WIDTH, HEIGHT = 1600, 1200
_CARD, _TALL, _STEP, _ROW = 120, 170, 58, 190
_BACKS = {"red": "#a51d2d", "blue": "#1d4fa5", "green": "#1d7a4a", "gold": "#b58a1e"}


def quad(row: int, at: int) -> Quad:
    """Where the card at a place of a row lies; ribbons run to the right."""
    left, top = 70 + at * _STEP, 60 + row * _ROW
    return (left, top), (left + _CARD, top), (left + _CARD, top + _TALL), (left, top + _TALL)


def draw(piles: Sequence[Pile], *, backs: bool) -> bytes:
    """Draw the piles as a photo of their faces or backs."""
    image = Image.new("RGB", (WIDTH, HEIGHT), "#31543f")
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(34)
    for row, pile in enumerate(piles):
        for at, card in enumerate(pile.cards):
            (left, top), _right, (right, bottom), _bottom = quad(row, at)
            fill = _BACKS.get(card.back or "", "#6b4a8c") if backs else "#fbfaf5"
            pen.rounded_rectangle((left, top, right, bottom), 10, fill=fill, outline="#222", width=2)
            if backs:
                pen.rectangle((left + 10, top + 10, right - 10, bottom - 10), outline="#fff", width=3)
                continue
            seen = card.card
            colour = "#b3161f" if seen is not None and seen.suit.is_red else "#17201c"
            text = "?" if seen is None else f"{seen.rank.notation}\n{seen.suit.value}"
            pen.text((left + 10, top + 6), text, fill=colour, font=font)
    stream = io.BytesIO()
    image.save(stream, "JPEG", quality=85)
    return stream.getvalue()


@dataclass
class Script:
    """A round as it lies on the table: from it come its photos and its reading."""

    piles: tuple[Pile, ...]
    said: tuple[Pile, ...]
    """What the reader makes of the piles, where it errs."""
    faults: tuple[Fault, ...] = ()

    @classmethod
    def of(cls, *notation: str, said: Sequence[str] | None = None, faults: Sequence[Fault] = ()) -> Script:
        piles = tuple(Pile.parse(text) for text in notation)
        return cls(piles, piles if said is None else tuple(Pile.parse(text) for text in said), tuple(faults))

    def photos(self) -> list[bytes]:
        return [draw(self.piles, backs=False), draw(self.piles, backs=True)]

    def reading(self, files: Sequence[str] = ("faces.jpg", "backs.jpg")) -> Reading:
        faces, backs = (self._photo(files[side], side == 1) for side in (0, 1))
        pairing = tuple(Pairing(at, 0, at, 1, at) for at in range(len(self.said)))
        faults = self.faults or tuple(check_round(self.said))
        return Reading((faces, backs), self.said, faults, pairing)

    def _photo(self, file: str, backs: bool) -> PhotoReading:
        cards, piles = [], []
        for row, pile in enumerate(self.said):
            first = len(cards)
            for at, card in enumerate(pile.cards):
                seen = SeenCard(
                    face=None if backs else card.face,
                    back=card.back if backs else None,
                    confidence=0.6 if card.marked else 0.99,
                    marked=card.marked and not backs,
                    candidates=() if backs else card.candidates,
                    quad=quad(row, at),
                )
                cards.append(seen)
            numbers = range(first, len(cards))
            # Turned over, the ace lies on top.
            piles.append(SeenPile(tuple(reversed(numbers) if backs else numbers)))
        return PhotoReading(file, WIDTH, HEIGHT, 0.1, tuple(cards), tuple(piles))


@dataclass
class FakeReader:
    """Stands in for the reader: returns the scripts it was given one after the other, the last for ever."""

    scripts: list[Script] = field(default_factory=list)
    calls: list[tuple[Path, ...]] = field(default_factory=list)
    known: list[dict[str, list[KnownBack]]] = field(default_factory=list)
    before: Callable[[], None] | None = None
    """Run at the start of each reading, for instance to wait or to fail."""

    def __call__(
        self,
        photos: Sequence[Path],
        *,
        known: Mapping[str, Sequence[KnownBack]],
        decks: int,
        rules: Rules,
        progress: Callable[[str, float], None],
    ) -> Reading:
        self.calls.append(tuple(photos))
        self.known.append({seat: list(backs) for seat, backs in known.items()})
        progress(f"Reading photo 1 of {len(photos)}", 0.2)
        if self.before is not None:
            self.before()
        progress("Telling the decks apart", 0.9)
        script = self.scripts[min(len(self.calls), len(self.scripts)) - 1]
        reading = script.reading()
        photos_read = tuple(
            replace(photo, file=path.name) for photo, path in zip(reading.photos, photos, strict=False)
        )
        return replace(reading, photos=photos_read + reading.photos[len(photos_read) :])


CLEAN = Script.of(
    "AH@red 2H@blue 3H@red 4H@green 5H@blue",
    "AS@blue 2S@green 3S@red",
    "AD@green 2D@red 3D@green 4D@green 5D@red 6D@blue 7D@red 8D@green",
    "AC@red 2C@red 3C@blue",
)
"""Nothing wrong; three decks nobody has named."""

DOUBTFUL = Script.of(
    "AH@red 2H@blue 3H@red 4H@green 5H@blue",
    "AS@blue 2S@green 3S@red",
    said=("AH@red 2H@blue 3D@red! 4H@green 5H@blue", "AS@blue 2S@green 3S@red"),
)
"""A card misread and marked."""
