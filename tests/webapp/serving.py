"""A real server in this process, on a free port, for browsers and load."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flask import Flask
from waitress.server import create_server

from webapp import Config, create_app
from webapp.reader import ReadPhotos


@contextmanager
def served(folder: Path, read: ReadPhotos, *, limits: bool = False) -> Iterator[tuple[str, Flask]]:
    """Serve the companion and yield its address and application."""
    app = create_app(Config(folder=folder, read=read, limits=limits))
    server = create_server(app, host="127.0.0.1", port=0, threads=12)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.effective_port}", app
    finally:
        server.close()
        thread.join(5)
        app.extensions["nerts"]["readings"].close()
        app.extensions["nerts"]["store"].close()
