"""Owners: whose card each strip of a back is, and how sure that is. Groups of equal backs are held against known decks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scorer.vision.cohesion import are_one_deck_each
from scorer.vision.decks import DeckBook
from scorer.vision.grouping import CLEARLY_ONE, SAME_DECK, Evidence, equal_cards, grouped, settled

Floats = NDArray[np.float32]
Matrix = NDArray[np.float64]
Labels = NDArray[np.int64]

SAME_BACK = 0.62
"""Least similarity (cosine) of a group's mean embedding to that of a deck taught before for the group to be its."""
CERTAIN = 12.0
"""Two strips are for or against one another by no more than this (logarithm of odds): a print that was badly seen must not veto."""
SURE = 1.0
"""A strip is sure to be a deck's where its mean odds with the others of it are above this ..."""
TYPICAL = (0.4, 0.3)
"""... and above this share of what half of the deck's strips have, for an edge that is not firm and for one that is: what is far
less like its deck than they are shows another card, or hardly any ..."""
TYPICAL_OF_SOME = 0.4
"""The same where there may be decks that were not told apart, of which it may be the only card. Of 17855 strips and other decks of
rendered rounds one in 400 had more, and in five of those 120 rounds somebody had played a single card; of strips and their own
decks one in 100 has less."""
LEAD = 3.0
"""... and above those with every other deck's by this. Of 5679 strips of 110 rendered rounds whose groups were one deck each ten
led by less, and two of them were wrong; of 60 that led by 3 to 5 one was, of all others none."""
FAR_AHEAD = 6.0
"""Lead over every other deck that makes up for odds far below what is typical: in 13 such strips of those rounds none was wrong."""
TOLD_AHEAD, LIKE_NOTHING = 5.0, -2.0
"""The same where it is known that a card begins at the edge, since the faces tell of it and it is seen: a card of one of the decks.
What is rather likelier its deck's than not need only lead as usual (34 strips of those rounds), what is rather less likely must
lead by the former (3 strips; none was wrong); what has less than the latter may show anything, and is never sure."""
UNLIKE = -3.5
"""Odds with every other deck below which a card alone is of a deck of its own, if such a deck is known to be on the table. Of 5679
strips of decks with several cards none had less than -3.0; but one of 80 more rounds, in a lamp's glare, had -1.6, where another
player had played no card. Four cards that were alone of their decks had -4.0 to -7.9."""
PLAIN = 5.0
"""Odds, and their lead over every other deck's, above which a strip is plainly a card's of that deck."""
JUST_LIKE, NEARLY_LIKE = 0.75, 0.5
"""Share of what half of a deck's strips have from which one is like them: where there may be other decks it must be plain, too;
where all are known its lead is enough. With 0.75 two more of 190 rendered rounds were right than with 0.9, and none was silently
wrong."""


@dataclass(frozen=True, slots=True)
class EdgesKnown:
    """At which strips' edges it is known that a card begins there; both (strips,)."""

    told: NDArray[np.bool_]
    """The faces tell of it, and it is seen."""
    firm: NDArray[np.bool_]
    """And a corner stands at either of its ends."""

    @classmethod
    def nowhere(cls, count: int) -> EdgesKnown:
        """Of none of so many."""
        return cls(np.zeros(count, bool), np.zeros(count, bool))


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
    edges: EdgesKnown | None = None,
    prints: Matrix | None = None,
) -> Owners:
    """Tell the decks of all strips of a round apart.

    Args:
        odds: (strips, strips) logarithm of the odds that two strips are of one deck, of every photo of the round.
        embeddings: (strips, EMBEDDING) of the same strips, unit length.
        book: decks taught before; a group that matches one takes its name, the others become deck-1, deck-2 ... by size.
        most: number of decks on the table, if known; more groups come out only where the backs are quite unlike.
        apart: pairs of strips on cards with the same face.
        edges: what is known of the strips' edges; by default nothing is.
        prints: (strips, strips) correlation of the prints of two strips where they fit best; by default they are not compared.
    """
    if not len(odds):
        return Owners((), *np.zeros((3, 0), bool))
    known = edges or EdgesKnown.nowhere(len(odds))
    evidence = Evidence(np.clip(odds, -CERTAIN, CERTAIN), equal_cards(len(odds), apart), prints)
    linked = grouped(evidence, most)
    groups = settled(evidence, linked.groups)
    centres = np.stack([_unit(embeddings[groups == g].sum(axis=0)) for g in range(groups.max() + 1)])
    names = _names(centres, np.bincount(groups), book)
    strips = _Standing.of(evidence, groups)
    is_all = most == len(centres)
    sure = strips.sure(known, is_all=is_all) if len(centres) > 1 else strips.own >= SAME_DECK
    is_clear = linked.is_clear(count_known=most is not None, is_all=is_all) or (
        is_all and are_one_deck_each(evidence, groups)
    )
    return Owners(
        tuple(names[g] for g in groups), sure, strips.plain, strips.just_like(is_all=is_all), is_clear
    )


@dataclass(frozen=True, slots=True)
class _Standing:
    """How strips stand to their decks and to the others; (strips,) each."""

    own: Matrix
    """Odds with the own deck."""
    others: Matrix
    """With the nearest other one."""
    typical: Matrix
    """Median of what the strips of the own deck have with it."""
    alone: NDArray[np.bool_]
    """Whether it is the only strip of its deck."""

    @classmethod
    def of(cls, evidence: Evidence, groups: Labels) -> _Standing:
        near, at = evidence.nearness(groups), (np.arange(len(groups)), groups)
        own = near[at]
        near[at] = -np.inf
        medians = np.array([np.median(own[groups == g]) for g in range(groups.max() + 1)])
        return cls(own, near.max(axis=1), medians[groups], np.bincount(groups)[groups] == 1)

    @property
    def lead(self) -> Matrix:
        return self.own - self.others

    @property
    def plain(self) -> NDArray[np.bool_]:
        """A card alone is like nothing: that does not show that it is a card."""
        return (self.own > PLAIN) & (self.lead > PLAIN) & ~self.alone

    def just_like(self, *, is_all: bool) -> NDArray[np.bool_]:
        if not is_all:
            return self.plain & (self.own > JUST_LIKE * self.typical)
        return (self.own > NEARLY_LIKE * self.typical) & (self.lead > PLAIN) & ~self.alone

    def sure(self, edges: EdgesKnown, *, is_all: bool) -> NDArray[np.bool_]:
        """Whether each is sure to be its deck's.

        A card alone may be of a deck of which it is the only one, or one that was seen badly. Where every other deck is
        there without it, it looks like no other because somebody played a single card. Where there may be decks that were
        not told apart, a strip might be of one of these.
        """
        ahead = self.lead > LEAD
        if not is_all:
            return (self.own > np.maximum(CLEARLY_ONE, TYPICAL_OF_SOME * self.typical)) & ahead & ~self.alone
        enough = np.maximum(SURE, np.where(edges.firm, TYPICAL[1], TYPICAL[0]) * self.typical)
        return np.where(
            self.alone, self.others < UNLIKE, (self.own > enough) & ahead | self._is_far_ahead(edges)
        )

    def _is_far_ahead(self, edges: EdgesKnown) -> NDArray[np.bool_]:
        return np.asarray(
            (self.own > SURE) & (self.lead > FAR_AHEAD)
            | edges.told & (self.own > 0) & (self.lead > LEAD)
            | edges.told & (self.own > LIKE_NOTHING) & (self.lead > TOLD_AHEAD)
        )


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9))


def _names(centres: Floats, sizes: Labels, book: DeckBook) -> list[str]:
    known = book.assign(centres, SAME_BACK)
    fresh = iter(f"deck-{n}" for n in range(1, len(centres) + 1))
    names: Sequence[int] = sorted(range(len(centres)), key=lambda g: -int(sizes[g]))
    given = {g: known.get(g) or next(fresh) for g in names}
    return [given[g] for g in range(len(centres))]
