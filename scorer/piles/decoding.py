"""The likeliest legal reading of a pile whose corners were read with doubt.

The corners of a pile are decoded together: dynamic programming over suit and rank finds the legal foundation
that explains all of them best. It is set against the best explanation with cards hidden (a gap, no ace) and
against the corners taken one by one. Cards are never invented or dropped: as many come out as go in.
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from scorer.cards import DECK, Face, Joker

FLOOR = 1e-4
"""Least probability of any face: no classifier of blurred corners is surer than one in ten thousand."""
TIE_PRIOR = 1e-3
"""Of a clear tie at one place of a pile: players see perhaps one in an evening, of a thousand cards played."""
JOKER_PRIOR = 0.02
"""Of a joker at one place, where jokers are played: two in a deck of 54, most of which stay in the hand."""
HIDDEN_PRIOR = 5e-3
"""Of a card hidden between two others: one in twenty ribbons is spread that carelessly."""
HIDDEN_FURTHER_PRIOR = 0.2
"""Of one more card hidden at the same place: cards that stick together do so in threes and fours too."""
ARBITRARY_PRIOR = 1e-6
"""Of cards that follow no rule at all: players correct one another while they play."""
SUPPORT = 100.0
"""Odds at which one corner that fits vouches for the foundation; a lone card has nothing to correct it by."""
STRONG = 0.9
"""A corner this certain is not repaired: where it does not fit, somebody has to look."""
WEAK_MARGIN = 3.0
"""Below this margin (odds of 20 to 1) a reading should be looked at."""

_TIE, _JOKER, _HIDDEN = math.log(TIE_PRIOR), math.log(JOKER_PRIOR), math.log(HIDDEN_PRIOR)
_FURTHER, _ARBITRARY = math.log(HIDDEN_FURTHER_PRIOR), math.log(ARBITRARY_PRIOR)
_SUPPORT = math.log(SUPPORT)
_JOKER_INDEX = len(DECK)
_INDEX: dict[Face, int] = {card: index for index, card in enumerate(DECK)} | {Joker(): _JOKER_INDEX}


@dataclass(frozen=True, slots=True)
class Decoded:
    """A pile read as a whole."""

    cards: tuple[Face | None, ...]
    """From the ace up; a face is None only in an illegal pile, where nothing was read at its place."""
    margin: float
    """Log-likelihood by which this legal reading is ahead of the best reading with another meaning.

    Without a legal reading it is 0, or how far the best one is behind (below 0).
    """
    overruled: tuple[int, ...]
    """Indices into `cards` of those that differ from what their corner alone looks like."""
    legal: bool
    """False if the cards are what the corners look like one by one, since no foundation explains them."""
    reversed: bool = False
    """Whether the cards are in the opposite order of the positions given."""

    @property
    def is_weak(self) -> bool:
        """Whether another reading is so close that somebody should look."""
        return self.margin < WEAK_MARGIN


def likeliest_pile(
    probabilities: Sequence[Mapping[Face, float]],
    *,
    ties: bool = True,
    jokers: int = 0,
    either_end: bool = False,
) -> Decoded:
    """Find the likeliest legal foundation.

    Args:
        probabilities: for each position, from the ace up, the probabilities of its faces; they sum to 1 at
            most, what is absent shares the rest. An empty mapping is a position that was not read.
        ties: whether a rank may lie twice by a clear tie.
        jokers: how many jokers a pile may hold.
        either_end: whether the ace may also be at the other end.
    """
    evidence = tuple(_Evidence.of(position) for position in probabilities)
    if not evidence:
        return Decoded((), math.inf, (), legal=True)
    forward = _explain(evidence, ties, jokers)
    if not either_end or len(evidence) < 2:
        return _judge(forward, -math.inf)
    backward = _explain(evidence[::-1], ties, jokers)
    if backward.best > forward.best:
        return replace(_judge(backward, forward.best), reversed=True)
    return _judge(forward, backward.best)


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What one corner alone says."""

    logs: tuple[float, ...]
    """Log-probability of each card of the deck, and of a joker."""
    face: Face | None
    """What it looks like; None if it was not read."""
    strong: bool
    lead: float
    """Log-probability by which that is ahead of the next face."""

    @classmethod
    def of(cls, probabilities: Mapping[Face, float]) -> _Evidence:
        given: dict[int, float] = {}
        for face, probability in probabilities.items():
            index = _JOKER_INDEX if isinstance(face, Joker) else _INDEX[face]
            given[index] = given.get(index, 0.0) + probability
        absent = len(_INDEX) - len(given)
        floor = max(FLOOR, (1.0 - sum(given.values())) / absent if absent else 0.0)
        logs = tuple(math.log(max(given.get(index, floor), FLOOR)) for index in range(len(_INDEX)))
        best, second = heapq.nlargest(2, logs)
        if not given:
            return cls(logs, None, False, 0.0)
        top = max(given, key=given.__getitem__)
        face = Joker() if top == _JOKER_INDEX else DECK[top]
        return cls(logs, face, given[top] > STRONG, best - second)


_Path = tuple[float, "_Faces | None"]
_Faces = tuple["_Faces | None", Face]
_State = tuple[int, bool, int]
"""Rank on top, whether by a tie, and jokers used."""


@dataclass(frozen=True, slots=True)
class _Explanation:
    """The likeliest explanations of the positions in one direction, with their log-likelihoods."""

    evidence: tuple[_Evidence, ...]
    legal: tuple[_Path, ...]
    """The two best legal piles, the better first; none if there are too many cards."""
    hidden: float
    """Of the best pile in which cards are hidden."""

    @property
    def best(self) -> float:
        return max(self.hidden, *(score for score, _ in self.legal), -math.inf)


def _explain(evidence: tuple[_Evidence, ...], ties: bool, jokers: int) -> _Explanation:
    paths = [path for suit in range(4) for path in _legal_paths(evidence, suit, ties, jokers)]
    hidden = max(_hidden_score(evidence, suit, ties, jokers > 0) for suit in range(4))
    return _Explanation(evidence, tuple(heapq.nlargest(2, paths, key=_score)), hidden)


def _judge(explanation: _Explanation, other_direction: float) -> Decoded:
    """Take the likeliest legal pile, unless something else explains the corners better."""
    evidence = explanation.evidence
    seen = tuple(corner.face for corner in evidence)
    if not explanation.legal:
        return Decoded(seen, -math.inf, (), legal=False)
    (score, faces), *others = explanation.legal
    cards = _unlinked(faces)
    overruled = tuple(i for i, face in enumerate(seen) if not _looks_like(face, cards[i]))
    prior = max(_ARBITRARY, -_SUPPORT * (len(evidence) - len(overruled)))
    one_by_one = prior + sum(max(corner.logs) for corner in evidence)
    if not overruled:
        # The corners taken one by one say the same: another meaning needs the weakest of them to be wrong.
        one_by_one -= min(corner.lead for corner in evidence)
    margin = score - max(explanation.hidden, one_by_one, other_direction, *map(_score, others))
    if margin <= 0 or any(evidence[i].strong for i in overruled):
        return Decoded(seen, min(margin, 0.0), (), legal=False)
    return Decoded(cards, margin, overruled, legal=True)


def _score(path: _Path) -> float:
    return path[0]


def _legal_paths(evidence: Sequence[_Evidence], suit: int, ties: bool, jokers: int) -> list[_Path]:
    """Return the two likeliest legal piles of one suit; different paths have different faces."""
    paths: dict[_State, list[_Path]] = {(0, False, 0): [(0.0, None)]}
    for corner in evidence:
        longer: dict[_State, list[_Path]] = defaultdict(list)
        for state, found in paths.items():
            for following, face, gain in _steps(state, corner, suit, ties, jokers):
                longer[following] += [(score + gain, (faces, face)) for score, faces in found]
        paths = {state: heapq.nlargest(2, found, key=_score) for state, found in longer.items()}
    return [path for found in paths.values() for path in found]


def _steps(
    state: _State, corner: _Evidence, suit: int, ties: bool, jokers: int
) -> Iterator[tuple[_State, Face, float]]:
    """Yield what may lie on a pile: the state after it, the face, and its log-likelihood."""
    rank, tied, used = state
    moves = [(rank + 1, False, 0.0)] if rank < 13 else []
    # Two aces are never a tie, they begin two piles; and a tie is of two, not of three.
    if ties and rank > 1 and not tied:
        moves.append((rank, True, _TIE))
    for top, by_tie, cost in moves:
        index = 13 * suit + top - 1
        yield (top, by_tie, used), DECK[index], cost + corner.logs[index]
        if used < jokers:
            joker = Joker(DECK[index])
            yield (top, by_tie, used + 1), joker, cost + _JOKER + corner.logs[_JOKER_INDEX]


def _hidden_score(evidence: Sequence[_Evidence], suit: int, ties: bool, jokers: bool) -> float:
    """Score the best pile of one suit in which cards are hidden (or one is counted twice, without ties).

    `whole[rank]` and `broken[rank]` are the best scores of piles up to that rank without and with a fault.
    """
    never = -math.inf
    whole, broken = [0.0] + [never] * 13, [never] * 14
    for corner in evidence:
        jump, whole_next, broken_next = never, [never] * 14, [never] * 14
        for rank in range(1, 14):
            index = 13 * suit + rank - 1
            gain = corner.logs[index]
            if jokers:
                gain = max(gain, _JOKER + corner.logs[_JOKER_INDEX])
            again = _TIE if rank > 1 else never
            before = max(whole[rank - 2], broken[rank - 2]) if rank > 1 else never
            jump = max(jump + _FURTHER, before + _HIDDEN)
            whole_next[rank] = gain + max(whole[rank - 1], whole[rank] + again if ties else never)
            twice = max(broken[rank], never if ties else whole[rank]) + again
            broken_next[rank] = gain + max(broken[rank - 1], jump, twice)
        whole, broken = whole_next, broken_next
    return max(broken)


def _unlinked(faces: _Faces | None) -> tuple[Face, ...]:
    cards: list[Face] = []
    while faces is not None:
        cards.append(faces[1])
        faces = faces[0]
    return tuple(reversed(cards))


def _looks_like(seen: Face | None, read: Face) -> bool:
    """Whether a corner alone looks like what it was read as; any joker looks like any other."""
    return isinstance(seen, Joker) if isinstance(read, Joker) else seen == read
