"""The companion's web pages: `create_app` builds the Flask application."""

from webapp.app import create_app
from webapp.config import Config

__all__ = ["Config", "create_app"]
