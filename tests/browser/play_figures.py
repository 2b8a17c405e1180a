"""How quick the table is, measured by the browser itself: `python -m tests.browser.play_figures`.

Prints the time from a tap to the frame in which the card has moved, the script (and all work of the page) per
frame while five bots play, and the weight of the page on a first visit. Nothing here passes or fails.
"""

from __future__ import annotations

import json
import statistics
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from flask import Flask
from playwright.sync_api import Browser, Page, sync_playwright

from scorer.scoring import PRESETS
from tests.browser.conftest import CHROMIUM, FLAGS, PHONE
from tests.browser.playing import Finger, set_table, sit_down
from tests.webapp.scripted import CLEAN, FakeReader
from tests.webapp.serving import served

FRAME_MS = 1000 / 60
SECONDS = 30
TAPS = 30
TAP_EVERY_MS = 450
SLOWER = 4
"""An old phone is about four times slower than this machine."""
SCRIPT = {
    "FunctionCall",
    "EvaluateScript",
    "EventDispatch",
    "FireAnimationFrame",
    "TimerFire",
    "RunMicrotasks",
}

# The moment a frame after the one in which the transform changed: by then the card has been drawn elsewhere.
WATCH_TAPS = """() => {
  window.taps = [];
  document.addEventListener("pointerup", (event) => {
    const before = [...document.querySelectorAll(".playing")].map((card) => card.style.transform).join();
    queueMicrotask(() => requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        const after = [...document.querySelectorAll(".playing")].map((card) => card.style.transform).join();
        if (after !== before) window.taps.push(performance.now() - event.timeStamp);
      };
      channel.port2.postMessage(0);
    }));
  }, { capture: true });
}"""


def at_table(browser: Browser, app: Flask, address: str, bots: int = 5) -> Page:
    """Sit down on a phone with the quickest bots."""
    path = set_table(app, *["shark"] * bots, rules=PRESETS["classic"])
    page = browser.new_context(**PHONE).new_page()
    page.goto(address + path)
    sit_down(page)
    return page


def taps_ms(page: Page, slower: int) -> list[float]:
    """Turn the stock again and again; for each tap the time until the frame with the cards turned is drawn."""
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
    page.evaluate(WATCH_TAPS)
    finger = Finger(page)
    for _tap in range(TAPS):
        finger.tap_card("S")
        page.wait_for_timeout(TAP_EVERY_MS)
    times: list[float] = page.evaluate("window.taps")
    return times


def watch_bots(browser: Browser, page: Page) -> None:
    """Trace the page while the bots play, and print what each frame cost its main thread."""
    browser.start_tracing(
        page=page, categories=["devtools.timeline", "disabled-by-default-devtools.timeline"]
    )
    page.wait_for_timeout(SECONDS * 1000)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    thread = main_thread(events)
    mine = [event for event in events if (event["pid"], event["tid"]) == thread and event["ph"] == "X"]
    script = [event for event in mine if event["name"] in SCRIPT]
    tasks = [event for event in mine if event["name"] == "RunTask"]
    print(told("  script per frame, processor time", per_frame(script, "tdur")))
    print(told("  script per frame, by the clock", per_frame(script, "dur")))
    print(told("  all work per frame, processor time", per_frame(tasks, "tdur")))


def main_thread(events: Sequence[dict[str, Any]]) -> tuple[int, int]:
    """The renderer's main thread is the one that ran most of the page's script."""
    ran: dict[tuple[int, int], int] = {}
    for event in events:
        if event["name"] == "FunctionCall":
            key = (event["pid"], event["tid"])
            ran[key] = ran.get(key, 0) + 1
    return max(ran, key=lambda key: ran[key])


def per_frame(events: Iterable[dict[str, Any]], measure: str) -> list[float]:
    """Sum up durations in slices of a frame's length, an event within another counted once; idle frames are left out.

    `measure` is "tdur", the processor's time, or "dur", the clock's: they differ where others use the machine.
    """
    frames: dict[int, float] = {}
    end = 0.0
    for event in sorted(events, key=lambda event: (event["ts"], -event.get("dur", 0))):
        start, duration = event["ts"], event.get("dur", 0)
        if start + duration <= end:
            continue
        end = start + duration
        frame = int(start / 1000 / FRAME_MS)
        frames[frame] = frames.get(frame, 0.0) + event.get(measure, 0) / 1000
    return sorted(frames.values())


def weight_bytes(browser: Browser, url: str) -> tuple[int, int]:
    """Bytes and requests of a first visit, nothing cached."""
    page = browser.new_context(**PHONE).new_page()
    session = page.context.new_cdp_session(page)
    received: list[float] = []
    session.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.goto(url)
    sit_down(page)
    page.wait_for_timeout(1000)
    return int(sum(received)), len(received)


def told(name: str, values: Sequence[float]) -> str:
    """One line: median, 99 of 100, most."""
    ordered = sorted(values)
    high = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    return f"{name}: median {statistics.median(ordered):.1f} ms, 99 % {high:.1f} ms, most {ordered[-1]:.1f} ms ({len(ordered)})"


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder) / "data", FakeReader([CLEAN])) as (address, app),
        sync_playwright() as driver,
    ):
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = at_table(browser, app, address, bots=0)
        size, requests = weight_bytes(browser, page.url)
        print(f"page: {size} bytes in {requests} requests")
        print(told("tap to card moved, alone", taps_ms(page, 1)))
        page.context.close()
        page = at_table(browser, app, address)
        print(told("tap to card moved, five bots", taps_ms(page, 1)))
        print("five bots play:")
        watch_bots(browser, page)
        page.context.close()
        page = at_table(browser, app, address)
        print(f"on a processor {SLOWER} times slower:")
        print(told("  tap to card moved, five bots", taps_ms(page, SLOWER)))
        watch_bots(browser, page)
        browser.close()


if __name__ == "__main__":
    main()
