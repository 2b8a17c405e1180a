"""Playing at a table of one's own: moves, refusals, retries, pauses, and the round to its end."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from flask import Flask

from scorer.game.moves import Move
from tests.webapp.at_table import Player, Time
from webapp.play import flood
from webapp.play.attendance import GRACE_SECONDS


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    return Time(monkeypatch)


@pytest.fixture
def ann(app: Flask, time: Time) -> Player:
    """Ann, at a fresh table with one bot."""
    return Player(app).set_table("family")


# Setting a table.


def test_the_start_page_leads_to_the_game(app: Flask) -> None:
    assert 'href="/play"' in Player(app).client.get("/").text


def test_a_table_is_set_and_dealt(ann: Player) -> None:
    page = ann.client.get(ann.path)
    assert page.status_code == 200
    shown = re.search(r'<script type="application/json" id="table">(.*?)</script>', page.text, re.S)
    assert shown is not None
    hello = json.loads(shown[1])
    assert (hello["you"], hello["round"], hello["phase"], hello["host"]) == ("P1", 1, "playing", True)
    assert [seat["name"] for seat in hello["seats"]] == ["Ann", "Family"]
    assert [seat["bot"] for seat in hello["seats"]] == [None, "family"]
    assert {place: len(cards) for place, cards in hello["change"].items() if place.startswith("P1")} == {
        "P1.N": 13,
        "P1.S": 35,
        "P1.W": 0,
        "P1.1": 1,
        "P1.2": 1,
        "P1.3": 1,
        "P1.4": 1,
    }
    assert hello["join"] is None
    assert hello["result"] is None


def test_the_phone_lists_its_tables(ann: Player) -> None:
    assert ann.path in ann.client.get("/play").text
    assert ann.path not in Player(ann.app).client.get("/play").text


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"name": " "}, "name"),
        ({"bot": []}, "one to 5 bots"),
        ({"bot": ["shark"] * 6}, "one to 5 bots"),
        ({"bot": ["octopus"]}, "one to 5 bots"),
        ({"rules": "mine"}, "rules"),
    ],
)
def test_a_table_that_cannot_be_set_is_refused(app: Flask, form: dict[str, object], told: str) -> None:
    ann = Player(app)
    answer = ann.send_form("/play", **({"name": "Ann", "bot": ["shark"], "rules": "classic"} | form))
    assert answer.status_code == 422
    assert told in answer.text
    with ann.client.session_transaction() as session:
        assert "tables" not in session


def test_a_form_sent_twice_sets_one_table(app: Flask) -> None:
    first = Player(app).set_table("shark", token="a-token")
    assert Player(app).set_table("shark", token="a-token").path == first.path


def test_a_player_called_like_a_bot_keeps_his_name(app: Flask) -> None:
    hello = Player(app).set_table("shark", "shark", name="Shark").hello()
    assert [seat["name"] for seat in hello["seats"]] == ["Shark", "Shark 2", "Shark 3"]


# Who may.


@pytest.mark.parametrize("page", ["", "/events", "/legal"])
def test_no_link_no_data(ann: Player, page: str) -> None:
    for key in ("guessed", f"{ann.key[:12]}{'x' * 16}", f"{'0' * 12}{ann.key[12:]}", f"{ann.key}x"):
        answer = ann.client.get(f"/play/{key}{page}")
        assert answer.status_code == 404
        assert "Ann" not in answer.text


@pytest.mark.parametrize("button", ["move", "pause", "resume", "next", "leave"])
def test_no_link_no_play(ann: Player, button: str) -> None:
    answer = Player(ann.app, f"/play/{ann.key[:12]}{'x' * 16}").press(button)
    assert answer.status_code == 404
    assert answer.json["ok"] is False


def test_what_comes_from_elsewhere_is_refused(make_app: Callable[..., Flask]) -> None:
    ann = Player(make_app(csrf=True))
    assert ann.send_form("/play", name="Ann", bot="shark", rules="classic").status_code == 400
    token = re.search(r'name="csrf_token" value="([^"]+)"', ann.client.get("/play").text)
    assert token is not None
    ann.set_table(csrf_token=token[1])
    for button in ("pause", "resume", "next", "leave"):
        assert ann.press(button).status_code == 400
    assert ann.send("turn").status_code == 400
    assert ann.moves_made() == []
    sent = {"move": "turn", "number": 1, "client": "page"}
    answer = ann.client.post(f"{ann.path}/move", json=sent, headers={"X-CSRFToken": token[1]})
    assert answer.json["ok"]


def test_keys_are_not_to_be_guessed(app: Flask) -> None:
    keys = [Player(app).set_table().key for _ in range(5)]
    assert len({key[12:] for key in keys}) == 5
    assert all(len(key) == 28 for key in keys)


# Moves.


def test_a_move_is_made_and_told(ann: Player) -> None:
    before = ann.hello()
    seq = ann.play("turn")
    after = ann.hello()
    assert seq > before["seq"]
    assert (len(after["change"]["P1.S"]), len(after["change"]["P1.W"])) == (32, 3)
    assert after["change"]["P1.W"][:2] == ["P1:", "P1:"]
    assert after["change"]["P1.W"][2] != "P1:"


@pytest.mark.parametrize(
    ("move", "told"),
    [
        ("redeal", "no waste"),
        ("nerts!", "13 cards left"),
        ("rotate", "stuck"),
        ("W:4C>3", "waste is empty"),
        ("P2.N:4C>1", "only his own layout"),
        ("N:4C>P2.1", "Nerts pile is|another player"),
        ("S:4C>1", "stock"),
        ("1:4C>F77", ""),
        ("P2 turn", "not a move"),
        ("table stop", "not a move"),
        ("turn\nP2 turn", "not a move"),
        ("", "not a move"),
        ("🂡", "not a move"),
    ],
)
def test_what_the_rules_refuse_changes_nothing(ann: Player, move: str, told: str) -> None:
    before = ann.places()
    assert re.search(told, ann.refused(move))
    assert {p: c for p, c in ann.places().items() if p[:2] == "P1"} == {
        p: c for p, c in before.items() if p[:2] == "P1"
    }
    assert ann.moves_made() == []


def test_refusals_name_players_not_seats(ann: Player) -> None:
    assert ann.refused("nerts!").startswith("Ann cannot call Nerts")


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"turn",
        b"[]",
        b"{}",
        b'{"move": 3, "number": 1}',
        b'{"move": "turn"}',
        b'{"move": "turn", "number": "1"}',
        b'{"move": "turn", "number": true}',
        b'{"move": "turn", "number": -1}',
        b'{"move": "turn", "number": 1, "client": 7}',
        b'{"move": "' + b"x" * 100 + b'", "number": 1}',
        b"[" * 5000,
        b"\xff\xfe",
    ],
)
def test_what_no_page_sends_is_refused(ann: Player, sent: bytes) -> None:
    answer = ann.client.post(f"{ann.path}/move", data=sent, content_type="application/json")
    assert answer.status_code == 400
    assert answer.json["ok"] is False
    assert ann.moves_made() == []


def test_a_move_sent_again_after_a_lost_answer_is_made_once(ann: Player) -> None:
    first = ann.send("turn", number=7)
    again = ann.send("turn", number=7)
    assert again.json == first.json
    assert ann.moves_made() == ["turn"]
    ann.send("turn", number=8)
    assert ann.moves_made() == ["turn", "turn"]


def test_two_tabs_do_not_swallow_one_anothers_moves(ann: Player) -> None:
    tab = ann.other_tab()
    assert ann.send("turn", number=1).json["ok"]
    assert tab.send("turn", number=1).json["ok"]
    assert ann.moves_made() == ["turn", "turn"]
    assert tab.places()["P1.W"] == ann.places()["P1.W"]


def test_a_tab_that_is_behind_is_refused(ann: Player) -> None:
    behind, tab = ann.legal(), ann.other_tab()
    while not any(move[0] in "N1234W" and ">F" not in move for move in behind):
        ann.play("turn" if "turn" in behind else "redeal")
        behind = ann.legal()
    move = next(move for move in behind if move[0] in "N1234W" and ">F" not in move)
    ann.play(move)
    tab.refused(move)


def test_a_seat_that_floods_is_stopped_and_may_go_on_later(ann: Player, time: Time) -> None:
    time.stops()
    answers = [ann.send("nerts!") for _ in range(flood.AT_ONCE + 10)]
    codes = [answer.status_code for answer in answers]
    assert set(codes[: flood.AT_ONCE]) == {409}
    assert codes[-1] == 429
    assert "wait a second" in answers[-1].json["error"]
    time.passes(2)
    assert ann.send("turn").status_code == 200


def test_the_flood_of_one_does_not_stop_another(app: Flask, time: Time) -> None:
    ann = Player(app).set_table(join="1")
    ben = Player(app).join(ann.hello()["join"], "Ben")
    ann.press("resume")
    time.stops()
    for _ in range(flood.AT_ONCE + 5):
        ann.send("nerts!")
    assert ann.send("turn").status_code == 429
    assert ben.send("turn").status_code == 200


def with_an_ace(app: Flask) -> tuple[Player, str]:
    """A table at which the person can start a foundation at once."""
    for _ in range(100):
        ann = Player(app).set_table("beginner")
        found = [move for move in ann.legal() if move.endswith(">F")]
        if found:
            return ann, found[0]
    raise AssertionError("no ace in a hundred deals")


def test_a_card_for_a_foundation_flies_and_lands(app: Flask, time: Time) -> None:
    ann, ace = with_an_ace(app)
    ann.play(ace)
    there = ann.hello()
    card = there["change"]["P1.A"][0]
    assert there["air"] == {"P1": "F"}
    assert card[3:] in ace
    time.passes(0.2)
    there = ann.hello()
    assert there["change"]["F1"] == [card]
    assert "P1.A" not in there["change"]


def test_a_quick_player_does_not_wait_for_his_own_card(app: Flask, time: Time) -> None:
    ann, ace = with_an_ace(app)
    ann.play(ace)
    ann.play("turn")
    first, second = [one for one in ann.records() if one.move.seat == 0]
    assert str(first.move).endswith(">F")
    assert second.lifted >= first.at


def test_legal_moves_are_those_the_server_takes(ann: Player) -> None:
    assert "turn" in ann.legal()
    assert "redeal" not in ann.legal()


# The clock.


def test_a_paused_table_stands_still(ann: Player, time: Time) -> None:
    assert ann.press("pause").json["ok"]
    before = ann.hello()
    assert (before["phase"], before["running"]) == ("paused", False)
    time.passes(30)
    assert ann.hello()["at"] == before["at"]
    assert "paused" in ann.refused("turn")
    assert ann.legal() == []
    ann.press("resume")
    time.passes(30)
    after = ann.hello()
    assert after["phase"] == "playing"
    assert after["at"] >= before["at"] + 30_000
    assert any(one.move.seat == 1 for one in ann.records())


def test_a_table_nobody_is_at_stands_still_until_somebody_comes(ann: Player, time: Time) -> None:
    ann.play("turn")
    time.passes(GRACE_SECONDS + 1)
    found = ann.app.extensions["nerts"]["hall"].by_key(ann.key, attend=False)
    assert found is not None
    there, _seat = found
    there.tick()
    at = there._clock.now()
    time.passes(100)
    there.tick()
    assert there._clock.now() == at
    assert there.is_idle
    ann.play("turn")
    assert there._clock.is_running


def test_bots_play_on_while_the_person_thinks(ann: Player, time: Time) -> None:
    time.passes(10)
    ann.hello()
    assert sum(one.move.seat == 1 for one in ann.records()) > 3


def test_the_ticker_moves_bots_without_being_asked(app: Flask) -> None:
    ann = Player(app).set_table("shark")
    seen = ann.hello()["seq"]
    with ann.following(since=seen) as events:
        first = next(event for event in events if event.kind == "change")
    assert any(place.startswith("P2.") for place in first.data["change"])


# The end of a round, and of a match.


def test_a_round_is_played_to_its_end_and_scored(app: Flask, time: Time) -> None:
    ann = Player(app).set_table("shark", "shark")
    over = ann.until_over(time)
    assert over["phase"] == "over"
    result = over["result"]
    played = ann.table._round
    assert played is not None
    scores = {line["seat"]: line["score"] for line in result["scores"]}
    own = played.head.score(played.state).scores
    assert list(scores.values()) == [own[name] for name in played.head.players]
    assert {seat["seat"]: seat["total"] for seat in over["seats"]} == scores
    assert result["how"] == played.state.end
    assert all(line["bonus"] == 0 for line in result["scores"])
    assert result["next"] == f"{ann.path}/next"
    assert "over" in ann.refused("turn")


def test_bonuses_are_told_apart(app: Flask, time: Time) -> None:
    ann = Player(app).set_table("shark", "shark", rules="pounce25")
    over = ann.until_over(time)
    while over["result"]["how"] != "called":
        ann.press("next")
        over = ann.until_over(time)
    caller = over["result"]["called"][0]
    bonuses = {line["seat"]: line["bonus"] for line in over["result"]["scores"]}
    assert bonuses == {seat: 25 if seat == caller else 0 for seat in bonuses}
    for line in over["result"]["scores"]:
        assert line["score"] == line["foundation"] - 2 * line["nerts_left"] + line["bonus"]


def test_rounds_follow_until_the_target_and_then_another_match(app: Flask, time: Time) -> None:
    ann = Player(app).set_table("shark", "shark", "shark", rules="quick")
    rounds = 0
    while (over := ann.until_over(time, seed=rounds))["phase"] != "finished":
        rounds += 1
        assert rounds < 30
        assert ann.press("next").json["ok"]
        dealt = ann.hello()
        assert (dealt["round"], dealt["phase"], dealt["result"]) == (rounds + 1, "playing", None)
        assert not any(place.startswith("F") for place in dealt["change"])
    totals = {seat["seat"]: seat["total"] for seat in over["seats"]}
    assert max(totals.values()) >= 50
    assert over["result"]["finished"]
    assert over["result"]["winners"] == [
        seat for seat, total in totals.items() if total == max(totals.values())
    ]
    ann.press("next")
    fresh = ann.hello()
    assert fresh["phase"] == "playing"
    assert {seat["total"] for seat in fresh["seats"]} == {0}


def test_next_pressed_twice_deals_one_round(app: Flask, time: Time) -> None:
    ann = Player(app).set_table("shark", "shark")
    ann.until_over(time)
    ann.press("next")
    ann.play("turn")
    assert ann.press("next").json["ok"]
    assert (ann.hello()["round"], ann.moves_made()) == (2, ["turn"])


def test_a_round_in_play_cannot_be_replayed(ann: Player) -> None:
    name = ann.table.saved.replay
    for page in ("", ".json", "/record", "/photos"):
        assert ann.client.get(f"/replay/{name}{page}").status_code == 404


def test_the_last_card_in_the_air_counts_when_somebody_calls(app: Flask, time: Time) -> None:
    ann, ace = with_an_ace(app)
    played = ann.table._round
    assert played is not None
    with ann.table._changed:
        played.state.layouts[1].nerts.clear()
        ann.play(ace)
        played.seat(1, None, ann.table._clock.now())
        played.submit(Move.parse("P2 nerts!"), 1, ann.table._clock.now())
    time.passes(0.2)
    over = ann.hello()
    assert over["phase"] == "over"
    assert over["result"]["called"] == ["P2"]
    assert over["result"]["scores"][0]["foundation"] == 1
    assert "over" in ann.refused("turn")
