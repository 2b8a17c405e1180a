"""Decks known by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scorer.cards import Card
from scorer.errors import PhotoError, ScorerError, StoreError
from scorer.reading import PhotoReading, SeenCard
from scorer.vision.deckbook import DeckBook, forget, learn
from scorer.vision.photo import Photo

PHOTO = Photo("back.jpg", np.full((400, 800, 3), 90, np.uint8))


def back(name: str, x: float = 80, face: str | None = None) -> SeenCard:
    quad = ((x, 40.0), (x + 80, 40.0), (x + 80, 160.0), (x, 160.0))
    if face is not None:
        return SeenCard(Card.parse(face), quad=quad)
    return SeenCard(None, name, quad=quad)


def seen(*cards: SeenCard) -> PhotoReading:
    return PhotoReading("back.jpg", 800, 400, 0.1, cards)


def test_what_was_learned_is_known_again(tmp_path: Path) -> None:
    assert learn(tmp_path, "red", PHOTO, seen(back("deck-1"), back("deck-1", 200))) == 2
    book = DeckBook.load(tmp_path)
    assert book.names == ("red",)
    first = book.decks["red"][0]
    assert first.photo.exists()
    assert first.outline == ((0.1, 0.1), (0.2, 0.1), (0.2, 0.4), (0.1, 0.4))


def test_second_photo_of_a_deck_adds_to_it(tmp_path: Path) -> None:
    learn(tmp_path, "red", PHOTO, seen(back("deck-1")))
    learn(tmp_path, "red", PHOTO, seen(back("deck-1")))
    assert len({known.photo for known in DeckBook.load(tmp_path).decks["red"]}) == 2


def test_faces_in_the_photo_do_not_matter(tmp_path: Path) -> None:
    assert learn(tmp_path, "red", PHOTO, seen(back("deck-1"), back("", face="10H"))) == 1


def test_large_photos_are_reduced(tmp_path: Path) -> None:
    photo = Photo("big.jpg", np.zeros((3000, 4000, 3), np.uint8))
    learn(tmp_path, "red", photo, seen(back("deck-1")))
    assert (tmp_path / "red" / "1.jpg").stat().st_size < 100_000


@pytest.mark.parametrize("name", ["Ann & Bob", "a/b", "..", ".", "Zoë", "x%2Fy", "deck 1"])
def test_any_name_stays_inside_the_folder_and_comes_back(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "decks"
    learn(folder, name, PHOTO, seen(back("deck-1")))
    assert DeckBook.load(folder).names == (name,)
    assert [path.name for path in tmp_path.iterdir()] == ["decks"]
    forget(folder, name)
    assert DeckBook.load(folder).names == ()


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "x" * 41, "deck-3"])
def test_names_that_cannot_be_used_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(StoreError):
        learn(tmp_path, name, PHOTO, seen(back("deck-1")))


@pytest.mark.parametrize(
    ("reading", "said"),
    [
        (seen(), "No card back was found in back.jpg"),
        (seen(back("", face="AS")), "No card back was found in back.jpg"),
        (seen(back("deck-1"), back("deck-2")), "shows 2 different backs"),
    ],
)
def test_photos_that_do_not_show_one_deck_are_refused(
    tmp_path: Path, reading: PhotoReading, said: str
) -> None:
    with pytest.raises(PhotoError, match=said):
        learn(tmp_path, "red", PHOTO, reading)
    assert DeckBook.load(tmp_path).names == ()


def test_one_stray_group_among_many_backs_does_not_hinder(tmp_path: Path) -> None:
    cards = [back("deck-1", 10 * n) for n in range(9)]
    assert learn(tmp_path, "red", PHOTO, seen(*cards, back("deck-2"))) == 9


def test_only_some_decks(tmp_path: Path) -> None:
    for name in ("red", "blue"):
        learn(tmp_path, name, PHOTO, seen(back("deck-1")))
    assert DeckBook.load(tmp_path).only(["red", "green"]).names == ("red",)


def test_missing_folder_holds_no_decks(tmp_path: Path) -> None:
    assert DeckBook.load(tmp_path / "none").names == ()


def test_forgetting_an_unknown_deck_names_the_known_ones(tmp_path: Path) -> None:
    learn(tmp_path, "red", PHOTO, seen(back("deck-1")))
    with pytest.raises(ScorerError, match="known are red"):
        forget(tmp_path, "blue")


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"version": 1, "outlines": [[1]]}', '{"version": 9, "outlines": []}']
)
def test_damaged_deck_is_told_in_one_sentence(tmp_path: Path, text: str) -> None:
    learn(tmp_path, "red", PHOTO, seen(back("deck-1")))
    (tmp_path / "red" / "1.json").write_text(text)
    with pytest.raises(StoreError, match="is damaged"):
        DeckBook.load(tmp_path)
