"""Every text can be translated: in a language that puts all texts in brackets, nothing stands outside them."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from flask import Flask

from scorer.piles import Fault, Faults
from tests.webapp.scripted import DOUBTFUL, FakeReader
from tests.webapp.table import Phone, sentence
from webapp import texts
from webapp.catalogue import TEMPLATE, catalogue

LANGUAGE = "eo"
READ_ALOUD = ("aria-label", "placeholder", "alt", "title", "data-offline", "data-add-hint")


def test_the_template_of_translations_holds_every_text() -> None:
    """After a change of texts: `python -m webapp.catalogue`."""
    with TEMPLATE.open("rb") as stream:
        kept = {message.id for message in read_po(stream)}
    assert kept == {message.id for message in catalogue()}


@pytest.fixture
def bracketed(tmp_path: Path) -> Path:
    """A folder with a translation in which every text stands in brackets."""
    translated = Catalog(locale=LANGUAGE)
    for message in catalogue():
        if message.id:
            ids = message.id if isinstance(message.id, tuple) else (message.id,)
            strings = tuple(f"⟦{text}⟧" for text in ids)
            translated.add(message.id, strings if len(ids) > 1 else strings[0])
    target = tmp_path / "translations" / LANGUAGE / "LC_MESSAGES" / "messages.mo"
    target.parent.mkdir(parents=True)
    with target.open("wb") as stream:
        write_mo(stream, translated)
    return tmp_path / "translations"


class Texts(HTMLParser):
    """Collects what a page says, without names (translate="no"), times and cards."""

    SILENT = ("script", "time", "title", "option", "svg")

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self._silent: list[bool] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag in (
            "input",
            "meta",
            "link",
            "img",
            "image",
            "br",
            "path",
            "circle",
            "rect",
            "line",
            "polygon",
        ):
            self._read(values)
            return
        card = "card" in (values.get("class") or "").split() or values.get("data-face") is not None
        self._silent.append(tag in self.SILENT or values.get("translate") == "no" or card)
        self._read(values)

    def _read(self, values: dict[str, str | None]) -> None:
        self.said += [values[name] or "" for name in READ_ALOUD if name in values]

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("path", "circle", "rect", "line", "polygon", "image") and self._silent:
            self._silent.pop()

    def handle_data(self, data: str) -> None:
        if not any(self._silent):
            self.said.append(data)


def untranslated(page: str) -> list[str]:
    reader = Texts()
    reader.feed(page)
    names = r"Ann|Ben|Cleo|[♠♣♥♦]"
    left = [re.sub(r"⟦[^⟧]*⟧|" + names, "", text) for text in reader.said]
    return [text for text in left if re.search(r"[^\W\d_]{2,}", text)]


def test_no_page_says_anything_outside_the_catalogue(
    make_app: Callable[..., Flask], bracketed: Path, reader: FakeReader
) -> None:
    reader.scripts = [DOUBTFUL]
    phone = Phone(make_app(translations=bracketed))
    phone.client.environ_base["HTTP_ACCEPT_LANGUAGE"] = LANGUAGE
    assert untranslated(phone.client.get("/").text) == []
    phone.new_match("Ann", "Ben", "Cleo")
    phone.type_round({"Ann": (10, 0), "Ben": (5, 1), "Cleo": (4, 4)}, caller="Ann")
    sheet = phone.read(*DOUBTFUL.photos())
    pages = {path: phone.client.get(path).text for path in ("/", "/new", "/rules", "/settings", "/m/no/")}
    own = ("", "share", "setup", "end", "history", "type", sheet, f"round/{phone.state.rounds[0].id}")
    pages |= {path: phone.get(path).text for path in own}
    pages["error"] = phone.type_round({"Ann": ("x", 0), "Ben": (99, 1), "Cleo": (4, 99)}).text
    pages["refused"] = sentence(phone.send(sheet, b"no photo"))
    assert {path: left for path, text in pages.items() if (left := untranslated(text))} == {}


def test_the_reader_of_texts_finds_what_is_not_translated() -> None:
    assert untranslated('<p>⟦Fine⟧ <b translate="no">Ann</b></p>') == []
    assert untranslated("<p>⟦Fine⟧ but this</p>") == [" but this"]
    assert untranslated('<button aria-label="More"></button>') == ["More"]


def test_sentences_of_the_rules_are_translated_with_their_details(
    make_app: Callable[..., Flask], bracketed: Path
) -> None:
    fault = Fault.make(Faults.CALLER_HAS_NERTS, owner="red", left=3)
    app = make_app(translations=bracketed)
    with app.test_request_context(headers={"Accept-Language": LANGUAGE}):
        assert texts.told(fault, {"red": "Ann"}).startswith("⟦Ann called Nerts but has 3 left")
    with app.test_request_context():
        assert texts.told(fault) == fault.sentence
