"""The records that can be replayed: of rounds played here, and of files that people brought."""

from __future__ import annotations

import os
import re
import secrets
import shutil
from pathlib import Path
from time import time

from scorer.errors import RecordError
from scorer.game import record
from scorer.game.record import Recording

MAX_BYTES = 4 * 2**20
"""A longer file is no record of a round: the longest of ours has a tenth of that."""
KEPT_SECONDS = 60 * 24 * 3600
"""Records nobody has looked at for so long are forgotten."""
_NAME = re.compile(r"[\w-]{16,40}", re.ASCII)


def new_name() -> str:
    """Return a name for a record; whoever knows it may see the replay."""
    return secrets.token_urlsafe(16)


class Library:
    """A folder of records."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str) -> Path | None:
        """Return where a record lies or would lie; None for what is not a name at all."""
        return self.folder / f"{name}.jsonl" if _NAME.fullmatch(name) else None

    def find(self, name: str) -> Path | None:
        """Return the file of a record, None where there is none; it is kept longer for it."""
        path = self.path(name)
        if path is None or not path.exists():
            return None
        os.utime(path)
        return path

    def read(self, name: str) -> Recording | None:
        """Return a record as far as it is sound; None where there is none.

        Raises:
            RecordError: it cannot be read at all.
        """
        path = self.find(name)
        return None if path is None else record.read(path)

    def add(self, data: bytes) -> str:
        """Keep a record that somebody brought, and return its name.

        Raises:
            RecordError: it is no record of a round, or of a newer version.
        """
        if len(data) > MAX_BYTES:
            raise RecordError(
                f"The file is larger than {MAX_BYTES // 2**20} MB: this is no record of a round."
            )
        record.parse(data)
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = new_name()
        (self.folder / f"{name}.jsonl").write_bytes(data)
        return name

    def forget_old(self) -> None:
        """Delete the records nobody has looked at for long, with the photos made of them."""
        for path in self.folder.glob("*"):
            if time() - path.stat().st_mtime <= KEPT_SECONDS:
                continue
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
