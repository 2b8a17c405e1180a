"""The bar that appears when reading takes long."""

from __future__ import annotations

import io
import sys

import pytest

from scorer.progress import shown_progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, moment: float) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with shown_progress(moment=moment) as tell:
        tell("Telling the decks apart", 0.5)
    return stream.getvalue()


def test_bar_names_the_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    text = shown(monkeypatch, Terminal(), 0.0)
    assert "Telling the decks apart" in text and "50%" in text


def test_nothing_is_shown_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, Terminal(), 60.0) == ""


def test_nothing_is_written_into_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, io.StringIO(), 0.0) == ""


def test_bar_goes_away_when_the_work_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with pytest.raises(ValueError, match="no"), shown_progress(moment=0.0) as tell:
        tell("Reading", 0.5)
        raise ValueError("no")
    hidden, back = (stream.getvalue().rfind(code) for code in ("\x1b[?25l", "\x1b[?25h"))
    # The cursor that the bar hid is there again.
    assert 0 <= hidden < back
