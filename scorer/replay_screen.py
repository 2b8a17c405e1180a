"""The replay of a round on a terminal: keys in, one screen out."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from scorer.game.drawing import draw, draw_end, draw_record, symbol
from scorer.game.record import Game

_STEPS = {"\x1b[C": 1, "\x1b[D": -1, "\x1b[A": 10, "\x1b[B": -10, "l": 1, "h": -1}
_ENDS = {"\x1b[H": 0, "\x1b[F": sys.maxsize, "g": 0, "G": sys.maxsize}
_SPEEDS = {"+": 2.0, "=": 2.0, "-": 0.5}
_HELP = "space plays and pauses · ← → step · ↑ ↓ ten steps · + - speed · g G first, last · q ends"
_LONGEST_WAIT = 3.0


class ReplayScreen:
    """Where a replay stands, and what the keys do to it."""

    def __init__(self, game: Game, speed: float = 1.0) -> None:
        """Begin at the deal, paused."""
        self.game = game
        self.step = 0
        """How many records have been carried out."""
        self.speed = speed
        self.is_playing = False

    @property
    def last(self) -> int:
        """The step at the end."""
        return len(self.game.records)

    def press(self, key: str) -> bool:
        """Do what a key says; False when the replay is to end."""
        if key in ("q", "\x03", "\x04"):
            return False
        if key == " ":
            self.is_playing = not self.is_playing and self.step < self.last
        elif key in _STEPS or key in _ENDS:
            self.is_playing = False
            self._go_to(_ENDS.get(key, self.step + _STEPS.get(key, 0)))
        elif key in _SPEEDS:
            self.speed = max(0.1, min(100.0, self.speed * _SPEEDS[key]))
        return True

    def tick(self) -> None:
        """Go on by one record, and stop at the last."""
        self._go_to(self.step + 1)
        self.is_playing = self.is_playing and self.step < self.last

    def _go_to(self, step: int) -> None:
        self.step = max(0, min(step, self.last))

    def wait(self) -> float | None:
        """Return the seconds until the next record is due; None while paused."""
        if not self.is_playing:
            return None
        records = self.game.records
        before = records[self.step - 1].at if self.step else 0
        pause = (records[self.step].at - before) / 1000 / self.speed
        return max(0.0, min(pause, _LONGEST_WAIT))

    def text(self) -> str:
        """Return the screen as it stands."""
        head = self.game.head
        short = Game(head, self.game.records[: self.step])
        state = short.replay()
        latest = draw_record(self.game.records[self.step - 1]) if self.step else "The deal."
        playing = "playing" if self.is_playing else "paused"
        lines = [f"{self.step}/{self.last}  {playing}, speed {self.speed:g}", latest, ""]
        lines.append(draw(state, head.players, symbol))
        if self.step == self.last:
            lines += ["", draw_end(state, head)]
        return "\n".join([*lines, "", _HELP])

    def run(self) -> None:
        """Show the replay on the terminal until a key ends it."""
        with _keys() as read:
            while True:
                click.clear()
                click.echo(self.text())
                key = read(self.wait())
                if key is None:
                    self.tick()
                elif not self.press(key):
                    return


class _Reader:
    """Reads single keys from the terminal."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._typed = ""

    def __call__(self, timeout: float | None) -> str | None:
        """Return the next key, None when none comes in time; "q" when the terminal has gone."""
        if not self._typed:
            ready, _, _ = select.select([self._descriptor], [], [], timeout)
            if not ready:
                return None
            self._typed = os.read(self._descriptor, 64).decode("utf-8", "ignore") or "q"
        length = 3 if self._typed.startswith("\x1b[") else 1  # An arrow is one key of three bytes.
        key, self._typed = self._typed[:length], self._typed[length:]
        return key


@contextmanager
def _keys() -> Iterator[_Reader]:
    """Switch the terminal to single keys, and back."""
    # Only where there is such a terminal; the module is imported on every system.
    import termios
    import tty

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setcbreak(descriptor, termios.TCSANOW)
        yield _Reader(descriptor)
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
