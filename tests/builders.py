"""Domain values in few words, for all tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scorer.cards import Card, Face, Rank, Suit, parse_face
from scorer.piles import Fault, Faults, Pile, PileCard
from scorer.scoring import Match, Rules, Tally


def card(text: str) -> Card:
    return Card.parse(text)


def pile(suit: str, top: int, *owners: str, first: int = 1) -> Pile:
    """A legal pile of one suit up to a rank; owners take turns."""
    ranks = range(first, top + 1)
    backs = [owners[i % len(owners)] if owners else None for i in range(len(ranks))]
    faces = [Card(Rank(rank), Suit(suit)) for rank in ranks]
    return Pile(tuple(PileCard(face, back) for face, back in zip(faces, backs, strict=True)))


def piles(*notations: str) -> list[Pile]:
    return [Pile.parse(notation) for notation in notations]


def names(faults: Sequence[Fault]) -> list[str]:
    return [fault.name.name or "" for fault in faults]


def the(faults: Sequence[Fault], name: Faults) -> Fault:
    """The one fault of a name."""
    (fault,) = [fault for fault in faults if fault.name is name]
    return fault


def corners(text: str, sure: float = 0.97) -> list[dict[Face, float]]:
    """Corners that look like these faces, all equally sure; "?" was not read, "8H:0.6/3H:0.3" is in doubt."""
    return [_corner(word, sure) for word in text.split()]


def _corner(word: str, sure: float) -> dict[Face, float]:
    if word == "?":
        return {}
    chances = {}
    for choice in word.split("/"):
        face, _, probability = choice.partition(":")
        chances[parse_face(face)] = float(probability) if probability else sure
    return chances


def a_round(text: str) -> Tally:
    """A round such as "Ann=19/0! Bob=14/4"."""
    return Tally.parse(text)


def a_match(*rounds: str, rules: str = "classic", sizes: Mapping[str, int] | None = None) -> Match:
    """A match of the players of its first round."""
    tallies = tuple(a_round(text) for text in rounds)
    return Match(tallies[0].names, Rules.parse(rules), tallies, sizes or {})


def points(*rounds: str, rules: str = "classic") -> Match:
    """A match in which the scores of each round are given, such as "Ann 88 Bob 95 Cleo -6"."""
    return a_match(*(_scored(text) for text in rounds), rules=rules)


def _scored(text: str) -> str:
    words = text.split()
    scores = {name: int(score) for name, score in zip(words[::2], words[1::2], strict=True)}
    return " ".join(
        f"{name}={score}/0" if score >= 0 else f"{name}={score % 2}/{(-score + score % 2) // 2}"
        for name, score in scores.items()
    )
