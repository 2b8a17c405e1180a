"""Groups of equal backs: strips that look alike, as many groups as decks are known to be on the table.

That a deck has every card only once tells apart what looks alike: two cards with the same face have two owners.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Labels = NDArray[np.int64]

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
PRINT = 10.0
"""By how much a strip is less a deck's for every 1.0 by which its print fits less there than on another deck that it is like.

Of 270 rendered rounds four more were right than without it, in five more the owners were, and none was silently wrong; 15 and 20
did no better.
"""
TWICE = 4.0
"""By how much a strip must be likelier a deck's if the same face lies in it already: faces are misread too."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of every two strips; (strips, strips) each and symmetric."""

    odds: Matrix
    """Logarithm of the odds that both are of one deck."""
    twice: Matrix
    """1 where both lie on equal faces, else 0."""
    prints: Matrix | None = None
    """Correlation of their prints where they fit best; None where they were not compared."""

    def nearness(self, groups: Labels) -> Matrix:
        """(n, groups) mean odds of each strip with the other strips of each group, less what speaks against it.

        That is an equal face there, and a print that fits less on theirs than on those of another group that the strip is
        like: decks of the same colours are told apart by their patterns. A strip alone in its group is as near to it as a
        strip must be to be one of a group.
        """
        member = np.eye(groups.max() + 1)[groups]
        others = member.sum(axis=0) - member
        near = np.where(others > 0, (self.odds @ member) / np.maximum(others, 1), SAME_DECK)
        near = np.asarray(near - TWICE * (self.twice @ member), np.float64)
        if self.prints is None:
            return near
        return near - PRINT * _misprinted(self.prints, groups, near > SAME_DECK)


def equal_cards(count: int, apart: Sequence[tuple[int, int]]) -> Matrix:
    """(n, n) 1 where two strips lie on equal faces."""
    matrix = np.zeros((count, count))
    for i, j in apart:
        matrix[i, j] = matrix[j, i] = 1
    return matrix


@dataclass(frozen=True, slots=True)
class Grouping:
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


def grouped(evidence: Evidence, most: int | None) -> Grouping:
    """Group equal backs by average linkage; about as many groups as decks are known to be on the table.

    Two groups that have several faces in common are two decks, however alike they look.
    """
    count = len(evidence.odds)
    similar, shared = evidence.odds.copy(), evidence.twice.copy()
    sizes, groups = np.ones(count), np.arange(count)
    weakest, nearest, most_alike = np.inf, -np.inf, -np.inf
    for left in range(count, 1, -1):
        alike = similar / np.outer(sizes, sizes)
        np.fill_diagonal(alike, -np.inf)
        value = alike - TWICE * shared / np.sqrt(np.minimum.outer(sizes, sizes))
        are_two = most is not None and left <= most and _look_like_two(evidence.odds, groups, value)
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
    return Grouping(groups, weakest, nearest, most_alike)


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


def _misprinted(prints: Matrix, groups: Labels, like: NDArray[np.bool_]) -> Matrix:
    """(n, groups) by how much less a strip's print fits on those of each group than on those of the group it fits best.

    Only between established groups that the strip is like (n, groups); elsewhere 0.
    """
    others = np.where(np.eye(len(prints), dtype=bool), np.nan, prints)
    fits = np.full(like.shape, -np.inf)
    for group in np.flatnonzero(np.bincount(groups) >= ESTABLISHED):
        fits[:, group] = np.nanmedian(others[:, groups == group], axis=1)
    fits[~like] = -np.inf
    best = fits.max(axis=1, keepdims=True)
    return np.where(np.isfinite(fits), np.where(np.isfinite(best), best, 0.0) - fits, 0.0)


def settled(evidence: Evidence, groups: Labels) -> Labels:
    """Move strips, one at a time, to the group they are nearest to."""
    groups = groups.copy()
    for _ in range(len(groups)):
        near = evidence.nearness(groups)
        gain = near.max(axis=1) - near[np.arange(len(groups)), groups]
        # A group keeps its last strip: it may be a deck of which one card was played.
        gain[np.bincount(groups)[groups] == 1] = 0
        strip = int(gain.argmax())
        if gain[strip] <= 0:
            break
        groups[strip] = near[strip].argmax()
    return groups
