"""A second look at the backs, once it is known which pile of faces each ribbon of backs is.

How many cards a pile has is known from its faces: where the line along a ribbon leaves the count open, that decides it; and
where no ribbon lies that must lie there, it is looked for. Two cards with the same face are of two decks, which tells apart
backs that look alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import accumulate, combinations

import numpy as np
from numpy.typing import NDArray

from scorer.cards import Card, Face
from scorer.piles import foundation_up_to_top
from scorer.reading import Pairing, PhotoReading, Reading, SeenCard
from scorer.vision.framing import outlines_of, width_of
from scorer.vision.growing import UNSURE, line_through, realigned
from scorer.vision.guided import (
    FEW,
    MOST_ASTRAY,
    TOGETHER,
    Sought,
    as_told,
    expected_ways,
    find_ribbon,
    is_believed,
    is_likely,
    moved,
    movement,
    overlap,
    points_otherwise,
)
from scorer.vision.lines import CLASSES as LINE_CLASSES
from scorer.vision.lines import Line, Reduced, read_lines
from scorer.vision.looking import Seen, with_ribbons
from scorer.vision.models import network
from scorer.vision.rows import BackRibbon, Corners
from scorer.vision.strangers import strangers
from scorer.vision.turned import Answer, Explained, Fan, Scale, explained, fan_of

Floats = NDArray[np.float64]

LOOKS = 2
"""How often overlooked ribbons are looked for."""
AS_LONG, LOOSE = 1.25, 0.25
"""Largest ratio of the lengths of a ribbon of faces and of its backs, and what they may differ by in any case, in card widths:
turned over in place they are equal.

Measured on 50 piles of rendered rounds: 0.80 to 1.18 with four cards or more, mostly 0.95 to 1.05.
"""
UNTOLD = 60.0
"""How far from the middle of its ribbon as first read that of a pile may lie, columns."""
HALFWAY = 0.5
"""Least mean score of a ribbon's edges and ends where its faces tell them, for others to speak against the faces."""
MANY = 4
"""Cards that a pile must have to tell how large gaps come out."""
SAME_SCALE = 0.05
"""Standard deviation of the logarithm of that within a photo."""
NEIGHBOURS = 3
"""Ribbons from which the size of a card near them is taken."""


def looked_again(seen: Sequence[Seen], reading: Reading) -> list[Seen]:
    """What the photos show, with ribbons of backs recounted, and found, as the photos of the faces demand and theirs allow.

    Args:
        seen: the photos.
        reading: what was made of them at first sight.
    """
    again = list(seen)
    gone: list[tuple[int, int]] = []
    photo_pairs = _photo_pairs(reading)
    # A photo that shows some piles face up and others face down decides nothing about what lies the wrong way up.
    mixed = {f for f, _ in photo_pairs} & {b for _, b in photo_pairs}
    for face_photo, back_photo in photo_pairs:
        pairs = [p for p in reading.pairing if (p.face_photo, p.back_photo) == (face_photo, back_photo)]
        sides = _Sides.of(reading, again[back_photo], face_photo, pairs)
        again[back_photo] = with_ribbons(again[back_photo], sides.ribbons_due(again[back_photo]))
        if (matrix := sides.movement()) is not None and not mixed:
            gone += strangers(reading, face_photo, back_photo, matrix)
    return [_without(photo, {pile for p, pile in gone if p == n}) for n, photo in enumerate(again)]


def _without(photo: Seen, gone: Set[int]) -> Seen:
    """A photo without some of its piles, by their numbers in its reading; faces come first there."""
    faces, ribbons = photo.faces, photo.backs.ribbons
    if not gone:
        return photo
    kept = [n for n in range(len(faces.piles)) if n not in gone]
    left = [r for n, r in enumerate(ribbons, len(faces.piles)) if n not in gone]
    photo = photo if len(left) == len(ribbons) else with_ribbons(photo, left)
    return replace(photo, faces=faces.only(kept))


def _photo_pairs(reading: Reading) -> list[tuple[int, int]]:
    """Photos of faces and photos of backs that show the same piles."""
    pairs = {
        (p.face_photo, p.back_photo): None
        for p in reading.pairing
        if p.face_photo is not None and p.back_photo is not None
    }
    return list(pairs)


@dataclass(frozen=True, slots=True)
class _Due:
    """What a pile of faces says of its backs."""

    middle: Floats
    """Of the pile, pixels of the photo of the faces."""
    count: int | None
    """Cards of the foundation; None where the faces make none."""
    shown: int
    """Faces seen of it."""
    ribbon: int | None
    """Which ribbon it was paired with at first sight."""
    along: Floats
    """From its lowest card to the top one, pixels; of a single card, from its left edge to the right one."""
    length: float
    """From its lowest card to the top one in widths of a card."""
    fan: Fan | None
    """How its backs must lie; None where that is not known."""


@dataclass(frozen=True, slots=True)
class _Sides:
    """The piles of a photo of faces, and the ribbons of a photo of the same piles turned over."""

    piles: tuple[_Due, ...]
    ribbons: tuple[BackRibbon, ...]
    lines: tuple[tuple[Line, Answer], ...]
    """The line along each ribbon, and what the network reads there."""

    @classmethod
    def of(cls, reading: Reading, backs: Seen, face_photo: int, pairs: Sequence[Pairing]) -> _Sides:
        photo = reading.photos[face_photo]
        # In a photo's piles its faces come first.
        paired = {p.face_pile: (p.back_pile or 0) - len(backs.faces.piles) for p in pairs}
        piles = tuple(_due(photo, n, paired.get(n)) for n in range(len(photo.piles)))
        return cls(piles, backs.backs.ribbons, tuple(_lines_along(backs)))

    def ribbons_due(self, photo: Seen) -> list[BackRibbon]:
        """The ribbons, read again or replaced where the faces demand it."""
        matrix, scale = self.movement(), self._scale()
        settled = {
            n: r
            for n, pile in enumerate(self.piles)
            if (r := self._settled(pile, matrix, scale, photo.backs.corners)) is not None
        }
        if matrix is not None:
            # What is found the first time may show that others run the wrong way.
            for _ in range(LOOKS):
                settled = self._searched(photo, matrix, scale, settled)
        kept = list(settled.values())
        used = {self.piles[n].ribbon for n in settled}
        odd = {
            p.ribbon
            for p in self.piles
            if p.ribbon is not None and not _is_as_long(p, self.ribbons[p.ribbon], scale)
        }
        left = [
            _doubted(r) if n in odd else r
            for n, r in enumerate(self.ribbons)
            if n not in used and not (_is_faint(r) and settled)
        ]
        return [*kept, *(r for r in left if not any(overlap(r, other) for other in kept))]

    def _searched(
        self, photo: Seen, matrix: Floats, scale: Scale, settled: Mapping[int, BackRibbon]
    ) -> dict[int, BackRibbon]:
        """Look for the ribbons of piles that have none, or one that runs another way than the others."""
        turning = self._turning(matrix, settled)
        sound = {n: r for n, r in settled.items() if not turning.contradicts(self.piles[n], r)}
        lost = {n: pile for n, pile in enumerate(self.piles) if n not in sound and pile.count and pile.fan}
        return sound | (_found(photo, lost, scale, self._turning(matrix, sound)) if sound else {})

    def _settled(
        self, pile: _Due, matrix: Floats | None, scale: Scale, corners: Corners
    ) -> BackRibbon | None:
        """The ribbon a pile was paired with, if it is what the faces demand: as they lie, or else by count and length."""
        if pile.ribbon is None:
            return None
        line, first = self.lines[pile.ribbon][0], self.ribbons[pile.ribbon]
        shown = self._explained(pile, pile.ribbon, matrix, scale)
        ribbon = _recounted(first, pile)
        if shown is not None and pile.count:
            if is_believed(shown, pile.count) or (ribbon is None and is_likely(shown)):
                ribbon = as_told(line, shown, pile.count, corners)
            elif (
                shown.plain > HALFWAY and shown.extra and not shown.missing and len(first.edges) > pile.shown
            ):
                # A face was overlooked: nothing must be made to agree with those that were seen.
                ribbon = first
        if ribbon is None or not self._is_in_place(pile, ribbon, matrix):
            return None
        return ribbon if _is_as_long(pile, ribbon, scale) else _doubted(ribbon)

    def _explained(self, pile: _Due, ribbon: int, matrix: Floats | None, scale: Scale) -> Explained | None:
        """The line along a pile's ribbon as its faces explain it; None for a card alone, which explains nothing."""
        line, answer = self.lines[ribbon]
        if pile.fan is None or len(self.ribbons[ribbon].edges) == pile.shown == 1:
            return None
        middle = _middle(self.ribbons[ribbon]) if matrix is None else moved(matrix, pile.middle[None])[0]
        return explained(
            answer, pile.fan, scale, _around(line, middle, UNTOLD if matrix is None else MOST_ASTRAY)
        )

    def _scale(self) -> Scale:
        """How large gaps come out in the photo of the backs, by the piles whose many cards leave no doubt."""
        ratios = [
            shown.scale
            for pile in self.piles
            if pile.ribbon is not None and pile.fan and pile.shown >= MANY
            if (shown := self._at_first_sight(pile.fan, pile.ribbon)) and shown.agrees
        ]
        return Scale(float(np.median(ratios)), SAME_SCALE) if len(ratios) >= FEW else Scale()

    def _at_first_sight(self, fan: Fan, ribbon: int) -> Explained | None:
        line, answer = self.lines[ribbon]
        return explained(answer, fan, Scale(), _around(line, _middle(self.ribbons[ribbon]), UNTOLD))

    def _turning(self, matrix: Floats, settled: Mapping[int, BackRibbon]) -> _Turning:
        return _Turning(matrix, tuple(self.piles[n] for n in settled), tuple(settled.values()))

    def _is_in_place(self, pile: _Due, ribbon: BackRibbon, matrix: Floats | None) -> bool:
        return matrix is None or bool(
            np.linalg.norm(moved(matrix, pile.middle[None])[0] - _middle(ribbon)) < TOGETHER * ribbon.width
        )

    def movement(self) -> Floats | None:
        """The camera's, from the photo of the faces to that of the backs, (2, 3); None where too few piles tell it."""
        paired = [(pile.middle, self.ribbons[pile.ribbon]) for pile in self.piles if pile.ribbon is not None]
        if not paired:
            return None
        width = float(np.median([ribbon.width for _, ribbon in paired]))
        return movement(
            np.array([middle for middle, _ in paired]),
            np.array([_middle(ribbon) for _, ribbon in paired]),
            TOGETHER * width,
        )


def _around(line: Line, middle: Floats, reach: float) -> tuple[float, float]:
    column = float(line.to_line(middle[None])[0, 0])
    return column - reach, column + reach


def _lines_along(backs: Seen) -> list[tuple[Line, Answer]]:
    """The line along every ribbon, and what the network reads there."""
    ribbons = backs.backs.ribbons
    lines = [realigned(line_through(ribbon), ribbon) for ribbon in ribbons]
    photo = Reduced.of(backs.photo.pixels, min((line.height for line in lines), default=0.0))
    return list(zip(lines, read_lines(photo, lines, network("lines", LINE_CLASSES)), strict=True))


def _due(photo: PhotoReading, number: int, ribbon: int | None) -> _Due:
    cards = [photo.cards[i] for i in photo.piles[number].cards]
    whole = foundation_up_to_top([card.face for card in cards])
    middle = np.mean([np.mean(card.quad or card.corners, axis=0) for card in cards], axis=0)
    fan, along = fan_of(cards), _along(cards)
    return _Due(
        np.asarray(middle, np.float64),
        len(whole) if whole else None,
        len(cards),
        ribbon,
        along,
        # Indices lie more exactly than outlines, but not all may have been seen.
        float(fan.places[-1]) if fan else float(np.hypot(*along)) / width_of(outlines_of(cards)),
        fan,
    )


def _is_as_long(pile: _Due, ribbon: BackRibbon, scale: Scale) -> bool:
    """Whether a ribbon is about as long as its faces and the slant of the photos let expect.

    Where not all of these were seen, that is not known.
    """
    if pile.count != pile.shown or pile.count != len(ribbon.edges) or pile.count < 2:
        return True
    ends = [(e.start + e.end) / 2 for e in (ribbon.edges[0], ribbon.edges[-1])]
    faces = pile.length * scale.usual
    backs = float(np.hypot(*(ends[1] - ends[0]))) / ribbon.width
    return abs(backs - faces) < LOOSE or 1 / AS_LONG < backs / max(faces, 1e-6) < AS_LONG


def _doubted(ribbon: BackRibbon) -> BackRibbon:
    """The ribbon with none of its edges sure."""
    edges = tuple(replace(e, corners=(), score=min(e.score, UNSURE)) for e in ribbon.edges)
    return replace(ribbon, edges=edges, confirmed=False)


def _along(cards: Sequence[SeenCard]) -> Floats:
    if len(cards) == 1:
        left, right = (np.array(point, float) for point in (cards[0].quad or ((0, 0), (1, 0)))[:2])
        return np.asarray(right - left)
    first, last = (np.mean(cards[n].quad or cards[n].corners, axis=0) for n in (0, -1))
    return np.asarray(last - first, np.float64)


def _recounted(ribbon: BackRibbon, pile: _Due) -> BackRibbon | None:
    """The ribbon if it has as many cards as its faces demand; None where it has not.

    Where some faces are missing and the backs count just as few, cards may really be missing: that is left to be looked at.
    """
    if pile.count is None or len(ribbon.edges) == pile.shown != pile.count:
        return ribbon
    return ribbon.counted_alike(pile.count)


def _is_faint(ribbon: BackRibbon) -> bool:
    """Whether hardly half of its corners were seen: where no pile of faces is, that is none."""
    return sum(len(e.corners) for e in ribbon.edges) <= len(ribbon.edges)


def _middle(ribbon: BackRibbon) -> Floats:
    middles = np.array([(e.start + e.end) / 2 for e in ribbon.edges])
    return np.asarray(middles.mean(axis=0) + ribbon.axis * ribbon.width / 2)


@dataclass(frozen=True, slots=True)
class _Turning:
    """How the piles of a photo of faces lie in the photo of the backs: what the piles found on both tell."""

    matrix: Floats
    piles: tuple[_Due, ...]
    ribbons: tuple[BackRibbon, ...]
    """The same piles turned over."""

    def ways(self, pile: _Due) -> Floats:
        """Directions in which the ribbon of another pile may run."""
        long = [(p.along, r.axis) for p, r in zip(self.piles, self.ribbons, strict=True) if len(r.edges) > 2]
        faces = [_angle(self.matrix[:, :2] @ along) for along, _ in long]
        backs = [_angle(axis) for _, axis in long]
        return expected_ways(faces, backs, _angle(self.matrix[:, :2] @ pile.along))

    def contradicts(self, pile: _Due, ribbon: BackRibbon) -> bool:
        """Whether a ribbon runs another way than the others let expect: its lowest card was taken for its top one."""
        return len(ribbon.edges) > 1 and points_otherwise(self.ways(pile), ribbon.axis)


def _angle(vector: Floats) -> float:
    return float(np.arctan2(vector[1], vector[0]))


def _found(photo: Seen, lost: Mapping[int, _Due], scale: Scale, turning: _Turning) -> dict[int, BackRibbon]:
    """The ribbons of piles that were overlooked, or read as something else; by the numbers of the piles."""
    found: dict[int, BackRibbon] = {}
    if not lost:
        return found
    smallest = min(_height(_middle(ribbon), [ribbon]) for ribbon in turning.ribbons)
    picture = Reduced.of(photo.photo.pixels, smallest)
    for number, pile in lost.items():
        assert pile.fan and pile.count
        middle = moved(turning.matrix, pile.middle[None])[0]
        height = _height(middle, turning.ribbons)
        sought = Sought(middle, height, pile.fan, pile.count, scale, turning.ways(pile))
        ribbon = find_ribbon(picture, sought, photo.backs.corners, network("lines", LINE_CLASSES))
        if ribbon is not None and not any(overlap(ribbon, r) for r in [*turning.ribbons, *found.values()]):
            found[number] = ribbon
    return found


def _height(place: Floats, ribbons: Sequence[BackRibbon]) -> float:
    """Length of a card's long edge near a place."""
    near = sorted(ribbons, key=lambda r: float(np.linalg.norm(_middle(r) - place)))[:NEIGHBOURS]
    return float(np.median([np.hypot(*(e.end - e.start)) for r in near for e in r.edges]))


def equal_faces(seen: Sequence[Seen], reading: Reading) -> list[tuple[int, int]]:
    """Pairs of strips, counted through all ribbons of all photos, that lie on cards with the same face."""
    strips: dict[Card, list[int]] = defaultdict(list)
    for face, strip in _strips_of_faces(seen, reading):
        strips[face].append(strip)
    return [pair for same in strips.values() for pair in combinations(same, 2)]


def _strips_of_faces(seen: Sequence[Seen], reading: Reading) -> Iterator[tuple[Card, int]]:
    firsts = _first_strips(seen)
    for pair in reading.pairing:
        if pair.face_photo is None or pair.back_photo is None or pair.back_pile is None:
            continue
        number = pair.back_pile - len(seen[pair.back_photo].faces.piles)
        count = len(seen[pair.back_photo].backs.ribbons[number].edges)
        faces: list[Face | None] = [card.face for card in reading.piles[pair.pile].cards]
        if len(faces) != count or None in faces:
            continue
        # Turned over, the ace lies on top: its strip is the last.
        last = firsts[pair.back_photo][number] + count - 1
        yield from ((face, last - place) for place, face in enumerate(faces) if isinstance(face, Card))


def _first_strips(seen: Sequence[Seen]) -> list[list[int]]:
    """For every photo the number of the first strip of each of its ribbons."""
    counts = [len(ribbon.edges) for photo in seen for ribbon in photo.backs.ribbons]
    firsts = iter(accumulate(counts, initial=0))
    return [[next(firsts) for _ in photo.backs.ribbons] for photo in seen]
