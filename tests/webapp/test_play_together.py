"""Several people at one table: joining by invitation, coming in the middle, leaving."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

import pytest
from flask import Flask

from scorer.game.codes import text
from tests.webapp.at_table import Player, Time
from webapp.play.attendance import GRACE_SECONDS
from webapp.play.log import EventLog


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    return Time(monkeypatch)


@pytest.fixture
def ann(app: Flask, time: Time) -> Player:
    """Ann, who has set a table with two bots that others may join."""
    return Player(app).set_table("family", "shark", join="1")


def invitation(player: Player) -> str:
    return str(player.hello()["join"])


@pytest.fixture
def ben(ann: Player) -> Player:
    return Player(ann.app).join(invitation(ann), "Ben")


def test_a_table_for_others_waits_for_its_host(ann: Player) -> None:
    waiting = ann.hello()
    assert (waiting["phase"], waiting["change"], waiting["running"]) == ("waiting", {}, False)
    assert "not begun" in ann.refused("turn")
    page = ann.client.get(ann.path).text
    assert f"http://localhost{waiting['join']}" in page
    assert ann.press("resume").json["ok"]
    assert ann.hello()["phase"] == "playing"


def test_somebody_joins_by_the_link(ann: Player) -> None:
    page = Player(ann.app).client.get(invitation(ann))
    assert page.status_code == 200
    assert "Ann" in page.text
    ben = Player(ann.app).join(invitation(ann), "Ben")
    there = ben.hello()
    assert (there["you"], there["host"], there["join"]) == ("P3", False, None)
    assert [(seat["name"], seat["bot"]) for seat in ann.hello()["seats"]] == [
        ("Ann", None),
        ("Family", "family"),
        ("Ben", None),
    ]


def test_only_the_host_begins(ann: Player, ben: Player) -> None:
    assert ben.press("resume").status_code == 409
    assert ben.press("next").status_code == 409
    assert ann.hello()["phase"] == "waiting"
    ann.press("next")
    assert ben.hello()["phase"] == "playing"


def test_each_sees_the_moves_of_the_other_and_not_his_hidden_cards(ann: Player, ben: Player) -> None:
    ann.press("resume")
    ann.play("turn")
    ben.play("turn")
    of_ann, of_ben = ann.places(), ben.places()
    assert of_ben["P1.W"] == of_ann["P1.W"]
    assert of_ann["P3.W"] == of_ben["P3.W"]
    for places in (of_ann, of_ben):
        for seat in ("P1", "P2", "P3"):
            assert set(places[f"{seat}.S"]) == {f"{seat}:"}
            assert set(places[f"{seat}.N"][:-1]) == {f"{seat}:"}


def test_nobody_plays_for_another(ann: Player, ben: Player) -> None:
    ann.press("resume")
    card = ann.places()["P1.N"][-1].partition(":")[2]
    assert "only his own layout" in ben.refused(f"P1.N:{card}>P1.1")
    assert ann.moves_made() == ben.moves_made() == []
    assert ben.key[:12] == ann.key[:12]
    assert ben.key[12:] != ann.key[12:]


def test_no_key_and_no_invitation_is_told_to_another(ann: Player, ben: Player) -> None:
    ann.press("resume")
    secret, invite = ann.key[12:], invitation(ann).rpartition("/")[2][12:]
    with ben.following() as events:
        told = json.dumps(next(events).data)
    told += ben.client.get(ben.path).text
    assert secret not in told
    assert invite not in told


@pytest.mark.parametrize(
    ("name", "reason"),
    [("", "your name"), ("  ", "your name"), ("ANN", "another name"), ("Shark", "another name")],
)
def test_a_name_that_will_not_do_is_refused(ann: Player, name: str, reason: str) -> None:
    answer = Player(ann.app).send_form(invitation(ann), name=name)
    assert answer.status_code == 422
    assert reason in answer.text
    assert len(ann.table.saved.people) == 1


def test_a_form_sent_twice_takes_one_seat(ann: Player) -> None:
    first = Player(ann.app).join(invitation(ann), "Ben", token="t")
    again = Player(ann.app).join(invitation(ann), "Ben", token="t")
    assert again.path == first.path
    assert len(ann.table.saved.people) == 2


def test_there_are_six_seats_before_the_first_round_and_no_more(ann: Player) -> None:
    link = invitation(ann)
    for number in range(2, 7):
        Player(ann.app).join(link, f"Guest {number}")
    assert [seat["name"] for seat in ann.hello()["seats"]] == [
        "Ann",
        "Guest 3",
        "Guest 2",
        "Guest 4",
        "Guest 5",
        "Guest 6",
    ]
    answer = Player(ann.app).send_form(link, name="One too many")
    assert answer.status_code == 422
    assert "Every seat" in answer.text
    ann.press("resume")
    assert sum(place.endswith(".N") for place in ann.places()) == 6


def test_a_table_that_others_may_not_join_has_no_link(app: Flask) -> None:
    ann = Player(app).set_table()
    for guess in ("x" * 16, "None"):
        assert Player(app).client.get(f"/play/join/{ann.key[:12]}{guess}").status_code == 404
    assert Player(app).client.get(f"/play/join/{ann.key}").status_code == 404


def test_an_invitation_is_no_key_and_a_key_no_invitation(ann: Player) -> None:
    code = invitation(ann).rpartition("/")[2]
    assert ann.client.get(f"/play/{code}").status_code == 404
    assert ann.client.get(f"/play/join/{ann.key}").status_code == 404


def test_somebody_comes_in_the_middle_and_plays_on_with_the_cards_of_a_bot(ann: Player, time: Time) -> None:
    ann.press("resume")
    time.passes(10)
    before = ann.places()
    ben = Player(ann.app).join(invitation(ann), "Ben")
    there = ben.places()
    assert {place: cards for place, cards in there.items() if place[:3] == "P3." and place[3] in "1234"} == {
        place: cards for place, cards in before.items() if place[:3] == "P3." and place[3] in "1234"
    }
    count = len(ben.moves_made())
    time.passes(20)
    ann.hello()
    assert len(ben.moves_made()) <= count + 1  # a card may have been in the air
    ben.play("turn" if "turn" in ben.legal() else "redeal")


def test_one_pauses_and_both_are_told(ann: Player, ben: Player) -> None:
    ann.press("resume")
    seen = ben.hello()["seq"]
    ann.press("pause")
    with ben.following(last=seen) as events:
        told = next(event for event in events if event.kind == "status")
    assert told.data["phase"] == "paused"
    assert "change" not in told.data
    ben.press("resume")
    assert ann.hello()["phase"] == "playing"


def test_who_is_there_is_told(ann: Player, ben: Player, time: Time) -> None:
    ann.press("resume")
    assert [seat["present"] for seat in ann.hello()["seats"]] == [True, True, True]
    time.passes(60)
    ann.play("turn")
    assert [seat["present"] for seat in ann.table.hello(0)["seats"]] == [True, True, False]


def test_when_somebody_is_no_longer_there_the_others_are_told(ann: Player, ben: Player, time: Time) -> None:
    ann.press("resume")
    seen = ann.hello()["seq"]
    with ann.following(last=seen) as events:
        time.passes(GRACE_SECONDS + 1)
        ann.table.tick()
        told = next(event for event in events if event.kind == "status")
    assert [seat["present"] for seat in told.data["seats"]] == [True, True, False]


def never_shown(player: Player) -> set[str]:
    """The cards of a round that is over that never showed their faces: in Nerts piles, stocks and wastes."""
    played = player.table._round
    assert played is not None
    hidden = set()
    for seat, layout in enumerate(played.state.layouts, 1):
        unseen = [card for card in (*layout.stock, *layout.waste) if card not in layout.seen]
        hidden |= {f"P{seat}:{text(card)}" for card in (*layout.nerts[:-1], *unseen)}
    return hidden


@pytest.mark.parametrize("rules", ["classic", "racing_demon", "two_player"])
@pytest.mark.parametrize("seed", range(2))
def test_no_message_to_anybody_tells_a_card_that_was_never_shown(
    app: Flask, time: Time, rules: str, seed: int
) -> None:
    ann = Player(app).set_table("shark", "beginner", rules=rules, join="1")
    ben = Player(app).join(ann.hello()["join"], "Ben")
    ann.press("resume")
    told = [json.dumps(player.hello()) for player in (ann, ben)]
    kept: list[str] = []
    append = EventLog.append

    def listening(self: EventLog, kind: str, messages: Mapping[int, Mapping[str, object]]) -> None:
        kept.append(json.dumps([*messages.values()]))
        append(self, kind, messages)

    ann.table._log.append = listening.__get__(ann.table._log)  # type: ignore[method-assign]
    ann.until_over(time, seed, [ben])
    told += [*kept, *(json.dumps(player.hello()) for player in (ann, ben))]
    everything = "".join(told)
    assert len(kept) > 50
    hidden = never_shown(ann)
    assert len(hidden) > 5
    assert {card for card in hidden if f'"{card}"' in everything} == set()


# Leaving.


def test_a_bot_plays_on_for_whoever_leaves(ann: Player, ben: Player, time: Time) -> None:
    ann.press("resume")
    ben.play("turn")
    answer = ben.press("leave")
    assert answer.json == {"ok": True, "url": "/play"}
    assert ben.client.get(ben.path).status_code == 404
    assert ben.send("turn").status_code == 404
    assert ben.path not in ben.client.get("/play").text
    assert ann.hello()["seats"][2]["name"] == "Ben (bot)"
    time.passes(10)
    ann.hello()
    assert sum(one.move.seat == 2 for one in ann.records()) > 2


def test_the_stream_of_a_seat_that_was_given_up_says_so(ann: Player, ben: Player) -> None:
    ann.press("resume")
    with ben.following() as events:
        next(events)
        ben.press("leave")
        assert "gone" in {event.kind for event in events}


def test_the_next_person_becomes_the_host(ann: Player, ben: Player) -> None:
    link = invitation(ann)
    ann.press("leave")
    assert (ben.hello()["host"], invitation(ben)) == (True, link)
    assert ben.press("resume").json["ok"]


def test_a_table_that_the_last_person_leaves_is_cleared(ann: Player) -> None:
    link, folder = invitation(ann), ann.table._files.folder
    ann.press("resume")
    assert folder.exists()
    answer = ann.send_form(f"{ann.path}/leave")
    assert (answer.status_code, answer.location) == (303, "/play")
    assert not folder.exists()
    for page in (ann.path, f"{ann.path}/events", link):
        assert ann.client.get(page).status_code == 404
    gone = ann.client.get(ann.path).text
    assert "cleared" in gone
    assert ann.press("resume").status_code == 404


def test_who_guesses_links_is_stopped(make_app: Callable[..., Flask]) -> None:
    guest = Player(make_app(limits=True))
    codes = [guest.client.get(f"/play/{number:012x}{'x' * 16}").status_code for number in range(40)]
    assert codes[0] == 404
    assert codes[-1] == 429


def test_names_are_escaped(app: Flask) -> None:
    ann = Player(app).set_table(name="<b>Ann</b>", join="1")
    link = invitation(ann)
    pages = [ann.client.get(ann.path).text, ann.client.get("/play").text, Player(app).client.get(link).text]
    for page in pages:
        assert "<b>Ann" not in page
    assert not re.search(r"<script(?![^>]*(src=|type=\"application/json\"))", pages[0])
