"""Two callers, who was first at the target, decks that move on, and what a match says it is played by."""

from __future__ import annotations

import re

import pytest

from tests.webapp.scripted import FakeReader, Script
from tests.webapp.table import Phone, sentence
from tests.webapp.test_others_mistakes import house


def a_house(phone: Phone, *names: str, **changes: object) -> Phone:
    return phone.new_match(*names, preset="house", **(house() | changes))


# Two who call at the same moment.


def test_two_who_call_at_once_both_get_the_bonus(phone: Phone) -> None:
    phone.new_match("Ann", "Ben", "Cleo", preset="pounce25")
    hands = {"Ann": (10, 0), "Ben": (8, ""), "Cleo": (4, 3)}
    answer = phone.type_round(hands, caller="Ann", **{"also-p2": "1"})
    assert answer.status_code == 302, sentence(answer)
    assert phone.totals() == {"Ann": 35, "Ben": 33, "Cleo": -2}
    page = phone.get(f"round/{phone.state.rounds[0].id}/edit").text
    assert re.search(r'name="caller" value="p1" checked', page)
    assert re.findall(r'name="also-(p\d)" value="1" checked', page) == ["p2"]


def test_nobody_and_somebody_cannot_both_have_called(phone: Phone) -> None:
    phone.new_match("Ann", "Ben")
    answer = phone.type_round({"Ann": (10, 0), "Ben": (8, 0)}, **{"also-p2": "1"})
    assert answer.status_code == 422
    assert "Nobody called, yet somebody is ticked" in sentence(answer)
    assert phone.state.rounds == ()


def test_a_second_caller_needs_an_empty_pile_too(phone: Phone) -> None:
    phone.new_match("Ann", "Ben")
    answer = phone.type_round({"Ann": (10, 0), "Ben": (8, 2)}, caller="Ann", **{"also-p2": "1"})
    assert answer.status_code == 422
    assert "Ben called Nerts but has 2 left" in sentence(answer)


def test_two_callers_of_a_round_by_photo(phone: Phone, reader: FakeReader) -> None:
    reader.scripts = [Script.of("AH@p1 2H@p2 3H@p1", "AS@p2")]
    phone.new_match("Ann", "Ben", "Cleo", preset="pounce25")
    sheet = phone.read(*reader.scripts[0].photos())
    # The first who is named is the caller, wherever he is named; a second tap takes one back.
    for kind, seat in (("also", "p1"), ("also", "p2"), ("also", "p3"), ("also", "p3")):
        assert phone.correct(sheet, kind, seat=seat)["sentence"] is None
    phone.correct(sheet, "left", seat="p3", number=2)
    assert phone.confirm(sheet).status_code == 302
    assert phone.totals() == {"Ann": 27, "Ben": 27, "Cleo": -4}


def test_whoever_is_named_the_caller_is_no_longer_called_at_the_same_moment(
    phone: Phone, reader: FakeReader
) -> None:
    reader.scripts = [Script.of("AH@p1 2H@p2")]
    phone.new_match("Ann", "Ben", preset="pounce25")
    sheet = phone.read(*reader.scripts[0].photos())
    for kind, seat in (("caller", "p1"), ("also", "p2"), ("caller", "none")):
        phone.correct(sheet, kind, seat=seat)
    for seat in ("p1", "p2"):
        phone.correct(sheet, "left", seat=seat, number=0)
    phone.confirm(sheet)
    assert phone.totals() == {"Ann": 1, "Ben": 1}


# Who was the first to reach the target.


def near_the_end(phone: Phone) -> Phone:
    a_house(phone, "Ann", "Ben", "Cleo", over_target="first")
    for _round in range(2):
        phone.type_round({"Ann": (45, 0), "Ben": (45, 0), "Cleo": (1, 0)}, caller="Ann")
    return phone


LAST = {"Ann": (14, 0), "Ben": (11, 0), "Cleo": (30, 0)}


@pytest.mark.parametrize(("first", "winner"), [("p2", "Ben"), ("p1", "Ann"), ("none", "Ann")])
def test_who_was_first_is_asked_and_wins(phone: Phone, first: str, winner: str) -> None:
    near_the_end(phone)
    assert "Who reached the target first?" not in phone.get("type").text
    answer = phone.type_round(LAST, caller="Ann")
    assert answer.status_code == 422
    assert "who was the first?" in sentence(answer)
    assert re.findall(r'name="first" value="(\w+)"', answer.text) == ["p1", "p2", "none"]
    assert phone.type_round(LAST, caller="Ann", first=first).status_code == 302
    assert phone.winners() == [winner]


def test_who_was_first_is_shown_and_corrected_later(phone: Phone) -> None:
    near_the_end(phone)
    phone.type_round(LAST, caller="Ann", first="p2")
    (*_before, last) = phone.state.rounds
    assert "Reached the target first:" in phone.get(f"round/{last.id}").text
    assert re.search(r'name="first" value="p2" checked', phone.get(f"round/{last.id}/edit").text)
    form = phone.round_form(LAST, "Ann", first="p1", seen=last.changed or 0)
    assert phone.post(f"round/{last.id}/edit", **form).status_code == 302
    assert phone.winners() == ["Ann"]
    # Below the target it no longer matters who was first.
    phone.edit_round(3, {"Ann": (14, 0), "Ben": (1, 0), "Cleo": (30, 0)}, caller="Ann")
    assert phone.winners() == ["Ann"]


def test_who_was_first_is_asked_of_a_round_by_photo(phone: Phone, reader: FakeReader) -> None:
    reader.scripts = [Script.of("AH@p1 2H@p1 3H@p1 4H@p2 5H@p2")]
    a_house(phone, "Ann", "Ben", over_target="first")
    for _round in range(2):
        phone.type_round({"Ann": (49, 0), "Ben": (49, 0)}, caller="Ann")
    sheet = phone.read(*reader.scripts[0].photos())
    phone.correct(sheet, "caller", seat="p1")
    assert 'id="first"' not in str(phone.correct(sheet, "left", seat="p2", number=1)["main"])
    answer = phone.correct(sheet, "left", seat="p2", number=0)
    assert 'id="first"' in str(answer["main"]) and "Who reached the target first?" in str(answer["bar"])
    assert phone.confirm(sheet).status_code == 422
    phone.correct(sheet, "first", seat="p2")
    assert phone.confirm(sheet).status_code == 302
    assert phone.totals() == {"Ann": 101, "Ben": 100}
    assert phone.winners() == ["Ben"]


# An extra round of the tied.


def tied(phone: Phone) -> Phone:
    a_house(phone, "Ann", "Ben", "Cleo", tiebreak="tied_only")
    for _round in range(2):
        phone.type_round({"Ann": (50, 0), "Ben": (0, 13), "Cleo": (50, 0)})
    return phone


def test_only_the_tied_are_asked_for_in_their_extra_round(phone: Phone) -> None:
    tied(phone)
    assert re.search(r'It is played by <span translate="no">Ann, Cleo<', phone.get().text)
    assert re.findall(r'name="out-(p\d)"', phone.get("type").text) == ["p1", "p3"]
    form = phone.round_form({"Ann": (5, 0), "Cleo": (7, 0)}, caller="Cleo")
    shown = phone.client.post(phone.match + "preview?round=2", data=form).json
    assert {seat: score["text"] for seat, score in shown.items()} == {"p1": "+5", "p3": "+7"}
    answer = phone.post("type", **form)
    assert answer.status_code == 302, sentence(answer)
    assert phone.winners() == ["Cleo"]
    assert phone.totals() == {"Cleo": 107, "Ann": 105, "Ben": -52}
    (*_before, last) = phone.state.rounds
    assert re.findall(r'name="out-(p\d)"', phone.get(f"round/{last.id}/edit").text) == ["p1", "p3"]


def test_an_extra_round_of_the_tied_by_photo(phone: Phone, reader: FakeReader) -> None:
    reader.scripts = [Script.of("AH@p1 2H@p3 3H@p3", "AS@p2")]
    sheet = tied(phone).read(*reader.scripts[0].photos())
    # Ben does not play: whose cards his are taken for has to be said.
    assert "Whose back is this?" in phone.get(sheet).text
    phone.correct(sheet, "back", owner="p2", seat="p1")
    phone.correct(sheet, "caller", seat="p3")
    phone.correct(sheet, "left", seat="p1", number=1)
    assert phone.confirm(sheet).status_code == 302
    assert phone.totals() == {"Cleo": 102, "Ann": 100, "Ben": -52}
    assert phone.winners() == ["Cleo"]


# Decks that move on.


def test_decks_that_move_on_are_counted_for_whoever_has_them(phone: Phone, reader: FakeReader) -> None:
    """Red, blue and green are named once; in the second round each lies before the next player."""
    table = Script.of("AH@red 2H@red 3H@red", "AS@blue 2S@blue", "AC@green")
    known = Script.of("AH@p1 2H@p1 3H@p1", "AS@p2 2S@p2", "AC@p3")
    reader.scripts = [table, known]
    a_house(phone, "Ann", "Ben", "Cleo", pass_decks="move_left")
    assert "Decks next round" not in phone.get().text
    named = [("red", "p1"), ("blue", "p2"), ("green", "p3")]
    for steps in ([{"kind": "back", "owner": back, "seat": seat} for back, seat in named], []):
        sheet = phone.read(*table.photos())
        for step in (*steps, {"kind": "caller", "seat": "none"}):
            phone.correct(sheet, **step)
        for seat in ("p1", "p2", "p3"):
            phone.correct(sheet, "left", seat=seat, number=0)
        assert phone.confirm(sheet).status_code == 302
        assert "Ann plays with the deck of Cleo" in phone.get().text or steps == []
    assert set(reader.known[1]) == {"p1", "p2", "p3"}
    # Ann 3 with red, then 1 with green; Ben 2 and 3; Cleo 1 and 2.
    assert phone.totals() == {"Ben": 5, "Ann": 4, "Cleo": 3}


def test_a_deck_named_in_a_later_round_is_remembered_as_the_deck_it_is(
    phone: Phone, reader: FakeReader
) -> None:
    reader.scripts = [Script.of("AH@red 2H@blue")]
    a_house(phone, "Ann", "Ben", pass_decks="move_left")
    phone.type_round({"Ann": (3, 0), "Ben": (1, 0)}, caller="Ann")
    sheet = phone.read(*reader.scripts[0].photos())
    for step in (
        {"kind": "back", "owner": "red", "seat": "p1"},
        {"kind": "back", "owner": "blue", "seat": "p2"},
        {"kind": "caller", "seat": "p1"},
        {"kind": "left", "seat": "p2", "number": 0},
    ):
        phone.correct(sheet, **step)
    phone.confirm(sheet)
    # Red lay before Ann in the second round of two players: it is the deck that Ben began with.
    red = phone.state.backs["p2"][0]["outline"]
    blue = phone.state.backs["p1"][0]["outline"]
    assert red[0][0] < blue[0][0]  # the ace lies left of the two on the photo of the backs


# What is played by.


def test_what_is_played_by_is_said_on_every_phone(phone: Phone) -> None:
    a_house(phone, "Ann", "Ben", mercy="-50", floor_zero="1")
    page = phone.other(view=True).get().text
    assert "To 100 · 2 off per Nerts card left · over at -50 · no round below 0" in page


def test_whoever_says_go_next_is_named(phone: Phone) -> None:
    a_house(phone, "Ann", "Ben", starter="last_place")
    assert "Says go next" not in phone.get().text
    phone.type_round({"Ann": (3, 0), "Ben": (1, 0)}, caller="Ann")
    assert re.search(r'Says go next: <span translate="no">Ben<', phone.get().text)


def test_nerts_piles_follow_the_last_round_by_the_steps_agreed(phone: Phone) -> None:
    changes = {"nerts_handicap": "1", "handicap_winner": 2, "handicap_loser": "-3", "handicap_min": 5}
    a_house(phone, "Ann", "Ben", **changes)
    phone.type_round({"Ann": (9, 0), "Ben": (0, 6)}, caller="Ann")
    assert phone.state.rules.handicap_loser == -3
    assert re.findall(r'translate="no">(\w+)</span> (\d+)', phone.get().text) == [
        ("Ann", "15"),
        ("Ben", "10"),
    ]


def test_rules_that_change_no_score_are_named_not_left_out_silently(phone: Phone) -> None:
    page = phone.client.get("/new").text
    for rule in ("turned at once", "number of work piles", "in the air", "both cards of a tie"):
        assert rule in page


# Two phones that correct one round.


def test_a_round_corrected_on_two_phones_is_not_silently_overwritten(match: Phone) -> None:
    match.type_round({"Ann": (10, 0), "Ben": (5, 1), "Cleo": (4, 4)}, caller="Ann")
    kept = match.state.rounds[0]
    forms = [
        match.round_form({"Ann": (out, 0), "Ben": (5, 1), "Cleo": (4, 4)}, "Ann", seen=kept.changed or 0)
        for out in (11, 12)
    ]
    address = f"round/{kept.id}/edit"
    assert match.post(address, **forms[0]).status_code == 302
    assert match.post(address, **forms[0]).status_code == 302  # the same tap, delivered twice
    answer = match.post(address, **forms[1])
    assert answer.status_code == 409
    assert "Meanwhile somebody else corrected this round" in answer.text
    assert match.totals()["Ann"] == 11
    shown = re.search(r'name="seen" value="(\d+)"', answer.text)
    assert shown is not None
    assert match.post(address, **(forms[1] | {"seen": shown[1]})).status_code == 302
    assert match.totals()["Ann"] == 12


# All cards of a back.


def test_a_back_taken_for_another_deck_is_put_right_for_all_its_cards(
    phone: Phone, reader: FakeReader
) -> None:
    reader.scripts = [Script.of("AH@p1 2H@p1 3H@p2", "AS@p1")]
    phone.new_match("Ann", "Ben", "Cleo")
    sheet = phone.read(*reader.scripts[0].photos())
    phone.correct(sheet, "owner", card="c1", seat="p2")
    phone.correct(sheet, "back", owner="p1", seat="p3")
    phone.correct(sheet, "caller", seat="none")
    for seat in ("p1", "p2", "p3"):
        phone.correct(sheet, "left", seat=seat, number=0)
    phone.confirm(sheet)
    assert phone.totals() == {"Cleo": 3, "Ben": 1, "Ann": 0}


def test_a_card_of_another_owner_is_listed_among_the_corrections(phone: Phone, reader: FakeReader) -> None:
    reader.scripts = [Script.of("AH@p1 2H@p1 3H@p2")]
    phone.new_match("Ann", "Ben")
    sheet = phone.read(*reader.scripts[0].photos())
    phone.correct(sheet, "owner", card="c2", seat="p2")
    phone.correct(sheet, "caller", seat="p1")
    phone.correct(sheet, "left", seat="p2", number=0)
    phone.confirm(sheet)
    assert "2♥ is of Ben" in phone.get(f"round/{phone.state.rounds[0].id}").text


def test_fifty_changes_are_undone_and_redone_from_the_page(match: Phone) -> None:
    for number in range(52):
        match.type_round({"Ann": (number % 3, 0), "Ben": (1, 0), "Cleo": (0, 0)}, caller="Ann")
    totals = match.totals()
    for step, rounds in (("undo", 0), ("redo", 52)):
        for _change in range(52):
            found = re.search(rf'/{step}">.*?name="seq" value="(\d+)"', match.get().text, re.DOTALL)
            assert found is not None
            match.post(step, seq=found[1])
        assert len(match.state.rounds) == rounds
    assert match.totals() == totals


def test_the_match_page_has_a_code_to_follow_before_and_after_the_first_round(match: Phone) -> None:
    for _round in range(2):
        page = match.get().text
        assert page.count('aria-label="QR code of the link that only shows"') == 1
        match.type_round({"Ann": (1, 0), "Ben": (1, 0), "Cleo": (0, 0)}, caller="Ann")


# False calls, and what was typed after the photos.


def test_false_calls_of_a_round_by_photo_are_counted(phone: Phone, reader: FakeReader) -> None:
    reader.scripts = [Script.of("AH@p1 2H@p2")]
    a_house(phone, "Ann", "Ben", false_call_penalty=5)
    sheet = phone.read(*reader.scripts[0].photos())
    assert 'aria-label="False calls of Ben"' in phone.get(sheet).text
    phone.correct(sheet, "caller", seat="p1")
    phone.correct(sheet, "left", seat="p2", number=1)
    phone.correct(sheet, "false_calls", seat="p2", number=2)
    phone.confirm(sheet)
    assert phone.totals() == {"Ann": 1, "Ben": -11}
    assert "<td>2</td>" in phone.get(f"round/{phone.state.rounds[0].id}").text


def test_what_was_typed_after_the_photos_stays_when_the_cards_are_corrected(
    phone: Phone, reader: FakeReader
) -> None:
    reader.scripts = [Script.of("AH@p1 2H@p2 3H@p1")]
    phone.new_match("Ann", "Ben", preset="pounce25")
    sheet = phone.read(*reader.scripts[0].photos())
    phone.correct(sheet, "caller", seat="p1")
    phone.correct(sheet, "left", seat="p2", number=1)
    phone.confirm(sheet)
    # Corrected by hand: Ben called too, with nothing left, and had one card more.
    kept = phone.state.rounds[0]
    typed = phone.round_form({"Ann": (2, 0), "Ben": (2, 0)}, "Ann", **{"also-p2": "1"})
    assert phone.post(f"round/{kept.id}/edit", **typed).status_code == 302
    assert phone.totals() == {"Ann": 27, "Ben": 27}
    answer = phone.client.post(f"{phone.match}round/{kept.id}/correct", follow_redirects=True)
    assert "counts them from the cards again" in answer.text
    again = answer.request.path.removeprefix(phone.match)
    phone.confirm(again)
    assert phone.totals() == {"Ann": 27, "Ben": 26}
