"""What looks like no deck on the table, where no face tells of a card, is no card."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

from scorer.piles import Pile
from scorer.reading import Reading
from scorer.vision.clutter import clutter, without
from scorer.vision.looking import Compared, Seen, photo_readings
from scorer.vision.owners import Owners
from scorer.vision.rounds import join_round
from scorer.vision.rows import BackRibbon
from tests.vision.test_rounds import PLACES
from tests.vision.test_second_look import TABLE, back_photo, face_photo, ribbon

PILES = [Pile.parse("h:3"), Pile.parse("s:2"), Pile.parse("d:4"), Pile.parse("c:3")]
FREE = (900.0, 1100.0)
"""A place where no pile lies."""
PAGE = "page"


@pytest.fixture(autouse=True)
def nothing_on_the_table() -> Iterator[None]:
    yield
    TABLE.clear()


def ribbons(*counts: int) -> list[BackRibbon]:
    return [ribbon(*place, *[0.9] * count) for place, count in zip(PLACES, counts, strict=False)]


def joined(seen: Sequence[Seen], decks: Sequence[str]) -> Reading:
    told = np.ones(len(decks), bool)
    return join_round(photo_readings(seen, Owners(tuple(decks), told, told, told)))


def odds_of(decks: Sequence[str], apart: float = 6.0) -> np.ndarray:
    names = np.array(decks)
    return np.where((names[:, None] == names) & (names != PAGE), 8.0, -apart)


def found(backs: Seen, decks: Sequence[str], *, apart: float = 6.0, known: int | None = None) -> list[int]:
    """Numbers of the strips that are of no card, where faces of all PILES were seen; a page is named like the nearest deck."""
    seen = [face_photo(*PILES), backs]
    named = ["red" if deck == PAGE else deck for deck in decks]
    return np.flatnonzero(clutter(seen, joined(seen, named), odds_of(decks, apart), known)).tolist()


DECKS = ["red", "blue", "red", "red", "blue", "blue", "red", "blue", "red", "blue", "red", "blue"]
"""Of the strips of all PILES."""


def test_what_looks_like_no_deck_where_no_faces_lie_is_no_card() -> None:
    page = ribbon(*FREE, 0.9)
    assert found(back_photo(*ribbons(3, 2, 4, 3), page), [*DECKS, PAGE]) == [12]
    # What looks somewhat like a deck may be a card whose face was overlooked.
    assert found(back_photo(*ribbons(3, 2, 4, 3), page), [*DECKS, PAGE], apart=1.0) == []
    assert found(back_photo(*ribbons(3, 2, 4, 3), page), [*DECKS, "red"]) == []


def test_a_longer_pile_that_looks_like_no_deck_is_looked_at_by_somebody() -> None:
    photo, decks = back_photo(*ribbons(3, 2, 4, 3), ribbon(*FREE, 0.9, 0.9, 0.9)), [*DECKS, *[PAGE] * 3]
    assert found(photo, decks) == [] and found(photo, decks, known=3) == []
    # Both decks on the table lie in the other piles.
    assert found(photo, decks, known=2) == [12, 13, 14]


@pytest.mark.parametrize("place", [0, 1, 3])
def test_a_strip_too_many_that_looks_like_no_deck_is_none(place: int) -> None:
    decks = [*DECKS[:place], PAGE, *DECKS[place:]]
    assert found(back_photo(*ribbons(4, 2, 4, 3)), decks) == [place]


def test_a_strip_that_the_faces_count_is_a_card_whatever_it_looks_like() -> None:
    assert found(back_photo(*ribbons(3, 2, 4, 3)), [PAGE, *DECKS[1:]]) == []


def test_strips_are_left_alone_where_the_count_does_not_say_which_are_too_many() -> None:
    assert found(back_photo(*ribbons(5, 2, 4, 3)), [PAGE, "red", *DECKS]) == []
    assert found(back_photo(*ribbons(4, 2, 4, 3)), [PAGE, PAGE, *DECKS[1:]]) == []


def test_what_lies_face_down_among_the_faces_and_looks_like_no_deck_is_no_card() -> None:
    def found(apart: float) -> list[int]:
        faces = face_photo(*PILES)
        faces = replace(faces, backs=back_photo(ribbon(*FREE, 0.9)).backs)
        seen = [faces, back_photo(*ribbons(3, 2, 4, 3))]
        return np.flatnonzero(
            clutter(seen, joined(seen, ["red", *DECKS]), odds_of([PAGE, *DECKS], apart))
        ).tolist()

    # Somebody may not have turned it over.
    assert found(6.0) == [0] and found(1.0) == []


def test_without_faces_nothing_speaks_against_a_card() -> None:
    seen = [back_photo(*ribbons(3, 2, 4, 3), ribbon(*FREE, 0.9))]
    assert not clutter(seen, joined(seen, [*DECKS, "red"]), odds_of([*DECKS, PAGE])).any()


def test_what_is_left_are_the_cards_and_what_was_known_of_them() -> None:
    seen = [face_photo(*PILES), back_photo(*ribbons(4, 2, 4, 3), ribbon(*FREE, 0.9))]
    none = np.array([n in (0, 13) for n in range(14)])
    _, backs = without(seen, none)
    assert [len(r.edges) for r in backs.backs.ribbons] == [3, 2, 4, 3]
    assert [len(strips) for strips in backs.backs.strips] == [3, 2, 4, 3]
    assert backs.backs.ribbons[0].edges == seen[1].backs.ribbons[0].edges[1:]
    assert {r.counts for r in backs.backs.ribbons} == {(3, 3), (2, 2), (4, 4)}
    pairs = np.arange(196.0).reshape(14, 14)
    compared = Compared(pairs, np.arange(14, dtype=np.float32)[:, None], -pairs).only(~none)
    assert compared.odds.shape == (12, 12) and compared.odds[0, 0] == 15
    assert (compared.prints == -compared.odds).all()
    assert compared.embeddings[:, 0].tolist() == list(range(1, 13))
