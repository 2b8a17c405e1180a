"""What people do on their phones, in their words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.webapp.scripted import Script


def new_match(page: Page, *names: str, preset: str = "classic") -> str:
    """Start a match and return its address."""
    page.get_by_role("link", name="New match").click()
    for number, name in enumerate(names, 1):
        page.fill(f"[name=name-{number}]", name)
    page.check(f"#preset-{preset}")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/m/**")
    return page.url


def totals(page: Page) -> dict[str, int]:
    rows = page.locator(".score").all()
    return {row.locator(".who span").inner_text(): number(row.locator(".total").inner_text()) for row in rows}


def number(text: str) -> int:
    return int(text.replace("−", "-"))


def seats(page: Page) -> list[str]:
    """The names in the order of the seats, from the form of a round."""
    return page.locator(".hand .top span").all_inner_texts()


def type_round(page: Page, hands: Mapping[str, tuple[int, int]], caller: str | None) -> None:
    page.get_by_role("link", name="Type").click()
    fill_round(page, hands, caller)
    page.locator(".thumb button").click()
    page.wait_for_url(re.compile(r"/m/[^/]+/$"))


def fill_round(page: Page, hands: Mapping[str, tuple[int, int]], caller: str | None) -> None:
    page.locator("label:has([name=caller])", has_text=caller or "Nobody").click()
    for seat, name in enumerate(seats(page), 1):
        for field, value in zip(("out", "left"), hands[name], strict=True):
            page.fill(f"#{field}-p{seat}", str(value))


def photograph(page: Page, script: Script, folder: Path) -> None:
    """Take the photos of a round and wait for the review."""
    files = []
    for at, photo in enumerate(script.photos()):
        files.append(folder / f"photo-{at}.jpg")
        files[-1].write_bytes(photo)
    send_photos(page, files)


def send_photos(page: Page, files: Sequence[Path]) -> None:
    """Send photos of a round from the phone and wait for the review."""
    page.get_by_role("button", name="Photograph").click()
    page.wait_for_url("**/sheet/**")
    page.set_input_files("input[multiple]", files)
    expect(page.locator("[data-done]")).to_have_count(len(files))
    page.get_by_role("button", name="Read the photos").click()
    page.wait_for_selector("#review")


def name_backs(page: Page, owners: Sequence[str]) -> None:
    """Answer "whose back is this?" as often as it is asked."""
    for owner in owners:
        doubt = page.locator(".doubt", has_text="Whose back is this?").first
        key = doubt.get_attribute("id")
        doubt.get_by_role("button", name=owner).click()
        expect(page.locator(f"#{key}")).to_have_count(0)


def left_and_caller(page: Page, left: Mapping[str, int], caller: str) -> None:
    page.locator("#caller").get_by_role("button", name=caller).click()
    for name, count in left.items():
        stepper = page.get_by_role("group", name=f"Left in the Nerts pile of {name}")
        for step in range(1, count + 1):
            stepper.get_by_role("button", name="One more").click()
            expect(stepper.locator(".amount")).to_have_text(str(step))
        if count == 0:
            stepper.get_by_role("button", name="One less").click()
            expect(stepper.locator(".amount")).to_have_text("0")


def confirm(page: Page) -> None:
    page.get_by_role("button", name="Confirm round").click()
    page.wait_for_url(re.compile(r"/m/[^/]+/$"))
