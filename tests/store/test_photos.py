"""What is kept of a photo: its pixels and which way is up, nothing else."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageOps

from scorer.errors import StoreError
from scorer.store.photos import REDUCED_SIDE, PhotoFolder, without_metadata

PLACE, MAKER, TIME, ORIENTATION = 0x8825, 0x010F, 0x0132, 0x0112


def picture(width: int = 400, height: int = 300) -> Image.Image:
    """A picture whose corners all differ."""
    image = Image.new("RGB", (width, height), "white")
    image.paste("red", (0, 0, width // 2, height // 2))
    image.paste("blue", (width // 2, height // 2, width, height))
    return image


def encoded(image: Image.Image, kind: str = "JPEG", **options: object) -> bytes:
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def telling(orientation: int = 1) -> Image.Exif:
    exif = Image.Exif()
    exif[MAKER] = "SecretPhone"
    exif[TIME] = "2026:11:29 20:15:00"
    exif[ORIENTATION] = orientation
    exif.get_ifd(PLACE)[1] = "N"
    exif.get_ifd(PLACE)[2] = (52.0, 31.0, 12.0)
    return exif


@pytest.fixture
def folder(tmp_path: Path) -> PhotoFolder:
    return PhotoFolder(tmp_path / "photos")


@pytest.mark.parametrize("orientation", range(1, 9))
def test_place_time_and_device_go_and_up_stays_up(folder: PhotoFolder, orientation: int) -> None:
    data = encoded(picture(), exif=telling(orientation), comment=b"SecretComment")
    photo = folder.add(data)
    for digest in (photo.digest, photo.view):
        kept = folder.path(digest).read_bytes()
        assert b"Secret" not in kept
        assert b"2026:11" not in kept
        with Image.open(io.BytesIO(kept)) as image:
            assert not image.getexif().get_ifd(PLACE)
            upright = ImageOps.exif_transpose(image)
        with Image.open(io.BytesIO(data)) as original:
            wanted = ImageOps.exif_transpose(original)
        assert upright.size == wanted.size == (photo.width, photo.height)
        difference = np.abs(np.asarray(upright, int) - np.asarray(wanted, int))
        assert difference.mean() < 2


def test_a_jpeg_keeps_its_pixels_bit_for_bit(folder: PhotoFolder) -> None:
    data = encoded(picture(), exif=telling(6), quality=91)
    with Image.open(io.BytesIO(data)) as before, Image.open(io.BytesIO(without_metadata(data))) as after:
        assert np.array_equal(np.asarray(before), np.asarray(after))


@pytest.mark.parametrize(
    "options", [{"progressive": True}, {"optimize": True}, {"subsampling": 0}, {"restart_marker_blocks": 2}]
)
def test_all_kinds_of_jpeg_survive(folder: PhotoFolder, options: dict[str, object]) -> None:
    data = encoded(picture(), **options)
    with Image.open(io.BytesIO(data)) as before, Image.open(io.BytesIO(without_metadata(data))) as after:
        assert np.array_equal(np.asarray(before), np.asarray(after))


def test_a_film_behind_the_photo_goes(folder: PhotoFolder) -> None:
    photo = folder.add(encoded(picture()) + b"SecretFilm" * 100)
    assert b"SecretFilm" not in folder.path(photo.digest).read_bytes()


@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "P"])
def test_other_kinds_become_jpeg(folder: PhotoFolder, kind: str, mode: str) -> None:
    image = picture().convert(mode)
    if kind == "WEBP" and mode == "P":
        image = image.convert("RGB")
    photo = folder.add(encoded(image, kind, exif=telling()))
    kept = folder.path(photo.digest).read_bytes()
    assert kept[:2] == b"\xff\xd8"
    assert b"Secret" not in kept


def test_damaged_exif_is_no_obstacle(folder: PhotoFolder) -> None:
    data = encoded(picture(), exif=telling())
    at = data.index(b"Exif\0\0") + 6
    folder.add(data[:at] + bytes(range(40)) + data[at + 40 :])


def test_the_reduced_copy_is_upright_and_small(folder: PhotoFolder) -> None:
    photo = folder.add(encoded(picture(4000, 3000), exif=telling(6)))
    assert (photo.width, photo.height) == (3000, 4000)
    with Image.open(folder.path(photo.view)) as view:
        assert max(view.size) == REDUCED_SIDE
        assert view.height > view.width
        assert view.getexif().get(ORIENTATION, 1) == 1


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "A" * 64, "a" * 63, "a" * 63 + "/", "a" * 65])
def test_only_hashes_name_photos(folder: PhotoFolder, name: str) -> None:
    with pytest.raises(StoreError):
        folder.path(name)
