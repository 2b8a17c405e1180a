"""Card art: the faces and backs of printed decks, as rasters with the place of every printed index.

Art is not part of the repository. It comes from Debian's `gnome-cards-data` and `kdegames-card-data-kf5` and from the npm
packages `@heruka_urgyen/react-playing-cards` and `@younestouati/playing-cards-standard-deck`; `rsvg-convert` (Debian:
`librsvg2-bin`) draws it once into a cache folder.
"""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.cards import DECK, Rank, Suit
from scorer.errors import ScorerError

Image = NDArray[np.uint8]
Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 as fractions of the card's width and height."""

CARD_WIDTH = 400
"""Width in pixels at which art is drawn: as large as a card gets in a 12-megapixel photo of a whole table."""

GNOME = Path("/usr/share/aisleriot/cards")
KDE = Path("/usr/share/carddecks")

PIPS = tuple(str(n) for n in range(2, 11))
ENGLISH = ("A", *PIPS, "J", "Q", "K")


@dataclass(frozen=True, slots=True)
class IndexMark:
    """One printed index: rank over suit in a corner of the card. Coordinates are fractions of the card's size."""

    rank: tuple[float, float]
    suit: tuple[float, float]
    outline: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Side:
    """One printed side of a card."""

    image: Image
    """(height, width, 4) uint8 RGBA with rounded corners."""
    marks: tuple[IndexMark, ...] = ()
    foreign: bool = False
    """Whether the rank is printed as a letter or figure of another language (B, D, V, R, 1 ...)."""


@dataclass(frozen=True, slots=True)
class ArtSource:
    """Where the art of one deck is found and which of its ranks carry English letters."""

    name: str
    kind: str
    path: str
    ranks: tuple[str, ...] = ENGLISH
    test_only: bool = False
    foreign: tuple[str, ...] = ()
    """Ranks whose index is a letter of another language."""


def _gnome(
    name: str, ranks: tuple[str, ...] = ENGLISH, *, test_only: bool = False, foreign: tuple[str, ...] = ()
) -> ArtSource:
    return ArtSource(f"gnome-{name}", "gnome", f"{name}.svgz", ranks, test_only, foreign)


_HERUKA = "@heruka_urgyen/react-playing-cards/src/images"

SOURCES: tuple[ArtSource, ...] = (
    *(_gnome(n) for n in ("anglo", "anglo_bitmap", "anglo_modern", "anglo_modern_4_color", "anglo_poker")),
    *(_gnome(n) for n in ("atlasnye", "dondorf", "gnomangelo", "gnomangelo_bitmap", "ornamental", "paris")),
    *(_gnome(n) for n in ("simplistic", "tango")),
    # Decks that no model has seen in training: they serve for measuring only.
    *(
        _gnome(n, test_only=True)
        for n in ("bellot", "plastic", "tigullio", "neoclassical", "neoclassical_4_color")
    ),
    # Courts and aces of these decks carry other languages' letters.
    _gnome("ancient_french", PIPS, foreign=("A", "J", "Q", "K")),
    _gnome("slavic_costumes", PIPS, foreign=("A", "J", "Q")),
    _gnome("orell", PIPS),
    *(
        _gnome(n, ("A", *PIPS, "K"), foreign=("J", "Q"))
        for n in ("atlasnye_skat", "berlin", "lattmann", "rheinland")
    ),
    _gnome("tarocco", ("A", *PIPS), foreign=("J", "Q", "K")),
    _gnome("guyenne-classic", ("A", *PIPS)),
    ArtSource("kde-standard", "kde", "svg-standard/standard.svgz"),
    *(
        ArtSource(f"heruka-{n}", "files", f"{_HERUKA}/{n}")
        for n in ("2color", "2color-bf", "4color", "4color-bf")
    ),
    ArtSource("younestouati", "files", "@younestouati/playing-cards-standard-deck/cards"),
)


class ArtError(ScorerError):
    """Card art or the program that draws it is not installed."""


def cache_folder() -> Path:
    """Folder of the drawn art: `$NERTS_ART`, or `nerts/art` in the user's cache."""
    default = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "nerts" / "art"
    return Path(os.environ.get("NERTS_ART", default))


def npm_folder() -> Path:
    """Folder of installed npm packages: `$NERTS_NPM`, or `node_modules` beside the drawn art."""
    return Path(os.environ.get("NERTS_NPM", cache_folder().parent / "node_modules"))


def _draw(svg: Path, png: Path, width: int) -> None:
    if shutil.which("rsvg-convert") is None:
        raise ArtError("rsvg-convert is missing: install Debian's package librsvg2-bin to draw card art.")
    png.parent.mkdir(parents=True, exist_ok=True)
    # Another process may draw the same sheet, or be stopped while it does: a picture with this name is always whole.
    partial = png.with_suffix(f".{os.getpid()}.part")
    subprocess.run(
        ["rsvg-convert", "-w", str(width), str(svg), "-o", str(partial)], check=True, capture_output=True
    )
    partial.replace(png)


def _read_rgba(path: Path) -> Image:
    raw = cv2.imdecode(np.fromfile(path, np.uint8), cv2.IMREAD_UNCHANGED)
    if raw is None:
        raise ArtError(f"{path} cannot be read as a picture: delete it, it will be drawn again.")
    if raw.shape[2] == 3:
        raw = np.dstack([raw, np.full(raw.shape[:2], 255, np.uint8)])
    return np.ascontiguousarray(raw[..., [2, 1, 0, 3]]).astype(np.uint8, copy=False)


def _sheet(source: ArtSource) -> Image:
    root = GNOME if source.kind == "gnome" else KDE
    packed = root / source.path
    drawn = cache_folder() / f"{source.name}.png"
    if not drawn.exists():
        drawn.parent.mkdir(parents=True, exist_ok=True)
        unpacked = drawn.with_suffix(".svg")
        unpacked.write_bytes(gzip.decompress(packed.read_bytes()))
        _draw(unpacked, drawn, 13 * CARD_WIDTH)
        unpacked.unlink()
    return _read_rgba(drawn)


def _cells(sheet: Image, rows: int) -> Iterator[tuple[int, int, Image]]:
    height, width = sheet.shape[:2]
    ys = [round(i * height / rows) for i in range(rows + 1)]
    xs = [round(i * width / 13) for i in range(14)]
    for r in range(rows):
        for c in range(13):
            yield r, c, sheet[ys[r] : ys[r + 1], xs[c] : xs[c + 1]]


def _gnome_cells(source: ArtSource) -> dict[str, Image]:
    named = {}
    for r, c, cell in _cells(_sheet(source), 5):
        if r < 4:
            named[f"{Rank(c + 1).notation}{'CDHS'[r]}"] = cell
        elif cell[..., 3].mean() > 60:
            # Last row: black joker, red joker, back.
            named[("JK-black", "JK-red", "back")[c] if c < 3 else f"extra{c}"] = cell
    return named


def _kde_cells(source: ArtSource) -> dict[str, Image]:
    ranks = ("A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2")
    return {f"{ranks[c]}{'SHCD'[r]}": cell[2:-2, 2:-2] for r, c, cell in _cells(_sheet(source), 4)}


def _file_names(face: str) -> tuple[str, ...]:
    rank, suit = face[:-1], face[-1]
    number = {"A": "1", "J": "11", "Q": "12", "K": "13"}.get(rank, rank)
    return (f"{rank.replace('10', 'T')}{suit}", f"{number}{suit.lower()}")


def _file_cells(source: ArtSource) -> dict[str, Image]:
    folder = npm_folder() / source.path
    wanted = {str(card): _file_names(str(card)) for card in DECK}
    wanted |= {"JK-black": ("joker", "2J"), "back": ("back",)}
    named = {}
    for face, names in wanted.items():
        for svg in (folder / f"{n}.svg" for n in names):
            if svg.exists():
                png = cache_folder() / source.name / f"{face}.png"
                if not png.exists():
                    _draw(svg, png, CARD_WIDTH)
                named[face] = _read_rgba(png)
    return named


_CELLS = {"gnome": _gnome_cells, "kde": _kde_cells, "files": _file_cells}


def is_installed(source: ArtSource) -> bool:
    """Whether the art of this source is on this machine (drawn already, or its package installed)."""
    root = {"gnome": GNOME, "kde": KDE, "files": npm_folder()}[source.kind]
    drawn = cache_folder() / (f"{source.name}.png" if source.kind != "files" else source.name)
    return drawn.exists() or (root / source.path).exists()


def rounded(image: Image, radius: float = 0.055) -> Image:
    """The same card cut with rounded corners; radius as a fraction of the width (a poker card's is about 3.5 of 63 mm)."""
    height, width = image.shape[:2]
    scale = 4
    r = round(radius * width * scale)
    mask = np.zeros((height * scale, width * scale), np.uint8)
    for x in (r, width * scale - 1 - r):
        for y in (r, height * scale - 1 - r):
            cv2.circle(mask, (x, y), r, 255, -1)
    mask[r:-r] = 255
    mask[:, r:-r] = 255
    out = image.copy()
    out[..., 3] = cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA)
    return out


def _printed(cell: Image) -> Image:
    """Art as printed paper: flattened on its own card colour, the drawn outline cut off, corners rounded."""
    height, width = cell.shape[:2]
    inset = max(3, round(0.014 * width))
    alpha = cell[..., 3:].astype(np.float32) / 255
    middle = (
        cell[height // 2, inset * 2, :3] if cell[height // 2, inset * 2, 3] > 200 else np.array([255] * 3)
    )
    flat = cell[..., :3] * alpha + middle * (1 - alpha)
    out = np.dstack([flat, np.full((height, width), 255)]).astype(np.uint8)
    return rounded(np.ascontiguousarray(out[inset:-inset, inset:-inset]))


def _ink(image: Image) -> Image:
    rgb = image[..., :3].astype(np.int16)
    height, width = rgb.shape[:2]
    paper = np.median(
        rgb[height // 20 : -height // 20 : 7, width // 25 : -width // 25 : 5].reshape(-1, 3), axis=0
    )
    return np.asarray(np.abs(rgb - paper).max(axis=2) > 70, np.uint8)


def _suit_box(faces: dict[str, Image], suit: str) -> Box | None:
    """Ink common to ace, 2, 3 and 4 of a suit in the top left corner is the index's suit."""
    inks = [cv2.dilate(_ink(faces[r + suit]), np.ones((3, 3), np.uint8)) for r in "A234" if r + suit in faces]
    if len(inks) < 3:
        return None
    common = np.bitwise_and.reduce(inks)
    height, width = common.shape
    corner = common[: int(0.42 * height), : int(0.32 * width)].copy()
    corner[: int(0.015 * height)] = 0
    corner[:, : int(0.02 * width)] = 0
    count, _, stats, _ = cv2.connectedComponentsWithStats(corner)
    fits = [i for i in range(1, count) if stats[i, 4] > 0.0006 * width * height and stats[i, 2] < 0.3 * width]
    if not fits:
        return None
    x, y, w, h = stats[max(fits, key=lambda i: int(stats[i, 4])), :4]
    return x / width, y / height, (x + w) / width, (y + h) / height


def _rank_box(image: Image, suit_box: Box) -> Box | None:
    """The blobs above the index's suit are the rank."""
    x0, y0, x1, _ = suit_box
    ink = _ink(image)
    height, width = ink.shape
    top = int((y0 - 0.004) * height)
    _, _, stats, _ = cv2.connectedComponentsWithStats(ink[:top, : int((2 * x1 - x0) * width)].copy())
    s = stats[1:].astype(float)
    keep = (s[:, 4] > 0.0005 * width * height) & (s[:, 0] > 0.01 * width) & (s[:, 1] < top - 0.03 * height)
    # A remainder of the card's outline is flat; a rank may be printed right up to the edge.
    keep &= (s[:, 1] > 0.008 * height) | (s[:, 3] > 0.04 * height)
    # Beside the index, the first pip may stand as high as the suit, or higher.
    keep &= s[:, 0] + s[:, 2] / 2 < (x1 + 0.25 * (x1 - x0)) * width
    s = s[keep]
    if not len(s):
        return None
    right, bottom = (s[:, 0] + s[:, 2]).max(), (s[:, 1] + s[:, 3]).max()
    return s[:, 0].min() / width, s[:, 1].min() / height, right / width, bottom / height


def mark(rank: Box, suit: Box) -> IndexMark:
    """The index mark of a rank box over a suit box."""
    x0, y0 = min(rank[0], suit[0]), min(rank[1], suit[1])
    x1, y1 = max(rank[2], suit[2]), max(rank[3], suit[3])
    return IndexMark(
        ((rank[0] + rank[2]) / 2, (rank[1] + rank[3]) / 2),
        ((suit[0] + suit[2]) / 2, (suit[1] + suit[3]) / 2),
        ((x0, y0), (x1, y0), (x1, y1), (x0, y1)),
    )


def turned(m: IndexMark) -> IndexMark:
    """The same mark in the opposite corner of the card (upside down)."""

    def turn(p: tuple[float, float]) -> tuple[float, float]:
        return 1 - p[0], 1 - p[1]

    return IndexMark(turn(m.rank), turn(m.suit), tuple(turn(p) for p in m.outline))


def _deck_marks(faces: dict[str, Image]) -> dict[str, tuple[IndexMark, ...]]:
    """Where each face carries its indices, found on the art itself: pip cards vote for the rank's place on the courts."""
    suits = {s.value: _suit_box(faces, s.value) for s in Suit}
    found: dict[str, Box] = {}
    for face, image in faces.items():
        box = suits[face[-1]]
        rank = _rank_box(image, box) if box else None
        if rank:
            found[face] = rank
    voters = [b for f, b in found.items() if f[:-1] in PIPS[:-1]]
    if not voters:
        return {}
    usual: Box = tuple(float(v) for v in np.median(np.array(voters), axis=0))  # type: ignore[assignment]
    marks: dict[str, tuple[IndexMark, ...]] = {}
    for face in faces:
        box = suits[face[-1]]
        if box:
            rank = found.get(face, usual) if face[:-1] in PIPS else usual
            marks[face] = (mark(rank, box), turned(mark(rank, box)))
    return marks


@dataclass(frozen=True, slots=True)
class DeckArt:
    """The sides of one deck: faces by notation ("10H"), jokers, and its own back where the art has one."""

    name: str
    faces: dict[str, Side]
    jokers: tuple[Side, ...]
    backs: tuple[Side, ...]


@cache
def deck_art(name: str) -> DeckArt:
    """Load a deck's art, drawing it first if needed. Raises ArtError where it is not installed."""
    source = next((s for s in SOURCES if s.name == name), None)
    if source is None or not is_installed(source):
        raise ArtError(f"The card art {name!r} is not installed: see models/README.md for the packages.")
    printed = {k: _printed(v) for k, v in _CELLS[source.kind](source).items()}
    wanted = (*source.ranks, *source.foreign)
    faces = {str(c): printed[str(c)] for c in DECK if c.rank.notation in wanted and str(c) in printed}
    marks = _deck_marks(faces)
    return DeckArt(
        name,
        {
            face: Side(image, marks[face], face[:-1] in source.foreign)
            for face, image in faces.items()
            if face in marks
        },
        tuple(Side(printed[k]) for k in ("JK-black", "JK-red") if k in printed),
        tuple(Side(image) for k, image in printed.items() if k == "back" or k.startswith("extra")),
    )


def installed_sources(*, test_only: bool | None = None) -> list[ArtSource]:
    """Installed decks; `test_only` selects those kept out of training (True) or used in it (False)."""
    return [s for s in SOURCES if is_installed(s) and (test_only is None or s.test_only is test_only)]
