"""From the camera to a reading: choose photos, send them one by one, watch them being read."""

from __future__ import annotations

from contextlib import closing

from flask import Blueprint, abort, flash, jsonify, redirect, render_template, request, send_file, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from scorer.errors import PhotoError
from scorer.store import Sheet
from webapp import access, security
from webapp.pages.review import review_page

blueprint = Blueprint("photos", __name__, url_prefix="/m/<key>")

MAX_PHOTOS = 16
Answer = str | Response | tuple[Response, int]


@blueprint.post("/sheet")
@security.joining
def start(key: str) -> Response:
    """Begin a round from photos; an empty sheet that lies open already is used again."""
    opened = access.to_edit(key)
    sheets = access.store().sheets
    empty = [one for one in sheets.open_sheets(opened.id) if not one.photos and not one.replaces]
    sheet = empty[0].key if empty else sheets.start(opened.id)
    return redirect(url_for("photos.show", key=key, sheet=sheet))


@blueprint.get("/sheet/<sheet>")
@security.joining
def show(key: str, sheet: str) -> Answer:
    """Show the sheet at whatever stage it is: photos, reading, review or scored."""
    opened = access.to_edit(key)
    found = sheet_or_404(opened, sheet)
    if found.status == "review":
        return review_page(opened, found)
    if found.status in ("confirmed", "dropped"):
        return redirect(url_for("board.show", key=key))
    if found.status in ("waiting", "reading"):
        return render_template("reading.html", access=opened, sheet=found, ahead=_ahead(found))
    return render_template("photos.html", access=opened, sheet=found, most=MAX_PHOTOS)


def sheet_or_404(opened: access.Access, sheet: str) -> Sheet:
    """Return a sheet of this match, or a page that does not exist."""
    found = access.store().sheets.get(opened.id, sheet)
    if found is None:
        abort(404)
    return found


def _ahead(sheet: Sheet) -> int:
    return access.readings().place(sheet.key)


@blueprint.post("/sheet/<sheet>/photo")
@security.joining
@security.uploads
def add(key: str, sheet: str) -> Answer:
    """Take in one or more photos; each is checked and kept whole, or refused with its reason."""
    opened = access.to_edit(key)
    found = sheet_or_404(opened, sheet)
    files = request.files.getlist("photo")
    if len(found.photos) + len(files) > MAX_PHOTOS:
        raise PhotoError(_("At most %(most)d photos of one round: remove some first.", most=MAX_PHOTOS))
    added = []
    for file in files:
        with closing(file):
            added.append(access.store().sheets.add_photo(opened.id, sheet, file.read()))
    if request.accept_mimetypes.best == "application/json":
        digests = [photo.digest for photo in added]
        links = [url_for("photos.picture", key=key, digest=digest) for digest in digests]
        removals = [url_for("photos.remove", key=key, sheet=sheet, digest=digest) for digest in digests]
        return jsonify({"photos": links, "removals": removals})
    return redirect(url_for("photos.show", key=key, sheet=sheet))


@blueprint.post("/sheet/<sheet>/remove/<digest>")
@security.joining
def remove(key: str, sheet: str, digest: str) -> Response:
    """Take a photo off the sheet."""
    opened = access.to_edit(key)
    access.store().sheets.remove_photo(opened.id, sheet, digest)
    return redirect(url_for("photos.show", key=key, sheet=sheet))


@blueprint.post("/sheet/<sheet>/read")
@security.joining
@security.uploads
def read(key: str, sheet: str) -> Response:
    """Begin to read the photos."""
    opened = access.to_edit(key)
    found = sheet_or_404(opened, sheet)
    if not found.photos:
        flash(_("Take or choose a photo first."), "warn")
    elif found.status in ("photos", "failed"):
        access.readings().start(found)
    return redirect(url_for("photos.show", key=key, sheet=sheet))


@blueprint.get("/sheet/<sheet>/progress")
@security.joining
def progress(key: str, sheet: str) -> Response:
    """Return how far the reading is."""
    found = sheet_or_404(access.to_edit(key), sheet)
    html = render_template("reading_live.html", sheet=found, ahead=_ahead(found))
    response = Response(html, mimetype="text/html")
    # The page loads anew when the sheet has moved on to another stage.
    response.headers["X-Stage"] = "reading" if found.status in ("waiting", "reading") else found.status
    return response


@blueprint.post("/sheet/<sheet>/again")
@security.joining
def again(key: str, sheet: str) -> Response:
    """Go back from the review to the photos, to take more of them."""
    opened = access.to_edit(key)
    found = sheet_or_404(opened, sheet)
    if found.status == "review" and found.replaces is None:
        access.store().sheets.progress(opened.id, sheet, "photos")
    return redirect(url_for("photos.show", key=key, sheet=sheet))


@blueprint.post("/sheet/<sheet>/drop")
@security.joining
def drop(key: str, sheet: str) -> Response:
    """Give up the sheet."""
    opened = access.to_edit(key)
    access.store().sheets.drop(opened.id, sheet_or_404(opened, sheet).key)
    flash(_("Given up; nothing was scored."), "done")
    return redirect(url_for("board.show", key=key))


@blueprint.get("/photo/<digest>.jpg")
@security.joining
def picture(key: str, digest: str) -> Response:
    """Show a photo of this match, in the reduced size."""
    opened = access.to_view(key)
    sheets = access.store().sheets
    photo = sheets.photo(opened.id, digest)
    if photo is None:
        abort(404)
    path = sheets.folder.path(photo.view)
    if not path.exists():
        abort(404)
    response = send_file(path, mimetype="image/jpeg", max_age=86_400, etag=photo.view)
    # Named by its content, so it never changes; private, since only this link may show it.
    response.headers["Cache-Control"] = "private, max-age=86400, immutable"
    return response
