"""Pictures of every page, light and dark: `python -m tests.browser.screenshots FOLDER` (looked at after a change)."""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path
from time import sleep

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from tests.browser.conftest import CHROMIUM, FLAGS, PHONE
from tests.browser.evening import confirm, left_and_caller, name_backs, new_match, type_round
from tests.webapp.scripted import DOUBTFUL, FakeReader
from tests.webapp.serving import served

NAMES = ("Anna", "Ben", "Cleo", "David")
ROUNDS = [
    ({"Anna": (19, 0), "Ben": (14, 4), "Cleo": (7, 6), "David": (11, 2)}, "Anna"),
    ({"Anna": (12, 3), "Ben": (26, 0), "Cleo": (9, 5), "David": (13, 7)}, "Ben"),
    ({"Anna": (21, 1), "Ben": (12, 6), "Cleo": (24, 0), "David": (8, 2)}, "Cleo"),
    ({"Anna": (18, 2), "Ben": (25, 0), "Cleo": (16, 4), "David": (22, 1)}, "Ben"),
]
OVERVIEW = (
    ("start", "new", "board", "typed", "photos", "reading", "review"),
    ("card", "round", "end", "share", "history", "rules", "settings"),
)
"""The pages as the README shows them, row by row."""


class Album:
    """Takes each page twice and keeps the pictures."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page, self.folder = page, folder
        folder.mkdir(parents=True, exist_ok=True)

    def take(self, name: str) -> None:
        for theme in ("light", "dark"):
            self.page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
            self.page.wait_for_timeout(150)
            self.page.screenshot(path=self.folder / f"{name}-{theme}.png")

    def overview(self, target: Path) -> None:
        """Put some pages side by side, light above dark, small enough for a README."""
        rows = [(names, theme) for names in OVERVIEW for theme in ("light", "dark")]
        columns, size = len(OVERVIEW[0]), (200, 433)
        sheet = Image.new("RGB", (columns * (size[0] + 8) - 8, len(rows) * (size[1] + 8) - 8), "#8a8f8c")
        for row, (names, theme) in enumerate(rows):
            for column, name in enumerate(names):
                with Image.open(self.folder / f"{name}-{theme}.png") as picture:
                    small = picture.convert("RGB").resize(size, Image.Resampling.LANCZOS)
                sheet.paste(small, (column * (size[0] + 8), row * (size[1] + 8)))
        stream = io.BytesIO()
        sheet.save(stream, "WEBP", quality=64)
        target.write_bytes(stream.getvalue())


def tour(page: Page, album: Album, address: str, scratch: Path, reader: FakeReader) -> None:
    """Visit every page of an evening."""
    album.take("start-empty")
    page.goto(address + "/new")
    album.take("new")
    page.goto(address)
    match = new_match(page, *NAMES)
    album.take("board-empty")
    for number, (hands, caller) in enumerate(ROUNDS):
        type_round(page, hands, caller)
        if number == 0:
            album.take("scored")
    page.goto(match)
    album.take("board")
    for name in ("type", "share", "setup", "history"):
        page.goto(match + name)
        album.take("typed" if name == "type" else name)
    photos(page, album, match, scratch, reader)
    for name in ("", "rules", "settings", "m/nothing/"):
        page.goto(f"{address}/{name}")
        album.take({"": "start", "m/nothing/": "missing"}.get(name, name))


def photos(page: Page, album: Album, match: str, scratch: Path, reader: FakeReader) -> None:
    page.goto(match)
    reader.before = lambda: sleep(3)
    for at, photo in enumerate(DOUBTFUL.photos()):
        (scratch / f"{at}.jpg").write_bytes(photo)
    page.get_by_role("button", name="Photograph").click()
    page.set_input_files("input[multiple]", sorted(scratch.glob("*.jpg")))
    expect(page.locator("[data-done]")).to_have_count(2)
    album.take("photos")
    page.get_by_role("button", name="Read the photos").click()
    page.wait_for_selector("text=Reading photo 1 of 2")
    album.take("reading")
    page.wait_for_selector("#review")
    name_backs(page, ["Anna", "Ben", "Cleo"])
    page.evaluate("window.scrollTo(0, 0)")
    album.take("review")
    page.locator("[data-open]").first.click()
    album.take("card")
    page.locator("#card-dialog .deck [data-face='3H']").click()
    page.wait_for_selector("text=No open doubts")
    left_and_caller(page, {"Anna": 0, "Ben": 2, "David": 4}, "Cleo")
    confirm(page)
    page.locator(".rounds tbody a").first.click()
    album.take("round")
    page.goto(match)
    type_round(page, {"Anna": (22, 0), "Ben": (46, 1), "Cleo": (6, 3), "David": (9, 3)}, "Anna")
    page.goto(match + "end")
    album.take("end")


def main() -> None:
    folder, reader = Path(sys.argv[1]), FakeReader([DOUBTFUL])
    with (
        tempfile.TemporaryDirectory() as scratch,
        served(Path(scratch) / "data", reader) as (address, _app),
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_context(**(PHONE | {"device_scale_factor": 2})).new_page()
        page.goto(address)
        album = Album(page, folder)
        tour(page, album, address, Path(scratch), reader)
        browser.close()
    album.overview(folder / "companion.webp")


if __name__ == "__main__":
    main()
