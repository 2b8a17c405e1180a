"""Owners: whose card each strip of a back is. Equal backs form groups, held against known decks and against the rules.

That a deck has every card only once tells apart what looks alike: two cards with the same face have two owners.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.vision.decks import DeckBook

Floats = NDArray[np.float32]
Matrix = NDArray[np.float64]
Labels = NDArray[np.int64]

SAME_BACK = 0.62
"""Least similarity (cosine) of a group's mean embedding to that of a deck taught before for the group to be its."""
CERTAIN = 12.0
"""Two strips are for or against one another by no more than this (logarithm of odds): a print that was badly seen must not veto."""
SAME_DECK = 1.0
"""Least mean logarithm of the odds between two groups of strips that are one deck's."""
ALIKE = -3.0
"""The same where the number of decks on the table is known and there are more groups: what is less alike is another deck."""
CLEARLY_ONE, CLEARLY_TWO = 2.0, -2.0
"""Mean odds above which two groups of strips became one without a doubt, and below which two remain two without one.

Of 116 rendered rounds of four known players whose piles were read right 102 lie beyond both, 100 beyond 2.2 and -2.3. To know how
many decks there are is not enough: one taken for two, in light and shadow, and two taken for one are as many again.
"""
FAR_APART, HARDLY_TWO = 6.0, -1.0
"""Decks are clear too if what became one is more alike than what did not by the former, and the latter is below this.

So it is in 5 of the 14 other of those rounds, and in none where a deck was taken for two and two for one: 0.4 to 3.6. Where a deck
was taken for two because the cards of another were left out, the difference was up to 7.7, but the latter -0.6.
"""
PLAINLY_ONE = 3.5
"""The former where nobody says how many decks there are: then nothing else shows that two became one. Two did so at 3.3."""
IN_COMMON = 2
"""Faces that lie in both of two groups from which they are two decks without a doubt: a deck has each once.

Of 111 pairs of groups of three strips or more that look somewhat alike (-2 or more) 90 had two in common, and all were two decks.
"""
TELLING = 0.75
"""Share of what the strips of either group have with one another below which those of two groups look like two decks: they become
one only if more groups than decks are left."""
LIKELY = 8.0
"""Odds between strips of one deck that were well seen."""
ESTABLISHED = 3
"""Strips of a group that a single further one makes neither more nor less of a deck: whether it is one of them is its own doubt."""
SURE = 1.0
"""A strip is sure to be a deck's where its mean odds with the others of it are above this ..."""
TYPICAL = (0.4, 0.3)
"""... and above this share of what half of the deck's strips have, for an edge that is not firm and for one that is: what is far
less like its deck than they are shows another card, or hardly any ..."""
TYPICAL_OF_SOME = 0.6
"""The same where there may be decks that were not told apart: a card of one of which it is the only one had 0.55 of what is typical
of a deck that it looks like."""
LEAD = (2.5, 1.5)
"""... and above those with every other deck's by this. Of 141 strips at edges that are not firm, less like their deck than 0.7 of
what is typical, four were given to wrong decks; they lead by 1.8, 2.4, 3.9 and 4.2, of the others one in 17 by less than 2.5."""
FAR_AHEAD = 6.0
"""Lead over every other deck that makes up for odds far below what is typical. Of 18 such strips of rendered rounds with more than
SURE all were their decks'; of those that led by 3 to 6 four in 38 were not."""
UNLIKE = (-3.0, -1.5)
"""Odds with every other deck below which a card alone is of a deck of its own, if such a deck is known to be on the table: for an
edge that is not firm and for one that is. Of 5800 and 10500 strips of decks with several cards, none and one have less."""
PLAIN = 5.0
"""Odds, and their lead over every other deck's, above which a strip is plainly a card's of that deck."""
JUST_LIKE = 0.75
"""Share of what half of a deck's strips have from which one is like them. With 0.75 two more of 190 rendered rounds
were right than with 0.9, and none was silently wrong."""
TWICE = 4.0
"""By how much a strip must be likelier a deck's if the same face lies in it already: faces are misread too."""


@dataclass(frozen=True, slots=True)
class Owners:
    """Whose every strip is."""

    names: tuple[str, ...]
    """(strips,)"""
    sure: NDArray[np.bool_]
    """(strips,) False where another deck is nearly as near."""
    plain: NDArray[np.bool_]
    """(strips,) True where it is so plainly its deck's that it must be the edge of a card."""
    just_like: NDArray[np.bool_]
    """(strips,) True where it is plainly its deck's and hardly less like the others than they are."""
    is_clear: bool = True
    """False where it is open which backs are one deck: two groups might be one, or one group might be two."""

    @classmethod
    def untold(cls, count: int) -> Owners:
        """Of so many strips, as long as they have not been compared: all of one deck, and none of them sure."""
        no = np.zeros(count, bool)
        return cls(("deck-1",) * count, no, no, no)

    def of(self, rows: slice) -> Owners:
        """Those of some of the strips."""
        return Owners(
            self.names[rows], self.sure[rows], self.plain[rows], self.just_like[rows], self.is_clear
        )


def name_owners(
    odds: Matrix,
    embeddings: Floats,
    book: DeckBook,
    most: int | None = None,
    apart: Sequence[tuple[int, int]] = (),
    firm: NDArray[np.bool_] | None = None,
) -> Owners:
    """Tell the decks of all strips of a round apart.

    Args:
        odds: (strips, strips) logarithm of the odds that two strips are of one deck, of every photo of the round.
        embeddings: (strips, EMBEDDING) of the same strips, unit length.
        book: decks taught before; a group that matches one takes its name, the others become deck-1, deck-2 ... by size.
        most: number of decks on the table, if known; more groups come out only where the backs are quite unlike.
        apart: pairs of strips on cards with the same face.
        firm: (strips,) whether the strip's edge was found just where it lies; by default none was.
    """
    if not len(odds):
        return Owners((), *np.zeros((3, 0), bool))
    firm = np.zeros(len(odds), bool) if firm is None else firm
    odds, twice = np.clip(odds, -CERTAIN, CERTAIN), _twice(len(odds), apart)
    linked = _linked(odds, twice, most)
    groups = _settled(odds, linked.groups, twice)
    centres = np.stack([_unit(embeddings[groups == g].sum(axis=0)) for g in range(groups.max() + 1)])
    names = _names(centres, np.bincount(groups), book)
    near = _nearness(odds, groups, twice)
    at = np.arange(len(groups)), groups
    own, typical = near[at], _typical(near[at], groups)
    near[at] = -np.inf
    others = near.max(axis=1)
    alone = np.bincount(groups)[groups] == 1
    # A card alone is like nothing: that does not show that it is a card.
    plain = (own > PLAIN) & (own - others > PLAIN) & ~alone
    is_all = most == len(centres)
    sure = _sure(own, others, typical, is_all=is_all, firm=firm)
    # A card alone may be of a deck of which it is the only one, or one that was seen badly. Where every other deck is there
    # without it, it looks like no other because somebody played a single card.
    sure = np.where(alone, is_all & (others < np.where(firm, UNLIKE[1], UNLIKE[0])), sure)
    sure = sure if len(centres) > 1 else own >= SAME_DECK
    just_like = plain & (own > JUST_LIKE * typical)
    is_clear = linked.is_clear(count_known=most is not None, is_all=is_all)
    return Owners(tuple(names[g] for g in groups), np.asarray(sure), plain, just_like, is_clear)


def _sure(
    own: Matrix, others: Matrix, typical: Matrix, *, is_all: bool, firm: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Whether each strip is sure to be its group's, by its odds with that and with the best other one.

    Where there may be decks that were not told apart, it might be of one of these.
    """
    lead = own - others
    ahead = lead > np.where(firm, LEAD[1], LEAD[0])
    if not is_all:
        return np.asarray((own > np.maximum(CLEARLY_ONE, TYPICAL_OF_SOME * typical)) & ahead)
    enough = np.maximum(SURE, np.where(firm, TYPICAL[1], TYPICAL[0]) * typical)
    return np.asarray((own > enough) & ahead | (own > SURE) & (lead > FAR_AHEAD))


def _typical(own: Matrix, groups: Labels) -> Matrix:
    """(n,) median of the odds of each strip's group with itself."""
    medians = [np.median(own[groups == g]) for g in range(groups.max() + 1)]
    return np.asarray(medians)[groups]


def _twice(count: int, apart: Sequence[tuple[int, int]]) -> Matrix:
    """(n, n) 1 where two strips lie on equal faces."""
    matrix = np.zeros((count, count))
    for i, j in apart:
        matrix[i, j] = matrix[j, i] = 1
    return matrix


@dataclass(frozen=True, slots=True)
class _Linked:
    """Strips grouped by what they look like."""

    groups: Labels
    """(strips,)"""
    weakest: float = np.inf
    """Least mean odds of two groups that became one, other than of a single strip and a group that was one already."""
    nearest: float = -np.inf
    """Largest mean odds of two groups that did not, and have hardly a face in common."""
    most_alike: float = -np.inf
    """The same of any two groups that did not."""

    def is_clear(self, *, count_known: bool, is_all: bool) -> bool:
        """Whether no two groups were nearly one, and none nearly two.

        Where there are as many groups as decks, and faces show that each two of them are two decks, none can hide in another's.
        """
        if is_all and self.nearest == -np.inf and self.most_alike < HARDLY_TWO:
            return True
        far_apart = -np.inf < self.nearest < HARDLY_TWO and self.weakest - self.nearest > FAR_APART
        if far_apart and self.weakest > (SAME_DECK if count_known else PLAINLY_ONE):
            return True
        return self.weakest > (CLEARLY_ONE if count_known else PLAINLY_ONE) and self.nearest < CLEARLY_TWO


def _linked(odds: Matrix, twice: Matrix, most: int | None) -> _Linked:
    """Group equal backs by average linkage; about as many groups as decks are known to be on the table.

    Two groups that have several faces in common are two decks, however alike they look.
    """
    count = len(odds)
    similar = odds.copy()
    shared, sizes, groups = twice.copy(), np.ones(count), np.arange(count)
    weakest, nearest, most_alike = np.inf, -np.inf, -np.inf
    for left in range(count, 1, -1):
        alike = similar / np.outer(sizes, sizes)
        np.fill_diagonal(alike, -np.inf)
        value = alike - TWICE * shared / np.sqrt(np.minimum.outer(sizes, sizes))
        are_two = most is not None and left <= most and _look_like_two(odds, groups, value)
        pair = _next_pair(np.where(are_two, -np.inf, value), sizes, left, most)
        if pair is None:
            nearest = float(value[shared < IN_COMMON].max())
            most_alike = float(alike.max())
            break
        i, j = pair
        if not _is_one_more(sizes[i], sizes[j]):
            weakest = min(weakest, float(value[i, j]))
        groups[groups == j] = i
        sizes[i] += sizes[j]
        for matrix in (similar, shared):
            matrix[i] += matrix[j]
            matrix[:, i] = matrix[i]
        similar[j] = similar[:, j] = -np.inf
    groups = np.asarray(np.unique(groups, return_inverse=True)[1], np.int64)
    return _Linked(groups, weakest, nearest, most_alike)


def _look_like_two(odds: Matrix, groups: Labels, value: Matrix) -> NDArray[np.bool_]:
    """(n, n) whether two groups of several strips, by the numbers of their first ones, are far less alike than their own strips."""
    within = np.full(len(odds), -np.inf)
    for group in set(groups.tolist()):
        rows = np.flatnonzero(groups == group)
        if len(rows) >= ESTABLISHED:
            among = odds[np.ix_(rows, rows)]
            within[group] = (among.sum() - among.trace()) / (among.size - len(rows))
    return np.asarray(value < TELLING * np.minimum.outer(within, within))


def _is_one_more(size: float, other: float) -> bool:
    """Whether of two groups of so many strips one is established and the other a single strip."""
    return min(size, other) == 1 and max(size, other) >= ESTABLISHED


def _next_pair(value: Matrix, sizes: Matrix, left: int, most: int | None) -> tuple[int, int] | None:
    """Which two groups are to become one next, None where no two are alike enough.

    Where more groups than decks are left, the pair by which least is lost: a strip that was seen badly is like nothing, and
    rather belongs to some group than that two large groups are one because they look somewhat alike.
    """
    ranks, least = [value], SAME_DECK
    if most is not None and left > most:
        weight = np.sqrt(np.outer(sizes, sizes) / np.add.outer(sizes, sizes))
        ranks, least = [(value - LIKELY) * weight, value], ALIKE
    for rank in ranks:
        i, j = divmod(int(rank.argmax()), len(value))
        if value[i, j] >= least:
            return i, j
    return None


def _nearness(odds: Matrix, groups: Labels, twice: Matrix) -> Matrix:
    """(n, groups) mean odds of each strip with the other strips of each group, less what equal faces there speak against it.

    A strip alone in its group is as near to it as a strip must be to be one of a group.
    """
    member = np.eye(groups.max() + 1)[groups]
    others = member.sum(axis=0) - member
    near = np.where(others > 0, (odds @ member) / np.maximum(others, 1), SAME_DECK)
    return np.asarray(near - TWICE * (twice @ member), np.float64)


def _settled(odds: Matrix, groups: Labels, twice: Matrix) -> Labels:
    """Move strips, one at a time, to the group they are nearest to."""
    groups = groups.copy()
    for _ in range(len(groups)):
        near = _nearness(odds, groups, twice)
        gain = near.max(axis=1) - near[np.arange(len(groups)), groups]
        # A group keeps its last strip: it may be a deck of which one card was played.
        gain[np.bincount(groups)[groups] == 1] = 0
        strip = int(gain.argmax())
        if gain[strip] <= 0:
            break
        groups[strip] = near[strip].argmax()
    return groups


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9))


def _names(centres: Floats, sizes: Labels, book: DeckBook) -> list[str]:
    known = book.assign(centres, SAME_BACK)
    fresh = iter(f"deck-{n}" for n in range(1, len(centres) + 1))
    names: Sequence[int] = sorted(range(len(centres)), key=lambda g: -int(sizes[g]))
    given = {g: known.get(g) or next(fresh) for g in names}
    return [given[g] for g in range(len(centres))]
