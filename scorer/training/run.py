"""What `nerts train` does: render scenes, train one network for a while, export it with its manifest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from scorer.training import classifier, detector, lines, pairs, strips
from scorer.training.checkpoints import keep, restore
from scorer.training.export import (
    export_classifier,
    export_detector,
    export_lines,
    export_pairs,
    export_strips,
)
from scorer.training.rounds import ROUNDS, save_rounds
from scorer.training.scenes import BACKS_ONLY, render_scenes

PARTS = ("scenes", "detector", "classifier", "strips", "pairs", "lines")
Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """One training run."""

    part: str
    work: Path
    """Folder of rendered scenes and checkpoints; kept between sessions it makes training resumable."""
    models: Path
    """Folder the exported network goes to."""
    minutes: float = 60.0
    scenes: int = 3000
    back_scenes: int = 500
    rounds: int = 100
    start: Path | None = None
    """Start weights of the detector: any checkpoint of tensors that fit YOLOv5n by name and shape."""
    resume: bool = False
    seed: int = 1


def run(plan: Plan, report: Report = print) -> Path:
    """Carry out a plan; returns the folder of scenes or the exported model."""
    folder = plan.work / "scenes"
    if plan.part == "scenes":
        return _render(plan, folder, report)
    if not any(folder.glob("*.npz")):
        _render(plan, folder, report)
    return (_detector if plan.part == "detector" else _small)(plan, folder, report)


def _render(plan: Plan, folder: Path, report: Report) -> Path:
    for first, count in ((0, plan.scenes), (BACKS_ONLY, plan.back_scenes)):
        for done in render_scenes(folder, range(first, first + count)):
            report(f"{done} of {count} scenes rendered")
    for done in save_rounds(folder / ROUNDS, range(plan.rounds)):
        report(f"{done} of {plan.rounds} rounds rendered and read")
    return folder


def _recipe(plan: Plan, recipe: Any) -> dict[str, Any]:
    said = {k: v for k, v in asdict(recipe).items()}
    start = plan.start.name if plan.start else None
    return {**said, "start": start, "resumed": plan.resume, "command": f"nerts train {plan.part}"}


def _detector(plan: Plan, folder: Path, report: Report) -> Path:
    recipe = detector.Recipe(minutes=plan.minutes, seed=plan.seed)
    checkpoint, kept = plan.work / "detector.pt", plan.models / "checkpoints" / "detector.pt"
    # The optimiser's state is kept in the work folder only; elsewhere a training goes on from the weights.
    start = plan.start or (kept if plan.resume and kept.exists() else None)
    model = detector.train(folder, checkpoint, recipe, start=start, resume=plan.resume, report=report)
    keep(model, plan.models, "detector")
    return export_detector(model, plan.models, _recipe(plan, recipe))


def _small(plan: Plan, folder: Path, report: Report) -> Path:
    """Train one of the networks that are resumed from their weights alone."""
    module, export = {
        "classifier": (classifier, export_classifier),
        "strips": (strips, export_strips),
        "pairs": (pairs, export_pairs),
        "lines": (lines, export_lines),
    }[plan.part]
    recipe = module.Recipe(minutes=plan.minutes, seed=plan.seed)
    checkpoint = plan.work / f"{plan.part}.pt"
    if plan.resume:
        restore(plan.models, plan.part, checkpoint)
    model = module.train(folder, checkpoint, recipe, resume=plan.resume, report=report)
    keep(model, plan.models, plan.part)
    return export(model, plan.models, _recipe(plan, recipe))
