"""Builds the Flask application."""

from __future__ import annotations

from datetime import timedelta
from hashlib import sha256
from pathlib import Path

from flask import Flask
from flask_babel import Babel
from flask_wtf import CSRFProtect

from scorer.store import Store
from webapp import compression, errors, preferences, security, texts
from webapp.config import Config
from webapp.jobs import Readings
from webapp.pages import BLUEPRINTS
from webapp.play import Hall, Library
from webapp.play.photographs import Photographs
from webapp.play.streams import Streams

MAX_REQUEST_BYTES = 32 * 1024 * 1024


def create_app(config: Config) -> Flask:
    """Return the application for one data folder; `Flask.extensions["nerts"]` holds what it works on."""
    app = Flask(__name__, static_url_path=_static_path())
    store = Store(config.folder)
    _configure(app, config, store)
    readings = Readings(store, config)
    library = Library(config.folder / "play" / "records")
    app.extensions["nerts"] = {
        "store": store,
        "config": config,
        "readings": readings,
        "library": library,
        "hall": Hall(config.folder / "play" / "tables", library),
        "streams": Streams(),
        "photographs": Photographs(library, config.photograph),
    }
    CSRFProtect(app)
    Babel(app, locale_selector=preferences.locale)
    security.install(app, config)
    errors.install(app)
    compression.install(app)
    texts.install(app)
    for blueprint in BLUEPRINTS:
        app.register_blueprint(blueprint)
    readings.resume()
    return app


def _configure(app: Flask, config: Config, store: Store) -> None:
    app.config.update(
        SECRET_KEY=store.matches.setting("secret_key"),
        MAX_CONTENT_LENGTH=MAX_REQUEST_BYTES,
        # Corrections are small; a form of a match of eight players is smaller still.
        MAX_FORM_MEMORY_SIZE=500_000,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_NAME="nerts",
        PERMANENT_SESSION_LIFETIME=timedelta(days=365),
        SESSION_REFRESH_EACH_REQUEST=False,
        SEND_FILE_MAX_AGE_DEFAULT=timedelta(days=30),
        # A form left open over a long evening must still be accepted.
        WTF_CSRF_TIME_LIMIT=None,
        # On plain http to a LAN address browsers send no referrer to compare.
        WTF_CSRF_SSL_STRICT=False,
    )
    if config.translations is not None:
        app.config["BABEL_TRANSLATION_DIRECTORIES"] = str(config.translations)
    app.jinja_env.trim_blocks = True
    app.jinja_env.lstrip_blocks = True


def _static_path() -> str:
    """A path that changes with the static files, so that they can be cached for long.

    A path, not a query: modules import one another by relative names, which keep the path.
    """
    digest = sha256()
    for path in sorted((Path(__file__).parent / "static").rglob("*")):
        if path.is_file():
            digest.update(path.read_bytes())
    return f"/static/{digest.hexdigest()[:10]}"
