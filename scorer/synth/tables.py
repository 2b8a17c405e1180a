"""Tables, cloths and clutter: everything in a photo that is not a card."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.synth.invented import font_files, text_mask

Generator = np.random.Generator
Image = NDArray[np.uint8]

WORDS = (
    "the",
    "and",
    "to",
    "in",
    "is",
    "it",
    "you",
    "that",
    "was",
    "for",
    "are",
    "as",
    "with",
    "10",
    "7",
    "A",
    "K",
    "4",
)


def _noise(rng: Generator, height: int, width: int, cell_y: float, cell_x: float) -> NDArray[np.float32]:
    small = rng.normal(size=(max(2, int(height / cell_y) + 2), max(2, int(width / cell_x) + 2))).astype(
        np.float32
    )
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC))


def _tint(rng: Generator) -> NDArray[np.float32]:
    return rng.uniform(15, 235, 3).astype(np.float32)


def _wood(rng: Generator, h: int, w: int) -> NDArray[np.float32]:
    base = np.array([rng.uniform(70, 200), 0, 0], np.float32)
    base[1] = base[0] * rng.uniform(0.55, 0.85)
    base[2] = base[1] * rng.uniform(0.4, 0.9)
    grain = 18 * _noise(rng, h, w, rng.uniform(2, 8), rng.uniform(80, 400)) + 12 * _noise(rng, h, w, 40, 500)
    out = base + grain[..., None] * np.array([1, 0.8, 0.6], np.float32)
    for y in range(0, h, int(rng.uniform(90, 500))):
        out[y : y + 3] *= 0.55
    return (
        out if rng.random() < 0.5 else np.ascontiguousarray(out.transpose(1, 0, 2)[:h, :w]) if h == w else out
    )


def _cloth(rng: Generator, h: int, w: int) -> NDArray[np.float32]:
    weave = rng.uniform(2, 14) * _noise(rng, h, w, 2, 2) + 10 * _noise(rng, h, w, 60, 60)
    return _tint(rng) + weave[..., None]


def _felt(rng: Generator, h: int, w: int) -> NDArray[np.float32]:
    colour = np.array([[20, 110, 60], [15, 60, 130], [120, 20, 30]][int(rng.integers(3))], np.float32)
    return colour * rng.uniform(0.5, 1.5) + 7 * _noise(rng, h, w, 2, 2)[..., None]


def _pattern(rng: Generator, h: int, w: int) -> NDArray[np.float32]:
    y, x = np.mgrid[:h, :w]
    size = rng.uniform(12, 120)
    stripes = rng.random() < 0.5
    mask = (x // size % 2) if stripes else ((x // size + y // size) % 2)
    return np.where(mask[..., None] > 0, _tint(rng), _tint(rng)) + 6 * _noise(rng, h, w, 3, 3)[..., None]


def _plain(rng: Generator, h: int, w: int) -> NDArray[np.float32]:
    return np.broadcast_to(_tint(rng), (h, w, 3)) + 4 * _noise(rng, h, w, 100, 100)[..., None]


def _blotches(rng: Generator, h: int, w: int) -> NDArray[np.float32]:
    """Carpet, marble, grass: noise at several scales."""
    out = np.broadcast_to(_tint(rng), (h, w, 3)).astype(np.float32)
    for cell in (3, 10, 40, 160):
        out = out + _noise(rng, h, w, cell, cell * rng.uniform(0.5, 2))[..., None] * rng.uniform(
            0, 22, 3
        ).astype(np.float32)
    return out


_KINDS = (_wood, _wood, _cloth, _felt, _pattern, _plain, _blotches)


@cache
def wallpapers() -> tuple[Path, ...]:
    """Pictures for backgrounds: `$NERTS_BACKGROUNDS`, or the wallpapers of the desktop packages installed here."""
    roots = os.environ.get("NERTS_BACKGROUNDS", "/usr/share/backgrounds:/usr/share/wallpapers").split(":")
    found = (p for root in roots for p in Path(root).rglob("*") if p.suffix in (".jpg", ".png", ".webp"))
    return tuple(sorted(p for p in found if p.stat().st_size > 50_000))


@cache
def _wallpaper(path: Path) -> Image | None:
    raw = cv2.imread(str(path), cv2.IMREAD_REDUCED_COLOR_2)
    return None if raw is None else np.ascontiguousarray(raw[..., ::-1]).astype(np.uint8)


def _from_wallpaper(rng: Generator, h: int, w: int) -> NDArray[np.float32] | None:
    paths = wallpapers()
    picture = _wallpaper(paths[int(rng.integers(len(paths)))]) if paths else None
    if picture is None or min(picture.shape[:2]) < 200:
        return None
    side = int(rng.uniform(150, min(picture.shape[:2])))
    y, x = (int(rng.integers(0, n - side + 1)) for n in picture.shape[:2])
    return np.asarray(cv2.resize(picture[y : y + side, x : x + side], (w, h))).astype(np.float32)


def table(rng: Generator, height: int, width: int) -> Image:
    """A table top of any kind, (height, width, 3) uint8 RGB."""
    h, w = min(height, 1400), min(width, 1400)
    drawn = _from_wallpaper(rng, h, w) if rng.random() < 0.25 else None
    if drawn is None:
        drawn = _KINDS[int(rng.integers(len(_KINDS)))](rng, h, w)
    out = np.clip(drawn, 0, 255).astype(np.uint8)
    return out if (h, w) == (height, width) else np.asarray(cv2.resize(out, (width, height))).astype(np.uint8)


def _written_page(rng: Generator) -> Image:
    """A score sheet or a newspaper: text that is no index."""
    h, w = int(rng.uniform(120, 420)), int(rng.uniform(120, 420))
    page = np.full((h, w, 3), rng.integers(190, 256), np.uint8)
    fonts = font_files()
    font = str(rng.choice(fonts)) if fonts else None
    size, y = int(rng.uniform(9, 46)), 8
    colour = np.array([rng.integers(0, 90), rng.integers(0, 90), rng.integers(0, 120)])
    while y + size < h:
        x = 6
        while x < w - size:
            mask = text_mask(str(rng.choice(WORDS)), font)
            wide = max(3, min(int(mask.shape[1] * size / mask.shape[0]), w - x - 1))
            ink = cv2.resize(mask, (wide, size), interpolation=cv2.INTER_AREA)[..., None] / 255
            page[y : y + size, x : x + wide] = page[y : y + size, x : x + wide] * (1 - ink) + colour * ink
            x += wide + size // 2
        y += int(size * 1.6)
    return page


def _paste(
    picture: Image, thing: Image, mask: Image, rng: Generator, blocked: NDArray[np.int16] | None
) -> None:
    height, width = picture.shape[:2]
    size = rng.uniform(0.1, 0.4) * max(height, width)
    h, w = thing.shape[:2]
    scale = size / max(h, w)
    a = rng.uniform(-np.pi, np.pi)
    matrix = scale * np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0]])
    # Its middle, not its corner, is put somewhere in the picture.
    matrix[:, 2] = np.array([rng.uniform(0, width), rng.uniform(0, height)]) - matrix[:, :2] @ np.array(
        [w / 2, h / 2]
    )
    alpha = cv2.warpAffine(mask, matrix, (width, height), flags=cv2.INTER_AREA)
    moved = cv2.warpAffine(thing, matrix, (width, height), flags=cv2.INTER_AREA)
    soft = (alpha[..., None] / 255).astype(np.float32)
    picture[:] = (picture * (1 - soft) + moved * soft).astype(np.uint8)
    if blocked is not None:
        blocked[alpha > 127] = -2


def clutter_below(picture: Image, rng: Generator) -> None:
    """Things that lie on the table before the cards do: pages, coasters, pens. Changes the picture in place."""
    for _ in range(int(rng.integers(0, 4))):
        if rng.random() < 0.5:
            page = _written_page(rng)
            _paste(picture, page, np.full(page.shape[:2], 255, np.uint8), rng, None)
        else:
            thing, mask = _shape(rng)
            _paste(picture, thing, mask, rng, None)


def _shape(rng: Generator) -> tuple[Image, Image]:
    mask = np.zeros((200, 200), np.uint8)
    if rng.random() < 0.5:
        cv2.ellipse(
            mask, (100, 100), (int(rng.uniform(20, 95)), int(rng.uniform(20, 95))), 0, 0, 360, 255, -1
        )
    else:
        cv2.line(mask, (10, 100), (190, 100), 255, int(rng.uniform(6, 60)))
    thing = np.clip(_tint(rng) + 10 * _noise(rng, 200, 200, 20, 20)[..., None], 0, 255).astype(np.uint8)
    cv2.circle(
        thing,
        (100, 100),
        int(rng.uniform(10, 60)),
        tuple(int(v) for v in _tint(rng)),
        int(rng.integers(2, 12)),
    )
    return thing, mask


def hand_above(picture: Image, owner: NDArray[np.int16], rng: Generator) -> None:
    """A finger, hand or sleeve over some cards; `owner` becomes -2 where it covers. Changes both in place."""
    mask = np.zeros((200, 300), np.uint8)
    skin = np.array([rng.uniform(120, 240), 0, 0])
    skin[1:] = skin[0] * rng.uniform(0.6, 0.85), skin[0] * rng.uniform(0.45, 0.7)
    for i in range(int(rng.integers(1, 5))):
        y = 40 + 32 * i
        cv2.line(mask, (int(rng.uniform(20, 80)), y), (220, 100), 255, int(rng.uniform(22, 34)))
    cv2.ellipse(mask, (240, 100), (70, int(rng.uniform(50, 90))), 0, 0, 360, 255, -1)
    thing = np.clip(skin + 9 * _noise(rng, 200, 300, 30, 30)[..., None], 0, 255).astype(np.uint8)
    thing[:, 230:] = _tint(rng) if rng.random() < 0.5 else thing[:, 230:]
    _paste(picture, thing, cv2.GaussianBlur(mask, (0, 0), 1.5).astype(np.uint8), rng, owner)
