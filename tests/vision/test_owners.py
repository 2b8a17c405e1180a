"""Owners: strips of backs grouped by what they look like and by what the rules allow, named after known decks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.vision.backs import EMBEDDING
from scorer.vision.decks import EMPTY, DeckBook
from scorer.vision.owners import EdgesKnown, Owners, name_owners

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


def named(
    strips: np.ndarray,
    book: DeckBook = EMPTY,
    most: int | None = None,
    apart: Sequence[tuple[int, int]] = (),
    plainly: float = 10.0,
) -> Owners:
    """Owners of strips of which the nearer ones are the likelier to be of one deck."""
    return name_owners(plainly * (strips @ strips.T - 0.62).astype(np.float64), strips, book, most, apart)


def same_partition(names: Sequence[str], cards: Sequence[int]) -> bool:
    return len(set(zip(names, cards, strict=True))) == len(set(names)) == len(set(cards))


tables = st.lists(st.integers(0, 5), min_size=1, max_size=60)


@settings(max_examples=60)
@given(tables, seeds)
def test_equal_backs_get_one_name_and_different_ones_different_names(cards: list[int], seed: int) -> None:
    owners = named(strips_of(cards, looks(6), np.random.default_rng(seed)))
    assert same_partition(owners.names, cards)
    # A card of which there is no second may have been seen badly.
    assert owners.sure.tolist() == [cards.count(c) > 1 or len(set(cards)) == 1 for c in cards]
    assert set(owners.names) == {f"deck-{n + 1}" for n in range(len(set(cards)))}


def test_unknown_decks_are_numbered_from_the_one_with_most_cards() -> None:
    owners = named(strips_of([0, 1, 1, 1, 2, 2], looks(3), np.random.default_rng(1)))
    assert owners.names == ("deck-3", "deck-1", "deck-1", "deck-1", "deck-2", "deck-2")


def test_a_deck_half_in_shadow_does_not_split() -> None:
    rng = np.random.default_rng(2)
    lit, shaded = looks(3)[0], unit(looks(3)[0] + 0.35 * np.eye(EMBEDDING)[40])
    means = np.stack([lit, shaded, looks(3)[1]])
    owners = named(strips_of([0] * 9 + [1] * 9 + [2] * 9, means, rng))
    assert same_partition(owners.names, [0] * 18 + [1] * 9)


def test_no_more_decks_than_are_known_to_be_on_the_table() -> None:
    rng = np.random.default_rng(3)
    torn = unit(looks(3)[0] + 1.4 * np.eye(EMBEDDING)[40])
    means = np.stack([looks(3)[0], torn, looks(3)[1]])
    strips = strips_of([0] * 8 + [1] * 3 + [2] * 8, means, rng)
    assert len(set(named(strips).names)) == 3
    assert same_partition(named(strips, most=2).names, [0] * 11 + [1] * 8)


def test_more_decks_than_cards_are_no_reason_to_split() -> None:
    strips = strips_of([0, 0, 1], looks(2), np.random.default_rng(4))
    assert same_partition(named(strips, most=6).names, [0, 0, 1])


def test_a_strip_between_two_decks_is_not_sure() -> None:
    rng = np.random.default_rng(5)
    between = unit(looks(2)[0] + 0.97 * looks(2)[1])
    strips = np.concatenate([strips_of([0] * 6 + [1] * 6, looks(2), rng), between[None]])
    owners = named(strips, most=2)
    assert owners.sure.tolist() == [True] * 12 + [False]


def groups_of_odds(within: float, between: float) -> np.ndarray:
    """Odds of the strips of two decks of four cards each."""
    deck = np.repeat([0, 1], 4)
    return np.where(deck[:, None] == deck, within, between)


def owners_by(
    odds: np.ndarray,
    most: int | None = None,
    apart: Sequence[tuple[int, int]] = (),
    edges: EdgesKnown | None = None,
) -> Owners:
    """Owners of strips of unknown decks of which nothing but their odds matters."""
    strips = strips_of([0] * len(odds), looks(1), np.random.default_rng(9))
    return name_owners(odds, strips, EMPTY, most, apart, edges)


@pytest.mark.parametrize(
    ("within", "between", "clear"), [(6, -6, True), (4, -1, False), (1.5, -3, False), (6, 1.5, False)]
)
def test_decks_are_in_doubt_where_two_are_nearly_one_or_one_nearly_two(
    within: float, between: float, clear: bool
) -> None:
    assert owners_by(groups_of_odds(within, between)).is_clear is clear


@pytest.mark.parametrize(
    ("within", "between", "clear"),
    [(6, -6, True), (4, -1, True), (6, 1.5, False), (0.9, -3, False), (6, 4, False)],
)
def test_decks_of_known_number_are_clear_where_each_is_of_one_piece_and_like_no_other(
    within: float, between: float, clear: bool
) -> None:
    assert owners_by(groups_of_odds(within, between), most=2).is_clear is clear


def test_a_deck_taken_for_two_and_two_taken_for_one_are_as_many_as_there_should_be() -> None:
    # Three decks; two of them became one, the third two.
    odds = np.block(
        [[groups_of_odds(6, 3), np.full((8, 8), -4.0)], [np.full((8, 8), -4.0), groups_of_odds(6, 1)]]
    )
    owners = owners_by(odds, most=3)
    assert same_partition(owners.names, [0] * 8 + [1] * 4 + [2] * 4) and not owners.is_clear


def test_decks_that_became_one_hardly_are_a_doubt_where_nobody_says_how_many_there_are() -> None:
    odds = groups_of_odds(3, -6)
    assert not owners_by(odds).is_clear and owners_by(odds, most=2).is_clear


@pytest.mark.parametrize(
    ("within", "between", "clear"), [(6, -1.5, True), (4, -1.5, False), (9, -0.5, False)]
)
def test_decks_far_less_alike_than_their_own_cards_are_clear(
    within: float, between: float, clear: bool
) -> None:
    assert owners_by(groups_of_odds(within, between)).is_clear is clear


def test_two_decks_that_look_somewhat_alike_are_two_without_a_doubt_where_faces_lie_in_both() -> None:
    odds = groups_of_odds(8, 2.5)
    assert not owners_by(odds, apart=[(0, 4)]).is_clear
    assert owners_by(odds, apart=[(0, 4), (1, 5)]).is_clear


def test_decks_that_look_somewhat_alike_do_not_become_one_while_there_are_no_more_groups_than_decks() -> None:
    somewhat, hardly_told = groups_of_odds(8, 4), groups_of_odds(8, 7)
    owners = owners_by(somewhat, most=2)
    assert same_partition(owners.names, [0] * 4 + [1] * 4) and not owners.is_clear
    assert len(set(owners_by(somewhat, most=1).names)) == len(set(owners_by(hardly_told, most=2).names)) == 1


def with_odd_one(odds: np.ndarray, *others: float) -> np.ndarray:
    """The same and one strip more, by its odds with those of either deck."""
    row = np.repeat(others, 4)
    return np.block([[odds, row[:, None]], [row[None], np.zeros((1, 1))]])


FIRM = EdgesKnown(np.ones(9, bool), np.ones(9, bool))
TOLD = EdgesKnown(np.ones(9, bool), np.zeros(9, bool))


def test_a_single_strip_that_hangs_loose_is_its_own_doubt_not_that_of_the_decks() -> None:
    odds = with_odd_one(groups_of_odds(7, -7), 1.2, -0.5)
    owners = owners_by(odds, most=2, edges=FIRM)
    assert owners.names[8] == owners.names[0] and owners.is_clear
    assert owners.sure.tolist() == [True] * 8 + [False]


def test_a_strip_must_be_the_plainer_a_decks_the_less_exactly_its_edge_was_found() -> None:
    # Found aslant or a little off, it shows something of the card below.
    odds = with_odd_one(groups_of_odds(7, -7), 2.5, -3)
    assert owners_by(odds, most=2, edges=FIRM).sure.all()
    assert np.flatnonzero(~owners_by(odds, most=2).sure).tolist() == [8]


@pytest.mark.parametrize(("other", "sure"), [(0.5, True), (1.5, False)])
def test_a_strip_nearly_as_like_another_deck_is_a_doubt_however_like_its_own(
    other: float, sure: bool
) -> None:
    odds = with_odd_one(groups_of_odds(7, -7), 4, other)
    for edges in (FIRM, TOLD, EdgesKnown.nowhere(9)):
        assert owners_by(odds, most=2, edges=edges).sure.tolist() == [True] * 8 + [sure]


def test_a_lead_over_every_other_deck_makes_up_for_a_strip_seen_badly() -> None:
    far_ahead, ahead = (with_odd_one(groups_of_odds(7, -7), 1.5, other) for other in (-5, -4))
    assert owners_by(far_ahead, most=2).sure.all()
    assert np.flatnonzero(~owners_by(ahead, most=2).sure).tolist() == [8]


@pytest.mark.parametrize(
    ("edges", "own", "other", "sure"),
    [
        (TOLD, 0.5, -3, True), (TOLD, 0.5, -2, False), (TOLD, -0.5, -4, False),
        (TOLD, -1.5, -7, True), (TOLD, -2.5, -9, False), (EdgesKnown.nowhere(9), 0.5, -5, False),
    ],
)  # fmt: skip
def test_less_of_a_lead_is_enough_where_a_card_is_known_to_begin(
    edges: EdgesKnown, own: float, other: float, sure: bool
) -> None:
    odds = with_odd_one(groups_of_odds(7, -7), own, other)
    assert owners_by(odds, most=2, edges=edges).sure.tolist() == [True] * 8 + [sure]
    assert not owners_by(odds, edges=edges).sure[8], "One more deck may be on the table."


def test_decks_of_the_same_colours_are_told_apart_by_their_prints() -> None:
    decks = np.repeat([0, 1, 2], 4)
    odds = np.where(np.equal.outer(decks, decks), 6.0, 3.0)
    odds[8:, :8] = odds[:8, 8:] = -6.0
    # The last strip of the first deck looks a little more like the second one.
    odds[3, :3] = odds[:3, 3] = 3.0
    odds[3, 4:8] = odds[4:8, 3] = 3.3
    prints = np.where(np.equal.outer(decks, decks), 0.9, 0.6)
    colours, both = (name_owners(odds, looks(3)[decks], EMPTY, 3, prints=by) for by in (None, prints))
    assert colours.names[3] == colours.names[4] != colours.names[0] and not colours.sure[3]
    assert same_partition(both.names, decks) and both.sure.all()
    # How prints fit on what the strip is not like in colour says nothing.
    prints[3, 8:] = prints[8:, 3] = 1.0
    assert name_owners(odds, looks(3)[decks], EMPTY, 3, prints=prints).names == both.names


def test_decks_that_faces_tell_apart_hide_no_other_if_they_are_all() -> None:
    # A fragment of the first deck became one with it hardly: it shows two of its strips badly.
    odds = groups_of_odds(7, -1.2)
    odds[:2, 2:4] = odds[2:4, :2] = 1.0
    told = [(0, 4), (2, 5)]
    assert not owners_by(odds, most=2, apart=told[:1]).is_clear
    assert owners_by(odds, most=2, apart=told).is_clear
    # One more deck may be among them, or be taken for one of them.
    assert not owners_by(odds, most=3, apart=told).is_clear and not owners_by(odds, apart=told).is_clear
    odds[4:, :4] = odds[:4, 4:] = -0.5
    assert not owners_by(odds, most=2, apart=told).is_clear


def test_a_strip_hardly_of_a_deck_may_be_of_one_more_where_nobody_says_how_many_play() -> None:
    for usual, odd in ((4, 1.5), (8, 3.0)):
        odds = with_odd_one(groups_of_odds(usual, -7), odd, -7)
        assert owners_by(odds, most=2, edges=FIRM).sure.all()
        assert np.flatnonzero(~owners_by(odds, edges=FIRM).sure).tolist() == [8]


def test_strips_that_are_like_nothing_but_one_another_are_no_deck_without_a_doubt() -> None:
    odds = groups_of_odds(7, -7)
    loose = np.array([[0, 1.4], [1.4, 0]])
    apart = np.full((8, 2), -4.0)
    three = np.block([[odds, apart], [apart.T, loose]])
    assert len(set(owners_by(three).names)) == 3 and not owners_by(three).is_clear
    assert owners_by(three, most=3).is_clear and not owners_by(np.minimum(three, 0.9), most=3).is_clear


def test_a_strip_is_just_like_its_deck_if_it_is_as_near_as_half_of_it() -> None:
    odds = with_odd_one(groups_of_odds(11, -9), 5.2, -9)
    owners = owners_by(odds, most=2)
    assert owners.plain.all() and owners.just_like.tolist() == [True] * 8 + [False]


def known(**means: np.ndarray) -> DeckBook:
    book = EMPTY
    for name, mean in means.items():
        book = book.taught(name, mean[None])
    return book


def test_known_decks_keep_their_names_and_new_ones_are_numbered() -> None:
    means = looks(3)
    book = known(Ann=means[2], Bob=means[0], Cleo=np.eye(EMBEDDING)[30])
    owners = named(strips_of([0, 0, 1, 2, 2, 1], means, np.random.default_rng(6)), book)
    assert owners.names == ("Bob", "Bob", "deck-1", "Ann", "Ann", "deck-1")


def test_two_groups_are_never_one_known_deck() -> None:
    # Both look like Ann's deck, but not like one another.
    means = unit(np.array([[4.0, 3.0], [4.0, -3.2]]) @ looks(2))
    owners = named(strips_of([0] * 5 + [1] * 5, means, np.random.default_rng(7)), known(Ann=looks(2)[0]))
    assert owners.names == ("Ann",) * 5 + ("deck-1",) * 5


def test_red_and_blue_packs_of_one_brand_go_to_the_nearer_known_deck() -> None:
    red = unit(np.eye(EMBEDDING)[0] + 0.6 * np.eye(EMBEDDING)[1])
    blue = unit(np.eye(EMBEDDING)[0] - 0.9 * np.eye(EMBEDDING)[1])
    strips = strips_of([0] * 6 + [1] * 6, np.stack([red, blue]), np.random.default_rng(8))
    owners = named(strips, known(Red=red, Blue=blue))
    assert owners.names == ("Red",) * 6 + ("Blue",) * 6


@pytest.mark.parametrize(("count", "names"), [(0, ()), (1, ("deck-1",))])
def test_few_strips(count: int, names: tuple[str, ...]) -> None:
    owners = named(np.zeros((count, EMBEDDING), np.float32) + np.eye(1, EMBEDDING, dtype=np.float32))
    assert owners.names == names and len(owners.sure) == count


def alike(first: float = 0.35) -> np.ndarray:
    """Two decks of one brand that look much the same under the lamp."""
    return unit(looks(2)[:1] + first * np.eye(EMBEDDING)[[40, 41]])


@given(seeds)
def test_decks_that_look_alike_are_two_if_the_same_faces_lie_in_both(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cards = [0] * 8 + [1] * 8
    strips = strips_of(cards, alike(), rng, 0.02)
    assert len(set(named(strips).names)) == 1
    owners = named(strips, apart=[(n, n + 8) for n in range(5)])
    assert same_partition(owners.names, cards)


def test_one_misread_face_does_not_split_a_deck() -> None:
    strips = strips_of([0] * 10 + [1] * 6, looks(2), np.random.default_rng(9))
    owners = named(strips, apart=[(2, 7)], plainly=20)
    assert same_partition(owners.names, [0] * 10 + [1] * 6)
    # But somebody has to look at the two.
    assert set(np.flatnonzero(~owners.sure).tolist()) <= {2, 7}


def test_a_strip_between_two_decks_goes_where_its_face_is_missing() -> None:
    rng = np.random.default_rng(10)
    between = unit(looks(2)[0] + 0.99 * looks(2)[1])
    strips = np.concatenate([strips_of([0] * 6 + [1] * 6, looks(2), rng), between[None]])
    owners = named(strips, most=2, apart=[(0, 12)])
    assert owners.names[12] == owners.names[6] != owners.names[0]


def test_a_lone_strip_near_another_deck_is_not_sure_to_be_a_deck_of_its_own() -> None:
    odd = unit(looks(2)[0] + 1.35 * np.eye(EMBEDDING)[40])
    strips = np.concatenate([strips_of([0] * 6 + [1] * 6, looks(2), np.random.default_rng(11)), odd[None]])
    owners = named(strips)
    assert owners.names[12] == "deck-3" and not owners.sure[12] and owners.sure[:12].all()


def test_a_deck_of_nobody_known_does_not_vanish_among_the_others() -> None:
    strips = strips_of([0] * 6 + [1] * 6 + [2] * 2, looks(3), np.random.default_rng(12))
    owners = named(strips, most=2)
    assert same_partition(owners.names, [0] * 6 + [1] * 6 + [2] * 2)


def test_a_deck_of_which_a_single_card_was_played_is_sure_if_all_decks_are_known_to_be_there() -> None:
    strips = strips_of([0] * 6 + [1] * 6 + [2], looks(3), np.random.default_rng(13))
    owners = named(strips, most=3, plainly=20)
    # That it is like no other does not show that it is a card at all.
    assert owners.sure.all() and owners.plain.tolist() == [True] * 12 + [False]
    # Of more decks that might be on the table it may be one that was seen badly.
    assert np.flatnonzero(~named(strips).sure).tolist() == [12]
    assert np.flatnonzero(~named(strips, most=4).sure).tolist() == [12]


@pytest.mark.parametrize(("apart", "sure"), [(2.0, False), (3.0, False), (4.0, True)])
def test_a_card_alone_may_be_one_seen_badly_unless_it_is_quite_unlike_the_others(
    apart: float, sure: bool
) -> None:
    decks = np.array([0] * 6 + [1] * 6 + [2])
    odds = np.where(decks[:, None] == decks[None], 8.0, -8.0)
    odds[12, :12] = odds[:12, 12] = -apart
    known = np.ones(13, bool)
    owners = name_owners(odds, looks(3)[decks], EMPTY, 3, edges=EdgesKnown(known, known))
    assert owners.sure.tolist() == [True] * 12 + [sure]


def test_a_strip_far_nearer_to_its_deck_than_to_any_other_is_plainly_its() -> None:
    between = unit(looks(2)[0] + 0.9 * looks(2)[1])
    strips = np.concatenate(
        [strips_of([0] * 6 + [1] * 6, looks(2), np.random.default_rng(14)), between[None]]
    )
    assert named(strips, plainly=20).plain.tolist() == [True] * 12 + [False]


def test_a_strip_seen_badly_joins_a_group_before_two_like_decks_become_one() -> None:
    rng = np.random.default_rng(15)
    torn = unit(alike(0.7)[0] + 2.5 * np.eye(EMBEDDING)[30])
    strips = np.concatenate([strips_of([0] * 12 + [1] * 12, alike(0.7), rng, 0.02), torn[None]])
    odds_between = 10 * (strips @ strips.T - 0.62)
    assert odds_between[0, 12] > odds_between[0, 24], "The decks are more alike than the strip is its own."
    owners = named(strips, most=2)
    assert same_partition(owners.names, [0] * 12 + [1] * 12 + [0]) and not owners.sure[24]


def test_a_strip_far_less_like_its_deck_than_the_others_of_it_is_not_sure() -> None:
    # Its edge was found on the card below: it shows hardly more than that card, and another one's print.
    torn = unit(looks(2)[0] + 0.6 * looks(2)[1] + 1.05 * np.eye(EMBEDDING)[40])
    strips = np.concatenate([strips_of([0] * 8 + [1] * 8, looks(2), np.random.default_rng(16)), torn[None]])
    owners = named(strips, most=2, plainly=30)
    assert owners.names[16] == owners.names[0]
    assert np.flatnonzero(~owners.sure).tolist() == [16]
