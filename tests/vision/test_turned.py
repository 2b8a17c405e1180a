"""What the faces of a pile tell of its backs: the same gaps in reverse order, unless the line plainly shows otherwise."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.cards import parse_face
from scorer.reading import SeenCard
from scorer.vision.lines import CARDS, EDGE, END, FIRST, LENGTH
from scorer.vision.turned import WIDTH, Explained, Fan, Scale, _plainness, _shown_from, explained, fan_of


def face(name: str, x: float) -> SeenCard:
    """A card 100 wide whose index stands at its left."""
    quad = ((x, 0.0), (x + 100, 0.0), (x + 100, 140.0), (x, 140.0))
    return SeenCard(parse_face(name), corners=((x + 90, 130.0), (x + 10, 10.0)), quad=quad)


def fan(*gaps: float, top: int | None = 1) -> Fan:
    """A fan with gaps from the lowest back to the top one, which is of a rank; the others follow it."""
    ranks = tuple(None if top is None else top + n for n in range(len(gaps) + 1))
    return Fan(np.concatenate([[0.0], np.cumsum(gaps)]), ranks[::-1])


def line(edges: Mapping[float, float], end: float, first: float | None = None) -> np.ndarray:
    """The answer of a network to a ribbon: the probability of an edge at each column, and where the ribbon ends."""
    answer = np.full((4, LENGTH), 0.002, np.float32)
    for column, probability in edges.items():
        answer[EDGE, round(column)] = probability
    first = min(edges) if first is None else first
    answer[FIRST, round(first)] = answer[END, round(end)] = 0.95
    answer[CARDS, round(first) : round(end) + 1] = 0.99
    return answer


def ribbon(of: Fan, *, start: float = 150.0, scale: float = 1.0, edge: float = 0.95) -> dict[float, float]:
    return {float(c): edge for c in start + of.places * WIDTH * scale}


def read(edges: Mapping[float, float], of: Fan) -> Explained:
    shown = explained(line(edges, max(edges) + WIDTH), of, Scale())
    assert shown is not None
    return shown


def test_turned_over_the_gaps_follow_in_reverse_order() -> None:
    turned = fan_of([face("AH", 0), face("2H", 30), face("3H", 80)])
    assert turned is not None
    assert np.allclose(turned.places, [0, 0.5, 0.8]) and turned.ranks == (3, 2, 1)


def test_cards_without_an_outline_make_no_fan() -> None:
    assert fan_of([SeenCard(parse_face("AH"), corners=((0.0, 0.0),))]) is None


gaps = st.lists(st.floats(0.3, 0.7), min_size=1, max_size=12)


@given(gaps, st.floats(0.85, 1.15), st.integers(60, 120))
def test_faces_tell_where_their_backs_lie(widths: list[float], scale: float, start: int) -> None:
    of = fan(*widths)
    edges = ribbon(of, start=start, scale=scale)
    shown = read(edges, of)
    assert shown.agrees and shown.plain > 0.9
    assert np.abs(np.array(shown.columns) - np.round(list(edges))).max() < 1.5


def test_a_weak_edge_counts_where_a_face_tells_of_it() -> None:
    of = fan(0.5, 0.4, 0.5, 0.6)
    edges = ribbon(of)
    weak = sorted(edges)[2]
    shown = read({**edges, weak: 0.2}, of)
    assert shown.agrees and len(shown.columns) == 5
    assert shown.scores[2] > 0.5


def test_a_card_whose_face_misled_is_found_beside_its_due_place() -> None:
    of, lies = fan(0.5, 0.3, 0.8, 0.5, 0.5), fan(0.5, 0.55, 0.55, 0.5, 0.5)
    shown = read(ribbon(lies), of)
    assert shown.agrees and round(150 + 1.05 * WIDTH) in shown.columns


def test_a_pattern_between_two_cards_is_no_card() -> None:
    of = fan(0.5, 0.4, 0.5, 0.6)
    shown = read({**ribbon(of), 150 + 0.25 * WIDTH: 0.8}, of)
    assert shown.agrees and len(shown.columns) == 5


def test_a_plain_edge_of_which_no_face_tells_is_kept() -> None:
    # A face was not read: what follows what is not known.
    whole = fan(0.5, 0.5, 1.0, 0.5)
    of = Fan(whole.places, (*whole.ranks[:3], None, 1))
    between = 150 + 1.5 * WIDTH
    overlooked = read({**ribbon(of), between: 0.8}, of)
    assert not overlooked.agrees and overlooked.extra == 1 and round(between) in overlooked.columns
    # Nothing else looks as plain as an edge, however near it lies.
    undenied = read({**ribbon(of), 150 + 0.2 * WIDTH: 0.97}, of)
    assert undenied.extra == 1


def test_nothing_lies_between_cards_that_follow_one_another() -> None:
    of = fan(0.5, 0.5, 1.0, 0.5)
    edges = ribbon(of)
    stripes = {150 + place * WIDTH: 0.97 for place in (0.2, 1.35, 1.65)}
    shown = read({**edges, **stripes}, of)
    assert shown.agrees and len(shown.columns) == 5
    # The ribbon begins before its faces tell: a card was overlooked, and which one is not known.
    under = read({**edges, **stripes, min(edges) - 0.45 * WIDTH: 0.9}, of)
    assert under.extra > 1


def test_nothing_lies_on_an_ace() -> None:
    def extra(top: int, *, beyond: float = 0.0, plain: float = 0.8) -> int:
        of = fan(0.45, 0.5, 0.4, 0.45, top=top)
        edges = ribbon(of)
        pattern = max(edges) + 0.34 * WIDTH
        shown = explained(line({**edges, pattern: plain}, max(edges) + (1 + beyond) * WIDTH), of, Scale())
        assert shown is not None
        return shown.extra

    assert extra(1) == 0 and extra(2) == 1
    # Stripes along a back look like edges, however plain.
    assert extra(1, plain=0.99) == 0
    # The ribbon goes on: what seemed to be the ace's edge is that of the card under it.
    assert extra(1, beyond=0.4) == 1


def test_a_card_under_the_last_face_is_kept() -> None:
    of = fan(0.45, 0.5, 0.4, 0.45)
    edges = ribbon(of)
    shown = read({**edges, min(edges) - 0.4 * WIDTH: 0.8}, of)
    assert shown.extra == 1


def test_a_card_under_the_last_face_is_kept_though_two_edges_seem_to_be_the_first() -> None:
    of = fan(0.45, 0.5, 0.4, 0.45)
    edges = ribbon(of)
    under = min(edges) - 0.45 * WIDTH
    answer = line({**edges, under: 0.85}, max(edges) + WIDTH)
    answer[FIRST, round(min(edges))] = 0.7
    shown = explained(answer, of, Scale())
    assert shown is not None and shown.extra == 1
    # Where the table shows between them, that is another pile's card.
    answer[CARDS, round(under) + 4 : round(min(edges))] = 0.1
    shown = explained(answer, of, Scale())
    assert shown is not None and not shown.extra


def test_of_two_places_the_one_where_the_pile_must_lie_is_believed() -> None:
    of = fan(0.5, 0.5)
    answer = np.maximum(*(line(ribbon(of, start=x), x + 2 * WIDTH) for x in (100.0, 250.0)))
    for start in (100.0, 250.0):
        shown = explained(answer, of, Scale(), expected=start + WIDTH)
        assert shown is not None and abs(shown.columns[0] - start) < 2


def test_a_card_known_to_lack_its_face_needs_no_room() -> None:
    of = Fan(np.array([0.0, 0.4, 0.9, 1.3]), (6, 5, 3, 2))
    shown = read({**ribbon(of), 150 + 0.52 * WIDTH: 0.7}, of)
    assert shown.extra == 1 and len(shown.columns) == 5


def test_a_pile_spread_anew_is_not_made_to_lie_like_its_faces() -> None:
    shown = read(ribbon(fan(0.3, 0.7, 0.3, 0.7, 0.3)), fan(0.7, 0.3, 0.7, 0.3, 0.7))
    assert not shown.agrees


def test_nothing_is_explained_beyond_the_line() -> None:
    of = fan(*[0.9] * 12)
    assert explained(line({20.0: 0.9}, 60.0), of, Scale(1.5, 0.01)) is None


@pytest.mark.parametrize(
    ("first", "end"), [(-30.0, -8.0), (LENGTH + 8.0, LENGTH + 30.0), (-30.0, LENGTH + 30.0)]
)
def test_ends_that_the_faces_expect_beyond_the_line_are_looked_for_at_its_own(
    first: float, end: float
) -> None:
    answer = line({20.0: 0.9, 60.0: 0.9}, 90.0)
    assert _plainness(answer, first, end, np.array([3.0, 3.0])) == pytest.approx(0.477, abs=0.01)
    assert _shown_from(answer, first, 40.0) in (0, LENGTH - 1)
