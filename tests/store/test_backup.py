"""Backup and restore replace nothing silently and take nothing damaged."""

from __future__ import annotations

import threading
import zipfile
from pathlib import Path

import pytest

from scorer.errors import StoreError
from scorer.store import Store, backup, restore
from tests.store.test_faults import PHOTO
from tests.store.test_matches import added, rounds, start


def filled(folder: Path) -> int:
    store = Store(folder)
    match_id = start(store)
    store.matches.append(match_id, "round_added", added(1))
    store.sheets.add_photo(match_id, store.sheets.start(match_id), PHOTO)
    store.close()
    return match_id


def test_a_backup_brings_everything_back(tmp_path: Path) -> None:
    match_id = filled(tmp_path / "data")
    assert backup(tmp_path / "data", tmp_path / "evening.zip") == 1
    assert restore(tmp_path / "evening.zip", tmp_path / "elsewhere") is None
    store = Store(tmp_path / "elsewhere")
    assert rounds(store, match_id) == ["r1"]
    (sheet,) = store.sheets.open_sheets(match_id)
    path = store.sheets.file(sheet.photos[0])
    assert path is not None and path.read_bytes()
    store.close()


def test_a_backup_while_rounds_are_scored_is_whole(tmp_path: Path) -> None:
    match_id = filled(tmp_path / "data")
    store = Store(tmp_path / "data")
    stop = threading.Event()

    def score() -> None:
        number = 2
        while not stop.is_set():
            store.matches.append(match_id, "round_added", added(number))
            number += 1

    writer = threading.Thread(target=score)
    writer.start()
    try:
        backup(tmp_path / "data", tmp_path / "evening.zip")
    finally:
        stop.set()
        writer.join()
        store.close()
    restore(tmp_path / "evening.zip", tmp_path / "elsewhere")
    copy = Store(tmp_path / "elsewhere")
    kept = rounds(copy, match_id)
    assert kept == [f"r{number}" for number in range(1, len(kept) + 1)]
    copy.close()


def test_neither_overwrites_silently(tmp_path: Path) -> None:
    filled(tmp_path / "data")
    (tmp_path / "evening.zip").write_text("mine")
    with pytest.raises(StoreError, match="exists already"):
        backup(tmp_path / "data", tmp_path / "evening.zip")
    assert (tmp_path / "evening.zip").read_text() == "mine"
    backup(tmp_path / "data", tmp_path / "evening.zip", overwrite=True)
    with pytest.raises(StoreError, match="already holds matches"):
        restore(tmp_path / "evening.zip", tmp_path / "data")
    aside = restore(tmp_path / "evening.zip", tmp_path / "data", overwrite=True)
    assert aside is not None and (aside / "nerts.sqlite3").exists()


def test_no_traces_of_a_failed_backup(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="nothing to back up"):
        backup(tmp_path / "data", tmp_path / "evening.zip")
    filled(tmp_path / "data")
    with pytest.raises(StoreError, match="not a folder"):
        backup(tmp_path / "data", tmp_path / "nowhere" / "evening.zip")
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".part") == []


def altered(path: Path, target: Path, change: dict[str, bytes | None]) -> Path:
    """Copy a backup with some of its files replaced, left out (None) or added."""
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(target, "w") as copy:
        for name in source.namelist():
            data = change.pop(name, source.read(name))
            if data is not None:
                copy.writestr(name, data)
        for name, data in change.items():
            copy.writestr(name, data or b"")
    return target


def test_what_is_damaged_or_foreign_changes_nothing(tmp_path: Path) -> None:
    match_id = filled(tmp_path / "data")
    whole = tmp_path / "evening.zip"
    backup(tmp_path / "data", whole)
    with zipfile.ZipFile(whole) as content:
        photo = next(name for name in content.namelist() if name.startswith("photos/"))
    (tmp_path / "text.zip").write_text("no zip")
    (tmp_path / "half.zip").write_bytes(whole.read_bytes()[:-200])
    damaged = {
        "does not exist": tmp_path / "missing.zip",
        "damaged or no backup": tmp_path / "text.zip",
        "no backup of nerts": altered(whole, tmp_path / "1.zip", {"nerts.sqlite3": None}),
        "does not belong there": altered(whole, tmp_path / "2.zip", {"../../evil": b"x"}),
        "in the backup is damaged": altered(whole, tmp_path / "3.zip", {photo: b"other"}),
        "database in the backup is damaged": altered(
            whole, tmp_path / "4.zip", {"nerts.sqlite3": b"x" * 9000}
        ),
    }
    for told, path in damaged.items():
        with pytest.raises(StoreError, match=told):
            restore(path, tmp_path / "data", overwrite=True)
    with pytest.raises(StoreError, match="damaged or no backup"):
        restore(tmp_path / "half.zip", tmp_path / "data", overwrite=True)
    store = Store(tmp_path / "data")
    assert rounds(store, match_id) == ["r1"]
    store.close()
    assert not list(tmp_path.glob(".nerts-restore-*"))
    assert not (tmp_path.parent / "evil").exists()
