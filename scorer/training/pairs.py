"""Trains the network that tells whether two strips of backs, laid over one another, are of one deck."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from scorer.training.crops import load_scene, strip_examples
from scorer.training.layers import convolution
from scorer.training.rounds import ROUNDS
from scorer.training.spoiling import lit_evenly, recoloured, spoiled
from scorer.training.steps import descend, resumed, timed_steps
from scorer.vision.likeness import Fits, SmallStrips, best_fits, laid_over

EPSILON = 1e-4
PAIRS, BATCH = 24, 512
"""Pairs of one scene that are made at once for the head, and how many are learned from in one step."""
HEAD_PAIRS, HEAD_PASSES, HEAD_RATE = 4000, 20, 2e-3
"""Pairs that the head is fitted on, for each minute that the whole network was trained; how often, and how hard at first."""
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
        self.head = _head()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Judge by figures of the whole overlap and by where the strips differ; which of the two is first must not matter."""
        return self.head(self.features(x))

    def features(self, x: torch.Tensor) -> torch.Tensor:
        """(n, FEATURES), what the judgement is made from."""
        first, second, common = x[:, :3], x[:, 3:6], x[:, 6:]
        figures = pair_figures(first, second, common)
        colours = colour_figures(first, second, common)
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
        return torch.cat([mean, most, figures[:, 1:], colours], 1)


def _head() -> nn.Sequential:
    return nn.Sequential(nn.Linear(FEATURES, 96), nn.SiLU(), nn.Linear(96, 48), nn.SiLU(), nn.Linear(48, 1))


def _evened(strip: torch.Tensor, common: torch.Tensor) -> torch.Tensor:
    """Strips as if under one light without haze: equally bright on the whole, with equal contrasts."""
    area = common.sum((2, 3), keepdim=True).clamp(min=1) * 3
    mean = (strip * common).sum((1, 2, 3), keepdim=True) / area
    apart = (strip - mean) * common
    return apart / ((apart**2).sum((1, 2, 3), keepdim=True) / area + 1e-3).sqrt()


def _tint(strip: torch.Tensor) -> torch.Tensor:
    """(n, 3, h, w) the share of each colour in a pixel's brightness, nearly even where it is dark."""
    return (strip + 0.03) / (strip + 0.03).sum(1, keepdim=True)


def _edges(strip: torch.Tensor) -> torch.Tensor:
    """(n, 2, h, w) brightness differences to the right and down."""
    grey = strip.mean(1, keepdim=True)
    right = nn.functional.pad(grey[..., 2:] - grey[..., :-2], (1, 1))
    down = nn.functional.pad(grey[..., 2:, :] - grey[..., :-2, :], (0, 0, 1, 1))
    return torch.cat([right, down], 1)


FIGURES, COLOUR_FIGURES = 8, 15
FEATURES = 48 * 2 + FIGURES + COLOUR_FIGURES


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


def colour_figures(first: torch.Tensor, second: torch.Tensor, common: torch.Tensor) -> torch.Tensor:
    """(n, COLOUR_FIGURES) how unlike the inks are, whatever the light.

    Light scales all colours of a print and haze adds grey to them: neither turns the directions in which they are spread.
    """
    spread_a, spread_b = _spread(first, common), _spread(second, common)
    unlike = (spread_a - spread_b).abs() * 4
    coarse = [_coarse(_evened(s, common), common) for s in (first, second)]
    tints = [_coarse(_tint(s), common) for s in (first, second)]
    seen = (nn.functional.avg_pool2d(common, 4) > 0.6).float()
    figures = [unlike.flatten(1), unlike.sum((1, 2))[:, None]]
    for (a, b), scale in ((coarse, 1.0), (tints, 10.0)):
        apart = (a - b).abs().sum(1, keepdim=True) * seen * scale
        mean = apart.sum((2, 3)) / seen.sum((2, 3)).clamp(min=1)
        figures += [mean, apart.amax((2, 3))]
    area = seen.sum((2, 3)).clamp(min=1)
    a, b = coarse
    figures.append((a * b * seen).sum((1, 2, 3))[:, None] / area / 3)
    return torch.cat(figures, 1)


def _spread(strip: torch.Tensor, common: torch.Tensor) -> torch.Tensor:
    """(n, 3, 3) covariance of the colours where both strips show, as shares of their whole variance."""
    area = common.sum((2, 3), keepdim=True).clamp(min=1)
    apart = (strip - (strip * common).sum((2, 3), keepdim=True) / area) * common
    flat = apart.flatten(2)
    spread = flat @ flat.transpose(1, 2) / area[:, 0]
    whole = (apart**2).sum((1, 2, 3)) / area[:, 0, 0, 0]
    return spread / (whole[:, None, None] + 1e-3)


def _coarse(maps: torch.Tensor, common: torch.Tensor) -> torch.Tensor:
    """(n, c, 12, 6) means of 4 x 4 pixels where both strips show: not disturbed by blur or by a pixel of misfit."""
    return nn.functional.avg_pool2d(maps * common, 4) / nn.functional.avg_pool2d(common, 4).clamp(min=0.05)


@dataclass(frozen=True, slots=True)
class _Table:
    """The strips of one scene and how each two of them fit."""

    strips: np.ndarray
    """(n, 96, 48, 4) uint8"""
    fits: Fits
    same: np.ndarray
    """(pairs,)"""

    def laid_over(self, rows: np.ndarray) -> np.ndarray:
        """Pairs of strips laid over one another."""
        return laid_over(SmallStrips.of(self.strips), self.fits, rows)


def read_all(folder: Path) -> list[_Table]:
    """Take and fit the strips of every round that was read."""
    tables = []
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as saved:
            whose = saved["decks"] != ""
            strips, decks = saved["strips"][whose], saved["decks"][whose]
        if len(strips) >= 4 and len(set(decks.tolist())) > 1:
            fits = best_fits(SmallStrips.of(strips))
            tables.append(_Table(strips, fits, decks[fits.first] == decks[fits.second]))
    return tables


def cut_all(folder: Path, seed: int, report: Callable[[str], None]) -> list[_Table]:
    """Cut and fit the strips of every scene with more than one back."""
    tables = []
    for number, path in enumerate(sorted(folder.glob("*.npz"))):
        rng = np.random.default_rng((seed, number))
        examples = strip_examples(load_scene(path), rng)
        examples = [examples[i] for i in rng.permutation(len(examples))[:MOST_STRIPS]]
        decks = np.array([deck for _, deck in examples])
        if len(examples) >= 4 and len(set(decks.tolist())) > 1:
            strips = np.stack([strip for strip, _ in examples])
            fits = best_fits(SmallStrips.of(strips))
            tables.append(_Table(strips, fits, decks[fits.first] == decks[fits.second]))
            if len(tables) % 200 == 0:
                report(f"{len(tables)} scenes cut")
    return tables


SPOILED = 0.6
"""Share of scenes whose strips are spoiled more than the rendered photographs are."""
RECOLOURED = 0.3
"""Share of the pairs of one deck whose second print is given other inks: two decks of one maker."""


def _examples(table: _Table, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """About as many equal pairs as different ones, under other lights, in other colours, and either strip first."""
    sides = [np.flatnonzero(table.same == same) for same in (True, False)]
    shares = (count * 2 // 3, count // 3)
    rows = np.concatenate([rng.choice(side, n) for side, n in zip(sides, shares, strict=True) if len(side)])
    pairs, same = table.laid_over(rows), table.same[rows].copy()
    order = rng.permutation(3) if rng.random() < 0.5 else np.arange(3)
    gains = np.exp(rng.normal(0, 0.1, 3) + rng.normal(0, 0.25)).astype(np.float32)[:, None, None]
    first, second, common = pairs[:, order], pairs[:, order + 3], pairs[:, 6:]
    other = same & (rng.random(len(same)) < RECOLOURED)
    inked, unlike = recoloured(second[other], common[other], rng)
    second[other] = np.where(unlike[:, None, None, None], inked, second[other])
    same[other] &= ~unlike
    first, second = (np.clip(strips * gains, 0, 1) for strips in (first, second))
    if rng.random() < SPOILED:
        first, second = (spoiled(strips, rng) for strips in (first, second))
    else:
        first, second = (lit_evenly(strips, rng) for strips in (first, second))
    if rng.random() < 0.5:
        first, second = second, first
    return np.concatenate([first * common, second * common, common], 1), same


def right_pairs(model: Any, tables: list[_Table], seed: int = 1) -> float:
    """Share of pairs that are decided rightly, equal and different ones weighing the same."""
    rng = np.random.default_rng(seed)
    hits: dict[bool, list[np.ndarray]] = {True: [], False: []}
    with torch.no_grad():
        for table in tables:
            rows = rng.permutation(len(table.same))[:200]
            odds = model(torch.from_numpy(table.laid_over(rows)))[:, 0].numpy()
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
    """Train for `recipe.minutes`; returns the model. The last tenth of the scenes and rounds serves for measuring only."""
    torch.manual_seed(recipe.seed)
    rng = np.random.default_rng(recipe.seed)
    kinds = [kind for kind in (cut_all(folder, recipe.seed, report), read_all(folder / ROUNDS)) if kind]
    held = [table for kind in kinds for table in kind[-max(1, len(kind) // 10) :]]
    kinds = [kind[: -max(1, len(kind) // 10)] or kind for kind in kinds]
    count = sum(map(len, kinds))
    report(f"{count} scenes with several backs")
    model = resumed(PairNet(), checkpoint, resume=resume)
    optimiser = torch.optim.AdamW(model.parameters(), weight_decay=1e-3)
    for step, progress in timed_steps(optimiser, recipe.minutes, recipe.rate, warm_up=50):
        parts = [_examples(_any_of(kinds, rng), recipe.pairs, rng) for _ in range(recipe.scenes)]
        pictures = torch.from_numpy(np.concatenate([p for p, _ in parts]).astype(np.float32))
        same = torch.from_numpy(np.concatenate([s for _, s in parts]).astype(np.float32))
        model.train()
        loss = nn.functional.binary_cross_entropy_with_logits(model(pictures)[:, 0], same)
        descend(optimiser, model, loss)
        if step % 200 == 0:
            right = right_pairs(model.eval(), held[-60:])
            report(f"{step} steps, {progress:.1%}, loss {float(loss):.3f}, pairs right {right:.4f}")
            torch.save(model.state_dict(), checkpoint)
    _fit_head(model.eval(), kinds, max(BATCH, round(recipe.minutes * HEAD_PAIRS)), rng)
    report(f"head fitted anew, {count} scenes with several backs, pairs right {right_pairs(model, held):.4f}")
    torch.save(model.state_dict(), checkpoint)
    return model


def _any_of(kinds: list[list[_Table]], rng: np.random.Generator) -> _Table:
    """A scene or a round, either as often as the other."""
    kind = kinds[int(rng.integers(len(kinds)))]
    return kind[int(rng.integers(len(kind)))]


def _fit_head(model: Any, kinds: list[list[_Table]], count: int, rng: np.random.Generator) -> None:
    """Put a head trained on far more pairs in the place of the model's: with the convolutions at rest a pass takes seconds."""
    features, same = _features(model, kinds, count, rng)
    centre, spread = features.mean(0), features.std(0) + 1e-3
    head, features = _head(), (features - centre) / spread
    optimiser = torch.optim.AdamW(head.parameters(), lr=HEAD_RATE, weight_decay=1e-2)
    falling = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, HEAD_PASSES, HEAD_RATE / 100)
    for _ in range(HEAD_PASSES):
        for rows in torch.randperm(len(same)).split(BATCH):
            odds = head(features[rows])[:, 0]
            descend(optimiser, head, nn.functional.binary_cross_entropy_with_logits(odds, same[rows]))
        falling.step()
    with torch.no_grad():
        first = head[0]
        first.bias -= first.weight @ (centre / spread)
        first.weight /= spread
    model.head = head.eval()


def _features(
    model: Any, kinds: list[list[_Table]], count: int, rng: np.random.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    """(count, FEATURES) of spoiled pairs of random scenes and rounds, and whether each is of one deck."""
    features, same = [], []
    for _ in range(math.ceil(count / PAIRS)):
        pictures, one = _examples(_any_of(kinds, rng), PAIRS, rng)
        with torch.no_grad():
            features.append(model.features(torch.from_numpy(pictures)))
        same.append(torch.from_numpy(one.astype(np.float32)))
    return torch.cat(features), torch.cat(same)
