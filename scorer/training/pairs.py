"""Trains the network that tells whether two strips of backs, laid over one another, are of one deck."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from scorer.training.crops import load_scene, strip_examples
from scorer.training.layers import convolution
from scorer.training.steps import descend, resumed, timed_steps
from scorer.vision.likeness import Fits, SmallStrips, best_fits, laid_over

EPSILON = 1e-4
MOST_STRIPS = 24
"""Strips of one scene that are compared with one another."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How long and how hard to train."""

    minutes: float = 20.0
    scenes: int = 16
    pairs: int = 32
    rate: float = 3e-3
    seed: int = 1


class PairNet(nn.Module):  # type: ignore[misc]
    """(n, 7, 48, 24), two strips and where both show -> (n, 1) logarithm of the odds that they are of one deck."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(*convolution(11, 24, 2), *convolution(24, 32, 2), *convolution(32, 48, 1))
        self.head = nn.Sequential(nn.Linear(48 * 2 + FIGURES, 64), nn.SiLU(), nn.Linear(64, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Judge by figures of the whole overlap and by where the strips differ; which of the two is first must not matter."""
        first, second, common = x[:, :3], x[:, 3:6], x[:, 6:]
        figures = pair_figures(first, second, common)
        # The second strip under the first one's light: what is left of the difference is the print's.
        second = second * figures[:, :1, None, None].exp()
        joint = torch.cat(
            [(first + second) / 2 - 0.5, (first - second).abs() * 4, _edges(first), _edges(second)], 1
        )
        maps = self.body(torch.cat([joint * common, common], 1))
        weights = nn.functional.avg_pool2d(common, 4)
        share = weights / weights.sum((2, 3), keepdim=True).clamp(min=1e-3)
        mean = (maps * share).sum((2, 3))
        most = (maps * (weights > 0.5)).amax((2, 3))
        return self.head(torch.cat([mean, most, figures[:, 1:]], 1))


def _edges(strip: torch.Tensor) -> torch.Tensor:
    """(n, 2, h, w) brightness differences to the right and down."""
    grey = strip.mean(1, keepdim=True)
    right = nn.functional.pad(grey[..., 2:] - grey[..., :-2], (1, 1))
    down = nn.functional.pad(grey[..., 2:, :] - grey[..., :-2, :], (0, 0, 1, 1))
    return torch.cat([right, down], 1)


FIGURES = 8


def pair_figures(first: torch.Tensor, second: torch.Tensor, common: torch.Tensor) -> torch.Tensor:
    """(n, 1 + FIGURES): the log gain from the second to the first strip, then figures that do not depend on their order."""
    area = common.sum((2, 3)).clamp(min=1)

    def mean(values: torch.Tensor) -> torch.Tensor:
        return (values * common).sum((2, 3)) / area

    a, b = mean(first), mean(second)
    power_a, power_b, cross = (mean(p).sum(1) for p in (first**2, second**2, first * second))
    gain = (cross + EPSILON).log() - (power_b + EPSILON).log()
    residual = (1 - cross**2 / (power_a * power_b).clamp(min=1e-8)).clamp(min=0).sqrt()
    var_a, var_b = (mean(first**2) - a**2).sum(1) + EPSILON, (mean(second**2) - b**2).sum(1) + EPSILON
    correlation = (mean(first * second) - a * b).sum(1) / (var_a * var_b).sqrt()
    edge_a, edge_b = _edges(first), _edges(second)
    strength = mean(edge_a**2).sum(1) + EPSILON, mean(edge_b**2).sum(1) + EPSILON
    edges = mean(edge_a * edge_b).sum(1) / (strength[0] * strength[1]).sqrt()
    tint = (a / a.sum(1, keepdim=True).clamp(min=1e-3) - b / b.sum(1, keepdim=True).clamp(min=1e-3)).abs()
    contrast = (var_a.log() - var_b.log()).abs()
    return torch.stack(
        [gain.clamp(-2, 2), residual * 4, correlation, edges, tint.sum(1) * 10, contrast,
         torch.minimum(var_a, var_b).log() / 4, gain.abs().clamp(max=2), area[:, 0] / 500], 1
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Table:
    """The strips of one scene and how each two of them fit."""

    strips: SmallStrips
    fits: Fits
    same: np.ndarray
    """(pairs,)"""


def cut_all(folder: Path, seed: int, report: Callable[[str], None]) -> list[_Table]:
    """Cut and fit the strips of every scene with more than one back."""
    tables = []
    for number, path in enumerate(sorted(folder.glob("*.npz"))):
        rng = np.random.default_rng((seed, number))
        examples = strip_examples(load_scene(path), rng)
        examples = [examples[i] for i in rng.permutation(len(examples))[:MOST_STRIPS]]
        decks = np.array([deck for _, deck in examples])
        if len(examples) >= 4 and len(set(decks.tolist())) > 1:
            strips = SmallStrips.of(np.stack([strip for strip, _ in examples]))
            fits = best_fits(strips)
            tables.append(_Table(strips, fits, decks[fits.first] == decks[fits.second]))
            if len(tables) % 200 == 0:
                report(f"{len(tables)} scenes cut")
    return tables


def _examples(table: _Table, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """As many equal pairs as different ones, under another light, in other colours, and either strip first."""
    sides = [np.flatnonzero(table.same == same) for same in (True, False)]
    rows = np.concatenate([rng.choice(side, count // 2) for side in sides if len(side)])
    pairs = laid_over(table.strips, table.fits, rows)
    order = rng.permutation(3) if rng.random() < 0.5 else np.arange(3)
    # One card lies in the light and the other in shadow, now and then in deep shadow.
    apart = rng.normal(0, 1, (2, len(rows), 1)) * rng.choice([0.1, 0.1, 0.5], (1, len(rows), 1))
    gains = np.exp(rng.normal(0, 0.1, (1, 3)) + rng.normal(0, 0.25) + apart)
    first, second = (
        np.clip(pairs[:, n * 3 : n * 3 + 3][:, order] * gains[n][:, :, None, None], 0, 1) for n in (0, 1)
    )
    if rng.random() < 0.5:
        first, second = second, first
    return np.concatenate([first, second, pairs[:, 6:]], 1), table.same[rows]


def right_pairs(model: Any, tables: list[_Table], seed: int = 1) -> float:
    """Share of pairs that are decided rightly, equal and different ones weighing the same."""
    rng = np.random.default_rng(seed)
    hits: dict[bool, list[np.ndarray]] = {True: [], False: []}
    with torch.no_grad():
        for table in tables:
            rows = rng.permutation(len(table.same))[:200]
            odds = model(torch.from_numpy(laid_over(table.strips, table.fits, rows)))[:, 0].numpy()
            for same in (True, False):
                hits[same].append((odds > 0)[table.same[rows] == same] == same)
    return float(np.mean([np.concatenate(h).mean() for h in hits.values()]))


def train(
    folder: Path,
    checkpoint: Path,
    recipe: Recipe,
    *,
    resume: bool = False,
    report: Callable[[str], None] = print,
) -> Any:
    """Train for `recipe.minutes`; returns the model. The last tenth of the scenes serves for measuring only."""
    torch.manual_seed(recipe.seed)
    rng = np.random.default_rng(recipe.seed)
    tables = cut_all(folder, recipe.seed, report)
    held = tables[-max(1, len(tables) // 10) :]
    tables = tables[: -len(held)] or held
    report(f"{len(tables)} scenes with several backs")
    model = resumed(PairNet(), checkpoint, resume=resume)
    optimiser = torch.optim.AdamW(model.parameters(), weight_decay=1e-3)
    for step, progress in timed_steps(optimiser, recipe.minutes, recipe.rate, warm_up=50):
        parts = [
            _examples(tables[int(rng.integers(len(tables)))], recipe.pairs, rng) for _ in range(recipe.scenes)
        ]
        pictures = torch.from_numpy(np.concatenate([p for p, _ in parts]).astype(np.float32))
        same = torch.from_numpy(np.concatenate([s for _, s in parts]).astype(np.float32))
        model.train()
        loss = nn.functional.binary_cross_entropy_with_logits(model(pictures)[:, 0], same)
        descend(optimiser, model, loss)
        if step % 200 == 0:
            right = right_pairs(model.eval(), held[:60])
            report(f"{step} steps, {progress:.1%}, loss {float(loss):.3f}, pairs right {right:.4f}")
            torch.save(model.state_dict(), checkpoint)
    torch.save(model.state_dict(), checkpoint)
    return model.eval()
