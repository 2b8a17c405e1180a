"""The tables. What a match *is* follows from its events; the other tables hold what is too big for an event.

Times are whole milliseconds since 1970 (UTC); JSON columns hold lists and mappings only.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, Integer, String, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """Base of all tables."""


class MatchRow(Base):
    """One match: its two unguessable links and a version that grows with every change."""

    __tablename__ = "matches"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    edit_key: Mapped[str] = mapped_column(String(32), unique=True)
    view_key: Mapped[str] = mapped_column(String(32), unique=True)
    created: Mapped[int] = mapped_column(BigInteger)
    changed: Mapped[int] = mapped_column(BigInteger)
    version: Mapped[int] = mapped_column(Integer, default=1)


class EventRow(Base):
    """One change of a match. Undone events stay until another change drops them for good."""

    __tablename__ = "events"
    __table_args__ = (
        UniqueConstraint("match_id", "seq"),
        # A token names one tap on a button: the second delivery of the same tap changes nothing.
        UniqueConstraint("match_id", "token"),
    )

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"))
    seq: Mapped[int] = mapped_column(Integer)
    at: Mapped[int] = mapped_column(BigInteger)
    kind: Mapped[str] = mapped_column(String(32))
    payload: Mapped[dict[str, Any]] = mapped_column(JSON)
    token: Mapped[str | None] = mapped_column(String(64))
    status: Mapped[str] = mapped_column(String(8), default="active")
    """"active", "undone" (can be redone) or "dropped" (undone, then something else happened)."""


class ReadingRow(Base):
    """A reading as JSON text, named by its SHA-256; never changed."""

    __tablename__ = "readings"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    body: Mapped[str] = mapped_column(Text)


class PhotoRow(Base):
    """A photo by its hash; after a round is confirmed only the reduced copy, ``view``, is left."""

    __tablename__ = "photos"

    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    view: Mapped[str] = mapped_column(String(64))
    width: Mapped[int] = mapped_column(Integer)
    height: Mapped[int] = mapped_column(Integer)
    reduced: Mapped[bool] = mapped_column(default=False)


class MatchPhotoRow(Base):
    """Which match may show which photo."""

    __tablename__ = "match_photos"

    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"), primary_key=True)
    digest: Mapped[str] = mapped_column(ForeignKey("photos.digest"), primary_key=True)


class SheetRow(Base):
    """A round being scored from photos: what was read, and what people corrected since."""

    __tablename__ = "sheets"
    __table_args__ = (Index("sheets_of_match", "match_id"),)

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    match_id: Mapped[int] = mapped_column(ForeignKey("matches.id"))
    key: Mapped[str] = mapped_column(String(32), unique=True)
    created: Mapped[int] = mapped_column(BigInteger)
    changed: Mapped[int] = mapped_column(BigInteger)
    version: Mapped[int] = mapped_column(Integer, default=1)
    status: Mapped[str] = mapped_column(String(12), default="photos")
    """"photos", "waiting", "reading", "failed", "review", "confirmed" or "dropped"."""
    stage: Mapped[str] = mapped_column(String(200), default="")
    fraction: Mapped[int] = mapped_column(Integer, default=0)
    """How far the reading is, in thousandths."""
    photos: Mapped[list[str]] = mapped_column(JSON, default=list)
    reading: Mapped[str | None] = mapped_column(ForeignKey("readings.digest"))
    corrections: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    withdrawn: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    """Corrections that were undone, the next one to redo last."""
    event_seq: Mapped[int | None] = mapped_column(Integer)
    """The event that scored this sheet."""
    replaces: Mapped[str | None] = mapped_column(String(32))
    """The round this sheet corrects, where it does not score a new one."""


class SettingRow(Base):
    """A value of this installation, such as the key that signs cookies."""

    __tablename__ = "settings"

    name: Mapped[str] = mapped_column(String(32), primary_key=True)
    value: Mapped[str] = mapped_column(Text)
