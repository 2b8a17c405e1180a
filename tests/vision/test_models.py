"""Networks are loaded by name, and refused in one sentence where they are not what their manifest says."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from scorer.errors import ModelError
from scorer.vision.models import Network, manifest, models_folder

CLASSES = ("A", "B")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model whose manifest is in order, but which is no network."""
    (tmp_path / "toy.onnx").write_bytes(b"weights")
    write(tmp_path)
    return tmp_path


def write(folder: Path, **changes: Any) -> None:
    described = {
        "name": "toy",
        "file": "toy.onnx",
        "sha256": hashlib.sha256(b"weights").hexdigest(),
        "classes": CLASSES,
        "input_size": 64,
    }
    kept = {key: value for key, value in (described | changes).items() if value is not None}
    (folder / "toy.json").write_text(json.dumps(kept))


def refusal(folder: Path, name: str = "toy", classes: tuple[str, ...] = CLASSES) -> str:
    with pytest.raises(ModelError) as caught:
        Network(name, classes, folder)
    return str(caught.value)


def test_a_manifest_says_what_a_model_is(folder: Path) -> None:
    described = manifest("toy", folder)
    assert (described.name, described.file, described.classes, described.input_size) == (
        "toy", "toy.onnx", CLASSES, 64
    )  # fmt: skip


def test_a_missing_model_is_named(folder: Path) -> None:
    said = refusal(folder, "nothing")
    assert said.startswith("The model 'nothing' is missing: ") and said.endswith("install the package again.")


@pytest.mark.parametrize("field", ["name", "file", "sha256", "classes", "input_size"])
def test_a_manifest_that_lacks_something_is_refused(folder: Path, field: str) -> None:
    write(folder, **{field: None})
    assert f"toy.json cannot be read ('{field}'); install" in refusal(folder)


@pytest.mark.parametrize("content", ["", "{", "[]", "3", '{"name": "toy"'])
def test_a_damaged_manifest_is_refused(folder: Path, content: str) -> None:
    (folder / "toy.json").write_text(content)
    said = refusal(folder)
    assert "toy.json cannot be read (" in said and said.count("\n") == 0


def test_weights_that_are_missing_are_named(folder: Path) -> None:
    (folder / "toy.onnx").unlink()
    assert refusal(folder) == f"The model file {folder / 'toy.onnx'} is missing; install the package again."


def test_weights_that_were_altered_are_not_run(folder: Path) -> None:
    (folder / "toy.onnx").write_bytes(b"Weights")
    assert "is not the one its manifest describes (wrong hash); install the package again." in refusal(folder)


@pytest.mark.parametrize("classes", [("B", "A"), ("A",), ("A", "B", "C")])
def test_a_model_for_other_classes_is_refused_before_its_weights_are_looked_at(
    folder: Path, classes: tuple[str, ...]
) -> None:
    (folder / "toy.onnx").unlink()
    assert "names other classes than this version reads" in refusal(folder, classes=classes)


def test_weights_that_are_no_network_are_refused(folder: Path) -> None:
    assert f"The model file {folder / 'toy.onnx'} cannot be run by onnxruntime" in refusal(folder)


def test_the_packages_models_lie_in_the_package() -> None:
    assert models_folder().name == "models" and models_folder().is_dir()
