"""The replay player: any moment of a recorded round, and a link to it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from scorer.game import record
from scorer.game.playback import replay_json
from scorer.game.record import Recording
from scorer.game.series import play, seat_bots
from scorer.scoring import PRESETS
from tests.browser.playing import cards_shown, violations

LAPTOP = {"viewport": {"width": 1280, "height": 800}, "is_mobile": False, "has_touch": False}
PickUp = Callable[..., Page]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of a round between four bots."""
    head = seat_bots(("shark", "family", "beginner", "shark"), PRESETS["classic"], "replay", (), 1)
    table = play(head)
    path = tmp_path_factory.mktemp("records") / "round.jsonl"
    record.write(path, head, table.records, table.state)
    return path


@pytest.fixture(scope="module")
def recording(recorded: Path) -> Recording:
    return record.read(recorded)


def bring(page: Page, file: Path) -> Page:
    """Upload a record on the page "Play" and wait for the player."""
    page.get_by_text("Replay a record").click()
    page.set_input_files("#file", file)
    page.get_by_role("button", name="Replay").click()
    expect(page.locator("#player[data-ready]")).to_be_visible()
    return page


def moment(page: Page) -> int:
    return int(re.findall(r"#t=(\d+)$", page.url)[0])


def test_a_replay_plays_pauses_and_steps(pick_up: PickUp, recorded: Path) -> None:
    page = bring(pick_up("/play"), recorded)
    page.get_by_role("button", name="Play").tap()
    page.wait_for_timeout(1500)
    page.get_by_role("button", name="Pause").tap()
    at = moment(page)
    assert 1000 < at < 20_000
    page.wait_for_timeout(300)
    assert moment(page) == at
    page.get_by_role("button", name="Next move").tap()
    after = moment(page)
    assert after > at
    said = page.locator(".line").inner_text()
    assert re.search(r"(to a foundation|to work pile|turns|under|goes back)", said)
    page.get_by_role("button", name="One move back").tap()
    assert moment(page) < after


def test_every_step_back_shows_what_lay_there(pick_up: PickUp, recorded: Path) -> None:
    page = bring(pick_up("/play"), recorded)
    seen = []
    for _step in range(6):
        seen.append(cards_shown(page))
        page.get_by_role("button", name="Next move").tap()
    for shown in reversed(seen):
        page.get_by_role("button", name="One move back").tap()
        assert cards_shown(page) == shown


def test_scrubbing_and_a_link_to_a_moment(pick_up: PickUp, recorded: Path, recording: Recording) -> None:
    page = bring(pick_up("/play"), recorded)
    length = recording.game.records[-1].at
    page.locator("#scrub").fill(str(length // 2 // 100 * 100))
    assert moment(page) == length // 2 // 100 * 100
    shown, chart = cards_shown(page), page.locator(".legend").inner_text()
    other = pick_up(page.url)
    expect(other.locator("#player[data-ready]")).to_be_visible()
    assert cards_shown(other) == shown
    assert other.locator(".legend").inner_text() == chart
    other.evaluate("location.hash = '#t=0'")
    expect(other.locator(".moment")).to_have_text(re.compile("^0:00"))


def test_the_end_of_the_replay_is_the_score(pick_up: PickUp, recorded: Path, recording: Recording) -> None:
    page = bring(pick_up("/play", **LAPTOP), recorded)
    page.keyboard.press("End")
    score = recording.game.head.score(recording.state)
    legend = page.locator(".legend li")
    expect(legend).to_have_count(4)
    for at, name in enumerate(recording.game.head.players):
        expect(legend.nth(at)).to_contain_text(name)
        expect(legend.nth(at).locator("strong")).to_have_text(str(score.scores[name]).replace("-", "−"))


def test_to_the_first_empty_nerts_pile(pick_up: PickUp, recorded: Path, recording: Recording) -> None:
    page = bring(pick_up("/play"), recorded)
    page.get_by_role("button", name="To the first empty Nerts pile").tap()
    assert moment(page) == replay_json(recording)["first_empty"]
    emptied = recording.state.callers[0]
    if emptied:
        page.locator(f"[data-seat=P{emptied + 1}]").tap()
        expect(page.locator(".own-name")).to_have_text(recording.game.head.players[emptied])
    expect(page.locator(".pile-count").first).to_be_hidden()


def test_every_seat_can_be_followed(pick_up: PickUp, recorded: Path, recording: Recording) -> None:
    page = bring(pick_up("/play"), recorded)
    for seat, name in enumerate(recording.game.head.players[1:], 2):
        page.locator(f"[data-seat=P{seat}]").tap()
        expect(page.locator(".own-name")).to_have_text(name)
        expect(page.locator(".pile-count").first).to_have_text("13")


def test_the_chart_leads_to_a_moment(pick_up: PickUp, recorded: Path, recording: Recording) -> None:
    page = bring(pick_up("/play"), recorded)
    chart = page.locator(".run-chart")
    box = chart.bounding_box()
    assert box is not None
    chart.tap(position={"x": box["width"] * 0.75, "y": box["height"] / 2})
    assert abs(moment(page) / recording.game.records[-1].at - 0.75) < 0.02


def test_the_player_works_with_the_keyboard(pick_up: PickUp, recorded: Path) -> None:
    page = bring(pick_up("/play", **LAPTOP), recorded)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    at = moment(page)
    page.keyboard.press("ArrowLeft")
    assert 0 < moment(page) < at
    page.keyboard.press("s")
    expect(page.locator("[data-speed]")).to_have_text("4×")
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.keyboard.press("Home")
    assert moment(page) == 0


def test_a_damaged_record_is_shown_as_far_as_it_goes(pick_up: PickUp, recorded: Path, tmp_path: Path) -> None:
    lines = recorded.read_text("utf-8").splitlines()
    broken = tmp_path / "broken.jsonl"
    broken.write_text("\n".join([*lines[:40], "{", *lines[41:]]), "utf-8")
    page = bring(pick_up("/play"), broken)
    expect(page.locator("#told")).to_contain_text("Line 41 is damaged")
    page.locator("#scrub").fill(page.locator("#scrub").get_attribute("max") or "")
    assert page.locator(".playing").count() > 10


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("options", [{}, LAPTOP], ids=["phone", "laptop"])
def test_axe_finds_nothing_in_the_player(
    pick_up: PickUp, recorded: Path, theme: str, options: dict[str, object]
) -> None:
    page = bring(pick_up("/play", **options), recorded)
    page.emulate_media(color_scheme=theme)
    assert violations(page) == ""


@pytest.mark.parametrize("size", [(320, 640), (390, 844), (844, 390), (1280, 800)])
def test_the_player_fits(pick_up: PickUp, recorded: Path, size: tuple[int, int]) -> None:
    page = bring(pick_up("/play", viewport={"width": size[0], "height": size[1]}), recorded)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    for button in page.locator(".tape button:visible").all():
        box = button.bounding_box()
        assert box is not None
        assert box["width"] >= 43.5 and box["height"] >= 43.5 and box["y"] + box["height"] <= size[1]
