"""Invented faces: decks that nobody sells, so that a model learns "rank over suit" and not a dozen printers' letters."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import cv2
import numpy as np
from PIL import Image as Pil
from PIL import ImageDraw, ImageFont

from scorer.cards import DECK
from scorer.synth.art import (
    CARD_WIDTH,
    DeckArt,
    Image,
    IndexMark,
    Side,
    deck_art,
    installed_sources,
    mark,
    rounded,
    turned,
)

Generator = np.random.Generator
Colour = tuple[int, int, int]

UNFIT_FONTS = (
    "Symbol",
    "Emoji",
    "Icons",
    "Math",
    "Dingbats",
    "D050000L",
    "Z003",
    "Mono",
    "Fallback",
    "Initials",
    "Awesome",
    "Keyboard",
)
"""Families whose letters are no letters, or that no card printer would use."""
THINNEST = 0.04
"""Mean stroke of a font's letters, in their height, below which nobody would print an index with it."""


@cache
def font_files() -> tuple[str, ...]:
    """Outline fonts on this machine that can print an index; empty where fontconfig is missing."""
    try:
        run = subprocess.run(
            ["fc-list", ":lang=en", "file", "family"], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ()
    lines = [line for line in run.stdout.splitlines() if not any(u in line for u in UNFIT_FONTS)]
    files = {line.split(":")[0] for line in lines if "Italic" not in line and "Oblique" not in line}
    return tuple(sorted(f for f in files if f.endswith((".ttf", ".otf")) and _stroke(f) >= THINNEST))


def _stroke(path: str) -> float:
    """Mean width of the strokes of a two, in its height: its ink spread along its outline."""
    ink = (text_mask("2", path) > 127).astype(np.uint8)
    outlines, _ = cv2.findContours(ink, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    around = sum(cv2.arcLength(outline, closed=True) for outline in outlines)
    return float(2 * int(ink.sum()) / max(around, 1.0) / ink.shape[0])


@cache
def _font(path: str | None, size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.truetype(path, size) if path else ImageFont.load_default(size)


def _trim(mask: Image) -> Image:
    ys, xs = np.nonzero(mask > 40)
    return mask[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1] if len(ys) else mask


@cache
def text_mask(text: str, path: str | None) -> Image:
    """The text as an ink mask, (h, w) uint8, trimmed to its ink."""
    canvas = Pil.new("L", (220 * len(text) + 80, 300), 0)
    ImageDraw.Draw(canvas).text((40, 40), text, fill=255, font=_font(path, 160))
    return _trim(np.asarray(canvas))


@cache
def _drawn_suit(suit: str, plump: float) -> Image:
    """A suit drawn from circles and curves; used beside the printed decks' own pips."""
    t = np.linspace(0, 2 * np.pi, 200)
    canvas = np.zeros((300, 300), np.uint8)

    def fill(xs: np.ndarray, ys: np.ndarray) -> None:
        cv2.fillPoly(canvas, [np.stack([xs, ys], 1).astype(np.int32)], 255)

    heart_x = 150 + 7.2 * plump * 16 * np.sin(t) ** 3
    heart_y = 145 - 7.2 * (13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t))
    stalk = np.array([[150, 150], [185, 285], [115, 285]], np.int32)
    if suit == "H":
        fill(heart_x, heart_y)
    elif suit == "D":
        power = 1 + (1 - plump) * 1.2
        fill(
            150 + 105 * plump * np.sign(np.cos(t)) * np.abs(np.cos(t)) ** (power + 0.6),
            150 - 135 * np.sign(np.sin(t)) * np.abs(np.sin(t)) ** (power + 0.6),
        )
    elif suit == "S":
        fill(heart_x, 270 - heart_y)
        cv2.fillPoly(canvas, [stalk], 255)
    else:
        for x, y in ((150, 85), (85, 175), (215, 175)):
            cv2.circle(canvas, (x, y), round(62 * plump), 255, -1)
        cv2.fillPoly(canvas, [stalk], 255)
    return _trim(cv2.GaussianBlur(canvas, (0, 0), 1.5))


@cache
def _printed_suit(deck: str, suit: str) -> Image | None:
    """The middle pip of a printed deck's three."""
    side = deck_art(deck).faces.get("3" + suit)
    if side is None:
        return None
    height, width = side.image.shape[:2]
    y, x = round(0.4 * height), round(0.33 * width)
    middle = side.image[y : height - y, x : width - x, :3].astype(np.int32)
    ink = (np.abs(middle - middle[0, 0]).max(axis=2).clip(0, 160) * 255 // 160).astype(np.uint8)
    trimmed = _trim(ink)
    return trimmed if trimmed.size > 400 and trimmed.shape[0] < ink.shape[0] else None


@cache
def _pip_decks() -> tuple[str, ...]:
    return tuple(s.name for s in installed_sources(test_only=False))


@cache
def _court_decks() -> tuple[str, ...]:
    return tuple(
        s.name for s in installed_sources(test_only=False) if "K" in s.ranks and s.name != "gnome-simplistic"
    )


@dataclass(frozen=True, slots=True)
class FaceStyle:
    """Everything that makes one invented deck look like one deck. Lengths are fractions of the card's width."""

    font: str | None
    pip_deck: str | None
    plump: float
    court_deck: str | None
    aspect: float
    rank_height: float
    suit_height: float
    stretch: float
    margin: tuple[float, float]
    gap: float
    four_indices: bool
    pip_height: float
    colours: tuple[Colour, Colour, Colour, Colour]
    """Of clubs, diamonds, hearts, spades."""
    paper: Colour
    framed: bool
    letters: tuple[str, str, str] = ("J", "Q", "K")
    column: float = 0.3
    """Where the outer columns of pips stand, at the earliest."""
    court_pip: float = 0.0
    """Height of the pip beside the index of a court card, as on the English pattern; 0 where there is none."""


def _ink_colours(rng: Generator) -> tuple[Colour, Colour, Colour, Colour]:
    dark = int(rng.integers(0, 45))
    black = (dark, dark, dark + int(rng.integers(0, 15)))
    red = (int(rng.integers(165, 245)), int(rng.integers(0, 60)), int(rng.integers(0, 60)))
    if rng.random() < 0.82:
        return black, red, red, black
    green, blue = (
        (0, int(rng.integers(90, 150)), 40),
        (20, int(rng.integers(40, 110)), int(rng.integers(170, 235))),
    )
    return (green, blue, red, black) if rng.random() < 0.7 else (green, (230, 140, 20), red, black)


FOREIGN_LETTERS = (("B", "D", "K"), ("V", "D", "R"), ("Kn", "D", "K"), ("F", "R", "C"), ("S", "D", "H"))
"""Jack, queen, king in German, French, Swedish, Italian, and letters of no language: an index must be seen not to be English."""


def invent_style(rng: Generator) -> FaceStyle:
    """A random deck style between small-index bridge cards and jumbo-index poker cards."""
    fonts, decks, courts = font_files(), _pip_decks(), _court_decks()
    jumbo = rng.random() < 0.4
    rank_height = rng.uniform(0.22, 0.36) if jumbo else rng.uniform(0.11, 0.22)
    paper = int(rng.integers(240, 256))
    return FaceStyle(
        font=str(rng.choice(fonts)) if fonts else None,
        pip_deck=str(rng.choice(decks)) if decks and rng.random() < 0.75 else None,
        plump=rng.uniform(0.75, 1.05),
        court_deck=str(rng.choice(courts)) if courts else None,
        aspect=rng.choice([1.4, 1.4, 1.43, 1.54]),
        rank_height=rank_height,
        suit_height=rank_height * rng.uniform(0.55, 1.0),
        stretch=rng.uniform(0.45, 1.1),
        margin=(rng.uniform(0.03, 0.08), rng.uniform(0.035, 0.09)),
        gap=rng.uniform(0.01, 0.05),
        # Four large indices would leave no room for the pips.
        four_indices=bool(rng.random() < 0.15) and rank_height < 0.2,
        pip_height=rng.uniform(0.15, 0.27),
        colours=_ink_colours(rng),
        paper=(paper, paper - int(rng.integers(0, 6)), paper - int(rng.integers(0, 16))),
        framed=bool(rng.random() < 0.5),
        letters=FOREIGN_LETTERS[int(rng.integers(len(FOREIGN_LETTERS)))]
        if rng.random() < 0.22
        else ("J", "Q", "K"),
        column=rng.uniform(0.2, 0.34),
        court_pip=rng.uniform(0.12, 0.3) if rng.random() < 0.6 else 0.0,
    )


PIP_PLACES: dict[int, str] = {
    1: "M50", 2: "M20 M80", 3: "M20 M50 M80", 4: "L20 R20 L80 R80", 5: "L20 R20 M50 L80 R80",
    6: "L20 R20 L50 R50 L80 R80", 7: "L20 R20 M35 L50 R50 L80 R80", 8: "L20 R20 M35 L50 R50 M65 L80 R80",
    9: "L20 R20 L40 R40 M50 L60 R60 L80 R80", 10: "L20 R20 M30 L40 R40 L60 R60 M70 L80 R80",
}  # fmt: skip
"""Column (left, middle, right) and height in per cent of each pip, as on a standard English pack."""
BESIDE = 0.01
"""Least distance of a pip from the index beside it: printers leave hardly any."""


def _suit_mask(style: FaceStyle, suit: str) -> Image:
    printed = _printed_suit(style.pip_deck, suit) if style.pip_deck else None
    return printed if printed is not None else _drawn_suit(suit, style.plump)


def _stamp(
    canvas: Image,
    mask: Image,
    centre: tuple[float, float],
    height: float,
    colour: Colour,
    stretch: float = 1.0,
) -> tuple[float, float, float, float]:
    """Print a mask in a colour; returns the inked box as fractions of the card."""
    rows, columns = canvas.shape[:2]
    h = max(2, round(height))
    w = max(2, round(mask.shape[1] * height / mask.shape[0] * stretch))
    small = cv2.resize(mask, (w, h), interpolation=cv2.INTER_AREA).astype(np.float32)[..., None] / 255
    x, y = round(centre[0] - w / 2), round(centre[1] - h / 2)
    x, y = min(max(x, 0), columns - w), min(max(y, 0), rows - h)
    part = canvas[y : y + h, x : x + w]
    part[:] = (part * (1 - small) + np.array(colour) * small).astype(np.uint8)
    return x / columns, y / rows, (x + w) / columns, (y + h) / rows


def _stretch(style: FaceStyle, rank: str, mask: Image) -> float:
    """By how much a rank is printed wider than its font has it.

    A wide letter is condensed, as printers do, so that an index stays a narrow column.
    """
    stretch = style.stretch * (0.75 if len(rank) == 2 else 1.0)
    return float(min(stretch, 1.05 * mask.shape[0] / mask.shape[1]))


def _index(canvas: Image, style: FaceStyle, rank: str, suit: str, colour: Colour) -> IndexMark:
    mask, pip = text_mask(rank, style.font), _suit_mask(style, suit)
    rank_h, suit_h = style.rank_height * CARD_WIDTH, style.suit_height * CARD_WIDTH
    stretch = _stretch(style, rank, mask)
    widest = max(rank_h * mask.shape[1] / mask.shape[0] * stretch, suit_h * pip.shape[1] / pip.shape[0])
    x = style.margin[0] * CARD_WIDTH + widest / 2
    y = style.margin[1] * CARD_WIDTH
    rank_box = _stamp(canvas, mask, (x, y + rank_h / 2), rank_h, colour, stretch)
    suit_box = _stamp(canvas, pip, (x, y + rank_h + style.gap * CARD_WIDTH + suit_h / 2), suit_h, colour)
    return mark(rank_box, suit_box)


def _pips(canvas: Image, style: FaceStyle, rank: str, suit: str, colour: Colour) -> None:
    rows, columns = canvas.shape[:2]
    pip = _suit_mask(style, suit)
    # A jumbo index pushes the outer columns inwards, and leaves less room for the pips.
    beside = _index_right(style, rank, suit) + BESIDE + _width(pip, style.pip_height) / 2
    outer = min(0.4, max(style.column, beside))
    large = min(style.pip_height, (1 - 2 * outer) / _width(pip, 1.0))
    height = CARD_WIDTH * (1.8 * style.pip_height if rank == "A" else large)
    for place in PIP_PLACES[1 if rank == "A" else int(rank)].split():
        x, y = {"L": outer, "M": 0.5, "R": 1 - outer}[place[0]] * columns, int(place[1:]) / 100 * rows
        _stamp(canvas, pip[::-1] if y > rows / 2 + 1 else pip, (x, y), height, colour)


def _width(mask: Image, height: float) -> float:
    return float(height * mask.shape[1] / mask.shape[0])


def _index_right(style: FaceStyle, rank: str, suit: str) -> float:
    """Where an index ends, as a fraction of the card's width."""
    mask, pip = text_mask(rank, style.font), _suit_mask(style, suit)
    letter = _width(mask, style.rank_height) * _stretch(style, rank, mask)
    return style.margin[0] + max(letter, _width(pip, style.suit_height))


def _court_pip(canvas: Image, style: FaceStyle, letter: str, suit: str, colour: Colour) -> None:
    """The pip that stands beside the index of a court card, at both ends."""
    rows, columns = canvas.shape[:2]
    pip = _suit_mask(style, suit)
    x = _index_right(style, letter, suit) + BESIDE + _width(pip, style.court_pip) / 2
    y = (style.margin[1] + style.court_pip / 2) * CARD_WIDTH / rows
    height = style.court_pip * CARD_WIDTH
    _stamp(canvas, pip, (x * columns, y * rows), height, colour)
    _stamp(canvas, pip[::-1, ::-1], ((1 - x) * columns, (1 - y) * rows), height, colour)


def _court(canvas: Image, style: FaceStyle, face: str) -> None:
    """The figure of a printed deck inside the frame, its own indices cut off."""
    side = deck_art(style.court_deck).faces.get(face) if style.court_deck else None
    rows, columns = canvas.shape[:2]
    x, y = round((0.2 + 0.4 * max(0, style.rank_height - 0.2)) * columns), round(0.09 * rows)
    if side is not None:
        h, w = side.image.shape[:2]
        figure = side.image[round(0.08 * h) : round(0.92 * h), round(0.2 * w) : round(0.8 * w), :3]
        canvas[y : rows - y, x : columns - x] = cv2.resize(
            figure, (columns - 2 * x, rows - 2 * y), interpolation=cv2.INTER_AREA
        )
    if style.framed:
        cv2.rectangle(canvas, (x, y), (columns - x, rows - y), (40, 60, 140), 3)


def _both_corners(canvas: Image, one: IndexMark, four: bool) -> tuple[IndexMark, ...]:
    """Copy the top left index to the other corners as the printer would; returns all marks."""
    rows, columns = canvas.shape[:2]
    (x0, y0), _, (x1, y1), _ = one.outline
    left, top, right, bottom = (
        round(v) for v in (x0 * columns - 2, y0 * rows - 2, x1 * columns + 2, y1 * rows + 2)
    )
    left, top = max(left, 0), max(top, 0)
    stamp = canvas[top:bottom, left:right].copy()
    marks = [one]
    if four:
        canvas[top:bottom, columns - right : columns - left] = stamp
        shift = 1 - one.rank[0] - one.rank[0]
        moved = IndexMark(
            (one.rank[0] + shift, one.rank[1]),
            (one.suit[0] + shift, one.suit[1]),
            tuple((x + 1 - x0 - x1, y) for x, y in one.outline),
        )
        marks.append(moved)
    for m in tuple(marks):
        marks.append(turned(m))
    canvas[rows - bottom : rows - top, columns - right : columns - left] = stamp[::-1, ::-1]
    if four:
        canvas[rows - bottom : rows - top, left:right] = stamp[::-1, ::-1]
    return tuple(marks)


def _finish(canvas: Image) -> Image:
    return rounded(np.dstack([canvas, np.full(canvas.shape[:2], 255, np.uint8)]))


def draw_face(style: FaceStyle, face: str) -> Side:
    """One face ("10H") of an invented deck."""
    rank, suit = face[:-1], face[-1]
    canvas: Image = np.full((round(CARD_WIDTH * style.aspect), CARD_WIDTH, 3), style.paper, np.uint8)
    colour = style.colours["CDHS".index(suit)]
    if rank in "JQK":
        _court(canvas, style, face)
        if style.court_pip:
            _court_pip(canvas, style, style.letters["JQK".index(rank)], suit, colour)
    else:
        _pips(canvas, style, rank, suit, colour)
    printed = style.letters["JQK".index(rank)] if rank in "JQK" else rank
    one = _index(canvas, style, printed, suit, colour)
    return replace(_side(canvas, one, style), foreign=printed != rank)


def _side(canvas: Image, one: IndexMark, style: FaceStyle) -> Side:
    marks = _both_corners(canvas, one, style.four_indices)
    return Side(_finish(canvas), marks)


def draw_joker(style: FaceStyle, rng: Generator, picture: Image | None = None) -> Side:
    """A joker: its name down the corner, letter under letter or turned on its side, and a picture."""
    canvas: Image = np.full((round(CARD_WIDTH * style.aspect), CARD_WIDTH, 3), style.paper, np.uint8)
    _jest(canvas, rng, picture)
    colour = style.colours[int(rng.integers(0, 4))]
    name = _stacked_name if rng.random() < 0.55 else _turned_name
    return _side(canvas, name(canvas, style, colour, rng), style)


def _jest(canvas: Image, rng: Generator, picture: Image | None) -> None:
    """Fill the middle with a printed joker's figure, or with coloured balls."""
    rows, columns = canvas.shape[:2]
    if picture is not None:
        h, w = picture.shape[:2]
        figure = picture[round(0.08 * h) : round(0.92 * h), round(0.22 * w) : round(0.78 * w), :3]
        size = (round(0.56 * columns), round(0.84 * rows))
        y, x = round(0.08 * rows), round(0.22 * columns)
        canvas[y : y + size[1], x : x + size[0]] = cv2.resize(figure, size, interpolation=cv2.INTER_AREA)
        return
    for _ in range(int(rng.integers(6, 30))):
        spot = (int(rng.normal(columns / 2, columns / 9)), int(rng.normal(rows / 2, rows / 8)))
        cv2.circle(canvas, spot, int(rng.uniform(5, 40)), tuple(int(v) for v in rng.integers(0, 256, 3)), -1)


def _stacked_name(canvas: Image, style: FaceStyle, colour: Colour, rng: Generator) -> IndexMark:
    height = style.rank_height * CARD_WIDTH * rng.uniform(0.35, 0.6)
    x, y = (style.margin[0] + 0.06) * CARD_WIDTH, style.margin[1] * CARD_WIDTH + height / 2
    boxes = []
    for letter in "JOKER":
        boxes.append(_stamp(canvas, text_mask(letter, style.font), (x, y), height, colour, 0.8))
        y += height * 1.15
    return mark(boxes[0], boxes[-1])


def _turned_name(canvas: Image, style: FaceStyle, colour: Colour, rng: Generator) -> IndexMark:
    """The name turned by a quarter, read from top to bottom."""
    name = cv2.rotate(text_mask("JOKER", style.font), cv2.ROTATE_90_CLOCKWISE)
    length = style.rank_height * CARD_WIDTH * rng.uniform(1.4, 2.4)
    x, y = (style.margin[0] + 0.06) * CARD_WIDTH, style.margin[1] * CARD_WIDTH + length / 2
    x0, y0, x1, y1 = _stamp(canvas, np.asarray(name, np.uint8), (x, y), length, colour)
    fifth = (y1 - y0) / 5
    return mark((x0, y0, x1, y0 + fifth), (x0, y1 - fifth, x1, y1))


@lru_cache(maxsize=12)
def invented_deck(seed: int) -> DeckArt:
    """A whole invented deck from a seed."""
    rng = np.random.default_rng(seed)
    style = invent_style(rng)
    faces = {str(card): draw_face(style, str(card)) for card in DECK}
    printed = deck_art(style.court_deck).jokers if style.court_deck else ()
    pictures: list[Image | None] = [side.image for side in printed] or [None]
    jokers = tuple(
        draw_joker(style, rng, pictures[k % len(pictures)] if rng.random() < 0.6 else None) for k in range(2)
    )
    return DeckArt(f"invented-{seed}", faces, jokers, ())
