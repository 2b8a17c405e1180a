"""Labelled scenes on disk: deterministic, and read back as they were. Needs no torch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from scorer.training import scenes
from scorer.training.crops import load_scene
from scorer.training.scenes import BACKS_ONLY, labelled_scene, labels, save_scene

pytestmark = pytest.mark.usefixtures("bare_machine", "small")


@pytest.fixture(scope="module")
def small() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scenes, "LONG_SIDE", 480)
        yield


@pytest.mark.parametrize("seed", [0, BACKS_ONLY])
def test_a_scene_is_the_same_from_the_same_seed(seed: int) -> None:
    (scene, photo), (again, other) = labelled_scene(seed), labelled_scene(seed)
    assert photo.picture.tobytes() == other.picture.tobytes()
    assert scene.cards == again.cards


def test_seeds_from_a_million_on_show_ribbons_of_several_backs() -> None:
    scene, photo = labelled_scene(BACKS_ONLY + 1)
    assert len(scene.decks) >= 2 and not photo.indices
    assert not any(card.face_up for card in scene.cards)


def test_a_saved_scene_is_read_back(tmp_path: Path) -> None:
    path = save_scene(tmp_path, 2)
    scene, photo = labelled_scene(2)
    read = load_scene(path)
    assert path.name == "0000002.npz"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["0000002.jpg", "0000002.npz"]
    assert read.picture.shape == photo.picture.shape
    assert np.abs(read.picture.astype(int) - photo.picture).mean() < 12
    for name, wanted in labels(scene, photo).items():
        assert np.array_equal(read.labels[name], wanted), name


def test_labels_say_of_every_card_its_deck_its_pile_and_which_way_up_it_lies(tmp_path: Path) -> None:
    scene, photo = labelled_scene(BACKS_ONLY)
    told = labels(scene, photo)
    assert told["deck"].tolist() == [card.deck for card in scene.cards]
    assert told["face_up"].tolist() == [False] * len(scene.cards)
    for number, pile in enumerate(scene.piles):
        assert np.flatnonzero(told["pile"] == number).tolist() == sorted(pile)
    assert len(told["back"]) == len(told["back_card"]) == len(photo.back_corners)


def test_a_scene_that_is_there_is_not_drawn_again(tmp_path: Path) -> None:
    path = save_scene(tmp_path, 3)
    before = path.stat().st_mtime_ns
    assert save_scene(tmp_path, 3) == path and path.stat().st_mtime_ns == before


def test_a_scene_without_its_picture_is_refused(tmp_path: Path) -> None:
    path = save_scene(tmp_path, 3)
    path.with_suffix(".jpg").unlink()
    with pytest.raises(FileNotFoundError, match=r"0000003\.jpg"):
        load_scene(path)
