"""Rounds played by bots: single ones, and series in which one round sets up the next."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from scorer.errors import RulesError
from scorer.game.bots import bot
from scorer.game.record import Game, Head, Seat
from scorer.game.state import State
from scorer.game.table import Observer, Record, Table
from scorer.scoring import Match, Rules, Tally

DECKS = ("red", "blue", "green", "black", "purple", "orange", "brown", "grey")
"""Names of the backs where nobody has named any."""

_LONGEST_MATCH = 100
"""A series does not let a match that has no end go on for more rounds."""


def seat_bots(
    names: Sequence[str], rules: Rules, seed: str, extra: Sequence[int] = (), number: int = 1
) -> Head:
    """Return the head of a round of bots.

    Args:
        names: for each seat the name of its bot.
        rules: the house rules.
        seed: any text.
        extra: for each seat how many more Nerts cards it has than the rules say; missing seats have none.
        number: the number of the round.
    """
    for name in names:
        bot(name)
    if len(extra) > len(names):
        raise RulesError(f"There are {len(names)} seats, but handicaps for {len(extra)}.")
    if any(more < 0 for more in extra):
        raise RulesError(
            f"A handicap is a number of extra Nerts cards, not {min(extra)}: it cannot be negative."
        )
    sizes = [rules.nerts_size + more for more in (*extra, *[0] * (len(names) - len(extra)))]
    seats = tuple(
        Seat((f"{name} P{place}",), deck, name)
        for place, (name, deck) in enumerate(zip(names, _decks(len(names)), strict=True), 1)
    )
    return Head(seed, rules, seats, tuple(sizes), number)


def _decks(seats: int) -> Iterable[str]:
    return (*DECKS, *(f"deck {number}" for number in range(len(DECKS), seats)))[:seats]


def play(head: Head, observers: Iterable[Observer] = ()) -> Table:
    """Let the bots of a head play its round to the end."""
    bots = [None if seat.bot is None else bot(seat.bot) for seat in head.seats]
    table = Table(head.deal(), bots, head.seed, observers)
    table.play()
    return table


def is_chained(rules: Rules) -> bool:
    """Whether a round depends on the one before it, so that a series has to be played in order."""
    return rules.nerts_handicap or rules.pass_decks == "move_left" or rules.starter != "anyone"


def chain(head: Head, rounds: int) -> Iterator[tuple[Head, Table]]:
    """Play matches in order, each round set up by the ones before; after a match the next begins afresh."""
    sizes = dict(zip(head.players, head.nerts_sizes, strict=True))
    first = Match(head.players, head.rules, (), sizes)
    match = first
    for number in range(1, rounds + 1):
        here = head_of_round(head, match, number)
        table = play(here)
        yield here, table
        match = match.with_round(tally_for_match(match, here, table.state, table.records))
        if match.is_over or len(match.rounds) >= _LONGEST_MATCH:
            match = first


def tally_for_match(match: Match, head: Head, state: State, records: Iterable[Record]) -> Tally:
    """Count a round of a match; where the rules ask for it, say who was the first to reach the target."""
    tally = head.tally(state)
    if head.rules.over_target != "first":
        return tally
    first = Game(head, tuple(records)).first_to_reach(match.totals)
    return dataclasses.replace(tally, first_to_reach=first)


def head_of_round(head: Head, match: Match, number: int) -> Head:
    """Return the head of the next round of a match: sizes, decks and starter follow the rounds before."""
    decks = dict(zip(head.players, head.decks, strict=True))
    holders = match.deck_holders(len(match.rounds))
    starters = match.starters_next
    return dataclasses.replace(
        head,
        seed=f"{head.seed}/{number}",
        number=number,
        seats=tuple(dataclasses.replace(seat, deck=decks[holders[seat.name]]) for seat in head.seats),
        nerts_sizes=tuple(match.sizes_next[name] for name in head.players),
        starter=head.players.index(starters[0]) if starters else None,
    )
