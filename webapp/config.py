"""What an installation can decide."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from webapp.play.photographs import Photographer, photograph
from webapp.reader import ReadPhotos, read_with_models


@dataclass(frozen=True, slots=True)
class Config:
    """How to run the companion."""

    folder: Path
    """The data folder: database and photos."""
    read: ReadPhotos = field(default=read_with_models)
    """Reads photos; tests pass a scripted one."""
    photograph: Photographer = field(default=photograph)
    """Photographs rounds of the software game; tests pass a quick one."""
    keep_originals: bool = False
    """Keep photos in their full size after a round is confirmed."""
    readings_at_once: int = 2
    limits: bool = True
    """Whether uploads and new matches are limited per address."""
    translations: Path | None = None
    """Another folder of translations, for tests."""
    address: str | None = None
    """What phones reach this server by, such as "http://192.168.1.20:8000"; by default as requested."""
