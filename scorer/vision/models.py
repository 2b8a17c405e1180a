"""Loads the networks under `models/`: by name, with the hash and the class list of their manifest checked."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from scorer.errors import ModelError

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a model's JSON manifest says of it."""

    name: str
    file: str
    sha256: str
    classes: tuple[str, ...]
    input_size: int


def models_folder() -> Path:
    """Where the models lie: the package `models`."""
    return Path(str(files("models")))


def manifest(name: str, folder: Path) -> Manifest:
    """Read a manifest. Raises ModelError where it is missing or says nothing useful."""
    path = folder / f"{name}.json"
    try:
        raw: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return Manifest(
            raw["name"], raw["file"], raw["sha256"], tuple(raw["classes"]), int(raw["input_size"])
        )
    except FileNotFoundError:
        raise ModelError(
            f"The model {name!r} is missing: {path} does not exist; install the package again."
        ) from None
    except (ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"The manifest {path} cannot be read ({error}); install the package again."
        ) from None


def _checked_bytes(described: Manifest, folder: Path) -> bytes:
    path = folder / described.file
    if not path.exists():
        raise ModelError(f"The model file {path} is missing; install the package again.")
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != described.sha256:
        raise ModelError(
            f"The model file {path} is not the one its manifest describes (wrong hash); install the package again."
        )
    return content


class Network:
    """An ONNX network; calling it runs one batch."""

    def __init__(
        self, name: str, classes: tuple[str, ...], folder: Path | None = None, threads: int = 0
    ) -> None:
        """Load a model.

        Args:
            name: of the manifest, without ".json".
            classes: the class list this program is written for.
            folder: where the model lies; the package's own by default.
            threads: processor threads; 0 for all.

        Raises:
            ModelError: missing, altered, made for other classes, or not to be run.
        """
        folder = models_folder() if folder is None else folder
        described = manifest(name, folder)
        if described.classes != classes:
            raise ModelError(
                f"The model {name!r} names other classes than this version reads; install the package again."
            )
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        content = _checked_bytes(described, folder)
        try:
            self._session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime's exceptions have no nearer base in common
            raise ModelError(
                f"The model file {folder / described.file} cannot be run by onnxruntime {onnxruntime.__version__};"
                " install the package again, with the onnxruntime it asks for."
            ) from error
        self._input = self._session.get_inputs()[0].name

    def __call__(self, batch: Floats) -> Floats:
        """Run the network on (n, channels, h, w) float32."""
        return np.asarray(self._session.run(None, {self._input: batch})[0], np.float32)


@cache
def network(name: str, classes: tuple[str, ...]) -> Network:
    """A model of the package, loaded once."""
    return Network(name, classes)
