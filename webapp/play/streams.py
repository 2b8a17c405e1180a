"""Server-sent events: what happens at a table, on its way to one page.

Every stream holds a thread of the server. So there is a limit to them, for the server and for a seat; a page
beyond it is told what it has missed and asked to come again: its browser then polls, by the same means.
A stream reads on from the table's log at its own pace: one that is slow or dead holds up nobody.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from time import monotonic

from webapp.play.table import Gone, LiveTable

MOST = 40
"""Streams at once; `webapp.commands.THREADS` leaves a dozen threads beside them for everything else."""
MOST_OF_A_SEAT = 3
HEARTBEAT_SECONDS = 15.0
"""A comment after so long without an event keeps the connection, and shows where it is broken."""
LONGEST_SECONDS = 300.0
"""After so long the browser opens another: a phone that vanished without a word holds its thread no longer."""
_LOOK_SECONDS = 2.0
"""How often a stream asks whether its page is still there."""
_COME_AGAIN = "retry: 700\n\n"
_RECONNECT = "retry: 1000\n\n"


class Streams:
    """The streams that are open."""

    def __init__(self, most: int = MOST) -> None:
        self._free = threading.BoundedSemaphore(most)
        self._open = 0
        self._lock = threading.Lock()

    @property
    def open(self) -> int:
        """How many streams are held."""
        return self._open

    def follow(
        self, table: LiveTable, seat: int, since: int | None, is_left: Callable[[], bool]
    ) -> Iterator[str]:
        """Yield the text of a stream.

        Args:
            table: which to follow.
            seat: whose page it is.
            since: the last event the page has seen, None if none.
            is_left: tells whether the page has gone away.
        """
        if table.streams_of(seat) >= MOST_OF_A_SEAT or not self._free.acquire(blocking=False):
            table.notice(seat)
            return iter([_COME_AGAIN + table.missed(seat, since)[1]])
        return self._held(table, seat, since, is_left)

    def _held(
        self, table: LiveTable, seat: int, since: int | None, is_left: Callable[[], bool]
    ) -> Iterator[str]:
        self._count(1)
        try:
            with table.attended(seat):
                yield _RECONNECT
                yield from _events(table, seat, since, is_left)
        except Gone:
            yield "event: gone\ndata: {}\n\n"
        finally:
            self._count(-1)
            self._free.release()

    def _count(self, change: int) -> None:
        with self._lock:
            self._open += change


def _events(table: LiveTable, seat: int, since: int | None, is_left: Callable[[], bool]) -> Iterator[str]:
    end = monotonic() + LONGEST_SECONDS
    spoken = monotonic()
    while monotonic() < end and not table.is_closed and not is_left():
        since, text = table.missed(seat, since)
        if text:
            spoken = monotonic()
            yield text
        elif monotonic() - spoken > HEARTBEAT_SECONDS:
            spoken = monotonic()
            yield ": still there\n\n"
        table.wait(since, _LOOK_SECONDS)
