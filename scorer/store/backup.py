"""Backup and restore of a whole data folder as one zip file, checked before anything is replaced."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from scorer.errors import StoreError

DATABASE = "nerts.sqlite3"
PHOTOS = "photos"

_MEMBER = re.compile(r"photos/([0-9a-f]{64})\.jpg")


def backup(folder: Path, target: Path, *, overwrite: bool = False) -> int:
    """Write the data folder into ``target`` and return the number of photos; safe while the server runs."""
    if not (folder / DATABASE).exists():
        raise StoreError(f"There is nothing to back up: {folder} holds no database.")
    if target.exists() and not overwrite:
        raise StoreError(f"{target} exists already: choose another name or say --overwrite.")
    if not target.parent.is_dir():
        raise StoreError(f"{target.parent} is not a folder: create it first.")
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        count = _write(folder, part)
        _publish(part, target, overwrite)
    except OSError as error:
        raise StoreError(
            f"The backup could not be written ({error.strerror}): free some space and try again."
        ) from error
    finally:
        part.unlink(missing_ok=True)
    return count


def _write(folder: Path, part: Path) -> int:
    with tempfile.TemporaryDirectory() as scratch, zipfile.ZipFile(part, "x") as archive:
        snapshot = Path(scratch) / DATABASE
        _snapshot(folder / DATABASE, snapshot)
        archive.write(snapshot, DATABASE, compress_type=zipfile.ZIP_DEFLATED)
        # The snapshot comes first: photos are only ever added before the database names them.
        photos = sorted((folder / PHOTOS).glob("*.jpg"))
        for photo in photos:
            archive.write(photo, f"{PHOTOS}/{photo.name}")
    with part.open("rb") as stream:
        os.fsync(stream.fileno())
    return len(photos)


def _publish(part: Path, target: Path, overwrite: bool) -> None:
    if overwrite:
        part.replace(target)
        return
    try:
        # A hard link fails if somebody made the file meanwhile; a rename would replace it silently.
        target.hardlink_to(part)
    except FileExistsError:
        raise StoreError(f"{target} exists already: choose another name or say --overwrite.") from None


def _snapshot(source: Path, target: Path) -> None:
    with closing(sqlite3.connect(source)) as live, closing(sqlite3.connect(target)) as copy:
        live.backup(copy)


def restore(archive: Path, folder: Path, *, overwrite: bool = False) -> Path | None:
    """Unpack a backup into the data folder; what was there is moved aside, and its place returned."""
    if (folder / DATABASE).exists() and not overwrite:
        raise StoreError(f"{folder} already holds matches: choose another folder or say --overwrite.")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _unpacked(archive, folder.parent) as fresh:
        aside = None
        if folder.exists():
            aside = folder.with_name(f"{folder.name}.before-{secrets.token_hex(4)}")
            folder.rename(aside)
        fresh.rename(folder)
    if aside is not None and not any(aside.iterdir()):
        aside.rmdir()
        aside = None
    return aside


@contextmanager
def _unpacked(archive: Path, parent: Path) -> Iterator[Path]:
    fresh = Path(tempfile.mkdtemp(prefix=".nerts-restore-", dir=parent))
    try:
        try:
            with zipfile.ZipFile(archive) as content:
                _unpack(content, fresh)
        except FileNotFoundError:
            raise StoreError(f"{archive} does not exist.") from None
        except (zipfile.BadZipFile, EOFError):
            raise StoreError(f"{archive} is damaged or no backup of nerts: nothing was changed.") from None
        except OSError as error:
            raise StoreError(
                f"The backup could not be unpacked ({error.strerror}): nothing was changed."
            ) from error
        yield fresh
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _unpack(content: zipfile.ZipFile, fresh: Path) -> None:
    if DATABASE not in content.namelist():
        raise StoreError(f"{content.filename} is no backup of nerts: nothing was changed.")
    (fresh / PHOTOS).mkdir(mode=0o700)
    for name in content.namelist():
        match = _MEMBER.fullmatch(name)
        if name != DATABASE and match is None:
            raise StoreError(
                f"The backup holds a file that does not belong there: nothing was changed ({name!r})."
            )
        data = content.read(name)
        if match is not None and hashlib.sha256(data).hexdigest() != match[1]:
            raise StoreError(f"The photo {match[1][:12]} in the backup is damaged: nothing was changed.")
        (fresh / name).write_bytes(data)
    _check(fresh / DATABASE)


def _check(path: Path) -> None:
    path.chmod(0o600)
    try:
        with closing(sqlite3.connect(path)) as connection:
            found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    except sqlite3.DatabaseError:
        found = "damaged"
    if found != "ok":
        raise StoreError("The database in the backup is damaged: nothing was changed.")
