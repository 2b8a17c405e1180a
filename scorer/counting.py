"""From the reading of a round's photos to its count: whose cards they are, what stands against it, the score.

A count that anything stands against is withheld: it is shown, but it is no score until a person has looked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from scorer.errors import NotationError
from scorer.piles import Fault, Faults, check_round
from scorer.reading import Reading, pile_to_json
from scorer.scoring import MAX_PLAYERS, RoundScore, Rules, Tally, check_tally, score_round, tally


@dataclass(frozen=True, slots=True)
class KnownFacts:
    """What people say of a round besides its photos."""

    players: tuple[str, ...] = ()
    """One for each deck; empty if nobody said."""
    nerts_left: Mapping[str, int] | None = None
    """Cards left in Nerts piles, by player or deck."""
    callers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(set(self.players)) < len(self.players) or not all(name.strip() for name in self.players):
            raise NotationError("Each player needs a name, and no two may have the same.")
        if len(self.players) > MAX_PLAYERS:
            raise NotationError(f"At most {MAX_PLAYERS} can play, not {len(self.players)}.")

    def check_names(self, decks: Collection[str]) -> None:
        """Refuse cards left by, or a call of, somebody who is neither a player nor one of the decks."""
        known = [*self.players, *decks]
        for name in (*(self.nerts_left or {}), *self.callers):
            if name not in known:
                known_names = ", ".join(known) or "nobody"
                raise NotationError(f"{name!r} is no player of this round: known are {known_names}.")

    @property
    def likely_callers(self) -> tuple[str, ...]:
        """Who called: whoever was named, else the only one with an empty Nerts pile."""
        empty = tuple(name for name, left in (self.nerts_left or {}).items() if left == 0)
        return self.callers or (empty if len(empty) == 1 else ())


@dataclass(frozen=True, slots=True)
class Count:
    """What a round comes to."""

    reading: Reading
    tally: Tally
    score: RoundScore
    faults: tuple[Fault, ...]
    """Everything that is to be told of the piles, the table and the numbers."""
    unassigned: tuple[str, ...] = ()
    """Players of whom nobody knows which deck is theirs."""

    @property
    def photo_faults(self) -> tuple[tuple[str, Fault], ...]:
        """What is to be told of single photos, each with the name of its file."""
        return tuple((photo.file, fault) for photo in self.reading.photos for fault in photo.faults)

    @property
    def is_scored(self) -> bool:
        """Whether the count stands; if not, it is withheld until a person has looked."""
        faults = (*self.faults, *(fault for _, fault in self.photo_faults))
        return not any(fault.is_doubt for fault in faults)

    @property
    def scores(self) -> tuple[int | None, ...]:
        """The score of each deck of the tally; None where it is withheld, or the cards left are not known."""
        return tuple(deck.score if self.is_scored else None for deck in self.score.decks)

    def to_json(self) -> dict[str, object]:
        """Return what `json.dumps` takes: the form of `nerts score --json`."""
        return {
            "scored": self.is_scored,
            "tally": [
                {
                    "back": deck.back,
                    "player": deck.player,
                    "foundation": deck.foundation,
                    "nerts_left": deck.nerts_left,
                    "score": score,
                }
                for deck, score in zip(self.tally.decks, self.scores, strict=True)
            ],
            "piles": [self._pile_to_json(index) for index in range(len(self.reading.piles))],
            "faults": [
                *({"name": fault.name.name, "sentence": fault.sentence} for fault in self.faults),
                *(
                    {"name": fault.name.name, "sentence": f"{file}: {fault.sentence}"}
                    for file, fault in self.photo_faults
                ),
            ],
        }

    def _pile_to_json(self, index: int) -> dict[str, object]:
        faults = Faults.of(fault for fault in self.faults if fault.pile == index)
        data = pile_to_json(self.reading.piles[index], faults)
        cards = self.reading.piles[index].cards
        data["cards"] = [
            {"face": None if card.face is None else str(card.face), "back": card.back, "marked": card.marked}
            for card in cards
        ]
        return data


def count_round(
    reading: Reading, facts: KnownFacts | None = None, rules: Rules | None = None, decks: Iterable[str] = ()
) -> Count:
    """Count and score a round.

    Args:
        reading: what its photos were read as.
        facts: what people say of it.
        rules: the house rules, classic by default.
        decks: names of all known decks, whether or not they were seen.

    Raises:
        NotationError: somebody is named who does not play.
    """
    facts, rules = facts or KnownFacts(), rules or Rules()
    seen = dict.fromkeys(card.back for pile in reading.piles for card in pile if card.back is not None)
    facts.check_names([*seen, *decks])
    known = set(seen) | set(decks)
    assigned = {name: name for name in facts.players if name in known}
    named = {*seen, *assigned}
    # Cards left by somebody whose deck is not known cannot be charged to any deck.
    left = {name: count for name, count in (facts.nerts_left or {}).items() if name in named}
    callers = tuple(name for name in facts.likely_callers if name in named)
    counted = tally(reading.piles, players=assigned, nerts_left=left, callers=callers)
    faults = _faults_of_round(reading, counted, len(facts.players) or None, rules)
    unassigned = tuple(name for name in facts.players if name not in assigned)
    return Count(reading, counted, score_round(counted, rules), faults, unassigned)


def _faults_of_round(reading: Reading, counted: Tally, decks: int | None, rules: Rules) -> tuple[Fault, ...]:
    """Join what the rules say of the piles, what the reader found, and what is impossible in the numbers."""
    left = {deck.back: deck.nerts_left for deck in counted.decks if deck.nerts_left is not None}
    callers = [deck.back for deck in counted.decks if deck.called]
    faults = list(
        check_round(reading.piles, decks=decks, nerts_left=left, callers=callers, jokers=rules.jokers)
    )
    told = {(fault.name, fault.pile, fault.position) for fault in faults}
    faults += [fault for fault in reading.faults if (fault.name, fault.pile, fault.position) not in told]
    names = Faults.of(faults)
    # Where no back was seen at all, or one was not recognised, that has been said.
    names |= Faults.UNKNOWN_BACK if names & Faults.BACKS_UNSEEN else Faults(0)
    faults += [fault for fault in check_tally(counted, rules) if not fault.name & names]
    if not any(pile.cards for pile in reading.piles) and not reading.doubts:
        faults.append(Fault.make(Faults.NO_CARDS))
    return tuple(faults)
