"""What a seat is told of where the cards lie: everything it can see at a real table, and nothing else."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from scorer.game.bots import BEGINNER, FAMILY, SHARK
from scorer.game.codes import text
from scorer.game.live import LiveRound
from scorer.game.moves import Move
from scorer.game.places import change, seen_afterwards, seen_by, seen_by_all
from scorer.game.record import Head, Seat
from scorer.game.state import State
from scorer.game.table import Table
from scorer.scoring import Rules
from tests.game.tables import lay, play, table

RULES = ("classic", "racing_demon", "two_player", "classic jokers=2", "classic nerts_faceup=yes turn=1")


def told(state: State, seat: int = 1, *flying: str) -> dict[str, str]:
    """What a seat is told, each place as a line."""
    in_air: list[Move | None] = [None] * state.seats
    for notation in flying:
        move = Move.parse(notation)
        in_air[move.seat] = move
    common = seen_by_all(state, in_air)
    return {place: " ".join(ids) for place, ids in seen_by(seat - 1, state, in_air, common).items()}


def test_a_seat_sees_its_own_open_cards_and_those_of_the_others():
    state = table(
        lay("9D 8C / -", nerts="2H KC", waste="4C 5C", stock="6C"),
        lay("7H", nerts="3S 4S", waste="JD QD"),
        foundations=("AC 2C@2",),
    )
    assert told(state) == {
        "P1.N": "P1: P1:KC",
        "P1.S": "P1:",
        "P1.W": "P1:4C P1:5C",
        "P1.1": "P1:9D P1:8C",
        "P1.2": "",
        "P2.N": "P2: P2:4S",
        "P2.S": "",
        "P2.W": "P2: P2:QD",
        "P2.1": "P2:7H",
        "F1": "P2:AC P2:2C",
    }


def test_a_card_in_the_air_is_nowhere_else_and_nothing_is_turned_beneath_it():
    state = table(lay("7H", nerts="2H AC", waste="4C AD"), lay("AS", nerts="3S AH"))
    seen = told(state, 1, "P1 N:AC>F", "P2 1:AS>F")
    assert (seen["P1.A"], seen["P1.N"]) == ("P1:AC", "P1:")
    assert (seen["P2.A"], seen["P2.1"]) == ("P2:AS", "")
    assert told(state, 2, "P1 W:AD>F")["P1.W"] == "P1:"
    # Its own waste the seat has seen before.
    assert told(state, 1, "P1 W:AD>F")["P1.W"] == "P1:4C"


def test_two_jokers_are_told_apart_and_say_on_a_foundation_what_they_are():
    state = table(lay("9H JK / JK", nerts="KC"), lay(), foundations=("AS",), rules="classic jokers=2")
    play(state, "P1 2:JK=2S>F1")
    seen = told(state, 2)
    assert seen["P1.1"] == "P1:9H P1:JK"
    assert seen["F1"] == "P1:AS P1:JK.2=2S"


def test_a_nerts_pile_that_lies_face_up_is_seen_by_its_player():
    state = table(lay(nerts="2H KC"), lay(nerts="3S 4S"), rules="classic nerts_faceup=yes")
    assert told(state)["P1.N"] == "P1:2H P1:KC"
    assert told(state)["P2.N"] == "P2: P2:4S"


def test_afterwards_every_card_is_seen():
    state = table(lay("7H", nerts="2H KC", waste="4C", stock="5C 6C"), lay())
    seen = seen_afterwards(state, [None, None])
    assert seen["P1.N"] == ("P1:2H", "P1:KC")
    # Bottom first; the stock was written as it is turned.
    assert seen["P1.S"] == ("P1:6C", "P1:5C")


def test_a_change_names_what_differs_and_empties_what_is_gone():
    before = {"P1.N": ("P1:KC",), "P1.A": ("P1:AS",), "P1.1": ()}
    after = {"P1.N": ("P1:KC",), "P1.1": ("P1:7H",), "F1": ("P1:AS",)}
    assert change(before, after) == {"P1.1": ["P1:7H"], "F1": ["P1:AS"], "P1.A": []}


# Nothing hidden is told.


def exchanged(state: State, seat: int, rng: random.Random) -> State:
    """The same table with every card exchanged that the seat cannot have seen."""
    twin = state.copy()
    for other, layout in enumerate(twin.layouts):
        own = other == seat
        seen = layout.seen if own else {layout.waste_top}
        nerts = 0 if own and state.rules.nerts_faceup else len(layout.nerts) - 1
        unseen = [(layout.nerts, at) for at in range(nerts)]
        for pile in (layout.stock, layout.waste):
            unseen += [(pile, at) for at, card in enumerate(pile) if card not in seen]
        cards = [pile[at] for pile, at in unseen]
        rng.shuffle(cards)
        for (pile, at), card in zip(unseen, cards, strict=True):
            pile[at] = card
    return twin


@settings(max_examples=80)
@given(
    st.sampled_from(RULES),
    st.integers(0, 10**6),
    st.integers(1, 5),
    st.integers(0, 60_000),
    st.integers(0, 4),
)
def test_no_seat_is_told_a_card_it_cannot_see(rules, seed, seats, until, seat):
    parsed, seat = Rules.parse(rules), seat % seats
    state = State(parsed, str(seed), [parsed.nerts_size] * seats)
    bots = Table(state, [SHARK, FAMILY, BEGINNER, SHARK, FAMILY][:seats], str(seed))
    bots.advance(until)
    in_air = list(bots.in_air)
    twin = exchanged(state, seat, random.Random(seed))

    def all_told(one: State) -> dict[str, tuple[str, ...]]:
        return seen_by(seat, one, in_air, seen_by_all(one, in_air))

    assert all_told(twin) == all_told(state)


def visible(state: State, seat: int) -> set[str]:
    """The cards of a table that a seat may see, counted out one by one."""
    ids = {f"P{card.owner + 1}:{text(card.printed)}" for pile in state.foundations for card in pile.cards}
    for other, layout in enumerate(state.layouts):
        open_cards = [card for pile in layout.work for card in pile]
        open_cards += [layout.nerts_top, layout.waste_top]
        if other == seat:
            open_cards += [card for card in layout.waste if card in layout.seen]
        ids |= {f"P{other + 1}:{text(card)}" for card in open_cards if card}
    return ids


@settings(max_examples=12)
@given(st.integers(0, 10**6), st.integers(2, 4))
def test_what_a_seat_is_told_move_by_move_it_could_see(seed, seats):
    rng = random.Random(seed)
    people = [None, *[SHARK, FAMILY, BEGINNER][: seats - 1]]
    head = Head(
        str(seed),
        Rules(),
        tuple(Seat((f"P{at}",), f"deck {at}") for at in range(seats)),
        (13,) * seats,
    )
    played = LiveRound(head, people)
    now = 0
    while not played.is_over and now < 20_000:
        now += rng.randrange(50, 900)
        while (due := played.next_at) is not None and due <= now:
            may_see = visible(played.state, 0)
            played.advance(due)
            check_told(played, may_see)
        moves = [] if played.is_busy(0) else played.legal_moves(0)
        if moves:
            may_see = visible(played.state, 0)
            played.submit(rng.choice(moves), 0, now)
            check_told(played, may_see)
    assert len(played.records) > 10


def check_told(played: LiveRound, before: set[str]) -> None:
    may_see = before | visible(played.state, 0)
    for glimpse in played.take_glimpses():
        shown = {card for cards in glimpse.changes[0].values() for card in cards if card[-1] != ":"}
        assert shown <= may_see
