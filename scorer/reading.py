"""What photos were read as: the machine's output, the truth beside a labelled photo, a person's correction.

One format for all three, so that evaluating a reader is comparing two readings. As JSON it is what
`nerts read --json` prints; a `NotationError` says in one sentence what is wrong with JSON from elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from scorer.cards import Face, parse_face
from scorer.errors import NotationError
from scorer.jsonfields import Fields, as_items, as_number, as_text, as_whole, refusal
from scorer.piles import NO_FAULTS, Fault, Faults, Pile, PileCard, sentence

VERSION = 1
"""Of the JSON form; a reader refuses what a newer version wrote."""

Point = tuple[float, float]
"""x and y in pixels of the upright photo."""
Quad = tuple[Point, Point, Point, Point]
"""The four corners of a card, in order around it."""
Candidates = tuple[tuple[Face, float], ...]
"""What a face may be, with probabilities, the likeliest first."""


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
    candidates: Candidates = ()
    quad: Quad | None = None
    """Where the card lies, if its outline is known."""
    corners: tuple[Point, ...] = ()
    """Centres of the indices, or of the corners of the back, that were seen."""

    def to_json(self) -> dict[str, object]:
        """Return what `json.dumps` takes."""
        return {
            "face": _face_to_json(self.face),
            "back": self.back,
            "confidence": self.confidence,
            "marked": self.marked,
            "candidates": _candidates_to_json(self.candidates),
            "quad": None if self.quad is None else [list(point) for point in self.quad],
            "corners": [list(point) for point in self.corners],
        }

    @classmethod
    def from_json(cls, data: object, where: str = "the card") -> Self:
        """Build a card from parsed JSON."""
        fields = Fields(data, where)
        return cls(
            _face(fields),
            fields.optional_text("back"),
            _share(fields.get("confidence", 1.0), f"'confidence' of {where}"),
            fields.flag("marked", False),
            fields.items("candidates", _candidate, ()),
            _quad(fields),
            fields.items("corners", _point, ()),
        )


@dataclass(frozen=True, slots=True)
class SeenPile:
    """A pile seen in one photo."""

    cards: tuple[int, ...]
    """Indices into the cards of the photo, from the lowest card up: face up that is the ace, turned over the top card."""
    faults: Faults = NO_FAULTS

    def to_json(self) -> dict[str, object]:
        """Return what `json.dumps` takes."""
        return {"cards": list(self.cards), "faults": list(self.faults.names)}

    @classmethod
    def from_json(cls, data: object, where: str = "the pile") -> Self:
        """Build a pile from parsed JSON."""
        fields = Fields(data, where)
        faults = NO_FAULTS
        for flag in fields.items("faults", _flag, ()):
            faults |= flag
        return cls(fields.items("cards", as_whole), faults)


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

    def to_json(self) -> dict[str, object]:
        """Return what `json.dumps` takes."""
        return {
            "file": self.file,
            "width": self.width,
            "height": self.height,
            "seconds": self.seconds,
            "cards": [card.to_json() for card in self.cards],
            "piles": [pile.to_json() for pile in self.piles],
            "faults": [fault_to_json(fault) for fault in self.faults],
        }

    @classmethod
    def from_json(cls, data: object, where: str = "the photo") -> Self:
        """Build the reading of a photo from parsed JSON."""
        fields = Fields(data, where)
        reading = cls(
            fields.text("file"),
            fields.whole("width"),
            fields.whole("height"),
            fields.number("seconds", 0.0),
            fields.items("cards", SeenCard.from_json, ()),
            fields.items("piles", SeenPile.from_json, ()),
            fields.items("faults", fault_from_json, ()),
        )
        for number, pile in enumerate(reading.piles, 1):
            for index in pile.cards:
                _check_index(index, reading.cards, f"pile {number} of {where}", "card")
        return reading


@dataclass(frozen=True, slots=True)
class Pairing:
    """Which face-up and face-down pile of which photos are one pile of the round; indices from 0."""

    pile: int
    """Index into the piles of the round."""
    face_photo: int | None = None
    face_pile: int | None = None
    back_photo: int | None = None
    back_pile: int | None = None

    def to_json(self) -> dict[str, object]:
        """Return what `json.dumps` takes."""
        return {
            "pile": self.pile,
            "face_photo": self.face_photo,
            "face_pile": self.face_pile,
            "back_photo": self.back_photo,
            "back_pile": self.back_pile,
        }

    @classmethod
    def from_json(cls, data: object, where: str = "the pairing") -> Self:
        """Build a pairing from parsed JSON."""
        fields = Fields(data, where)
        return cls(
            fields.whole("pile"),
            fields.optional_whole("face_photo"),
            fields.optional_whole("face_pile"),
            fields.optional_whole("back_photo"),
            fields.optional_whole("back_pile"),
        )

    def check(self, reading: Reading, where: str) -> None:
        """Refuse indices that the reading does not have."""
        _check_index(self.pile, reading.piles, where, "pile")
        for photo, pile in ((self.face_photo, self.face_pile), (self.back_photo, self.back_pile)):
            if photo is not None:
                _check_index(photo, reading.photos, where, "photo")
                if pile is not None:
                    _check_index(pile, reading.photos[photo].piles, where, "pile of that photo")


@dataclass(frozen=True, slots=True)
class Reading:
    """What the photos of one round were read as, and the piles of the round joined from them."""

    photos: tuple[PhotoReading, ...] = ()
    piles: tuple[Pile, ...] = ()
    """Each card with its face and its owner, from the ace up."""
    faults: tuple[Fault, ...] = ()
    """What is wrong with the piles of the round and with the table as a whole."""
    pairing: tuple[Pairing, ...] = ()

    @property
    def doubts(self) -> tuple[Fault, ...]:
        """The faults of photos and piles because of which the round must not be scored unseen."""
        faults = [fault for photo in self.photos for fault in photo.faults]
        return tuple(fault for fault in (*faults, *self.faults) if fault.is_doubt)

    def to_json(self) -> dict[str, object]:
        """Return what `json.dumps` takes."""
        of_piles = [
            Faults.of(fault for fault in self.faults if fault.pile == index)
            for index in range(len(self.piles))
        ]
        return {
            "version": VERSION,
            "photos": [photo.to_json() for photo in self.photos],
            "piles": [pile_to_json(pile, faults) for pile, faults in zip(self.piles, of_piles, strict=True)],
            "faults": [fault_to_json(fault) for fault in self.faults],
            "pairing": [pairing.to_json() for pairing in self.pairing],
        }

    @classmethod
    def from_json(cls, data: object, where: str = "the reading") -> Self:
        """Build a reading from parsed JSON; all but its photos may be absent."""
        fields = Fields(data, where)
        version = fields.whole("version", VERSION)
        if version > VERSION:
            raise refusal(where, f"has version {version}, written by a newer program: update this one.")
        reading = cls(
            fields.items("photos", PhotoReading.from_json),
            fields.items("piles", pile_from_json, ()),
            fields.items("faults", fault_from_json, ()),
            fields.items("pairing", Pairing.from_json, ()),
        )
        for number, pairing in enumerate(reading.pairing, 1):
            pairing.check(reading, f"pairing {number} of {where}")
        return reading


def pile_to_json(pile: Pile, faults: Faults = NO_FAULTS) -> dict[str, object]:
    """Return a pile of the round for JSON; its suit and faults are told, not read back."""
    data: dict[str, object] = {
        "suit": None if pile.suit is None else pile.suit.value,
        "cards": [_pile_card_to_json(card) for card in pile],
        "faults": list(faults.names),
    }
    return data if pile.ordered else data | {"ordered": False}


def _pile_card_to_json(card: PileCard) -> dict[str, object]:
    data: dict[str, object] = {"face": _face_to_json(card.face), "back": card.back, "marked": card.marked}
    return data | {"candidates": _candidates_to_json(card.candidates)} if card.candidates else data


def pile_from_json(data: object, where: str = "the pile") -> Pile:
    """Build a pile of the round from parsed JSON."""
    fields = Fields(data, where)
    return Pile(fields.items("cards", _pile_card), fields.flag("ordered", True))


def _pile_card(data: object, where: str) -> PileCard:
    fields = Fields(data, where)
    return PileCard(
        _face(fields),
        fields.optional_text("back"),
        fields.flag("marked", False),
        fields.items("candidates", _candidate, ()),
    )


def fault_to_json(fault: Fault) -> dict[str, object]:
    """Return a fault for JSON."""
    data: dict[str, object] = {"name": fault.name.name, "sentence": fault.sentence}
    more = {
        "pile": fault.pile,
        "position": fault.position,
        "suggestion": _face_to_json(fault.suggestion),
        "details": dict(fault.details) or None,
    }
    return data | {key: value for key, value in more.items() if value is not None}


def fault_from_json(data: object, where: str = "the fault") -> Fault:
    """Build a fault from parsed JSON; a missing sentence is made from the details."""
    fields = Fields(data, where)
    name = _flag(fields.get("name"), f"'name' of {where}")
    pairs = fields.pairs("details").items()
    details = {key: as_text(value, f"{key!r} in the details of {where}") for key, value in pairs}
    return Fault(
        name,
        fields.text("sentence", sentence(name, **details)),
        fields.optional_whole("pile"),
        fields.optional_whole("position"),
        _face(fields, "suggestion"),
        tuple(sorted(details.items())),
    )


def _flag(value: object, where: str) -> Faults:
    name = as_text(value, where)
    if name not in Faults.__members__:
        raise refusal(where, f"is {name!r}, which is no known fault.")
    return Faults[name]


def _face_to_json(face: Face | None) -> str | None:
    return None if face is None else str(face)


def _face(fields: Fields, name: str = "face") -> Face | None:
    text = fields.optional_text(name)
    if text is None:
        return None
    try:
        return parse_face(text)
    except NotationError as error:
        raise refusal(fields.where, f"is wrong: {error}") from None


def _candidates_to_json(candidates: Candidates) -> list[object]:
    return [[str(face), probability] for face, probability in candidates]


def _candidate(value: object, where: str) -> tuple[Face, float]:
    items = as_items(value, where, lambda item, _: item)
    if len(items) != 2:
        raise refusal(where, "must be a face and a probability.")
    return parse_face(as_text(items[0], where)), _share(items[1], where)


def _share(value: object, where: str) -> float:
    number = as_number(value, where)
    if not 0 <= number <= 1:
        raise refusal(where, f"must be from 0 to 1, not {number:g}.")
    return number


def _point(value: object, where: str) -> Point:
    numbers = as_items(value, where, as_number)
    if len(numbers) != 2:
        raise refusal(where, "must be two numbers, x and y.")
    return numbers[0], numbers[1]


def _quad(fields: Fields) -> Quad | None:
    if "quad" not in fields:
        return None
    points = fields.items("quad", _point)
    if len(points) != 4:
        raise refusal(f"'quad' of {fields.where}", "must be four points.")
    return points[0], points[1], points[2], points[3]


def _check_index(index: int, items: tuple[object, ...], where: str, what: str) -> None:
    if not 0 <= index < len(items):
        raise refusal(where, f"names {what} {index}, but there are {len(items)}, counted from 0.")
