"""What players of other score keepers complain about must not happen here."""

from __future__ import annotations

import html
import io
import json
import re
from collections.abc import Callable

import pytest
from flask import Flask

from scorer.scoring import LIMITS, PRESETS, Rules
from tests.webapp.scripted import DOUBTFUL, FakeReader, Script
from tests.webapp.table import Phone, sentence, token


def test_a_zero_counts_as_a_round(match: Phone) -> None:
    match.type_round({"Ann": (0, 0), "Ben": (4, 2), "Cleo": (10, 0)}, caller="Cleo")
    match.type_round({"Ann": (0, 0), "Ben": (5, 0), "Cleo": (3, 1)}, caller="Ben")
    assert match.totals() == {"Cleo": 11, "Ben": 5, "Ann": 0}
    rows = re.findall(r"<tr><th class=\"head\" scope=\"row\"><a.*?</tr>", match.get().text, re.DOTALL)
    assert [row.count("<td>") for row in rows] == [3, 3]


def test_a_round_from_long_ago_can_be_fixed_and_all_totals_follow(match: Phone) -> None:
    for _round in range(6):
        match.type_round({"Ann": (10, 0), "Ben": (5, 1), "Cleo": (4, 4)}, caller="Ann")
    match.edit_round(1, {"Ann": (1, 2), "Ben": (9, 0), "Cleo": (4, 4)}, caller="Ben")
    assert match.totals() == {"Ann": 47, "Ben": 24, "Cleo": -24}


def test_scores_are_there_after_idle_time_and_a_restart(match: Phone, make_app: Callable[..., Flask]) -> None:
    match.type_round({"Ann": (10, 0), "Ben": (5, 1), "Cleo": (4, 4)}, caller="Ann")
    later = Phone(make_app(), match.match)  # another process, another phone, no cookies
    assert later.totals() == {"Ann": 10, "Ben": 3, "Cleo": -4}


def test_eight_players_and_thirty_rounds(phone: Phone) -> None:
    names = [f"Player {letter}" for letter in "ABCDEFGH"]
    phone.new_match(*names, preset="house", **house(target=10000))
    for number in range(30):
        hands = {name: (number + at, at) for at, name in enumerate(names)}
        answer = phone.type_round(hands, caller=names[0])
        assert answer.status_code == 302, sentence(answer)
    page = phone.get()
    assert page.status_code == 200
    assert len(page.data) < 60_000
    assert phone.totals()["Player A"] == sum(range(30))


def house(**changes: object) -> dict[str, object]:
    """All fields of the house rules as the page sends them."""
    values = Rules().to_json() | changes
    names = ("nerts_penalty", "caller_bonus", "king_bonus", "false_call_penalty", "target", "hands_to_win")
    return {name: values[name] for name in (*names, "nerts_size", "jokers", "end", "tiebreak", "payoff")}


def test_minus_26_is_natural(match: Phone) -> None:
    assert match.type_round({"Ann": (0, 13), "Ben": (0, 13), "Cleo": (0, 13)}).status_code == 302
    assert match.totals() == {"Ann": -26, "Ben": -26, "Cleo": -26}


def test_a_double_tap_scores_once(match: Phone) -> None:
    form = match.round_form({"Ann": (10, 0), "Ben": (5, 1), "Cleo": (4, 4)}, caller="Ann")
    assert [match.post("type", **form).status_code for _tap in range(3)] == [302, 302, 302]
    assert len(match.state.rounds) == 1


def test_the_target_is_reached_by_passing_it(match: Phone) -> None:
    for out in (52, 47):
        match.type_round({"Ann": (out, 0), "Ben": (1, 0), "Cleo": (1, 0)}, caller="Ann")
    assert match.winners() == []  # 99
    match.type_round({"Ann": (10, 0), "Ben": (1, 0), "Cleo": (1, 0)}, caller="Ann")
    assert match.winners() == ["Ann"]


def test_only_the_highest_of_two_at_the_target_wins(match: Phone) -> None:
    for hands in ((44, 45), (44, 45)):
        match.type_round({"Ann": (hands[0], 0), "Ben": (hands[1], 0), "Cleo": (0, 0)})
    match.type_round({"Ann": (14, 0), "Ben": (11, 0), "Cleo": (0, 0)})
    assert match.totals() == {"Ann": 102, "Ben": 101, "Cleo": 0}
    assert match.winners() == ["Ann"]


def test_a_tie_is_decided_by_another_round_not_by_the_order_of_seats(match: Phone) -> None:
    for _round in range(2):
        match.type_round({"Ann": (50, 0), "Ben": (50, 0), "Cleo": (0, 0)})
    assert match.winners() == []
    assert "another round decides" in match.get().text
    assert re.findall(r'class="place">(\d)<', match.get().text) == ["1", "1", "3"]
    match.type_round({"Ann": (5, 0), "Ben": (7, 0), "Cleo": (0, 0)})
    assert match.winners() == ["Ben"]


def test_a_bonus_of_0_stays_0(phone: Phone) -> None:
    zero = house(caller_bonus=0, king_bonus=0, nerts_penalty=0)
    phone.new_match("Ann", "Ben", preset="house", base="racing_demon", **zero)
    assert (phone.state.rules.caller_bonus, phone.state.rules.king_bonus) == (0, 0)
    assert phone.state.rules.nerts_penalty == 0
    phone.type_round({"Ann": (12, 0), "Ben": (9, 5)}, caller="Ann")
    assert phone.totals() == {"Ann": 12, "Ben": 9}


def test_a_blank_is_asked_for_and_nothing_is_lost(match: Phone) -> None:
    answer = match.type_round({"Ann": ("", 0), "Ben": (5, ""), "Cleo": (4, 4)}, caller="Ann")
    assert answer.status_code == 422
    assert "How many cards of Ann lie on the foundations?" in sentence(answer)
    assert 'name="out-p2"' in answer.text and 'value="5"' in answer.text
    assert "NaN" not in answer.text
    assert match.state.rounds == ()


@pytest.mark.parametrize("typed", ["abc", "1.5", "NaN", "1e3", "--1", "-3", "9" * 400])
def test_nonsense_is_refused_beside_its_field(match: Phone, typed: str) -> None:
    answer = match.type_round({"Ann": (typed, 0), "Ben": (5, 0), "Cleo": (4, 4)}, caller="Ann")
    assert answer.status_code == 422
    assert re.search(r'name="out-p1"[^>]*aria-invalid="true"', answer.text)
    assert match.state.rounds == ()


def test_editing_shows_the_raw_inputs_that_were_typed(match: Phone) -> None:
    match.type_round({"Ann": (19, 0), "Ben": (14, 4), "Cleo": (7, 6)}, caller="Ann")
    page = match.get(f"round/{match.state.rounds[0].id}/edit").text
    shown = dict(re.findall(r'name="((?:out|left)-p\d)"[^>]*value="([^"]*)"', page))
    typed = {"out-p1": "19", "left-p1": "0", "out-p2": "14", "left-p2": "4", "out-p3": "7", "left-p3": "6"}
    assert shown == typed
    assert re.search(r'value="p1" checked', page)


def test_the_users_own_card_is_taken_when_all_candidates_are_wrong(phone: Phone, reader: FakeReader) -> None:
    reader.scripts = [Script.of("AH@a 2H@b KC@a!", "AC@a 2C@b")]
    phone.new_match("Ann", "Ben")
    sheet = phone.read(*reader.scripts[0].photos())
    answer = phone.correct(sheet, "face", card="c3", face="3H")
    assert answer["sentence"] is None
    assert 'data-card="c3" data-face="3H"' in str(answer["main"])


def test_every_card_is_in_the_list(phone: Phone, reader: FakeReader) -> None:
    phone.new_match("Ann", "Ben")
    page = phone.get(phone.read(*reader.scripts[0].photos())).text
    deck = page[page.index('id="card-dialog"') :]
    offered = set(re.findall(r'data-face="([^"]+)"', deck))
    ranks = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
    assert offered == {rank + suit for rank in ranks for suit in "CDHS"}
    assert "data-joker" in deck


def test_a_card_that_occurs_twice_is_exported_and_imported(phone: Phone, reader: FakeReader) -> None:
    reader.scripts = [Script.of("AH@a 2H@b", "AH@b 2H@a")]
    phone.new_match("Ann", "Ben")
    sheet = phone.read(*reader.scripts[0].photos())
    for step in (
        {"kind": "back", "owner": "a", "seat": "p1"},
        {"kind": "back", "owner": "b", "seat": "p2"},
        {"kind": "caller", "seat": "p1"},
        {"kind": "left", "seat": "p2", "number": 1},
    ):
        phone.correct(sheet, **step)  # type: ignore[arg-type]
    assert phone.confirm(sheet).status_code == 302
    assert phone.totals() == {"Ann": 2, "Ben": 0}
    copy = import_match(phone, phone.get("export.json").data)
    assert copy.totals() == phone.totals()
    assert copy.get(f"round/{copy.state.rounds[0].id}").text.count("A♥") == 2


def import_match(phone: Phone, data: bytes) -> Phone:
    answer = phone.client.post("/import", data={"file": (io.BytesIO(data), "match.json")})
    assert answer.status_code == 302, sentence(answer)
    return Phone(phone.app, answer.location)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_server_takes_what_the_page_offers(phone: Phone, preset: str) -> None:
    """The steppers of the page end where the server's limits lie, and every choice can be sent."""
    phone.new_match("Ann", "Ben", preset=preset)
    page = phone.get("type").text
    most = {
        name: int(value)
        for value, name in re.findall(r'data-most="(\d+)".*?name="([a-z_]+-p\d)"', page, re.DOTALL)
    }
    assert most["out-p1"] == 52
    callers = re.findall(r'name="caller" value="([^"]+)"', page)
    for caller in callers:
        for name, value in most.items():
            form = {other: "0" for other in most} | {name: str(value)}
            if name.startswith("kings"):
                form["out" + name[5:]] = "4"
            if caller != "none" and name == f"left-{caller}":
                continue  # a contradiction, told in words
            answer = phone.post("type", token=token(), played=len(phone.state.rounds), caller=caller, **form)
            assert answer.status_code == 302, (name, value, sentence(answer))


def test_the_server_takes_every_choice_of_the_house_rules(phone: Phone) -> None:
    page = phone.client.get("/new").text
    for name in ("end", "over_target", "tiebreak", "payoff", "pass_decks", "starter"):
        select = re.search(rf'<select id="{name}".*?</select>', page, re.DOTALL)
        assert select is not None
        for value in re.findall(r'<option value="([^"]+)"', select[0]):
            form = house() | {name: value, "rounds": 5}
            phone.new_match("Ann", "Ben", preset="house", **form)
            assert getattr(phone.state.rules, name) == value
    for name, (low, high) in LIMITS.items():
        if f'id="{name}"' not in page:
            continue
        for value in (low, high):
            phone.new_match("Ann", "Ben", preset="house", **(house() | {name: value}))
            assert getattr(phone.state.rules, name) == value


def test_the_server_takes_whatever_the_review_offers(phone: Phone, reader: FakeReader) -> None:
    """Every button of the page, every card of the deck, as a card, a joker or a missed card."""
    reader.scripts = [DOUBTFUL]
    phone.new_match("Ann", "Ben", "Cleo", preset="house", **house(jokers=2))
    sheet = phone.read(*DOUBTFUL.photos())
    page = phone.get(sheet).text
    steps = [json.loads(html.unescape(step)) for step in re.findall(r"data-step='([^']+)'", page)]
    assert {step["kind"] for step in steps} >= {"back", "face", "drop", "accept", "caller", "left"}
    faces = re.findall(r'data-face="([^"]+)"', page[page.index('id="card-dialog"') :])
    steps += [{"kind": "face", "card": "c1", "face": face} for face in (*faces, "JK=AH", "JK=KS")]
    steps += [{"kind": "add", "face": faces[0], "photo": 0, "x": 5, "y": 5, "pile": "p1", "number": 0}]
    for step in steps:
        answer = phone.correct(sheet, **step)
        assert answer["sentence"] is None, (step, answer["sentence"])
        phone.client.post(f"{phone.match}{sheet}/back", json={"version": phone.sheet(sheet).version})


def test_a_number_below_0_can_be_typed_on_a_phone(phone: Phone) -> None:
    """The keypad for numbers has no minus on many phones: a field that may need one brings up letters."""
    page = phone.client.get("/new").text
    for name, (low, _high) in LIMITS.items():
        field = re.search(rf'id="{name}"[^>]*inputmode="(\w+)"', page)
        assert field is None or field[1] == ("text" if low < 0 else "numeric"), name
    for typed in ("-75", "−75"):  # as keyboards write it, and as the page itself shows it
        phone.new_match("Ann", "Ben", preset="house", **(house() | {"mercy": typed}))
        assert phone.state.rules.mercy == -75


def test_presets_on_the_page_are_those_of_the_rules(phone: Phone) -> None:
    page = phone.client.get("/new").text
    shown = re.findall(r'value="(\w+)" data-values=\'([^\']+)\'', page)
    assert {name: Rules.from_json(json.loads(html.unescape(values))) for name, values in shown} == PRESETS
