"""Everything a file can be that somebody calls a photo."""

from __future__ import annotations

import io
import struct
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageOps

from scorer.errors import PhotoError
from scorer.vision import photo as photo_module
from scorer.vision.photo import MAX_PIXELS, load

Pixels = NDArray[np.uint8]


def scene(width: int = 64, height: int = 48) -> Pixels:
    """Smooth colours, red at the top left, green at the top right, blue at the bottom left."""
    x, y = np.linspace(0, 1, width), np.linspace(0, 1, height)[:, None]
    red, green, blue = (1 - x) * (1 - y), x * (1 - y), (1 - x) * y
    return (np.dstack([red, green, blue]) * 255).astype(np.uint8)


def encoded(image: Image.Image, kind: str = "JPEG", **options: object) -> bytes:
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def jpeg(pixels: Pixels, **options: object) -> bytes:
    return encoded(Image.fromarray(pixels), "JPEG", quality=95, **options)


def refusal(source: Path | bytes) -> str:
    with pytest.raises(PhotoError) as caught:
        load(source)
    return str(caught.value)


def is_close(read: Pixels, truth: Pixels, tolerance: int = 12) -> bool:
    return read.shape == truth.shape and int(np.abs(read.astype(int) - truth).max()) <= tolerance


def test_jpeg_is_read_as_rgb() -> None:
    photo = load(jpeg(scene()))
    assert is_close(photo.pixels, scene())
    assert (photo.width, photo.height) == (64, 48)
    assert photo.pixels.dtype == np.uint8
    assert not photo.is_animated


def test_name_is_that_of_the_file_unless_given(tmp_path: Path) -> None:
    file = tmp_path / "round.jpg"
    file.write_bytes(jpeg(scene()))
    assert load(file).name == "round.jpg"
    assert load(file, "first").name == "first"


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_exif_rotation_is_applied(orientation: int, kind: str) -> None:
    stored = Image.fromarray(scene())
    exif = Image.Exif()
    exif[0x0112] = orientation
    data = encoded(stored, kind, exif=exif, **({} if kind == "PNG" else {"quality": 95}))
    expected = ImageOps.exif_transpose(Image.open(io.BytesIO(data))).convert("RGB")
    assert is_close(load(data).pixels, np.array(expected), 4)
    # And that is what it should be: 6 was held upright, 3 upside down.
    assert load(data).pixels.shape == ((64, 48, 3) if orientation >= 5 else (48, 64, 3))


def test_rotations_put_the_stored_corner_where_exif_says() -> None:
    pixels = scene()
    exif = Image.Exif()
    exif[0x0112] = 6
    assert is_close(load(jpeg(pixels, exif=exif)).pixels, np.rot90(pixels, -1), 12)


@pytest.mark.parametrize("orientation", [0, 9, 77])
def test_impossible_rotation_is_ignored(orientation: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    assert is_close(load(jpeg(scene(), exif=exif)).pixels, scene())


def test_damaged_exif_does_not_cost_the_photo() -> None:
    data = jpeg(scene())
    junk = b"Exif\0\0MM\0*\xff\xff\xff\xf0garbage"
    segment = b"\xff\xe1" + struct.pack(">H", len(junk) + 2) + junk
    assert is_close(load(data[:2] + segment + data[2:]).pixels, scene())


def test_content_counts_and_not_the_extension(tmp_path: Path) -> None:
    file = tmp_path / "photo.jpg"
    file.write_bytes(encoded(Image.fromarray(scene()), "PNG"))
    assert np.array_equal(load(file).pixels, scene())


GREY = np.full((48, 64, 3), 128, np.uint8)


def sixteen_bit_png() -> bytes:
    ramp = np.linspace(0, 65535, 64 * 48).reshape(48, 64).astype(np.uint16)
    return encoded(Image.fromarray(ramp), "PNG")


def test_16_bit_grey_is_scaled_and_not_clipped() -> None:
    ramp = np.linspace(0, 255, 64 * 48).reshape(48, 64)
    read = load(sixteen_bit_png()).pixels
    assert np.abs(read - ramp[..., None]).max() <= 1


def test_16_bit_colour_png_is_read() -> None:
    samples = scene().astype(">u2") * 257
    rows = b"".join(b"\0" + row.tobytes() for row in samples)
    header = struct.pack(">IIBBBBB", 64, 48, 16, 2, 0, 0, 0)
    data = (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", zlib.compress(rows))
        + _chunk(b"IEND")
    )
    assert is_close(load(data).pixels, scene(), 1)


def png(header: bytes, body: bytes) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", body) + _chunk(b"IEND")


def _chunk(kind: bytes, body: bytes = b"") -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def test_float_tiff_is_read() -> None:
    values = np.linspace(0, 255, 64 * 48).reshape(48, 64).astype(np.float32)
    assert np.abs(load(encoded(Image.fromarray(values), "TIFF")).pixels[..., 0] - values).max() <= 1


def test_cmyk_jpeg_has_the_right_colours() -> None:
    data = encoded(Image.fromarray(scene()).convert("CMYK"), "JPEG", quality=95)
    assert is_close(load(data).pixels, scene(), 30)


def test_palette_is_read() -> None:
    image = Image.fromarray(scene()).quantize(200)
    assert is_close(load(encoded(image, "PNG")).pixels, np.array(image.convert("RGB")), 0)


def test_black_and_white_is_read() -> None:
    image = Image.new("1", (20, 10), 1)
    assert np.array_equal(load(encoded(image, "PNG")).pixels, np.full((10, 20, 3), 255))


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_transparent_parts_are_not_white_like_a_card(mode: str) -> None:
    image = Image.new("RGBA", (20, 10), (255, 255, 255, 0))
    image.paste((250, 250, 250, 255), (0, 0, 10, 10))
    pixels = load(encoded(image.convert(mode), "PNG")).pixels
    assert np.all(pixels[:, :9] >= 248)
    assert np.all(pixels[:, 11:] == 128)


def test_grey_jpeg_is_read() -> None:
    photo = load(encoded(Image.fromarray(scene()).convert("L"), "JPEG", quality=95))
    assert photo.pixels.shape == (48, 64, 3)


def test_progressive_jpeg_is_read_whole() -> None:
    assert is_close(load(jpeg(scene(), progressive=True)).pixels, scene())


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG"])
def test_of_an_animation_the_first_picture_is_read_and_told(kind: str) -> None:
    first, second = Image.new("RGB", (20, 10), (200, 0, 0)), Image.new("RGB", (20, 10), (0, 0, 200))
    photo = load(encoded(first, kind, save_all=True, append_images=[second], duration=100))
    assert photo.is_animated
    assert is_close(photo.pixels, np.array(first), 4)


def test_several_pictures_are_noticed_without_decoding(tmp_path: Path) -> None:
    first, second = Image.new("RGB", (20, 10), (200, 0, 0)), Image.new("RGB", (20, 10), (0, 0, 200))
    (tmp_path / "a.gif").write_bytes(encoded(first, "GIF", save_all=True, append_images=[second]))
    (tmp_path / "b.jpg").write_bytes(jpeg(scene()))
    assert photo_module.is_animated(tmp_path / "a.gif")
    assert not photo_module.is_animated(tmp_path / "b.jpg")


def test_preview_of_a_phone_photo_is_no_animation() -> None:
    data = encoded(Image.fromarray(scene()), "MPO", save_all=True, append_images=[Image.new("RGB", (8, 8))])
    photo = load(data)
    assert not photo.is_animated
    assert photo.pixels.shape == (48, 64, 3)


# What is refused.


def test_empty_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.jpg"
    file.write_bytes(b"")
    assert refusal(file) == "a.jpg is empty (0 bytes): copy or take the photo again."


def test_missing_file_and_folder_are_refused(tmp_path: Path) -> None:
    assert "does not exist" in refusal(tmp_path / "no.jpg")
    assert "is a folder" in refusal(tmp_path)
    assert "is not a file" in refusal(Path("/dev/null"))


@pytest.mark.parametrize(
    "data", [b"hello", b"\0" * 5000, b"%PDF-1.7\n", b"<svg></svg>", b"\xff\xd8\xff", b"PK\3\4zip"]
)
def test_what_is_no_image_is_refused(data: bytes) -> None:
    message = refusal(data)
    assert "is not a picture" in message or "is damaged" in message


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9, 0.999])
@pytest.mark.parametrize("progressive", [False, True])
def test_cut_off_jpeg_is_refused_and_not_filled_with_grey(share: float, progressive: bool) -> None:
    rng = np.random.default_rng(1)
    data = jpeg(rng.integers(0, 255, (120, 160, 3), dtype=np.uint8), progressive=progressive)
    assert "damaged or was cut off" in refusal(data[: int(share * len(data))])


def test_thumbnail_does_not_hide_that_a_jpeg_is_cut_off() -> None:
    thumbnail = b"Exif\0\0" + jpeg(scene(16, 12))
    data = jpeg(scene())
    whole = data[:2] + b"\xff\xe1" + struct.pack(">H", len(thumbnail) + 2) + thumbnail + data[2:]
    assert is_close(load(whole).pixels, scene())
    assert "cut off" in refusal(whole[: -len(data) // 3])


@pytest.mark.parametrize("kind", ["PNG", "GIF", "WEBP", "TIFF", "BMP"])
def test_other_kinds_cut_off_are_refused(kind: str) -> None:
    data = encoded(Image.fromarray(scene()), kind)
    message = refusal(data[: len(data) // 2])
    assert "damaged or was cut off" in message or "is not a picture" in message


def test_200_megapixels_are_refused_before_decoding() -> None:
    header = struct.pack(">IIBBBBB", 20_000, 10_000, 8, 2, 0, 0, 0)
    assert "more than 80 megapixels: choose a smaller size." in refusal(png(header, b""))


@pytest.mark.parametrize("width", [MAX_PIXELS // 1000 + 1, 100_000])
def test_just_too_large_is_refused_too(width: int) -> None:
    header = struct.pack(">IIBBBBB", width, 1000, 8, 2, 0, 0, 0)
    assert "more than 80 megapixels" in refusal(png(header, b""))


def test_huge_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(photo_module, "MAX_BYTES", 2**20)
    file = tmp_path / "a.jpg"
    file.write_bytes(b"\0" * (2**20 + 1))
    assert "larger than 1 MB" in refusal(file)


HEIC = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + b"\0" * 64


def test_heic_without_the_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    assert 'pip install "nerts-companion[heif]"' in refusal(HEIC)


def test_heic_is_read_with_the_extra() -> None:
    heif = pytest.importorskip("pillow_heif")
    heif.register_heif_opener()
    assert is_close(load(encoded(Image.fromarray(scene()), "HEIF", quality=95)).pixels, scene(), 20)


def test_every_refusal_is_one_sentence(tmp_path: Path) -> None:
    for source in (b"", b"hello", jpeg(scene())[:500], tmp_path, tmp_path / "no.jpg"):
        message = refusal(source)
        assert message.endswith(".") and "\n" not in message and ": " in message
