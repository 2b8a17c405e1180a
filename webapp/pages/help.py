"""The rules of Nerts and how to photograph a round."""

from __future__ import annotations

from flask import Blueprint, render_template

blueprint = Blueprint("help", __name__)


@blueprint.get("/rules")
def show() -> str:
    """Show rules and help."""
    return render_template("rules.html")
