"""Events, undo and redo, and that nothing confirmed is lost or doubled."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.errors import StoreError
from scorer.scoring import Rules
from scorer.store import Entry, Round, Seat, Store, match_of
from scorer.store.database import HEAD
from scorer.store.state import MatchState, fold

SEATS = (Seat("p1", ("Ann",)), Seat("p2", ("Ben", "Bea")))


def created(rules: Rules | None = None) -> dict[str, object]:
    return {
        "seats": [seat.to_json() for seat in SEATS],
        "rules": (rules or Rules()).to_json(),
        "preset": "classic",
    }


def added(number: int, out: int = 10) -> dict[str, object]:
    entries = (Entry("p1", out, 0, called=True), Entry("p2", out // 2, 3))
    return {"round": Round(f"r{number}", number, entries).to_json()}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "data")
    yield opened
    opened.close()


@pytest.fixture
def match_id(store: Store) -> int:
    return start(store)


def start(store: Store) -> int:
    found = store.matches.find(store.matches.create(created()).edit_key)
    assert found is not None
    return found.id


def rounds(store: Store, match_id: int) -> list[str]:
    return [one.id for one in store.matches.open(match_id).state.rounds]


def test_both_keys_open_the_match_and_only_one_may_edit(store: Store) -> None:
    links = store.matches.create(created())
    edit, view = store.matches.find(links.edit_key), store.matches.find(links.view_key)
    assert edit is not None and edit.may_edit
    assert view is not None and not view.may_edit
    assert store.matches.find("guessed") is None


def test_keys_cannot_be_guessed(store: Store) -> None:
    keys = {key for _match in range(20) for key in vars_of(store)}
    assert len(keys) == 40
    assert all(len(key) >= 22 for key in keys)  # 128 bits


def vars_of(store: Store) -> tuple[str, str]:
    links = store.matches.create(created())
    return links.edit_key, links.view_key


def test_a_token_counts_once(store: Store, match_id: int) -> None:
    first = store.matches.append(match_id, "round_added", added(1), token="tap-1")
    again = store.matches.append(match_id, "round_added", added(2), token="tap-1")
    assert (first.fresh, again.fresh, again.seq) == (True, False, first.seq)
    assert rounds(store, match_id) == ["r1"]


def test_a_token_that_was_undone_does_not_score_again(store: Store, match_id: int) -> None:
    first = store.matches.append(match_id, "round_added", added(1), token="tap-1")
    store.matches.undo(match_id, first.seq)
    late = store.matches.append(match_id, "round_added", added(1), token="tap-1")
    assert not late.fresh and not late.in_force
    assert rounds(store, match_id) == []


def test_a_new_match_counts_once_per_token(store: Store) -> None:
    assert store.matches.create(created(), token="a") == store.matches.create(created(), token="a")
    assert len(store.matches.all()) == 1


def test_undo_and_redo_go_back_and_forth_over_more_than_50_steps(store: Store, match_id: int) -> None:
    for number in range(60):
        store.matches.append(match_id, "round_added", added(number))
    for left in range(59, -1, -1):
        step = store.matches.open(match_id).undo
        assert step is not None
        store.matches.undo(match_id, step.seq)
        assert len(rounds(store, match_id)) == left
    assert store.matches.open(match_id).undo is None
    for count in range(1, 61):
        step = store.matches.open(match_id).redo
        assert step is not None
        store.matches.redo(match_id, step.seq)
        assert len(rounds(store, match_id)) == count
    assert store.matches.open(match_id).redo is None


def test_undoing_twice_by_two_taps_undoes_once(store: Store, match_id: int) -> None:
    for number in (1, 2):
        store.matches.append(match_id, "round_added", added(number))
    assert store.matches.undo(match_id, 3)
    assert not store.matches.undo(match_id, 3)
    assert rounds(store, match_id) == ["r1"]


def test_undo_of_something_overtaken_is_refused(store: Store, match_id: int) -> None:
    for number in (1, 2):
        store.matches.append(match_id, "round_added", added(number))
    with pytest.raises(StoreError, match="Something else was changed"):
        store.matches.undo(match_id, 2)


def test_the_start_of_a_match_cannot_be_undone(store: Store, match_id: int) -> None:
    with pytest.raises(StoreError):
        store.matches.undo(match_id, 1)


def test_a_change_after_undo_ends_what_could_be_redone(store: Store, match_id: int) -> None:
    store.matches.append(match_id, "round_added", added(1))
    store.matches.undo(match_id, 2)
    store.matches.append(match_id, "round_added", added(2))
    assert store.matches.open(match_id).redo is None
    with pytest.raises(StoreError, match="no longer be redone"):
        store.matches.redo(match_id, 2)
    assert [event.status for event in store.matches.history(match_id)] == ["active", "dropped", "active"]


def test_every_change_has_its_time(store: Store, match_id: int) -> None:
    store.matches.append(match_id, "note_changed", {"note": "at Ben's"})
    first, second = store.matches.history(match_id)
    assert 0 < first.at <= second.at


def test_unknown_changes_are_refused(store: Store, match_id: int) -> None:
    with pytest.raises(StoreError, match="no change of kind"):
        store.matches.append(match_id, "vanished", {})
    with pytest.raises(StoreError, match="update nerts"):
        fold([("from_the_future", {})])


def test_raw_inputs_survive_not_only_sums(store: Store, match_id: int) -> None:
    entries = (Entry("p1", 12, 0, 2, called=True, back="red"), Entry("p2", 7, 6, 0, false_calls=1))
    kept = Round("r", 5, entries, "photos", ("ab",), "m", "c", 9)
    store.matches.append(match_id, "round_added", {"round": kept.to_json()})
    assert store.matches.open(match_id).state.rounds == (kept,)


def test_a_pair_scores_once_under_both_names(store: Store, match_id: int) -> None:
    store.matches.append(match_id, "round_added", added(1, out=30))
    match = match_of(store.matches.open(match_id).state)
    assert match.totals == {"Ann": 30, "Ben & Bea": 9}


def test_many_writers_lose_and_double_nothing(store: Store, match_id: int) -> None:
    def write(writer: int) -> None:
        for number in range(10):
            for _tap in range(2):
                store.matches.append(match_id, "round_added", added(number), token=f"{writer}-{number}")

    writers = [threading.Thread(target=write, args=(writer,)) for writer in range(6)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(rounds(store, match_id)) == 60
    assert [event.seq for event in store.matches.history(match_id)] == list(range(1, 62))


def test_two_processes_on_one_folder_see_each_other(store: Store, match_id: int) -> None:
    other = Store(store.folder)
    other.matches.append(match_id, "round_added", added(1))
    other.close()
    assert rounds(store, match_id) == ["r1"]


STEPS = st.lists(st.sampled_from(["add", "delete", "note", "undo", "redo"]), max_size=30)


@given(STEPS)
def test_undo_is_the_fold_without_the_event(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    """A model keeps the states of the past in two lists, as anybody imagines undo."""
    store = Store(tmp_path_factory.mktemp("undo"))
    match_id = start(store)
    past: list[MatchState] = [store.matches.open(match_id).state]
    future: list[MatchState] = []
    for number, step in enumerate(steps):
        opened = store.matches.open(match_id)
        if step == "undo" and opened.undo:
            store.matches.undo(match_id, opened.undo.seq)
            future.append(past.pop())
        elif step == "redo" and opened.redo:
            store.matches.redo(match_id, opened.redo.seq)
            past.append(future.pop())
        elif step in ("add", "delete", "note"):
            change(store, match_id, step, number)
            past.append(store.matches.open(match_id).state)
            future = []
        state = store.matches.open(match_id)
        assert state.state == past[-1]
        assert (state.undo is None, state.redo is None) == (len(past) == 1, not future)
    store.close()


def change(store: Store, match_id: int, step: str, number: int) -> None:
    state = store.matches.open(match_id).state
    if step == "add":
        store.matches.append(match_id, "round_added", added(number))
    elif step == "note" or not state.rounds:
        store.matches.append(match_id, "note_changed", {"note": str(number)})
    else:
        store.matches.append(match_id, "round_deleted", {"id": state.rounds[0].id})


def test_migrations_make_the_tables_of_the_code(tmp_path: Path) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext
    from alembic.script import ScriptDirectory
    from sqlalchemy import create_engine

    from scorer.store.schema import Base

    Store(tmp_path).close()
    engine = create_engine(f"sqlite:///{tmp_path / 'nerts.sqlite3'}")
    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, Base.metadata) == []
        assert context.get_current_revision() == HEAD
    engine.dispose()
    folder = Path(__file__).parents[2] / "scorer" / "store" / "migrations"
    assert ScriptDirectory(str(folder)).get_current_head() == HEAD
