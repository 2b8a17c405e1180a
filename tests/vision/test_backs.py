"""Owners: strips cut along exposed edges, grouped by their embeddings, named after known decks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.vision.backs import EMBEDDING, STRIP, cut_strip, embed_edges, name_owners, read_backs
from scorer.vision.decks import EMPTY, DeckBook
from scorer.vision.detector import BACK, FACE
from scorer.vision.lines import LENGTH
from scorer.vision.rows import back_ribbons
from tests.vision.lying import View, back_corner_points, back_corners, detections, ribbon_of

seeds = st.integers(0, 2**32 - 1)


def unit(vectors: np.ndarray) -> np.ndarray:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True), np.float32)


def looks(decks: int) -> np.ndarray:
    """Mean embeddings of decks that look quite unlike one another."""
    return np.eye(decks, EMBEDDING, dtype=np.float32)


def strips_of(
    cards: Sequence[int], means: np.ndarray, rng: np.random.Generator, noise: float = 0.04
) -> np.ndarray:
    """Embeddings of the strips of cards given by their decks."""
    return unit(means[list(cards)] + rng.normal(0, noise, (len(cards), EMBEDDING)))


def same_partition(names: Sequence[str], cards: Sequence[int]) -> bool:
    return len(set(zip(names, cards, strict=True))) == len(set(names)) == len(set(cards))


tables = st.lists(st.integers(0, 5), min_size=1, max_size=60)


@settings(max_examples=60)
@given(tables, seeds)
def test_equal_backs_get_one_name_and_different_ones_different_names(cards: list[int], seed: int) -> None:
    owners = name_owners(strips_of(cards, looks(6), np.random.default_rng(seed)), EMPTY)
    assert same_partition(owners.names, cards)
    assert owners.sure.all()
    assert set(owners.names) == {f"deck-{n + 1}" for n in range(len(set(cards)))}


def test_unknown_decks_are_numbered_from_the_one_with_most_cards() -> None:
    owners = name_owners(strips_of([0, 1, 1, 1, 2, 2], looks(3), np.random.default_rng(1)), EMPTY)
    assert owners.names == ("deck-3", "deck-1", "deck-1", "deck-1", "deck-2", "deck-2")


def test_a_deck_half_in_shadow_does_not_split() -> None:
    rng = np.random.default_rng(2)
    lit, shaded = looks(3)[0], unit(looks(3)[0] + 0.35 * np.eye(EMBEDDING)[40])
    means = np.stack([lit, shaded, looks(3)[1]])
    owners = name_owners(strips_of([0] * 9 + [1] * 9 + [2] * 9, means, rng), EMPTY)
    assert same_partition(owners.names, [0] * 18 + [1] * 9)


def test_no_more_decks_than_are_known_to_be_on_the_table() -> None:
    rng = np.random.default_rng(3)
    torn = unit(looks(3)[0] + 1.4 * np.eye(EMBEDDING)[40])
    means = np.stack([looks(3)[0], torn, looks(3)[1]])
    strips = strips_of([0] * 8 + [1] * 3 + [2] * 8, means, rng)
    assert len(set(name_owners(strips, EMPTY).names)) == 3
    assert same_partition(name_owners(strips, EMPTY, most=2).names, [0] * 11 + [1] * 8)


def test_more_decks_than_cards_are_no_reason_to_split() -> None:
    strips = strips_of([0, 0, 1], looks(2), np.random.default_rng(4))
    assert same_partition(name_owners(strips, EMPTY, most=6).names, [0, 0, 1])


def test_a_strip_between_two_decks_is_not_sure() -> None:
    rng = np.random.default_rng(5)
    between = unit(looks(2)[0] + 0.97 * looks(2)[1])
    strips = np.concatenate([strips_of([0] * 6 + [1] * 6, looks(2), rng), between[None]])
    owners = name_owners(strips, EMPTY, most=2)
    assert owners.sure.tolist() == [True] * 12 + [False]


def known(**means: np.ndarray) -> DeckBook:
    book = EMPTY
    for name, mean in means.items():
        book = book.taught(name, mean[None])
    return book


def test_known_decks_keep_their_names_and_new_ones_are_numbered() -> None:
    means = looks(3)
    book = known(Ann=means[2], Bob=means[0], Cleo=np.eye(EMBEDDING)[30])
    owners = name_owners(strips_of([0, 0, 1, 2, 2, 1], means, np.random.default_rng(6)), book)
    assert owners.names == ("Bob", "Bob", "deck-1", "Ann", "Ann", "deck-1")


def test_two_groups_are_never_one_known_deck() -> None:
    # Both look like Ann's deck, but not like one another.
    means = unit(np.array([[4.0, 3.0], [4.0, -3.2]]) @ looks(2))
    owners = name_owners(
        strips_of([0] * 5 + [1] * 5, means, np.random.default_rng(7)), known(Ann=looks(2)[0])
    )
    assert owners.names == ("Ann",) * 5 + ("deck-1",) * 5


def test_red_and_blue_packs_of_one_brand_go_to_the_nearer_known_deck() -> None:
    red = unit(np.eye(EMBEDDING)[0] + 0.6 * np.eye(EMBEDDING)[1])
    blue = unit(np.eye(EMBEDDING)[0] - 0.9 * np.eye(EMBEDDING)[1])
    strips = strips_of([0] * 6 + [1] * 6, np.stack([red, blue]), np.random.default_rng(8))
    owners = name_owners(strips, known(Red=red, Blue=blue))
    assert owners.names == ("Red",) * 6 + ("Blue",) * 6


@pytest.mark.parametrize(("count", "names"), [(0, ()), (1, ("deck-1",))])
def test_few_strips(count: int, names: tuple[str, ...]) -> None:
    owners = name_owners(
        np.zeros((count, EMBEDDING), np.float32) + np.eye(1, EMBEDDING, dtype=np.float32), EMPTY
    )
    assert owners.names == names and len(owners.sure) == count


def halves(height: int = 300, width: int = 400) -> np.ndarray:
    """A red picture, blue from column 200 on, with a green stripe above row 60."""
    picture = np.zeros((height, width, 3), np.uint8)
    picture[:, :200, 0] = picture[:, 200:, 2] = 255
    picture[:60] = (0, 255, 0)
    return picture


def point(x: float, y: float) -> np.ndarray:
    return np.array([x, y], np.float32)


def test_a_strip_shows_the_card_to_the_right_of_its_edge() -> None:
    strip = cut_strip(halves(), point(200, 250), point(200, 100))
    assert strip.shape == (*STRIP, 3)
    assert (strip[:, 2:] == (0, 0, 255)).all()
    # Walked the other way, the card is what lies on the other side.
    strip = cut_strip(halves(), point(200, 100), point(200, 250))
    assert (strip[:, 2:] == (255, 0, 0)).all()


def test_a_strip_stands_upright_with_the_edges_end_on_top() -> None:
    strip = cut_strip(halves(), point(210, 200), point(210, 20))
    assert (strip[:18] == (0, 255, 0)).all() and (strip[24:] == (0, 0, 255)).all()


@settings(max_examples=40)
@given(st.floats(-3.1, 3.1), st.floats(30, 400))
def test_a_strip_is_the_same_however_the_card_lies(angle: float, length: float) -> None:
    along = np.array([np.sin(angle), -np.cos(angle)])
    inward = np.array([np.cos(angle), np.sin(angle)])
    middle = np.array([300.0, 300.0])
    y, x = np.mgrid[:600, :600]
    place = ((x - middle[0]) * along[0] + (y - middle[1]) * along[1]) / length
    depth = ((x - middle[0]) * inward[0] + (y - middle[1]) * inward[1]) / length
    picture = np.zeros((600, 600, 3), np.uint8)
    picture[..., 0] = np.clip(127 + 200 * place, 0, 255)
    picture[..., 1] = np.clip(1500 * depth, 0, 255)
    strip = cut_strip(
        picture,
        (middle - along * length / 2).astype(np.float32),
        (middle + along * length / 2).astype(np.float32),
    )
    wanted = np.clip(127 + 200 * np.linspace(0.5, -0.5, STRIP[0]), 0, 255)
    assert np.abs(strip[:, 12, 0] - wanted).max() < 16
    assert np.abs(strip[48, :, 1] - np.clip(1500 * 0.13 * (np.arange(24) + 0.5) / 24, 0, 255)).max() < 40


def test_a_strip_at_the_pictures_edge_repeats_what_is_there() -> None:
    strip = cut_strip(halves(), point(399, 250), point(399, 100))
    assert (strip == (0, 0, 255)).all()


class Lookalike:
    """Stands in for the network: the mean colour of each strip."""

    def __init__(self) -> None:
        self.shapes: list[tuple[int, ...]] = []

    def __call__(self, batch: np.ndarray) -> np.ndarray:
        self.shapes.append(batch.shape)
        return np.asarray(batch.mean(axis=(2, 3)), np.float32)


def test_every_edge_of_a_ribbon_is_embedded_from_the_lowest_card_up() -> None:
    cards = ribbon_of(["AS"] * 3, 0, 0, pitch=0.5)
    points = [p for p in back_corner_points(cards)]
    (ribbon,) = back_ribbons(back_corners(points, View()))
    picture = np.zeros((4000, 4000, 3), np.uint8)
    for card, colour in zip(cards, ((255, 0, 0), (0, 255, 0), (0, 0, 255)), strict=True):
        (x0, y0), (x1, y1) = (
            View().pixels(np.array([(card.x - 0.5, -0.7), (card.x + 0.5, 0.7)])).round().astype(int)
        )
        picture[y0:y1, x0:x1] = colour
    network = Lookalike()
    embedded = embed_edges(picture, ribbon, network)  # type: ignore[arg-type]
    assert embedded.argmax(axis=1).tolist() == [0, 1, 2]
    assert network.shapes == [(3, 3, *STRIP)]


def no_line(batch: np.ndarray) -> np.ndarray:
    """A line reader that sees nothing: ribbons stay what their corners say."""
    return np.full((len(batch), 3, LENGTH), -9.0, np.float32)


def test_corners_on_face_up_cards_are_no_backs() -> None:
    points = np.array(
        [View().pixels(p) for p in back_corner_points(ribbon_of(["AS"], 0, 0, pitch=0.5))], np.float32
    )
    found = detections(points, BACK)
    picture, network = np.zeros((2200, 2200, 3), np.uint8), Lookalike()
    (ribbon,) = read_backs(picture, found, network, no_line).ribbons  # type: ignore[arg-type]
    a, b, c, d = ((float(x), float(y)) for x, y in points[[0, 2, 3, 1], 0])
    assert len(ribbon.edges) == 1
    nothing = read_backs(picture, found, network, no_line, [(a, b, c, d)])  # type: ignore[arg-type]
    assert (nothing.ribbons, nothing.embeddings) == ((), ())
    assert read_backs(picture, detections(points, FACE), network, no_line).ribbons == ()  # type: ignore[arg-type]
