"""One blueprint per page."""

from webapp.pages import board, finish, help, history, photos, review, rounds, settings, start, typed

BLUEPRINTS = tuple(
    page.blueprint for page in (start, board, typed, rounds, photos, review, finish, history, settings, help)
)
