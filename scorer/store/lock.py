"""One server per data folder: readings are limited per process, and no restore may pull the folder away."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from scorer.errors import StoreError

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows has no flock; there the lock is left out.
    fcntl = None  # type: ignore[assignment]


class FolderLock:
    """Held by a running server; the operating system lets go of it when the process dies."""

    def __init__(self, folder: Path) -> None:
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Beside the folder, not in it: a restore replaces the folder.
        self._path = folder.with_name(f".{folder.name}.lock")
        self._folder = folder

    def __enter__(self) -> FolderLock:
        self._file = self._path.open("w")
        if fcntl is not None:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self._file.close()
                raise StoreError(f"A server is already running on {self._folder}: stop it first.") from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
