"""Scenes: which card lies where on the table, in the order they were laid down.

Lengths are in card widths, on the plane of the table; angles in radians, counter-clockwise seen from above with y upwards
on the table pointing away from the first player.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from scorer.cards import DECK, Rank
from scorer.synth.art import Side
from scorer.synth.backs import BackDesign, draw_back, invent_back, recoloured, repatterned

Generator = np.random.Generator


@dataclass(frozen=True, slots=True)
class SceneDeck:
    """A deck on the table: its faces, its jokers and its back."""

    name: str
    faces: dict[str, Side]
    jokers: tuple[Side, ...]
    back: Side


@dataclass(frozen=True, slots=True)
class PlacedCard:
    """A physical card on the table."""

    deck: int
    face: str
    """Notation of the face; "JK" and "JK2" are a deck's two jokers."""
    x: float
    y: float
    angle: float
    """0: the card's top edge points to +y."""
    face_up: bool = True
    bow: tuple[float, ...] = (0.0,) * 8
    """How far each corner is displaced (x0, y0, x1, ...): cards are not flat."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Cards in the order they were laid down (later ones cover earlier ones), and the piles they form."""

    decks: tuple[SceneDeck, ...]
    cards: tuple[PlacedCard, ...]
    piles: tuple[tuple[int, ...], ...]
    """Indices into `cards`, each pile from the ace up."""
    seed: int
    """Decides table, clutter and everything else that is not a card."""


@dataclass(frozen=True, slots=True)
class Ribbon:
    """How one spread pile lies: where it starts, which way it runs, how far apart its cards are."""

    x: float
    y: float
    direction: float
    """Direction in which the ribbon runs."""
    pitch: float
    """Distance between neighbouring cards in card widths."""
    tilt: float
    """Angle of the cards' long axis against the normal of the ribbon."""
    bend: float
    """Change of direction from card to card."""
    untidy: float


def turned_over(scene: Scene) -> Scene:
    """The same piles turned over in place, as a hand turns a ribbon.

    Every card keeps its spot, the card that lay lowest now lies on top, and a lean of the cards is mirrored.
    """
    cards = list(scene.cards)
    order = [i for pile in scene.piles for i in sorted(pile, reverse=True)]
    for pile in scene.piles:
        across = _direction([cards[i] for i in pile])
        for i in pile:
            # A turn about the ribbon's long axis mirrors the angle at that axis; half a turn makes no difference to a back.
            cards[i] = replace(cards[i], angle=2 * across - cards[i].angle)
    piled = set(order)
    sequence = [i for i in range(len(cards)) if i not in piled] + order
    cards = [replace(c, face_up=not c.face_up) for c in cards]
    place = {old: new for new, old in enumerate(sequence)}
    piles = tuple(tuple(place[i] for i in pile) for pile in scene.piles)
    return replace(scene, cards=tuple(cards[i] for i in sequence), piles=piles)


def _direction(pile: list[PlacedCard]) -> float:
    if len(pile) < 2:
        return pile[0].angle
    return float(np.arctan2(pile[-1].y - pile[0].y, pile[-1].x - pile[0].x))


def invent_backs(count: int, rng: Generator) -> list[BackDesign]:
    """Backs of the decks of one table; sometimes a pair differs only in colour or only in pattern."""
    designs = [invent_back(rng) for _ in range(count)]
    if count > 1 and rng.random() < 0.35:
        change = recoloured if rng.random() < 0.6 else repatterned
        designs[1] = change(designs[0], rng)
    return designs


def scene_decks(
    arts: Sequence[tuple[str, dict[str, Side], tuple[Side, ...]]],
    rng: Generator,
    printed: Sequence[Side] = (),
) -> tuple[SceneDeck, ...]:
    """Give each deck's faces a back of its own: invented, or one of the printed backs."""
    designs = invent_backs(len(arts), rng)
    pool = list(rng.permutation(len(printed)))
    decks = []
    for (name, faces, jokers), design in zip(arts, designs, strict=True):
        back = printed[pool.pop()] if pool and rng.random() < 0.4 else draw_back(design)
        decks.append(SceneDeck(name, faces, jokers, back))
    return tuple(decks)


def lay_ribbon(
    ribbon: Ribbon, cards: list[tuple[int, str]], rng: Generator, *, face_up: bool = True
) -> list[PlacedCard]:
    """Lay (deck, face) cards along a ribbon, untidily."""
    placed = []
    x, y, direction = ribbon.x, ribbon.y, ribbon.direction
    for deck, face in cards:
        jitter = rng.normal(0, ribbon.untidy, 3)
        angle = direction - ribbon.tilt + jitter[2]
        bow = tuple(float(v) for v in rng.normal(0, 0.008, 8))
        placed.append(PlacedCard(deck, face, x + jitter[0], y + jitter[1], angle, face_up, bow))
        step = ribbon.pitch * max(0.4, rng.normal(1, 0.6 * ribbon.untidy / max(ribbon.pitch, 0.1)))
        x, y = x + step * np.cos(direction), y + step * np.sin(direction)
        direction += ribbon.bend
    return placed


def foundation(suit: str, length: int, decks: int, rng: Generator) -> list[tuple[int, str]]:
    """A legal foundation from the ace up, each card from a random deck."""
    return [(int(rng.integers(decks)), Rank(r).notation + suit) for r in range(1, length + 1)]


def random_ribbon(rng: Generator, x: float, y: float, direction: float | None = None) -> Ribbon:
    """A ribbon as people lay them: from tight (18 % of a card's width showing) to loose, straight or bowed."""
    return Ribbon(
        x,
        y,
        rng.uniform(-np.pi, np.pi) if direction is None else direction,
        float(np.exp(rng.uniform(np.log(0.18), np.log(0.75)))),
        rng.normal(0, 0.12) if rng.random() < 0.8 else rng.uniform(-0.9, 0.9),
        rng.normal(0, 0.02) if rng.random() < 0.75 else rng.normal(0, 0.09),
        float(rng.choice([0.01, 0.03, 0.06])),
    )


def _heap(decks: tuple[SceneDeck, ...], rng: Generator, spread: float) -> list[PlacedCard]:
    """Loose single cards, some on top of one another."""
    cards = []
    for _ in range(int(rng.integers(1, 14))):
        deck = int(rng.integers(len(decks)))
        joker = decks[deck].jokers and rng.random() < 0.15
        face = str(rng.choice(["JK", "JK2"])) if joker else str(rng.choice(list(decks[deck].faces)))
        spot = rng.normal(0, spread, 2)
        bow = tuple(float(v) for v in rng.normal(0, 0.01, 8))
        angle = rng.uniform(-np.pi, np.pi) if rng.random() < 0.6 else rng.normal(0, 0.1)
        cards.append(PlacedCard(deck, face, spot[0], spot[1], angle, bool(rng.random() < 0.93), bow))
    return cards


def _fan(decks: tuple[SceneDeck, ...], rng: Generator) -> list[PlacedCard]:
    """A hand of cards fanned about a point below them."""
    deck = int(rng.integers(len(decks)))
    count = int(rng.integers(2, 14))
    radius, step = rng.uniform(1.1, 2.2), rng.uniform(0.09, 0.26)
    x, y, turn = rng.normal(0, 2), rng.normal(0, 2), rng.uniform(-np.pi, np.pi)
    faces = rng.choice([*decks[deck].faces, *(("JK", "JK2") if decks[deck].jokers else ())], count)
    cards = []
    for i, face in enumerate(faces):
        angle = turn - (i - count / 2) * step + rng.normal(0, 0.02)
        bow = tuple(float(v) for v in rng.normal(0, 0.01, 8))
        cards.append(
            PlacedCard(
                deck, str(face), x - radius * np.sin(angle), y + radius * np.cos(angle), angle, True, bow
            )
        )
    return cards


def _grid(decks: tuple[SceneDeck, ...], rng: Generator) -> list[PlacedCard]:
    """Cards side by side, as in a layout of patience."""
    deck = int(rng.integers(len(decks)))
    rows, columns = int(rng.integers(1, 6)), int(rng.integers(1, 8))
    step = (rng.uniform(1.02, 1.5), rng.uniform(0.3, 1.2) + (1.1 if rng.random() < 0.7 else 0))
    faces = list(decks[deck].faces)
    cards = []
    for r in range(rows):
        for c in range(columns):
            face = str(rng.choice(faces))
            x, y = (
                (c - columns / 2) * step[0] + rng.normal(0, 0.03),
                (rows / 2 - r) * step[1] + rng.normal(0, 0.03),
            )
            cards.append(PlacedCard(deck, face, x, y, rng.normal(0, 0.03), bool(rng.random() < 0.97)))
    return cards


def _ribbons(
    decks: tuple[SceneDeck, ...], rng: Generator, face_up: bool
) -> tuple[list[PlacedCard], list[tuple[int, ...]]]:
    cards: list[PlacedCard] = []
    piles = []
    turn = rng.uniform(-np.pi, np.pi)
    for i in range(int(rng.integers(1, 7))):
        suit, length = str(rng.choice(list("CDHS"))), int(rng.integers(1, 15))
        pile = foundation(suit, min(length, 13), len(decks), rng)
        pile = [
            (d, f) if f in decks[d].faces else (d, str(rng.choice(list(decks[d].faces)))) for d, f in pile
        ]
        beside = rng.random() < 0.75
        ribbon = random_ribbon(
            rng, rng.normal(-2, 1), i * rng.uniform(1.3, 1.9) - 4, rng.normal(0, 0.1) if beside else None
        )
        if rng.random() < 0.5:
            ribbon = replace(ribbon, direction=ribbon.direction + np.pi)
        pile = [(d, "JK") if decks[d].jokers and rng.random() < 0.04 else (d, f) for d, f in pile]
        laid = lay_ribbon(ribbon, pile, rng, face_up=face_up)
        piles.append(tuple(range(len(cards), len(cards) + len(laid))))
        cards += laid
    return _rotated(cards, turn), piles


def _rotated(cards: list[PlacedCard], turn: float) -> list[PlacedCard]:
    c, s = np.cos(turn), np.sin(turn)
    return [replace(k, x=c * k.x - s * k.y, y=s * k.x + c * k.y, angle=k.angle + turn) for k in cards]


def training_scene(decks: tuple[SceneDeck, ...], rng: Generator, kind: str = "any") -> Scene:
    """Anything that cards do on a table: ribbons of "faces" or "backs", a "fan", a "grid" or a "heap"."""
    if kind == "any":
        kind = str(rng.choice(["faces", "backs", "fan", "grid", "heap"], p=[0.34, 0.26, 0.16, 0.1, 0.14]))
    piles: list[tuple[int, ...]] = []
    if kind in ("faces", "backs"):
        cards, piles = _ribbons(decks, rng, kind == "faces")
    elif kind == "fan":
        cards = [card for _ in range(int(rng.integers(1, 5))) for card in _fan(decks, rng)]
    elif kind == "grid":
        cards = _rotated(_grid(decks, rng), rng.uniform(-np.pi, np.pi))
    else:
        cards = _heap(decks, rng, rng.uniform(0.5, 3))
    return Scene(decks, tuple(cards), tuple(piles), int(rng.integers(1 << 31)))


def full_deck(faces: dict[str, Side]) -> bool:
    """Whether a deck has art for all 52 cards."""
    return all(str(card) in faces for card in DECK)
