"""Rounds of the software game, laid out on a rendered table and photographed: photos whose truth is known."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from scorer.errors import RecordError, StoreError
from scorer.game import record, series
from scorer.game.ending import foundation_piles
from scorer.game.record import Head
from scorer.game.state import State
from scorer.piles import Pile
from scorer.reading import Reading
from scorer.scoring import Rules, Tally
from scorer.synth.art import DeckArt, deck_art, installed_sources
from scorer.synth.camera import jpeg
from scorer.synth.invented import invented_deck
from scorer.synth.rounds import lay_round, photograph, round_truth
from scorer.synth.scene import SceneDeck, full_deck, scene_decks

BOTS = ("shark", "family", "beginner", "shark", "family", "beginner", "shark", "family")
"""Who sits at the table of a rendered round."""
_INVENTED = 10_000_000
"""Seeds of invented decks from here on are used by no training."""
_QUALITY = 88


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """How a round of the software game ended."""

    name: str
    piles: tuple[Pile, ...]
    """Every card with its owner."""
    tally: Tally
    rules: Rules

    @classmethod
    def of(cls, name: str, head: Head, state: State) -> PlayedRound:
        """Take what is on the table at the end of a round."""
        piles = tuple(pile for pile in foundation_piles(state, head.decks) if pile.cards)
        return cls(name, piles, head.tally(state), head.rules)


@dataclass(frozen=True, slots=True)
class StagedRound:
    """A played round and its photos."""

    played: PlayedRound
    photos: tuple[bytes, bytes]
    """Face up, then turned over in place; JPEG."""
    truth: Reading

    @property
    def files(self) -> tuple[str, str]:
        """What the photos are called."""
        faces, backs = self.truth.photos
        return faces.file, backs.file


def play_rounds(rounds: int, seed: str, players: int, rules: Rules) -> Iterator[PlayedRound]:
    """Let bots play rounds; those in which no card was played are passed over."""
    number = played = 0
    while played < rounds:
        number += 1
        head = series.seat_bots(BOTS[:players], rules, f"{seed}/{number}")
        one = PlayedRound.of(f"round-{number:04}", head, series.play(head).state)
        if one.piles:
            played += 1
            yield one


def recorded_round(path: Path) -> PlayedRound:
    """Take the end of a recorded round.

    Raises:
        RecordError: the record is damaged, or no card lies on the table.
    """
    recording = record.read(path)
    if recording.damage is not None:
        raise RecordError(f"{path}: {recording.damage}")
    played = PlayedRound.of(path.stem, recording.game.head, recording.state)
    if not played.piles:
        raise RecordError(
            f"{path}: no card was played to the foundations, so there is nothing to photograph."
        )
    return played


def recorded_rounds(paths: Sequence[Path]) -> list[PlayedRound]:
    """Take the ends of several recorded rounds, whose photos are called after the records.

    Raises:
        RecordError: a record is damaged, or two have one name, and so would their photos.
    """
    names = [path.stem for path in paths]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise RecordError(f"Two records are called {twice}: render them into folders of their own.")
    return [recorded_round(path) for path in paths]


def stage(played: PlayedRound, seed: str, *, megapixels: float = 12.0, unseen: bool = True) -> StagedRound:
    """Spread the piles of a round, photograph them, turn them over, photograph the backs.

    Args:
        played: the round.
        seed: any text; the same seed gives the same photos.
        megapixels: size of the photos.
        unseen: whether the cards are of decks that no network was trained with.
    """
    rng = np.random.default_rng(list(f"{seed}/{played.name}".encode()))
    decks = _decks([deck.back for deck in played.tally.decks], rng, unseen=unseen)
    width = round((megapixels * 1e6 * 4 / 3) ** 0.5)
    taken = photograph(lay_round(played.piles, decks, rng), rng, width, round(width * 3 / 4))
    faces, backs = f"{played.name}-faces.jpg", f"{played.name}-backs.jpg"
    truth = replace(round_truth(taken, faces, backs), piles=played.piles)
    photos = jpeg(taken.faces.picture, _QUALITY), jpeg(taken.backs.picture, _QUALITY)
    return StagedRound(played, photos, truth)


def _decks(names: Sequence[str], rng: np.random.Generator, *, unseen: bool) -> tuple[SceneDeck, ...]:
    """Give each deck faces and a back; the players of one table mostly own decks of the same make."""
    first = _art(rng, unseen=unseen)
    arts = [first if rng.random() < 0.6 else _art(rng, unseen=unseen) for _ in names]
    faces = [(name, art.faces, art.jokers) for name, art in zip(names, arts, strict=True)]
    return scene_decks(faces, rng)


def _art(rng: np.random.Generator, *, unseen: bool) -> DeckArt:
    """Choose a whole deck: printed art where it is installed, else an invented one."""
    printed = [source for source in installed_sources(test_only=unseen) if len(source.ranks) == 13]
    if printed and rng.random() < 0.7:
        art = deck_art(printed[int(rng.integers(len(printed)))].name)
        if full_deck(art.faces) and art.jokers:
            return art
    return _english(int(rng.integers(_INVENTED)) + (_INVENTED if unseen else 0))


def _english(seed: int) -> DeckArt:
    """The first invented deck from a seed on that has the letters of the game: J, Q, K."""
    art = invented_deck(seed)
    return _english(seed + 1) if any(side.foreign for side in art.faces.values()) else art


def write_round(folder: Path, staged: StagedRound) -> Path:
    """Write the photos of a round and its truth; returns the file of the truth.

    Raises:
        StoreError: the folder cannot be written.
    """
    target = folder / f"{staged.played.name}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, photo in zip(staged.files, staged.photos, strict=True):
            (folder / file).write_bytes(photo)
        truth = staged.truth.to_json() | {"tally": staged.played.tally.to_json()}
        target.write_text(json.dumps(truth, ensure_ascii=False) + "\n", "utf-8")
    except OSError as error:
        raise StoreError(f"{folder} cannot be written ({error.strerror}): name another folder.") from error
    return target
