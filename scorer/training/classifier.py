"""Trains the corner classifier: a small convolutional network that names upright index crops, or says that there is no index."""

from __future__ import annotations

import copy
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from scorer.training.averaging import follow
from scorer.training.crops import NOTHING, classifier_examples, load_scene
from scorer.training.layers import convolution
from scorer.training.steps import descend, resumed, timed_steps
from scorer.vision.classifier import RANKS, SUITS


@dataclass(frozen=True, slots=True)
class Recipe:
    """How long and how hard to train."""

    minutes: float = 15.0
    batch: int = 256
    rate: float = 3e-3
    seed: int = 1
    fresh_share: float = 0.1
    """Share of the pool of crops replaced by newly cut ones at each refill."""
    pool: int = 60_000


def _block(inputs: int, outputs: int, stride: int) -> nn.Sequential:
    return nn.Sequential(*convolution(inputs, outputs, stride), *convolution(outputs, outputs, 1))


class CornerNet(nn.Module):  # type: ignore[misc]
    """(n, 3, 64, 64) in 0..1 -> (n, 15 + 4 + 1): rank logits, suit logits, "is an index" logit."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 24, 5, 2, 2, bias=False), nn.BatchNorm2d(24), nn.SiLU(),
            _block(24, 48, 2), _block(48, 96, 2), _block(96, 160, 2), nn.Dropout2d(0.1),
        )  # fmt: skip
        # Rank stands above the suit: place matters, so the map is flattened, not averaged.
        self.head = nn.Sequential(
            nn.Flatten(),
            nn.Linear(160 * 16, 192),
            nn.SiLU(),
            nn.Dropout(0.2),
            nn.Linear(192, len(RANKS) + len(SUITS) + 1),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Logits of crops."""
        return torch.as_tensor(self.head(self.body(x - 0.5)))


class _Pool:
    """Crops in memory, partly replaced now and then; cutting them is dearer than learning from them."""

    def __init__(self, folder: Path, recipe: Recipe) -> None:
        self.folder, self.rng = folder, np.random.default_rng(recipe.seed)
        self.crops = np.zeros((recipe.pool, 64, 64, 3), np.uint8)
        self.ranks = np.full(recipe.pool, NOTHING, np.int64)
        self.suits = np.full(recipe.pool, NOTHING, np.int64)
        self.size = self.next = 0

    def refill(self, count: int) -> None:
        """Cut `count` new crops over the oldest ones."""
        paths = sorted(self.folder.glob("*.npz"))
        seeds = self.rng.integers(1 << 31, size=max(1, count // 25))
        with ThreadPoolExecutor(2) as threads:
            for examples in threads.map(lambda s: self._cut(paths, int(s)), seeds):
                self._put(examples)

    @staticmethod
    def _cut(paths: list[Path], seed: int) -> list[tuple[np.ndarray, int, int]]:
        rng = np.random.default_rng(seed)
        return classifier_examples(load_scene(paths[int(rng.integers(len(paths)))]), rng)

    def _put(self, examples: list[tuple[np.ndarray, int, int]]) -> None:
        for crop, rank, suit in examples:
            self.crops[self.next], self.ranks[self.next], self.suits[self.next] = crop, rank, suit
            self.next = (self.next + 1) % len(self.crops)
            self.size = min(self.size + 1, len(self.crops))

    def batch(self, count: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Random crops (n, 3, 64, 64) in 0..1, ranks and suits (NOTHING where there is none)."""
        pick = self.rng.integers(self.size, size=count)
        crops = torch.from_numpy(self.crops[pick]).permute(0, 3, 1, 2).float() / 255
        return crops, torch.from_numpy(self.ranks[pick]), torch.from_numpy(self.suits[pick])


MOST_TURNED, MOST_SCALED, MOST_SHIFTED = 0.08, 0.08, 0.1
"""How far a crop is turned (radians), scaled (logarithm) and shifted (half its size) each time it is learned from."""
MOST_GAIN, MOST_NOISE = 0.15, 0.03
"""How much brighter or darker it is made, channel by channel (logarithm), and standard deviation of its noise."""


def _varied(crops: torch.Tensor, random: torch.Generator) -> torch.Tensor:
    """The crops (n, 3, 64, 64) each a little turned, scaled, shifted, recoloured and noisy: none is learned by heart."""
    n = len(crops)

    def spread(most: float, *shape: int) -> torch.Tensor:
        return (2 * torch.rand((n, *shape), generator=random) - 1) * most

    turn, scale = spread(MOST_TURNED), torch.exp(spread(MOST_SCALED))
    c, s = torch.cos(turn) * scale, torch.sin(turn) * scale
    shift = spread(MOST_SHIFTED, 2)
    matrix = torch.stack([torch.stack([c, -s, shift[:, 0]], 1), torch.stack([s, c, shift[:, 1]], 1)], 1)
    grid = nn.functional.affine_grid(matrix, list(crops.shape), align_corners=False)
    moved = nn.functional.grid_sample(crops, grid, padding_mode="border", align_corners=False)
    gain = torch.exp(spread(MOST_GAIN, 3, 1, 1))
    noise = (
        torch.randn(crops.shape, generator=random) * torch.rand((n, 1, 1, 1), generator=random) * MOST_NOISE
    )
    return torch.clamp(moved * gain + noise, 0, 1)


def _loss(logits: torch.Tensor, ranks: torch.Tensor, suits: torch.Tensor) -> torch.Tensor:
    present = (ranks != NOTHING).float()
    cross = nn.functional.cross_entropy
    rank = cross(logits[:, : len(RANKS)], ranks, ignore_index=NOTHING, label_smoothing=0.03)
    suit = cross(logits[:, len(RANKS) : -1], suits, ignore_index=NOTHING, label_smoothing=0.03)
    return rank + suit + nn.functional.binary_cross_entropy_with_logits(logits[:, -1], present)


def accuracy(logits: torch.Tensor, ranks: torch.Tensor, suits: torch.Tensor) -> tuple[float, float, float]:
    """Share of ranks right, of suits right, and of "index or not" right."""
    there, suited = ranks != NOTHING, suits != NOTHING
    rank = (logits[there, : len(RANKS)].argmax(1) == ranks[there]).float().mean()
    suit = (logits[suited, len(RANKS) : -1].argmax(1) == suits[suited]).float().mean()
    present = ((logits[:, -1] > 0) == there).float().mean()
    return float(rank), float(suit), float(present)


def train(
    folder: Path,
    checkpoint: Path,
    recipe: Recipe,
    *,
    resume: bool = False,
    report: Callable[[str], None] = print,
) -> Any:
    """Train for `recipe.minutes`; returns the model with averaged weights."""
    torch.manual_seed(recipe.seed)
    model = resumed(CornerNet(), checkpoint, resume=resume).to(memory_format=torch.channels_last)
    average = copy.deepcopy(model)
    optimiser = torch.optim.AdamW(model.parameters(), weight_decay=1e-2)
    pool, random = _Pool(folder, recipe), torch.Generator().manual_seed(recipe.seed)
    pool.refill(recipe.pool // 3)
    for step, progress in timed_steps(optimiser, recipe.minutes, recipe.rate, warm_up=200):
        if step % 100 == 1:
            pool.refill(round(recipe.fresh_share * recipe.pool))
        crops, ranks, suits = pool.batch(recipe.batch)
        model.train()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(_varied(crops, random).contiguous(memory_format=torch.channels_last))
        loss = _loss(logits.float(), ranks, suits)
        descend(optimiser, model, loss)
        follow(average, model, step)
        if step % 100 == 0:
            rank, suit, present = accuracy(logits.float(), ranks, suits)
            report(
                f"{step} steps, {progress:.1%}, loss {loss.item():.3f}, "
                f"rank {rank:.3f}, suit {suit:.3f}, index-or-not {present:.3f}"
            )
            torch.save(average.state_dict(), checkpoint)
    torch.save(average.state_dict(), checkpoint)
    return average.eval()
