"""A second look at the backs, once it is known which pile of faces each ribbon of backs is.

How many cards a pile has is known from its faces: where the line along a ribbon leaves the count open, that decides it; and
where no ribbon lies that must lie there, it is looked for. Two cards with the same face are of two decks, which tells apart
backs that look alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from scorer.cards import Card, Face
from scorer.reading import Pairing, Reading
from scorer.vision.due import Due, due_of, marks_of, movement_of, others_in_line, paired_again, usual_width
from scorer.vision.growing import line_through, realigned
from scorer.vision.guided import (
    EVERY_WAY,
    MOST_ASTRAY,
    Sought,
    as_told,
    expected_ways,
    find_ribbon,
    is_believed,
    is_likely,
    lies_on,
    overlap,
    points_otherwise,
    without_others,
)
from scorer.vision.lines import (
    CARD,
    HEIGHT,
    LENGTH,
    NARROWEST,
    Line,
    Reduced,
    ends_around,
    read_lines,
)
from scorer.vision.lines import CLASSES as LINE_CLASSES
from scorer.vision.looking import Seen, first_strips, with_ribbons
from scorer.vision.models import network
from scorer.vision.movement import (
    ENOUGH,
    EXACTLY,
    FEW,
    TOGETHER,
    Marks,
    Movement,
    Partners,
    refitted,
)
from scorer.vision.rows import BackRibbon, Corners
from scorer.vision.strangers import strangers
from scorer.vision.turned import WIDTH, Answer, Explained, Fan, Scale, explained

Floats = NDArray[np.float64]
Lines = tuple[tuple[Line, Answer], ...]

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
BACKWARDS = 0.05
"""By how much plainer a line must show what the faces tell when it is read the other way, for a ribbon to be believed to run so;
if it is as much less plain the way it runs is sure.

Of 520 ribbons of rendered rounds seven ran the wrong way, none of them with two edges that stand on corners at both ends; for
five of these seven the line was plainer by 0.13 to 0.4 when read backwards, for none of the 513 others without two such edges.
"""
MANY = 4
"""Cards that a pile must have to tell how large gaps come out."""
SAME_SCALE = 0.05
"""Standard deviation of the logarithm of that within a photo."""
SIZE = 0.14
"""How far the sides of a card may be from what the cards around it let expect, both together, as logarithms.

Measured on 20 cards alone of rendered rounds: 0.1 at most, mostly 0.03.
"""
OFF_MIDDLE = 0.35
"""How far beside its ribbon's middle, in heights of a card, a line may have been read."""
SHORT = 0.85
"""Share of the length of other ribbons' edges below which those of a ribbon are short sides of a card, 0.71 of long ones."""
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
        if (movement := sides.movement) is not None and not mixed:
            gone += strangers(reading, face_photo, back_photo, movement)
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
class _Sides:
    """The piles of a photo of faces, and the ribbons of a photo of the same piles turned over."""

    piles: tuple[Due, ...]
    ribbons: tuple[BackRibbon, ...]
    lines: Lines
    """The line along each ribbon, and what the network reads there."""
    back: Lines
    """The same lines read from their other ends."""
    movement: Movement | None
    """Of the camera, from the photo of the faces to that of the backs; None where too little tells it."""

    @classmethod
    def of(cls, reading: Reading, backs: Seen, face_photo: int, pairs: Sequence[Pairing]) -> _Sides:
        photo = reading.photos[face_photo]
        # In a photo's piles its faces come first.
        paired = {p.face_pile: (p.back_pile or 0) - len(backs.faces.piles) for p in pairs}
        piles = [due_of(photo, n, paired.get(n)) for n in range(len(photo.piles))]
        ribbons = backs.backs.ribbons
        known = movement_of(piles, ribbons, backs.backs.corners.plain)
        if known is not None:
            piles = paired_again(piles, dict(known[1]))
        return cls(tuple(piles), ribbons, *_lines_along(backs), known[0] if known else None)

    def ribbons_due(self, photo: Seen) -> list[BackRibbon]:
        """The ribbons, read again or replaced where the faces demand it."""
        movement, scale = self.movement, self._scale()
        settled = {
            n: r
            for n, pile in enumerate(self.piles)
            if (r := self._settled(pile, movement, scale, photo.backs.corners)) is not None
        }
        if movement is not None:
            # What is found the first time may show that others run the wrong way, and where they lie more exactly.
            for _ in range(LOOKS):
                settled = self._searched(photo, self._refined(photo, movement, settled), scale, settled)
        kept = [self._doubted_if_either_way(n, settled) for n in settled]
        used = {self.piles[n].ribbon for n in settled}
        odd = {
            p.ribbon
            for p in self.piles
            if p.ribbon is not None and not _is_credible(p, self.ribbons[p.ribbon], scale)
        }
        left = [
            _doubted(r) if n in odd else r
            for n, r in enumerate(self.ribbons)
            if n not in used and not (_is_faint(r) and settled) and self._may_be_cards(n, kept)
        ]
        return [*kept, *(r for r in left if not any(overlap(r, other) for other in kept))]

    def _doubted_if_either_way(self, number: int, settled: Mapping[int, BackRibbon]) -> BackRibbon:
        """The ribbon of a pile; doubted if neither its own edges nor how the others were turned over tell which way it runs."""
        ribbon, others = settled[number], {n: r for n, r in settled.items() if n != number}
        if not ribbon.either_way:
            return ribbon
        told = self.movement is not None and self._turning(self.movement, others).tells(self.piles[number])
        return ribbon if told else _doubted(ribbon)

    def _may_be_cards(self, number: int, kept: Sequence[BackRibbon]) -> bool:
        """Whether a ribbon where no pile of faces lies may be one all the same: a card alone must have a card's size."""
        ribbon, (line, answer) = self.ribbons[number], self.lines[number]
        if self.movement is None or len(ribbon.edges) > 1 or len(kept) < ENOUGH:
            return True
        column = round(float(line.to_line(ribbon.starts)[0, 0]))
        seed = int(np.clip(column + NARROWEST, 0, LENGTH - 1))
        height = float(np.hypot(*(ribbon.edges[0].end - ribbon.edges[0].start)))
        deep = (ends_around(answer, seed)[1] - column) / WIDTH
        off = np.log([max(deep, 0.1), height / max(_height_at(ribbon.middle, kept), 1.0)])
        return bool(np.hypot(*off) < SIZE)

    def _searched(
        self, photo: Seen, movement: Movement, scale: Scale, settled: Mapping[int, BackRibbon]
    ) -> dict[int, BackRibbon]:
        """Look for the ribbons of piles that have none, or one that runs another way than the others."""
        turning = self._turning(movement, settled)
        sound = {n: r for n, r in settled.items() if not turning.contradicts(self.piles[n], r)}
        lost = {n: pile for n, pile in enumerate(self.piles) if n not in sound and pile.count and pile.fan}
        return sound | (_found(photo, lost, scale, self._turning(movement, sound)) if sound else {})

    def _settled(
        self, pile: Due, movement: Movement | None, scale: Scale, corners: Corners
    ) -> BackRibbon | None:
        """The ribbon a pile was paired with, if it is what the faces demand: as they lie, or else by count and length."""
        if pile.ribbon is None:
            return None
        first = self.ribbons[pile.ribbon]
        line, shown, is_sure = self._explained(pile, pile.ribbon, movement, scale)
        ribbon = _recounted(first, pile) if line.axis @ first.axis > 0 else None
        if shown is not None and pile.count:
            if is_believed(shown, pile.count) or (ribbon is None and is_likely(shown)):
                ribbon = as_told(line, shown, pile.count, corners)
            elif (
                shown.plain > HALFWAY
                and shown.extra
                and not shown.missing
                and len(first.edges) > pile.shown
                and not self._runs_on(pile, movement)
                and self._lies_side_by_side(first)
            ):
                # A face was overlooked: nothing must be made to agree with those that were seen.
                ribbon = first
        if ribbon is None or not self._is_in_place(pile, ribbon, movement):
            return None
        return replace(
            ribbon if _is_credible(pile, ribbon, scale) else _doubted(ribbon), either_way=not is_sure
        )

    def _explained(
        self, pile: Due, ribbon: int, movement: Movement | None, scale: Scale
    ) -> tuple[Line, Explained | None, bool]:
        """The line along a pile's ribbon as its faces explain it, and whether it is sure that it runs that way.

        Nothing explains a card alone. Of a ribbon whose corners do not tell which way it runs the line is read from both ends.
        """
        ways = (self.lines[ribbon], self.back[ribbon])
        forth, back = (_in_the_middle(line, pile, movement) for line, _ in ways)
        first = self.ribbons[ribbon]
        if pile.fan is None or len(first.edges) == pile.shown == 1:
            return forth, None, True
        shown, turned = (self._explained_along(*way, pile, pile.fan, movement, scale) for way in ways)
        if shown is None or turned is None or sum(len(edge.corners) > 1 for edge in first.edges) > 1:
            return forth, shown, True
        ahead = shown.plain - turned.plain
        return (*((back, turned) if ahead < -BACKWARDS else (forth, shown)), abs(ahead) > BACKWARDS)

    def _explained_along(
        self, line: Line, answer: Answer, pile: Due, fan: Fan, movement: Movement | None, scale: Scale
    ) -> Explained | None:
        """A line as the fan of a pile's faces explains it."""
        if movement is None:
            assert pile.ribbon is not None, "Only a pile that was paired with a ribbon has a line."
            middle = self.ribbons[pile.ribbon].middle
            return explained(answer, fan, scale, _around(line, middle, UNTOLD))
        middle = pile.place(movement)
        own = without_others(answer, line, middle, others_in_line(self.piles, pile, movement))
        around = _around(line, middle, MOST_ASTRAY)
        return explained(own, fan, scale, around, sum(around) / 2)

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
        return explained(answer, fan, Scale(), _around(line, self.ribbons[ribbon].middle, UNTOLD))

    def _turning(self, movement: Movement, settled: Mapping[int, BackRibbon]) -> _Turning:
        return _Turning(movement, self.piles, tuple(self.piles[n] for n in settled), tuple(settled.values()))

    def _runs_on(self, pile: Due, movement: Movement | None) -> bool:
        """Whether the ribbon of a pile was read on into another pile."""
        if movement is None or pile.ribbon is None:
            return False
        places = [outline.mean(axis=0) for outline in others_in_line(self.piles, pile, movement)]
        return len(places) > 0 and lies_on(np.array(places), self.ribbons[pile.ribbon])

    def _lies_side_by_side(self, ribbon: BackRibbon) -> bool:
        """Whether a ribbon's edges are as long as a card: along a card alone they are its short side and a pattern."""
        others = [r for r in self.ribbons if r is not ribbon and len(r.edges) > 1]
        if not others:
            return True
        return _height(ribbon.middle, [ribbon]) > SHORT * _height(ribbon.middle, others)

    def _is_in_place(self, pile: Due, ribbon: BackRibbon, movement: Movement | None) -> bool:
        return movement is None or bool(
            np.linalg.norm(pile.place(movement) - ribbon.middle) < TOGETHER * ribbon.width
        )

    def _refined(self, photo: Seen, movement: Movement, settled: Mapping[int, BackRibbon]) -> Movement:
        """The movement as the ribbons tell it that were settled or found."""
        near = [n for n, ribbon in settled.items() if self._is_in_place(self.piles[n], ribbon, movement)]
        source = np.array([self.piles[n].middle for n in near]).reshape(-1, 2)
        target = np.array([settled[n].middle for n in near]).reshape(-1, 2)
        plain = photo.backs.corners.plain
        corners = marks_of(self.piles), Marks(plain.points, plain.inward)
        return refitted(movement, Partners(source, target, usual_width(self.ribbons)), corners) or movement


def _height_at(place: Floats, ribbons: Sequence[BackRibbon]) -> float:
    """Length of a card's long edge at a place, pixels: it grows evenly towards the viewer."""
    places = np.array([np.append(ribbon.middle, 1.0) for ribbon in ribbons])
    heights = [float(np.median([np.hypot(*(e.end - e.start)) for e in ribbon.edges])) for ribbon in ribbons]
    even, *_ = np.linalg.lstsq(places, np.array(heights), rcond=None)
    return float(np.append(place, 1.0) @ even)


def _in_the_middle(line: Line, pile: Due, movement: Movement | None) -> Line:
    """The line where the pile's middle lies: edges show alike wherever a line crosses the cards."""
    if movement is None:
        return line
    aside = float(line.to_line(pile.place(movement)[None])[0, 1] - HEIGHT / 2) / CARD
    return line.shifted(aside) if abs(aside) < OFF_MIDDLE else line


def _around(line: Line, middle: Floats, reach: float) -> tuple[float, float]:
    column = float(line.to_line(middle[None])[0, 0])
    return column - reach, column + reach


def _lines_along(backs: Seen) -> tuple[Lines, Lines]:
    """The line along every ribbon, and what the network reads there; then the same from the other end."""
    ribbons = backs.backs.ribbons
    lines = [realigned(line_through(ribbon), ribbon) for ribbon in ribbons]
    photo = Reduced.of(backs.photo.pixels, min((line.height for line in lines), default=0.0))
    ways = (lines, [line.reversed for line in lines])
    forth, back = (
        tuple(zip(way, read_lines(photo, way, network("lines", LINE_CLASSES)), strict=True)) for way in ways
    )
    return forth, back


def _is_credible(pile: Due, ribbon: BackRibbon, scale: Scale) -> bool:
    """Whether a ribbon is as long as its faces, or was spread anew: then every edge stands on corners at both its ends."""
    return all(len(e.corners) > 1 for e in ribbon.edges) or _is_as_long(pile, ribbon, scale)


def _is_as_long(pile: Due, ribbon: BackRibbon, scale: Scale) -> bool:
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
    edges = tuple(e.doubted for e in ribbon.edges)
    return replace(ribbon, edges=edges, confirmed=False)


def _recounted(ribbon: BackRibbon, pile: Due) -> BackRibbon | None:
    """The ribbon if it has as many cards as its faces demand; None where it has not.

    Where some faces are missing and the backs count just as few, cards may really be missing: that is left to be looked at.
    """
    if pile.count is None or len(ribbon.edges) == pile.shown != pile.count:
        return ribbon
    return ribbon.counted_alike(pile.count)


def _is_faint(ribbon: BackRibbon) -> bool:
    """Whether hardly half of its corners were seen: where no pile of faces is, that is none."""
    return sum(len(e.corners) for e in ribbon.edges) <= len(ribbon.edges)


@dataclass(frozen=True, slots=True)
class _Turning:
    """How the piles of a photo of faces lie in the photo of the backs: what the piles found on both tell."""

    movement: Movement
    every: tuple[Due, ...]
    """All piles of the photo of the faces."""
    piles: tuple[Due, ...]
    ribbons: tuple[BackRibbon, ...]
    """The same piles turned over."""

    def ways(self, pile: Due) -> Floats:
        """Directions in which the ribbon of another pile may run."""
        long = [(p, r) for p, r in zip(self.piles, self.ribbons, strict=True) if len(r.edges) > 2]
        faces = [_angle(p.way(self.movement)) for p, _ in long]
        backs = [_angle(r.axis) for _, r in long]
        return expected_ways(faces, backs, _angle(pile.way(self.movement)))

    def tells(self, pile: Due) -> bool:
        """Whether it is known which of these directions that is; those that are not so were looked for anew."""
        return len(self.ways(pile)) < len(EVERY_WAY)

    def others(self, pile: Due) -> tuple[Floats, ...]:
        """Outlines (4, 2) of all other piles."""
        return others_in_line(self.every, pile, self.movement)

    def are_one(self, pile: Due, ribbon: BackRibbon, other: Due, theirs: BackRibbon) -> bool:
        """Whether the ribbons of two piles claim the same cards; not where both lie exactly in their own places."""
        exact = self._is_exact(pile, ribbon) and self._is_exact(other, theirs)
        return not exact and overlap(ribbon, theirs)

    def _is_exact(self, pile: Due, ribbon: BackRibbon) -> bool:
        away = np.linalg.norm(pile.place(self.movement) - ribbon.middle)
        return bool(away < EXACTLY * ribbon.width)

    def contradicts(self, pile: Due, ribbon: BackRibbon) -> bool:
        """Whether a ribbon runs another way than the others let expect: its lowest card was taken for its top one."""
        return len(ribbon.edges) > 1 and points_otherwise(self.ways(pile), ribbon.axis)


def _angle(vector: Floats) -> float:
    return float(np.arctan2(vector[1], vector[0]))


def _found(photo: Seen, lost: Mapping[int, Due], scale: Scale, turning: _Turning) -> dict[int, BackRibbon]:
    """The ribbons of piles that were overlooked, or read as something else; by the numbers of the piles."""
    found: dict[int, BackRibbon] = {}
    if not lost:
        return found
    smallest = min(_height(ribbon.middle, [ribbon]) for ribbon in turning.ribbons)
    picture = Reduced.of(photo.photo.pixels, smallest)
    for number, pile in lost.items():
        assert pile.fan and pile.count
        middle = pile.place(turning.movement)
        height = _height(middle, turning.ribbons)
        sought = Sought(middle, height, pile.fan, pile.count, scale, turning.ways(pile), turning.others(pile))
        ribbon = find_ribbon(picture, sought, photo.backs.corners, network("lines", LINE_CLASSES))
        others = [
            *zip(turning.piles, turning.ribbons, strict=True),
            *((lost[n], r) for n, r in found.items()),
        ]
        if ribbon is not None and not any(
            turning.are_one(pile, ribbon, other, theirs) for other, theirs in others
        ):
            found[number] = ribbon
    return found


def _height(place: Floats, ribbons: Sequence[BackRibbon]) -> float:
    """Length of a card's long edge near a place."""
    near = sorted(ribbons, key=lambda r: float(np.linalg.norm(r.middle - place)))[:NEIGHBOURS]
    return float(np.median([np.hypot(*(e.end - e.start)) for r in near for e in r.edges]))


def equal_faces(seen: Sequence[Seen], reading: Reading) -> list[tuple[int, int]]:
    """Pairs of strips, counted through all ribbons of all photos, that lie on cards with the same face."""
    strips: dict[Card, list[int]] = defaultdict(list)
    for face, strip in _strips_of_faces(seen, reading):
        strips[face].append(strip)
    return [pair for same in strips.values() for pair in combinations(same, 2)]


def _strips_of_faces(seen: Sequence[Seen], reading: Reading) -> Iterator[tuple[Card, int]]:
    firsts = first_strips(seen)
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
