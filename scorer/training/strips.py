"""Trains the back network: strips of equal backs get near embeddings, strips of different backs far ones, whatever the light."""

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
from scorer.vision.backs import borders

TEMPERATURE = 0.1


@dataclass(frozen=True, slots=True)
class Recipe:
    """How long and how hard to train."""

    minutes: float = 10.0
    scenes: int = 12
    strips: int = 24
    rate: float = 2e-3
    seed: int = 1


class StripNet(nn.Module):  # type: ignore[misc]
    """(n, 3, 96, 24) in 0..1 -> (n, 48) embeddings of length 1."""

    def __init__(self) -> None:
        super().__init__()

        self.body = nn.Sequential(
            *convolution(3, 32, (2, 1)), *convolution(32, 48, (2, 2)), *convolution(48, 64, (2, 2)),
            *convolution(64, 96, (1, 1)), *convolution(96, 96, (2, 2)),
        )  # fmt: skip
        self.head = nn.Sequential(nn.Linear(96 * 4, 128), nn.SiLU(), nn.Linear(128, 48))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Embed strips by what is printed at the card's corners and along its middle, wherever exactly the edge was found.

        A back looks the same upside down, so both ends of a strip are pooled together.
        """
        maps = self.body(x - 0.5)
        quarter = maps.shape[2] // 4
        middle = maps[:, :, quarter:-quarter].flatten(2)
        ends = torch.cat([maps[:, :, :quarter], maps[:, :, -quarter:]], 2).flatten(2)
        pooled = torch.cat([p for part in (ends, middle) for p in (part.mean(2), part.std(2))], 1)
        return nn.functional.normalize(self.head(pooled), dim=1)


@dataclass(frozen=True, slots=True)
class _Strips:
    pictures: np.ndarray
    decks: np.ndarray


def cut_all(folder: Path, seed: int, looks: int = 2) -> list[_Strips]:
    """Cut strips of every scene with more than one back, each scene `looks` times with other imprecision."""
    found = []
    for path in sorted(folder.glob("*.npz")):
        scene = load_scene(path)
        for look in range(looks):
            examples = strip_examples(scene, np.random.default_rng(seed + look))
            if len(examples) >= 6 and len({deck for _, deck in examples}) > 1:
                found.append(
                    _Strips(borders(np.stack([e[0] for e in examples])), np.array([e[1] for e in examples]))
                )
    return found


_PLACE = 100
"""Labels of a batch count the decks of each scene from a multiple of this."""


def _batch(
    scenes: list[_Strips], recipe: Recipe, rng: np.random.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    pictures, labels = [], []
    for place in range(recipe.scenes):
        scene = scenes[int(rng.integers(len(scenes)))]
        rows = rng.choice(len(scene.decks), min(recipe.strips, len(scene.decks)), replace=False)
        # One lamp per scene, and a little more or less light on each card.
        gain = np.exp(
            rng.normal(0, 0.12, 3) + rng.normal(0, 0.25) + rng.normal(0, 0.12, (len(rows), 1, 1, 1))
        )
        pictures.append(np.clip(scene.pictures[rows] * gain, 0, 255))
        labels.append(scene.decks[rows] + place * _PLACE)
    stacked = torch.from_numpy(np.concatenate(pictures).astype(np.float32)).permute(0, 3, 1, 2) / 255
    return stacked, torch.from_numpy(np.concatenate(labels))


def _loss(embedded: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Each strip picks out its equals among all others, and among those of its own table, which are the hard ones."""
    tables = labels.div(_PLACE, rounding_mode="floor")
    everywhere = torch.ones(len(labels), len(labels), dtype=torch.bool)
    return 0.5 * _contrast(embedded, labels, everywhere) + _contrast(
        embedded, labels, tables[:, None] == tables[None]
    )


def _contrast(embedded: torch.Tensor, labels: torch.Tensor, among: torch.Tensor) -> torch.Tensor:
    """Supervised contrastive loss (Khosla et al. 2020): each strip picks out its equals among those allowed."""
    same = (labels[:, None] == labels[None]).float()
    own = torch.eye(len(labels))
    logits = (embedded @ embedded.T / TEMPERATURE).masked_fill(~among | own.bool(), -1e4)
    log_share = logits - torch.logsumexp(logits, 1, keepdim=True)
    positives = same - own
    some = positives.sum(1) > 0
    return -(positives * log_share * (1 - own)).sum(1)[some].div(positives.sum(1)[some]).mean()


def separation(model: Any, scenes: list[_Strips]) -> tuple[float, float]:
    """Share of pairs within a scene that the best single threshold decides rightly, and that threshold."""
    same, other = [], []
    with torch.no_grad():
        for scene in scenes:
            e = model(torch.from_numpy(scene.pictures.astype(np.float32)).permute(0, 3, 1, 2) / 255)
            similarity = (e @ e.T).numpy()
            upper = np.triu(np.ones_like(similarity, bool), 1)
            equal = scene.decks[:, None] == scene.decks[None]
            same.append(similarity[upper & equal])
            other.append(similarity[upper & ~equal])
    yes, no = np.concatenate(same), np.concatenate(other)
    thresholds = np.linspace(-0.5, 1, 151)
    right = [((yes > t).mean() + (no <= t).mean()) / 2 for t in thresholds]
    return float(max(right)), float(thresholds[int(np.argmax(right))])


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
    scenes = cut_all(folder, recipe.seed)
    held = scenes[-max(1, len(scenes) // 10) :]
    scenes = scenes[: -len(held)]
    report(f"{len(scenes)} looks at scenes with several backs")
    model = resumed(StripNet(), checkpoint, resume=resume)
    optimiser = torch.optim.AdamW(model.parameters(), weight_decay=1e-3)
    for step, progress in timed_steps(optimiser, recipe.minutes, recipe.rate, warm_up=50):
        pictures, labels = _batch(scenes, recipe, rng)
        model.train()
        loss = _loss(model(pictures), labels)
        descend(optimiser, model, loss)
        if step % 100 == 0:
            right, threshold = separation(model.eval(), held[:40])
            report(
                f"{step} steps, {progress:.1%}, loss {float(loss):.3f}, pairs right {right:.4f} at {threshold:.2f}"
            )
            torch.save(model.state_dict(), checkpoint)
    torch.save(model.state_dict(), checkpoint)
    return model.eval()
