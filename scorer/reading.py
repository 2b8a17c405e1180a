"""What photos were read as: the machine's output, the truth beside a labelled photo, a person's correction.

One format for all three, so that evaluating a reader is comparing two readings. As JSON it is what
`nerts read --json` prints.
"""

from __future__ import annotations

from dataclasses import dataclass

from scorer.cards import Face
from scorer.piles import NO_FAULTS, Fault, Faults, Pile

Point = tuple[float, float]
"""x and y in pixels of the upright photo."""
Quad = tuple[Point, Point, Point, Point]
"""The four corners of a card, in order around it."""


@dataclass(frozen=True, slots=True)
class SeenCard:
    """One physical card seen in one photo, from whichever side."""

    face: Face | None = None
    """None if the back was seen, or the face could not be read."""
    back: str | None = None
    """The name of the back; None if the face was seen, or the back was not recognised."""
    confidence: float = 1.0
    """From 0 to 1."""
    marked: bool = False
    """Whether somebody should look at it."""
    candidates: tuple[tuple[Face, float], ...] = ()
    """What the face may be, with probabilities, the likeliest first."""
    quad: Quad | None = None
    """Where the card lies, if its outline is known."""
    corners: tuple[Point, ...] = ()
    """Centres of the indices, or of the corners of the back, that were seen."""


@dataclass(frozen=True, slots=True)
class SeenPile:
    """A pile seen in one photo."""

    cards: tuple[int, ...]
    """Indices into the cards of the photo, from the ace up where that is known."""
    faults: Faults = NO_FAULTS


@dataclass(frozen=True, slots=True)
class PhotoReading:
    """What one photo was read as."""

    file: str
    width: int
    """Of the upright photo, in pixels."""
    height: int
    seconds: float = 0.0
    """Time the reading took."""
    cards: tuple[SeenCard, ...] = ()
    piles: tuple[SeenPile, ...] = ()
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class Pairing:
    """Which face-up and face-down pile of which photos are one pile of the round; indices from 0."""

    pile: int
    """Index into the piles of the round."""
    face_photo: int | None = None
    face_pile: int | None = None
    back_photo: int | None = None
    back_pile: int | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """What the photos of one round were read as, and the piles of the round joined from them."""

    photos: tuple[PhotoReading, ...] = ()
    piles: tuple[Pile, ...] = ()
    """Each card with its face and its owner, from the ace up."""
    faults: tuple[Fault, ...] = ()
    """What is wrong with the piles of the round and with the table as a whole."""
    pairing: tuple[Pairing, ...] = ()
