"""Who may see what: a key opens a match, or the page does not exist."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from flask import abort, current_app

from scorer.store import MatchState, Opened, Store
from webapp import preferences
from webapp.config import Config
from webapp.jobs import Readings


@dataclass(frozen=True, slots=True)
class Access:
    """A match opened by one of its keys."""

    key: str
    may_edit: bool
    opened: Opened

    @property
    def id(self) -> int:
        """The number of the match in the store."""
        return self.opened.id

    @property
    def state(self) -> MatchState:
        """The match as it stands."""
        return self.opened.state


def store() -> Store:
    """The store of the running application."""
    return cast(Store, current_app.extensions["nerts"]["store"])


def config() -> Config:
    """The configuration of the running application."""
    return cast(Config, current_app.extensions["nerts"]["config"])


def readings() -> Readings:
    """The queue of readings of the running application."""
    return cast(Readings, current_app.extensions["nerts"]["readings"])


def to_view(key: str) -> Access:
    """Open a match for looking; an unknown key is a page that does not exist."""
    found = store().matches.find(key)
    if found is None:
        abort(404)
    preferences.remember_match(key)
    return Access(key, found.may_edit, store().matches.open(found.id))


def to_edit(key: str) -> Access:
    """Open a match for scoring; a link that only shows does not lead here."""
    access = to_view(key)
    if not access.may_edit:
        abort(404)
    return access
