"""Who may see and change what, and what the server refuses."""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Callable

import pytest
from flask import Flask
from PIL import Image

from scorer.store import photos
from tests.webapp.scripted import CLEAN, FakeReader
from tests.webapp.table import Phone, sentence, token

EDITING_PAGES = ("type", "setup", "history", "sheet/none", "round/none/edit")
EDITING_POSTS = ("type", "preview", "setup", "undo", "redo", "note", "rematch", "sheet", "round/none/delete")


@pytest.mark.parametrize("page", ["", "live", "share", "end", "export.json", "export.csv", *EDITING_PAGES])
def test_no_link_no_data(match: Phone, page: str) -> None:
    answer = Phone(match.app, "/m/guessed/").get(page)
    assert answer.status_code == 404
    assert "Ann" not in answer.text


@pytest.mark.parametrize("page", EDITING_PAGES)
def test_a_view_link_leads_to_no_page_that_changes(match: Phone, page: str) -> None:
    assert match.other(view=True).get(page).status_code == 404


@pytest.mark.parametrize("page", EDITING_POSTS)
def test_a_view_link_changes_nothing(match: Phone, page: str) -> None:
    version = match.store.matches.open(match.match_id).version
    answer = match.other(view=True).post(page, seq=1, note="x", **match.round_form({"Ann": (1, 1)}))
    assert answer.status_code == 404
    assert match.store.matches.open(match.match_id).version == version


def test_a_view_link_shows_without_telling_the_edit_link(match: Phone, reader: FakeReader) -> None:
    match.type_round({"Ann": (10, 0), "Ben": (5, 1), "Cleo": (4, 4)}, caller="Ann")
    sheet = match.read(*CLEAN.photos())
    viewer = match.other(view=True)
    round_page = f"round/{match.state.rounds[0].id}"
    for page in ("", "live", "share", "end", "export.json", "export.csv", round_page):
        answer = viewer.get(page)
        assert answer.status_code == 200
        assert match.key not in answer.text
        assert sheet.split("/")[1] not in answer.text


def test_only_the_admin_link_lists_matches(match: Phone) -> None:
    stranger = Phone(match.app)
    assert "Ann" not in stranger.client.get("/").text
    assert stranger.client.get("/admin/guessed").status_code == 404
    admin = stranger.client.get("/admin/" + match.store.matches.setting("admin_key"))
    assert match.key in admin.text


def test_a_phone_lists_the_matches_it_opened(match: Phone) -> None:
    viewer = match.other(view=True)
    viewer.get()
    assert viewer.key in viewer.client.get("/").text
    assert match.key in match.client.get("/").text


def test_names_are_offered_only_to_phones_that_know_them(match: Phone) -> None:
    assert '<option value="Cleo">' in match.client.get("/new").text
    assert "Cleo" not in Phone(match.app).client.get("/new").text


def test_forms_from_elsewhere_are_refused(make_app: Callable[..., Flask]) -> None:
    phone = Phone(make_app(csrf=True))
    form = {"name-1": "Ann", "name-2": "Ben", "preset": "classic", "token": token()}
    assert phone.client.post("/new", data=form).status_code == 400
    page = phone.client.get("/new").text
    found = re.search(r'name="csrf_token" value="([^"]+)"', page)
    assert found is not None
    assert phone.client.post("/new", data=form | {"csrf_token": found[1]}).status_code == 302


def test_phones_that_share_the_edit_link_have_tokens_of_their_own(make_app: Callable[..., Flask]) -> None:
    """What they are shown is made once for all of them; the token of one must not work for another."""
    phone = Phone(make_app())
    phone.new_match("Ann", "Ben").type_round({"Ann": (9, 0), "Ben": (3, 2)}, caller="Ann")
    phone.app.config["WTF_CSRF_ENABLED"] = True
    step = phone.store.matches.open(phone.match_id).undo
    assert step is not None
    tokens = []
    for other in (phone, phone.other()):
        found = re.search(r'name="csrf_token" value="([^"]+)"', other.get("live").text)
        assert found is not None
        tokens.append(found[1])
        assert other.post("undo", seq=step.seq, csrf_token=tokens[0]).status_code == (
            302 if other is phone else 400
        )
    assert other.post("undo", seq=step.seq, csrf_token=tokens[1]).status_code == 302


def test_every_answer_has_the_strict_policy(match: Phone) -> None:
    for answer in (match.get(), match.get("live"), match.get("export.json"), match.client.get("/nowhere")):
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_pages_have_no_inline_script_or_style(match: Phone, reader: FakeReader) -> None:
    sheet = match.read(*CLEAN.photos())
    pages = [match.client.get(path).text for path in ("/", "/new", "/rules", "/settings")]
    pages += [match.get(path).text for path in ("", "type", "share", "setup", "end", "history", sheet)]
    for page in pages:
        assert not re.search(r"<script(?![^>]*\bsrc=)", page)
        assert not re.search(r"\s(on\w+|style)=", page)
        assert "<style" not in page


def test_the_cookie_is_kept_from_scripts_and_other_sites(match: Phone) -> None:
    cookie = Phone(match.app).client.get(match.match).headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie


EVIL = '<img src=x onerror="alert(1)">'


def test_names_and_notes_are_escaped_everywhere(phone: Phone) -> None:
    phone.new_match("<b>Ann", "Ben'\"><s>")
    phone.type_round({"<b>Ann": (10, 0), "Ben'\"><s>": (5, 1)}, caller="<b>Ann")
    phone.post("note", note=EVIL)
    pages = ["", "type", "share", "setup", "end", "history", f"round/{phone.state.rounds[0].id}"]
    for page in pages:
        text = phone.get(page).text
        assert "<b>Ann" not in text
        assert "<s>" not in text
        assert "<img src=x" not in text


def test_a_formula_as_a_name_is_text_in_the_csv(phone: Phone) -> None:
    phone.new_match("=1+1", "Ben")
    phone.type_round({"=1+1": (10, 0), "Ben": (5, 0)}, caller="Ben")
    assert "'=1+1" in phone.get("export.csv").text


# Uploads.


def jpeg(size: tuple[int, int] = (64, 48), **options: object) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", size, "green").save(stream, "JPEG", **options)
    return stream.getvalue()


def png(size: tuple[int, int]) -> bytes:
    stream = io.BytesIO()
    Image.new("1", size).save(stream, "PNG")
    return stream.getvalue()


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "empty"),
        (b"GIF89a" + bytes(100), "JPEG, PNG or WebP"),
        (b"<svg onload=alert(1)>", "JPEG, PNG or WebP"),
        (b"\xff\xd8\xff\xe0" + bytes(50), "JPEG, PNG or WebP"),
        (jpeg((640, 480))[:-400], "cut off"),
        (png((30_000, 30_000)), "megapixels"),
    ],
    ids=["empty", "gif", "svg", "no-jpeg", "cut-off", "bomb"],
)
def test_what_is_no_photo_is_refused_in_one_sentence(match: Phone, data: bytes, told: str) -> None:
    sheet = match.start_sheet()
    answer = match.send(sheet, data)
    assert answer.status_code == 422
    assert told in sentence(answer)
    assert match.sheet(sheet).photos == ()
    assert list(match.store.sheets.folder.folder.iterdir()) == []


def test_a_photo_that_is_too_large_is_refused(match: Phone, monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = match.start_sheet()
    monkeypatch.setattr(photos, "MAX_BYTES", len(jpeg()) - 1)
    answer = match.send(sheet, jpeg())
    assert answer.status_code == 422
    assert "choose a smaller size" in sentence(answer)
    announced = {"CONTENT_LENGTH": str(34 * 2**20), "CONTENT_TYPE": "multipart/form-data; boundary=x"}
    answer = match.client.post(
        f"{match.match}{sheet}/photo",
        environ_overrides=announced,
        headers={"Accept": "application/json"},
    )
    assert answer.status_code == 413
    assert "choose a smaller size" in sentence(answer)


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a\x00b.jpg", "<script>.jpg", ""])
def test_a_file_name_leads_nowhere(match: Phone, name: str) -> None:
    sheet = match.start_sheet()
    match.send(sheet, jpeg(), name=name or "x")
    files = [path.name for path in match.store.sheets.folder.folder.rglob("*")]
    assert all(re.fullmatch(r"[0-9a-f]{64}\.jpg", file) for file in files)
    assert len(files) == 1


def test_nobody_else_sees_a_photo(match: Phone, app: Flask) -> None:
    sheet = match.start_sheet()
    link = match.send(sheet, jpeg()).json["photos"][0]  # type: ignore[index]
    with match.client.get(link) as shown:
        assert shown.status_code == 200
    other = Phone(app).new_match("Dora", "Emil")
    assert other.client.get(link.replace(match.key, other.key)).status_code == 404
    assert other.get("photo/../data.jpg").status_code == 404


def test_the_same_photo_twice_is_one(match: Phone) -> None:
    sheet = match.start_sheet()
    match.send(sheet, jpeg())
    match.send(sheet, jpeg())
    assert len(match.sheet(sheet).photos) == 1


# Limits.


def test_guessing_links_is_limited_but_reloading_is_not(make_app: Callable[..., Flask]) -> None:
    phone = Phone(make_app(limits=True)).new_match("Ann", "Ben")
    assert {phone.get().status_code for _look in range(60)} == {200}
    guesses = [phone.client.get(f"/m/guess{number}/").status_code for number in range(40)]
    assert guesses[0] == 404
    assert guesses[-1] == 429


def test_uploads_are_limited(make_app: Callable[..., Flask]) -> None:
    phone = Phone(make_app(limits=True)).new_match("Ann", "Ben")
    sheet = phone.start_sheet()
    codes = [phone.send(sheet, b"no photo").status_code for _photo in range(95)]
    assert codes[0] == 422
    assert codes[-1] == 429


def test_at_most_two_readings_at_once_and_the_others_see_it(match: Phone, reader: FakeReader) -> None:
    gate, running, most = threading.Event(), [0], [0]

    def wait() -> None:
        running[0] += 1
        most[0] = max(most[0], running[0])
        gate.wait(10)
        running[0] -= 1

    reader.before = wait
    phones = [Phone(match.app).new_match("Ann", "Ben") for _phone in range(4)]
    sheets = []
    for phone in phones:
        sheet = phone.start_sheet()
        phone.send(sheet, *CLEAN.photos())
        phone.post(f"{sheet}/read")
        sheets.append(sheet)
    phones[1].wait(sheets[1], "reading")
    assert "waits in front" in phones[3].get(f"{sheets[3]}/progress").text or (
        "wait in front" in phones[3].get(f"{sheets[3]}/progress").text
    )
    assert "This one is next" in phones[2].get(sheets[2]).text
    gate.set()
    for phone, sheet in zip(phones, sheets, strict=True):
        phone.wait(sheet, "review")
    assert most[0] == 2


def test_links_are_not_told_to_other_sites(match: Phone) -> None:
    assert match.get().headers["Referrer-Policy"] == "same-origin"
    assert "no-store" in match.get().headers["Cache-Control"]
