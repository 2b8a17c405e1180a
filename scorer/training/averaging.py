"""The average of a network's weights over its last steps, which is what gets exported."""

from __future__ import annotations

from typing import Any

import torch


def follow(average: Any, model: Any, steps: int) -> None:
    """Exponential moving average of the weights, short at first so that the first steps are forgotten."""
    decay = min(0.995, (1 + steps) / (20 + steps))
    with torch.no_grad():
        for mine, new in zip(average.state_dict().values(), model.state_dict().values(), strict=True):
            mine.copy_(mine * decay + new * (1 - decay) if mine.dtype.is_floating_point else new)
