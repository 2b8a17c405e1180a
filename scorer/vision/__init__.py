"""The reader: from photos to a `Reading`. `read` is the whole pipeline; the stages are the modules beside it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scorer.piles import Fault, Faults
from scorer.reading import PhotoReading, Reading, SeenCard, SeenPile
from scorer.scoring import Rules
from scorer.vision.backs import CLASSES as STRIP_CLASSES
from scorer.vision.backs import BackPhoto, Owners, name_owners, read_backs
from scorer.vision.classifier import CLASSES
from scorer.vision.decks import EMPTY, DeckBook
from scorer.vision.detector import CLASSES as DETECTOR_CLASSES
from scorer.vision.detector import detect
from scorer.vision.faces import FaceReading, read_faces
from scorer.vision.lines import CLASSES as LINE_CLASSES
from scorer.vision.models import network
from scorer.vision.photo import Photo, load
from scorer.vision.rounds import join_round
from scorer.vision.rows import BackRibbon

__all__ = ["Progress", "Seen", "look", "read"]

Progress = Callable[[str, float], None]
"""Called with what is being done and the share of all work that is done."""

SIDES = (1280, 480)
"""Longer sides at which a photo is looked at: cards of a whole table, and one card close up."""
FINER = 2048
"""The same where the cards come out small."""
THRESHOLD = 0.25


@dataclass(frozen=True, slots=True)
class Seen:
    """What one photo shows, before the decks of the round are told apart."""

    photo: Photo
    faces: FaceReading
    backs: BackPhoto
    seconds: float


def read(
    photos: Sequence[Path | bytes],
    *,
    decks: DeckBook | None = None,
    rules: Rules | None = None,
    owners: int | None = None,
    progress: Progress | None = None,
) -> Reading:
    """Read the photos of one round.

    Args:
        photos: files or their bytes: faces and backs, in any mixture and order.
        decks: backs taught before.
        rules: of the match; says whether jokers are played.
        owners: number of decks on the table, if known.
        progress: told how far the reading is.

    Raises:
        PhotoError: a photo cannot be decoded.
        ModelError: a network is missing or altered.
    """
    tell = progress or (lambda _stage, _share: None)
    seen = []
    for number, source in enumerate(photos):
        tell(f"Reading photo {number + 1} of {len(photos)}", number / max(1, len(photos)))
        seen.append(look(load(source)))
    tell("Telling the decks apart", 0.95)
    strips = [e for s in seen for e in s.backs.embeddings]
    named = name_owners(
        np.concatenate(strips) if strips else np.zeros((0, 48), np.float32), decks or EMPTY, owners
    )
    readings = _photo_readings(seen, named)
    reading = join_round(readings, jokers=rules.jokers if rules else 0)
    tell("Done", 1.0)
    return reading


def look(photo: Photo) -> Seen:
    """Find everything that one photo shows."""
    began = time.perf_counter()
    found = detect(photo.pixels, network("detector", DETECTOR_CLASSES), SIDES, THRESHOLD, FINER)
    faces = read_faces(photo.pixels, found, network("classifier", CLASSES))
    face_up = [card.quad for card in faces.cards if card.quad is not None]
    strips, lines = network("strips", STRIP_CLASSES), network("lines", LINE_CLASSES)
    backs = read_backs(photo.pixels, found, strips, lines, face_up)
    return Seen(photo, faces, backs, round(time.perf_counter() - began, 3))


def _photo_readings(seen: Sequence[Seen], named: Owners) -> list[PhotoReading]:
    readings, first = [], 0
    for s in seen:
        count = sum(len(r.edges) for r in s.backs.ribbons)
        readings.append(
            _photo_reading(s, named.names[first : first + count], named.sure[first : first + count].tolist())
        )
        first += count
    return readings


def _photo_reading(seen: Seen, names: Sequence[str], sure: Sequence[bool]) -> PhotoReading:
    cards = list(seen.faces.cards)
    piles = [SeenPile(pile, faults) for pile, faults in zip(seen.faces.piles, seen.faces.faults, strict=True)]
    place = 0
    for ribbon in seen.backs.ribbons:
        numbers = []
        for edge in ribbon.edges:
            numbers.append(len(cards))
            cards.append(
                _back_card(
                    ribbon, len(numbers) - 1, names[place], bool(sure[place]) and len(edge.corners) > 0
                )
            )
            place += 1
        faults = (
            Faults(0) if ribbon.counts[0] == ribbon.counts[1] == len(ribbon.edges) else Faults.COUNTS_DISAGREE
        )
        piles.append(SeenPile(tuple(numbers), faults))
    faults_seen = seen.faces.photo_faults if cards else (Fault.make(Faults.NO_CARDS),)
    return PhotoReading(
        seen.photo.name,
        seen.photo.width,
        seen.photo.height,
        seen.seconds,
        tuple(cards),
        tuple(piles),
        faults_seen,
    )


def _back_card(ribbon: BackRibbon, number: int, name: str, sure: bool) -> SeenCard:
    edge = ribbon.edges[number]
    reach = ribbon.axis * ribbon.width
    points = (edge.start, edge.end, edge.end + reach, edge.start + reach)
    a, b, c, d = ((float(p[0]), float(p[1])) for p in points)
    corners = ((float(edge.start[0]), float(edge.start[1])), (float(edge.end[0]), float(edge.end[1])))
    return SeenCard(None, name, round(edge.score, 4), not sure, (), (a, b, c, d), corners)
