"""The boxes drawn over a photo, and the cut-outs that show a single card; all in pixels of the photo."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scorer.reading import PhotoReading, Point, SeenCard
from webapp.review import Review, ReviewCard, Spot

_MARGIN = 0.35
"""How much of the surroundings a cut-out shows, as a share of the card."""


@dataclass(frozen=True, slots=True)
class Box:
    """One outline."""

    points: str
    """As SVG writes them."""
    card: str | None
    """The card of the review it belongs to."""
    seat: int | None
    """Number of the owner's seat."""
    marked: bool
    label: str
    seen: int | None = None
    """Entry of the photo's cards, for a box that is in no pile."""


@dataclass(frozen=True, slots=True)
class Overlay:
    """All boxes of one photo."""

    width: int
    height: int
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class Crop:
    """A part of a photo."""

    photo: int
    view_box: str
    width: int
    height: int
    points: str
    """The outline of the card in it."""


def overlays(review: Review) -> list[Overlay]:
    """Return the boxes of each photo."""
    numbers = {seat.id: number for number, seat in enumerate(review.seats, 1)}
    drawn: list[list[Box]] = [[] for _photo in review.reading.photos]
    taken: set[tuple[int, int | None]] = set()
    for card in (*review.cards(), *review.dropped):
        for spot in card.spots:
            taken.add((spot.photo, spot.card))
    for card in review.cards():
        owner = review.owner(card)
        for spot in card.spots:
            outline = _outline(review.reading.photos[spot.photo], spot)
            label = card.face.symbol if card.face is not None else "?"
            marked = card.marked and not card.settled
            drawn[spot.photo].append(Box(_written(outline), card.id, numbers.get(owner or ""), marked, label))
    for at, photo in enumerate(review.reading.photos):
        drawn[at] += _strays(photo, {card for number, card in taken if number == at})
    return [
        Overlay(photo.width, photo.height, tuple(boxes))
        for photo, boxes in zip(review.reading.photos, drawn, strict=True)
    ]


def _strays(photo: PhotoReading, taken: set[int | None]) -> Iterator[Box]:
    """Cards that were seen but lie in no pile of the round."""
    for index, seen in enumerate(photo.cards):
        if index not in taken:
            label = seen.face.symbol if seen.face is not None else "?"
            yield Box(_written(_card_outline(photo, seen)), None, None, seen.marked, label, index)


def crop(review: Review, card: ReviewCard, *, back: bool) -> Crop | None:
    """Return the part of a photo that shows a card, from the side that is asked for if it was photographed."""
    spots = sorted(card.spots, key=lambda spot: _shows_face(review, spot) == back)
    if not spots:
        return None
    spot = spots[0]
    photo = review.reading.photos[spot.photo]
    outline = _outline(photo, spot)
    left, right = min(x for x, _y in outline), max(x for x, _y in outline)
    top, bottom = min(y for _x, y in outline), max(y for _x, y in outline)
    margin = _MARGIN * max(right - left, bottom - top)
    box = (left - margin, top - margin, right - left + 2 * margin, bottom - top + 2 * margin)
    written = " ".join(f"{value:.0f}" for value in box)
    return Crop(spot.photo, written, photo.width, photo.height, _written(outline))


def _shows_face(review: Review, spot: Spot) -> bool:
    if spot.card is None:
        return True
    return review.reading.photos[spot.photo].cards[spot.card].face is not None


def _outline(photo: PhotoReading, spot: Spot) -> tuple[Point, ...]:
    if spot.card is None:
        return _around(photo, spot.x, spot.y)
    return _card_outline(photo, photo.cards[spot.card])


def _card_outline(photo: PhotoReading, seen: SeenCard) -> tuple[Point, ...]:
    if seen.quad is not None:
        return seen.quad
    x, y = seen.corners[0] if seen.corners else (photo.width / 2, photo.height / 2)
    return _around(photo, x, y)


def _around(photo: PhotoReading, x: float, y: float) -> tuple[Point, ...]:
    """A square about the size of an index, for a card of which only a point is known."""
    half = max(photo.width, photo.height) / 60
    return (x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)


def _written(points: tuple[Point, ...]) -> str:
    return " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
