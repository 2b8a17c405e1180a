"""Rounds: the foundations of a table as people spread them afterwards, photographed face up and turned over in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from scorer.cards import Face, Joker, parse_face
from scorer.piles import Pile, PileCard
from scorer.reading import PhotoReading, Reading, SeenCard, SeenPile
from scorer.synth.camera import Camera, random_camera
from scorer.synth.render import Photo, render
from scorer.synth.scene import PlacedCard, Ribbon, Scene, SceneDeck, lay_ribbon, turned_over

Generator = np.random.Generator

COUNTED = 0.02
"""Share of a card that must be uncovered for the truth to list it as seen in a photo."""


@dataclass(frozen=True, slots=True)
class RoundPhotos:
    """One round, photographed."""

    faces: Photo
    backs: Photo
    face_scene: Scene
    back_scene: Scene


def _rows(lengths: Sequence[float], width: float) -> list[list[int]]:
    """Distribute ribbons over rows of about the given width, as they come."""
    rows: list[list[int]] = [[]]
    used = 0.0
    for i, length in enumerate(lengths):
        if rows[-1] and used + length > width:
            rows.append([])
            used = 0.0
        rows[-1].append(i)
        used += length + 0.5
    return rows


def lay_round(piles: Sequence[Pile], decks: tuple[SceneDeck, ...], rng: Generator) -> Scene:
    """Lay each pile as a ribbon, in rows, untidily but so that every index shows.

    Args:
        piles: from the ace up; every card's back names one of the decks.
        decks: in any order; names as in the piles.
        rng: decides pitch, bend, gaps, table.
    """
    number = {deck.name: i for i, deck in enumerate(decks)}
    pitches = rng.uniform(0.24, 0.5) * rng.uniform(0.85, 1.2, len(piles))
    lengths = [1 + (len(p.cards) - 1) * float(d) for p, d in zip(piles, pitches, strict=True)]
    cards: list[PlacedCard] = []
    members: list[tuple[int, ...]] = [()] * len(piles)
    total = sum(lengths) + 0.5 * len(lengths)
    rows = _rows(lengths, max(max(lengths, default=1.0), float(np.sqrt(total * 1.8 * rng.uniform(0.8, 1.4)))))
    y = 0.0
    for row in rows:
        x = rng.normal(0, 0.2)
        for i in row:
            ribbon = Ribbon(
                x, y + rng.normal(0, 0.06), rng.normal(0, 0.03), float(pitches[i]),
                rng.normal(0, 0.05), rng.normal(0, 0.006), float(rng.choice([0.008, 0.02, 0.035])),
            )  # fmt: skip
            laid = lay_ribbon(ribbon, [_placed(c, number) for c in piles[i].cards], rng)
            members[i] = tuple(range(len(cards), len(cards) + len(laid)))
            cards += laid
            x += lengths[i] + rng.uniform(0.3, 0.7)
        y -= 1.4 + rng.uniform(0.2, 0.5)
    return Scene(decks, tuple(cards), tuple(members), int(rng.integers(1 << 31)))


def _placed(card: PileCard, number: dict[str, int]) -> tuple[int, str]:
    if card.face is None or card.back is None:
        raise ValueError("A pile can only be laid out if all its faces and owners are known.")
    return number[card.back], "JK" if isinstance(card.face, Joker) else str(card.face)


def _calm_camera(rng: Generator, width: int, height: int) -> Camera:
    """Somebody takes care: nearly from above, all piles in the picture, not far off."""
    camera = random_camera(rng, width, height, tilt=0.5)
    return replace(
        camera,
        fill=rng.uniform(0.86, 0.97),
        azimuth=rng.normal(0, 0.15),
        tilt=min(abs(rng.normal(0.12, 0.12)), 0.5),
    )


def photograph(
    scene: Scene, rng: Generator, width: int = 4000, height: int = 3000, strength: float = 0.6
) -> RoundPhotos:
    """Photograph a round face up, turn it over in place, photograph the backs; the hand moves between the two."""
    over = turned_over(scene)
    faces = render(scene, _calm_camera(rng, width, height), hands=0.0, strength=strength)
    backs = render(over, _calm_camera(rng, width, height), hands=0.0, strength=strength)
    return RoundPhotos(faces, backs, scene, over)


def scene_piles(scene: Scene) -> tuple[Pile, ...]:
    """The piles of a scene with their owners: the truth about the round."""
    return tuple(
        Pile(tuple(PileCard(_face(scene.cards[i]), scene.decks[scene.cards[i].deck].name) for i in pile))
        for pile in scene.piles
    )


def _face(card: PlacedCard) -> Face:
    return parse_face("JK" if card.face.startswith("JK") else card.face)


def photo_truth(scene: Scene, photo: Photo, file: str) -> PhotoReading:
    """What a perfect reader would say of one rendered photo."""
    height, width = photo.picture.shape[:2]
    seen = [i for i in range(len(scene.cards)) if photo.shown[i] >= COUNTED]
    place = {card: n for n, card in enumerate(seen)}
    corners: dict[int, list[tuple[float, float]]] = {i: [] for i in seen}
    for index in photo.indices:
        middle = (np.array(index.rank) + np.array(index.suit)) / 2
        corners.setdefault(index.card, []).append((float(middle[0]), float(middle[1])))
    for back in photo.back_corners:
        corners.setdefault(back.card, []).append((float(back.corner[0]), float(back.corner[1])))
    cards = tuple(_seen(scene, photo, i, tuple(corners[i])) for i in seen)
    # A scene's cards are numbered as they lie, from the lowest up.
    piles = tuple(SeenPile(tuple(place[i] for i in sorted(pile) if i in place)) for pile in scene.piles)
    return PhotoReading(file, width, height, 0.0, cards, piles)


def _seen(scene: Scene, photo: Photo, i: int, corners: tuple[tuple[float, float], ...]) -> SeenCard:
    card = scene.cards[i]
    a, b, c, d = ((float(x), float(y)) for x, y in photo.quads[i])
    face = _face(card) if card.face_up else None
    back = None if card.face_up else scene.decks[card.deck].name
    return SeenCard(face, back, 1.0, False, (), (a, b, c, d), corners)


def round_truth(photos: RoundPhotos, face_file: str, back_file: str) -> Reading:
    """What a perfect reader would say of a round: both photos, and the piles with faces and owners."""
    seen = (
        photo_truth(photos.face_scene, photos.faces, face_file),
        photo_truth(photos.back_scene, photos.backs, back_file),
    )
    return Reading(seen, scene_piles(photos.face_scene))
