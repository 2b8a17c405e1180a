"""Rounds played by bots: single ones, and series in which one round sets up the next."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

from scorer.errors import RulesError
from scorer.game.bots import bot
from scorer.game.record import Head, Seat
from scorer.game.table import Observer, Table
from scorer.scoring import RoundScore, Rules

DECKS = ("red", "blue", "green", "black", "purple", "orange", "brown", "grey")
"""Names of the backs where nobody has named any."""


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


def next_head(head: Head, score: RoundScore, totals: Mapping[str, int], seed: str) -> Head:
    """Return the head of the round after a round.

    Args:
        head: the round just played.
        score: its score.
        totals: for each player his total with that round.
        seed: the seed of the next deal.
    """
    rules, seats = head.rules, head.seats
    if rules.pass_decks == "move_left":
        decks = head.decks[-1:] + head.decks[:-1]
        seats = tuple(dataclasses.replace(seat, deck=deck) for seat, deck in zip(seats, decks, strict=True))
    return Head(seed, rules, seats, _next_sizes(head, score), head.number + 1, _next_starter(head, totals))


def _next_sizes(head: Head, score: RoundScore) -> tuple[int, ...]:
    """Nerts piles follow the last round: larger for the winner, smaller for whoever scored nothing."""
    rules = head.rules
    if not rules.nerts_handicap:
        return head.nerts_sizes
    room = rules.deck_size - rules.work_piles_for(len(head.seats))
    sizes = []
    for name, size in zip(head.players, head.nerts_sizes, strict=True):
        points = score.scores[name]
        if name in score.winners:
            size += rules.handicap_winner
        elif points is not None and points <= 0:
            size += rules.handicap_loser
        sizes.append(max(rules.handicap_min, min(size, room)))
    return tuple(sizes)


def _next_starter(head: Head, totals: Mapping[str, int]) -> int | None:
    match head.rules.starter:
        case "rotates":
            return head.number % len(head.seats)
        case "last_place":
            return min(range(len(head.seats)), key=lambda seat: totals.get(head.players[seat], 0))
    return None


def chain(head: Head, rounds: int) -> Iterator[tuple[Head, Table]]:
    """Play a series in order, each round set up by the one before."""
    totals = dict.fromkeys(head.players, 0)
    first_seed = head.seed
    for number in range(1, rounds + 1):
        table = play(head)
        yield head, table
        score = head.score(table.state)
        for name, points in score.scores.items():
            totals[name] += points or 0
        head = next_head(head, score, totals, f"{first_seed}+{number}")
