"""Reading photos in the background: at most two at once, the others wait and see their place."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import monotonic

from scorer.errors import PhotoError, ScorerError
from scorer.reading import Reading
from scorer.store import Sheet, Store
from webapp.backs import known_backs
from webapp.config import Config

_log = logging.getLogger(__name__)
_PROGRESS_SECONDS = 0.2


class Readings:
    """The queue of readings. What is known about each is in the store, so a restarted server goes on."""

    def __init__(self, store: Store, config: Config) -> None:
        self._store = store
        self._config = config
        self._pool = ThreadPoolExecutor(config.readings_at_once, thread_name_prefix="reading")
        self._waiting: list[str] = []
        self._running: set[str] = set()
        self._lock = threading.Lock()

    def resume(self) -> None:
        """Take up the readings a killed process left behind."""
        for sheet in self._store.sheets.unfinished_readings():
            self.start(sheet)

    def start(self, sheet: Sheet) -> None:
        """Queue a sheet for reading; one that is queued already is not read twice."""
        with self._lock:
            if sheet.key in self._waiting or sheet.key in self._running:
                return
            self._waiting.append(sheet.key)
        self._store.sheets.progress(sheet.match_id, sheet.key, "waiting")
        self._pool.submit(self._read, sheet.match_id, sheet.key)

    def place(self, key: str) -> int:
        """Return how many readings are ahead of this one, the running ones not counted."""
        with self._lock:
            return self._waiting.index(key) if key in self._waiting else 0

    def close(self) -> None:
        """Wait for running readings and drop the waiting ones; they are taken up at the next start."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _read(self, match_id: int, key: str) -> None:
        with self._lock:
            self._waiting.remove(key)
            self._running.add(key)
        try:
            self._read_sheet(match_id, key)
        except ScorerError as error:
            self._fail(match_id, key, str(error))
        except Exception:
            # Nobody waits for this thread: without this, the page would show "reading" for ever.
            _log.exception("reading sheet %s failed", key)
            self._fail(match_id, key, "The photos could not be read: try others, or type the numbers.")
        finally:
            with self._lock:
                self._running.discard(key)

    def _read_sheet(self, match_id: int, key: str) -> None:
        sheets = self._store.sheets
        sheet = sheets.get(match_id, key)
        if sheet is None or sheet.status not in ("waiting", "reading"):
            return
        sheets.progress(match_id, key, "reading")
        reading = self._run(sheet)
        sheets.set_reading(match_id, key, reading.to_json())

    def _run(self, sheet: Sheet) -> Reading:
        paths = [path for digest in sheet.photos if (path := self._store.sheets.file(digest)) is not None]
        if len(paths) < len(sheet.photos):
            raise PhotoError("A photo of this round is no longer there: take it again.")
        state = self._store.matches.open(sheet.match_id).state
        known = known_backs(self._store, state)
        return self._config.read(
            paths, known=known, decks=len(state.seats), rules=state.rules, progress=self._reporter(sheet)
        )

    def _reporter(self, sheet: Sheet) -> Callable[[str, float], None]:
        """Note progress now and then: every step would keep the disk busy for nothing."""
        last_stage, last_time = "", 0.0

        def report(stage: str, fraction: float) -> None:
            nonlocal last_stage, last_time
            if stage != last_stage or monotonic() - last_time > _PROGRESS_SECONDS:
                last_stage, last_time = stage, monotonic()
                self._store.sheets.progress(sheet.match_id, sheet.key, "reading", stage, fraction)

        return report

    def _fail(self, match_id: int, key: str, sentence: str) -> None:
        try:
            self._store.sheets.progress(match_id, key, "failed", sentence)
        except ScorerError:
            _log.exception("the failure of sheet %s could not be noted", key)
