"""What happened at a table lately, for pages that follow it: each reads on from what it has seen last."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

MOST = 1000
"""Events kept; a page that has missed more is shown the whole table anew."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event, as text for every seat that may see it."""

    seq: int
    kind: str
    texts: Mapping[int, str]

    def for_seat(self, seat: int) -> str:
        """Write the event as the stream of a seat carries it."""
        return f"id: {self.seq}\nevent: {self.kind}\ndata: {self.texts[seat]}\n\n"


class EventLog:
    """The last events of a table, numbered."""

    def __init__(self) -> None:
        # Numbers go on from the time, so that none of before a restart is taken for one of after it.
        self.last = int(time.time()) * 1000
        self._events: deque[Event] = deque(maxlen=MOST)

    def append(self, kind: str, messages: Mapping[int, Mapping[str, object]]) -> None:
        """Note an event, with what each seat is told."""
        self.last += 1
        texts = {seat: as_json({"seq": self.last, **message}) for seat, message in messages.items()}
        self._events.append(Event(self.last, kind, texts))

    def since(self, seq: int, seat: int) -> list[Event] | None:
        """Return what a seat has missed since an event; None where it has to be shown everything anew."""
        if seq == self.last:
            return []
        first = self._events[0].seq if self._events else self.last + 1
        if not first - 1 <= seq < self.last:
            return None
        missed = [event for event in self._events if event.seq > seq]
        return missed if all(seat in event.texts for event in missed) else None


def as_json(message: Mapping[str, object]) -> str:
    """Write a message on one line."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":"))
