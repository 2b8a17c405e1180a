"""How fast one seat may send moves: faster than any hand, slower than a script that wants to do harm."""

from __future__ import annotations

from time import monotonic

PER_SECOND = 12.0
AT_ONCE = 24


class Allowance:
    """Moves a seat may still send; it fills up again with time."""

    def __init__(self) -> None:
        self._left = float(AT_ONCE)
        self._at = monotonic()

    def take(self) -> bool:
        """Take one move from the allowance; false where none is left."""
        now = monotonic()
        self._left = min(AT_ONCE, self._left + (now - self._at) * PER_SECOND)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
