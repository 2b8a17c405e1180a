"""From photos to the round's piles: faces and backs joined card by card, and what stands against scoring them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.cards import parse_face
from scorer.piles import Faults, Pile
from scorer.reading import Pairing, PhotoReading, Reading, SeenCard, SeenPile
from scorer.vision.rounds import join_round
from tests import builders
from tests.builders import names, the

RED, BLUE, GREEN = "red", "blue", "green"


def _at(n: int, x: float, y: float) -> tuple[tuple[float, float], ...]:
    left, top = x + 40 * n, y
    return (left, top), (left + 100, top), (left + 100, top + 140), (left, top + 140)


def face(text: str, n: int, x: float, y: float, *, marked: bool = False) -> SeenCard:
    known = None if text == "?" else parse_face(text)
    return SeenCard(known, None, 0.99, marked, (), _at(n, x, y), ())  # type: ignore[arg-type]


def back(owner: str, n: int, x: float, y: float, *, marked: bool = False) -> SeenCard:
    return SeenCard(None, owner, 0.99, marked, (), _at(n, x, y), ())  # type: ignore[arg-type]


def photo(name: str, *piles: Sequence[SeenCard]) -> PhotoReading:
    cards = tuple(card for pile in piles for card in pile)
    numbers = iter(range(len(cards)))
    return PhotoReading(
        name, 2000, 1500, 0.1, cards, tuple(SeenPile(tuple(next(numbers) for _ in pile)) for pile in piles)
    )


def faces_of(pile: Pile, x: float, y: float) -> list[SeenCard]:
    """The pile's face photo: from the lowest card, the ace, up."""
    return [face(str(card.face), n, x, y) for n, card in enumerate(pile)]


def backs_of(pile: Pile, x: float, y: float) -> list[SeenCard]:
    """The pile turned over in place: the lowest card has become the top one."""
    turned = list(reversed(list(pile)))
    return [back(card.back or "", len(turned) - 1 - n, x, y) for n, card in enumerate(turned)]


PLACES = [(200.0 + 700 * (i % 3), 200.0 + 260 * (i // 3)) for i in range(12)]


def both(piles: Sequence[Pile]) -> tuple[PhotoReading, PhotoReading]:
    seen = list(zip(piles, PLACES, strict=False))
    return (
        photo("faces.jpg", *(faces_of(pile, *place) for pile, place in seen)),
        photo("backs.jpg", *(backs_of(pile, *place) for pile, place in seen)),
    )


tables = st.lists(st.integers(1, 13), min_size=1, max_size=8)


def laid(tops: Sequence[int]) -> list[Pile]:
    """Piles whose owners differ from card to card, so that an order the wrong way round shows."""
    owners = [(RED, BLUE, GREEN), (BLUE, BLUE, RED), (GREEN, RED), (RED,)]
    return [builders.pile("CDHS"[i % 4], top, *owners[i % 4]) for i, top in enumerate(tops)]


def by_ace(piles: Sequence[Pile]) -> list[str]:
    return sorted(str(pile) for pile in piles)


@settings(max_examples=100)
@given(tables, st.booleans())
def test_every_card_gets_the_owner_its_back_shows(tops: list[int], backs_first: bool) -> None:
    piles = laid(tops)
    faces, backs = both(piles)
    reading = join_round([backs, faces] if backs_first else [faces, backs])
    assert by_ace(reading.piles) == by_ace(piles)
    assert Faults.UNPAIRED_PILE not in Faults.of(reading.faults)


def test_the_top_back_is_the_ace() -> None:
    faces = photo("f.jpg", [face("AH", 0, 0, 0), face("2H", 1, 0, 0), face("3H", 2, 0, 0)])
    backs = photo("b.jpg", [back(RED, 2, 0, 0), back(BLUE, 1, 0, 0), back(GREEN, 0, 0, 0)])
    reading = join_round([faces, backs])
    assert reading.piles == (Pile.parse("AH@green 2H@blue 3H@red"),)
    assert reading.pairing == (Pairing(0, 0, 0, 1, 0),)
    assert reading.photos == (faces, backs)


def test_the_pairing_names_photos_and_piles_as_they_came() -> None:
    piles = laid([3, 7])
    faces, _ = both(piles)
    swapped = photo("backs.jpg", backs_of(piles[1], *PLACES[1]), backs_of(piles[0], *PLACES[0]))
    reading = join_round([swapped, faces])
    assert set(reading.pairing) == {Pairing(0, 1, 0, 0, 1), Pairing(1, 1, 1, 0, 0)}
    assert Reading.from_json(reading.to_json()) == reading


def test_counts_that_differ_leave_a_doubtful_pile_with_all_that_was_seen() -> None:
    piles = laid([5, 3, 9, 11])
    faces, _ = both(piles)
    short = photo(
        "backs.jpg",
        backs_of(piles[0], *PLACES[0])[1:],
        *(backs_of(p, *PLACES[i]) for i, p in enumerate(piles) if i),
    )
    reading = join_round([faces, short])
    fault = the(reading.faults, Faults.FACES_AND_BACKS_DIFFER)
    assert "5 faces and 4 backs" in fault.sentence and fault.is_doubt
    pile = reading.piles[fault.pile or 0]
    assert [str(card.face) for card in pile] == [str(card.face) for card in piles[0]]
    # The four owners seen are kept, from the ace on; the fifth is not known.
    assert [card.back for card in pile] == [*(card.back for card in piles[0].cards[:4]), None]
    assert all(card.marked for card in pile)
    # That owners are missing for this reason must not be said as if no photo of backs were there.
    assert "UNPAIRED_PILE" not in names(reading.faults)
    assert by_ace([p for p in reading.piles if p is not pile]) == by_ace(piles[1:])


def test_only_backs_are_counted_from_the_ace_up() -> None:
    pile = laid([4])[0]
    reading = join_round([photo("backs.jpg", backs_of(pile, 0, 0))])
    assert [card.back for card in reading.piles[0]] == [card.back for card in pile]
    assert {card.face for card in reading.piles[0]} == {None}
    assert reading.pairing == (Pairing(0, None, None, 0, 0),)
    assert "UNPAIRED_PILE" not in names(reading.faults)


def test_only_faces_leave_the_owners_open() -> None:
    pile = laid([4])[0]
    reading = join_round([photo("faces.jpg", faces_of(pile, 0, 0))])
    assert [card.face for card in reading.piles[0]] == [card.face for card in pile]
    assert {card.back for card in reading.piles[0]} == {None}
    assert reading.pairing == (Pairing(0, 0, 0, None, None),)
    assert "UNPAIRED_PILE" not in names(reading.faults)


def test_what_lies_face_up_and_face_down_in_one_photo_are_different_piles() -> None:
    up, down = builders.pile("H", 3, RED), builders.pile("S", 3, RED)
    one = photo("one.jpg", faces_of(up, *PLACES[0]), backs_of(down, *PLACES[1]))
    alone = join_round([one])
    assert sorted(len(pile) for pile in alone.piles) == [3, 3]
    assert all(None in (p.face_photo, p.back_photo) for p in alone.pairing)
    # Another photo shows the first of them turned over.
    turned = join_round([one, photo("turned.jpg", backs_of(up, *PLACES[0]))])
    paired = [p for p in turned.pairing if None not in (p.face_photo, p.back_photo)]
    assert [(p.face_photo, p.back_photo) for p in paired] == [(0, 1)]


def test_a_pile_without_a_back_photo_is_said_by_its_cards() -> None:
    piles = laid([5, 3, 9, 11, 7])
    faces, _ = both(piles)
    backs = photo("backs.jpg", *(backs_of(p, *PLACES[i]) for i, p in enumerate(piles) if i != 2))
    reading = join_round([faces, backs])
    fault = the(reading.faults, Faults.UNPAIRED_PILE)
    assert "A♥ to 9♥" in fault.sentence
    assert len(reading.piles) == 5
    assert {card.back for card in reading.piles[fault.pile or 0]} == {None}


def test_a_pile_without_a_face_photo_is_counted_by_its_backs() -> None:
    piles = laid([5, 3, 9, 11, 7])
    _, backs = both(piles)
    faces = photo("faces.jpg", *(faces_of(p, *PLACES[i]) for i, p in enumerate(piles) if i != 4))
    reading = join_round([faces, backs])
    fault = the(reading.faults, Faults.UNPAIRED_PILE)
    assert "(7)" in fault.sentence
    assert [card.back for card in reading.piles[fault.pile or 0]] == [card.back for card in piles[4]]


def test_two_tables_in_four_photos_are_paired_table_by_table() -> None:
    first, second = laid([5, 3, 9, 11]), [builders.pile("S", top, GREEN, BLUE) for top in (13, 2)]
    (faces, backs), (faces_2, backs_2) = both(first), both(second)
    reading = join_round([faces, backs_2, backs, faces_2])
    assert by_ace(reading.piles) == by_ace([*first, *second])


def test_a_marked_back_marks_the_card_and_withholds_the_score() -> None:
    faces = photo("f.jpg", [face("AH", 0, 0, 0), face("2H", 1, 0, 0)])
    backs = photo("b.jpg", [back(RED, 1, 0, 0), back(BLUE, 0, 0, 0, marked=True)])
    reading = join_round([faces, backs])
    assert [card.marked for card in reading.piles[0]] == [True, False]
    weak = the(reading.faults, Faults.WEAK)
    assert (weak.pile, weak.position) == (0, 0) and reading.doubts


def test_an_unreadable_card_is_said_once() -> None:
    faces = photo("f.jpg", [face("AH", 0, 0, 0), face("?", 1, 0, 0, marked=True), face("3H", 2, 0, 0)])
    backs = photo("b.jpg", [back(RED, 2, 0, 0), back(BLUE, 1, 0, 0), back(RED, 0, 0, 0)])
    reading = join_round([faces, backs])
    assert names([f for f in reading.faults if (f.pile, f.position) == (0, 1)]) == ["UNREADABLE"]


def test_jokers_are_played_only_where_the_rules_say_so() -> None:
    faces = photo("f.jpg", [face("AH", 0, 0, 0), face("JK", 1, 0, 0), face("3H", 2, 0, 0)])
    backs = photo("b.jpg", [back(RED, 2, 0, 0), back(BLUE, 1, 0, 0), back(RED, 0, 0, 0)])
    assert "TOO_MANY_JOKERS" in names(join_round([faces, backs]).faults)
    assert "TOO_MANY_JOKERS" not in names(join_round([faces, backs], jokers=2).faults)


@pytest.mark.parametrize("photos", [[], [PhotoReading("empty.jpg", 10, 10)]])
def test_no_piles_no_round(photos: list[PhotoReading]) -> None:
    reading = join_round(photos)
    assert (reading.piles, reading.pairing, reading.photos) == ((), (), tuple(photos))


def test_a_hidden_face_is_what_the_backs_count_and_the_sequence_demands() -> None:
    faces = photo("f.jpg", [face("AH", 0, 0, 0), face("3H", 1, 0, 0), face("4H", 2, 0, 0)])
    backs = photo("b.jpg", [back(owner, 3 - n, 0, 0) for n, owner in enumerate((RED, BLUE, GREEN, RED))])
    reading = join_round([faces, backs])
    assert reading.piles == (Pile.parse("AH@red 2H@green 3H@blue 4H@red"),)
    fault = the(reading.faults, Faults.HIDDEN)
    assert (fault.pile, fault.position) == (0, 1) and "2♥" in fault.sentence
    assert not reading.doubts


def test_a_weak_face_is_vouched_for_by_the_backs_count_and_the_other_faces() -> None:
    cards = [face("AH", 0, 0, 0), replace(face("3H", 1, 0, 0), marked=True), face("4H", 2, 0, 0)]
    backs = photo("b.jpg", [back(owner, 3 - n, 0, 0) for n, owner in enumerate((RED, BLUE, GREEN, RED))])
    reading = join_round([photo("f.jpg", cards), backs])
    assert not reading.doubts and not any(card.marked for card in reading.piles[0].cards)


def test_a_hidden_face_is_not_taken_on_trust_where_the_backs_are_in_doubt() -> None:
    faces = photo("f.jpg", [face("AH", 0, 0, 0), face("3H", 1, 0, 0)])
    backs = photo("b.jpg", [back(owner, 2 - n, 0, 0) for n, owner in enumerate((RED, BLUE, GREEN))])
    doubtful = replace(backs, piles=(replace(backs.piles[0], faults=Faults.COUNTS_DISAGREE),))
    assert Faults.COUNTS_DISAGREE in names_of(join_round([faces, doubtful]))


@pytest.mark.parametrize("seen", ["AH 2H 9S 3H", "AH 2H 2H 3H", "AH ? 2H 3H"])
def test_what_is_no_card_is_left_out_where_the_backs_and_the_other_faces_agree(seen: str) -> None:
    faces = photo("f.jpg", [face(text, n, 0, 0) for n, text in enumerate(seen.split())])
    backs = photo("b.jpg", [back(owner, 2 - n, 0, 0) for n, owner in enumerate((RED, BLUE, GREEN))])
    reading = join_round([faces, backs])
    assert reading.piles == (Pile.parse("AH@green 2H@blue 3H@red"),) and not reading.doubts


@pytest.mark.parametrize("seen", ["AH 2H 3H 4H", "AH 2H 3H ?", "AH 2H 3H 3H", "AH 2H 3H 10D"])
def test_what_lies_on_top_is_never_left_out(seen: str) -> None:
    faces = photo("f.jpg", [face(text, n, 0, 0) for n, text in enumerate(seen.split())])
    backs = photo("b.jpg", [back(owner, 2 - n, 0, 0) for n, owner in enumerate((RED, BLUE, GREEN))])
    assert Faults.FACES_AND_BACKS_DIFFER in names_of(join_round([faces, backs]))


def test_a_clear_tie_stays_a_tie_where_the_backs_count_both_cards() -> None:
    faces = photo("f.jpg", [face(text, n, 0, 0) for n, text in enumerate(("AH", "2H", "2H"))])
    backs = photo("b.jpg", [back(owner, 2 - n, 0, 0) for n, owner in enumerate((RED, BLUE, GREEN))])
    assert join_round([faces, backs]).piles == (Pile.parse("AH@green 2H@blue 2H@red"),)


@pytest.mark.parametrize("seen", ["AH 3H", "AH 2H 2S 4H", "2H AH 4H"])
def test_nothing_is_filled_in_where_counts_or_sequence_do_not_demand_it(seen: str) -> None:
    shown = seen.split()
    faces = photo("f.jpg", [face(text, n, 0, 0) for n, text in enumerate(shown)])
    backs = photo("b.jpg", [back(RED, 4 - n, 0, 0) for n in range(5 if len(shown) > 2 else 2)])
    reading = join_round([faces, backs])
    assert Faults.HIDDEN not in names_of(reading) and reading.doubts


def test_piles_counted_differently_do_not_hinder_the_search_for_photos_of_the_same_piles() -> None:
    """More backs than faces, one of them hidden: not every card of such a pile has a place in the photo of the faces."""
    photos = []
    for x in (0.0, 30.0):
        shown = [face(text, n, x, 0) for n, text in enumerate(("AH", "2H", "4H", "5H"))]
        turned = [back(owner, 5 - n, x, 0) for n, owner in enumerate((RED, BLUE, GREEN, RED, BLUE))]
        more = [face(text, n, x, 300) for n, text in enumerate(("AS", "2S"))]
        many = [back(owner, 5 - n, x, 300) for n, owner in enumerate((RED, BLUE, GREEN, "black", "white"))]
        photos += [photo("f.jpg", shown, more), photo("b.jpg", turned, many)]
    reading = join_round(photos)
    assert sorted(len(pile) for pile in reading.piles) == [5, 5]


def test_fewer_decks_than_are_on_the_table_are_a_doubt() -> None:
    faces, backs = both(laid([5, 3]))
    assert Faults.FEWER_BACKS_THAN_PLAYERS not in names_of(join_round([faces, backs], decks=3))
    assert Faults.FEWER_BACKS_THAN_PLAYERS not in names_of(join_round([faces, backs]))
    fault = the(join_round([faces, backs], decks=4).faults, Faults.FEWER_BACKS_THAN_PLAYERS)
    assert "3 different backs" in fault.sentence and fault.is_doubt
    # Of faces alone nobody could tell.
    assert Faults.FEWER_BACKS_THAN_PLAYERS not in names_of(join_round([faces], decks=4))


def test_decks_that_look_alike_are_a_doubt() -> None:
    photos = both(laid([3, 5]))
    assert Faults.DECKS_LOOK_ALIKE not in names_of(join_round(photos))
    fault = the(join_round(photos, decks_are_clear=False).faults, Faults.DECKS_LOOK_ALIKE)
    assert fault.is_doubt
    assert "naming the players" in fault.sentence
    known = the(join_round(photos, decks=2, decks_are_clear=False).faults, Faults.DECKS_LOOK_ALIKE)
    assert "Two of the 2 backs" in known.sentence


RIGHT_BORDER, LEFT_BORDER = 2000.0, 0.0
FITS, TOUCHES, LEAVES = -100.0 - 40 * 3, -90.0 - 40 * 3, -70.0 - 40 * 3
"""Where a ribbon of four begins before a border, so that its top card is whole, hardly cut, or cut."""


def cut_off(*photos: PhotoReading) -> bool:
    return any(f.name is Faults.CUT_OFF and f.pile == 0 for f in join_round(photos).faults)


@pytest.mark.parametrize(("place", "doubtful"), [(FITS, False), (TOUCHES, False), (LEAVES, True)])
def test_a_pile_that_runs_out_of_the_only_photo_of_it_is_a_doubt(place: float, doubtful: bool) -> None:
    four = builders.pile("H", 4, RED, BLUE)
    assert cut_off(photo("faces.jpg", faces_of(four, RIGHT_BORDER + place, 500))) is doubtful


@pytest.mark.parametrize(("clear", "doubtful"), [(0, True), (47, True), (49, False)])
def test_under_the_lowest_back_another_may_come_out_beyond_the_border(clear: int, doubtful: bool) -> None:
    four = builders.pile("H", 4, RED, BLUE)
    assert cut_off(photo("backs.jpg", backs_of(four, RIGHT_BORDER + FITS - clear, 500))) is doubtful


@pytest.mark.parametrize(("x", "doubtful"), [(0, False), (-10, False), (-30, True)])
def test_of_a_pile_of_which_only_backs_were_photographed_the_ace_must_be_seen_whole(
    x: int, doubtful: bool
) -> None:
    four = builders.pile("H", 4, RED, BLUE)
    assert cut_off(photo("backs.jpg", backs_of(four, LEFT_BORDER + x, 500))) is doubtful


def test_a_pile_cut_in_one_photo_is_vouched_for_by_the_other() -> None:
    four = builders.pile("H", 4, RED, BLUE)
    faces = photo("faces.jpg", faces_of(four, RIGHT_BORDER + LEAVES, 500))
    assert not cut_off(faces, photo("backs.jpg", backs_of(four, 800, 500)))
    assert cut_off(faces, photo("backs.jpg", backs_of(four, RIGHT_BORDER + FITS, 500)))


def test_nothing_can_lie_on_a_king() -> None:
    whole = builders.pile("S", 13, RED, BLUE)
    assert not cut_off(photo("faces.jpg", faces_of(whole, RIGHT_BORDER - 12 * 40 - 60, 500)))


@pytest.mark.parametrize(("x", "y"), [(-30, 500), (1930, 500), (500, -30), (500, 1390)])
def test_a_single_card_may_be_the_lowest_of_a_ribbon_in_any_direction(x: float, y: float) -> None:
    ace = builders.pile("C", 1, RED)
    assert cut_off(photo("faces.jpg", faces_of(ace, x, y)))
    assert not cut_off(photo("faces.jpg", faces_of(ace, 900, 600)))


def names_of(reading: Reading) -> Faults:
    return Faults.of(reading.faults)
