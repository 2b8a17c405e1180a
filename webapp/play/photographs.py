"""Photographs of how a round ended, made in the background by `nerts render`, in a process of its own.

Drawing whole decks takes a minute and much memory: in the server's own process the tables would stand still for it.
"""

from __future__ import annotations

import io
import logging
import os
import shutil
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from scorer.errors import PhotoError, ScorerError
from webapp.play.library import Library
from webapp.texts import N_

Photographer = Callable[[Path, Path], None]
"""Photographs the round of a record (a file) into a folder."""

_log = logging.getLogger(__name__)
_MOST_SECONDS = 900
_ROOT = Path(__file__).parents[2]


def photograph(record: Path, out: Path) -> None:
    """Photograph a recorded round.

    Raises:
        PhotoError: it did not come to photos.
    """
    command = [sys.executable, "-m", "scorer.cli", "render", str(record), "--out", str(out)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(_ROOT), *sys.path])}
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=_MOST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise PhotoError(N_("Photographing took too long and was given up: try again later.")) from None
    if done.returncode:
        _log.error("rendering %s failed: %s", record.name, done.stderr)
        raise PhotoError(N_("The round could not be photographed: try again later."))


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the photographs of a round are."""

    stage: str
    """"none", "waiting", "working", "failed" or "ready"."""
    sentence: str = ""
    """Why it failed."""


class Photographs:
    """The photographs of all records: one round at a time is photographed, the others wait."""

    def __init__(self, library: Library, photographer: Photographer = photograph) -> None:
        self._library, self._photographer = library, photographer
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="photographs")
        self._lock = threading.Lock()
        self._stages: dict[str, Progress] = {}

    def progress(self, name: str) -> Progress:
        """Return how far the photographs of a record are."""
        if self.files(name):
            return Progress("ready")
        with self._lock:
            return self._stages.get(name, Progress("none"))

    def start(self, name: str) -> None:
        """Have a record photographed; one that is, or is being, is not photographed again.

        Raises:
            RecordError: the record cannot be read at all.
            PhotoError: there is nothing to be photographed.
        """
        recording = self._library.read(name)
        if recording is None or not recording.state.is_over or recording.damage is not None:
            raise PhotoError(N_("This record has no sound end, so there is no table to photograph."))
        if not recording.state.foundations:
            raise PhotoError(N_("No card was played in this round: there is nothing to photograph."))
        with self._lock:
            if self.files(name) or self._stages.get(name, Progress("none")).stage in ("waiting", "working"):
                return
            self._stages[name] = Progress("waiting")
        self._pool.submit(self._make, name)

    def files(self, name: str) -> list[Path]:
        """Return the photos of a record, the faces first; none before they are made."""
        found = [self._folder(name) / f"{name}-{side}.jpg" for side in ("faces", "backs")]
        return found if all(path.exists() for path in found) else []

    def zipped(self, name: str) -> bytes:
        """Return the photos, and the truth about them, as one zip file."""
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            for path in sorted(self._folder(name).iterdir()):
                archive.write(path, path.name)
        return stream.getvalue()

    def close(self) -> None:
        """Drop what waits; what is being photographed is finished."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _folder(self, name: str) -> Path:
        return self._library.folder / f"{name}.photos"

    def _make(self, name: str) -> None:
        self._note(name, Progress("working"))
        part = self._library.folder / f".{name}.part"
        try:
            shutil.rmtree(part, ignore_errors=True)
            self._photographer(self._library.folder / f"{name}.jsonl", part)
            # Renamed when all is there: a folder with a record's name is always whole.
            part.rename(self._folder(name))
            self._note(name, Progress("ready"))
        except ScorerError as error:
            self._note(name, Progress("failed", str(error)))
        except Exception:
            # Nobody waits for this thread: without this, the page would show "working" for ever.
            _log.exception("photographing %s failed", name)
            self._note(name, Progress("failed", N_("The round could not be photographed: try again later.")))
        finally:
            shutil.rmtree(part, ignore_errors=True)

    def _note(self, name: str, progress: Progress) -> None:
        with self._lock:
            self._stages[name] = progress
