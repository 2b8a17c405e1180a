"""Exports trained networks to ONNX under `models/`, each with a manifest."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from scorer.vision.backs import BORDER
from scorer.vision.classifier import CLASSES
from scorer.vision.detector import CLASSES as DETECTOR_CLASSES
from scorer.vision.likeness import CLASSES as PAIR_CLASSES
from scorer.vision.likeness import SMALL
from scorer.vision.lines import CLASSES as LINE_CLASSES
from scorer.vision.lines import FINER, HEIGHT, LENGTH


def export_detector(model: Any, folder: Path, recipe: dict[str, Any]) -> Path:
    """Write `detector.onnx` (any input whose sides are multiples of 32) and its manifest; half precision weights."""
    model = model.float().eval()
    for p in model.parameters():
        p.requires_grad_(False)
    model.fuse(verbose=False)
    head = model.model[-1]
    head.export, head.format, head.dynamic = True, "onnx", True
    axes = {"images": {2: "height", 3: "width"}, "output": {2: "anchors"}}
    return _export(
        model, torch.zeros(1, 3, 640, 480), folder, "detector", DETECTOR_CLASSES, 1280, axes, recipe
    )


def export_classifier(model: Any, folder: Path, recipe: dict[str, Any]) -> Path:
    """Write `classifier.onnx` (any number of 64-pixel crops) and its manifest."""
    axes = {"images": {0: "crops"}, "output": {0: "crops"}}
    return _export(
        model.float().eval(),
        torch.zeros(2, 3, 64, 64),
        folder,
        "classifier",
        CLASSES,
        64,
        axes,
        recipe,
    )


def export_strips(model: Any, folder: Path, recipe: dict[str, Any]) -> Path:
    """Write `strips.onnx` (any number of strips of backs) and its manifest."""
    axes = {"images": {0: "strips"}, "output": {0: "strips"}}
    return _export(
        model.float().eval(),
        torch.zeros(2, 3, *BORDER),
        folder,
        "strips",
        ("embedding",),
        BORDER[0],
        axes,
        recipe,
    )


def export_pairs(model: Any, folder: Path, recipe: dict[str, Any]) -> Path:
    """Write `pairs.onnx` (any number of pairs of strips laid over one another) and its manifest."""
    axes = {"images": {0: "pairs"}, "output": {0: "pairs"}}
    example = torch.zeros(2, 7, *SMALL)
    return _export(model.float().eval(), example, folder, "pairs", PAIR_CLASSES, SMALL[0], axes, recipe)


def export_lines(model: Any, folder: Path, recipe: dict[str, Any]) -> Path:
    """Write `lines.onnx` (any number of rectified lines) and its manifest."""
    axes = {"images": {0: "lines"}, "output": {0: "lines"}}
    example = torch.zeros(2, 3, HEIGHT, LENGTH * FINER)
    return _export(model.float().eval(), example, folder, "lines", LINE_CLASSES, LENGTH, axes, recipe)


def _export(
    model: Any,
    example: torch.Tensor,
    folder: Path,
    name: str,
    classes: tuple[str, ...],
    size: int,
    axes: dict[str, Any],
    recipe: dict[str, Any],
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{name}.onnx"
    model = model.to(memory_format=torch.contiguous_format)
    torch.onnx.export(
        model, (example,), str(target), input_names=["images"], output_names=["output"],
        dynamic_axes=axes, opset_version=17, dynamo=False,
    )  # fmt: skip
    _halve_weights(target)
    digest = hashlib.sha256(target.read_bytes()).hexdigest()
    described = {
        "name": name,
        "file": target.name,
        "sha256": digest,
        "classes": classes,
        "input_size": size,
        "recipe": recipe,
    }
    (folder / f"{name}.json").write_text(json.dumps(described, indent=1) + "\n", "utf-8")
    return target


def _halve_weights(path: Path) -> None:
    """Store large weights in half precision and widen them on loading: half the file, the same arithmetic."""
    graph = onnx.load(str(path))
    casts = []
    for weight in [w for w in graph.graph.initializer if w.data_type == onnx.TensorProto.FLOAT]:
        values = numpy_helper.to_array(weight)
        if values.size >= 256:
            half = numpy_helper.from_array(values.astype(np.float16), f"{weight.name}_half")
            graph.graph.initializer.remove(weight)
            graph.graph.initializer.append(half)
            casts.append(onnx.helper.make_node("Cast", [half.name], [weight.name], to=onnx.TensorProto.FLOAT))
    for cast in reversed(casts):
        graph.graph.node.insert(0, cast)
    onnx.checker.check_model(graph)
    onnx.save(graph, str(path))
