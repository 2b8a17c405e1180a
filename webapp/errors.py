"""Everything that can go wrong ends in one sentence on a page (or in JSON, where a script asked)."""

from __future__ import annotations

from flask import Flask, Response, jsonify, make_response, render_template, request
from flask_babel import gettext as _
from flask_limiter.errors import RateLimitExceeded
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import HTTPException

from scorer.errors import PhotoError, ScorerError, StoreError


def install(app: Flask) -> None:
    """Register the handlers."""
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(CSRFError, _stale_form)
    app.register_error_handler(RateLimitExceeded, _too_often)
    app.register_error_handler(StoreError, _not_saved)
    app.register_error_handler(PhotoError, _bad_photo)
    app.register_error_handler(ScorerError, _refused)
    app.register_error_handler(OSError, _no_room)


def answer(sentence: str, status: int) -> Response:
    """Say one sentence in the form that was asked for."""
    if request.accept_mimetypes.best == "application/json":
        response = jsonify({"sentence": sentence})
    else:
        response = make_response(render_template("error.html", sentence=sentence, status=status))
    response.status_code = status
    return response


def _http(error: HTTPException) -> Response:
    sentences = {
        400: _("The request was cut off or is not what the page sends: go back and try again."),
        404: _("There is nothing here: check the link, or ask for it again."),
        405: _("There is nothing here: check the link, or ask for it again."),
        413: _("The photo is too large: choose a smaller size in the camera."),
        500: _("Something went wrong here; nothing that was confirmed is lost. Go back and try again."),
    }
    status = error.code or 500
    if status < 400 and error.response is not None:
        return make_response(error.response)
    return answer(sentences.get(status, sentences[400 if status < 500 else 500]), status)


def _stale_form(error: CSRFError) -> Response:
    return answer(_("This page was open before the server was set up anew: reload it and try again."), 400)


def _too_often(error: RateLimitExceeded) -> Response:
    return answer(_("Too many at once from this address: wait a minute and try again."), 429)


def _not_saved(error: StoreError) -> Response:
    return answer(_(str(error)), 507 if "full" in str(error) or "could not be saved" in str(error) else 409)


def _bad_photo(error: PhotoError) -> Response:
    return answer(_(str(error)), 422)


def _refused(error: ScorerError) -> Response:
    return answer(_(str(error)), 422)


def _no_room(error: OSError) -> Response:
    return answer(
        _("The server could not write to its disk: nothing was saved; free some space and try again."), 507
    )
