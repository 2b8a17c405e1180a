"""Reading JSON field by field; what does not fit is refused in one sentence that says where it stands."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

from scorer.errors import NotationError

T = TypeVar("T")
_MISSING = object()
_LARGEST = sys.float_info.max


class Fields:
    """The fields of one JSON object, each taken by its name and checked for its type."""

    def __init__(self, data: object, where: str) -> None:
        """Wrap parsed JSON.

        Args:
            data: what `json.loads` returned.
            where: what it is, to begin a sentence with, such as "card 3".
        """
        if not isinstance(data, dict):
            raise refusal(where, f"must be a JSON object, not {_kind(data)}.")
        self._data: dict[str, object] = data
        self.where = where

    def __contains__(self, name: str) -> bool:
        return self._data.get(name) is not None

    def get(self, name: str, default: object = _MISSING) -> object:
        """Return a field as it is; a missing one is refused unless a default is given."""
        value = self._data.get(name, default)
        if value is _MISSING:
            raise refusal(self.where, f"has no {name!r}.")
        return value

    def text(self, name: str, default: object = _MISSING) -> str:
        """Return a text field."""
        return as_text(self.get(name, default), f"{name!r} of {self.where}")

    def optional_text(self, name: str) -> str | None:
        """Return a text field that may be null or absent."""
        return self.text(name) if name in self else None

    def flag(self, name: str, default: object = _MISSING) -> bool:
        """Return a field that is true or false."""
        value = self.get(name, default)
        if not isinstance(value, bool):
            raise refusal(f"{name!r} of {self.where}", f"must be true or false, not {_kind(value)}.")
        return value

    def whole(self, name: str, default: object = _MISSING) -> int:
        """Return a field that is a whole number."""
        return as_whole(self.get(name, default), f"{name!r} of {self.where}")

    def optional_whole(self, name: str) -> int | None:
        """Return a whole number that may be null or absent."""
        return self.whole(name) if name in self else None

    def number(self, name: str, default: object = _MISSING) -> float:
        """Return a field that is a finite number."""
        return as_number(self.get(name, default), f"{name!r} of {self.where}")

    def items(self, name: str, read: Callable[[object, str], T], default: object = _MISSING) -> tuple[T, ...]:
        """Return a list field, each item read by a function of the item and where it stands."""
        return as_items(self.get(name, default), f"{name!r} of {self.where}", read)

    def pairs(self, name: str) -> dict[str, object]:
        """Return a field that is a JSON object, as it is; an absent one is empty."""
        value = self.get(name, {})
        if not isinstance(value, dict):
            raise refusal(f"{name!r} of {self.where}", f"must be a JSON object, not {_kind(value)}.")
        return value


def refusal(where: str, what: str) -> NotationError:
    """Return the error that says where something is wrong, and what."""
    return NotationError(f"{where[:1].upper()}{where[1:]} {what}")


def as_text(value: object, where: str) -> str:
    """Return a value that is text that can be written down: half of a surrogate pair is not."""
    if not isinstance(value, str) or not is_writable(value):
        raise refusal(where, f"must be text, not {_kind(value)}.")
    return value


def is_writable(text: str) -> bool:
    """Whether text can be encoded; JSON and command lines can hold halves of characters that cannot."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def as_whole(value: object, where: str) -> int:
    """Return a value that is a whole number; true and false are none."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise refusal(where, f"must be a whole number, not {_kind(value)}.")
    return value


def as_number(value: object, where: str) -> float:
    """Return a value that is a finite number; true and false are none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _LARGEST:
        raise refusal(where, f"must be a number, not {_kind(value)}.")
    return float(value)


def as_items(value: object, where: str, read: Callable[[object, str], T]) -> tuple[T, ...]:
    """Return a list, each item read by a function of the item and where it stands."""
    if not isinstance(value, list | tuple):
        raise refusal(where, f"must be a list, not {_kind(value)}.")
    return tuple(read(item, f"item {number} of {where}") for number, item in enumerate(value, 1))


def _kind(value: object) -> str:
    if value is None:
        return "null"
    shown = repr(value)
    return shown if len(shown) <= 40 else shown[:37] + "..."
