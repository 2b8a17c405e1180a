"""Live pages poll; what has not changed costs one look at the version of the match."""

from __future__ import annotations

from flask import request
from flask_babel import get_locale
from werkzeug.wrappers import Response

from scorer.store import Found


def unchanged(found: Found) -> tuple[str, Response | None]:
    """Return the mark of what this phone would be shown, and "not modified" if it shows that already."""
    etag = f"{found.id}-{found.version}-{int(found.may_edit)}-{get_locale()}"
    if not request.if_none_match.contains_weak(etag):
        return etag, None
    response = Response(status=304)
    response.set_etag(etag)
    return etag, response
