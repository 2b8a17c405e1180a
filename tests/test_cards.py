from __future__ import annotations

import pytest
from hypothesis import given

from scorer.cards import DECK, Card, Joker, Rank, Suit, as_card, parse_face
from scorer.errors import NotationError, ScorerError
from tests import strategies
from tests.builders import card


@given(strategies.faces)
def test_notation_round_trips(face):
    assert parse_face(str(face)) == face
    assert parse_face(str(face).lower()) == face


@given(strategies.cards)
def test_a_card_is_read_from_its_symbol(face):
    assert Card.parse(face.symbol) == face


@pytest.mark.parametrize(
    ("text", "face"),
    [
        ("10H", Card(Rank.TEN, Suit.HEARTS)),
        ("th", Card(Rank.TEN, Suit.HEARTS)),
        ("10♥", Card(Rank.TEN, Suit.HEARTS)),
        (" AS ", Card(Rank.ACE, Suit.SPADES)),
        ("JC", Card(Rank.JACK, Suit.CLUBS)),
        ("JK", Joker()),
        ("jk=10h", Joker(Card(Rank.TEN, Suit.HEARTS))),
    ],
)
def test_notation(text, face):
    assert parse_face(text) == face


@pytest.mark.parametrize(
    "text", ["", "1H", "11H", "H10", "A", "AX", "A H S", "JK=", "JK=JK", "JK=", "=AH", "🂡"]
)
def test_what_is_no_card_is_refused_in_one_sentence(text):
    with pytest.raises(NotationError) as refusal:
        parse_face(text)
    message = str(refusal.value)
    assert message.endswith(".") and "\n" not in message
    assert isinstance(refusal.value, ValueError) and isinstance(refusal.value, ScorerError)


def test_a_deck_has_52_different_cards_in_order():
    assert len(set(DECK)) == 52
    assert list(DECK) == sorted(DECK)
    assert sorted([card("2C"), card("AS"), card("KC"), card("AC")]) == [
        card("AC"),
        card("2C"),
        card("KC"),
        card("AS"),
    ]


def test_a_card_compares_with_cards_only():
    with pytest.raises(TypeError):
        card("AH") < "AH"  # noqa: B015


def test_what_a_face_counts_as():
    assert as_card(card("3H")) == card("3H")
    assert as_card(Joker(card("3H"))) == card("3H")
    assert as_card(Joker()) is None


def test_red_suits():
    assert [suit.value for suit in Suit if suit.is_red] == ["D", "H"]


def test_symbols():
    assert card("10S").symbol == "10♠"
    assert f"{Suit.SPADES} {Suit.SPADES.symbol}" == "S ♠"
    assert Joker().symbol == "joker"
    assert Joker(card("2D")).symbol == "joker for 2♦"


@pytest.mark.parametrize("parse", [Suit.parse, Rank.parse])
def test_a_wrong_suit_or_rank_says_what_to_write(parse):
    with pytest.raises(NotationError, match="write"):
        parse("x")
