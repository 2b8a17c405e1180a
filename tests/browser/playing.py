"""Somebody who plays in the page: what to play is planned by the engine, how to play is up to the test."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import pytest
from flask import Flask
from playwright.sync_api import CDPSession, Locator, Page, expect

from scorer.game.bots import BOTS
from scorer.game.moves import Kind
from scorer.game.record import Head
from scorer.game.view import View
from scorer.scoring import Rules
from webapp.play.saved import Saved
from webapp.play.table import LiveTable

SHORT = Rules(nerts_size=4, target=50)
"""Over in a minute, and everything there is to do is done."""
SEED = "table 19"
"""Alone with this deal a good player moves a run, slides a card under, turns the waste over, and calls."""


def deal(monkeypatch: pytest.MonkeyPatch, seed: str) -> None:
    """Let every table that is set from now on be dealt from this seed."""
    new = Saved.new

    def seeded(cls: type[Saved], *args: Any, **options: Any) -> Saved:
        return dataclasses.replace(new(*args, **options), seed=seed)

    monkeypatch.setattr(Saved, "new", classmethod(seeded))


def set_table(app: Flask, *bots: str, rules: Rules = SHORT, may_join: bool = False) -> str:
    """Set a table for Ann and return its path."""
    return f"/play/{app.extensions['nerts']['hall'].create('Ann', bots, rules, may_join=may_join)}"


def table_at(app: Flask, path: str) -> LiveTable:
    found = app.extensions["nerts"]["hall"].by_key(path.rpartition("/")[2], attend=False)
    assert found is not None
    table: LiveTable = found[0]
    return table


def moves_made(table: LiveTable, seat: int = 0) -> list[str]:
    """The moves of a seat as they are recorded."""
    played = table._round
    return [] if played is None else [str(one.move)[3:] for one in played.records if one.move.seat == seat]


def planned(head: Head) -> list[str]:
    """The moves of a good player who is alone at the table, up to the call."""
    state = head.deal()
    view, moves = View(state, 0), []
    while state.end is None:
        move = BOTS["shark"].decide(view, lambda: 0.999)
        assert move is not None
        assert move.kind is not Kind.STUCK, "this deal does not come out"
        state.perform(move)
        moves.append(str(move)[3:])
    return moves


def sit_down(page: Page) -> None:
    """Wait until the table is there to play at."""
    expect(page.locator(".felt[data-ready]")).to_be_visible()


def pile(page: Page, name: str) -> Locator:
    return page.locator(f"[data-pile='{name}']")


def parts(move: str) -> tuple[str, int, str]:
    """Where a play comes from, how many cards it takes, and where it goes."""
    what, target = move.replace("<", ">").split(">")
    source, card = what.split(":")
    return source, int(card.partition("x")[2] or 1), target


class Keys:
    """Plays with the keyboard."""

    WORDS: ClassVar = {"turn": "Space", "redeal": "Space", "nerts!": "n", "stuck": "k", "rotate": "r"}
    NAMES: ClassVar = {"N": "p", "W": "w"}

    def __init__(self, page: Page) -> None:
        self.page = page

    def make(self, move: str) -> None:
        if move in self.WORDS:
            self.page.keyboard.press(self.WORDS[move])
            return
        source, _count, target = parts(move)
        self.page.keyboard.press(self.NAMES.get(source, source))
        self.page.keyboard.press("f" if target.startswith("F") else target)


class Finger:
    """Plays with a finger: taps what is obvious, drags what is not."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.touch: CDPSession = page.context.new_cdp_session(page)

    def make(self, move: str) -> None:
        if move in ("turn", "redeal"):
            self.tap_card("S")
        elif move == "nerts!":
            self.page.get_by_role("button", name="Nerts!").click()
        else:
            source, count, target = parts(move)
            if target.startswith("F"):
                self.tap_card(source)
            else:
                self.drag(source, count, target)

    def box(self, name: str) -> dict[str, float]:
        found = pile(self.page, name).bounding_box()
        assert found is not None
        return dict(found)

    def tap_card(self, source: str) -> None:
        """Tap the card that can be played: the lowest of a work pile."""
        box = self.box(source)
        self.tap(box["x"] + self.card_width() / 2, box["y"] + box["height"] - 12)

    def tap(self, x: float, y: float) -> None:
        self.page.touchscreen.tap(x, y)

    def card_width(self) -> float:
        width: float = self.page.evaluate("document.querySelector('[data-pile=\"N\"]').offsetWidth")
        return width

    def drag(self, source: str, count: int, target: str) -> None:
        box, there = self.box(source), self.box(target)
        step = 0 if count == 1 else self.card_width() * 1.4 * 0.27
        start = (box["x"] + self.card_width() / 2, box["y"] + box["height"] - 12 - step * (count - 1))
        if count > 1:
            # Of a covered card only the upper edge shows.
            start = (start[0], box["y"] + box["height"] - self.card_width() * 1.4 - step * (count - 1) + 8)
        end = (there["x"] + there["width"] / 2, there["y"] + min(60, there["height"] / 2))
        self.swipe(start, end)

    def swipe(self, start: tuple[float, float], end: tuple[float, float], steps: int = 5) -> None:
        points = [
            (start[0] + (end[0] - start[0]) * at / steps, start[1] + (end[1] - start[1]) * at / steps)
            for at in range(steps + 1)
        ]
        self._touch("touchStart", [points[0]])
        for point in points[1:]:
            self._touch("touchMove", [point])
        self._touch("touchEnd", [])

    def _touch(self, kind: str, points: Sequence[tuple[float, float]]) -> None:
        touches = [{"x": x, "y": y} for x, y in points]
        self.touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})


class Mouse(Finger):
    """Plays with a mouse: the same gestures."""

    def tap(self, x: float, y: float) -> None:
        self.page.mouse.click(x, y)

    def swipe(self, start: tuple[float, float], end: tuple[float, float], steps: int = 5) -> None:
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move(*end, steps=steps)
        self.page.mouse.up()


def play_through(player: Keys | Finger, table: LiveTable, moves: Sequence[str]) -> None:
    """Make those moves that are not made yet, each when the server has the one before."""
    for number, move in enumerate(moves, 1):
        if number <= len(moves_made(table)):
            continue
        player.make(move)
        for _wait in range(400):
            made = moves_made(table)
            if len(made) >= number:
                break
            player.page.wait_for_timeout(10)
        assert made == list(moves[:number]), f"{made} instead of {moves[:number]}"
        settle(player.page)


def settle(page: Page) -> None:
    """Wait until the page shows what the server has told it, and nothing is on its way."""
    page.wait_for_timeout(40)


def head_of(table: LiveTable) -> Head:
    """What the round on the table was dealt from."""
    played = table._round
    assert played is not None
    return played.head


def alone(pick_up: Callable[..., Page], server: tuple[str, Flask]) -> tuple[Page, LiveTable]:
    """Sit down at a table on the phone with nobody else."""
    path = set_table(server[1])
    page = pick_up(path)
    sit_down(page)
    return page, table_at(server[1], path)


# --- At the table ----------------------------------------------------------------------------------------------


def tap(page: Page, name: str) -> None:
    """Tap the card of a pile that can be played."""
    (Finger if page.evaluate("navigator.maxTouchPoints > 0") else Mouse)(page).tap_card(name)


def made(page: Page, table: LiveTable, move: str | None, times: int = 1, seat: int = 0) -> None:
    """Wait until the server has recorded a move of a seat."""
    for _wait in range(500):
        if moves_made(table, seat).count(str(move)) >= times:
            return
        page.wait_for_timeout(10)
    raise AssertionError(f"{move} was not made {times} times: {moves_made(table, seat)}")


def join(pick_up: Callable[..., Page], app: Flask, path: str, name: str = "Ben") -> Page:
    """Take a seat on another phone."""
    saved = table_at(app, path).saved
    page = pick_up(f"/play/join/{saved.id}{saved.invitation}")
    page.fill("#name", name)
    page.get_by_role("button", name="Take a seat").tap()
    expect(page.locator(".felt")).to_be_visible()
    return page


def resume(page: Page) -> None:
    """Go on, if the table stands still."""
    button = page.locator("[data-resume]")
    if button.is_visible():
        button.tap()


def hide(page: Page, hidden: bool) -> None:
    """Switch to another application, or come back."""
    page.evaluate(
        "hidden => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });"
        " document.dispatchEvent(new Event('visibilitychange')); }",
        hidden,
    )


def cards_shown(page: Page) -> list[str]:
    """Every card in sight: its look and its place."""
    page.wait_for_timeout(400)
    shown: list[str] = page.evaluate(
        "[...document.querySelectorAll('.playing')].map(card => `${card.shown.id} ${card.shown.up} ${card.style.transform}`).sort()"
    )
    return shown


def foundation_cards(page: Page) -> int:
    return page.locator(".playing.banded").count()


def pile_labels(page: Page) -> list[str]:
    """What a screen reader is told of the own piles."""
    labels: list[str] = page.evaluate(
        "[...document.querySelectorAll('[data-pile]')].map(one => one.ariaLabel)"
    )
    return labels


def overlap(one: dict[str, float], other: dict[str, float]) -> bool:
    """Whether two boxes share more than an edge."""
    across = min(one["x"] + one["width"], other["x"] + other["width"]) - max(one["x"], other["x"])
    down = min(one["y"] + one["height"], other["y"] + other["height"]) - max(one["y"], other["y"])
    return across > 1 and down > 1


def violations(page: Page) -> str:
    """What axe finds wrong with the page, "" for nothing."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    page.wait_for_timeout(300)
    result = axe.Axe().run(page)
    return str(result.generate_report()) if result.violations_count else ""


# --- Moments -------------------------------------------------------------------------------------------------


def until_a_choice(page: Page, table: LiveTable) -> tuple[str, list[str]]:
    """Play by plan until a card can be laid on several work piles, and say which card and where."""
    finger = Finger(page)
    for number, move in enumerate(planned(head_of(table)), 1):
        for source in ("N", "W"):
            targets = [text for text in legal_now(table) if text.startswith(f"{source}:")]
            if len(targets) > 1 and not any(">F" in text for text in targets):
                return source, targets
        finger.make(move)
        made(page, table, move, times=moves_up_to(table, move, number))
        settle(page)
    raise AssertionError("there was never a choice")


def moves_up_to(table: LiveTable, move: str, number: int) -> int:
    return planned(head_of(table))[:number].count(move)


def legal_now(table: LiveTable, seat: int = 0) -> list[str]:
    """The moves the server allows."""
    return table.legal_moves(seat)


def misfit(table: LiveTable) -> tuple[str, str]:
    """A work pile whose card does not go on another."""
    legal = legal_now(table)
    for source, target in itertools.permutations("1234", 2):
        if not any(text.startswith(f"{source}:") and text.endswith(f">{target}") for text in legal):
            return source, target
    raise AssertionError("everything fits everywhere")
