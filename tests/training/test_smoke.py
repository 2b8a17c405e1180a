"""One step of each training, from rendered scenes to a network the reader runs. Only where torch is installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from scorer.training import scenes
from scorer.training.crops import load_scene
from scorer.training.scenes import BACKS_ONLY, save_scene
from scorer.vision.backs import BORDER, EMBEDDING, STRIP
from scorer.vision.backs import CLASSES as STRIP_CLASSES
from scorer.vision.classifier import CLASSES, CROP
from scorer.vision.detector import CLASSES as DETECTOR_CLASSES
from scorer.vision.detector import decode, detect
from scorer.vision.likeness import CLASSES as PAIR_CLASSES
from scorer.vision.likeness import likeness
from scorer.vision.lines import CLASSES as LINE_CLASSES
from scorer.vision.lines import FINER, HEIGHT, LENGTH
from scorer.vision.models import Network

pytest.importorskip("torch", reason="torch is not installed: it comes with the extra [train]")
pytest.importorskip("ultralytics", reason="ultralytics is not installed: it comes with the extra [train]")

# Torch and ultralytics warn of their own old habits.
pytestmark = [pytest.mark.usefixtures("bare_machine"), pytest.mark.filterwarnings("ignore")]

MOMENT = 2e-3
"""Minutes: time for a step or two."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, bare_machine: None) -> Iterator[Path]:
    """Eight small scenes."""
    work = tmp_path_factory.mktemp("work")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scenes, "LONG_SIDE", 480)
        (work / "scenes").mkdir()
        for seed in (0, 1, 2, 3, *range(BACKS_ONLY, BACKS_ONLY + 4)):
            save_scene(work / "scenes", seed)
        yield work


def test_the_detector_learns_is_exported_and_runs(folder: Path, tmp_path: Path) -> None:
    from scorer.training import detector
    from scorer.training.export import export_detector

    recipe = detector.Recipe(minutes=MOMENT, size=96, batch=2)
    model = detector.train(folder / "scenes", tmp_path / "detector.pt", recipe, report=lambda _: None)
    export_detector(model, tmp_path, {"minutes": MOMENT})
    network = Network("detector", DETECTOR_CLASSES, tmp_path)
    for height, width in ((64, 96), (160, 32)):
        answer = network(np.zeros((1, 3, height, width), np.float32))
        assert answer.shape == (1, 10, height * width // 64 + height * width // 256 + height * width // 1024)
        assert len(decode(answer, 0.0)) == answer.shape[2]
    assert len(detect(np.zeros((70, 90, 3), np.uint8), network, (96,), 0.99)) == 0


def test_the_detector_goes_on_from_its_checkpoint(folder: Path, tmp_path: Path) -> None:
    import torch

    from scorer.training import detector

    recipe = detector.Recipe(minutes=MOMENT, size=96, batch=2)
    checkpoint = tmp_path / "detector.pt"
    steps = [0]
    for _ in range(2):
        detector.train(folder / "scenes", checkpoint, recipe, resume=True, report=lambda _: None)
        steps.append(torch.load(checkpoint, weights_only=True)["steps"])
    assert steps[0] < steps[1] < steps[2]
    lines: list[str] = []
    detector.train(folder / "scenes", tmp_path / "other.pt", recipe, start=checkpoint, report=lines.append)
    assert lines[0].endswith("tensors taken from detector.pt") and int(lines[0].split()[0]) > 100


def test_the_classifier_learns_is_exported_and_runs(folder: Path, tmp_path: Path) -> None:
    from scorer.training import classifier
    from scorer.training.export import export_classifier

    recipe = classifier.Recipe(minutes=MOMENT, batch=16, pool=120)
    model = classifier.train(folder / "scenes", tmp_path / "classifier.pt", recipe, report=lambda _: None)
    export_classifier(model, tmp_path, {"minutes": MOMENT})
    network = Network("classifier", CLASSES, tmp_path)
    assert network(np.zeros((3, 3, CROP, CROP), np.float32)).shape == (3, len(CLASSES))
    assert (tmp_path / "classifier.pt").exists()


def test_a_plan_trains_the_strips_and_exports_them(folder: Path, tmp_path: Path) -> None:
    from scorer.training.run import Plan, run

    lines: list[str] = []
    path = run(Plan("strips", folder, tmp_path, minutes=MOMENT), lines.append)
    assert path == tmp_path / "strips.onnx"
    assert "scenes with several backs" in lines[0]
    strips = np.random.default_rng(1).random((5, 3, *BORDER), np.float32)
    embedded = Network("strips", STRIP_CLASSES, tmp_path)(strips)
    assert embedded.shape == (5, EMBEDDING)
    assert np.linalg.norm(embedded, axis=1) == pytest.approx([1] * 5, abs=1e-3)


def test_a_plan_trains_the_pairs_and_exports_them(folder: Path, tmp_path: Path) -> None:
    from scorer.training.run import Plan, run

    lines: list[str] = []
    path = run(Plan("pairs", folder, tmp_path, minutes=MOMENT), lines.append)
    assert path == tmp_path / "pairs.onnx" and "scenes with several backs" in lines[-1]
    strips = np.random.default_rng(1).integers(0, 256, (4, *STRIP, 4)).astype(np.uint8)
    odds = likeness(strips, Network("pairs", PAIR_CLASSES, tmp_path)).odds
    assert odds.shape == (4, 4) and np.isfinite(odds).all()


def test_lines_are_learned_from_scenes_and_from_rounds_alike(folder: Path, tmp_path: Path) -> None:
    import shutil

    from scorer.training import lines
    from scorer.training.rounds import ROUNDS

    for kind, seed in ((tmp_path, BACKS_ONLY), (tmp_path / ROUNDS, BACKS_ONLY + 1)):
        kind.mkdir(exist_ok=True)
        for file in (folder / "scenes").glob(f"{seed}.*"):
            shutil.copy(file, kind)
    opened: list[Path] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "load_scene", lambda path: (opened.append(path), load_scene(path))[1])
        lines.train(
            tmp_path, tmp_path / "lines.pt", lines.Recipe(minutes=MOMENT, batch=2), report=lambda _: None
        )
    parents = [path.parent for path in opened]
    assert 0.4 < parents.count(tmp_path / ROUNDS) / len(parents) < 0.8


def test_what_is_exported_computes_what_was_trained(tmp_path: Path) -> None:
    import torch

    from scorer.training.classifier import CornerNet
    from scorer.training.export import export_classifier

    torch.manual_seed(1)
    model = CornerNet().eval()
    crops = np.random.default_rng(1).random((4, 3, CROP, CROP), np.float32)
    with torch.no_grad():
        wanted = model(torch.from_numpy(crops)).numpy()
    export_classifier(model, tmp_path, {})
    got = Network("classifier", CLASSES, tmp_path)(crops)
    assert np.abs(got - wanted).max() < 0.02


def test_the_line_reader_trains_and_exports(folder: Path, tmp_path: Path) -> None:
    from scorer.training.run import Plan, run

    told: list[str] = []
    path = run(Plan("lines", folder, tmp_path, minutes=MOMENT), told.append)
    answers = Network("lines", LINE_CLASSES, tmp_path)(np.zeros((2, 3, HEIGHT, LENGTH * FINER), np.float32))
    assert path.name == "lines.onnx" and answers.shape == (2, len(LINE_CLASSES), LENGTH)
    # What was learned is kept, and a later training goes on from it.
    assert (tmp_path / "checkpoints" / "lines.pt").exists()
    run(Plan("lines", folder, tmp_path, minutes=MOMENT, resume=True), told.append)
