"""What photos really show: labelled photographs (`truth.jsonl`) and rendered ones (a `Reading` beside them).

`truth.jsonl` has one JSON object a line:

- `file`, relative to its folder; `kind`: single, spread, table, hand or backs
- `faces`: the distinct cards to be seen ("10H", "JK"), each once; with `rank_only` without suit ("K?")
- `faces_complete`: false where not all cards could be labelled: then only recall can be judged
- `boxes`, optional: `label` and `box` [x0, y0, x1, y1] in pixels of the upright photo
- `backs`: number of face-down cards, or null; `index`: "english", or whose letters the courts carry
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from scorer.cards import Rank, parse_face
from scorer.errors import NotationError
from scorer.jsonfields import Fields, as_items, as_number, as_text
from scorer.reading import PhotoReading, Reading

LABELS = "truth.jsonl"
Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in pixels of the upright photo."""


@dataclass(frozen=True, slots=True)
class PhotoTruth:
    """What one photo shows."""

    path: Path
    file: str
    """As the truth names it."""
    source: str
    """Where the photo comes from: its folder."""
    kind: str
    faces: tuple[str, ...] = ()
    """Labels of the faces to be seen: "10H", "JK", or "K?" where only ranks are labelled."""
    complete: bool = True
    """Whether these are all faces in the photo, so that anything else that is read is wrong."""
    rank_only: bool = False
    index: str = "english"
    boxes: tuple[tuple[str, Box], ...] = ()
    backs: int | None = None
    cards: PhotoReading | None = None
    """Every card with its place, where the photo was rendered."""

    @property
    def is_english(self) -> bool:
        """Whether jacks, queens and kings carry J, Q and K."""
        return self.index == "english"

    @classmethod
    def from_json(cls, data: object, folder: Path, where: str) -> Self:
        """Build the truth of a labelled photo from one line of `truth.jsonl`."""
        fields = Fields(data, where)
        file = fields.text("file")
        return cls(
            path=folder / file,
            file=file,
            source=Path(file).parts[0] if len(Path(file).parts) > 1 else folder.name,
            kind=fields.text("kind"),
            faces=fields.items("faces", _label),
            complete=fields.flag("faces_complete", True),
            rank_only=fields.flag("rank_only", False),
            index=fields.text("index", "english").lower(),
            boxes=fields.items("boxes", _box, ()),
            backs=fields.optional_whole("backs"),
        )


def load_truth(folder: Path) -> tuple[PhotoTruth, ...]:
    """Load the truth of all photos of a folder and the folders in it.

    Raises:
        NotationError: there is none, or it is damaged, or a photo is missing.
    """
    truths = (*_labelled(folder), *_rendered(folder))
    if not truths:
        raise NotationError(
            f"{folder} holds no photos with truth: it needs a {LABELS}, or photos written by nerts render."
        )
    for truth in truths:
        if not truth.path.is_file():
            raise NotationError(f"{truth.path} is missing: its truth names it, so copy it there.")
    return truths


def _labelled(folder: Path) -> Iterator[PhotoTruth]:
    path = folder / LABELS
    if not path.is_file():
        return
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line.strip():
            where = f"line {number} of {path}"
            yield PhotoTruth.from_json(_parsed(line, where), folder, where)


def _rendered(folder: Path) -> Iterator[PhotoTruth]:
    for path in sorted(folder.rglob("*.json")):
        data = _parsed(path.read_text("utf-8"), str(path))
        if not isinstance(data, dict) or "photos" not in data:
            continue
        for photo in Reading.from_json(data, str(path)).photos:
            yield rendered_truth(photo, path.parent)


def rendered_truth(photo: PhotoReading, folder: Path = Path()) -> PhotoTruth:
    """Build the truth of a rendered photo; a card of which no index shows cannot be missed."""
    shown = [card for card in photo.cards if card.face is not None and card.corners]
    return PhotoTruth(
        path=folder / photo.file,
        file=photo.file,
        source="rendered",
        kind="faces" if shown else "backs",
        faces=tuple(str(card.face).partition("=")[0] for card in shown),
        backs=sum(card.face is None for card in photo.cards),
        cards=photo,
    )


def _parsed(text: str, where: str) -> object:
    try:
        return json.loads(text)
    except ValueError as error:
        raise NotationError(f"{where} is not JSON ({error}): repair it.") from None


def _label(value: object, where: str) -> str:
    """Check a label such as "10H", "JK" or "K?"."""
    text = as_text(value, where)
    if text.endswith("?"):
        return Rank.parse(text[:-1]).notation + "?"
    return str(parse_face(text))


def _box(value: object, where: str) -> tuple[str, Box]:
    fields = Fields(value, where)
    numbers = as_items(fields.get("box"), f"'box' of {where}", as_number)
    if len(numbers) != 4:
        raise NotationError(f"'box' of {where} must be four numbers, x0, y0, x1, y1.")
    x0, y0, x1, y1 = numbers
    return _label(fields.get("label"), where), (x0, y0, x1, y1)
