"""Rendered scenes for tests: small, quick, and the same on every machine, whatever card art and fonts are installed there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import numpy as np
import pytest

from scorer.cards import Suit
from scorer.piles import Pile
from scorer.synth import invented, tables
from scorer.synth.backs import draw_back, invent_back
from scorer.synth.camera import Camera
from scorer.synth.scene import PlacedCard, Scene, SceneDeck
from scorer.training import scenes
from tests import builders

ABOVE = Camera(480, 360, tilt=0.0, azimuth=0.0, roll=0.0, fill=0.9)
"""A camera that looks straight down."""
SEED = 10
"""Of an invented deck with two English indices a card."""


def _nothing(**_kwargs: object) -> list[object]:
    return []


def _forget() -> None:
    for remembered in (invented.invented_deck, invented._pip_decks, invented._court_decks, _faces, deck):
        remembered.cache_clear()


@contextmanager
def no_card_art() -> Iterator[None]:
    """As on a machine without card art, outline fonts and wallpapers."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (invented, scenes):
            patch.setattr(module, "installed_sources", _nothing)
        for module in (invented, tables):
            patch.setattr(module, "font_files", tuple)
        patch.setattr(tables, "wallpapers", tuple)
        scenes.printed_backs.cache_clear()
        _forget()
        yield
    scenes.printed_backs.cache_clear()
    _forget()


@pytest.fixture(scope="module")
def bare_machine() -> Iterator[None]:
    with no_card_art():
        yield


@cache
def _faces() -> tuple[dict[str, object], tuple[object, ...]]:
    art = invented.invented_deck(SEED)
    return art.faces, art.jokers


@cache
def deck(name: str, seed: int) -> SceneDeck:
    """An invented deck; all share their faces, each has a back of its own."""
    faces, jokers = _faces()
    return SceneDeck(name, faces, jokers, draw_back(invent_back(np.random.default_rng(seed))))


def decks(*names: str) -> tuple[SceneDeck, ...]:
    return tuple(deck(name, seed) for seed, name in enumerate(names or ("red", "blue")))


def scene(*cards: PlacedCard, seed: int = 1, piles: tuple[tuple[int, ...], ...] = ()) -> Scene:
    """Cards of two decks on a table."""
    return Scene(decks(), cards, piles, seed)


def round_piles(*tops: int, owners: tuple[str, ...] = ("red", "blue")) -> list[Pile]:
    """Legal piles up to these ranks, of suits and owners in turn."""
    suits = [suit.value for suit in Suit]
    return [builders.pile(suits[i % 4], top, *owners) for i, top in enumerate(tops)]
