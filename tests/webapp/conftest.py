from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Flask

from tests.webapp.scripted import CLEAN, FakeReader
from tests.webapp.table import Phone
from webapp import Config, create_app


@pytest.fixture
def reader() -> FakeReader:
    return FakeReader([CLEAN])


@pytest.fixture
def make_app(tmp_path: Path, reader: FakeReader) -> Iterator[Callable[..., Flask]]:
    """Builds applications on one data folder, so that a test can start the server anew."""
    apps: list[Flask] = []

    def make(*, csrf: bool = False, **config: object) -> Flask:
        values = {"folder": tmp_path / "data", "read": reader, "limits": False} | config
        app = create_app(Config(**values))  # type: ignore[arg-type]
        app.config["WTF_CSRF_ENABLED"] = csrf
        apps.append(app)
        return app

    yield make
    for app in apps:
        app.extensions["nerts"]["hall"].close()
        app.extensions["nerts"]["photographs"].close()
        app.extensions["nerts"]["readings"].close()
        app.extensions["nerts"]["store"].close()


@pytest.fixture
def app(make_app: Callable[..., Flask]) -> Flask:
    return make_app()


@pytest.fixture
def phone(app: Flask) -> Phone:
    """A phone on the start page."""
    return Phone(app)


@pytest.fixture
def match(phone: Phone) -> Phone:
    """A phone with a fresh match of three."""
    return phone.new_match("Ann", "Ben", "Cleo")
