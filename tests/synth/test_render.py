"""Rendered photos: deterministic, and their truth says where things really are and what can be seen of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.synth.art import IndexMark, Side, turned
from scorer.synth.camera import random_camera
from scorer.synth.invented import invented_deck
from scorer.synth.render import Photo, render
from scorer.synth.scene import PlacedCard, Scene, SceneDeck, training_scene
from tests.rendered import ABOVE, deck, decks, scene

pytestmark = pytest.mark.usefixtures("bare_machine")

KINDS = ("faces", "backs", "fan", "grid", "heap")
seeds = st.integers(0, 2**32 - 1)


def everything(photo: Photo) -> tuple[object, ...]:
    return (
        photo.picture.tobytes(), photo.indices, photo.back_corners, photo.quads.tobytes(), photo.shown.tobytes()
    )  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_bytes(kind: str) -> None:
    def photo() -> Photo:
        rng = np.random.default_rng(5)
        return render(training_scene(decks("a", "b", "c"), rng, kind), random_camera(rng, 480, 360))

    first, second = photo(), photo()
    assert everything(first) == everything(second)
    assert first.picture.shape == (360, 480, 3) and first.picture.dtype == np.uint8


def test_another_seed_gives_another_table() -> None:
    card = PlacedCard(0, "7H", 0.0, 0.0, 0.3)
    first, second = render(scene(card, seed=1), ABOVE), render(scene(card, seed=2), ABOVE)
    assert first.picture.tobytes() != second.picture.tobytes()
    assert np.array_equal(first.quads, second.quads)


def spotted(rank: tuple[float, float], suit: tuple[float, float]) -> Side:
    """A grey face with a magenta spot where the rank is printed, and a green one for the suit."""
    image = np.full((560, 400, 4), (128, 128, 128, 255), np.uint8)
    y, x = np.mgrid[:560, :400]
    for (u, v), colour in ((rank, (255, 0, 255)), (suit, (0, 255, 0))):
        image[np.hypot(x - u * 400, y - v * 560) < 36, :3] = colour
    return Side(image, (one_mark(rank, suit),))


def one_yellow_quarter() -> Side:
    """A blue back, but for its top left quarter."""
    image = np.full((560, 400, 4), (0, 0, 255, 255), np.uint8)
    image[:280, :200, :3] = (255, 255, 0)
    return Side(image)


def one_mark(rank: tuple[float, float], suit: tuple[float, float]) -> IndexMark:
    (u, v), (s, t) = rank, suit
    outline = ((u - 0.09, v - 0.07), (u + 0.09, v - 0.07), (s + 0.09, t + 0.07), (s - 0.09, t + 0.07))
    return IndexMark(rank, suit, outline)


points = st.tuples(st.floats(0.12, 0.88), st.floats(0.1, 0.34))


@settings(max_examples=15)
@given(seeds, points, st.floats(0.22, 0.5), st.floats(-3.1, 3.1))
def test_index_points_lie_where_the_print_is(
    seed: int, rank: tuple[float, float], below: float, angle: float
) -> None:
    suit = (rank[0], rank[1] + below)
    side = spotted(rank, suit)
    art = SceneDeck("spots", {"7H": side}, (), side)
    bow = tuple(np.random.default_rng(seed).normal(0, 0.01, 8))
    lying = Scene((art,), (PlacedCard(0, "7H", 3.0, -2.0, angle, True, bow),), (), seed)
    camera = replace(random_camera(np.random.default_rng(seed), 480, 360), fill=0.9)
    photo = render(lying, camera, hands=0.0, strength=0.0)
    (seen,) = photo.indices
    assert (seen.card, seen.face) == (0, "7H")
    r, g, b = colour_at(photo, seen.rank)
    assert min(r, b) > g + 12
    r, g, b = colour_at(photo, seen.suit)
    assert g > max(r, b) + 12


def colour_at(photo: Photo, point: tuple[float, float]) -> tuple[float, float, float]:
    x, y = (round(v) for v in point)
    r, g, b = photo.picture[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2].reshape(-1, 3).mean(axis=0)
    return float(r), float(g), float(b)


@settings(max_examples=15)
@given(seeds, st.floats(-3.1, 3.1))
def test_back_corners_are_corners_and_point_inwards(seed: int, angle: float) -> None:
    back = one_yellow_quarter()
    lying = Scene(
        (SceneDeck("corner", {}, (), back),), (PlacedCard(0, "7H", 1.0, 1.0, angle, False),), (), seed
    )
    camera = replace(random_camera(np.random.default_rng(seed), 480, 360), fill=0.8)
    photo = render(lying, camera, hands=0.0, strength=0.0)
    assert [c.card for c in photo.back_corners] == [0] * 4
    assert np.allclose([c.corner for c in photo.back_corners], photo.quads[0], atol=1e-3)
    middle = photo.quads[0].mean(axis=0)
    for number, corner in enumerate(photo.back_corners):
        inward, diagonal = np.subtract(corner.inward, corner.corner), middle - corner.corner
        assert inward @ diagonal > 0.8 * np.linalg.norm(inward) * np.linalg.norm(diagonal)
        r, _, b = colour_at(photo, corner.inward)
        assert (r > b) is (number == 0)


def test_the_inward_point_halves_the_right_angle() -> None:
    photo = render(scene(PlacedCard(0, "7H", 0, 0, 0.0, False)), ABOVE, hands=0.0)
    width = np.linalg.norm(photo.quads[0][1] - photo.quads[0][0])
    for corner in photo.back_corners:
        across, along = np.abs(np.subtract(corner.inward, corner.corner))
        assert across == pytest.approx(along, rel=1e-4)
        assert np.hypot(across, along) == pytest.approx(0.297 * width, rel=0.01)


@pytest.mark.parametrize("face_up", [True, False])
def test_a_card_under_another_is_not_seen(face_up: bool) -> None:
    photo = render(
        scene(PlacedCard(0, "7H", 0, 0, 0.0, face_up), PlacedCard(1, "8H", 0, 0, 0.0, face_up)),
        ABOVE,
        hands=0.0,
    )
    assert {i.card for i in (*photo.indices, *photo.back_corners)} == {1}
    assert photo.shown.tolist() == [pytest.approx(0, abs=0.01), pytest.approx(1, abs=0.02)]


def ribbon(count: int, pitch: float, face_up: bool = True) -> Scene:
    """Cards laid to the right, each on the one before."""
    faces = ("A", *map(str, range(2, 11)), "J", "Q", "K")
    return scene(*(PlacedCard(i % 2, f"{faces[i]}S", pitch * i, 0.0, 0.0, face_up) for i in range(count)))


@pytest.mark.parametrize("pitch", [0.34, 0.5, 0.8])
def test_a_ribbon_shows_one_index_of_each_card_and_both_of_the_top_one(pitch: float) -> None:
    photo = render(ribbon(6, pitch), ABOVE, hands=0.0)
    assert [i.card for i in photo.indices] == [0, 1, 2, 3, 4, 5, 5]
    assert [i.face for i in photo.indices] == ["AS", "2S", "3S", "4S", "5S", "6S", "6S"]
    assert photo.shown[:-1] == pytest.approx(pitch, abs=0.05)
    for seen in photo.indices[:-1]:
        assert np.linalg.norm(np.subtract(seen.rank, photo.quads[seen.card][0])) < 0.3 * np.linalg.norm(
            photo.quads[seen.card][1] - photo.quads[seen.card][0]
        )


def test_a_ribbon_of_backs_shows_the_lower_edge_of_each_card() -> None:
    photo = render(ribbon(5, 0.3, face_up=False), ABOVE, hands=0.0)
    assert photo.indices == ()
    assert [c.card for c in photo.back_corners] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 4]
    for corner in photo.back_corners[:8]:
        left = photo.quads[corner.card][[0, 3]]
        assert np.abs(left - corner.corner).sum(axis=1).min() < 1e-3


@settings(max_examples=8)
@given(seeds)
def test_a_hand_covers_and_uncovers_nothing(seed: int) -> None:
    lying = replace(ribbon(5, 0.5), seed=seed)
    free, covered = render(lying, ABOVE, hands=0.0), render(lying, ABOVE, hands=1.0)
    assert set(covered.indices) <= set(free.indices)
    assert (covered.shown <= free.shown).all()


def test_hands_do_cover_something() -> None:
    tables = [replace(ribbon(5, 0.5), seed=seed) for seed in (5, 6, 10, 11)]
    free, covered = (sum(render(t, ABOVE, hands=h).shown.sum() for t in tables) for h in (0.0, 1.0))
    assert covered < free - 0.4


def test_what_is_outside_the_picture_is_not_seen() -> None:
    photo = render(ribbon(6, 0.8), replace(ABOVE, fill=1.7), hands=0.0)
    assert 0 < len(photo.indices) < 7
    points = np.array([(i.rank, i.suit) for i in photo.indices]).reshape(-1, 2)
    assert ((points > 0) & (points < [480, 360])).all()
    assert photo.shown.min() < 0.2


def foreign_deck() -> SceneDeck:
    art = invented_deck(5)
    assert art.faces["JH"].foreign
    return SceneDeck("foreign", art.faces, art.jokers, deck("red", 0).back)


def test_letters_of_other_languages_are_labelled_with_a_question_mark() -> None:
    cards = tuple(PlacedCard(0, face, 1.2 * i, 0.0, 0.0) for i, face in enumerate(("10H", "JH", "QS", "AD")))
    photo = render(Scene((foreign_deck(),), cards, (), 1), ABOVE, hands=0.0)
    assert {i.card: i.face for i in photo.indices} == {0: "10H", 1: "?H", 2: "?S", 3: "AD"}


def test_jokers_are_labelled_as_jokers() -> None:
    cards = tuple(PlacedCard(0, face, 1.2 * i, 0.0, 0.0) for i, face in enumerate(("JK", "JK2")))
    photo = render(scene(*cards), ABOVE, hands=0.0)
    assert [(i.card, i.face) for i in photo.indices] == [(0, "JK"), (0, "JK"), (1, "JK"), (1, "JK")]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=5)
@given(seed=seeds)
def test_training_scenes_are_well_formed(kind: str, seed: int) -> None:
    table = training_scene(decks("a", "b", "c"), np.random.default_rng(seed), kind)
    assert table.cards
    for card in table.cards:
        assert 0 <= card.deck < 3
        assert card.face in table.decks[card.deck].faces or card.face in ("JK", "JK2")
    piled = [i for pile in table.piles for i in pile]
    assert sorted(piled) == list(range(len(piled)))
    if kind in ("faces", "backs"):
        assert len(piled) == len(table.cards)
        assert {card.face_up for card in table.cards} == {kind == "faces"}


def test_a_mark_of_an_upside_down_card_is_its_turned_mark() -> None:
    upright = render(scene(PlacedCard(0, "7H", 0, 0, 0.0)), ABOVE, hands=0.0)
    over = render(scene(PlacedCard(0, "7H", 0, 0, np.pi)), ABOVE, hands=0.0)
    marks = deck("red", 0).faces["7H"].marks
    assert np.allclose(marks[1].rank, turned(marks[0]).rank)
    assert np.allclose(upright.indices[0].rank, over.indices[1].rank, atol=0.01)
