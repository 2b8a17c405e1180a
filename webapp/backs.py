"""The backs a match remembers: a few outlines of cards whose owner people named."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from scorer.reading import Quad
from scorer.store import MatchState, Store
from webapp.reader import KnownBack
from webapp.review import Review

SAMPLES = 6
"""How many cards of each back are remembered."""


def named_backs(
    review: Review, photos: tuple[str, ...], earlier: MatchState, holders: Mapping[str, str]
) -> dict[str, list[dict[str, Any]]]:
    """Return samples of each deck's back after this round, the newest first.

    ``holders`` names the seat that had each deck in this round.
    """
    decks = {seat: deck for deck, seat in holders.items()}
    samples: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for card in review.cards():
        seat = review.owner(card)
        for spot in card.spots:
            if seat is None or spot.card is None or spot.photo >= len(photos):
                continue
            photo = review.reading.photos[spot.photo]
            seen = photo.cards[spot.card]
            if seen.face is None and seen.quad is not None and len(samples[seat]) < SAMPLES:
                outline = [[x / photo.width, y / photo.height] for x, y in seen.quad]
                samples[seat].append({"photo": photos[spot.photo], "outline": outline})
    return {
        decks[seat]: [*taken, *earlier.backs.get(decks[seat], [])][:SAMPLES]
        for seat, taken in samples.items()
        if taken
    }


def known_backs(store: Store, state: MatchState) -> dict[str, list[KnownBack]]:
    """Return the samples the reader can use: those whose photo is still there."""
    known: dict[str, list[KnownBack]] = defaultdict(list)
    for seat, samples in state.backs.items():
        for sample in samples:
            path = store.sheets.file(sample["photo"])
            if path is not None:
                known[seat].append(KnownBack(path, _quad(sample["outline"])))
    return dict(known)


def _quad(points: list[list[float]]) -> Quad:
    first, second, third, fourth = ((float(x), float(y)) for x, y in points)
    return first, second, third, fourth
