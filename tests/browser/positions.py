"""Positions of the game, and what the page makes of them."""

from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import Page

from scorer.game.choices import legal_moves
from scorer.game.moves import Kind
from scorer.game.places import seen_by, seen_by_all
from scorer.game.record import Game
from scorer.game.series import play, seat_bots
from scorer.game.state import State
from scorer.scoring import Rules


def positions(rules: Rules, rounds: int) -> Iterator[State]:
    """Moments of rounds between three bots, seen from the first seat."""
    for number in range(rounds):
        head = seat_bots(("shark", "family", "beginner"), rules, f"positions/{number}", (), 1)
        game = Game(head, tuple(play(head).records))
        for at, (_record, state) in enumerate(game.states()):
            if at % 9 == 0 and not state.is_over:
                yield state


def plays_allowed(state: State) -> set[str]:
    """The plays and slides of the first seat, without piles moved whole into a space, which changes nothing."""
    moves = [move for move in legal_moves(state, 0) if move.kind in (Kind.PLAY, Kind.SLIDE)]
    work = state.layouts[0].work
    return {
        str(move)[3:]
        for move in moves
        if not (
            0 <= move.source < 9
            and 0 <= move.target < 9
            and not work[move.target]
            and move.length == len(work[move.source])
        )
    }


def plays_in_page(page: Page, state: State) -> set[str]:
    """The plays that the page would light up."""
    places = seen_by(0, state, [None] * state.seats, seen_by_all(state, [None] * state.seats))
    found: list[str] = page.evaluate(
        """async ([places, table]) => {
          const base = document.querySelector("link[href*='play.css']").href.replace("play.css", "");
          const { targetsOf, sourcesOf } = await import(base + "choices.js");
          const { Places } = await import(base + "state.js");
          const here = new Places(places);
          return sourcesOf(table).flatMap((source) => {
            const most = /[NW]/.test(source) ? 1 : here.get(`P1.${source}`).length;
            return Array.from({ length: most }, (_, at) => targetsOf(here, table, source, at + 1)).flat().map((one) => one.move);
          });
        }""",
        [
            {place: list(cards) for place, cards in places.items()},
            {"you": "P1", "work": len(state.layouts[0].work), "rules": state.rules.to_json()},
        ],
    )
    return set(found)
