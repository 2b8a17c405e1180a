"""What protects the pages: headers, cookies, limits per address."""

from __future__ import annotations

from flask import Flask, Response
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address

from webapp.config import Config

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        # blob: shows a photo before it is uploaded.
        "img-src 'self' blob:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

limiter = Limiter(get_remote_address, storage_uri="memory://")

uploads = limiter.limit("90 per minute")
new_matches = limiter.limit("20 per hour; 5 per minute", methods=["POST"])


def _is_missing(response: Response) -> bool:
    return response.status_code == 404


# Only wrong links count: who reloads the scoreboard is never locked out, who guesses links is.
joining = limiter.shared_limit("30 per minute", scope="joining", deduct_when=_is_missing)


def install(app: Flask, config: Config) -> None:
    """Add headers to every answer and limits to the views that asked for them."""
    app.config["RATELIMIT_ENABLED"] = config.limits
    limiter.init_app(app)
    app.after_request(_headers)


def _headers(response: Response) -> Response:
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["X-Content-Type-Options"] = "nosniff"
    # Links are secrets: they must not leave in a referrer.
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers.setdefault("Cache-Control", "no-store")
    return response
