"""Rounds laid out and photographed: the truth beside the photos is the round that was laid."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.cards import Card
from scorer.piles import Pile, PileCard
from scorer.reading import Reading
from scorer.synth.rounds import lay_round, photo_truth, photograph, round_truth, scene_piles
from scorer.synth.scene import (
    PlacedCard,
    Ribbon,
    Scene,
    foundation,
    full_deck,
    lay_ribbon,
    random_ribbon,
    turned_over,
)
from tests.rendered import deck, decks, round_piles

pytestmark = pytest.mark.usefixtures("bare_machine")

seeds = st.integers(0, 2**32 - 1)
tops = st.lists(st.integers(1, 13), min_size=1, max_size=8)


def laid(tops: list[int], seed: int) -> Scene:
    return lay_round(round_piles(*tops), decks("red", "blue"), np.random.default_rng(seed))


def cards_of(scene: Scene) -> Counter[tuple[int, str]]:
    return Counter((card.deck, card.face) for card in scene.cards)


def same_turn(a: float, b: float) -> bool:
    return bool(abs(np.angle(np.exp(1j * (a - b)))) < 1e-9)


@settings(max_examples=40)
@given(tops, seeds)
def test_the_piles_of_the_scene_are_the_piles_that_were_laid(tops: list[int], seed: int) -> None:
    assert list(scene_piles(laid(tops, seed))) == round_piles(*tops)


@settings(max_examples=40)
@given(tops, seeds)
def test_every_card_is_laid_once(tops: list[int], seed: int) -> None:
    scene = laid(tops, seed)
    wanted = Counter((["red", "blue"].index(c.back), str(c.face)) for p in round_piles(*tops) for c in p)
    assert cards_of(scene) == wanted
    assert sorted(i for pile in scene.piles for i in pile) == list(range(len(scene.cards)))


@settings(max_examples=40)
@given(tops, seeds)
def test_turning_over_keeps_spots_and_reverses_the_stacking(tops: list[int], seed: int) -> None:
    scene = laid(tops, seed)
    over = turned_over(scene)
    assert cards_of(over) == cards_of(scene)
    assert not any(card.face_up for card in over.cards)
    for pile, turned in zip(scene.piles, over.piles, strict=True):
        up, down = [scene.cards[i] for i in pile], [over.cards[i] for i in turned]
        assert [(c.deck, c.face, c.x, c.y) for c in up] == [(c.deck, c.face, c.x, c.y) for c in down]
        # What was laid first lies lowest: the ace lay lowest, and now lies on top.
        assert list(pile) == sorted(pile) and list(turned) == sorted(turned, reverse=True)


@settings(max_examples=40)
@given(tops, seeds)
def test_turned_over_twice_everything_lies_as_before(tops: list[int], seed: int) -> None:
    scene = laid(tops, seed)
    again = turned_over(turned_over(scene))
    assert again.piles == scene.piles
    for card, before in zip(again.cards, scene.cards, strict=True):
        assert replace(card, angle=0.0) == replace(before, angle=0.0)
        assert same_turn(card.angle, before.angle)


def test_turning_over_mirrors_the_lean_of_the_cards() -> None:
    cards = lay_ribbon(Ribbon(0, 0, 0.4, 0.3, 0.2, 0.0, 0.0), [(0, "AS"), (0, "2S"), (0, "3S")], rng(1))
    over = turned_over(Scene(decks(), tuple(cards), ((0, 1, 2),), 1))
    assert all(same_turn(card.angle, 0.4 - 0.2) for card in cards)
    assert all(same_turn(card.angle, 0.4 + 0.2) for card in over.cards)


def test_single_cards_outside_piles_lie_below_the_turned_piles() -> None:
    cards = tuple(PlacedCard(0, face, 0.3 * i, 0, 0.0) for i, face in enumerate(("AS", "2S", "KD")))
    over = turned_over(Scene(decks(), cards, ((0, 1),), 1))
    assert [card.face for card in over.cards] == ["KD", "2S", "AS"]
    assert over.piles == ((2, 1),)


@settings(max_examples=6)
@given(tops.map(lambda t: t[:5]), seeds)
def test_the_truth_agrees_with_the_round(tops: list[int], seed: int) -> None:
    piles = round_piles(*tops)
    scene = laid(tops, seed)
    truth = round_truth(photograph(scene, rng(seed), 480, 360), "faces.jpg", "backs.jpg")
    assert list(truth.piles) == piles
    faces, backs = truth.photos
    assert (faces.file, backs.file, faces.width, faces.height) == ("faces.jpg", "backs.jpg", 480, 360)
    assert [[str(faces.cards[i].face) for i in pile.cards] for pile in faces.piles] == [
        [str(card.face) for card in pile] for pile in piles
    ]
    # From the lowest card up: turned over, the ace lies on top.
    assert [[backs.cards[i].back for i in pile.cards] for pile in backs.piles] == [
        [card.back for card in reversed(list(pile))] for pile in piles
    ]
    assert all(card.back is None and card.corners for card in faces.cards)
    assert all(card.face is None and card.corners for card in backs.cards)
    assert Reading.from_json(truth.to_json()) == truth


def test_every_index_of_a_round_can_be_read() -> None:
    scene = laid([13, 9, 1, 5], 3)
    photos = photograph(scene, rng(3), 1000, 750)
    assert {i.card for i in photos.faces.indices} == set(range(len(scene.cards)))
    assert {c.card for c in photos.backs.back_corners} == set(range(len(scene.cards)))


def test_a_round_is_photographed_the_same_from_the_same_seed() -> None:
    first, second = (photograph(laid([5, 3], 4), rng(4), 480, 360) for _ in range(2))
    assert first.faces.picture.tobytes() == second.faces.picture.tobytes()
    assert first.backs.picture.tobytes() == second.backs.picture.tobytes()
    assert first.faces.picture.tobytes() != first.backs.picture.tobytes()


def test_cards_hidden_under_others_are_not_in_the_truth_of_a_photo() -> None:
    cards = (PlacedCard(0, "AS", 0, 0, 0.0), PlacedCard(0, "2S", 0, 0, 0.0), PlacedCard(1, "KD", 2, 0, 0.0))
    scene = Scene(decks(), cards, ((0, 1), (2,)), 1)
    truth = photo_truth(scene, photograph(scene, rng(1), 480, 360).faces, "stack.jpg")
    assert [str(card.face) for card in truth.cards] == ["2S", "KD"]
    assert [pile.cards for pile in truth.piles] == [(0,), (1,)]


def test_only_known_cards_can_be_laid() -> None:
    for card in (PileCard(None, "red"), PileCard(Card.parse("AS"), None)):
        with pytest.raises(ValueError, match="only be laid out if all its faces and owners are known"):
            lay_round([Pile((card,))], decks("red", "blue"), rng(1))


def test_a_joker_can_be_laid_as_any_card() -> None:
    pile = Pile.parse("AH@red JK=2H@blue 3H@red")
    scene = lay_round([pile], decks("red", "blue"), rng(1))
    assert [card.face for card in scene.cards] == ["AH", "JK", "3H"]


@given(seeds)
def test_ribbons_are_as_tight_and_as_loose_as_people_lay_them(seed: int) -> None:
    ribbon = random_ribbon(rng(seed), 0.0, 0.0)
    assert 0.18 <= ribbon.pitch <= 0.75
    foundation_ = foundation("H", 13, 3, rng(seed))
    assert [face for _, face in foundation_] == [
        f"{r}H" for r in ("A", *map(str, range(2, 11)), "J", "Q", "K")
    ]
    assert {deck for deck, _ in foundation_} <= {0, 1, 2}


def test_a_full_deck_has_52_faces() -> None:
    faces = deck("red", 0).faces
    assert full_deck(faces)
    assert not full_deck({face: side for face, side in faces.items() if face != "10D"})


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)
