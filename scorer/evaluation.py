"""How good a reader is: its readings compared with the truth, photo by photo and in all.

The figure above all others is the share of *silent errors*: cards that are wrong and not marked. A card named
twice in a photo of one deck is one wrong card.
"""

from __future__ import annotations

import csv
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Self

from scorer.cards import Card, Face
from scorer.errors import ScorerError
from scorer.piles import INFORMATION
from scorer.placing import matched, owners_right
from scorer.reading import PhotoReading, Reading, SeenCard
from scorer.truth import Box, PhotoTruth

ReadOne = Callable[[Path], Reading]
OVERLAPPING = ("spread", "hand")
"""Kinds of photos in which cards cover one another."""
_MARGIN = 0.1
"""Share of a box by which a card may lie outside of it."""


@dataclass(frozen=True, slots=True)
class Row:
    """How one photo was read."""

    file: str
    source: str
    kind: str
    index: str
    complete: bool
    cards: int
    """Faces to be seen."""
    reported: int
    """Faces that were read."""
    correct: int
    wrong: int
    """Faces read that are not there, or once too often; 0 where the truth is not complete."""
    missed: int
    silent: int
    """Of the wrong ones, those not marked."""
    marked: int
    exact: bool
    """Whether all is right, as far as the truth goes."""
    told: bool
    """Whether a fault or a mark asks somebody to look at the photo."""
    boxes: int
    """Faces whose place is known."""
    placed: int
    """Of these, those that were read at their place."""
    backs: int | None
    backs_reported: int
    owners_right: int
    """Backs that were grouped as they should be; rendered photos only."""
    seconds: float
    faults: str
    truth: str
    read: str
    error: str = ""

    @property
    def is_english(self) -> bool:
        """Whether it belongs to the figures that are claimed."""
        return self.index == "english"

    @property
    def is_silent(self) -> bool:
        """Whether something is wrong or missing, and nothing tells."""
        return not self.exact and not self.told and not self.error


def evaluate(
    truths: Sequence[PhotoTruth], read: ReadOne, progress: Callable[[int], None] = lambda _: None
) -> Iterator[Row]:
    """Read every photo by itself and compare; `progress` is told how many are done."""
    for number, truth in enumerate(truths, 1):
        started = time.perf_counter()
        try:
            photo, error = read(truth.path).photos[0], ""
        except ScorerError as refusal:
            photo, error = PhotoReading(truth.file, 0, 0), str(refusal)
        yield compare(truth, photo, seconds=time.perf_counter() - started, error=error)
        progress(number)


def compare(truth: PhotoTruth, photo: PhotoReading, *, seconds: float = 0.0, error: str = "") -> Row:
    """Compare what was read with the truth."""
    faces = [card for card in photo.cards if card.face is not None]
    labels = [_label(card, truth.rank_only) for card in faces]
    correct, wrong, silent = _placed_counts(truth, faces) if truth.cards else _counts(truth, faces, labels)
    boxes = {label for label, _ in truth.boxes}
    backs = [card for card in photo.cards if card.face is None]
    told = [fault for fault in photo.faults if fault.is_doubt]
    flags = [pile.faults for pile in photo.piles if pile.faults & ~INFORMATION]
    return Row(
        file=truth.file,
        source=truth.source,
        kind=truth.kind,
        index="english" if truth.is_english else "other",
        complete=truth.complete,
        cards=_wanted(truth).total(),
        reported=len(faces),
        correct=correct,
        wrong=wrong,
        missed=_wanted(truth).total() - correct,
        silent=silent,
        marked=sum(card.marked for card in photo.cards),
        exact=not error and correct == _wanted(truth).total() and not wrong,
        told=bool(told or flags or any(card.marked for card in photo.cards)),
        boxes=len(boxes),
        placed=len({label for label, box in truth.boxes if _is_in_box(label, box, faces, labels)}),
        backs=truth.backs,
        backs_reported=len(backs),
        owners_right=owners_right(truth.cards.cards, backs) if truth.cards else 0,
        seconds=round(seconds, 4),
        faults=" ".join(sorted({name for fault in told for name in fault.name.names})),
        truth=" ".join(_wanted(truth).elements()),
        read=" ".join(f"{card.face}{'!' if card.marked else ''}" for card in faces),
        error=error,
    )


def _label(card: SeenCard, rank_only: bool) -> str:
    face: Face | None = card.face
    if isinstance(face, Card):
        return face.rank.notation + "?" if rank_only else str(face)
    return "JK"


def _wanted(truth: PhotoTruth) -> Counter[str]:
    """Count the labels to be read; four aces of four suits are one label "A?", of which the boxes tell the number."""
    wanted = Counter(truth.faces)
    return wanted | Counter(label for label, _ in truth.boxes) if truth.rank_only else wanted


def _counts(truth: PhotoTruth, faces: Sequence[SeenCard], labels: Sequence[str]) -> tuple[int, int, int]:
    """Return how many faces are correct, wrong, and silently wrong, by their labels alone."""
    wanted, read = _wanted(truth), Counter(labels)
    correct = (wanted & read).total()
    if not truth.complete:
        return correct, 0, 0
    unmarked = Counter(label for label, card in zip(labels, faces, strict=True) if not card.marked)
    return correct, (read - wanted).total(), (unmarked - wanted).total()


def _placed_counts(truth: PhotoTruth, faces: Sequence[SeenCard]) -> tuple[int, int, int]:
    """Return the same where the place of every card is known: the right card in the wrong place is wrong."""
    assert truth.cards is not None
    shown = [card for card in truth.cards.cards if card.face is not None and card.corners]
    pairs = matched(shown, faces)
    right = {j for i, j in pairs if _label(shown[i], False) == _label(faces[j], False)}
    wrong = [card for j, card in enumerate(faces) if j not in right]
    return len(right), len(wrong), sum(not card.marked for card in wrong)


def _is_in_box(label: str, box: Box, faces: Sequence[SeenCard], labels: Sequence[str]) -> bool:
    x0, y0, x1, y1 = box
    dx, dy = _MARGIN * (x1 - x0), _MARGIN * (y1 - y0)
    return any(
        name == label and any(x0 - dx <= x <= x1 + dx and y0 - dy <= y <= y1 + dy for x, y in card.corners)
        for name, card in zip(labels, faces, strict=True)
    )


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write one line of CSV a photo."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(asdict(row))


@dataclass(frozen=True, slots=True)
class Figures:
    """Some photos together; a share is None where there is nothing to divide by."""

    name: str
    photos: int
    cards: int
    precision: float | None
    """Of the faces read in completely labelled photos, those that are right."""
    recall: float | None
    exact: float | None
    """Share of the completely labelled photos that are exactly right."""
    silent: float | None
    """Wrong and unmarked faces, as a share of those read in completely labelled photos."""
    silent_photos: int
    """Photos with something wrong or missing, of which nothing tells."""
    placed: float | None
    owners: float | None
    seconds: float | None
    """Median of a photo."""
    errors: int
    """Photos that were refused."""

    @classmethod
    def of(cls, name: str, rows: Sequence[Row]) -> Self:
        """Sum up."""
        complete = [row for row in rows if row.complete]
        reported = sum(row.reported for row in complete)
        backs = sum(row.backs or 0 for row in rows if row.source == "rendered")
        return cls(
            name,
            len(rows),
            sum(row.cards for row in rows),
            _share(sum(row.correct for row in complete), reported),
            _share(sum(row.correct for row in rows), sum(row.cards for row in rows)),
            _share(sum(row.exact for row in complete), len(complete)),
            _share(sum(row.silent for row in complete), reported),
            sum(row.is_silent for row in rows),
            _share(sum(row.placed for row in rows), sum(row.boxes for row in rows)),
            _share(sum(row.owners_right for row in rows), backs),
            statistics.median(row.seconds for row in rows) if rows else None,
            sum(bool(row.error) for row in rows),
        )


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All figures of an evaluation."""

    groups: tuple[Figures, ...]
    """Each source, then each kind, of the photos with English letters."""
    overlapping: Figures
    """Spreads and hands."""
    all: Figures
    """All photos with English letters."""
    other: Figures
    """Photos with other letters: what counts is that none is silently wrong."""
    faceless: int
    """Photos that show no face at all."""
    faceless_with_faces: int
    """Of these, those in which faces were read."""

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Self:
        """Sum up all photos."""
        english = [row for row in rows if row.is_english]
        faceless = [row for row in rows if row.complete and not row.cards]
        sources = dict.fromkeys(row.source for row in english)
        kinds = dict.fromkeys(row.kind for row in english)
        return cls(
            (
                *(Figures.of(name, [row for row in english if row.source == name]) for name in sources),
                *(Figures.of(f"kind {name}", [row for row in english if row.kind == name]) for name in kinds),
            ),
            Figures.of("spreads and hands", [row for row in english if row.kind in OVERLAPPING]),
            Figures.of("all", english),
            Figures.of("other letters", [row for row in rows if not row.is_english]),
            len(faceless),
            sum(row.reported > 0 for row in faceless),
        )

    def to_json(self) -> dict[str, object]:
        """Return what `json.dumps` takes."""
        return asdict(self)


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 6) if whole else None
