"""The software game in the page: by touch, by mouse, by keyboard; alone, with others, and with a bad line."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask import Flask
from playwright.sync_api import Page, expect

from scorer.scoring import PRESETS
from tests.browser.playing import (
    SEED,
    Finger,
    Keys,
    Mouse,
    alone,
    cards_shown,
    deal,
    foundation_cards,
    head_of,
    hide,
    join,
    made,
    misfit,
    moves_made,
    overlap,
    pile,
    pile_labels,
    planned,
    play_through,
    resume,
    set_table,
    sit_down,
    table_at,
    tap,
    until_a_choice,
    violations,
)
from tests.browser.positions import plays_allowed, plays_in_page, positions

LAPTOP = {"viewport": {"width": 1280, "height": 800}, "is_mobile": False, "has_touch": False}
PickUp = Callable[..., Page]
Server = tuple[str, Flask]


@pytest.fixture(autouse=True)
def seeded(monkeypatch: pytest.MonkeyPatch) -> None:
    deal(monkeypatch, SEED)


# --- A round to its end ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("way", "options"), [(Finger, {}), (Keys, LAPTOP), (Mouse, LAPTOP)], ids=["touch", "keyboard", "mouse"]
)
def test_a_scripted_round_is_played_to_its_end(
    pick_up: PickUp, server: Server, way: type[Finger] | type[Keys], options: dict[str, object]
) -> None:
    path = set_table(server[1])
    table = table_at(server[1], path)
    moves = planned(head_of(table))
    assert any("<" in move for move in moves) and any("x" in move for move in moves)
    page = pick_up(path, **options)
    sit_down(page)
    play_through(way(page), table, moves)
    result = page.locator("#result")
    expect(result).to_be_visible()
    expect(result.locator("h2")).to_have_text("Ann called Nerts!")
    out = sum(">F" in move for move in moves)
    expect(result.locator("tbody tr")).to_have_text([re.compile(rf"Ann\s*{out}\s*0\s*\+{out}\s*{out}")])


# --- What a tap does -------------------------------------------------------------------------------------------


def test_what_lights_up_is_what_the_server_allows(pick_up: PickUp, server: Server) -> None:
    """In many positions of many rounds the page finds the same plays as the engine."""
    page = pick_up(set_table(server[1]))
    for preset in ("classic", "racing_demon", "two_player"):
        for state in positions(PRESETS[preset], rounds=4):
            assert plays_in_page(page, state) == plays_allowed(state)


def test_of_several_places_one_is_chosen(pick_up: PickUp, server: Server) -> None:
    page, table = alone(pick_up, server)
    source, targets = until_a_choice(page, table)
    tap(page, source)
    expect(page.locator(".targets button")).to_have_count(len(targets))
    expect(page.locator(".line")).to_have_text("Where to? Tap a marked place.")
    chosen = page.locator(".targets button").last
    move = chosen.get_attribute("data-move")
    chosen.tap()
    made(page, table, move)
    expect(page.locator(".targets button")).to_have_count(0)


def test_a_choice_can_be_given_up(pick_up: PickUp, server: Server) -> None:
    page, table = alone(pick_up, server)
    source, _targets = until_a_choice(page, table)
    before = moves_made(table)
    tap(page, source)
    page.locator(".felt").tap(position={"x": 195, "y": 600})
    expect(page.locator(".targets button")).to_have_count(0)
    assert moves_made(table) == before


def test_a_card_that_does_not_fit_goes_back_with_a_sentence(pick_up: PickUp, server: Server) -> None:
    page, table = alone(pick_up, server)
    finger = Finger(page)
    source, target = misfit(table)
    shown = cards_shown(page)
    finger.drag(source, 1, target)
    expect(page.locator(".line")).to_contain_text("work piles go down by one rank in alternating colours")
    expect(page.locator(".line")).to_have_class(re.compile("refused"))
    assert moves_made(table) == []
    assert cards_shown(page) == shown


def test_calling_too_early_says_what_is_missing(pick_up: PickUp, server: Server) -> None:
    page, table = alone(pick_up, server)
    page.locator("#call").dispatch_event("click")
    expect(page.locator(".line")).to_have_text("You still have 4 in your Nerts pile: call when it is empty.")
    assert moves_made(table) == []


def test_who_is_stuck_may_move_the_top_card_under(pick_up: PickUp, server: Server) -> None:
    """Another person is at the table, so that not all are stuck at once."""
    path = set_table(server[1], may_join=True, rules=PRESETS["classic"])
    table = table_at(server[1], path)
    other = join(pick_up, server[1], path)
    page = pick_up(path)
    page.get_by_role("button", name="Go!").tap()
    sit_down(other)
    page.locator("#stuck").tap()
    expect(page.locator(".line")).to_contain_text("You are stuck")
    expect(page.locator("#stuck")).to_contain_text("Top card under")
    page.locator("#stuck").tap()
    made(page, table, "rotate")


def test_what_can_be_played_is_shown_on_request(pick_up: PickUp, server: Server) -> None:
    page, _table = alone(pick_up, server)
    page.locator("#look").tap()
    expect(page.locator(".playing.hinted").first).to_be_visible()
    expect(page.locator(".line")).to_contain_text("A♠ to a foundation")


# --- Coming, going, and a bad line -----------------------------------------------------------------------------


def test_a_lost_line_loses_no_card(pick_up: PickUp, server: Server) -> None:
    page, table = alone(pick_up, server)
    page.context.set_offline(True)
    tap(page, "S")
    expect(page.locator(".line")).to_have_text("No connection: trying again …")
    tap(page, "S")
    page.context.set_offline(False)
    expect(page.locator(".line")).to_have_text("Connected again.")
    made(page, table, "turn", times=2)
    expect(pile(page, "S")).to_have_attribute("aria-label", re.compile(r"^Stock, 38 in all"))
    assert moves_made(table) == ["turn", "turn"]


def test_a_table_is_as_it_was_after_reloading(pick_up: PickUp, server: Server) -> None:
    page, table = alone(pick_up, server)
    moves = planned(head_of(table))
    play_through(Finger(page), table, moves[:12])
    page.wait_for_timeout(400)
    before, labels = cards_shown(page), pile_labels(page)
    page.reload()
    sit_down(page)
    page.wait_for_timeout(400)
    assert (cards_shown(page), pile_labels(page)) == (before, labels)
    play_through(Finger(page), table, moves[:14])


def test_two_tabs_play_one_seat(pick_up: PickUp, server: Server) -> None:
    page, table = alone(pick_up, server)
    other = page.context.new_page()
    other.goto(page.url)
    sit_down(other)
    resume(other)
    for tab in (page, other, page, other):
        tap(tab, "S")
    made(page, table, "turn", times=4)
    for tab in (page, other):
        expect(pile(tab, "S")).to_have_attribute("aria-label", re.compile(r"^Stock, 32 in all"))
    # Both take the same card: one of them is told that it is gone.
    finger, second = Finger(page), Finger(other)
    finger.tap_card("3")
    second.tap_card("3")
    page.wait_for_timeout(400)
    assert moves_made(table).count("3:AS>F") == 1
    assert cards_shown(page) == cards_shown(other)


def test_a_second_phone_joins_and_both_see_the_same(pick_up: PickUp, server: Server) -> None:
    path = set_table(server[1], "beginner", may_join=True)
    table = table_at(server[1], path)
    host = pick_up(path)
    guest = join(pick_up, server[1], path)
    expect(guest.locator(".cover p")).to_have_text("The host begins the round.")
    expect(host.locator(".cover")).to_contain_text("Ben")
    host.get_by_role("button", name="Go!").tap()
    for page in (host, guest):
        sit_down(page)
        expect(page.locator(".cover")).to_be_hidden()
    tap(guest, "S")
    made(guest, table, "turn", seat=1)
    host.get_by_role("button", name="Pause").tap()
    for page in (host, guest):
        expect(page.locator(".cover h2")).to_have_text("Paused")
    guest.get_by_role("button", name="Go on").tap()
    expect(host.locator(".cover")).to_be_hidden()


def test_a_card_of_another_phone_flies_in(pick_up: PickUp, server: Server) -> None:
    path = set_table(server[1], may_join=True)
    host, guest = pick_up(path), join(pick_up, server[1], path)
    host.get_by_role("button", name="Go!").tap()
    sit_down(guest)
    before = foundation_cards(guest)
    Finger(host).tap_card("3")
    expect(guest.locator(".playing.banded")).to_have_count(before + 1)


def test_alone_a_hidden_table_stands_still(pick_up: PickUp, server: Server) -> None:
    page, table = alone(pick_up, server)
    hide(page, True)
    expect(page.locator(".cover h2")).to_have_text("Paused")
    hide(page, False)
    page.wait_for_timeout(300)
    assert table.phase == "paused"
    page.get_by_role("button", name="Go on").tap()
    expect(page.locator(".cover")).to_be_hidden()


def test_a_table_that_is_gone_says_so(pick_up: PickUp) -> None:
    page = pick_up("/play/0123456789abnobodyhasthiskey")
    expect(page.locator("main")).to_contain_text("This table is cleared, or the link is not complete")


def test_a_new_table_is_set_with_the_form(pick_up: PickUp) -> None:
    page = pick_up("/play")
    page.fill("#name", "Ann")
    page.select_option("#bot-1", "beginner")
    page.select_option("#bot-2", "shark")
    page.select_option("#bot-3", "")
    page.get_by_role("button", name="Deal").tap()
    sit_down(page)
    expect(page.locator(".seat-panel")).to_have_count(2)
    page.goto(page.url.rpartition("/")[0])
    expect(page.locator(".list .item")).to_have_count(1)
    assert page.input_value("#name") == "Ann"
    assert page.input_value("#bot-2") == "shark"


# --- For everybody ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("options", [{}, LAPTOP], ids=["phone", "laptop"])
def test_axe_finds_nothing_at_the_table(
    pick_up: PickUp, server: Server, theme: str, options: dict[str, object]
) -> None:
    page = pick_up("/play", **options)
    page.emulate_media(color_scheme=theme)
    found = {"start": violations(page)}
    path = set_table(server[1], "beginner", "beginner", "beginner", may_join=True)
    table = table_at(server[1], path)
    page.goto(f"{server[0]}/play/join/{table.saved.id}{table.saved.invitation}")
    found["join"] = violations(page)
    page.goto(server[0] + path)
    sit_down(page)
    found["waiting"] = violations(page)
    page.get_by_role("button", name="Go!").click()
    expect(page.locator(".cover")).to_be_hidden()
    found["playing"] = violations(page)
    for name in ("How to play", "Menu"):
        page.get_by_role("button", name=name).click()
        found[name] = violations(page)
        page.keyboard.press("Escape")
    page.get_by_role("button", name="Pause").click()
    found["paused"] = violations(page)
    assert {name: said for name, said in found.items() if said} == {}


def test_axe_finds_nothing_in_the_result(pick_up: PickUp, server: Server) -> None:
    page, table = alone(pick_up, server)
    play_through(Keys(page), table, planned(head_of(table)))
    expect(page.locator("#result")).to_be_visible()
    assert violations(page) == ""
    page.get_by_role("link", name="Replay").tap()
    expect(page.locator("#player[data-ready]")).to_be_visible()


def test_a_screen_reader_can_play(pick_up: PickUp, server: Server) -> None:
    """Buttons named by what lies there, pressed without a pointer; what happens is said."""
    page, table = alone(pick_up, server)
    page.get_by_role("button", name="Work pile 3: A♠, 1 in all").dispatch_event("click")
    made(page, table, "3:AS>F")
    expect(page.locator(".line")).to_have_text("You: A♠ to a foundation")
    expect(page.get_by_role("button", name="Work pile 3: a space")).to_be_visible()
    page.get_by_role("button", name="Stock, 44 in all: turn").dispatch_event("click")
    made(page, table, "turn")
    expect(page.locator("#foundation-list li")).to_have_text("Spades up to A♠")


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
@pytest.mark.parametrize("bots", [1, 5])
def test_everything_has_its_place(pick_up: PickUp, server: Server, width: int, bots: int) -> None:
    """No card of the own layout lies on another place or beside the table, and all can be tapped."""
    page = pick_up(set_table(server[1], *["beginner"] * bots), viewport={"width": width, "height": 740})
    sit_down(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    boxes = page.evaluate(
        "[...document.querySelectorAll('[data-pile], .controls button, .bar button, .bar a')].map(one => "
        "(({x, y, width, height}) => ({x, y, width, height}))(one.getBoundingClientRect()))"
    )
    for at, box in enumerate(boxes):
        assert box["x"] >= 0 and box["x"] + box["width"] <= width and box["y"] + box["height"] <= 740
        assert box["width"] >= 43.5 and box["height"] >= 43.5
        assert not any(overlap(box, other) for other in boxes[at + 1 :])


def test_who_wants_no_motion_sees_none(pick_up: PickUp, server: Server) -> None:
    page = pick_up(set_table(server[1]), reduced_motion="reduce")
    sit_down(page)
    duration = page.locator(".playing").first.evaluate("card => getComputedStyle(card).transitionDuration")
    assert duration == "0s"


def test_sound_is_off_until_it_is_switched_on(pick_up: PickUp, server: Server) -> None:
    page, _table = alone(pick_up, server)
    page.evaluate("() => { window.AudioContext = class { constructor() { window.sounded = true; } }; }")
    tap(page, "S")
    page.wait_for_timeout(100)
    assert page.evaluate("window.sounded") is None
    page.get_by_role("button", name="Menu").tap()
    expect(page.get_by_label("Sound")).not_to_be_checked()
