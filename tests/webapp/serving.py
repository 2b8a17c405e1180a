"""A real server in this process, on a free port, for browsers and load."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from flask import Flask
from waitress.server import create_server

from webapp import Config, create_app
from webapp.commands import THREADS_FOR_PAGES
from webapp.play.streams import MOST
from webapp.reader import ReadPhotos


@contextmanager
def served(folder: Path, read: ReadPhotos, *, limits: bool = False) -> Iterator[tuple[str, Flask]]:
    """Serve the companion and yield its address and application."""
    app = create_app(Config(folder=folder, read=read, limits=limits))
    server = create_server(
        app,
        host="127.0.0.1",
        port=0,
        threads=THREADS_FOR_PAGES + MOST,
        connection_limit=400,
        channel_request_lookahead=1,
    )

    def run() -> None:
        # Closing the server from here ends its loop with an error about the socket that is gone.
        with suppress(OSError):
            server.run()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.effective_port}", app
    finally:
        app.extensions["nerts"]["hall"].close()
        server.close()
        thread.join(5)
        app.extensions["nerts"]["readings"].close()
        app.extensions["nerts"]["store"].close()
