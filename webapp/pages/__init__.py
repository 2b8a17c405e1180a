"""One blueprint per page."""

from webapp.pages import (
    board,
    finish,
    help,
    history,
    photos,
    play,
    replays,
    review,
    rounds,
    settings,
    start,
    typed,
)

BLUEPRINTS = tuple(
    page.blueprint
    for page in (
        start,
        board,
        typed,
        rounds,
        photos,
        review,
        finish,
        history,
        settings,
        help,
        play,
        replays,
    )
)
