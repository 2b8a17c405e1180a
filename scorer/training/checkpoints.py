"""Weights kept beside the exported models, in half precision, from which a later training goes on anywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch


def keep(model: Any, models: Path, part: str) -> Path:
    """Save a model's weights as `checkpoints/PART.pt` in the folder of models."""
    target = models / "checkpoints" / f"{part}.pt"
    target.parent.mkdir(parents=True, exist_ok=True)
    half = {k: v.half() if v.dtype.is_floating_point else v for k, v in model.state_dict().items()}
    torch.save(half, target)
    return target


def restore(models: Path, part: str, checkpoint: Path) -> None:
    """Put kept weights where a training looks for its checkpoint, unless one is there."""
    kept = models / "checkpoints" / f"{part}.pt"
    if checkpoint.exists() or not kept.exists():
        return
    state = torch.load(kept, map_location="cpu", weights_only=True)
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    torch.save({k: v.float() if v.dtype.is_floating_point else v for k, v in state.items()}, checkpoint)
