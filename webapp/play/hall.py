"""The hall: all tables of this server, found by their keys, and the one thread that keeps them going."""

from __future__ import annotations

import logging
import re
import secrets
import threading
from collections.abc import Sequence
from pathlib import Path
from time import monotonic, time

from scorer.errors import ScorerError
from scorer.scoring import Rules
from webapp.play.files import TableFiles
from webapp.play.library import Library
from webapp.play.saved import Saved
from webapp.play.table import LiveTable

_log = logging.getLogger(__name__)
KEPT_SECONDS = 7 * 24 * 3600
"""Tables at which nothing happened for so long are forgotten."""
_IDLE_SECONDS = 60.0
"""How often the hall looks for tables that nobody is at."""
_SWEEP_SECONDS = 3600.0
"""How often it looks for tables and records to forget."""
_MOST_TOKENS = 200
"""Forms of new tables that are known again when they are sent twice."""
_KEY = re.compile(r"([0-9a-f]{12})([\w-]{16})", re.ASCII)


class Hall:
    """All tables. A table that nobody is at lies in its files only, until somebody asks for it."""

    def __init__(self, folder: Path, library: Library) -> None:
        self._folder, self._library = folder, library
        self._tables: dict[str, LiveTable] = {}
        self._created: dict[str, str] = {}
        self._lock = threading.Lock()
        self._woken = threading.Event()
        self._closing = False
        self._ticker = threading.Thread(target=self._run, name="tables", daemon=True)
        self._ticker.start()

    def create(self, name: str, bots: Sequence[str], rules: Rules, *, may_join: bool, token: str = "") -> str:
        """Set a table and return the key of whoever set it; the same token sets one table only."""
        with self._lock:
            if token and token in self._created:
                return self._created[token]
            saved = Saved.new(name, bots, rules, may_join=may_join)
            files = TableFiles(self._folder / saved.id)
            files.save(saved)
            table = LiveTable(saved, files, self._library, self._woken.set)
            self._tables[saved.id] = table
            if token:
                self._created[token] = saved.key(saved.host)
                while len(self._created) > _MOST_TOKENS:
                    del self._created[next(iter(self._created))]
        if not may_join:
            table.resume(saved.host)
        return saved.key(saved.host)

    def by_key(self, key: str, *, attend: bool = True) -> tuple[LiveTable, int] | None:
        """Return the table and the seat that a key plays; None if it plays none.

        Args:
            key: as it stands in the link.
            attend: whether the person is there now; not so for a list of tables.

        Raises:
            StoreError: the files of the table are damaged.
            RecordError: the record of its round is.
        """
        with self._lock:
            table, secret = self._split(key)
            if table is None:
                return None
            for seat, chair in enumerate(table.saved.chairs):
                if chair.secret is not None and secrets.compare_digest(chair.secret, secret):
                    # Before the lock is let go: a table somebody is at is not put away.
                    if attend:
                        table.notice(seat)
                    return table, seat
            return None

    def by_invitation(self, invitation: str) -> LiveTable | None:
        """Return the table that an invitation leads to."""
        with self._lock:
            table, secret = self._split(invitation)
            wanted = None if table is None else table.saved.invitation
            return table if wanted is not None and secrets.compare_digest(wanted, secret) else None

    def _split(self, key: str) -> tuple[LiveTable | None, str]:
        parts = _KEY.fullmatch(key)
        return (None, "") if parts is None else (self._table(parts[1]), parts[2])

    def _table(self, name: str) -> LiveTable | None:
        table = self._tables.get(name)
        if table is not None and not table.is_gone:
            return table
        files = TableFiles(self._folder / name)
        saved = files.load()
        if saved is None:
            return None
        table = LiveTable(saved, files, self._library, self._woken.set)
        table.take_up()
        self._tables[name] = table
        return table

    def close(self) -> None:
        """Let all tables stand still; they go on from their files at the next start."""
        self._closing = True
        self._woken.set()
        self._ticker.join(5)
        with self._lock:
            for table in self._tables.values():
                table.close()
            self._tables.clear()

    # --- The thread ----------------------------------------------------------------------------------------

    def _run(self) -> None:
        idle_at = swept_at = monotonic()
        self._sweep()
        while not self._closing:
            pause = self._tick_all()
            self._woken.wait(min(pause, _IDLE_SECONDS))
            self._woken.clear()
            if monotonic() - idle_at > _IDLE_SECONDS:
                idle_at = monotonic()
                self._put_away()
            if monotonic() - swept_at > _SWEEP_SECONDS:
                swept_at = monotonic()
                self._sweep()

    def _tick_all(self) -> float:
        """Let every table do what is due, and return in how many seconds the next has something to do."""
        with self._lock:
            tables = list(self._tables.values())
        pauses = (self._tick(table) for table in tables)
        return min((pause for pause in pauses if pause is not None), default=_IDLE_SECONDS)

    def _tick(self, table: LiveTable) -> float | None:
        try:
            return table.tick()
        except Exception:
            # One table that fails must not stop the others, and is tried again.
            _log.exception("table %s failed", table.saved.id)
            return 1.0

    def _put_away(self) -> None:
        """Take tables that nobody is at out of memory."""
        with self._lock:
            for name, table in list(self._tables.items()):
                if table.is_gone or table.is_idle:
                    table.close()
                    del self._tables[name]

    def _sweep(self) -> None:
        """Forget tables and records that nobody has touched for long."""
        try:
            with self._lock:
                for folder in self._folder.glob("*"):
                    files = TableFiles(folder)
                    if folder.name not in self._tables and time() - files.touched > KEPT_SECONDS:
                        files.remove()
            self._library.forget_old()
        except (OSError, ScorerError):
            _log.exception("old tables could not be forgotten")
