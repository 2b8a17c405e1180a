"""Strips cut again: where an edge was found a little off, its strip shows something of another card, and is like no deck enough.

Such a strip is cut anew along edges a little turned and moved. Of these cuts one may be just like one deck, and none like another.
Only where it is known that a card begins there, and which decks are on the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from scorer.vision.backs import cut_strip
from scorer.vision.growing import ASPECT
from scorer.vision.likeness import CLASSES as PAIR_CLASSES
from scorer.vision.likeness import likeness
from scorer.vision.looking import Seen
from scorer.vision.models import network
from scorer.vision.owners import CERTAIN, Owners
from scorer.vision.rows import BackRibbon, Edge

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]

LEANS = (-0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3)
"""By how much a cut is turned, as a share of the edge's length by which its end lies ahead of its start."""
MOVES = (-0.1, 0.0, 0.1)
"""By how much it is moved inwards, in card widths."""
LIKE, LEAD = 3.0, 5.0
"""Least odds of the best cut with a deck's strips, and least lead over the best one of any other deck, for it to be sure.

Of 87 strips in doubt, of 240 rendered rounds, 18 are so, and all are their decks'; of the others that led by more than 3 four in
25 were not, and led by 4.0 at most.
"""
MOST = 6
"""Strips of a round that are cut again: where more are in doubt, somebody has to look anyway."""
COMPARED = 8
"""Strips of each deck that they are compared with."""


def with_new_cuts(seen: Sequence[Seen], named: Owners, told: NDArray[np.bool_], decks: int | None) -> Owners:
    """The owners, with those strips sure, and given to the deck they are like, that are when they are cut again.

    Args:
        seen: photos of the round.
        named: whose the strips of all photos are.
        told: (strips,) whether it is known that a card begins at their edges.
        decks: how many are on the table, if that is known.
    """
    names, sure = np.array(named.names), named.sure.copy()
    doubtful = np.flatnonzero(told & ~sure)
    if not named.is_clear or len(set(named.names)) != decks or not 0 < len(doubtful) <= MOST:
        return named
    edges = [(s, ribbon, n) for s in seen for ribbon in s.backs.ribbons for n in range(len(ribbon.edges))]
    strips = np.concatenate([part for s in seen for part in s.backs.strips])
    samples = {name: _samples(named, name) for name in set(named.names)}
    for strip in doubtful:
        photo, ribbon, number = edges[strip]
        cuts = _cuts(photo.photo.pixels, ribbon, number)
        like = {name: _like(cuts, strips[rows[rows != strip]]) for name, rows in samples.items()}
        best, second = sorted(like, key=lambda name: -like[name])[:2] if len(like) > 1 else (None, None)
        if best and second and like[best] > LIKE and like[best] - like[second] > LEAD:
            names[strip], sure[strip] = best, True
    return replace(named, names=tuple(names.tolist()), sure=sure)


def _samples(named: Owners, name: str) -> NDArray[np.int64]:
    """Some strips of a deck, by their numbers: the surest of them."""
    rows = np.flatnonzero(np.array(named.names) == name)
    return rows[np.argsort(-(named.sure[rows] + 1.0 * named.just_like[rows]), kind="stable")][:COMPARED]


def _cuts(picture: Image, ribbon: BackRibbon, number: int) -> Image:
    """(cuts, 96, 48, 4) the strip at an edge of a ribbon cut in all ways."""
    edge, above = ribbon.edges[number], ribbon.edges[number + 1 : number + 2]
    ends = _ends(above[0]) if above else None
    return np.stack([cut_strip(picture, _ends(_moved(edge, *way)), ends) for way in product(LEANS, MOVES)])


def _moved(edge: Edge, lean: float, move: float) -> Edge:
    along = edge.end - edge.start
    inward = np.array([-along[1], along[0]])
    turn, shift = inward * lean / 2, inward * move / ASPECT
    return replace(edge, start=edge.start - turn + shift, end=edge.end + turn + shift)


def _ends(edge: Edge) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    return edge.start.astype(np.float32), edge.end.astype(np.float32)


def _like(cuts: Image, strips: Image) -> float:
    """Mean odds of the best of some cuts with the strips of a deck."""
    if not len(strips):
        return -CERTAIN
    odds = likeness(np.concatenate([cuts, strips]), network("pairs", PAIR_CLASSES)).odds
    return float(np.clip(odds[: len(cuts), len(cuts) :], -CERTAIN, CERTAIN).mean(axis=1).max())
