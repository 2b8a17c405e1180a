"""Matches: links, events, undo and redo."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, func, or_, select
from sqlalchemy.orm import Session

from scorer.errors import StoreError
from scorer.store.database import Database, now
from scorer.store.schema import EventRow, MatchRow, SettingRow, SheetRow
from scorer.store.state import KINDS, JsonObject, MatchState, fold


@dataclass(frozen=True, slots=True)
class Links:
    """The two keys of a match: whoever has the edit key may score, whoever has the view key may only look."""

    edit_key: str
    view_key: str


@dataclass(frozen=True, slots=True)
class Step:
    """A change that can be undone or redone."""

    seq: int
    kind: str
    at: int


@dataclass(frozen=True, slots=True)
class Opened:
    """A match as it stands."""

    id: int
    links: Links
    version: int
    created: int
    changed: int
    state: MatchState
    undo: Step | None
    redo: Step | None


@dataclass(frozen=True, slots=True)
class Appended:
    """What became of a change: ``fresh`` is false where the same tap had been delivered before."""

    seq: int
    fresh: bool
    in_force: bool = True
    """False where that earlier delivery was undone since."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a key opens."""

    id: int
    version: int
    may_edit: bool


_BY_KEY = select(MatchRow.id, MatchRow.version, MatchRow.edit_key).where(
    or_(MatchRow.edit_key == bindparam("key"), MatchRow.view_key == bindparam("key"))
)
_REMEMBERED = 100
"""How many matches are kept as they were last seen; one of thirty rounds takes some 100 kB."""


class Matches:
    """All matches of a data folder."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._seen: dict[int, Opened] = {}
        self._lock = threading.Lock()

    def create(self, payload: JsonObject, *, token: str | None = None) -> Links:
        """Start a match from the payload of its "created" event; the same token starts one match only."""
        with self._database.writing() as session:
            if token is not None and (earlier := _match_of_token(session, token)) is not None:
                return Links(earlier.edit_key, earlier.view_key)
            at = now()
            row = MatchRow(
                edit_key=secrets.token_urlsafe(16), view_key=secrets.token_urlsafe(16), created=at, changed=at
            )
            session.add(row)
            session.flush()
            session.add(EventRow(match_id=row.id, seq=1, at=at, kind="created", payload=payload, token=token))
            return Links(row.edit_key, row.view_key)

    def find(self, key: str) -> Found | None:
        """Return what a key opens; nothing for a key that was never given out."""
        with self._database.reading() as session:
            # Asked every two seconds by every phone that watches: past the session, straight to the tables.
            row = session.connection().execute(_BY_KEY, {"key": key}).first()
        return None if row is None else Found(row.id, row.version, secrets.compare_digest(row.edit_key, key))

    def open(self, match_id: int) -> Opened:
        """Return a match as it stands."""
        with self._database.reading() as session:
            return self._open(session, match_id)

    def _open(self, session: Session, match_id: int) -> Opened:
        """Fold a match anew only if its version has changed since it was last seen."""
        row = session.get_one(MatchRow, match_id)
        seen = self._seen.get(match_id)
        if seen is not None and seen.version == row.version:
            return seen
        opened = _opened(session, row)
        with self._lock:
            self._seen.pop(match_id, None)
            self._seen[match_id] = opened
            while len(self._seen) > _REMEMBERED:
                del self._seen[next(iter(self._seen))]
        return opened

    def by_keys(self, keys: Sequence[str]) -> list[Opened]:
        """Return the matches these keys open, the one changed last first."""
        known = or_(MatchRow.edit_key.in_(keys), MatchRow.view_key.in_(keys))
        return self._listed(select(MatchRow.id).where(known))

    def all(self) -> list[Opened]:
        """Return every match, the one changed last first."""
        return self._listed(select(MatchRow.id))

    def _listed(self, query: Any) -> list[Opened]:
        with self._database.reading() as session:
            ids = session.scalars(query.order_by(MatchRow.changed.desc(), MatchRow.id.desc())).all()
            return [self._open(session, match_id) for match_id in ids]

    def append(self, match_id: int, kind: str, payload: JsonObject, *, token: str | None = None) -> Appended:
        """Record a change; a token that was seen before changes nothing."""
        with self._database.writing() as session:
            return append(session, match_id, kind, payload, token=token)

    def undo(self, match_id: int, seq: int) -> bool:
        """Undo the last change, which must be ``seq``; false where it is undone already."""
        with self._database.writing() as session:
            event = _event(session, match_id, seq)
            if event.status != "active":
                return False
            if seq == 1 or event is not _last_active(session, match_id):
                raise StoreError("Something else was changed since: look at the match again, then undo.")
            event.status = "undone"
            _sheet_follows(session, event, "confirmed", "review")
            _touch(session, match_id)
            return True

    def redo(self, match_id: int, seq: int) -> bool:
        """Redo the change undone last, which must be ``seq``; false where it is in force already."""
        with self._database.writing() as session:
            event = _event(session, match_id, seq)
            if event.status == "active":
                return False
            if event is not _next_undone(session, match_id):
                raise StoreError("Something else was changed since: this can no longer be redone.")
            event.status = "active"
            _sheet_follows(session, event, "review", "confirmed")
            _touch(session, match_id)
            return True

    def history(self, match_id: int) -> list[EventRow]:
        """Every change ever made, undone ones too, oldest first."""
        with self._database.reading() as session:
            rows = session.scalars(
                select(EventRow).where(EventRow.match_id == match_id).order_by(EventRow.seq)
            ).all()
            session.expunge_all()
            return list(rows)

    def setting(self, name: str) -> str:
        """Return a secret of this installation, made at its first use."""
        with self._database.writing() as session:
            row = session.get(SettingRow, name)
            if row is None:
                row = SettingRow(name=name, value=secrets.token_urlsafe(32))
                session.add(row)
            return row.value


def append(
    session: Session, match_id: int, kind: str, payload: JsonObject, *, token: str | None = None
) -> Appended:
    """Record a change inside a transaction that already holds the write lock."""
    if kind not in KINDS:
        raise StoreError(f"There is no change of kind {kind!r}.")
    if token is not None and (earlier := _event_of_token(session, match_id, token)) is not None:
        return Appended(earlier.seq, fresh=False, in_force=earlier.status == "active")
    _drop_undone(session, match_id)
    seq = (session.scalar(select(func.max(EventRow.seq)).where(EventRow.match_id == match_id)) or 0) + 1
    session.add(EventRow(match_id=match_id, seq=seq, at=now(), kind=kind, payload=payload, token=token))
    _touch(session, match_id)
    return Appended(seq, fresh=True)


def state_of(session: Session, match_id: int) -> MatchState:
    """Return a match inside a transaction."""
    return fold((event.kind, event.payload) for event in _events(session, match_id, "active"))


def _opened(session: Session, row: MatchRow) -> Opened:
    active = _events(session, row.id, "active")
    undone = _events(session, row.id, "undone")
    return Opened(
        id=row.id,
        links=Links(row.edit_key, row.view_key),
        version=row.version,
        created=row.created,
        changed=row.changed,
        state=fold((event.kind, event.payload) for event in active),
        undo=_step(active[-1]) if len(active) > 1 else None,
        redo=_step(undone[0]) if undone else None,
    )


def _step(event: EventRow) -> Step:
    return Step(event.seq, event.kind, event.at)


def _events(session: Session, match_id: int, status: str) -> Sequence[EventRow]:
    query = select(EventRow).where(EventRow.match_id == match_id, EventRow.status == status)
    return session.scalars(query.order_by(EventRow.seq)).all()


def _event(session: Session, match_id: int, seq: int) -> EventRow:
    query = select(EventRow).where(EventRow.match_id == match_id, EventRow.seq == seq)
    event = session.scalars(query).first()
    if event is None:
        raise StoreError("This change does not exist: look at the match again.")
    return event


def _last_active(session: Session, match_id: int) -> EventRow:
    return _events(session, match_id, "active")[-1]


def _next_undone(session: Session, match_id: int) -> EventRow | None:
    undone: Iterable[EventRow] = _events(session, match_id, "undone")
    return next(iter(undone), None)


def _drop_undone(session: Session, match_id: int) -> None:
    for event in _events(session, match_id, "undone"):
        event.status = "dropped"


def _event_of_token(session: Session, match_id: int, token: str) -> EventRow | None:
    return session.scalars(
        select(EventRow).where(EventRow.match_id == match_id, EventRow.token == token)
    ).first()


def _match_of_token(session: Session, token: str) -> MatchRow | None:
    created = select(EventRow.match_id).where(EventRow.token == token, EventRow.kind == "created")
    return session.scalars(select(MatchRow).where(MatchRow.id.in_(created))).first()


def _sheet_follows(session: Session, event: EventRow, before: str, after: str) -> None:
    """A sheet whose score is undone can be corrected again; one whose score is redone cannot."""
    query = select(SheetRow).where(
        SheetRow.match_id == event.match_id, SheetRow.event_seq == event.seq, SheetRow.status == before
    )
    for sheet in session.scalars(query):
        sheet.status = after
        sheet.version += 1


def _touch(session: Session, match_id: int) -> None:
    row = session.get_one(MatchRow, match_id)
    row.version += 1
    row.changed = now()
