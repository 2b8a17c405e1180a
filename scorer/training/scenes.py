"""Renders training scenes once, into a folder of JPEGs with labels, so that many different crops can be cut from each."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.synth.art import Side, deck_art, installed_sources
from scorer.synth.camera import random_camera
from scorer.synth.invented import invented_deck
from scorer.synth.render import Photo, render
from scorer.synth.scene import Scene, scene_decks, training_scene
from scorer.training.crops import LabelledScene, save_labelled

SCENES_PER_INVENTED_DECK = 3
LONG_SIDE = 1344

FaceArt = tuple[str, dict[str, Any], tuple[Any, ...]]


def _deck(rng: np.random.Generator, seed: int) -> FaceArt:
    sources = installed_sources(test_only=False)
    printed = bool(sources) and rng.random() < 0.5
    art = deck_art(sources[int(rng.integers(len(sources)))].name) if printed else invented_deck(seed)
    # Printed jokers carry no marks: what cannot be labelled must not be learned as "no index".
    jokers = art.jokers if all(side.marks for side in art.jokers) else invented_deck(seed).jokers
    return art.name, art.faces, jokers


@cache
def printed_backs(*, test_only: bool = False) -> tuple[Side, ...]:
    """The backs of the printed decks installed."""
    return tuple(back for s in installed_sources(test_only=test_only) for back in deck_art(s.name).backs)


MOST_DECKS = 6
BACKS_ONLY = 1_000_000
"""Seeds from here on give scenes of face-down ribbons of many decks: what tells backs apart is learned from these."""


def _kind(seed: int, rng: np.random.Generator) -> tuple[str, int]:
    if seed >= BACKS_ONLY:
        return "backs", int(rng.integers(2, MOST_DECKS + 1))
    return "any", int(rng.choice([1, 2, 3, 4], p=[0.45, 0.25, 0.15, 0.15]))


def labelled_scene(seed: int) -> tuple[Scene, Photo]:
    """One training scene, drawn; deterministic from its seed and the art installed."""
    rng = np.random.default_rng(seed)
    base = seed // SCENES_PER_INVENTED_DECK
    kind, decks = _kind(seed, rng)
    faces = 1 if kind == "backs" else decks
    arts = [_deck(rng, base * 2 + int(rng.integers(2))) for _ in range(faces)] * (decks // faces)
    scene = training_scene(scene_decks(arts, rng, printed_backs()), rng, kind)
    short = int(LONG_SIDE * rng.choice([0.75, 0.75, 0.5625, 1.0]))
    width, height = (LONG_SIDE, short) if rng.random() < 0.6 else (short, LONG_SIDE)
    return scene, render(scene, random_camera(rng, width, height))


def labels(scene: Scene, photo: Photo) -> dict[str, NDArray[np.generic]]:
    """Labels of a scene as arrays, pixels.

    Returns:
        `index` (n, 6, 2): rank, suit, four corners of the outline; `face` (n,) text; `index_card` (n,);
        `back` (m, 2, 2): corner, inward; `back_card` (m,); `quads` (cards, 4, 2); `deck` (cards,); `pile` (cards,) number or -1.
    """
    pile = np.full(len(scene.cards), -1, np.int16)
    for number, members in enumerate(scene.piles):
        pile[list(members)] = number
    return {
        "index": np.array([[i.rank, i.suit, *i.outline] for i in photo.indices], np.float32).reshape(
            -1, 6, 2
        ),
        "face": np.array([i.face for i in photo.indices], dtype="U3"),
        "index_card": np.array([i.card for i in photo.indices], np.int16),
        "back": np.array([[b.corner, b.inward] for b in photo.back_corners], np.float32).reshape(-1, 2, 2),
        "back_card": np.array([b.card for b in photo.back_corners], np.int16),
        "quads": photo.quads.astype(np.float32),
        "shown": photo.shown.astype(np.float32),
        "face_up": np.array([c.face_up for c in scene.cards]),
        "deck": np.array([c.deck for c in scene.cards], np.int16),
        "pile": pile,
    }


def save_scene(folder: Path, seed: int) -> Path:
    """Render one scene into the folder unless it is there; returns the path of its labels."""
    target = folder / f"{seed:07d}.npz"
    if not target.exists():
        scene, photo = labelled_scene(seed)
        quality = int(np.random.default_rng(seed).integers(70, 97))
        save_labelled(target, LabelledScene(photo.picture, labels(scene, photo)), quality)
    return target


def _step_aside() -> None:
    """Rendering must leave the processor to a training that runs beside it."""
    os.nice(10)
    cv2.setNumThreads(1)


def _save_many(arguments: tuple[Path, range]) -> int:
    folder, seeds = arguments
    for seed in seeds:
        save_scene(folder, seed)
    return len(seeds)


def render_scenes(folder: Path, seeds: range, *, processes: int = 2) -> Iterator[int]:
    """Render scenes with several processes; yields how many are done after each batch."""
    folder.mkdir(parents=True, exist_ok=True)
    done = 0
    step = 24
    batches = [(folder, seeds[i : i + step]) for i in range(0, len(seeds), step)]
    with multiprocessing.get_context("spawn").Pool(processes, _step_aside) as pool:
        for count in pool.imap_unordered(_save_many, batches):
            done += count
            yield done
