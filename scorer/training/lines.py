"""Trains the line reader: where along a rectified ribbon of backs each card begins."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import nn

from scorer.training.averaging import follow
from scorer.training.crops import LabelledScene, exposed_edge, load_scene, recoloured
from scorer.training.layers import convolution
from scorer.training.rounds import ROUNDS
from scorer.training.steps import descend, resumed, timed_steps
from scorer.vision.lines import CARD, CARDS, EDGE, END, FINER, FIRST, HEIGHT, LENGTH, Line, cut_line

Generator = np.random.Generator


@dataclass(frozen=True, slots=True)
class Recipe:
    """How long and how hard to train."""

    minutes: float = 15.0
    batch: int = 16
    rate: float = 2e-3
    seed: int = 1
    pool: int = 5000
    fresh: int = 120
    """Lines newly cut at each refill."""


OF_ROUNDS = 0.6
"""Share of the photos that are of whole rounds, where there are any."""
BACKWARDS = 0.1
"""Share of lines that run from the top card to the lowest."""


class LineNet(nn.Module):  # type: ignore[misc]
    """(n, 3, 64, 2 length) in 0..1 -> (n, 4, length): logits of `scorer.vision.lines.CLASSES`."""

    def __init__(self) -> None:
        super().__init__()

        def along(dilation: int) -> list[nn.Module]:
            return [nn.Conv1d(96, 96, 3, 1, dilation, dilation, bias=False), nn.BatchNorm1d(96), nn.SiLU()]

        fine = [nn.Conv2d(3, 24, (3, 6), (2, FINER), (1, 2), bias=False), nn.BatchNorm2d(24), nn.SiLU()]
        self.body = nn.Sequential(
            *fine, *convolution(24, 32, (2, 1)), *convolution(32, 48, (2, 1)), *convolution(48, 48, (2, 1))
        )
        self.line = nn.Sequential(
            nn.Conv1d(48 * 6, 96, 1, bias=False), nn.BatchNorm1d(96), nn.SiLU(),
            *along(1), *along(2), *along(4), *along(8), *along(16), *along(1), nn.Conv1d(96, 4, 1),
        )  # fmt: skip

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Logits along the line: every row of the map, its mean and its maximum over the height are looked at."""
        maps = self.body(x - 0.5)
        rows = maps.flatten(1, 2)
        return torch.as_tensor(self.line(torch.cat([rows, maps.mean(2), maps.amax(2)], 1)))


@dataclass(frozen=True, slots=True)
class _Edges:
    """Edges of the face-down cards of a scene: exposed ones, and the far edges of top cards."""

    middles: np.ndarray
    axes: np.ndarray
    channels: np.ndarray
    """EDGE or END."""
    is_first: np.ndarray


@dataclass(frozen=True, slots=True)
class _Ribbon:
    first: np.ndarray
    last: np.ndarray
    height: float


def _exposed(quads: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """The exposed edge of each card of a pile, from the lowest up; a single card shows either of its long edges."""
    if len(quads) == 1:
        return [(quads[0][3], quads[0][0])]
    edges = [exposed_edge(low, high) for low, high in pairwise(quads)]
    return [*edges, exposed_edge(quads[-1], 2 * quads[-1] - quads[-2])]


def _ribbons(scene: LabelledScene) -> tuple[_Edges, list[_Ribbon]]:
    quads, piles = scene.labels["quads"].astype(np.float64), scene.labels["pile"].astype(int)
    shown, face_up = scene.labels["shown"].astype(float), scene.labels["face_up"].astype(bool)
    middles, axes, channels, firsts, ribbons = [], [], [], [], []
    for pile in np.unique(piles[piles >= 0]):
        cards = np.flatnonzero(piles == pile)
        if face_up[cards].any():
            continue
        edges = _exposed(quads[cards])
        exposed = np.array([(a + b) / 2 for a, b in edges])
        far = 2 * quads[cards[-1]].mean(axis=0) - exposed[-1]
        axis = (far - exposed[0]) / np.linalg.norm(far - exposed[0])
        seen = shown[cards] > 0.03
        middles += [*exposed[seen], far]
        axes += [axis] * (int(seen.sum()) + 1)
        channels += [EDGE] * int(seen.sum()) + [END]
        firsts += [n == 0 for n in range(int(seen.sum()))] + [False]
        ribbons.append(_Ribbon(exposed[0], far, float(np.median([np.linalg.norm(b - a) for a, b in edges]))))
    scene_edges = _Edges(
        np.array(middles).reshape(-1, 2),
        np.array(axes).reshape(-1, 2),
        np.array(channels, int),
        np.array(firsts, bool),
    )
    return scene_edges, ribbons


def _line(ribbon: _Ribbon, rng: Generator) -> Line:
    """A line as imprecise as one edge's two corners give it; some run the wrong way, where there are no edges to be found."""
    axis = ribbon.last - ribbon.first
    turn = np.arctan2(axis[1], axis[0]) + rng.normal(0, 0.05) + np.pi * (rng.random() < BACKWARDS)
    axis = np.array([np.cos(turn), np.sin(turn)])
    height = ribbon.height * np.exp(rng.normal(0, 0.05))
    across = np.array([-axis[1], axis[0]])
    anchor = (
        ribbon.first + (ribbon.last - ribbon.first) * rng.random() + across * rng.normal(0, 0.06) * height
    )
    reach = max(float((anchor - ribbon.first) @ axis), float((anchor - ribbon.last) @ axis))
    return Line(anchor - axis * (reach + rng.uniform(0.2, 4.5) * height / 1.4), axis, height)


def line_examples(scene: LabelledScene, rng: Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Lines of a scene as (picture (64, LENGTH * FINER, 3), targets (4, LENGTH))."""
    edges, ribbons = _ribbons(scene)
    backs = np.zeros(scene.picture.shape[:2], np.uint8)
    for quad, up in zip(scene.labels["quads"], scene.labels["face_up"], strict=True):
        cv2.fillConvexPoly(backs, np.round(quad).astype(np.int32), 0 if up else 255)
    examples = []
    for ribbon in ribbons:
        line = _line(ribbon, rng)
        picture = recoloured(cut_line(scene.picture, line), rng)
        if rng.random() < 0.4:
            picture = _coarse(picture, rng)
        target = _targets(edges, line, cut_line(backs, line, cv2.INTER_NEAREST)[:, ::FINER])
        examples.append((picture[::-1].copy() if rng.random() < 0.5 else picture, target))
    return examples


def _coarse(picture: np.ndarray, rng: Generator) -> np.ndarray:
    """The same line from a smaller photo."""
    height, width = picture.shape[:2]
    size = (round(width * rng.uniform(0.25, 0.8)), round(height * rng.uniform(0.35, 0.9)))
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR), np.uint8)


def _targets(edges: _Edges, line: Line, backs: np.ndarray) -> np.ndarray:
    target = np.zeros((4, LENGTH), np.float32)
    target[CARDS] = backs[HEIGHT // 2 - 8 : HEIGHT // 2 + 8].mean(axis=0) > 127
    if len(edges.middles):
        places = line.to_line(edges.middles)
        near = (np.abs(places[:, 1] - HEIGHT / 2) < 0.36 * CARD) & (edges.axes @ line.axis > 0.8)
        for column, channel in zip(places[near, 0], edges.channels[near], strict=True):
            _mark(target[channel], column)
        for column in places[near & edges.is_first, 0]:
            _mark(target[FIRST], column)
    return target


def _mark(row: np.ndarray, column: float) -> None:
    bump = np.exp(-(((np.arange(LENGTH) - column) / 1.3) ** 2) / 2)
    np.maximum(row, bump, out=row)


class _Pool:
    def __init__(self, folder: Path, recipe: Recipe) -> None:
        kinds = [sorted(folder.glob("*.npz")), sorted((folder / ROUNDS).glob("*.npz"))]
        self.scenes, self.rounds = kinds if kinds[1] else (kinds[0], kinds[0])
        self.rng = np.random.default_rng(recipe.seed)
        self.most = recipe.pool
        self.examples: list[tuple[np.ndarray, np.ndarray]] = []

    def refill(self, count: int) -> None:
        """Cut at least `count` new lines, dropping the oldest where the pool is full."""
        goal = count
        while goal > 0:
            paths = self.rounds if self.rng.random() < OF_ROUNDS else self.scenes
            path = paths[int(self.rng.integers(len(paths)))]
            with np.load(path) as packed:
                if packed["face_up"].all() or (packed["pile"] < 0).all():
                    continue
            scene = load_scene(path)
            fresh = line_examples(scene, self.rng) + line_examples(scene, self.rng)
            self.examples += fresh
            goal -= max(1, len(fresh))
        self.examples = self.examples[-self.most :]

    def batch(self, count: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Random lines (n, 3, 64, LENGTH * FINER) in 0..1 and targets (n, 4, LENGTH)."""
        pick = [self.examples[int(i)] for i in self.rng.integers(len(self.examples), size=count)]
        pictures = torch.from_numpy(np.stack([p for p, _ in pick])).permute(0, 3, 1, 2).float() / 255
        return pictures, torch.from_numpy(np.stack([t for _, t in pick]))


_WEIGHTS = torch.tensor([6.0, 12.0, 1.0, 12.0])[None, :, None]
_AT_GAPS = 4.0
"""Weight of the columns around the ends of ribbons, where it is hardest to say whether there are cards."""


def _loss(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    weight = 1 + (_WEIGHTS - 1) * targets
    cards = targets[:, CARDS : CARDS + 1]
    around = nn.functional.max_pool1d(cards, 25, 1, 12) + nn.functional.max_pool1d(-cards, 25, 1, 12)
    weight[:, CARDS : CARDS + 1] += (_AT_GAPS - 1) * around
    return (nn.functional.binary_cross_entropy_with_logits(logits, targets, reduction="none") * weight).mean()


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
    model = resumed(LineNet(), checkpoint, resume=resume).to(memory_format=torch.channels_last)
    average = copy.deepcopy(model)
    optimiser = torch.optim.AdamW(model.parameters(), weight_decay=1e-3)
    pool = _Pool(folder, recipe)
    pool.refill(600)
    for step, progress in timed_steps(optimiser, recipe.minutes, recipe.rate, warm_up=50):
        if step % 20 == 1:
            pool.refill(recipe.fresh)
        pictures, targets = pool.batch(recipe.batch)
        model.train()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(pictures.contiguous(memory_format=torch.channels_last))
        loss = _loss(logits.float(), targets)
        descend(optimiser, model, loss)
        follow(average, model, step)
        if step % 50 == 0:
            report(f"{step} steps, {progress:.1%}, loss {loss.item():.4f}, {len(pool.examples)} lines")
            torch.save(average.state_dict(), checkpoint)
    torch.save(average.state_dict(), checkpoint)
    return average.eval()
