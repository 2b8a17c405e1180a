"""Trains the detector: an ultralytics YOLOv5n whose pose head finds face indices and back corners, and which way they point."""

from __future__ import annotations

import copy
import math
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from ultralytics.nn.tasks import PoseModel
from ultralytics.utils.loss import v8PoseLoss

from scorer.training.crops import DetectorExample, detector_example, load_scene

ARCHITECTURE: dict[str, Any] = {
    "nc": 2,
    "kpt_shape": [2, 2],
    "scales": {"n": [0.33, 0.25, 1024]},
    "scale": "n",
    "backbone": [
        [-1, 1, "Conv", [64, 6, 2, 2]], [-1, 1, "Conv", [128, 3, 2]], [-1, 3, "C3", [128]],
        [-1, 1, "Conv", [256, 3, 2]], [-1, 6, "C3", [256]], [-1, 1, "Conv", [512, 3, 2]], [-1, 9, "C3", [512]],
        [-1, 1, "Conv", [1024, 3, 2]], [-1, 3, "C3", [1024]], [-1, 1, "SPPF", [1024, 5]],
    ],
    "head": [
        [-1, 1, "Conv", [512, 1, 1]], [-1, 1, "nn.Upsample", [None, 2, "nearest"]], [[-1, 6], 1, "Concat", [1]],
        [-1, 3, "C3", [512, False]], [-1, 1, "Conv", [256, 1, 1]], [-1, 1, "nn.Upsample", [None, 2, "nearest"]],
        [[-1, 4], 1, "Concat", [1]], [-1, 3, "C3", [256, False]], [-1, 1, "Conv", [256, 3, 2]],
        [[-1, 14], 1, "Concat", [1]], [-1, 3, "C3", [512, False]], [-1, 1, "Conv", [512, 3, 2]],
        [[-1, 10], 1, "Concat", [1]], [-1, 3, "C3", [1024, False]], [[17, 20, 23], 1, "Pose", ["nc", "kpt_shape"]],
    ],
}  # fmt: skip
"""YOLOv5n as ultralytics builds it (layers 0-23 fit its COCO checkpoint), with a head of two keypoints."""

POINT_TOLERANCE = 0.07
"""Keypoint tolerance of the pose loss, as a fraction of the box: far tighter than for people's joints (0.5)."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How long and how hard to train."""

    minutes: float = 60.0
    size: int = 384
    batch: int = 24
    rate: float = 1.5e-3
    seed: int = 1
    bfloat16: bool = True


def build() -> Any:
    """The untrained network."""
    model = PoseModel(copy.deepcopy(ARCHITECTURE), ch=3, nc=2, verbose=False)
    model.args = SimpleNamespace(box=7.5, cls=0.5, dfl=1.5, pose=12.0, kobj=1.0)
    return model


def load_start(model: Any, path: Path) -> int:
    """Copy the tensors of a checkpoint that fit by name and shape; returns how many did."""
    raw = torch.load(path, weights_only=True, map_location="cpu")
    state = raw.get("ema", raw)
    own = model.state_dict()
    fit = {k: v.float() for k, v in state.items() if k in own and own[k].shape == v.shape}
    model.load_state_dict(fit, strict=False)
    return len(fit)


def _batch(paths: list[Path], recipe: Recipe, rng: np.random.Generator) -> dict[str, torch.Tensor]:
    examples: list[DetectorExample] = []
    while len(examples) < recipe.batch:
        scene = load_scene(paths[int(rng.integers(len(paths)))])
        # Two windows of one scene share the cost of decoding it.
        examples += [detector_example(scene, recipe.size, rng) for _ in range(2)]
    examples = examples[: recipe.batch]
    counts = [len(e.classes) for e in examples]
    return {
        "img": torch.from_numpy(np.stack([e.picture for e in examples])).permute(0, 3, 1, 2).float() / 255,
        "batch_idx": torch.repeat_interleave(torch.arange(len(examples)), torch.tensor(counts)).float(),
        "cls": torch.from_numpy(np.concatenate([e.classes for e in examples]))[:, None],
        "bboxes": torch.from_numpy(np.concatenate([e.boxes for e in examples])),
        "keypoints": torch.from_numpy(np.concatenate([e.points for e in examples]).astype(np.float32)),
    }


def _batches(folder: Path, recipe: Recipe, seed: int) -> queue.Queue[dict[str, torch.Tensor]]:
    """A queue that one thread keeps filled; scenes rendered meanwhile join in."""
    batches: queue.Queue[dict[str, torch.Tensor]] = queue.Queue(maxsize=6)

    def fill() -> None:
        rng = np.random.default_rng(seed)
        paths: list[Path] = []
        for number in range(1 << 60):
            if number % 200 == 0:
                paths = sorted(folder.glob("*.npz"))
            batches.put(_batch(paths, recipe, rng))

    threading.Thread(target=fill, daemon=True).start()
    return batches


def _criterion(model: Any) -> Any:
    model.kpt_oks_sigmas = [POINT_TOLERANCE, POINT_TOLERANCE]
    return v8PoseLoss(model)


class _Average:
    """Exponential moving average of the weights: what is exported."""

    def __init__(self, model: Any, steps: int = 0) -> None:
        self.model = copy.deepcopy(model).eval()
        self.steps = steps

    def update(self, model: Any) -> None:
        self.steps += 1
        decay = 0.998 * (1 - math.exp(-self.steps / 300))
        with torch.no_grad():
            for mine, new in zip(self.model.state_dict().values(), model.state_dict().values(), strict=True):
                if mine.dtype.is_floating_point:
                    mine.mul_(decay).add_(new, alpha=1 - decay)


def _save(path: Path, model: Any, average: _Average, optimiser: Any, progress: float, steps: int) -> None:
    partial = path.with_suffix(".part")
    half = {k: v.half() if v.dtype.is_floating_point else v for k, v in average.model.state_dict().items()}
    state = {"ema": half, "model": model.state_dict(), "optimiser": optimiser.state_dict()}
    torch.save({**state, "progress": progress, "steps": steps}, partial)
    partial.rename(path)


def train(
    folder: Path,
    checkpoint: Path,
    recipe: Recipe,
    *,
    start: Path | None = None,
    resume: bool = False,
    report: Callable[[str], None] = print,
) -> Any:
    """Train for `recipe.minutes`, saving a checkpoint every few minutes; returns the averaged model.

    Args:
        folder: rendered scenes.
        checkpoint: where to save, and with `resume` where to go on from.
        recipe: time, sizes, rates.
        start: start weights, loaded by name and shape.
        resume: go on from `checkpoint` with its weights and optimiser for another `recipe.minutes`.
        report: receives a line now and then.
    """
    torch.manual_seed(recipe.seed)
    model = build()
    optimiser = torch.optim.AdamW(_groups(model), lr=recipe.rate, betas=(0.9, 0.99))
    steps = 0
    if resume and checkpoint.exists():
        state = torch.load(checkpoint, map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
        optimiser.load_state_dict(state["optimiser"])
        steps = int(state["steps"])
    elif start is not None:
        report(f"{load_start(model, start)} tensors taken from {start.name}")
    model = model.to(memory_format=torch.channels_last)
    average = _Average(model, steps)
    criterion = _criterion(model)
    batches = _batches(folder, recipe, recipe.seed + steps)
    began = saved = time.monotonic()
    losses: list[np.ndarray] = []
    model.train()
    while (progress := (time.monotonic() - began) / 60 / recipe.minutes) < 1:
        for group in optimiser.param_groups:
            group["lr"] = _rate(recipe.rate, progress, time.monotonic() - began)
        losses.append(_step(model, criterion, optimiser, batches.get(), recipe))
        average.update(model)
        steps += 1
        if steps % 50 == 0:
            shown = " ".join(f"{v:.3f}" for v in np.mean(losses[-50:], axis=0))
            rate = len(losses) * recipe.batch / (time.monotonic() - began)
            report(f"{steps} steps, {progress:.1%}, {rate:.1f} images/s, losses {shown}")
        if time.monotonic() - saved > 240:
            saved = time.monotonic()
            _save(checkpoint, model, average, optimiser, progress, steps)
    _save(checkpoint, model, average, optimiser, 1.0, steps)
    return average.model


def _groups(model: Any) -> list[dict[str, Any]]:
    decay = [p for p in model.parameters() if p.requires_grad and p.ndim > 1]
    plain = [p for p in model.parameters() if p.requires_grad and p.ndim <= 1]
    return [{"params": decay, "weight_decay": 5e-4}, {"params": plain, "weight_decay": 0.0}]


def _rate(peak: float, progress: float, seconds: float) -> float:
    warm = min(1.0, seconds / 60)
    return peak * warm * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * progress)))


def _step(
    model: Any, criterion: Any, optimiser: Any, batch: dict[str, torch.Tensor], recipe: Recipe
) -> np.ndarray:
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=recipe.bfloat16):
        predictions = model(batch["img"].contiguous(memory_format=torch.channels_last))
    loss, parts = criterion(_as_float(predictions), batch)
    optimiser.zero_grad()
    loss.sum().backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 10.0)
    optimiser.step()
    return np.array([float(v) for v in parts.values()])


def _as_float(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.float()
    if isinstance(value, dict):
        return {k: _as_float(v) for k, v in value.items()}
    return type(value)(_as_float(v) for v in value) if isinstance(value, (list, tuple)) else value
