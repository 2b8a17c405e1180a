"""Golden playthroughs: whole rounds as text, under tests/playthroughs.

``python -m tests.game.playthroughs`` writes them all anew; read the difference before you commit it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scorer.game.bots import bot
from scorer.game.choices import legal_moves
from scorer.game.drawing import draw, draw_end, draw_record
from scorer.game.ending import foundation_piles
from scorer.game.record import Head
from scorer.game.series import seat_bots
from scorer.game.state import State
from scorer.game.table import Record, Table
from scorer.scoring import Rules

FOLDER = Path(__file__).parent.parent / "playthroughs"
_EVERY = 25
"""After so many records the table and all legal moves are written down."""


@dataclass(frozen=True)
class Playthrough:
    name: str
    bots: tuple[str, ...]
    rules: str
    seed: str

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.name}.txt"

    def text(self) -> str:
        """Play the round, and write down everything."""
        head = seat_bots(self.bots, Rules.parse(self.rules), self.seed)
        return "\n".join(self._lines(head)) + "\n"

    def _lines(self, head: Head) -> Iterator[str]:
        yield f"# {self.name}: {', '.join(self.bots)}; rules {head.rules}; seed {self.seed}"
        state = head.deal()
        yield draw(state, head.players)
        written: list[str] = []
        game = Table(state, [bot(name) for name in self.bots], self.seed, [_scribe(head, written)])
        game.play()
        yield from written
        yield draw(state, head.players)
        yield from (
            f"pile {number}: {pile}" for number, pile in enumerate(foundation_piles(state, head.decks), 1)
        )
        yield draw_end(state, head)


def _scribe(head: Head, written: list[str]):
    """Return an observer that writes down each record, and from time to time the table."""
    count = 0

    def observe(record: Record, state: State) -> None:
        nonlocal count
        count += 1
        written.append(draw_record(record))
        if count % _EVERY == 0:
            written.append(draw(state, head.players))
            for seat in range(state.seats):
                moves = " | ".join(str(move).partition(" ")[2] for move in legal_moves(state, seat))
                written.append(f"P{seat + 1} may: {moves or 'nothing'}")

    return observe


PLAYTHROUGHS = (
    Playthrough("classic", ("shark", "family", "beginner"), "classic", "1"),
    Playthrough("alone", ("shark",), "two_player", "2"),
    Playthrough("racing-demon", ("family", "shark"), "racing_demon", "3"),
    Playthrough("jokers-and-ties", ("shark",) * 6, "classic jokers=2 tie_window_ms=200", "4"),
    Playthrough("stuck", ("beginner", "family"), "classic work_piles=3 stuck_all=shuffle", "5"),
)


if __name__ == "__main__":
    for playthrough in PLAYTHROUGHS:
        playthrough.path.write_text(playthrough.text(), encoding="utf-8")
        print(playthrough.path)
