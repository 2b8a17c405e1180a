"""Who is at a table: people whose page follows it, or was heard of lately."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from time import monotonic

GRACE_SECONDS = 12.0
"""A person counts as there for so long after the last sign: streams break off, and pages are loaded anew."""


class Attendance:
    """The people at one table."""

    def __init__(self) -> None:
        self._streams: Counter[int] = Counter()
        self._seen_at: dict[int, float] = {}

    def notice(self, seat: int) -> None:
        """Note a sign of a person."""
        self._seen_at[seat] = monotonic()

    def come(self, seat: int) -> None:
        """Note that a page begins to follow the table."""
        self._streams[seat] += 1
        self.notice(seat)

    def go(self, seat: int) -> None:
        """Note that a page follows it no more."""
        self._streams[seat] -= 1
        self.notice(seat)

    def streams_of(self, seat: int) -> int:
        """Return how many pages follow the table for this seat."""
        return self._streams[seat]

    def present(self, people: Iterable[int]) -> frozenset[int]:
        """Return which of these seats' people are there."""
        since = monotonic() - GRACE_SECONDS
        return frozenset(
            seat for seat in people if self._streams[seat] or self._seen_at.get(seat, since) > since
        )
