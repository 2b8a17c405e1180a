"""What one phone prefers and which matches it has opened, kept in its own signed cookie."""

from __future__ import annotations

from dataclasses import dataclass

from babel import Locale
from flask import current_app, request, session

THEMES = ("auto", "light", "dark")
_MOST_MATCHES = 60
_MOST_TABLES = 12


@dataclass(frozen=True, slots=True)
class Preferences:
    """The settings page, as chosen on this phone."""

    theme: str = "auto"
    language: str = ""
    """A language code, or nothing for what the browser asks for."""
    wake_lock: bool = True


def current() -> Preferences:
    """Return this phone's preferences."""
    stored = session.get("preferences", {})
    theme = stored.get("theme")
    return Preferences(
        theme=theme if theme in THEMES else "auto",
        language=str(stored.get("language", "")),
        wake_lock=bool(stored.get("wake_lock", True)),
    )


def save(preferences: Preferences) -> None:
    """Remember this phone's preferences."""
    session.permanent = True
    session["preferences"] = {
        "theme": preferences.theme,
        "language": preferences.language,
        "wake_lock": preferences.wake_lock,
    }


def languages() -> list[Locale]:
    """Return the languages the pages are translated into."""
    return list(_translations().values())


def _translations() -> dict[str, Locale]:
    """Looked for on the disk once: every request asks for them."""
    known: dict[str, Locale] | None = current_app.extensions["nerts"].get("languages")
    if known is None:
        found = current_app.extensions["babel"].instance.list_translations()
        known = {"en": Locale("en")} | {str(locale): locale for locale in found}
        current_app.extensions["nerts"]["languages"] = known
    return known


def locale() -> str:
    """Choose the language of this request."""
    available = _translations()
    chosen = current().language
    return chosen if chosen in available else request.accept_languages.best_match(available, "en")


def known_matches() -> list[str]:
    """Return the keys of the matches this phone has opened, the latest first."""
    return [str(key) for key in session.get("matches", [])]


def remember_match(key: str) -> None:
    """Note that this phone has opened a match."""
    known = known_matches()
    if known[:1] == [key]:
        return
    session.permanent = True
    session["matches"] = [key, *(one for one in known if one != key)][:_MOST_MATCHES]


def known_tables() -> list[str]:
    """Return the keys of this phone's seats at tables of the software game, the latest first."""
    return [str(key) for key in session.get("tables", [])]


def remember_table(key: str) -> None:
    """Note that this phone has a seat at a table."""
    known = known_tables()
    if known[:1] != [key]:
        session.permanent = True
        session["tables"] = [key, *(one for one in known if one != key)][:_MOST_TABLES]


def forget_table(key: str) -> None:
    """Take a table off this phone's list."""
    session["tables"] = [one for one in known_tables() if one != key]


def forget_match(key: str) -> None:
    """Take a match off this phone's list; the match itself stays."""
    session["matches"] = [one for one in known_matches() if one != key]
