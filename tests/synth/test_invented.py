"""Invented decks and the marks of printed indices, on a machine without any card art."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scorer.cards import DECK
from scorer.synth import art
from scorer.synth.art import (
    SOURCES,
    ArtError,
    DeckArt,
    IndexMark,
    deck_art,
    installed_sources,
    rounded,
    turned,
)
from scorer.synth.invented import draw_face, invent_style, invented_deck

pytestmark = pytest.mark.usefixtures("bare_machine")

TWO_INDICES, FOUR_INDICES, FOREIGN = 10, 130, 5


def ink(image: np.ndarray, mark: IndexMark) -> float:
    """How far the darkest print within a mark's outline is from the paper."""
    height, width = image.shape[:2]
    points = np.array(mark.outline) * [width, height]
    (x0, y0), (x1, y1) = np.floor(points.min(axis=0)).astype(int), np.ceil(points.max(axis=0)).astype(int)
    part = image[y0:y1, x0:x1, :3].astype(int)
    return float(np.abs(part - image[height // 2, 8, :3].astype(int)).max())


@pytest.mark.parametrize("seed", [TWO_INDICES, FOUR_INDICES, FOREIGN])
def test_a_deck_has_every_card_and_two_jokers(seed: int) -> None:
    deck = invented_deck(seed)
    assert set(deck.faces) == {str(card) for card in DECK}
    assert len(deck.jokers) == 2


def test_a_deck_is_the_same_from_the_same_seed() -> None:
    first = invented_deck(TWO_INDICES)
    invented_deck.cache_clear()
    second = invented_deck(TWO_INDICES)
    assert first is not second
    assert all(first.faces[f].image.tobytes() == second.faces[f].image.tobytes() for f in first.faces)
    assert [j.image.tobytes() for j in first.jokers] == [j.image.tobytes() for j in second.jokers]


@pytest.mark.parametrize(("seed", "indices"), [(TWO_INDICES, 2), (FOUR_INDICES, 4)])
def test_every_mark_lies_on_print_inside_the_card(seed: int, indices: int) -> None:
    deck = invented_deck(seed)
    for side in (*deck.faces.values(), *deck.jokers):
        assert len(side.marks) == indices
        for mark in side.marks:
            assert ((np.array(mark.outline) >= 0) & (np.array(mark.outline) <= 1)).all()
            assert ink(side.image, mark) > 60


def test_opposite_indices_are_upside_down_to_one_another() -> None:
    side = invented_deck(FOUR_INDICES).faces["7S"]
    height, width = side.image.shape[:2]
    downs = [np.subtract(m.suit, m.rank)[1] for m in side.marks]
    assert [bool(down > 0) for down in downs] == [True, True, False, False]
    # Only the indices are printed point-symmetrically; the pips of a seven are not.
    apart = np.abs(side.image.astype(int) - side.image[::-1, ::-1].astype(int)).max(axis=2)
    for mark in side.marks[:2]:
        (x0, y0), (x1, y1) = (np.array(mark.outline)[[0, 2]] * [width, height]).round().astype(int)
        assert apart[y0:y1, x0:x1].mean() < 12
    assert apart[height // 3 : height // 2].mean() > 12


def test_foreign_letters_are_known_to_be_foreign() -> None:
    foreign, english = invented_deck(FOREIGN), invented_deck(TWO_INDICES)
    assert {f for f, side in foreign.faces.items() if side.foreign} >= {f"J{s}" for s in "CDHS"}
    assert not any(side.foreign for f, side in foreign.faces.items() if f[:-1] not in "JQK")
    assert not any(side.foreign for side in english.faces.values())


def test_a_foreign_king_that_is_a_k_is_english() -> None:
    style = replace(invent_style(np.random.default_rng(1)), letters=("B", "D", "K"))
    assert [draw_face(style, f).foreign for f in ("JH", "QH", "KH")] == [True, True, False]


def test_a_mark_turned_twice_is_where_it_was() -> None:
    mark = invented_deck(TWO_INDICES).faces["10H"].marks[0]
    again = turned(turned(mark))
    assert np.allclose([again.rank, again.suit, *again.outline], [mark.rank, mark.suit, *mark.outline])


def test_marks_are_found_on_art_that_does_not_tell_them() -> None:
    # In this deck the first pip of hearts stands higher than the index's suit: it is no part of the rank.
    deck = invented_deck(TWO_INDICES)
    found = art._deck_marks({face: side.image for face, side in deck.faces.items()})
    apart = [
        np.abs(np.subtract((m.rank, m.suit), (n.rank, n.suit))).max()
        for face, side in deck.faces.items()
        for m, n in zip(found[face], side.marks, strict=True)
    ]
    assert len(apart) == 104
    assert max(apart) < 0.03


def test_corners_are_rounded_and_nothing_else() -> None:
    card = rounded(np.full((560, 400, 4), 255, np.uint8))
    alpha = card[..., 3]
    assert [alpha[y, x] for y in (0, -1) for x in (0, -1)] == [0] * 4
    assert alpha[280, 0] == alpha[0, 200] == alpha[7, 7] == 255
    assert (card[..., :3] == 255).all()


def test_enough_decks_are_known_and_some_are_never_trained_on() -> None:
    assert len([s for s in SOURCES if not s.test_only]) >= 12
    assert len([s for s in SOURCES if s.test_only]) >= 3
    assert len({s.name for s in SOURCES}) == len(SOURCES)


@pytest.fixture
def empty_machine(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No card art package at all, and nothing drawn before."""
    monkeypatch.setattr(art, "GNOME", tmp_path / "gnome")
    monkeypatch.setattr(art, "KDE", tmp_path / "kde")
    monkeypatch.setenv("NERTS_ART", str(tmp_path / "drawn"))
    monkeypatch.setenv("NERTS_NPM", str(tmp_path / "npm"))
    deck_art.cache_clear()


@pytest.mark.usefixtures("empty_machine")
def test_art_that_is_not_installed_is_refused_in_one_sentence() -> None:
    assert installed_sources() == []
    with pytest.raises(
        ArtError, match=r"^The card art 'gnome-paris' is not installed: see [^.]+\.md for .*\.$"
    ):
        deck_art("gnome-paris")
    with pytest.raises(ArtError, match="'nobody'"):
        deck_art("nobody")


@pytest.mark.usefixtures("empty_machine")
def test_a_machine_that_cannot_draw_says_what_to_install(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = next(s for s in SOURCES if s.kind == "files")
    folder = tmp_path / "npm" / source.path
    folder.mkdir(parents=True)
    (folder / "AS.svg").write_text("<svg/>")
    (folder / "1s.svg").write_text("<svg/>")
    monkeypatch.setattr(art.shutil, "which", lambda _name: None)
    assert source in installed_sources()
    with pytest.raises(ArtError, match=r"^rsvg-convert is missing: install .*\.$"):
        deck_art(source.name)


def test_a_drawn_deck_knows_its_art_as_a_value() -> None:
    deck = invented_deck(TWO_INDICES)
    assert isinstance(deck, DeckArt) and deck.name == f"invented-{TWO_INDICES}" and deck.backs == ()


def test_courts_may_have_a_pip_beside_the_letter_that_leaves_the_index_free() -> None:
    style = replace(invent_style(np.random.default_rng(TWO_INDICES)), framed=False, court_deck=None)
    bare, pip = (draw_face(replace(style, court_pip=high), "QS") for high in (0.0, 0.2))
    printed = np.abs(pip.image.astype(int) - bare.image.astype(int)).max(axis=2)
    height, width = printed.shape
    (x0, y0), (x1, y1) = (np.array(bare.marks[0].outline)[[0, 2]] * [width, height]).round().astype(int)
    assert printed[: height // 2].max() > 100 and printed[y0:y1, x0 : x1 - 1].max() < 20
