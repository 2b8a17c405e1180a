"""A second look at the backs: the faces' count settles what the line left open, equal faces are of different decks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from scorer.piles import Pile
from scorer.reading import PhotoReading
from scorer.vision import looking
from scorer.vision.backs import STRIP, BackPhoto
from scorer.vision.faces import FaceReading
from scorer.vision.looking import Seen, photo_readings
from scorer.vision.owners import Owners
from scorer.vision.photo import Photo
from scorer.vision.rounds import join_round
from scorer.vision.rows import BackRibbon, Edge
from scorer.vision.second_look import equal_faces, looked_again
from tests.vision.test_rounds import PLACES, faces_of


@pytest.fixture(autouse=True)
def one_look_for_all(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(looking, "cut_strips", lambda _picture, ribbon: looks(len(ribbon.edges)))
    yield


def looks(count: int) -> np.ndarray:
    return np.zeros((count, *STRIP, 4), np.uint8)


NO_PICTURE = Photo("photo.jpg", np.zeros((9, 9, 3), np.uint8))
NO_FACES, NO_BACKS = FaceReading((), (), ()), BackPhoto((), ())


def face_photo(*piles: Pile) -> Seen:
    cards = [faces_of(pile, *place) for pile, place in zip(piles, PLACES, strict=False)]
    numbers = iter(range(99))
    ordered = tuple(tuple(next(numbers) for _ in pile) for pile in cards)
    shown = tuple(card for pile in cards for card in pile)
    return Seen(NO_PICTURE, FaceReading(shown, ordered, (looking.Faults(0),) * len(cards)), NO_BACKS, 0.0)


def ribbon(x: float, y: float, *scores: float, faint: float | None = None, pitch: float = 40.0) -> BackRibbon:
    """Edges of these scores, as far apart as the cards of `faces_of`, and a faint one between the first two."""

    def edge(n: float, score: float) -> Edge:
        return Edge(np.array([x + pitch * n, y + 140]), np.array([x + pitch * n, y]), (0, 1), score)

    edges = tuple(edge(n, score) for n, score in enumerate(scores))
    others = () if faint is None else (edge(0.5, faint),)
    return BackRibbon(edges, np.array([1.0, 0.0]), 100.0, (len(edges), len(edges)), others)


def back_photo(*ribbons: BackRibbon) -> Seen:
    strips = tuple(looks(len(r.edges)) for r in ribbons)
    return Seen(NO_PICTURE, NO_FACES, BackPhoto(ribbons, strips), 0.0)


def readings(seen: list[Seen], *, plain: bool = False) -> list[PhotoReading]:
    count = sum(len(r.edges) for photo in seen for r in photo.backs.ribbons)
    return photo_readings(seen, Owners(("deck-1",) * count, np.ones(count, bool), np.full(count, plain)))


def counts(seen: list[Seen]) -> list[list[int]]:
    return [[len(r.edges) for r in photo.backs.ribbons] for photo in seen]


def test_a_faint_edge_counts_where_the_faces_demand_it() -> None:
    photos = [
        face_photo(Pile.parse("h:3"), Pile.parse("s:2")),
        back_photo(
            ribbon(*PLACES[0], 0.9, 0.9, faint=0.2, pitch=80), ribbon(*PLACES[1], 0.9, 0.9, faint=0.2)
        ),
    ]
    again = looked_again(photos, join_round(readings(photos)))
    assert counts(again) == [[], [3, 2]]
    assert [len(strips) for strips in again[1].backs.strips] == [3, 2]


def test_a_weak_edge_is_dropped_where_the_faces_demand_it() -> None:
    photos = [back_photo(ribbon(*PLACES[0], 0.9, 0.55, 0.9, pitch=20)), face_photo(Pile.parse("h:2"))]
    assert counts(looked_again(photos, join_round(readings(photos)))) == [[2], []]


def test_faces_that_are_no_foundation_decide_nothing() -> None:
    photos = [face_photo(Pile.parse("AH 2S 3H")), back_photo(ribbon(*PLACES[0], 0.9, 0.9, faint=0.2))]
    assert counts(looked_again(photos, join_round(readings(photos)))) == [[], [2]]


def test_a_pile_with_a_gap_on_both_sides_is_not_made_whole() -> None:
    photos = [face_photo(Pile.parse("AH 2H 4H")), back_photo(ribbon(*PLACES[0], 0.9, 0.9, 0.9, faint=0.2))]
    assert counts(looked_again(photos, join_round(readings(photos)))) == [[], [3]]


def test_strips_of_equal_faces_are_told() -> None:
    photos = [
        face_photo(Pile.parse("h:3"), Pile.parse("h:2")),
        back_photo(ribbon(*PLACES[1], 0.9, 0.9), ribbon(*PLACES[0], 0.9, 0.9, 0.9)),
    ]
    # Of the first ribbon strips 0 and 1 are two and ace, of the second 2 to 4 are three, two, ace.
    assert sorted(map(sorted, equal_faces(photos, join_round(readings(photos))))) == [[0, 3], [1, 4]]


def test_an_edge_is_plain_where_the_faces_count_as_many_cards() -> None:
    def bare(*edges: float) -> BackRibbon:
        weak = ribbon(*PLACES[0], *edges)
        return replace(weak, edges=tuple(replace(e, corners=()) for e in weak.edges))

    def marked(*edges: float, plain: bool = False) -> list[bool]:
        photos = [face_photo(Pile.parse("h:2")), back_photo(bare(*edges))]
        again = looked_again(photos, join_round(readings(photos)))
        return [card.marked for card in readings(again, plain=plain)[1].cards]

    assert marked(0.9, 0.6) == [False, False]
    # Even less will do for a strip that is plainly of its deck.
    assert marked(0.9, 0.4, plain=True) == [False, False]
    # Too weak an edge stays a doubt, and so does one that nothing was counted against.
    assert marked(0.9, 0.4) == [False, True]
    assert [card.marked for card in readings([back_photo(bare(0.9, 0.6))])[0].cards] == [False, True]


def test_hardly_a_corner_where_no_faces_are_is_no_card() -> None:
    def piles(corners: tuple[int, ...]) -> list[list[int]]:
        (edge,) = ribbon(3000, 3000, 0.9).edges
        stray = replace(ribbon(3000, 3000, 0.9), edges=(replace(edge, corners=corners),))
        photos = [face_photo(Pile.parse("h:2")), back_photo(ribbon(*PLACES[0], 0.9, 0.9), stray)]
        return counts(looked_again(photos, join_round(readings(photos))))

    assert piles((5,)) == [[], [2]]
    # Both corners of an edge are a card, whose face was overlooked.
    assert piles((5, 6)) == [[], [2, 1]]


def test_a_ribbon_much_shorter_than_its_faces_is_a_doubt_though_the_counts_agree() -> None:
    def marked(pitch: float) -> list[bool]:
        backs = back_photo(ribbon(*PLACES[0], 0.9, 0.9, 0.9, pitch=pitch))
        photos = [face_photo(Pile.parse("h:3")), backs]
        again = looked_again(photos, join_round(readings(photos)))
        return [card.marked for card in readings(again)[1].cards]

    assert not any(marked(40)) and not any(marked(48)) and not any(marked(32))
    # Cards were overlooked at its end, and false edges found between the others.
    assert all(marked(20))
