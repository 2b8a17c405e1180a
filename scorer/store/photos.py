"""Photos as files named by their SHA-256, without place, time or device, uploaded whole or not at all."""

from __future__ import annotations

import hashlib
import io
import os
import secrets
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageOps, UnidentifiedImageError

from scorer.errors import PhotoError, StoreError

MAX_BYTES = 30 * 1024 * 1024
MAX_PIXELS = 64_000_000
REDUCED_SIDE = 2000
"""Longer side of the copy that pages show, and that alone is kept after a round is confirmed; in pixels."""

_TOO_MANY_PIXELS = "The photo has more than 64 megapixels: choose a smaller size in the camera."
_CUT_OFF = "The photo is damaged or was cut off on the way: send it again."
_FORMATS = ("JPEG", "PNG", "WEBP")
_ORIENTATION = 0x0112
_HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class StoredPhoto:
    """A photo as kept."""

    digest: str
    """Of the photo in its full size."""
    view: str
    """Of the reduced copy; the same where the photo is small and upright anyway."""
    width: int
    """Of the upright photo in its full size, in pixels."""
    height: int


class PhotoFolder:
    """The folder of photo files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for leftover in folder.glob("*.part"):
            leftover.unlink()

    def add(self, data: bytes) -> StoredPhoto:
        """Keep an uploaded photo and its reduced copy; the same photo twice is kept once."""
        width, height = inspect(data)
        clean = without_metadata(data)
        digest = hashlib.sha256(clean).hexdigest()
        reduced = _reduced(clean)
        view = hashlib.sha256(reduced).hexdigest()
        self._write(digest, clean)
        self._write(view, reduced)
        return StoredPhoto(digest, view, width, height)

    def path(self, digest: str) -> Path:
        """Where a photo lies; the digest is checked, so no name can lead out of the folder."""
        if len(digest) != 64 or not _HEX.issuperset(digest):
            raise StoreError("This is not the name of a photo.")
        return self.folder / f"{digest}.jpg"

    def remove(self, digest: str) -> None:
        """Delete a photo file, if it is there."""
        self.path(digest).unlink(missing_ok=True)

    def _write(self, digest: str, data: bytes) -> None:
        """Write under a temporary name and rename: a file with a photo's name is always whole."""
        target = self.path(digest)
        if target.exists():
            return
        part = target.with_name(f"{digest}.{secrets.token_hex(4)}.part")
        try:
            with part.open("wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            part.replace(target)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise StoreError(
                f"The photo could not be saved ({error.strerror}): free some space and send it again."
            ) from error


def _reduced(clean: bytes) -> bytes:
    """Return an upright copy of at most `REDUCED_SIDE`, or the photo itself where that would gain nothing."""
    with Image.open(io.BytesIO(clean)) as image:
        if max(image.size) <= REDUCED_SIDE and _orientation(image) == 1:
            return clean
        image.draft("RGB", (REDUCED_SIDE, REDUCED_SIDE))
        upright = ImageOps.exif_transpose(image).convert("RGB")
    upright.thumbnail((REDUCED_SIDE, REDUCED_SIDE))
    return _as_jpeg(upright, quality=82)


def inspect(data: bytes) -> tuple[int, int]:
    """Check the header first, then that the photo is whole; return its upright width and height."""
    if not data:
        raise PhotoError("The photo is empty: it was cut off on the way; send it again.")
    if len(data) > MAX_BYTES:
        raise PhotoError("The photo is larger than 30 MB: choose a smaller size in the camera.")
    try:
        with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
            _check_pixels(image.width * image.height)
            turned = _orientation(image) in (5, 6, 7, 8)
            size = (image.height, image.width) if turned else image.size
            _decode_coarsely(image)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise PhotoError(_TOO_MANY_PIXELS) from None
    except UnidentifiedImageError:
        raise PhotoError(
            "This is not a photo the companion can read: send a JPEG, PNG or WebP picture."
        ) from None
    except (OSError, SyntaxError, ValueError, struct.error):
        raise PhotoError(_CUT_OFF) from None
    return size


def _check_pixels(pixels: int) -> None:
    if pixels > MAX_PIXELS:
        raise PhotoError(_TOO_MANY_PIXELS)


def _decode_coarsely(image: Image.Image) -> None:
    image.draft("L", (image.width // 8, image.height // 8))
    image.load()


def without_metadata(data: bytes) -> bytes:
    """Return the photo as JPEG with nothing but pixels, colour profile and which way is up.

    A JPEG keeps its pixels bit for bit; other formats are encoded anew.
    """
    if data[:2] == b"\xff\xd8":
        return _strip_jpeg(data)
    with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
        return _as_jpeg(ImageOps.exif_transpose(image).convert("RGB"), quality=95)


def _as_jpeg(image: Image.Image, *, quality: int) -> bytes:
    stream = io.BytesIO()
    image.save(stream, "JPEG", quality=quality)
    return stream.getvalue()


def _strip_jpeg(data: bytes) -> bytes:
    with Image.open(io.BytesIO(data), formats=("JPEG",)) as image:
        orientation = _orientation(image)
    parts = [b"\xff\xd8"]
    if orientation in range(2, 9):
        parts.append(_orientation_segment(orientation))
    parts += [segment for marker, segment in _segments(data) if _is_kept(marker, segment)]
    return b"".join(parts)


def _is_kept(marker: int, segment: bytes) -> bool:
    """Application segments carry metadata, except JFIF, Adobe's transform and the colour profile."""
    if 0xE0 <= marker <= 0xEF:
        return segment[4:9] in (b"JFIF\0", b"Adobe") or segment[4:16] == b"ICC_PROFILE\0"
    return marker != 0xFE


def _orientation(image: Image.Image) -> int:
    try:
        return int(image.getexif().get(_ORIENTATION, 1))
    except (OSError, SyntaxError, TypeError, ValueError, struct.error):
        # Damaged EXIF is thrown away with the rest of it.
        return 1


def _orientation_segment(orientation: int) -> bytes:
    exif = Image.Exif()
    exif[_ORIENTATION] = orientation
    body = exif.tobytes()
    return b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body


def _segments(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Split a JPEG after its start into (marker, bytes) up to its end; films and previews follow that."""
    at = 2
    while True:
        marker, start = _next_marker(data, at)
        if marker == 0xD9:
            yield marker, b"\xff\xd9"
            return
        length = int.from_bytes(data[start + 1 : start + 3], "big")
        end = start + 1 + length
        if length < 2 or end > len(data):
            raise PhotoError(_CUT_OFF)
        if marker == 0xDA:
            end = _end_of_scan(data, end)
        yield marker, b"\xff" + data[start:end]
        at = end


def _next_marker(data: bytes, at: int) -> tuple[int, int]:
    """Return the next marker and where its byte lies, skipping fill bytes."""
    while at + 1 < len(data) and data[at] == 0xFF:
        if data[at + 1] != 0xFF:
            return data[at + 1], at + 1
        at += 1
    raise PhotoError(_CUT_OFF)


def _end_of_scan(data: bytes, at: int) -> int:
    """Return where entropy-coded data ends: at a marker that is neither a stuffed byte nor a restart."""
    while True:
        at = data.find(b"\xff", at)
        if at < 0 or at + 1 >= len(data):
            raise PhotoError(_CUT_OFF)
        if data[at + 1] != 0x00 and not 0xD0 <= data[at + 1] <= 0xD7 and data[at + 1] != 0xFF:
            return at
        at += 1 if data[at + 1] == 0xFF else 2
