"""The files of one table: what is kept of it, and the record of its round, line by line as it is played.

A line is handed to the operating system before anybody is told of the move, so a killed process loses nothing.
Only a power cut in the middle of a round can cost its last moves; whole rounds are safe from that, too.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from scorer.errors import ScorerError, StoreError
from scorer.game import record
from scorer.game.record import Head, Recording
from scorer.game.table import Record
from webapp.play.saved import Saved

_TABLE = "table.json"


class TableFiles:
    """The folder of a table."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stream: BinaryIO | None = None

    # --- The table -----------------------------------------------------------------------------------------

    def save(self, saved: Saved) -> None:
        """Keep the table as it stands."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(self.folder / _TABLE, json.dumps(saved.to_json(), ensure_ascii=False).encode())

    def load(self) -> Saved | None:
        """Return the table as it was kept; None where there is none.

        Raises:
            StoreError: what was kept is damaged or from a newer version.
        """
        try:
            data = json.loads((self.folder / _TABLE).read_bytes())
            return Saved.from_json(data)
        except FileNotFoundError:
            return None
        except (ScorerError, ValueError) as error:
            raise StoreError(f"This table cannot be set up again: {error}") from error

    @property
    def touched(self) -> float:
        """When anything happened at the table last, in seconds since 1970."""
        return max((path.stat().st_mtime for path in self.folder.glob("*")), default=0.0)

    def remove(self) -> None:
        """Forget the table."""
        self.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    # --- The record of its round ---------------------------------------------------------------------------

    def record_path(self, number: int) -> Path:
        """Where the record of a round lies while it is played."""
        return self.folder / f"round-{number}.jsonl"

    def begin(self, head: Head) -> None:
        """Begin the record of a round."""
        self.close()
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._stream = self.record_path(head.number).open("wb", buffering=0)
        self._write(record.head_line(head))

    def append(self, records: Iterable[Record]) -> None:
        """Add what happened to the record."""
        for one in records:
            self._write(record.record_line(one))

    def take_up(self, number: int) -> Recording | None:
        """Read the record of a round that was broken off, and go on writing it; None where there is none.

        A damaged tail is cut off; the file as it was is kept beside it.

        Raises:
            RecordError: not even its head can be read.
        """
        path = self.record_path(number)
        if not path.exists():
            return None
        recording = record.read(path)
        if recording.damage is not None and not recording.breaks_off:
            path.replace(path.with_suffix(".damaged"))
        if recording.damage is not None:
            self.rewrite(recording.game.head, recording.game.records)
        return recording

    def rewrite(self, head: Head, records: Iterable[Record]) -> None:
        """Write the record of a round anew, from the beginning."""
        self.close()
        lines = [record.head_line(head), *(record.record_line(one) for one in records)]
        path = self.record_path(head.number)
        write_whole(path, "".join(f"{line}\n" for line in lines).encode())
        self._stream = path.open("ab", buffering=0)

    def end(self, line: str, number: int, target: Path) -> None:
        """End the record of a round and put it where it is kept."""
        path = self.record_path(number)
        if self._stream is not None:
            self._write(line)
            os.fsync(self._stream.fileno())
            self.close()
        if path.exists():
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.replace(target)

    def close(self) -> None:
        """Close the record that is being written."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def _write(self, line: str) -> None:
        assert self._stream is not None
        data = f"{line}\n".encode()
        while data:
            # An unbuffered file may take less than it was given.
            data = data[self._stream.write(data) :]


def write_whole(path: Path, data: bytes) -> None:
    """Write a file under another name and rename it: it is always whole."""
    part = path.with_name(f".{path.name}.part")
    with part.open("wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    part.replace(path)
