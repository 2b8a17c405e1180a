"""Pairs of strips spoiled as photographs spoil them: light, shadow, glare, blur, edges found a little off; and prints recoloured.

Pictures are (n, 3, 48, 24) float32 in 0..1, the place where both strips show is (n, 1, 48, 24).
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from scorer.vision.likeness import SMALL

Floats = NDArray[np.float32]

TO_TINT = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]])
"""From red, green and blue to brightness and two axes of colour (YIQ)."""
LEAST_RECOLOURED = 0.07
"""Mean change of colour, relative to the brightness, from which a recoloured print is another deck's."""


def spoiled(pictures: Floats, rng: Generator) -> Floats:
    """Strips found a little off, not all sharp, each under a light of its own."""
    return lit(blurred(with_slivers(pictures, rng), rng), rng)


def lit_evenly(pictures: Floats, rng: Generator) -> Floats:
    """Each in a light stronger or weaker than the others', now and then in deep shadow."""
    return np.clip(pictures * _strength(len(pictures), rng)[:, None].astype(np.float32), 0, 1)


def _strength(n: int, rng: Generator) -> NDArray[np.float64]:
    return np.asarray(np.exp(rng.normal(0, 1, (n, 1, 1)) * rng.choice([0.1, 0.1, 0.5], (n, 1, 1))))


def lit(pictures: Floats, rng: Generator) -> Floats:
    """Each under a light of its own: stronger or weaker, uneven, cut by a shadow's edge, hazed over, with a glare."""
    n = len(pictures)
    x, y = _places()
    strength = _strength(n, rng)
    slopes = rng.normal(0, 0.3, (2, n, 1, 1)) * _sometimes(rng, 0.3, n)
    strength = strength * np.exp(slopes[0] * x + slopes[1] * y) * _shadow(n, rng)
    veil = np.abs(rng.normal(0, 0.04, (n, 1, 1)) * _sometimes(rng, 0.4, n)) * strength
    veil = veil + np.abs(rng.normal(0, 0.12, (n, 1, 1)) * _sometimes(rng, 0.1, n)) + _glare(n, rng)
    cast = np.exp(rng.normal(0, 0.02, (n, 3, 1, 1))).astype(np.float32)
    strength, veil = strength.astype(np.float32), veil.astype(np.float32)
    return np.asarray(np.clip(pictures * strength[:, None] * cast + veil[:, None], 0, 1))


def _places() -> tuple[Floats, Floats]:
    """Across and along a strip, -0.5..0.5."""
    height, width = SMALL
    x, y = np.linspace(-0.5, 0.5, width, dtype=np.float32), np.linspace(-0.5, 0.5, height, dtype=np.float32)
    return x[None, None], y[None, :, None]


def _sometimes(rng: Generator, share: float, n: int) -> NDArray[np.bool_]:
    return np.asarray(rng.random((n, 1, 1)) < share)


def _shadow(n: int, rng: Generator) -> Floats:
    """What a shadow whose edge crosses the strip leaves of its light."""
    x, y = _places()
    turn, width = rng.uniform(0, 2 * np.pi, (n, 1, 1)), rng.uniform(0.02, 0.2, (n, 1, 1))
    across = np.cos(turn) * x * 0.5 + np.sin(turn) * y - rng.normal(0, 0.2, (n, 1, 1))
    dark = rng.uniform(0.2, 0.9, (n, 1, 1)) * _sometimes(rng, 0.15, n)
    return np.asarray(1 - dark / (1 + np.exp(-across / width)), np.float32)


def _glare(n: int, rng: Generator) -> Floats:
    """Light that the card's varnish throws back, strongest at one spot."""
    x, y = _places()
    spot, size = rng.uniform(-0.6, 0.6, (2, n, 1, 1)), rng.uniform(0.1, 0.6, (n, 1, 1))
    away = ((x * 0.5 - spot[0] * 0.5) ** 2 + (y - spot[1]) ** 2) / size**2
    return np.asarray(rng.uniform(0.1, 0.8, (n, 1, 1)) * _sometimes(rng, 0.1, n) * np.exp(-away), np.float32)


def blurred(pictures: Floats, rng: Generator) -> Floats:
    """A fifth of them less sharp."""
    soft = pictures
    for axis in (2, 3):
        soft = np.asarray((np.roll(soft, 1, axis) + 2 * soft + np.roll(soft, -1, axis)) / 4, np.float32)
    return np.where(_sometimes(rng, 0.2, len(pictures))[:, None], soft, pictures)


def with_slivers(pictures: Floats, rng: Generator) -> Floats:
    """A fifth of them with a part of another card at the edge, whose line was found a little off, or before the card above."""
    x, y = _places()
    n = len(pictures)
    slant = rng.normal(0, 0.06, (n, 1, 1)) * y
    left = x < slant + rng.uniform(-0.5, -0.2, (n, 1, 1)) - 1.0 * ~_sometimes(rng, 0.15, n)
    right = x > slant + rng.uniform(-0.35, 0.5, (n, 1, 1)) + 1.0 * ~_sometimes(rng, 0.1, n)
    return np.where((left | right)[:, None], pictures[rng.permutation(n)], pictures)


def recoloured(pictures: Floats, common: Floats, rng: Generator) -> tuple[Floats, NDArray[np.bool_]]:
    """The same prints in other inks, as makers sell one back in red and in blue; and which came out unlike enough."""
    n = len(pictures)
    turn = rng.uniform(0.3, np.pi, n) * rng.choice([-1, 1], n)
    stronger = np.exp(rng.normal(0, 0.25, n))
    c, s = np.cos(turn) * stronger, np.sin(turn) * stronger
    turned = np.zeros((n, 3, 3))
    turned[:, 0, 0] = 1
    turned[:, 1, 1], turned[:, 1, 2], turned[:, 2, 1], turned[:, 2, 2] = c, -s, s, c
    matrices = np.linalg.inv(TO_TINT) @ turned @ TO_TINT
    inked = np.clip(np.einsum("nij,njhw->nihw", matrices.astype(np.float32), pictures), 0, 1).astype(
        np.float32
    )
    change = (np.abs(inked - pictures).mean(1) * common[:, 0]).sum((1, 2))
    bright = (pictures.mean(1) * common[:, 0]).sum((1, 2))
    return inked, np.asarray(change > LEAST_RECOLOURED * bright)
