"""The whole evening, with a second phone watching."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PHONE
from tests.browser.evening import (
    confirm,
    fill_round,
    left_and_caller,
    name_backs,
    new_match,
    number,
    photograph,
    send_photos,
    totals,
    type_round,
)
from tests.webapp.scripted import CLEAN, DOUBTFUL, FakeReader, Script
from tests.webapp.serving import served
from webapp.reader import read_with_models

KNOWN = Script.of(
    "AH@p1 2H@p2 3H@p1 4H@p3 5H@p2 6H@p1",
    "AS@p2 2S@p3 3S@p1 4S@p1",
    "AD@p1 2D@stranger",
)
"""Backs named before, and one deck nobody has seen."""


def watched(viewer: Page, expected: dict[str, int]) -> None:
    """The second phone shows the totals without anybody touching it."""
    for name, total in expected.items():
        row = viewer.locator(".score", has_text=name)
        expect(row.locator(".total")).to_have_text(str(total).replace("-", "−"))


def test_a_whole_evening(
    pick_up: Callable[..., Page], reader: FakeReader, tmp_path: Path, address: str
) -> None:
    reader.scripts = [CLEAN, DOUBTFUL, KNOWN]
    page = pick_up()
    match = new_match(page, "Ann", "Ben", "Cleo")
    page.get_by_role("link", name="Share").click()
    viewer = pick_up(page.locator(".link").first.inner_text())
    assert viewer.locator(".thumb").count() == 0
    page.goto(match)
    three_rounds_by_photo(page, viewer, tmp_path)
    type_round(page, {"Ann": (52, 0), "Ben": (0, 13), "Cleo": (40, 0)}, "Ann")
    watched(viewer, {"Ann": 67, "Ben": -18, "Cleo": 48})
    edit_backwards_and_undo(page, viewer)
    type_round(page, {"Ann": (40, 0), "Ben": (1, 0), "Cleo": (51, 0)}, "Cleo")
    expect(viewer.locator(".winner .names")).to_have_text("Ann")
    end_rematch_and_import(page, address, tmp_path / "match.json")
    assert totals(page) == {"Ann": 107, "Cleo": 99, "Ben": -17}


def test_the_sample_round_is_read_by_the_real_reader(browser: Browser, tmp_path: Path) -> None:
    """Photographs as a phone takes them, the networks that are shipped, and nothing scripted."""
    sample = Path(__file__).parents[1] / "photos" / "round"
    with served(tmp_path / "data", read_with_models) as (address, _app):
        page = browser.new_context(**PHONE).new_page()
        page.set_default_timeout(30_000)
        page.goto(address)
        match = new_match(page, "Ann", "Ben", "Cleo", "Dan")
        counts = []
        for questions in (4, 0):
            send_photos(page, sorted(sample.glob("*.jpg")))
            # In the second round the decks are known.
            expect(page.locator(".doubt", has_text="Whose back is this?")).to_have_count(questions)
            name_backs(page, ["Ann", "Ben", "Cleo", "Dan"][:questions])
            expect(page.locator("#doubts h2")).to_have_text("No open doubts")
            left_and_caller(page, {"Ben": 0, "Cleo": 0, "Dan": 0}, "Ann")
            confirm(page)
            assert page.url == match
            counts.append(totals(page))
        assert sorted(counts[0].values()) == sample_counts()
        assert counts[1] == {name: 2 * count for name, count in counts[0].items()}


def sample_counts() -> list[int]:
    """How many cards each deck has in the sample round."""
    truth = json.loads((Path(__file__).parents[1] / "photos" / "round.json").read_text("utf-8"))
    return sorted(deck["foundation"] for deck in truth["tally"]["decks"])


def three_rounds_by_photo(page: Page, viewer: Page, folder: Path) -> None:
    # A clean round; the decks are named once.
    photograph(page, CLEAN, folder)
    name_backs(page, ["Ann", "Ben", "Cleo"])
    left_and_caller(page, {"Ben": 2, "Cleo": 0}, "Ann")
    expect(page.locator("#bar .number")).to_have_text(["+8", "+1", "+6"])
    confirm(page)
    watched(viewer, {"Ann": 8, "Ben": 1, "Cleo": 6})
    # A doubtful one: the card is corrected before it can be confirmed.
    photograph(page, DOUBTFUL, folder)
    name_backs(page, ["Ann", "Ben", "Cleo"])
    left_and_caller(page, {"Ann": 1, "Ben": 0}, "Cleo")
    assert page.get_by_role("button", name="Confirm round").count() == 0
    doubt = page.locator(".doubt", has_text="3♦ does not belong in a pile of hearts")
    doubt.get_by_role("button", name="It is 3♥").click()
    expect(page.locator("#doubts h2")).to_have_text("No open doubts")
    confirm(page)
    # Ann 3 red and 1 left, Ben 3 blue, Cleo 2 green.
    watched(viewer, {"Ann": 9, "Ben": 4, "Cleo": 8})
    # Known decks need no naming; the unknown one does.
    photograph(page, KNOWN, folder)
    expect(page.locator("#doubts h2")).to_have_text("1 doubt to look at")
    name_backs(page, ["Ben"])
    left_and_caller(page, {"Ann": 0, "Cleo": 1}, "Ben")
    confirm(page)
    watched(viewer, {"Ann": 15, "Ben": 8, "Cleo": 8})


def edit_backwards_and_undo(page: Page, viewer: Page) -> None:
    page.locator(".rounds tbody a").last.click()
    page.get_by_role("link", name="Correct the numbers").click()
    expect(page.locator("#out-p1")).to_have_value("8")
    page.fill("#out-p1", "18")
    page.get_by_role("button", name="Save").click()
    watched(viewer, {"Ann": 77, "Ben": -18, "Cleo": 48})
    page.get_by_role("button", name="Undo").first.click()
    watched(viewer, {"Ann": 67, "Ben": -18, "Cleo": 48})


def end_rematch_and_import(page: Page, address: str, exported: Path) -> None:
    match = page.url
    page.get_by_role("link", name="To the end of the match").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Complete (JSON)").click()
    download.value.save_as(exported)
    page.get_by_role("button", name="Rematch").click()
    page.wait_for_url(re.compile(r"/m/[^/]+/$"))
    assert page.url != match
    assert totals(page) == {"Ann": 0, "Ben": 0, "Cleo": 0}
    page.goto(address)
    page.get_by_text("Import a match").click()
    page.set_input_files("#file", exported)
    page.get_by_role("button", name="Import").click()
    page.wait_for_url(re.compile(r"/m/[^/]+/$"))


def test_typing_with_one_thumb(pick_up: Callable[..., Page]) -> None:
    page = pick_up()
    new_match(page, "Ann", "Ben")
    page.get_by_role("link", name="Type").click()
    page.locator("label:has([name=caller])", has_text="Ann").click()
    # Whoever calls has none left.
    expect(page.locator("#left-p1")).to_have_value("0")
    plus = page.locator(".stepper", has=page.locator("#out-p1")).get_by_role("button", name="One more")
    for _tap in range(3):
        plus.tap()
    expect(page.locator("#out-p1")).to_have_value("3")
    minus = page.locator(".stepper", has=page.locator("#out-p2")).get_by_role("button", name="One less")
    minus.tap()
    expect(page.locator("#out-p2")).to_have_value("0")
    page.fill("#left-p2", "13")
    expect(page.locator("[data-score=p1]")).to_have_text("+3")
    expect(page.locator("[data-score=p2]")).to_have_text("−26")
    assert page.locator("#left-p2").get_attribute("inputmode") == "numeric"
    page.locator(".thumb button").tap()
    page.wait_for_url(re.compile(r"/m/[^/]+/$"))
    assert totals(page) == {"Ann": 3, "Ben": -26}


def test_turning_the_phone_and_reloading_keep_what_was_typed(pick_up: Callable[..., Page]) -> None:
    page = pick_up()
    new_match(page, "Ann", "Ben")
    page.get_by_role("link", name="Type").click()
    fill_round(page, {"Ann": (12, 0), "Ben": (4, 6)}, "Ann")
    for size in ({"width": 844, "height": 390}, {"width": 390, "height": 844}):
        page.set_viewport_size(size)
        assert page.locator("#out-p1").input_value() == "12"
    page.reload()
    assert [
        page.locator(f"#{name}").input_value() for name in ("out-p1", "left-p1", "out-p2", "left-p2")
    ] == [
        "12",
        "0",
        "4",
        "6",
    ]
    expect(page.locator("[data-score=p2]")).to_have_text("−8")
    page.locator(".thumb button").click()
    page.wait_for_url(re.compile(r"/m/[^/]+/$"))
    page.get_by_role("link", name="Type").click()
    assert page.locator("#out-p1").input_value() == ""  # the next round begins empty


def test_a_double_tap_scores_once(pick_up: Callable[..., Page]) -> None:
    page = pick_up()
    new_match(page, "Ann", "Ben")
    page.get_by_role("link", name="Type").click()
    fill_round(page, {"Ann": (12, 0), "Ben": (4, 6)}, "Ann")
    page.locator(".thumb button").dblclick()
    page.wait_for_url(re.compile(r"/m/[^/]+/$"))
    page.reload()
    assert page.locator(".rounds tbody a").count() == 1


def test_a_photo_survives_a_bad_network(
    pick_up: Callable[..., Page], reader: FakeReader, tmp_path: Path
) -> None:
    page = pick_up()
    new_match(page, "Ann", "Ben", "Cleo")
    failures = iter([True, True, False])
    page.route(
        re.compile(r"/photo$"),
        lambda route: route.abort() if next(failures, False) else route.continue_(),
    )
    photograph(page, CLEAN, tmp_path)
    assert page.locator(".tabs button").count() == 2


def test_a_photo_just_sent_can_be_taken_off_again(pick_up: Callable[..., Page], tmp_path: Path) -> None:
    page = pick_up()
    new_match(page, "Ann", "Ben", "Cleo")
    page.get_by_role("button", name="Photograph").click()
    for at, photo in enumerate(CLEAN.photos()):
        (tmp_path / f"{at}.jpg").write_bytes(photo)
    page.set_input_files("input[multiple]", sorted(tmp_path.glob("*.jpg")))
    expect(page.locator("[data-done]")).to_have_count(2)
    page.get_by_role("button", name="Remove this photo").first.click()
    expect(page.locator("#shots li")).to_have_count(1)
    page.get_by_role("button", name="Remove photo 1").click()
    expect(page.locator("#shots li")).to_have_count(0)
    expect(page.locator("#read")).to_be_disabled()


def test_a_photo_that_is_none_is_refused_in_a_sentence(pick_up: Callable[..., Page], tmp_path: Path) -> None:
    page = pick_up()
    new_match(page, "Ann", "Ben")
    page.get_by_role("button", name="Photograph").click()
    (tmp_path / "cat.jpg").write_text("no photo")
    page.set_input_files("input[multiple]", tmp_path / "cat.jpg")
    expect(page.locator("#told")).to_contain_text("not a photo the companion can read")
    expect(page.locator("#read")).to_be_disabled()


def test_correcting_cards_by_hand(pick_up: Callable[..., Page], reader: FakeReader, tmp_path: Path) -> None:
    page = pick_up()
    new_match(page, "Ann", "Ben", "Cleo")
    photograph(page, CLEAN, tmp_path)
    name_backs(page, ["Ann", "Ben", "Cleo"])
    score = page.locator("#bar .number")
    expect(score.first).to_have_text("8 …")

    # Any of the 52 cards, a joker, another owner, not a card.
    page.locator(".card[data-card=c1]").click()
    page.locator("#card-dialog [data-joker]").click()
    page.locator("#card-dialog .deck [data-face=AH]").click()
    expect(page.locator(".card[data-card=c1]")).to_contain_text("★A♥")
    page.locator(".card[data-card=c1]").click()
    page.locator("#card-owners").get_by_role("button", name="Ben").click()
    expect(score.first).to_have_text("7 …")
    page.locator(".card[data-card=c19]").click()
    page.get_by_role("button", name="Not a card").click()
    expect(page.locator(".card[data-card=c19]")).to_have_count(0)

    # A box in the photo opens its card.
    page.get_by_role("button", name="The whole photo").click()
    box = page.locator("#viewer [data-view='0'] [data-card=c2]").bounding_box()
    assert box is not None
    page.touchscreen.tap(box["x"] + box["width"] * 0.3, box["y"] + box["height"] / 2)
    expect(page.locator("#card-dialog")).to_be_visible()
    page.locator("#card-dialog [data-close]").click()

    # A missed card: tap the photo, choose what it is.
    page.get_by_role("button", name="Add a missed card").click()
    place = page.locator("#viewer").bounding_box()
    assert place is not None
    page.touchscreen.tap(place["x"] + place["width"] / 2, place["y"] + place["height"] * 0.8)
    page.locator("#card-owners").get_by_role("button", name="Cleo").click()
    page.locator("#card-dialog .deck [data-face='6H']").click()
    expect(page.locator(".card[data-face='6H']")).to_have_count(1)

    # Take all of it back, and make the last one again.
    for _step in range(4):
        page.get_by_role("button", name="Take the last correction back").click()
    expect(score.first).to_have_text("8 …")
    page.get_by_role("button", name="Make it again").click()
    expect(page.locator(".card[data-card=c1]")).to_contain_text("★A♥")


def test_merging_splitting_and_ordering_piles(
    pick_up: Callable[..., Page], reader: FakeReader, tmp_path: Path
) -> None:
    page = pick_up()
    new_match(page, "Ann", "Ben", "Cleo")
    photograph(page, CLEAN, tmp_path)
    page.locator(".card[data-card=c3]").click()
    page.get_by_role("button", name="Split the pile here").click()
    expect(page.locator(".pile")).to_have_count(5)
    page.get_by_role("button", name="Change pile 1").click()
    page.get_by_role("button", name="Merge").click()
    expect(page.locator(".pile")).to_have_count(4)
    first = page.locator(".pile").first.get_attribute("data-pile")
    page.get_by_role("button", name="Change pile 1").click()
    page.get_by_role("button", name="Down in the list").click()
    expect(page.locator(".pile").nth(1)).to_have_attribute("data-pile", first or "")


def test_zooming_and_panning_the_photo(pick_up: Callable[..., Page], tmp_path: Path) -> None:
    page = pick_up()
    new_match(page, "Ann", "Ben", "Cleo")
    photograph(page, CLEAN, tmp_path)
    view = page.locator("#viewer svg[data-view='0']")
    whole = view.get_attribute("viewBox")
    page.get_by_role("button", name="Closer").click()
    closer = view.get_attribute("viewBox")
    assert closer is not None and whole is not None
    assert float(closer.split()[2]) < float(whole.split()[2])
    frame = page.locator("#viewer").bounding_box()
    assert frame is not None
    page.mouse.move(frame["x"] + 200, frame["y"] + 150)
    page.mouse.down()
    page.mouse.move(frame["x"] + 100, frame["y"] + 150, steps=4)
    page.mouse.up()
    moved = view.get_attribute("viewBox")
    assert moved is not None and float(moved.split()[0]) > float(closer.split()[0])
    assert not page.locator("#card-dialog").is_visible()


def test_two_phones_review_together(pick_up: Callable[..., Page], tmp_path: Path) -> None:
    page = pick_up()
    match = new_match(page, "Ann", "Ben", "Cleo")
    photograph(page, CLEAN, tmp_path)
    other = pick_up(page.url)
    name_backs(page, ["Ann"])
    expect(other.locator("#doubts h2")).to_have_text("2 doubts to look at")
    name_backs(other, ["Ben", "Cleo"])
    expect(page.locator("#doubts h2")).to_have_text("No open doubts")
    left_and_caller(page, {"Ben": 2, "Cleo": 0}, "Ann")
    confirm(page)
    other.wait_for_url(match)
    assert totals(other) == {"Ann": 8, "Cleo": 6, "Ben": 1}


def test_replaying_a_round(pick_up: Callable[..., Page], tmp_path: Path) -> None:
    page = pick_up()
    new_match(page, "Ann", "Ben", "Cleo")
    photograph(page, CLEAN, tmp_path)
    name_backs(page, ["Ann", "Ben", "Cleo"])
    left_and_caller(page, {"Ben": 2, "Cleo": 0}, "Ann")
    confirm(page)
    page.locator(".rounds tbody a").click()
    expect(page.locator("#player[data-ready]")).to_be_visible()
    page.get_by_role("button", name="Next move").click()
    expect(page.locator(".playing")).to_have_count(1)
    page.locator("#scrub").fill(page.locator("#scrub").get_attribute("max") or "")
    expect(page.locator(".playing")).to_have_count(19)
    expect(page.locator(".legend strong")).to_have_text(["8", "1", "6"])
    assert number(page.locator("tbody strong").first.inner_text()) == 8


def test_two_who_called_at_the_same_moment(pick_up: Callable[..., Page], tmp_path: Path) -> None:
    page = pick_up()
    new_match(page, "Ann", "Ben", "Cleo", preset="pounce25")
    page.get_by_role("link", name="Type").click()
    fill_round(page, {"Ann": (12, 0), "Ben": (9, 0), "Cleo": (4, 3)}, "Ann")
    page.fill("#left-p2", "")
    page.get_by_text("Did somebody call at the same moment?").click()
    page.locator("details .chip-pick label", has_text="Ben").click()
    expect(page.locator("#left-p2")).to_have_value("0")
    expect(page.locator("[data-score=p2]")).to_have_text("+34")
    page.reload()
    expect(page.locator("[data-score=p2]")).to_have_text("+34")  # the draft knows both
    page.locator(".thumb button").click()
    page.wait_for_url(re.compile(r"/m/[^/]+/$"))
    assert totals(page) == {"Ann": 37, "Ben": 34, "Cleo": -2}
    photograph(page, CLEAN, tmp_path)
    name_backs(page, ["Ann", "Ben", "Cleo"])
    left_and_caller(page, {"Cleo": 1}, "Ann")
    page.locator("#caller summary").click()
    page.locator("#caller details").get_by_role("button", name="Ben").click()
    # Ann and Ben called; each has 25 more.
    expect(page.locator("#bar .number")).to_have_text(["+33", "+30", "+4"])
    confirm(page)
    assert totals(page) == {"Ann": 70, "Ben": 64, "Cleo": 2}


def test_one_tap_puts_all_cards_of_a_back_right(
    pick_up: Callable[..., Page], reader: FakeReader, tmp_path: Path
) -> None:
    reader.scripts = [KNOWN]
    page = pick_up()
    new_match(page, "Ann", "Ben", "Cleo")
    photograph(page, KNOWN, tmp_path)
    expect(page.locator(".card[data-seat=p1]")).to_have_count(6)
    page.locator(".card[data-card=c1]").click()
    page.get_by_label("All cards with this back").check()
    page.locator("#card-owners").get_by_role("button", name="Cleo").click()
    expect(page.locator(".card[data-seat=p1]")).to_have_count(0)
    expect(page.locator(".card[data-seat=p3]")).to_have_count(8)


def test_whose_back_is_this_shows_the_back_itself(pick_up: Callable[..., Page], tmp_path: Path) -> None:
    """The cut-out comes from the photo of the backs and holds the card that is asked about."""
    page = pick_up()
    new_match(page, "Ann", "Ben", "Cleo")
    photograph(page, CLEAN, tmp_path)
    doubt = page.locator(".doubt", has_text="Whose back is this?").first
    card = doubt.get_attribute("data-about")
    shown = doubt.locator(".cut image").get_attribute("href")
    assert shown == page.locator("#viewer svg[data-view='1'] image").get_attribute("href")
    outline = doubt.locator(".cut polygon").get_attribute("points")
    boxed = page.locator(f"#viewer svg[data-view='1'] [data-card={card}]").get_attribute("points")
    assert outline == boxed
    assert doubt.locator(".cut").bounding_box() is not None


STAYS_AWAKE = """
window.asked = [];
Object.defineProperty(navigator, "wakeLock", {
  value: { request: (kind) => { window.asked.push(kind); return Promise.resolve({}); } },
});
"""


def test_the_screen_stays_on_while_the_scoreboard_is_open(pick_up: Callable[..., Page]) -> None:
    page = pick_up()
    page.context.add_init_script(STAYS_AWAKE)
    match = new_match(page, "Ann", "Ben")
    assert page.evaluate("window.asked") == ["screen"]
    page.get_by_role("link", name="Type").click()
    page.wait_for_selector("#typed")
    assert page.evaluate("window.asked") == []  # only the scoreboard
    page.goto(match)
    # A phone lets go of the lock when it is put away; taken up again, it asks anew.
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    assert page.evaluate("window.asked") == ["screen", "screen"]
    page.goto(match.split("/m/")[0] + "/settings")
    page.get_by_label("Keep the screen on").uncheck()
    page.get_by_role("button", name="Save").click()
    page.goto(match)
    assert page.evaluate("window.asked") == []
