"""Learning a deck from a photo of its backs; the networks are stood in for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from scorer.errors import PhotoError
from scorer.vision import Seen, teaching
from scorer.vision.backs import EMBEDDING, BackPhoto
from scorer.vision.decks import EMPTY, DeckBook
from scorer.vision.faces import FaceReading
from scorer.vision.looking import Compared


def strips(*decks: int) -> NDArray[np.float32]:
    """Strips of decks whose backs have nothing in common, each strip a little different."""
    rng = np.random.default_rng(1)
    rows = np.eye(EMBEDDING)[list(decks)] + rng.normal(0, 0.02, (len(decks), EMBEDDING))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


class ByEmbedding:
    """Stands in for comparing strips: they are their own embeddings, and near ones are of one deck."""

    @staticmethod
    def of(strips: NDArray[np.float32]) -> Compared:
        return Compared(10.0 * (strips @ strips.T - 0.62).astype(np.float64), strips, np.eye(len(strips)))


def taught(
    monkeypatch: pytest.MonkeyPatch, folder: Path, *ribbons: NDArray[np.float32], book: DeckBook = EMPTY
) -> DeckBook:
    Image.new("RGB", (40, 30)).save(folder / "back.jpg")
    faces = FaceReading((), (), ())
    monkeypatch.setattr(teaching, "look", lambda photo: Seen(photo, faces, BackPhoto((), ribbons), 0.0))
    monkeypatch.setattr(teaching, "Compared", ByEmbedding)
    return teaching.teach(book, "red", folder / "back.jpg")


def test_taught_deck_is_recognised(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    book = taught(monkeypatch, tmp_path, strips(3, 3, 3), strips(3))
    assert book.assign(strips(5, 3), 0.6) == {1: "red"}


def test_other_decks_stay_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    blue = EMPTY.taught("blue", strips(7))
    book = taught(monkeypatch, tmp_path, strips(3), book=blue)
    assert book.assign(strips(7, 3), 0.6) == {0: "blue", 1: "red"}


def test_one_stray_among_many_does_not_hinder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    book = taught(monkeypatch, tmp_path, strips(3, 3, 3, 3, 3, 9))
    assert book.assign(strips(9), 0.6) == {}


def test_photo_without_backs_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(PhotoError, match=r"No card back was found in .*back\.jpg"):
        taught(monkeypatch, tmp_path)


def test_photo_of_two_decks_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(PhotoError, match="shows 2 different backs: photograph one deck alone"):
        taught(monkeypatch, tmp_path, strips(3, 3), strips(4))


def test_what_is_no_photo_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PhotoError, match="does not exist"):
        teaching.teach(EMPTY, "red", tmp_path / "no.jpg")


def test_cards_named_before_teach_their_decks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    photo = np.zeros((100, 200, 3), np.uint8)
    photo[:, :100, 0] = photo[:, 100:, 2] = 250
    Image.fromarray(photo).save(tmp_path / "round.png")
    mean_colour = lambda *_: lambda batch: batch.mean(axis=(2, 3))  # noqa: E731
    monkeypatch.setattr(teaching, "network", mean_colour)
    left, right = (((x, 0.9), (x, 0.1), (x + 0.2, 0.1), (x + 0.2, 0.9)) for x in (0.1, 0.6))
    known = {"Ann": [(tmp_path / "round.png", left)], "Ben": [(tmp_path / "round.png", right)], "Cleo": []}
    book = teaching.taught_by_outlines(known)
    assert {name: [round(v) for v in look] for name, look in book.decks.items()} == {
        "Ann": [1, 0, 0],
        "Ben": [0, 0, 1],
    }
