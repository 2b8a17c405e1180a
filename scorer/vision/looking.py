"""Looking at one photo: everything that it shows, before the decks of the round are told apart."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import cv2
import numpy as np
from numpy.typing import NDArray

from scorer.piles import Fault, Faults
from scorer.reading import PhotoReading, SeenCard, SeenPile
from scorer.vision.backs import CLASSES as STRIP_CLASSES
from scorer.vision.backs import STRIP, BackPhoto, cut_strips, embed, read_backs
from scorer.vision.classifier import CLASSES
from scorer.vision.detector import CLASSES as DETECTOR_CLASSES
from scorer.vision.detector import PLAIN, detect, pick
from scorer.vision.faces import FaceReading, read_faces
from scorer.vision.leaning import straightened
from scorer.vision.likeness import CLASSES as PAIR_CLASSES
from scorer.vision.likeness import likeness
from scorer.vision.lines import CLASSES as LINE_CLASSES
from scorer.vision.models import network
from scorer.vision.owners import EdgesKnown, Owners
from scorer.vision.photo import Photo
from scorer.vision.rows import BackRibbon, Edge

SIDES = (1280, 480)
"""Longer sides at which a photo is looked at: cards of a whole table, and one card close up."""
FINER = 2048
"""The same where the cards come out small."""
FAINT = 0.06
"""Score from which what may be a corner is looked at."""
PLAIN_EDGE = (0.8, 0.5, 0.3)
"""Score of an edge on the line above which it needs no corner to be believed, by the number of other witnesses for it."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What one photo shows, before the decks of the round are told apart."""

    photo: Photo
    faces: FaceReading
    backs: BackPhoto
    seconds: float


def look(photo: Photo) -> Seen:
    """Find everything that one photo shows."""
    began = time.perf_counter()
    found = detect(photo.pixels, network("detector", DETECTOR_CLASSES), SIDES, FAINT, FINER)
    faces = read_faces(photo.pixels, pick(found, found.scores >= PLAIN), network("classifier", CLASSES))
    face_up = [card.quad for card in faces.cards if card.quad is not None]
    backs = read_backs(photo.pixels, found, network("lines", LINE_CLASSES), face_up)
    seen = Seen(photo, faces, backs, round(time.perf_counter() - began, 3))
    indices = np.array([corner for card in faces.cards for corner in card.corners], float).reshape(-1, 2)
    backs_only = [ribbon for ribbon in backs.ribbons if is_backs(ribbon, indices)]
    return seen if len(backs_only) == len(backs.ribbons) else with_ribbons(seen, backs_only)


def is_backs(ribbon: BackRibbon, indices: NDArray[np.float64]) -> bool:
    """Whether a ribbon is one of backs, and not drawn across cards that lie face up: these show more faces than it has cards."""
    start, end = ribbon.edges[0], ribbon.edges[-1]
    reach = ribbon.axis * ribbon.width
    outline = np.array([start.start, start.end, end.end + reach, end.start + reach], np.float32)
    inside = [cv2.pointPolygonTest(outline, (float(x), float(y)), False) > 0 for x, y in indices]
    return sum(inside) <= len(ribbon.edges)


def with_ribbons(seen: Seen, ribbons: Sequence[BackRibbon]) -> Seen:
    """The same photo with other ribbons of backs."""
    ribbons = [straightened(seen.photo.pixels, ribbon) for ribbon in ribbons]
    strips = tuple(cut_strips(seen.photo.pixels, ribbon) for ribbon in ribbons)
    return replace(seen, backs=BackPhoto(tuple(ribbons), strips, seen.backs.corners))


@dataclass(frozen=True, slots=True)
class Compared:
    """The strips of all backs of a round, compared with one another."""

    odds: NDArray[np.float64]
    """(strips, strips) logarithm of the odds that two are of one deck."""
    embeddings: NDArray[np.float32]
    """(strips, EMBEDDING) by which decks that were taught are known."""
    prints: NDArray[np.float64]
    """(strips, strips) correlation of the prints of two."""

    def only(self, kept: NDArray[np.bool_]) -> Compared:
        """Those of some of the strips."""
        both = np.ix_(kept, kept)
        return Compared(self.odds[both], self.embeddings[kept], self.prints[both])

    @classmethod
    def of(cls, strips: NDArray[np.uint8]) -> Compared:
        """Compare strips (n, 96, 48, 4)."""
        alike = likeness(strips, network("pairs", PAIR_CLASSES))
        return cls(alike.odds, embed(strips, network("strips", STRIP_CLASSES)), alike.prints)


def compared(seen: Sequence[Seen]) -> Compared:
    """Compare the strips of all photos of a round."""
    strips = [strip for photo in seen for strip in photo.backs.strips]
    return Compared.of(np.concatenate(strips) if strips else np.zeros((0, *STRIP, 4), np.uint8))


def first_strips(seen: Sequence[Seen]) -> list[list[int]]:
    """For every photo the number of the first strip of each of its ribbons."""
    counts = [len(ribbon.edges) for photo in seen for ribbon in photo.backs.ribbons]
    firsts = iter(accumulate(counts, initial=0))
    return [[next(firsts) for _ in photo.backs.ribbons] for photo in seen]


def photo_readings(seen: Sequence[Seen], named: Owners) -> list[PhotoReading]:
    """What each photo shows, with the owners of its backs."""
    readings, first = [], 0
    for s in seen:
        count = sum(len(r.edges) for r in s.backs.ribbons)
        rows = slice(first, first + count)
        readings.append(_photo_reading(s, named.of(rows)))
        first += count
    return readings


def edges_known(seen: Sequence[Seen]) -> EdgesKnown:
    """At which strips' edges, of all photos, it is known that a card begins there."""
    edges = [(ribbon, edge) for s in seen for ribbon in s.backs.ribbons for edge in ribbon.edges]
    told = [ribbon.confirmed and _is_plain(edge, 1) for ribbon, edge in edges]
    firm = [ribbon.confirmed and len(edge.corners) > 1 for ribbon, edge in edges]
    return EdgesKnown(np.array(told, bool), np.array(firm, bool))


def _photo_reading(seen: Seen, named: Owners) -> PhotoReading:
    cards = list(seen.faces.cards)
    piles = [SeenPile(pile, faults) for pile, faults in zip(seen.faces.piles, seen.faces.faults, strict=True)]
    place = 0
    for ribbon in seen.backs.ribbons:
        numbers = []
        for number in range(len(ribbon.edges)):
            numbers.append(len(cards))
            known = bool(named.sure[place]) and _is_card(ribbon, number, named, place)
            cards.append(_back_card(ribbon, number, named.names[place], known))
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


def _is_card(ribbon: BackRibbon, number: int, named: Owners, strip: int) -> bool:
    """Whether there is no doubt that a card begins at an edge of a ribbon, whose strip is one of those named.

    Within a print another edge may seem to be, and what lies beyond it is plainly that of its deck: where the faces do not
    tell of the edge, that shows a card only beside another deck's.
    """
    alone = number == 0 or named.names[strip - 1] != named.names[strip]
    plainly = bool(named.plain[strip]) and (ribbon.confirmed or alone)
    witnesses = int(ribbon.confirmed) + int(plainly)
    return _is_plain(ribbon.edges[number], witnesses) or bool(ribbon.confirmed and named.just_like[strip])


def _is_plain(edge: Edge, witnesses: int) -> bool:
    """Whether there is no doubt that a card begins at an edge: a corner was found there too, or the line shows it clearly enough.

    The less clearly, the more else must speak for it: that the faces count as many cards, and that the strip is
    plainly that of a deck.
    """
    return bool(edge.corners) or edge.score > PLAIN_EDGE[witnesses]


def _back_card(ribbon: BackRibbon, number: int, name: str, sure: bool) -> SeenCard:
    edge = ribbon.edges[number]
    reach = ribbon.axis * ribbon.width
    points = (edge.start, edge.end, edge.end + reach, edge.start + reach)
    a, b, c, d = ((float(p[0]), float(p[1])) for p in points)
    corners = ((float(edge.start[0]), float(edge.start[1])), (float(edge.end[0]), float(edge.end[1])))
    return SeenCard(None, name, round(edge.score, 4), not sure, (), (a, b, c, d), corners)
