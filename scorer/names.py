"""Names of decks and players in text notation: one plain word as it is, anything else in double quotes."""

from __future__ import annotations

import json
import re

from scorer.errors import NotationError

NAME = r"""(?:[\w.-]+|"(?:[^"\\]|\\.)*")"""
"""Pattern of a name in notation."""

_TOKEN = re.compile(r"""(?:"(?:[^"\\]|\\.)*"|[^\s"])+|\S""")


def quoted(name: str) -> str:
    """Write a name, in quotes if it is not one plain word."""
    return name if re.fullmatch(r"[\w.-]+", name) else json.dumps(name)


def unquoted(text: str) -> str:
    """Read a name, in quotes or not."""
    if not text.startswith('"'):
        return text
    try:
        return str(json.loads(text))
    except ValueError:
        raise NotationError(
            f"{text} is not a name in double quotes; escape quotes with a backslash."
        ) from None


def tokens(text: str) -> list[str]:
    """Split notation at blanks that do not stand in quotes."""
    return _TOKEN.findall(text)
