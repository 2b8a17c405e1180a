"""The book of known decks: kept in a folder, matched one to one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.vision.decks import EMPTY, FILE, DeckBook, DeckBookError, load_decks, save_decks

RED, BLUE, GREEN = np.eye(3, dtype=np.float32)
BOOK = EMPTY.taught("red", RED[None]).taught("blue", BLUE[None])

books = st.dictionaries(
    st.text(max_size=12),
    st.lists(st.floats(-1, 1, allow_nan=False), min_size=3, max_size=3).map(tuple),
    max_size=6,
).map(DeckBook)


@given(books)
def test_a_saved_book_is_read_back(tmp_path_factory: pytest.TempPathFactory, book: DeckBook) -> None:
    folder = tmp_path_factory.mktemp("decks")
    save_decks(book, folder)
    assert load_decks(folder) == book
    assert [path.name for path in folder.iterdir()] == [FILE]


def test_saving_makes_the_folder_and_replaces_the_old_book(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    save_decks(BOOK, folder)
    save_decks(BOOK.without("red"), folder)
    assert set(load_decks(folder).decks) == {"blue"}


def test_no_folder_is_an_empty_book(tmp_path: Path) -> None:
    assert load_decks(tmp_path / "nowhere") == EMPTY


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"{}", b'{"decks": 3}', b'{"decks": {"red": "blue"}}', b'{"decks": {"red": [1, null]}}',
     b'{"decks": {"red": 3}}', b"\xff\xfe\x00", b'"decks"', b"null"],
)  # fmt: skip
def test_a_damaged_book_is_refused_in_one_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(
        DeckBookError, match=r"is not a list of decks: delete it and teach the decks again\.$"
    ):
        load_decks(tmp_path)


def test_a_deck_taught_is_the_unit_mean_of_its_strips() -> None:
    book = EMPTY.taught("red", np.array([[3.0, 0, 0], [0, 4, 0]], np.float32))
    assert book.decks["red"] == pytest.approx((0.6, 0.8, 0))


def test_teaching_and_forgetting_leave_the_old_book_alone() -> None:
    more, less = BOOK.taught("green", GREEN[None]), BOOK.without("red")
    assert (set(BOOK.decks), set(more.decks), set(less.decks)) == (
        {"red", "blue"},
        {"red", "blue", "green"},
        {"blue"},
    )
    assert BOOK.without("nobody") == BOOK


def test_groups_are_assigned_one_to_one_the_most_similar_overall() -> None:
    # Both groups look most like red; the better fit over all gives the second group blue.
    centres = np.array([[1.0, 0, 0], [0.8, 0.6, 0]], np.float32)
    assert BOOK.assign(centres, 0.5) == {0: "red", 1: "blue"}
    assert BOOK.assign(centres, 0.7) == {0: "red"}


@pytest.mark.parametrize(("book", "centres"), [(EMPTY, np.ones((2, 3))), (BOOK, np.zeros((0, 3)))])
def test_nothing_to_assign(book: DeckBook, centres: np.ndarray) -> None:
    assert book.assign(centres.astype(np.float32), 0.5) == {}
