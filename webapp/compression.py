"""Texts travel compressed: on a slow network that is most of the wait."""

from __future__ import annotations

import gzip

from flask import Flask, Response, request

_KINDS = ("text/", "application/json", "application/javascript", "image/svg+xml", "application/manifest+json")
_SMALL = 600
_LEVEL = 5


def install(app: Flask) -> None:
    """Compress answers for browsers that understand it."""
    app.after_request(_compressed)


def _compressed(response: Response) -> Response:
    if not _is_worth_it(response):
        return response
    # Static files are streamed from disk; they are small enough to take in whole.
    response.direct_passthrough = False
    data = response.get_data()
    if len(data) < _SMALL:
        return response
    etag, _weak = response.get_etag()
    response.set_data(gzip.compress(data, _LEVEL, mtime=0))
    response.headers["Content-Encoding"] = "gzip"
    response.headers.add("Vary", "Accept-Encoding")
    if etag is not None:
        # Compressed and plain are the same page: a weak mark says so.
        response.set_etag(etag, weak=True)
    return response


def _is_worth_it(response: Response) -> bool:
    kind = response.mimetype or ""
    return (
        response.status_code == 200
        and "Content-Encoding" not in response.headers
        and request.accept_encodings.quality("gzip") > 0
        and kind.startswith(_KINDS)
        # A stream of events has no end that could be waited for.
        and kind != "text/event-stream"
    )
