"""What this phone prefers: light or dark, language, a screen that stays on."""

from __future__ import annotations

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from scorer.errors import NotationError
from webapp import forms, preferences

blueprint = Blueprint("settings", __name__, url_prefix="/settings")


@blueprint.get("")
def show() -> str:
    """Show the settings."""
    return render_template("settings.html", languages=preferences.languages())


@blueprint.post("")
def save() -> Response:
    """Keep the settings in this phone's cookie."""
    try:
        sent = forms.SettingsForm.read(request.form)
    except NotationError:
        abort(400)
    preferences.save(preferences.Preferences(sent.theme, sent.language, sent.wake_lock))
    flash(_("Saved."), "done")
    return redirect(url_for("settings.show"))
