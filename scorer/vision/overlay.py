"""Draws what was read onto the photo: outlines in the owner's colour, names, and every doubt in stripes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from string import ascii_lowercase

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from scorer.cards import Card, Face, Joker, Suit
from scorer.errors import StoreError
from scorer.reading import PhotoReading, Reading, SeenCard
from scorer.vision.photo import Pixels, load

Colour = tuple[int, int, int]
Points = NDArray[np.float64]

COLOURS: tuple[Colour, ...] = (
    (0, 114, 178),
    (230, 159, 0),
    (0, 158, 115),
    (204, 121, 167),
    (86, 180, 233),
    (148, 82, 0),
    (110, 60, 190),
    (70, 70, 70),
)
"""Of the owners: Okabe and Ito's, which the colour-blind can tell apart; the last differ in brightness."""
NOBODY: Colour = (235, 235, 235)
"""Of cards whose owner was not seen."""
_YELLOW: Colour = (255, 225, 0)
_BLACK: Colour = (0, 0, 0)
_WHITE: Colour = (255, 255, 255)
_RED: Colour = (200, 0, 30)
_FONT = cv2.FONT_HERSHEY_DUPLEX


@dataclass(frozen=True, slots=True)
class _Pen:
    """Sizes in pixels, from the size of the photo."""

    line: int
    text: float
    """Height of a capital letter."""

    @classmethod
    def of(cls, picture: Pixels) -> _Pen:
        side = max(picture.shape[:2])
        return cls(max(2, round(side / 500)), max(9.0, side / 140))


def annotated(
    picture: Pixels,
    reading: PhotoReading,
    *,
    owners: Sequence[str] = (),
    titles: Mapping[int, str] | None = None,
) -> Pixels:
    """Return a copy of a photo with everything that was read drawn onto it.

    A card that is in doubt has an outline striped yellow and black and a question mark, whatever its owner.

    Args:
        picture: (h, w, 3) uint8 RGB, upright.
        reading: what it was read as.
        owners: names of the backs, which give them their letters and colours; others follow as they are met.
        titles: what to call the piles, by their place in the reading; by default "pile 1", "pile 2" ...
    """
    drawn = np.ascontiguousarray(picture).copy()
    pen = _Pen.of(drawn)
    looks = _looks([*owners, *(card.back for card in reading.cards if card.back is not None)])
    for card in reading.cards:
        _draw_outline(drawn, card, _look(card, looks).colour, pen)
    # Labels come last, so that no outline crosses them.
    for card in reading.cards:
        _draw_label(drawn, card, _look(card, looks), pen)
    for number, pile in enumerate(reading.piles):
        title = f"pile {number + 1}" if titles is None else titles.get(number, "")
        if title and len(pile.cards) > 1:
            _draw_title(drawn, title, [reading.cards[index] for index in pile.cards], pen)
    seen = {card.back for card in reading.cards}
    _draw_legend(drawn, {name: look for name, look in looks.items() if name in seen}, pen)
    return drawn


@dataclass(frozen=True, slots=True)
class _Look:
    """How an owner is shown."""

    letter: str
    """Names do not fit on the cards of a tight ribbon."""
    colour: Colour


_UNKNOWN = _Look("?", NOBODY)


def _looks(names: Sequence[str]) -> dict[str, _Look]:
    return {
        name: _Look(ascii_lowercase[number % 26], COLOURS[number % len(COLOURS)])
        for number, name in enumerate(dict.fromkeys(names))
    }


def _look(card: SeenCard, looks: Mapping[str, _Look]) -> _Look:
    return _UNKNOWN if card.back is None else looks[card.back]


def _draw_outline(picture: Pixels, card: SeenCard, colour: Colour, pen: _Pen) -> None:
    if card.quad is not None:
        _draw_polygon(picture, np.array(card.quad), colour, pen, striped=card.marked)
    for x, y in card.corners:
        centre = (round(x), round(y))
        radius = round(1.3 * pen.text)
        cv2.circle(picture, centre, radius, _BLACK, pen.line + 2, cv2.LINE_AA)
        cv2.circle(picture, centre, radius, _YELLOW if card.marked else colour, pen.line, cv2.LINE_AA)


def _draw_polygon(picture: Pixels, points: Points, colour: Colour, pen: _Pen, *, striped: bool) -> None:
    if not striped:
        # A dark rim keeps a light colour visible on a light table.
        cv2.polylines(picture, [_whole(points)], True, _BLACK, pen.line + 2, cv2.LINE_AA)
        cv2.polylines(picture, [_whole(points)], True, colour, pen.line, cv2.LINE_AA)
        return
    cv2.polylines(picture, [_whole(points)], True, _BLACK, 3 * pen.line, cv2.LINE_AA)
    for start, end in pairwise([*points, points[0]]):
        _draw_dashes(picture, start, end, 3 * pen.line)


def _draw_dashes(picture: Pixels, start: Points, end: Points, width: int) -> None:
    length = float(np.linalg.norm(end - start))
    steps = 2 * max(1, round(length / (6 * width)))
    for step in range(0, steps, 2):
        a, b = (start + (end - start) * share for share in (step / steps, (step + 1) / steps))
        cv2.line(picture, _at(a), _at(b), _YELLOW, width, cv2.LINE_AA)


def _draw_label(picture: Pixels, card: SeenCard, look: _Look, pen: _Pen) -> None:
    """Write the card's name (or its owner's letter) on paper framed in the owner's colour, at its corner."""
    spot = _label_spot(card)
    if spot is None:
        return
    rank, suit = _parts(card.face)
    text = rank if card.face is not None else look.letter
    text = "?" + text if card.marked and text != "?" else text
    width = _width(text, pen) + (1.3 * pen.text if suit else 0)
    box = np.array([width + pen.text, 1.9 * pen.text])
    height, full = picture.shape[:2]
    # The label stays inside the picture.
    left, top = np.clip(spot, 0, np.maximum(np.array([full, height]) - box - 1, 0))
    paper = _YELLOW if card.marked else _WHITE
    _draw_paper(picture, np.array([left, top]), box, paper, look.colour, pen)
    ink = _RED if suit and suit.is_red else _BLACK
    _write(picture, text, (left + 0.5 * pen.text, top + 1.4 * pen.text), ink, pen)
    if suit:
        _draw_suit(picture, suit, (left + width - 0.15 * pen.text, top + 0.95 * pen.text), 0.55 * pen.text)


def _label_spot(card: SeenCard) -> Points | None:
    """Where the label begins: in the card's first corner, a little inwards of the index."""
    if card.corners:
        return np.array(card.corners[0])
    return np.array(card.quad).mean(axis=0) if card.quad is not None else None


def _parts(face: Face | None) -> tuple[str, Suit | None]:
    if isinstance(face, Joker):
        return str(face), None
    return (face.rank.notation, face.suit) if isinstance(face, Card) else ("", None)


def _draw_paper(
    picture: Pixels, corner: Points, size: Points, paper: Colour, frame: Colour, pen: _Pen
) -> None:
    a, b = _at(corner), _at(corner + size)
    cv2.rectangle(picture, a, b, paper, cv2.FILLED)
    cv2.rectangle(picture, a, b, frame, pen.line, cv2.LINE_AA)


def _draw_title(picture: Pixels, title: str, cards: Sequence[SeenCard], pen: _Pen) -> None:
    """Write a pile's title above its highest point."""
    large = _Pen(pen.line, 1.4 * pen.text)
    points = [point for card in cards for point in (card.quad or card.corners)]
    if not points:
        return
    x, y = min(points, key=lambda point: point[1])
    box = np.array([_width(title, large) + large.text, 2 * large.text])
    corner = np.maximum(np.array([x - box[0] / 2, y - 1.3 * box[1]]), 0)
    _draw_paper(picture, corner, box, _BLACK, _WHITE, pen)
    _write(picture, title, (corner[0] + 0.5 * large.text, corner[1] + 1.45 * large.text), _WHITE, large)


def _draw_legend(picture: Pixels, looks: Mapping[str, _Look], pen: _Pen) -> None:
    """Explain the letters of the owners, in the lower left corner."""
    x, height = pen.text, 2.0 * pen.text
    y = picture.shape[0] - 1.5 * height
    for name, look in looks.items():
        text = f"{look.letter} {name}"
        box = np.array([_width(text, pen) + pen.text, height])
        _draw_paper(picture, np.array([x, y]), box, _WHITE, look.colour, pen)
        _write(picture, text, (x + 0.5 * pen.text, y + 1.45 * pen.text), _BLACK, pen)
        x += box[0] + 0.5 * pen.text


def _width(text: str, pen: _Pen) -> float:
    (width, _), _ = cv2.getTextSize(text, _FONT, pen.text / 21, pen.line)
    return float(width)


def _write(picture: Pixels, text: str, at: tuple[float, float], ink: Colour, pen: _Pen) -> None:
    # The font has no letters beyond ASCII.
    plain = text.encode("ascii", "replace").decode()
    thickness = max(1, pen.line // 2)
    cv2.putText(picture, plain, _at(np.array(at)), _FONT, pen.text / 21, ink, thickness, cv2.LINE_AA)


def _draw_suit(picture: Pixels, suit: Suit, centre: tuple[float, float], size: float) -> None:
    """Draw the sign of a suit; `size` is half its height."""
    ink = _RED if suit.is_red else _BLACK
    middle = np.array(centre)
    for outline in _SIGNS[suit]:
        points = _whole((middle + size * np.array(outline)) * 8)
        cv2.fillPoly(picture, [points], ink, cv2.LINE_AA, 3)


def _round_outline(x: float, y: float, radius: float) -> list[tuple[float, float]]:
    turns = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    return [(x + radius * float(np.cos(t)), y + radius * float(np.sin(t))) for t in turns]


_STALK = [(0.0, 0.0), (0.4, 1.0), (-0.4, 1.0)]
_SIGNS: dict[Suit, list[list[tuple[float, float]]]] = {
    Suit.DIAMONDS: [[(0, -1), (0.75, 0), (0, 1), (-0.75, 0)]],
    Suit.HEARTS: [
        _round_outline(-0.45, -0.4, 0.5),
        _round_outline(0.45, -0.4, 0.5),
        [(-0.9, -0.2), (0.9, -0.2), (0, 1)],
    ],
    Suit.SPADES: [
        _round_outline(-0.45, 0.25, 0.48),
        _round_outline(0.45, 0.25, 0.48),
        [(-0.9, 0.1), (0.9, 0.1), (0, -1)],
        _STALK,
    ],
    Suit.CLUBS: [
        _round_outline(0, -0.5, 0.45),
        _round_outline(-0.5, 0.25, 0.45),
        _round_outline(0.5, 0.25, 0.45),
        _STALK,
    ],
}
"""Outlines that together make the sign of a suit, within -1 to 1, y downwards."""


def _whole(points: Points) -> NDArray[np.int32]:
    return np.round(points).astype(np.int32)


def _at(point: Points) -> tuple[int, int]:
    return round(float(point[0])), round(float(point[1]))


def write_annotated(
    folder: Path, paths: Sequence[Path], reading: Reading, owners: Sequence[str] = ()
) -> tuple[Path, ...]:
    """Write the photos of a reading with everything that was read; returns the files.

    Raises:
        StoreError: the folder cannot be written.
    """
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number, (path, photo) in enumerate(zip(paths, reading.photos, strict=True)):
            picture = annotated(load(path).pixels, photo, owners=owners, titles=_titles(reading, number))
            # Photos of two folders may have one name.
            again = f"-{number + 1}" if any(path.stem == other.stem for other in paths[:number]) else ""
            target = folder / f"{path.stem}{again}-annotated.jpg"
            Image.fromarray(picture).save(target, quality=88)
            written.append(target)
    except OSError as error:
        raise StoreError(f"{folder} cannot be written ({error.strerror}): name another folder.") from error
    return tuple(written)


def _titles(reading: Reading, photo: int) -> dict[int, str]:
    """Name the piles of a photo by the piles of the round they are."""
    titles = {}
    for pairing in reading.pairing:
        for of_photo, pile in (
            (pairing.face_photo, pairing.face_pile),
            (pairing.back_photo, pairing.back_pile),
        ):
            if of_photo == photo and pile is not None:
                titles[pile] = f"pile {pairing.pile + 1}"
    return titles
