"""From the bytes of a picture file to upright RGB pixels; whatever cannot be read is refused in one sentence.

The content decides what a file is, never its name. Headers are checked before anything is decoded.
"""

from __future__ import annotations

import io
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from scorer.errors import PhotoError

Pixels = NDArray[np.uint8]

MAX_BYTES = 100 * 2**20
MAX_PIXELS = 80_000_000
"""More than any phone takes by default; 80 megapixels are 240 MB decoded."""

_FORMATS: tuple[str, ...] = ("JPEG", "PNG", "WEBP", "GIF", "TIFF", "BMP", "AVIF")
_HEIC_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
_ORIENTATION = 0x0112
_GROUND = 128
"""Grey under transparent pixels: cards are white, on white their edges would vanish."""
_warnings_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Photo:
    """A photo as the reader sees it; nothing of its EXIF data is kept."""

    name: str
    pixels: Pixels
    """(h, w, 3) uint8 RGB, upright."""
    is_animated: bool = False
    """Whether the file holds several pictures, of which this is the first."""

    @property
    def width(self) -> int:
        """In pixels."""
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        """In pixels."""
        return int(self.pixels.shape[0])


def load(source: Path | bytes, name: str | None = None) -> Photo:
    """Decode a photo.

    Args:
        source: a file, or its content.
        name: what to call it in messages; by default the file's name.

    Raises:
        PhotoError: it cannot be read at all.
    """
    if isinstance(source, Path):
        return _decoded(_content(source), name or source.name)
    return _decoded(source, name or "The photo")


def is_animated(path: Path) -> bool:
    """Whether a file that can be read holds several pictures, of which only the first is read."""
    with _opened(_content(path), path.name) as image:
        return _is_animated(image)


def _content(path: Path) -> bytes:
    if path.is_dir():
        raise PhotoError(f"{path} is a folder: name the photos in it.")
    if not path.exists():
        raise PhotoError(f"{path} does not exist: check the name.")
    if not path.is_file():
        raise PhotoError(f"{path} is not a file: name a photo.")
    try:
        if path.stat().st_size > MAX_BYTES:
            raise PhotoError(f"{path} is larger than {MAX_BYTES // 2**20} MB: choose a smaller size.")
        return path.read_bytes()
    except OSError as error:
        raise PhotoError(f"{path} cannot be read ({error.strerror}): check the file.") from error


def _decoded(data: bytes, name: str) -> Photo:
    if not data:
        raise PhotoError(f"{name} is empty (0 bytes): copy or take the photo again.")
    with _opened(data, name) as image:
        if image.width * image.height > MAX_PIXELS:
            raise _too_large(name, image.width * image.height)
        try:
            pixels = _upright(_pixels(image, data, name), _orientation(image))
        except (PhotoError, MemoryError):
            raise
        except Exception as error:
            # Decoders raise anything from struct.error to SyntaxError on damaged files.
            raise _damaged(name) from error
        return Photo(name, pixels, is_animated=_is_animated(image))


def _opened(data: bytes, name: str) -> Image.Image:
    """Read the header only."""
    formats = _FORMATS
    if _is_heic(data):
        _prepare_heic(name)
        formats = (*_FORMATS, "HEIF")
    try:
        with _no_warnings():
            return Image.open(io.BytesIO(data), formats=formats)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise _too_large(name) from None
    except UnidentifiedImageError:
        raise PhotoError(f"{name} is not a picture that can be read: use a JPEG or PNG file.") from None
    except Exception as error:
        raise _damaged(name) from error


@contextmanager
def _no_warnings() -> Iterator[None]:
    """Silence Pillow's complaints about metadata; that a picture is too large becomes an exception."""
    # Filters of warnings are shared by all threads.
    with _warnings_lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        yield


def _too_large(name: str, pixels: int | None = None) -> PhotoError:
    has = "has" if pixels is None else f"has {pixels / 1e6:.0f} megapixels,"
    return PhotoError(f"{name} {has} more than {MAX_PIXELS / 1e6:.0f} megapixels: choose a smaller size.")


def _damaged(name: str) -> PhotoError:
    return PhotoError(f"{name} is damaged or was cut off: copy or take the photo again.")


def _is_heic(data: bytes) -> bool:
    return data[4:8] == b"ftyp" and data[8:12] in _HEIC_BRANDS


def _prepare_heic(name: str) -> None:
    try:
        from pillow_heif import register_heif_opener
    except ImportError:
        raise PhotoError(
            f'{name} is a HEIC photo: run pip install "nerts-companion[heif]", or save it as JPEG.'
        ) from None
    register_heif_opener()


def _pixels(image: Image.Image, data: bytes, name: str) -> Pixels:
    """Decode to RGB as stored, not yet turned upright; (h, w, 3)."""
    if image.format in ("JPEG", "MPO") and image.mode in ("RGB", "L"):
        return _jpeg_pixels(data, name)
    if image.mode.startswith("I") or image.mode == "F":
        return _from_deep(np.asarray(image))
    if image.has_transparency_data:
        flat = Image.new("RGBA", image.size, (_GROUND, _GROUND, _GROUND, 255))
        flat.alpha_composite(image.convert("RGBA"))
        return np.array(flat.convert("RGB"))
    return np.array(image.convert("RGB"))


def _jpeg_pixels(data: bytes, name: str) -> Pixels:
    """Decode a JPEG with OpenCV, in half of Pillow's time; but it fills what is missing with grey."""
    if not _is_whole_jpeg(data):
        raise _damaged(name)
    flags = cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION
    pixels = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
    if pixels is None:
        raise _damaged(name)
    return np.asarray(pixels, np.uint8)


def _is_whole_jpeg(data: bytes) -> bool:
    """Whether an end marker follows the picture's own scan: an embedded thumbnail has one too."""
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4])
        if marker == 0xDA:
            return data.find(b"\xff\xd9", at + 2 + length) >= 0
        at += 1 if marker == 0xFF else 2 + length
    return False


def _from_deep(samples: NDArray[np.generic]) -> Pixels:
    """Reduce more than 8 bits a sample to 8."""
    values = samples.astype(np.float32)
    highest = float(values.max(initial=0))
    if highest > 255:
        values *= 255 / max(highest, 65535)
    grey = np.clip(values, 0, 255).astype(np.uint8)
    return np.repeat(grey[..., None], 3, axis=2)


def _orientation(image: Image.Image) -> int:
    """Return how the camera was held, 1 to 8 as in EXIF."""
    if image.format == "HEIF":
        return 1
    try:
        with _no_warnings():
            return int(image.getexif().get(_ORIENTATION, 1))
    except Exception:
        # Damaged EXIF data must not cost the photo.
        return 1


def _upright(pixels: Pixels, orientation: int) -> Pixels:
    if orientation in (5, 6, 7, 8):
        pixels = pixels.transpose(1, 0, 2)
    if orientation in (2, 3, 6, 7):
        pixels = pixels[:, ::-1]
    if orientation in (3, 4, 7, 8):
        pixels = pixels[::-1]
    return np.ascontiguousarray(pixels)


def _is_animated(image: Image.Image) -> bool:
    # The second picture of an MPO file is a preview or a depth map.
    return image.format != "MPO" and bool(getattr(image, "is_animated", False))
