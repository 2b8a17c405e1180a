"""The clock of a round: it runs, stands still, and never goes backwards."""

from __future__ import annotations

from time import monotonic


class Clock:
    """Milliseconds since the round began, without the time it stood still."""

    def __init__(self, at: int = 0) -> None:
        self._at = at
        self._since: float | None = None

    @property
    def is_running(self) -> bool:
        """Whether it runs."""
        return self._since is not None

    def now(self) -> int:
        """Return the time of the round, in milliseconds."""
        passed = 0 if self._since is None else int((monotonic() - self._since) * 1000)
        return self._at + passed

    def start(self) -> None:
        """Let it run."""
        if self._since is None:
            self._since = monotonic()

    def stop(self) -> None:
        """Let it stand still."""
        self._at, self._since = self.now(), None
