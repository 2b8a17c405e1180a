"""Hypothesis strategies for the values of the domain."""

from __future__ import annotations

import dataclasses

from hypothesis import strategies as st

from scorer.cards import DECK, Card, Face, Joker, Rank, Suit
from scorer.piles import Fault, Faults, Pile, PileCard
from scorer.reading import Pairing, PhotoReading, Reading, SeenCard, SeenPile
from scorer.scoring import CHOICES, LIMITS, OPTIONAL, PRESETS, DeckTally, Match, Rules, Tally

suits = st.sampled_from(Suit)
ranks = st.sampled_from(Rank)
cards = st.sampled_from(DECK)
jokers = st.builds(Joker, st.none() | cards)
faces: st.SearchStrategy[Face] = cards | jokers
names = st.text(min_size=0, max_size=8)
shares = st.floats(0, 1)
candidates = st.lists(st.tuples(faces, shares), max_size=3).map(tuple)

pile_cards = st.builds(PileCard, st.none() | faces, st.none() | names, st.booleans())
any_piles = st.builds(Pile, st.lists(pile_cards, max_size=16).map(tuple), st.booleans())
piles_with_candidates = st.builds(
    Pile,
    st.lists(
        st.builds(PileCard, st.none() | faces, st.none() | names, st.booleans(), candidates), max_size=5
    ).map(tuple),
    st.booleans(),
)


@st.composite
def foundations(draw: st.DrawFn, ties: bool = True, jokers: bool = True) -> Pile:
    """Legal piles, ties and declared jokers among them; every card from a deck of its own."""
    suit = draw(suits)
    cards: list[Face] = []
    for rank in range(1, draw(st.integers(1, 13)) + 1):
        card = Card(Rank(rank), suit)
        times = 2 if ties and rank > 1 and draw(st.integers(0, 9)) == 0 else 1
        for _ in range(times):
            cards.append(Joker(card) if jokers and draw(st.integers(0, 9)) == 0 else card)
    return Pile(tuple(PileCard(face, f"deck-{i}") for i, face in enumerate(cards)))


@st.composite
def faults(draw: st.DrawFn) -> Fault:
    indices = st.none() | st.integers(0, 20)
    details = draw(st.dictionaries(st.sampled_from(["card", "count", "owner", "fault"]), names, max_size=3))
    name = draw(st.sampled_from(list(Faults)))
    suggestion = draw(st.none() | faces)
    return dataclasses.replace(
        Fault.make(name, pile=draw(indices), position=draw(indices), suggestion=suggestion),
        details=tuple(sorted(details.items())),
    )


numbers = st.floats(allow_nan=False, allow_infinity=False)
points = st.tuples(numbers, numbers)
seen_cards = st.builds(
    SeenCard,
    st.none() | faces,
    st.none() | names,
    shares,
    st.booleans(),
    candidates,
    st.none() | st.tuples(points, points, points, points),
    st.lists(points, max_size=4).map(tuple),
)


@st.composite
def photo_readings(draw: st.DrawFn) -> PhotoReading:
    cards = tuple(draw(st.lists(seen_cards, min_size=1, max_size=4)))
    indices = st.lists(st.integers(0, len(cards) - 1), max_size=4).map(tuple)
    flags = st.lists(st.sampled_from(list(Faults)), max_size=3).map(_joined)
    seen_piles = st.lists(st.builds(SeenPile, indices, flags), min_size=1, max_size=2).map(tuple)
    sizes = st.integers(1, 10_000)
    return PhotoReading(
        draw(names),
        draw(sizes),
        draw(sizes),
        draw(numbers),
        cards,
        draw(seen_piles),
        tuple(draw(st.lists(faults(), max_size=2))),
    )


def _joined(flags: list[Faults]) -> Faults:
    joined = Faults(0)
    for flag in flags:
        joined |= flag
    return joined


@st.composite
def readings(draw: st.DrawFn) -> Reading:
    photos = tuple(draw(st.lists(photo_readings(), min_size=1, max_size=2)))
    piles = tuple(draw(st.lists(piles_with_candidates, min_size=1, max_size=2)))
    pairings = st.builds(
        Pairing, st.integers(0, len(piles) - 1), st.none() | st.just(0), st.just(0), st.none(), st.none()
    )
    pairing = tuple(draw(st.lists(pairings, max_size=2)))
    return Reading(photos, piles, tuple(draw(st.lists(faults(), max_size=2))), pairing)


def _value(name: str) -> st.SearchStrategy[object]:
    if name in CHOICES:
        return st.sampled_from(CHOICES[name])
    if name in LIMITS:
        numbers = st.integers(*LIMITS[name])
        return st.none() | numbers if name in OPTIONAL else numbers
    return st.booleans()


@st.composite
def rules(draw: st.DrawFn) -> Rules:
    """A preset with a few parameters changed."""
    base = draw(st.sampled_from(list(PRESETS.values())))
    changes = {}
    for name in draw(st.sets(st.sampled_from([*CHOICES, *LIMITS, "floor_zero", "joker_unfix"]), max_size=5)):
        changes[name] = draw(_value(name))
    changes |= {"rounds": 3} if changes.get("end") == "rounds" and changes.get("rounds") is None else {}
    changes |= {"handicap_min": 1, "work_piles": draw(st.integers(1, 7) | st.just("by_players"))}
    return dataclasses.replace(base, **changes)


counts = st.integers(0, 60)
deck_tallies = st.builds(
    DeckTally,
    names,
    st.none() | names,
    counts,
    st.none() | counts,
    st.integers(0, 4),
    st.booleans(),
    st.integers(0, 2),
)
tallies = st.builds(
    Tally,
    st.lists(deck_tallies, max_size=4, unique_by=(lambda deck: deck.back, lambda deck: deck.name)).map(tuple),
    counts,
    st.none() | names,
)


@st.composite
def matches(draw: st.DrawFn) -> Match:
    """Matches of some rounds, all numbers known."""
    players = draw(st.lists(st.sampled_from("ABCDEFGH"), min_size=1, max_size=8, unique=True))
    rounds = draw(st.lists(st.lists(st.tuples(counts, counts), min_size=8, max_size=8), max_size=6))
    callers = draw(st.lists(st.sampled_from(players), min_size=6, max_size=6))
    tallies = tuple(
        Tally.typed(dict(zip(players, typed, strict=False)), callers=[caller])
        for typed, caller in zip(rounds, callers, strict=False)
    )
    return Match(tuple(players), draw(rules()), tallies)
