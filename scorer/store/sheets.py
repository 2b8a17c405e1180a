"""Sheets: a round on its way from photos to a score."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from scorer.errors import StoreError
from scorer.store.database import Database, now
from scorer.store.matches import Appended, append, state_of
from scorer.store.photos import PhotoFolder, StoredPhoto
from scorer.store.schema import MatchPhotoRow, PhotoRow, ReadingRow, SheetRow
from scorer.store.state import Entry, JsonObject, Round

OPEN = ("photos", "waiting", "reading", "failed", "review")
"""The states of a sheet that is not scored yet."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet as it stands."""

    key: str
    match_id: int
    created: int
    version: int
    status: str
    stage: str
    fraction: float
    photos: tuple[str, ...]
    reading: str | None
    corrections: tuple[JsonObject, ...]
    withdrawn: tuple[JsonObject, ...]
    event_seq: int | None
    replaces: str | None


class Sheets:
    """All sheets of a data folder, with their photos and readings."""

    def __init__(self, database: Database, photos: PhotoFolder) -> None:
        self._database = database
        self.folder = photos

    def start(self, match_id: int, *, replaces: str | None = None) -> str:
        """Begin a sheet and return its key."""
        with self._database.writing() as session:
            at = now()
            row = SheetRow(
                match_id=match_id, key=secrets.token_urlsafe(9), created=at, changed=at, replaces=replaces
            )
            session.add(row)
            return row.key

    def get(self, match_id: int, key: str) -> Sheet | None:
        """Return a sheet of this match."""
        with self._database.reading() as session:
            row = _find(session, match_id, key)
            return None if row is None else _sheet(row)

    def open_sheets(self, match_id: int) -> list[Sheet]:
        """The sheets of this match that are not scored yet, newest first."""
        query = select(SheetRow).where(SheetRow.match_id == match_id, SheetRow.status.in_(OPEN))
        with self._database.reading() as session:
            return [_sheet(row) for row in session.scalars(query.order_by(SheetRow.id.desc()))]

    def stages(self, match_id: int) -> str:
        """Tell in short which sheets are open and how far each is, so that a change of it is noticed."""
        query = select(SheetRow.key, SheetRow.status).where(
            SheetRow.match_id == match_id, SheetRow.status.in_(OPEN)
        )
        with self._database.reading() as session:
            return ",".join(f"{key}:{status}" for key, status in session.execute(query.order_by(SheetRow.id)))

    def unfinished_readings(self) -> list[Sheet]:
        """Sheets whose reading a killed process left behind."""
        query = select(SheetRow).where(SheetRow.status.in_(("waiting", "reading")))
        with self._database.reading() as session:
            return [_sheet(row) for row in session.scalars(query.order_by(SheetRow.id))]

    def add_photo(self, match_id: int, key: str, data: bytes) -> StoredPhoto:
        """Add an uploaded photo; the same photo again changes nothing."""
        photo = self.folder.add(data)
        with self._database.writing() as session:
            row = _changeable(session, match_id, key)
            _remember_photo(session, match_id, photo)
            if photo.digest not in row.photos:
                row.photos = [*row.photos, photo.digest]
                _touch(row)
        return photo

    def remove_photo(self, match_id: int, key: str, digest: str) -> None:
        """Take a photo off the sheet; the file stays, since another sheet may show it."""
        with self._database.writing() as session:
            row = _changeable(session, match_id, key)
            row.photos = [photo for photo in row.photos if photo != digest]
            _touch(row)

    def progress(self, match_id: int, key: str, status: str, stage: str = "", fraction: float = 0.0) -> None:
        """Note how far the reading is; a sheet scored or dropped meanwhile is left alone."""
        with self._database.writing() as session:
            row = _find(session, match_id, key)
            if row is None or row.status not in OPEN:
                return
            row.status, row.stage, row.fraction = status, stage, round(1000 * min(1.0, max(0.0, fraction)))
            _touch(row)

    def set_reading(self, match_id: int, key: str, reading: JsonObject) -> None:
        """Keep what the reader said and go on to the review; corrections of another reading end."""
        with self._database.writing() as session:
            row = _find(session, match_id, key)
            if row is None or row.status not in OPEN:
                return
            row.reading = keep_reading(session, reading)
            row.corrections, row.withdrawn = [], []
            row.status, row.stage, row.fraction = "review", "", 1000
            _touch(row)

    def start_correction(self, match_id: int, scored: Round) -> str:
        """Begin a sheet that corrects a round scored from photos, from where the people left it."""
        if scored.machine is None:
            raise StoreError("This round has no reading to correct: correct its numbers instead.")
        with self._database.writing() as session:
            earlier = _last_scored(session, match_id, scored.id)
            at = now()
            row = SheetRow(
                match_id=match_id,
                key=secrets.token_urlsafe(9),
                created=at,
                changed=at,
                status="review",
                photos=list(scored.photos),
                reading=earlier.reading if earlier else scored.confirmed or scored.machine,
                corrections=list(earlier.corrections) if earlier else [],
                replaces=scored.id,
            )
            session.add(row)
            return row.key

    def scored_sheet(self, match_id: int, round_id: str) -> Sheet | None:
        """Return the sheet a round was last scored from."""
        with self._database.reading() as session:
            row = _last_scored(session, match_id, round_id)
            return None if row is None else _sheet(row)

    def correct(self, match_id: int, key: str, version: int, correction: JsonObject) -> Sheet:
        """Add a correction to the sheet as it was at ``version``; refused if it was changed since."""
        with self._database.writing() as session:
            row = _at_version(session, match_id, key, version)
            row.corrections = [*row.corrections, correction]
            row.withdrawn = []
            _touch(row)
            return _sheet(row)

    def step_back(self, match_id: int, key: str, version: int) -> Sheet:
        """Withdraw the last correction."""
        with self._database.writing() as session:
            row = _at_version(session, match_id, key, version)
            if row.corrections:
                row.withdrawn = [*row.withdrawn, row.corrections[-1]]
                row.corrections = row.corrections[:-1]
                _touch(row)
            return _sheet(row)

    def step_forward(self, match_id: int, key: str, version: int) -> Sheet:
        """Make the correction withdrawn last again."""
        with self._database.writing() as session:
            row = _at_version(session, match_id, key, version)
            if row.withdrawn:
                row.corrections = [*row.corrections, row.withdrawn[-1]]
                row.withdrawn = row.withdrawn[:-1]
                _touch(row)
            return _sheet(row)

    def drop(self, match_id: int, key: str) -> None:
        """Give up a sheet."""
        with self._database.writing() as session:
            row = _find(session, match_id, key)
            if row is not None and row.status in OPEN:
                row.status = "dropped"
                _touch(row)

    def confirm(
        self,
        match_id: int,
        key: str,
        *,
        version: int,
        entries: Sequence[Entry],
        reading: JsonObject,
        backs: dict[str, list[JsonObject]],
        token: str,
        first: str | None = None,
    ) -> Appended:
        """Score the sheet, once: whoever confirms second gets the first one's event back."""
        with self._database.writing() as session:
            row = _find(session, match_id, key)
            if row is None:
                raise StoreError("This sheet does not exist.")
            if row.status == "confirmed" and row.event_seq is not None:
                return Appended(row.event_seq, fresh=False)
            row = _at_version(session, match_id, key, version)
            scored = replace(_scored(session, row, entries, keep_reading(session, reading)), first=first)
            kind = "round_changed" if row.replaces else "round_added"
            event = append(session, match_id, kind, {"round": scored.to_json(), "backs": backs}, token=token)
            row.status, row.event_seq = "confirmed", event.seq
            _touch(row)
            return event

    def reading(self, digest: str) -> JsonObject:
        """Return a reading that was kept."""
        with self._database.reading() as session:
            row = session.get_one(ReadingRow, digest)
            data: JsonObject = json.loads(row.body)
            return data

    def keep(self, reading: JsonObject) -> str:
        """Keep a reading and return its digest."""
        with self._database.writing() as session:
            return keep_reading(session, reading)

    def photo(self, match_id: int, digest: str) -> StoredPhoto | None:
        """Return a photo this match may show."""
        with self._database.reading() as session:
            if session.get(MatchPhotoRow, (match_id, digest)) is None:
                return None
            row = session.get_one(PhotoRow, digest)
            return StoredPhoto(row.digest, row.view, row.width, row.height)

    def file(self, digest: str) -> Path | None:
        """Return the best file there is of a photo: full size, or the reduced copy."""
        with self._database.reading() as session:
            row = session.get(PhotoRow, digest)
            if row is None:
                return None
            path = self.folder.path(row.view if row.reduced else row.digest)
        return path if path.exists() else None

    def reduce(self, digest: str) -> None:
        """Keep only the reduced copy of a photo; boxes stay in pixels of the full size."""
        with self._database.writing() as session:
            row = session.get(PhotoRow, digest)
            if row is None or row.reduced or row.view == row.digest:
                return
            row.reduced = True
        # Only now: a process killed before this line leaves one file too many, never one too few.
        self.folder.remove(digest)


def keep_reading(session: Session, reading: JsonObject) -> str:
    """Keep a reading inside a transaction and return its digest."""
    body = json.dumps(reading, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(body.encode()).hexdigest()
    if session.get(ReadingRow, digest) is None:
        session.add(ReadingRow(digest=digest, body=body))
        session.flush()
    return digest


def _scored(session: Session, row: SheetRow, entries: Sequence[Entry], confirmed: str) -> Round:
    scored = Round(
        id=row.key,
        at=now(),
        entries=tuple(entries),
        source="photos",
        photos=tuple(row.photos),
        machine=row.reading,
        confirmed=confirmed,
    )
    if row.replaces is None:
        return scored
    original = state_of(session, row.match_id).round(row.replaces)
    if original is None:
        raise StoreError("This round was deleted meanwhile: undo the deletion first.")
    return replace(scored, id=original.id, at=original.at, machine=original.machine, changed=scored.at)


def _remember_photo(session: Session, match_id: int, photo: StoredPhoto) -> None:
    known = session.get(PhotoRow, photo.digest)
    if known is None:
        values = {"digest": photo.digest, "view": photo.view, "width": photo.width, "height": photo.height}
        session.add(PhotoRow(**values))
        session.flush()
    else:
        # Sent again after it was reduced: the full size is back.
        known.reduced, known.view = False, photo.view
    if session.get(MatchPhotoRow, (match_id, photo.digest)) is None:
        session.add(MatchPhotoRow(match_id=match_id, digest=photo.digest))


def _find(session: Session, match_id: int, key: str) -> SheetRow | None:
    return session.scalars(select(SheetRow).where(SheetRow.match_id == match_id, SheetRow.key == key)).first()


def _last_scored(session: Session, match_id: int, round_id: str) -> SheetRow | None:
    of_round = or_(SheetRow.key == round_id, SheetRow.replaces == round_id)
    query = select(SheetRow).where(SheetRow.match_id == match_id, SheetRow.status == "confirmed", of_round)
    return session.scalars(query.order_by(SheetRow.id.desc())).first()


def _changeable(session: Session, match_id: int, key: str) -> SheetRow:
    row = _find(session, match_id, key)
    if row is None or row.status not in OPEN:
        raise StoreError("This round was scored or given up meanwhile: look at the match again.")
    return row


def _at_version(session: Session, match_id: int, key: str, version: int) -> SheetRow:
    row = _changeable(session, match_id, key)
    if row.version != version:
        raise StoreError("Somebody else changed this round just now: here it is as it stands; try again.")
    return row


def _touch(row: SheetRow) -> None:
    row.version += 1
    row.changed = now()


def _sheet(row: SheetRow) -> Sheet:
    values: dict[str, Any] = {
        name: getattr(row, name)
        for name in (
            "key",
            "match_id",
            "created",
            "version",
            "status",
            "stage",
            "reading",
            "event_seq",
            "replaces",
        )
    }
    return Sheet(
        **values,
        fraction=row.fraction / 1000,
        photos=tuple(row.photos),
        corrections=tuple(row.corrections),
        withdrawn=tuple(row.withdrawn),
    )
