"""Killed processes, full disks, damaged files: what was confirmed stays, and the user is told."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from scorer.errors import PhotoError, StoreError
from scorer.store import FolderLock, Store, photos
from tests.store.test_matches import added, created, rounds, start

WRITER = """
import sys
from pathlib import Path
from scorer.store import Store
from tests.store.test_matches import added
store = Store(Path(sys.argv[1]))
match_id = int(sys.argv[2])
for number in range(100000):
    done = store.matches.append(match_id, "round_added", added(number), token=f"tap-{number}")
    print(number, flush=True)
"""


@pytest.mark.parametrize("seed", range(4))
def test_a_killed_process_loses_and_doubles_no_confirmed_score(tmp_path: Path, seed: int) -> None:
    folder = tmp_path / "data"
    store = Store(folder)
    match_id = start(store)
    store.close()
    confirmed = killed_after(folder, match_id, 0.15 + random.Random(seed).random() * 0.5)
    store = Store(folder)
    kept = rounds(store, match_id)
    # The last one may have been saved without its answer having arrived.
    assert kept[: len(confirmed)] == confirmed
    assert len(kept) - len(confirmed) in (0, 1)
    again = store.matches.append(match_id, "round_added", added(0), token="tap-0")
    assert again.fresh == (not kept)
    store.close()


def killed_after(folder: Path, match_id: int, seconds: float) -> list[str]:
    """Score rounds in another process, kill it and return the rounds it said were scored."""
    command = [sys.executable, "-c", WRITER, str(folder), str(match_id)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=root, env=with_path(root)
    ) as writer:
        assert writer.stdout is not None
        first = writer.stdout.readline()
        time.sleep(seconds)
        writer.send_signal(signal.SIGKILL)
        told = first + writer.stdout.read()
    return [f"r{line}" for line in told.split("\n")[:-1]]


def with_path(root: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(root)}


def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path)
    match_id = start(store)
    store.matches.append(match_id, "round_added", added(1))
    limit_database(store, 0)
    with pytest.raises(StoreError, match="The disk is full: nothing was saved"):
        for number in range(200):
            store.matches.append(match_id, "note_changed", {"note": "x" * 2000 + str(number)})
    before = len(store.matches.history(match_id))
    limit_database(store, 100_000)
    store.matches.append(match_id, "round_added", added(2))
    assert rounds(store, match_id) == ["r1", "r2"]
    assert len(store.matches.history(match_id)) == before + 1
    store.close()


def limit_database(store: Store, more_pages: int) -> None:
    """Let the database grow by so many pages only; SQLite then fails as it does on a full disk."""
    with store._database.reading() as session:
        connection = session.connection().connection
        pages = connection.cursor().execute("PRAGMA page_count").fetchone()[0]
    from sqlalchemy import event

    def limit(connection: sqlite3.Connection, _record: object, _proxy: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages + more_pages}")

    event.listen(store._database._engine, "checkout", limit)


def test_a_photo_that_cannot_be_written_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = photos.PhotoFolder(tmp_path / "photos")

    def full(_file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match="No space left on device"):
        folder.add(PHOTO)
    assert list(folder.folder.iterdir()) == []


def test_a_half_written_photo_of_a_killed_process_is_cleared_away(tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / ("0" * 64 + ".abcd.part")).write_bytes(PHOTO[:100])
    photos.PhotoFolder(folder)
    assert list(folder.iterdir()) == []


def test_a_damaged_database_is_told_with_what_to_do(tmp_path: Path) -> None:
    Store(tmp_path).close()
    path = tmp_path / "nerts.sqlite3"
    data = bytearray(path.read_bytes())
    data[4096:12000] = os.urandom(12000 - 4096)
    path.write_bytes(data)
    with pytest.raises(StoreError, match="damaged: restore a backup"):
        Store(tmp_path)


def test_no_database_at_all_is_told(tmp_path: Path) -> None:
    (tmp_path / "nerts.sqlite3").write_bytes(b"this is not a database, and long enough to be looked at" * 40)
    with pytest.raises(StoreError, match="damaged: restore a backup"):
        Store(tmp_path)


def test_a_folder_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    Store(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "nerts.sqlite3")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match="newer version"):
        Store(tmp_path)


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder")
    with pytest.raises(StoreError, match="cannot be used"):
        Store(tmp_path / "data")


def test_one_server_per_folder(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path / "data")
    with lock, pytest.raises(StoreError, match="already running"), FolderLock(tmp_path / "data"):
        raise AssertionError
    with FolderLock(tmp_path / "data"):
        pass


def _photo() -> bytes:
    import io

    from PIL import Image

    stream = io.BytesIO()
    Image.new("RGB", (320, 240), "green").save(stream, "JPEG")
    return stream.getvalue()


PHOTO = _photo()


def test_every_cut_of_a_photo_is_refused(tmp_path: Path) -> None:
    folder = photos.PhotoFolder(tmp_path / "photos")
    for length in range(0, len(PHOTO) - 1, 37):
        with pytest.raises(PhotoError):
            folder.add(PHOTO[:length])
    assert list(folder.folder.iterdir()) == []


def test_a_match_can_still_be_created_after_any_of_this(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert store.matches.create(created()).edit_key
    store.close()
