from __future__ import annotations

import pytest

from tests.game.playthroughs import FOLDER, PLAYTHROUGHS


@pytest.mark.parametrize("playthrough", PLAYTHROUGHS, ids=lambda playthrough: playthrough.name)
def test_rounds_go_as_they_always_did(playthrough):
    """If this is meant to change: python -m tests.game.playthroughs, and read the difference."""
    assert playthrough.text() == playthrough.path.read_text(encoding="utf-8")


def test_there_are_no_others():
    assert {path.stem for path in FOLDER.glob("*.txt")} == {playthrough.name for playthrough in PLAYTHROUGHS}
