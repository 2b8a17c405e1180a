"""Steps of a training that lasts a given time: the rate rises at first, then falls to nearly nothing at the end."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

GENTLE = 5.0
"""Largest norm of the gradients of one step."""


def timed_steps(optimiser: Any, minutes: float, rate: float, warm_up: int) -> Iterator[tuple[int, float]]:
    """Count the steps from 1, each with the share of the time that is over, until there is none left; sets the rate for each.

    Warm-up and half a cosine (Loshchilov and Hutter 2017), along time instead of along steps, whose number nobody knows.
    """
    began, step = time.monotonic(), 0
    while (progress := (time.monotonic() - began) / 60 / minutes) < 1:
        step += 1
        optimiser.param_groups[0]["lr"] = (
            rate * min(1.0, step / warm_up) * 0.5 * (1.02 + math.cos(math.pi * progress))
        )
        yield step, progress


def descend(optimiser: Any, model: Any, loss: torch.Tensor) -> None:
    """One step down the gradient."""
    optimiser.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), GENTLE)
    optimiser.step()


def resumed(model: Any, checkpoint: Path, *, resume: bool) -> Any:
    """The model with the weights of a checkpoint, if there is one to go on from."""
    if resume and checkpoint.exists():
        model.load_state_dict(torch.load(checkpoint, map_location="cpu", weights_only=True))
    return model
