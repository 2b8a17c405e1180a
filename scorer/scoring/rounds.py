"""From piles, or typed numbers, to the score of a round."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from scorer.cards import Rank, Suit
from scorer.errors import NotationError
from scorer.jsonfields import Fields
from scorer.names import NAME, quoted, tokens, unquoted
from scorer.piles import Fault, Faults, Pile
from scorer.scoring.rules import Rules


@dataclass(frozen=True, slots=True)
class DeckTally:
    """What was counted for one deck in one round: the raw numbers, from which its score follows.

    The notation is deck and player, cards out and left ("?" if unknown), then kings, "!" for the caller and
    false calls: "red:Ann=19/0+2K!", "red:=7/?-1F"; "Ann=14/4" where deck and player have one name.
    """

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
                raise NotationError(f"A count of {self.name} is {count}; it cannot be below 0.")

    def __str__(self) -> str:
        name = quoted(self.back)
        if self.player != self.back:
            name += ":" + ("" if self.player is None else quoted(self.player))
        left = "?" if self.nerts_left is None else str(self.nerts_left)
        kings = f"+{self.kings}K" if self.kings else ""
        false_calls = f"-{self.false_calls}F" if self.false_calls else ""
        return f"{name}={self.foundation}/{left}{kings}{'!' if self.called else ''}{false_calls}"

    @property
    def name(self) -> str:
        """The player where known, else the deck."""
        return self.back if self.player is None else self.player

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the numbers of a deck from their notation."""
        match = _DECK.fullmatch(text.strip())
        if match is None:
            raise NotationError(f"{text!r} is not a deck's count; write it like Ann=19/0! or red:Ann=14/4.")
        part = match.groupdict()
        back = unquoted(part["back"])
        nobody = None if part["named"] else back
        player = nobody if part["player"] is None else unquoted(part["player"])
        left = None if part["left"] == "?" else int(part["left"])
        kings, false_calls = int(part["kings"] or 0), int(part["false"] or 0)
        return cls(back, player, int(part["out"]), left, kings, part["called"] is not None, false_calls)

    def to_json(self) -> dict[str, object]:
        """Return what `json.dumps` takes."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, data: object, where: str = "the deck") -> Self:
        """Build the numbers of a deck from parsed JSON."""
        fields = Fields(data, where)
        return cls(
            fields.text("back"),
            fields.optional_text("player"),
            fields.whole("foundation"),
            fields.optional_whole("nerts_left"),
            fields.whole("kings", 0),
            fields.flag("called", False),
            fields.whole("false_calls", 0),
        )


_DECK = re.compile(
    rf"(?P<back>{NAME})(?P<named>:(?P<player>{NAME})?)?=(?P<out>\d{{1,4}})/(?P<left>\?|\d{{1,4}})"
    r"(?:\+(?P<kings>\d{1,4})K)?(?P<called>!)?(?:-(?P<false>\d{1,4})F)?"
)
_UNOWNED = re.compile(r"\?=(\d{1,4})")
_FIRST = re.compile(rf"first=({NAME})")


@dataclass(frozen=True, slots=True)
class Tally:
    """The raw numbers of one round.

    The notation is that of its decks with blanks between, then cards of unknown owners ("?=3") and who was
    the first to reach the target ("first=Ann").
    """

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

    def __str__(self) -> str:
        words = [str(deck) for deck in self.decks]
        if self.unowned:
            words.append(f"?={self.unowned}")
        if self.first_to_reach is not None:
            words.append(f"first={quoted(self.first_to_reach)}")
        return " ".join(words)

    @property
    def names(self) -> tuple[str, ...]:
        """The player of each deck where known, else the deck."""
        return tuple(deck.name for deck in self.decks)

    @property
    def callers(self) -> tuple[str, ...]:
        """Whoever called; two at the same moment are both callers."""
        return tuple(deck.name for deck in self.decks if deck.called)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the numbers of a round from their notation."""
        words = tokens(text)
        first = _FIRST.fullmatch(words[-1]) if words else None
        words = words[:-1] if first else words
        unowned = _UNOWNED.fullmatch(words[-1]) if words else None
        words = words[:-1] if unowned else words
        return cls(
            tuple(DeckTally.parse(word) for word in words),
            int(unowned[1]) if unowned else 0,
            unquoted(first[1]) if first else None,
        )

    def to_json(self) -> dict[str, object]:
        """Return what `json.dumps` takes."""
        decks = [deck.to_json() for deck in self.decks]
        return {"decks": decks, "unowned": self.unowned, "first_to_reach": self.first_to_reach}

    @classmethod
    def from_json(cls, data: object, where: str = "the round") -> Self:
        """Build the numbers of a round from parsed JSON."""
        fields = Fields(data, where)
        return cls(
            fields.items("decks", DeckTally.from_json),
            fields.whole("unowned", 0),
            fields.optional_text("first_to_reach"),
        )

    @classmethod
    def typed(cls, counts: Mapping[str, tuple[int, int]], callers: Collection[str] = ()) -> Self:
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


def check_tally(tally: Tally, rules: Rules, sizes: Mapping[str, int] | None = None) -> tuple[Fault, ...]:
    """Return everything that is impossible in the numbers of a round, however they came about.

    Args:
        tally: the numbers.
        rules: the house rules, for the sizes of decks and Nerts piles.
        sizes: sizes of the Nerts piles by player, where they differ by a handicap.
    """
    faults = [Fault.make(Faults.UNKNOWN_BACK)] if tally.unowned else []
    for deck in tally.decks:
        faults += _check_deck(deck, rules, (sizes or {}).get(deck.name, rules.nerts_size))
    return tuple(faults)


def _check_deck(deck: DeckTally, rules: Rules, size: int) -> Iterator[Fault]:
    left, owner = deck.nerts_left or 0, deck.name
    if deck.foundation + left > rules.deck_size:
        yield Fault.make(Faults.OWNER_TOO_MANY, owner=owner, count=deck.foundation, left=left)
    if deck.kings > min(len(Suit) + rules.jokers, deck.foundation):
        yield Fault.make(Faults.OWNER_TOO_MANY, owner=owner, count=deck.kings, suit="kings")
    if left > size:
        yield Fault.make(Faults.NERTS_TOO_MANY, owner=owner, left=left, size=size)
    if deck.called and left:
        yield Fault.make(Faults.CALLER_HAS_NERTS, owner=owner, left=left)
