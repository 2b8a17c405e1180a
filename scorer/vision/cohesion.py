"""Cohesion: whether groups of backs are one deck each.

A group that hides two decks falls apart into two parts that are far less alike than either is in itself; and the halves of a
deck that was taken for two are hardly less alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from scorer.vision.grouping import Evidence

Matrix = NDArray[np.float64]
Labels = NDArray[np.int64]
Strips = list[int]

OF_ONE_PIECE = 0.6
"""Share of what either part of a group has in itself above which its parts are one deck's.

Of 350 rendered rounds eleven groups hid a second deck of which two cards or more were seen. For nine of them the share was 0.38
or less, for the others 0.76 and 0.91; in those rounds another group, or the likeness of two, told it. Of 1196 groups that hid none
1117 had more.
"""
APART = 0.5
"""The same of two groups, below which they are two decks ..."""
NOTHING_IN_COMMON = -0.5
"""... if equal faces lie in both, or their strips have less than these odds: the halves of a deck, in light and in shadow, have no
face in common. In one of 410 rendered rounds, where somebody had played no card, they had odds of 2.5, 0.6 of those within."""
AHEAD = 2.5
"""By how much the parts of a group are more alike than either is like any other group, for a deck in light and in shadow to be one
all the same, where no face lies in both ..."""
SURELY_TWO = -2.0
"""... and each two groups have less than these odds, or equal faces: so none of the decks on the table can hide in another's group.

Of 190 decks of rendered rounds none had parts with less than -1.0 between them.
"""
LEAST_PARTED = 4
"""Strips of a group that can be parted into twos: what a single strip is, is its own doubt."""
ALIKE_AT_ALL = 1.0
"""Mean odds of the strips of a group with one another below which nothing shows that it is one."""


def are_one_deck_each(evidence: Evidence, groups: Labels) -> bool:
    """Whether no group of strips (strips,) seems to hide two decks, and no two groups seem to be one."""
    members = [np.flatnonzero(groups == group).tolist() for group in range(groups.max() + 1)]
    if any(len(group) > 1 and _within(evidence.odds, group) < ALIKE_AT_ALL for group in members):
        return False
    pairs = list(combinations(members, 2))
    if not all(_are_two(evidence, a, b) for a, b in pairs):
        return False
    broken = [(group, parts) for group in members if (parts := _broken(evidence.odds, group)) is not None]
    if broken and not all(_are_surely_two(evidence, a, b) for a, b in pairs):
        return False
    return all(_is_ahead(evidence, parts, [m for m in members if m is not group]) for group, parts in broken)


def _are_two(evidence: Evidence, a: Strips, b: Strips) -> bool:
    """Whether two groups are two decks."""
    told = evidence.twice[np.ix_(a, b)].any() or evidence.odds[np.ix_(a, b)].mean() < NOTHING_IN_COMMON
    return bool(told) and _share(evidence.odds, a, b) < APART


def _are_surely_two(evidence: Evidence, a: Strips, b: Strips) -> bool:
    return bool(evidence.twice[np.ix_(a, b)].any() or evidence.odds[np.ix_(a, b)].mean() < SURELY_TWO)


def _broken(odds: Matrix, group: Strips) -> tuple[Strips, Strips] | None:
    """The two parts of which a group consists, single strips left out, if they are less alike than one deck's."""
    while len(group) >= LEAST_PARTED:
        a, b = _parted(odds, group)
        if min(len(a), len(b)) > 1:
            return (a, b) if _share(odds, a, b) <= OF_ONE_PIECE else None
        group = max(a, b, key=len)
    return None


def _is_ahead(evidence: Evidence, parts: tuple[Strips, Strips], others: Sequence[Strips]) -> bool:
    """Whether two parts without equal faces are far more alike than either is like any other group."""
    between, odds = np.ix_(*parts), evidence.odds
    nearest = max((float(odds[np.ix_(part, m)].mean()) for part in parts for m in others), default=-np.inf)
    return not evidence.twice[between].any() and float(odds[between].mean()) - nearest > AHEAD


def _parted(odds: Matrix, group: Strips) -> tuple[Strips, Strips]:
    """The two parts of a group that average linkage joins last."""
    parts = [[strip] for strip in group]
    alike = odds[np.ix_(group, group)].astype(np.float64)
    np.fill_diagonal(alike, -np.inf)
    while len(parts) > 2:
        i, j = sorted(divmod(int(alike.argmax()), len(parts)))
        sizes = len(parts[i]), len(parts[j])
        alike[i] = alike[:, i] = (alike[i] * sizes[0] + alike[j] * sizes[1]) / sum(sizes)
        alike[i, i] = -np.inf
        alike = np.delete(np.delete(alike, j, 0), j, 1)
        parts[i] += parts.pop(j)
    return parts[0], parts[1]


def _share(odds: Matrix, a: Strips, b: Strips) -> float:
    """How alike two groups are, as a share of what the less alike one is in itself."""
    within = min((_within(odds, group) for group in (a, b) if len(group) > 1), default=ALIKE_AT_ALL)
    return float(odds[np.ix_(a, b)].mean()) / max(within, ALIKE_AT_ALL)


def _within(odds: Matrix, group: Strips) -> float:
    """Mean odds of the strips of a group with one another."""
    among = odds[np.ix_(group, group)]
    return float((among.sum() - among.trace()) / (among.size - len(group)))
