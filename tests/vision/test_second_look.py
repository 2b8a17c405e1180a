"""A second look at the backs: how the faces lie settles what the line left open, equal faces are of different decks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

from scorer.piles import Pile
from scorer.reading import PhotoReading, SeenCard
from scorer.vision import guided, looking, second_look
from scorer.vision.backs import STRIP, BackPhoto
from scorer.vision.faces import FaceReading
from scorer.vision.lines import CARDS, EDGE, END, FIRST, HEIGHT, LENGTH, Line
from scorer.vision.looking import Seen, edges_known, photo_readings
from scorer.vision.owners import Owners
from scorer.vision.photo import Photo
from scorer.vision.rounds import join_round
from scorer.vision.rows import BackRibbon, Edge
from scorer.vision.second_look import equal_faces, looked_again
from tests.vision.test_rounds import PLACES, faces_of

TABLE: list[BackRibbon] = []
"""The ribbons that lie in the photo of the backs: lines through them show their edges, the faint ones among them."""


@pytest.fixture(autouse=True)
def no_networks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(looking, "cut_strips", lambda _picture, ribbon: looks(len(ribbon.edges)))
    for module in (second_look, guided):
        monkeypatch.setattr(module, "read_lines", lambda _photo, lines, _network: list(map(shown, lines)))
    yield
    TABLE.clear()


def shown(line: Line) -> np.ndarray:
    """What a perfect network says of a line over the table."""
    answer = np.full((4, LENGTH), 0.002, np.float32)
    for lying in TABLE:
        edges = sorted([*lying.edges, *lying.faint], key=lambda e: float(e.start @ line.axis))
        places = line.to_line(np.array([(e.start + e.end) / 2 for e in edges]))
        if lying.axis @ line.axis < 0.9 or np.abs(places[:, 1] - HEIGHT / 2).max() > 8:
            continue
        columns = np.round(places[:, 0]).astype(int)
        end = int(columns[-1] + lying.width * line.scale)
        if columns[0] < 0 or end >= LENGTH:
            continue
        answer[EDGE, columns] = [e.score for e in edges]
        answer[FIRST, columns[0]] = answer[END, end] = 0.95
        answer[CARDS, columns[0] : end + 1] = 0.99
    return answer


def looks(count: int) -> np.ndarray:
    return np.zeros((count, *STRIP, 4), np.uint8)


NO_PICTURE = Photo("photo.jpg", np.zeros((9, 9, 3), np.uint8))
NO_FACES, NO_BACKS = FaceReading((), (), ()), BackPhoto((), ())


def with_index(card: SeenCard) -> SeenCard:
    """The card with the index in its upper left corner seen, 10 pixels from its edges."""
    assert card.quad
    return replace(card, corners=((card.quad[0][0] + 10, card.quad[0][1] + 10),))


def face_photo(*piles: Pile) -> Seen:
    cards = [
        [with_index(card) for card in faces_of(pile, *place)]
        for pile, place in zip(piles, PLACES, strict=False)
    ]
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


def with_one_corner(ribbon: BackRibbon, hanging: Sequence[int]) -> BackRibbon:
    """The ribbon of which some edges hang on a single corner."""
    edges = [replace(e, corners=e.corners[:1]) if n in hanging else e for n, e in enumerate(ribbon.edges)]
    return replace(ribbon, edges=tuple(edges))


def back_photo(*ribbons: BackRibbon) -> Seen:
    TABLE[:] = ribbons
    strips = tuple(looks(len(r.edges)) for r in ribbons)
    return Seen(NO_PICTURE, NO_FACES, BackPhoto(ribbons, strips), 0.0)


def readings(seen: list[Seen], *, plain: bool = False, just_like: bool = False) -> list[PhotoReading]:
    count = sum(len(r.edges) for photo in seen for r in photo.backs.ribbons)
    sure, plainly, like = (np.full(count, value) for value in (True, plain, just_like))
    return photo_readings(seen, Owners(("deck-1",) * count, sure, plainly, like))


def counts(seen: list[Seen]) -> list[list[int]]:
    return [[len(r.edges) for r in photo.backs.ribbons] for photo in seen]


def looked(*photos: Seen) -> list[list[int]]:
    return counts(looked_again(photos, join_round(readings(list(photos)))))


def test_a_faint_edge_counts_where_a_face_tells_of_it() -> None:
    photos = [
        face_photo(Pile.parse("h:3"), Pile.parse("s:2")),
        back_photo(
            ribbon(*PLACES[0], 0.9, 0.9, faint=0.2, pitch=80), ribbon(*PLACES[1], 0.9, 0.9, faint=0.2)
        ),
    ]
    again = looked_again(photos, join_round(readings(photos)))
    assert counts(again) == [[], [3, 2]]
    assert [len(strips) for strips in again[1].backs.strips] == [3, 2]


def test_an_edge_between_two_backs_of_which_no_face_tells_is_dropped() -> None:
    backs = back_photo(ribbon(*PLACES[0], 0.9, 0.55, 0.9, pitch=20))
    assert looked(face_photo(Pile.parse("h:2")), backs) == [[], [2]]


def test_a_plain_edge_where_a_card_has_room_is_kept_though_the_faces_count_fewer() -> None:
    """The king's face was overlooked: its back must not be made to agree."""
    backs = back_photo(ribbon(*PLACES[0], 0.8, 0.9, 0.9, 0.9))
    assert looked(face_photo(Pile.parse("h:3")), backs) == [[], [4]]


def test_a_card_under_the_only_face_that_was_seen_is_kept() -> None:
    backs = back_photo(ribbon(*PLACES[0], 0.9, 0.9))
    assert looked(face_photo(Pile.parse("AH")), backs) == [[], [2]]


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

    def marked(*edges: float, plain: bool = False, just_like: bool = False) -> list[bool]:
        photos = [face_photo(Pile.parse("h:2")), back_photo(bare(*edges))]
        again = looked_again(photos, join_round(readings(photos)))
        return [card.marked for card in readings(again, plain=plain, just_like=just_like)[1].cards]

    assert marked(0.9, 0.6) == [False, False]
    # Even less will do for a strip that is plainly of its deck.
    assert marked(0.9, 0.4, plain=True) == [False, False]
    # An edge that hardly shows stays a doubt, and so does one that nothing was counted against.
    assert marked(0.9, 0.02) == [False, True]
    assert marked(0.9, 0.08, plain=True) == [False, True]
    # But a strip just like the others of its deck shows that a card begins where the faces tell.
    assert marked(0.9, 0.08, plain=True, just_like=True) == [False, False]
    alone = readings([back_photo(bare(0.9, 0.28))], plain=True, just_like=True)
    assert [card.marked for card in alone[0].cards] == [False, True]
    assert [card.marked for card in readings([back_photo(bare(0.9, 0.6))])[0].cards] == [False, True]


def test_within_a_print_an_edge_of_which_no_face_tells_is_a_doubt_however_plain_its_strip() -> None:
    def marked(*decks: str) -> list[bool]:
        weak = ribbon(*PLACES[0], 0.9, 0.6)
        seen = back_photo(replace(weak, edges=tuple(replace(e, corners=()) for e in weak.edges)))
        all_true = np.ones(2, bool)
        (reading,) = photo_readings([seen], Owners(decks, all_true, all_true, all_true))
        return [card.marked for card in reading.cards]

    assert marked("red", "red") == [False, True]
    assert marked("red", "blue") == [False, False]


def test_an_edge_is_told_where_the_faces_confirm_it_and_it_is_seen_and_firm_with_a_corner_at_both_ends() -> (
    None
):
    seen = ribbon(*PLACES[0], 0.9, 0.5, 0.9, 0.4, 0.6)
    first, second, third, fourth, fifth = seen.edges
    bare = [replace(edge, corners=()) for edge in (fourth, fifth)]
    seen = replace(seen, edges=(first, second, replace(third, corners=(0,)), *bare))
    confirmed = replace(seen, confirmed=True)
    known = edges_known([back_photo(seen, confirmed)])
    assert known.told.tolist() == [False] * 5 + [True, True, True, False, True]
    assert known.firm.tolist() == [False] * 5 + [True, True, False, False, False]
    assert len(edges_known([]).told) == 0


def test_hardly_a_corner_where_no_faces_are_is_no_card() -> None:
    def piles(corners: tuple[int, ...]) -> list[list[int]]:
        (edge,) = ribbon(3000, 3000, 0.9).edges
        stray = replace(ribbon(3000, 3000, 0.9), edges=(replace(edge, corners=corners),))
        photos = [face_photo(Pile.parse("h:2")), back_photo(ribbon(*PLACES[0], 0.9, 0.9), stray)]
        return counts(looked_again(photos, join_round(readings(photos))))

    assert piles((5,)) == [[], [2]]
    # Both corners of an edge are a card, whose face was overlooked.
    assert piles((5, 6)) == [[], [2, 1]]


def test_what_has_not_a_cards_size_where_no_faces_are_is_no_card() -> None:
    piles = [Pile.parse(text) for text in ("h:2", "s:3", "c:4", "d:5")]
    lying = [ribbon(*place, *[0.9] * len(pile)) for place, pile in zip(PLACES, piles, strict=False)]
    card = ribbon(PLACES[0][0], 1700, 0.9)
    page = replace(card, width=140.0)

    def read(stray: BackRibbon) -> list[list[int]]:
        return looked(face_photo(*piles), back_photo(*lying, stray))

    # The photo of the backs alone shows it: its face may have been overlooked.
    assert read(card) == [[], [2, 3, 4, 5, 1]]
    assert read(page) == [[], [2, 3, 4, 5]]


def test_a_ribbon_read_on_into_the_next_pile_is_cut_where_the_faces_end() -> None:
    piles = [Pile.parse(text) for text in ("h:3", "s:3", "c:4", "d:5", "h:6", "s:7")]
    lying = [ribbon(*place, *[0.9] * len(pile)) for place, pile in zip(PLACES, piles, strict=False)]
    photos = [face_photo(*piles), back_photo(*lying)]
    through = replace(lying[0], edges=(*lying[0].edges, *lying[1].edges), counts=(6, 6))
    photos[1] = replace(photos[1], backs=BackPhoto((through, *lying[2:]), tuple(map(looks, (6, 4, 5, 6, 7)))))
    assert sorted(looked(*photos)[1]) == [3, 3, 4, 5, 6, 7]


def test_a_ribbon_taken_for_one_that_runs_the_other_way_is_turned() -> None:
    """At first sight its top card's outer edge, the only one with corners, was taken for that of its lowest."""
    piles = [Pile.parse(text) for text in ("h:5", "s:3", "AC")]
    lying = [ribbon(*place, *[0.9] * len(pile)) for place, pile in zip(PLACES, piles, strict=False)]
    photos = [face_photo(*piles), back_photo(*lying)]
    right, across = lying[0], np.array([100.0, 0.0])
    bare = [replace(e, corners=()) for e in right.edges]
    TABLE[0] = replace(right, edges=tuple(bare))
    # What the line shows from its other end is less plain, but it is what the faces tell.
    edges = [replace(e, start=e.end + across, end=e.start + across, score=0.8) for e in reversed(bare)]
    wrong = replace(right, edges=tuple(edges), axis=-right.axis)
    TABLE.append(wrong)
    photos[1] = replace(photos[1], backs=BackPhoto((wrong, *lying[1:]), photos[1].backs.strips))
    again = looked_again(photos, join_round(readings(photos)))[1].backs.ribbons
    turned = next(r for r in again if np.hypot(*(r.middle - right.middle)) < 20)
    assert turned.axis == pytest.approx(right.axis) and turned.confirmed
    assert turned.starts == pytest.approx(right.starts, abs=6)


def test_a_card_alone_read_along_its_long_side_is_no_pile() -> None:
    piles = [Pile.parse(text) for text in ("h:2", "s:2", "c:2", "d:2", "AS")]
    lying = [ribbon(*place, *[0.9] * len(pile)) for place, pile in zip(PLACES, piles, strict=False)]
    photos = [face_photo(*piles), back_photo(*lying)]
    # It runs towards the viewer: from the card's far edge, which is 100 pixels wide, to a line of its pattern.
    x, y = PLACES[4]
    edges = [Edge(np.array([x, y + n]), np.array([x + 100, y + n]), (0, 1), 0.9) for n in (0, 70)]
    lengthwise = BackRibbon(tuple(edges), np.array([0.0, 1.0]), 70.0, (2, 2))
    TABLE.append(lengthwise)
    photos[1] = replace(
        photos[1], backs=BackPhoto((*lying[:4], lengthwise), tuple(map(looks, (2, 2, 2, 2, 2))))
    )
    again = looked_again(photos, join_round(readings(photos)))
    assert counts(again) == [[], [2, 2, 2, 2, 1]]
    assert again[1].backs.ribbons[4].middle == pytest.approx(lying[4].middle, abs=12)


def test_a_ribbon_much_shorter_than_its_faces_is_a_doubt_though_the_counts_agree() -> None:
    def marked(pitch: float, hanging: Sequence[int] = (1,)) -> list[bool]:
        backs = back_photo(with_one_corner(ribbon(*PLACES[0], 0.9, 0.9, 0.9, pitch=pitch), hanging))
        photos = [face_photo(Pile.parse("h:3")), backs]
        again = looked_again(photos, join_round(readings(photos)))
        return [card.marked for card in readings(again)[1].cards]

    assert not any(marked(40)) and not any(marked(48)) and not any(marked(32))
    # Cards were overlooked at its end, and false edges found between the others.
    assert all(marked(20))
    # A pile spread anew: every edge stands on two corners.
    assert not any(marked(20, hanging=()))


def test_a_slanted_camera_stretches_all_ribbons_alike() -> None:
    piles = [Pile.parse(text) for text in ("h:5", "s:5", "c:5", "d:5")]

    def marked(pitches: tuple[int, ...]) -> list[bool]:
        lying = [
            with_one_corner(ribbon(*place, *[0.9] * 5, pitch=p), [2])
            for place, p in zip(PLACES, pitches, strict=False)
        ]
        photos = [face_photo(*piles), back_photo(*lying)]
        again = looked_again(photos, join_round(readings(photos)))
        return [card.marked for card in readings(again)[1].cards]

    assert not any(marked((48, 48, 48, 48)))
    # One that is stretched alone was misread.
    assert sum(marked((40, 40, 40, 53))) == 5
