"""Debian's chromium as a phone, and a real server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Flask

from tests.webapp.scripted import CLEAN, FakeReader
from tests.webapp.serving import served

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True, "locale": "en"}


@pytest.fixture(scope="session")
def browser() -> Iterator[playwright.Browser]:
    if not CHROMIUM.exists():
        pytest.skip("chromium is not installed at /usr/bin/chromium")
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=CHROMIUM, headless=True, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def reader() -> FakeReader:
    return FakeReader([CLEAN])


@pytest.fixture
def server(tmp_path: Path, reader: FakeReader) -> Iterator[tuple[str, Flask]]:
    with served(tmp_path / "data", reader) as (url, app):
        yield url, app


@pytest.fixture
def address(server: tuple[str, Flask]) -> str:
    return server[0]


@pytest.fixture
def pick_up(browser: playwright.Browser, address: str) -> Iterator[Callable[..., playwright.Page]]:
    """Hands out phones, each with its own cookies; a page that complains in its console fails the test."""
    contexts, complaints = [], []

    def phone(path: str = "/", **options: object) -> playwright.Page:
        context = browser.new_context(**(PHONE | options))
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: said.type == "error" and complaints.append(said.text))
        page.goto(path if path.startswith("http") else address + path)
        return page

    yield phone
    for context in contexts:
        context.close()
    # A refused form or a lost network is no fault of the page.
    assert [text for text in complaints if "Failed to load resource" not in text] == []
