"""From piles, or typed numbers, to the score of a round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from scorer.cards import Rank
from scorer.errors import NotationError
from scorer.piles import Pile
from scorer.scoring.rules import Rules


@dataclass(frozen=True, slots=True)
class DeckTally:
    """What was counted for one deck in one round: the raw numbers, from which its score follows."""

    back: str
    """The name of the deck."""
    player: str | None
    """Whose deck it is (a player, or partners who share it); None if nobody said."""
    foundation: int
    """Its cards on the foundations, completed piles included."""
    nerts_left: int | None
    """Cards left in its Nerts pile; None if unknown."""
    kings: int = 0
    """How many of `foundation` are kings."""
    called: bool = False
    false_calls: int = 0
    """How often its player called with cards left."""

    def __post_init__(self) -> None:
        for count in (self.foundation, self.nerts_left or 0, self.kings, self.false_calls):
            if count < 0:
                raise NotationError(f"A count of cards of {self.name} is {count}; it cannot be below 0.")

    @property
    def name(self) -> str:
        """The player where known, else the deck."""
        return self.back if self.player is None else self.player


@dataclass(frozen=True, slots=True)
class Tally:
    """The raw numbers of one round."""

    decks: tuple[DeckTally, ...]
    unowned: int = 0
    """Cards on the foundations whose back is not known."""
    first_to_reach: str | None = None
    """Who reached the target first, where the rules ask for it and somebody watched."""

    def __post_init__(self) -> None:
        for what, names in (("deck", [deck.back for deck in self.decks]), ("player", self.names)):
            twice = next((name for name, count in Counter(names).items() if count > 1), None)
            if twice is not None:
                raise NotationError(f"The {what} {twice!r} is named twice in one round.")

    @property
    def names(self) -> tuple[str, ...]:
        """The player of each deck where known, else the deck."""
        return tuple(deck.name for deck in self.decks)

    @property
    def callers(self) -> tuple[str, ...]:
        """Whoever called; two at the same moment are both callers."""
        return tuple(deck.name for deck in self.decks if deck.called)

    @classmethod
    def typed(cls, counts: Mapping[str, tuple[int, int]], callers: Collection[str] = ()) -> Tally:
        """Build a tally from typed numbers: for each player the cards out and the cards left."""
        _refuse_unknown(callers, counts)
        return cls(
            tuple(
                DeckTally(player, player, out, left, called=player in callers)
                for player, (out, left) in counts.items()
            )
        )


def tally(
    piles: Iterable[Pile],
    *,
    players: Mapping[str, str] | None = None,
    nerts_left: Mapping[str, int] | None = None,
    callers: Collection[str] = (),
) -> Tally:
    """Count the cards of the piles by their backs.

    Args:
        piles: the foundations, open and completed.
        players: for each back its player; a back that is absent has none.
        nerts_left: cards left in the Nerts piles, by player or back; a caller's pile is empty if not given.
        callers: who called, by player or back.
    """
    players, nerts_left = players or {}, nerts_left or {}
    cards = [card for pile in piles for card in pile.cards]
    counts = Counter(card.back for card in cards)
    kings = Counter(card.back for card in cards if card.card is not None and card.card.rank is Rank.KING)
    backs = list(dict.fromkeys([*players, *(back for back in counts if back is not None)]))
    _refuse_unknown([*nerts_left, *callers], [*backs, *players.values()])
    decks = []
    for back in backs:
        player = players.get(back)
        names = {back} if player is None else {back, player}
        called = not names.isdisjoint(callers)
        left = next((nerts_left[name] for name in names if name in nerts_left), 0 if called else None)
        decks.append(DeckTally(back, player, counts[back], left, kings[back], called))
    return Tally(tuple(decks), unowned=counts[None])


def _refuse_unknown(names: Iterable[str], known: Iterable[str]) -> None:
    unknown = next((name for name in names if name not in set(known)), None)
    if unknown is not None:
        raise NotationError(f"{unknown!r} is neither a player nor a deck of this round.")


@dataclass(frozen=True, slots=True)
class DeckScore:
    """How the score of one deck in one round comes about; the parts sum to the score, unless floored."""

    name: str
    cards: int
    """Points for cards on the foundations."""
    penalty: int | None
    """Points for cards left, 0 or below; None if their number is unknown."""
    kings: int = 0
    bonus: int = 0
    """Points for calling."""
    false_calls: int = 0
    """Points for false calls, 0 or below."""
    floored: bool = False
    """Whether the rules lift a score below 0 to 0."""
    called: bool = False

    @property
    def score(self) -> int | None:
        """The points of the round; None if the cards left are unknown."""
        if self.penalty is None:
            return None
        points = self.cards + self.penalty + self.kings + self.bonus + self.false_calls
        return max(points, 0) if self.floored else points


@dataclass(frozen=True, slots=True)
class RoundScore:
    """The score of one round."""

    decks: tuple[DeckScore, ...]
    caller_wins: bool = False

    @property
    def scores(self) -> dict[str, int | None]:
        """Points by player (by deck, where the player is unknown); None where cards left are unknown."""
        return {deck.name: deck.score for deck in self.decks}

    @property
    def is_complete(self) -> bool:
        """Whether every score is known."""
        return all(deck.score is not None for deck in self.decks)

    @property
    def callers(self) -> tuple[str, ...]:
        """Whoever called."""
        return tuple(deck.name for deck in self.decks if deck.called)

    @property
    def winners(self) -> tuple[str, ...]:
        """Who won the hand: the highest score, or the caller where the rules say so; several if equal."""
        if self.caller_wins and self.callers:
            return self.callers
        known = {name: score for name, score in self.scores.items() if score is not None}
        best = max(known.values(), default=None)
        return tuple(name for name, score in known.items() if score == best) if self.is_complete else ()


def score_round(tally: Tally, rules: Rules) -> RoundScore:
    """Score a round."""
    return RoundScore(tuple(_score_deck(deck, rules) for deck in tally.decks), rules.caller_wins)


def _score_deck(deck: DeckTally, rules: Rules) -> DeckScore:
    # Without a penalty it does not matter how many cards are left.
    left = deck.nerts_left if rules.nerts_penalty else 0
    return DeckScore(
        deck.name,
        cards=rules.card_points * deck.foundation,
        penalty=None if left is None else -rules.nerts_penalty * left,
        kings=rules.king_bonus * deck.kings,
        bonus=rules.caller_bonus if deck.called else 0,
        false_calls=-rules.false_call_penalty * deck.false_calls,
        floored=rules.floor_zero,
        called=deck.called,
    )
