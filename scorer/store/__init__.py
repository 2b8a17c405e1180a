"""Keeps matches, rounds, photos and readings in a data folder: an SQLite database, and files for photos.

Every change of a match is an event; the match is the fold of its events, so all can be undone and redone.
"""

from __future__ import annotations

from pathlib import Path

from scorer.errors import StoreError
from scorer.store.backup import DATABASE, PHOTOS, backup, restore
from scorer.store.database import Database
from scorer.store.lock import FolderLock
from scorer.store.matches import Appended, Found, Links, Matches, Opened, Step
from scorer.store.photos import PhotoFolder, StoredPhoto
from scorer.store.sheets import Sheet, Sheets
from scorer.store.state import Entry, MatchState, Round, Seat, match_of, tally_of

__all__ = [
    "Appended",
    "Entry",
    "FolderLock",
    "Found",
    "Links",
    "MatchState",
    "Matches",
    "Opened",
    "Round",
    "Seat",
    "Sheet",
    "Sheets",
    "Step",
    "Store",
    "StoredPhoto",
    "backup",
    "match_of",
    "restore",
    "tally_of",
]


class Store:
    """An open data folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            photos = PhotoFolder(folder / PHOTOS)
        except OSError as error:
            raise StoreError(f"The data folder {folder} cannot be used ({error.strerror}).") from error
        self._database = Database(folder / DATABASE)
        self.matches = Matches(self._database)
        self.sheets = Sheets(self._database, photos)

    def close(self) -> None:
        """Close the database."""
        self._database.close()
