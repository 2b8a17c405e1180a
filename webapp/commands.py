"""The commands of the companion: `serve`, `backup` and `restore`."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scorer.errors import ScorerError
from scorer.store import FolderLock
from scorer.store import backup as write_backup
from scorer.store import restore as unpack_backup

if TYPE_CHECKING:
    from flask import Flask
    from waitress.server import BaseWSGIServer

THREADS_FOR_PAGES = 12
CONNECTIONS = 1000
"""A phone keeps up to six of them open; above this, others would wait until one falls idle."""


def default_folder() -> Path:
    """Return the usual data folder of this user."""
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "nerts"


data_option = click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    default=default_folder,
    show_default="~/.local/share/nerts",
    envvar="NERTS_DATA",
    help="Folder of the database and the photos.",
)


@click.command()
@data_option
@click.option("--host", default="0.0.0.0", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    default=8000,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0: a free one.",
)
@click.option(
    "--address", help="What phones reach this server by, if it is not its own address (behind a proxy)."
)
@click.option("--keep-originals", is_flag=True, help="Keep photos in full size after a round is confirmed.")
def serve(data: Path, host: str, port: int, address: str | None, keep_originals: bool) -> None:
    """Serve the companion to the phones on this network, and print how they reach it."""
    from webapp.app import create_app
    from webapp.config import Config

    try:
        with FolderLock(data), _listening(host, port) as listener:
            reached = address or f"http://{own_address(host)}:{listener.getsockname()[1]}"
            app = create_app(Config(folder=data, keep_originals=keep_originals, address=reached))
            with _server(app, listener) as server, _stopping_at_once(app):
                _announce(reached, app.extensions["nerts"]["store"].matches.setting("admin_key"))
                server.run()
    except ScorerError as error:
        raise click.ClickException(str(error)) from error


def _listening(host: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise click.ClickException(
            f"Port {port} cannot be used ({error.strerror}): choose another with --port."
        ) from error
    return listener


def own_address(host: str) -> str:
    """Return the address phones on this network reach this machine by."""
    if host not in ("0.0.0.0", ""):
        return host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Nothing is sent: the system only says by which of its addresses it would go out.
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def _announce(address: str, admin_key: str) -> None:
    import segno

    click.echo(f"The companion runs at {address} – scan this with a phone on the same network:\n")
    segno.make(address + "/", error="m").terminal(out=sys.stdout, compact=True)
    click.echo(f"\nAll matches (only for you): {address}/admin/{admin_key}")
    click.echo("Stop it with Ctrl+C.")
    sys.stdout.flush()


@contextmanager
def _server(app: Flask, listener: socket.socket) -> Iterator[BaseWSGIServer]:
    from waitress.server import create_server

    from webapp.play.streams import MOST as MOST_STREAMS

    server = create_server(
        app,
        sockets=[listener],
        # Each stream of a table holds a thread for as long as somebody plays.
        threads=THREADS_FOR_PAGES + MOST_STREAMS,
        connection_limit=CONNECTIONS,
        # Read on while a stream is being sent: so a phone that has gone away is noticed at once.
        channel_request_lookahead=1,
        # A phone on a bad network may need a while for a photo.
        channel_timeout=180,
        max_request_body_size=33 * 1024 * 1024,
        ident=None,
        # The other way of waiting for phones ends at 1024 open files.
        asyncore_use_poll=True,
    )
    try:
        yield server
    except KeyboardInterrupt:
        click.echo("Stopped; all that was confirmed is saved.")
    finally:
        server.close()


@contextmanager
def _stopping_at_once(app: Flask) -> Iterator[None]:
    """On Ctrl+C end the streams of the tables first: the server would wait for them."""

    def stop(_number: int, _frame: object) -> None:
        app.extensions["nerts"]["hall"].close()
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@click.command()
@data_option
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--overwrite", is_flag=True, help="Replace the file if it exists.")
def backup(data: Path, file: Path, overwrite: bool) -> None:
    """Write all matches and photos into FILE; the server may run meanwhile."""
    try:
        photos = write_backup(data, file, overwrite=overwrite)
    except ScorerError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"Saved all matches and {photos} photo files in {file}.")


@click.command()
@data_option
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--overwrite", is_flag=True, help="Move matches that are there aside and put the backup in their place."
)
def restore(data: Path, file: Path, overwrite: bool) -> None:
    """Put the matches and photos of FILE into the data folder."""
    try:
        with FolderLock(data):
            aside = unpack_backup(file, data, overwrite=overwrite)
    except ScorerError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"Restored into {data}.")
    if aside is not None:
        click.echo(f"What was there before lies in {aside}.")
