from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.cards import DECK, Joker
from scorer.errors import NotationError
from scorer.game import codes
from scorer.game.moves import (
    FOUNDATION,
    NERTS,
    OWN,
    PLAY,
    SLIDE,
    STOCK,
    TABLE,
    WASTE,
    Kind,
    Move,
    is_foundation,
)

places = st.one_of(
    st.sampled_from([NERTS, WASTE, STOCK]), st.integers(0, 12), st.integers(FOUNDATION, FOUNDATION + 40)
)
owners = st.sampled_from([OWN, 0, 3, 7])
deck_codes = st.sampled_from(codes.DECK_CODES)
plain_plays = st.builds(
    Move, st.integers(0, 7), st.sampled_from([PLAY, SLIDE]), places, deck_codes, st.integers(0, 13), places,
    st.just(0), owners, owners,
)  # fmt: skip
joker_plays = st.builds(
    Move, st.integers(0, 7), st.just(PLAY), places, st.just(codes.JOKER), st.integers(1, 13), places,
    st.just(0) | deck_codes, owners, owners,
)  # fmt: skip
plain_actions = st.builds(
    lambda seat, kind: Move(seat, kind),
    st.integers(0, 7),
    st.sampled_from([kind for kind in Kind if Kind.TURN <= kind <= Kind.CALL]),
)
table_actions = st.sampled_from([Move(TABLE, Kind.STALL), Move(TABLE, Kind.STOP)])


@given(plain_plays | joker_plays | plain_actions | table_actions)
def test_notation_round_trips(move):
    assert Move.parse(str(move)) == move


@pytest.mark.parametrize(
    "text",
    ["P2 N:4C>3", "P2 W:4C>F5", "P2 1:AC>F", "P2 1:9Hx3>4", "P2 W:KH<3", "P2 N:JK=10H>F5", "P2 N:JK>2",
     "P2 N:4C>P3.2", "P2 S:4C>3", "P8 turn", "P1 redeal", "P1 rotate", "P1 stuck", "P1 nerts!", "table stall",
     "table stop"],
)  # fmt: skip
def test_notation_is_canonical(text):
    assert str(Move.parse(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "P2", "P9 turn", "P0 turn", "turn", "P2 fly", "P2 N:4C", "P2 N:4C>", "P2 N:14C>3", "P2 X:4C>3",
     "P2 N:4C>0", "P2 N:4Cx100>3", "table turn", "P1 stall", "P2  N:4C>3", "P٢ turn", "P2 N:JK=JK>F1",
     "x" * 10_000],
)  # fmt: skip
def test_what_is_no_move(text):
    with pytest.raises(NotationError):
        Move.parse(text)


@given(st.text(max_size=20))
def test_any_text_is_a_move_or_no_notation(text):
    try:
        move = Move.parse(text)
    except NotationError:
        return
    assert Move.parse(str(move)) == move


def test_codes_and_faces():
    assert {codes.encode(codes.decode(code)) for code in codes.DECK_CODES} == set(codes.DECK_CODES)
    assert {codes.decode(code) for code in codes.DECK_CODES} == set(DECK)
    assert codes.decode(codes.encode(Joker())) == Joker()
    assert [codes.text(code) for code in (0, 65, 200)] == ["--", "JK", "JK"]


def test_colour_and_rank_are_the_value():
    for code in codes.DECK_CODES:
        card = codes.card_of(code)
        assert bool(code & codes.RED) == card.suit.is_red
        assert code & codes.RANK == card.rank


def test_foundations_are_places():
    assert is_foundation(FOUNDATION)
    assert is_foundation(FOUNDATION + 3)
    assert not is_foundation(NERTS)
