"""What the project's own networks are built of."""

from __future__ import annotations

from torch import nn


def convolution(inputs: int, outputs: int, stride: int | tuple[int, int]) -> list[nn.Module]:
    """A 3 x 3 convolution, normalised over the batch, with a SiLU after it."""
    return [nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.SiLU()]
