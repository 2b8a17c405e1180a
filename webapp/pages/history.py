"""Every change of a match, with its time; the last ones can be undone and redone."""

from __future__ import annotations

from flask import Blueprint, render_template

from webapp import access, security

blueprint = Blueprint("history", __name__, url_prefix="/m/<key>")


@blueprint.get("/history")
@security.joining
def show(key: str) -> str:
    """List the changes, the latest first."""
    opened = access.to_edit(key)
    events = access.store().matches.history(opened.id)
    return render_template("history.html", access=opened, events=events[::-1])
