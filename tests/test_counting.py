"""From a reading to a count that stands or is withheld."""

from __future__ import annotations

import json

import pytest

from scorer.counting import Count, KnownFacts, count_round
from scorer.errors import NotationError
from scorer.piles import Fault, Faults
from scorer.reading import PhotoReading, Reading
from scorer.scoring import Rules
from tests.builders import names, piles, the

GOOD = ("AH@red 2H@blue 3H@red", "AS@blue 2S@blue")


def reading(*notations: str, **more: object) -> Reading:
    photo = PhotoReading("a.jpg", 100, 100)
    return Reading((photo,), tuple(piles(*notations)), **more)  # type: ignore[arg-type]


def facts(players: str = "", left: dict[str, int] | None = None, callers: str = "") -> KnownFacts:
    return KnownFacts(tuple(players.split()), left, tuple(callers.split()))


def scores(count: Count) -> dict[str, int | None]:
    return dict(zip(count.tally.names, count.scores, strict=True))


def test_without_cards_left_the_cards_are_counted_and_nothing_is_scored() -> None:
    count = count_round(reading(*GOOD))
    assert count.is_scored
    assert [(deck.back, deck.player, deck.foundation) for deck in count.tally.decks] == [
        ("red", None, 2),
        ("blue", None, 3),
    ]
    assert count.scores == (None, None)


def test_players_own_the_decks_of_their_name() -> None:
    count = count_round(reading(*GOOD), facts("red blue", {"red": 4, "blue": 0}))
    assert scores(count) == {"red": 2 - 8, "blue": 3}
    assert [deck.player for deck in count.tally.decks] == ["red", "blue"]


def test_player_with_a_known_deck_but_no_card_out_is_counted_with_none() -> None:
    count = count_round(reading(*GOOD), facts("red blue Cleo", {"Cleo": 13}), decks=["Cleo"])
    assert scores(count)["Cleo"] == -26
    assert count.unassigned == ()


def test_players_without_a_known_deck_are_told() -> None:
    count = count_round(
        reading("AH@deck-1 2H@deck-2"), facts("Ann Bob Cleo", {"Ann": 0, "deck-2": 3}), decks=["Cleo"]
    )
    assert count.unassigned == ("Ann", "Bob")
    assert scores(count) == {"Cleo": None, "deck-1": None, "deck-2": 1 - 6}


def test_the_only_empty_nerts_pile_is_the_callers() -> None:
    rules = Rules(caller_bonus=10)
    one = count_round(reading(*GOOD), facts("red blue", {"red": 0, "blue": 2}), rules)
    assert scores(one) == {"red": 12, "blue": -1}
    both = count_round(reading(*GOOD), facts("red blue", {"red": 0, "blue": 0}), rules)
    assert scores(both) == {"red": 2, "blue": 3}
    named = count_round(reading(*GOOD), facts("red blue", {"red": 0, "blue": 0}, "blue"), rules)
    assert scores(named) == {"red": 2, "blue": 13}


def test_any_fault_of_a_pile_withholds_the_score_but_not_the_count() -> None:
    count = count_round(reading("AH@red 3H@blue"), facts("red blue", {"red": 0, "blue": 0}))
    assert not count.is_scored
    assert count.scores == (None, None)
    assert [deck.foundation for deck in count.tally.decks] == [1, 1]
    assert the(count.faults, Faults.GAP).pile == 0


def test_faults_of_the_reader_count_and_are_not_told_twice() -> None:
    gap = Fault.make(Faults.GAP, pile=0, position=1)
    weak = Fault.make(Faults.WEAK, pile=0)
    count = count_round(reading("AH@red 3H@blue", faults=(gap, weak)))
    assert names(count.faults).count("GAP") == 1
    assert names(count.faults).count("WEAK") == 1


def test_fault_of_a_photo_withholds_the_score_and_names_the_photo() -> None:
    photo = PhotoReading("b.jpg", 9, 9, faults=(Fault.make(Faults.BLURRED),))
    count = count_round(Reading((photo,), tuple(piles(*GOOD))))
    assert not count.is_scored
    (told,) = count.to_json()["faults"]  # type: ignore[misc]
    assert told["name"] == "BLURRED" and told["sentence"].startswith("b.jpg: The photo is too blurred")  # type: ignore[has-type]


def test_information_does_not_withhold() -> None:
    assert count_round(reading("?@red ?@blue")).is_scored
    assert names(count_round(reading("?@red ?@blue")).faults) == ["FACES_UNSEEN"]


def test_faces_alone_are_not_scored() -> None:
    assert names(count_round(reading("AH 2H")).faults) == ["BACKS_UNSEEN"]


def test_card_of_an_unknown_owner_is_told_once() -> None:
    count = count_round(reading("AH@red 2H@blue 3H"))
    assert names(count.faults).count("UNKNOWN_BACK") == 1
    assert not count.is_scored


def test_more_backs_than_players_is_one_fault() -> None:
    count = count_round(reading("AH@a 2H@b 3H@c"), facts("Ann Bob"))
    assert "3 different backs" in the(count.faults, Faults.MORE_BACKS_THAN_PLAYERS).sentence


def test_impossible_numbers_are_faults() -> None:
    assert "NERTS_TOO_MANY" in names(count_round(reading(*GOOD), facts("red blue", {"red": 20})).faults)
    count = count_round(reading(*GOOD), facts("red blue", {"red": 2}, "red"))
    assert names(count.faults) == ["CALLER_HAS_NERTS"]


@pytest.mark.parametrize("notation", [(), ("",)])
def test_no_cards_at_all_is_no_score_of_nothing(notation: tuple[str, ...]) -> None:
    count = count_round(Reading((), tuple(piles(*notation))))
    assert names(count.faults) == ["NO_CARDS"]
    assert not count.is_scored


@pytest.mark.parametrize(("left", "callers"), [({"Zoe": 1}, ""), ({}, "Zoe")])
def test_unknown_names_are_refused(left: dict[str, int], callers: str) -> None:
    with pytest.raises(NotationError, match="'Zoe' is no player of this round: known are Ann, red, blue"):
        count_round(reading(*GOOD), facts("Ann", left, callers))


@pytest.mark.parametrize("players", [("Ann", "Ann"), ("Ann", " "), tuple("ABCDEFGHI")])
def test_impossible_players_are_refused(players: tuple[str, ...]) -> None:
    with pytest.raises(NotationError):
        KnownFacts(players)


def test_json_has_the_agreed_form() -> None:
    count = count_round(reading("AH@red! JK=2H@blue", "AS"), facts("red blue", {"red": 0}))
    data = json.loads(json.dumps(count.to_json()))
    assert set(data) == {"scored", "tally", "piles", "faults"}
    assert data["tally"][0] == {
        "back": "red",
        "player": "red",
        "foundation": 1,
        "nerts_left": 0,
        "score": None,
    }
    assert data["piles"][0] == {
        "suit": "H",
        "cards": [
            {"face": "AH", "back": "red", "marked": True},
            {"face": "JK=2H", "back": "blue", "marked": False},
        ],
        "faults": [],
    }
    assert data["piles"][1]["faults"] == ["UNPAIRED_PILE"]
    assert {"TOO_MANY_JOKERS", "UNPAIRED_PILE"} <= {fault["name"] for fault in data["faults"]}
    assert all(set(fault) == {"name", "sentence"} for fault in data["faults"])
