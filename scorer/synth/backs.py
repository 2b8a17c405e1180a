"""Invented card backs: bordered and borderless patterns, worn ones, pairs that differ only in colour or only in pattern."""

from __future__ import annotations

import colorsys
from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.synth.art import CARD_WIDTH, Image, Side, rounded

Generator = np.random.Generator
Mask = NDArray[np.float32]
Colour = tuple[int, int, int]

HEIGHT = round(CARD_WIDTH * 1.4)


@dataclass(frozen=True, slots=True)
class BackDesign:
    """What an invented back is drawn from; equal designs draw equal backs."""

    pattern: str
    seed: int
    ground: Colour
    ink: Colour
    border: float
    """Width of the unprinted border as a fraction of the card's width; 0 for borderless."""
    border_colour: Colour
    wear: float = 0.0


def _grid(period: float, angle: float) -> tuple[Mask, Mask]:
    y, x = np.mgrid[:HEIGHT, :CARD_WIDTH].astype(np.float32)
    x, y = x - CARD_WIDTH / 2, y - HEIGHT / 2
    c, s = np.cos(angle), np.sin(angle)
    return (c * x - s * y) / period, (s * x + c * y) / period


def _stripes(rng: Generator) -> Mask:
    u, _ = _grid(rng.uniform(14, 60), rng.choice([0, np.pi / 4, np.pi / 2, rng.uniform(0, np.pi)]))
    return np.asarray(np.abs(u % 1 - 0.5) < rng.uniform(0.1, 0.3), np.float32)


def _checks(rng: Generator) -> Mask:
    u, v = _grid(rng.uniform(18, 70), rng.choice([0, np.pi / 4]))
    return np.asarray((np.floor(u) + np.floor(v)) % 2, np.float32)


def _lattice(rng: Generator) -> Mask:
    u, v = _grid(rng.uniform(16, 60), np.pi / 4 + rng.uniform(-0.25, 0.25))
    line = rng.uniform(0.1, 0.25)
    return np.asarray((u % 1 < line) | (v % 1 < line), np.float32)


def _dots(rng: Generator) -> Mask:
    u, v = _grid(rng.uniform(18, 55), rng.choice([0, np.pi / 4]))
    return np.asarray(np.hypot(u % 1 - 0.5, v % 1 - 0.5) < rng.uniform(0.18, 0.42), np.float32)


def _rings(rng: Generator) -> Mask:
    u, v = _grid(rng.uniform(20, 60), 0)
    return np.asarray(np.hypot(u, v * rng.uniform(0.6, 1)) % 1 < rng.uniform(0.25, 0.55), np.float32)


def _scrolls(rng: Generator) -> Mask:
    """Symmetric filigree: low-pass noise mirrored both ways, cut at its median."""
    small = rng.normal(
        size=(round(HEIGHT / rng.uniform(5, 16)), round(CARD_WIDTH / rng.uniform(5, 16)))
    ).astype(np.float32)
    noise = cv2.resize(
        cv2.GaussianBlur(small, (0, 0), 1.0), (CARD_WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC
    )
    noise = noise + noise[::-1, ::-1]
    if rng.random() < 0.7:
        noise = noise + noise[:, ::-1]
    return np.asarray(noise > np.median(noise), np.float32)


def _waves(rng: Generator) -> Mask:
    u, v = _grid(rng.uniform(20, 60), rng.choice([0, np.pi / 2]))
    return np.asarray(np.abs((u + 0.3 * np.sin(v * rng.uniform(2, 6))) % 1 - 0.5) < 0.22, np.float32)


def _letters(rng: Generator) -> Mask:
    """Letters, figures or pips printed all over the back: such decks exist, and must not be read as faces."""
    mask = np.zeros((HEIGHT, CARD_WIDTH), np.uint8)
    text = str(rng.choice(["A", "K", "7", "NERTS", "10", "Q", "RACING", "DEMON", "V", "88", "J&B"]))
    size, step = rng.uniform(1.2, 3.2), rng.uniform(55, 120)
    for y in np.arange(30, HEIGHT, step):
        for x in np.arange(-20 + (y // step % 2) * step / 2, CARD_WIDTH, step * max(1, len(text) * 0.55)):
            cv2.putText(mask, text, (int(x), int(y)), int(rng.integers(0, 4)), size, 255, int(size * 2.5))
    half = mask[: HEIGHT // 2]
    return np.asarray(np.vstack([half, half[::-1, ::-1]])[:HEIGHT], np.float32) / np.float32(255)


def _emblem(rng: Generator) -> Mask:
    """A plain back with one device in the middle."""
    mask = np.zeros((HEIGHT, CARD_WIDTH), np.uint8)
    centre = (CARD_WIDTH // 2, HEIGHT // 2)
    for i in range(int(rng.integers(1, 6))):
        axes = (int(rng.uniform(20, 150)), int(rng.uniform(20, 190)))
        cv2.ellipse(mask, centre, axes, 0, 0, 360, 255 if i % 2 == 0 else 0, -1 if rng.random() < 0.5 else 8)
    return np.asarray(mask, np.float32) / np.float32(255)


PATTERNS: dict[str, Callable[[Generator], Mask]] = {
    "stripes": _stripes, "checks": _checks, "lattice": _lattice, "dots": _dots, "rings": _rings,
    "scrolls": _scrolls, "waves": _waves, "letters": _letters, "emblem": _emblem,
}  # fmt: skip


def _colour(rng: Generator, light: bool) -> Colour:
    hue = rng.random()
    saturation = rng.uniform(0, 0.35) if light else rng.uniform(0.45, 1)
    value = rng.uniform(0.82, 1) if light else rng.uniform(0.2, 0.85)
    r, g, b = (round(255 * c) for c in colorsys.hsv_to_rgb(hue, saturation, value))
    return r, g, b


def invent_back(rng: Generator) -> BackDesign:
    """A random back design, the way backs are sold: strong ink on light ground or the other way round."""
    dark, light = _colour(rng, light=False), _colour(rng, light=True)
    ground, ink = (dark, light) if rng.random() < 0.6 else (light, dark)
    if rng.random() < 0.15:
        ground, ink = dark, _colour(rng, light=False)
    border = rng.uniform(0.03, 0.11) if rng.random() < 0.65 else 0.0
    paper = (255, 255, 252) if rng.random() < 0.75 else _colour(rng, light=bool(rng.random() < 0.6))
    pattern = str(rng.choice(list(PATTERNS)))
    wear = rng.uniform(0, 1) if rng.random() < 0.3 else 0.0
    return BackDesign(pattern, int(rng.integers(1 << 31)), ground, ink, border, paper, wear)


def recoloured(design: BackDesign, rng: Generator) -> BackDesign:
    """The same pattern in another colour: red and blue packs of one brand."""
    if sum(design.ground) < sum(design.ink):
        return replace(design, ground=_colour(rng, light=False))
    return replace(design, ink=_colour(rng, light=False))


def repatterned(design: BackDesign, rng: Generator) -> BackDesign:
    """Another pattern in the same colours."""
    others = [p for p in PATTERNS if p != design.pattern]
    return replace(design, pattern=str(rng.choice(others)), seed=int(rng.integers(1 << 31)))


def _worn(image: Image, wear: float, rng: Generator) -> Image:
    """Rubbed edges and scratches: paper shows through."""
    out = image.copy()
    height, width = out.shape[:2]
    for _ in range(int(40 * wear)):
        x, y = rng.uniform(0, width), rng.uniform(0, height)
        end = (int(x + rng.normal(0, 60)), int(y + rng.normal(0, 60)))
        cv2.line(out, (int(x), int(y)), end, (235, 232, 222), 1, cv2.LINE_AA)
    rim = np.minimum.reduce(
        np.meshgrid(*(np.minimum(np.arange(n), n - 1 - np.arange(n)) for n in (width, height)))
    )
    rub = rim < wear * rng.uniform(2, 9, size=rim.shape)
    out[rub] = (out[rub] * 0.3 + np.array([235, 232, 222]) * 0.7).astype(np.uint8)
    return out


def draw_back(design: BackDesign) -> Side:
    """Draw a back; the same design always gives the same picture."""
    rng = np.random.default_rng(design.seed)
    mask = cv2.GaussianBlur(PATTERNS[design.pattern](rng), (0, 0), 0.8)[..., None]
    picture = np.array(design.ground) * (1 - mask) + np.array(design.ink) * mask
    edge = round(design.border * CARD_WIDTH)
    image: Image = np.full((HEIGHT, CARD_WIDTH, 3), design.border_colour, np.uint8)
    image[edge : HEIGHT - edge, edge : CARD_WIDTH - edge] = picture[
        edge : HEIGHT - edge, edge : CARD_WIDTH - edge
    ]
    if edge and rng.random() < 0.5:
        cv2.rectangle(
            image, (edge, edge), (CARD_WIDTH - edge, HEIGHT - edge), design.ink, int(rng.integers(2, 7))
        )
    image = _worn(image, design.wear, rng) if design.wear else image
    return Side(rounded(np.dstack([image, np.full((HEIGHT, CARD_WIDTH), 255, np.uint8)])))
