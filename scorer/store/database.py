"""Opening the SQLite database: folder, pragmas, migrations, and transactions that read or write."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.orm import Session

from scorer.errors import StoreError

HEAD = "0001"
"""The newest migration; a test compares it with the migrations folder."""

_BUSY_MS = 10_000
_ALL_KEPT_OPEN = 0
"""One for each thread that asks at the same time: opening one anew costs more than most requests."""


def now() -> int:
    """The time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Database:
    """The database file of a data folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._engine = create_engine(
            f"sqlite:///{path}", connect_args={"timeout": _BUSY_MS / 1000}, pool_size=_ALL_KEPT_OPEN
        )
        event.listen(self._engine, "connect", _configure)
        event.listen(self._engine, "begin", _begin)
        with _explained(path):
            _check(self._engine, path)
            _migrate(self._engine)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A session that sees one state of the database throughout."""
        with _explained(self.path), self._engine.connect() as connection, Session(connection) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A session that holds the write lock from its start: what it reads stays true until it commits."""
        with _explained(self.path), self._engine.connect() as connection:
            locked = connection.execution_options(nerts_write=True)
            with Session(locked, expire_on_commit=False) as session, session.begin():
                yield session

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


def _configure(connection: sqlite3.Connection, _record: object) -> None:
    # Transactions are begun by `_begin`; the driver must not begin its own.
    connection.isolation_level = None
    for pragma in (
        "journal_mode=WAL",
        # A confirmed score survives a power cut, not only a killed process.
        "synchronous=FULL",
        "foreign_keys=ON",
        f"busy_timeout={_BUSY_MS}",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    # Taking the write lock at once: two writers queue here instead of failing when they upgrade later.
    write = connection.get_execution_options().get("nerts_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        raise StoreError(_sentence(str(error.orig), path)) from error
    except SQLAlchemyError as error:
        raise StoreError(
            f"The database {path.name} refused a change ({type(error).__name__}); try again."
        ) from error


def _sentence(cause: str, path: Path) -> str:
    """Say what is wrong with the database, and what to do."""
    if "full" in cause:
        return "The disk is full: nothing was saved; free some space and try again."
    if "readonly" in cause or "unable to open" in cause:
        return f"The data folder {path.parent} cannot be written: check its permissions."
    if "locked" in cause or "busy" in cause:
        return "Somebody else was saving for a long time: nothing was saved; try again."
    if "malformed" in cause or "not a database" in cause:
        return f"{path} is damaged: restore a backup with `nerts restore FILE`."
    return f"The database refused a change ({cause}): nothing was saved; try again."


def _check(engine: Engine, path: Path) -> None:
    with engine.connect() as connection:
        if connection.exec_driver_sql("PRAGMA quick_check(1)").scalar() != "ok":
            raise StoreError(f"{path} is damaged: restore a backup with `nerts restore FILE`.")


def _migrate(engine: Engine) -> None:
    with engine.connect().execution_options(nerts_write=True) as connection, connection.begin():
        found = _revision(connection)
        if found == HEAD:
            return
        if found is not None and found > HEAD:
            raise StoreError(
                f"The data folder was written by a newer version ({found} > {HEAD}): update nerts."
            )
        _upgrade(connection)


def _revision(connection: Connection) -> str | None:
    tables = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE name = 'alembic_version'")
    if tables.scalar() is None:
        return None
    value: Any = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return None if value is None else str(value)


def _upgrade(connection: Connection) -> None:
    # Imported here: a database that is up to date opens without Alembic.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
