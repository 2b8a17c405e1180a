"""The command `nerts`: a group of commands, each loaded only when it is called.

A command parses, calls and prints; whatever it refuses is one sentence and exit code 2.
"""

from __future__ import annotations

import errno
import io
import sys
from importlib import import_module

import click

from scorer.errors import ScorerError

COMMANDS = {
    "score": "scorer.photo_commands:score",
    "read": "scorer.photo_commands:read",
    "decks": "scorer.photo_commands:decks",
    "evaluate": "scorer.measure_commands:evaluate",
    "bench": "scorer.measure_commands:bench",
    "validate": "scorer.measure_commands:validate",
    "render": "scorer.measure_commands:render",
    "train": "scorer.measure_commands:train",
    "simulate": "scorer.game_commands:simulate",
    "replay": "scorer.game_commands:replay",
    "serve": "webapp.commands:serve",
    "backup": "webapp.commands:backup",
    "restore": "webapp.commands:restore",
}
"""Where each command is defined; a photo is read sooner if nothing else is imported for it."""


class Refused(click.ClickException):
    """Bad input: one sentence, exit code 2."""

    exit_code = 2


class Commands(click.Group):
    """The group; it turns the errors of all commands into sentences."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands in the order in which people need them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        command = getattr(import_module(module), name)
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> object:
        """Run a command."""
        if isinstance(sys.stdout, io.TextIOWrapper):
            # What a terminal or a pipe cannot write, such as ♥, is written by its number.
            sys.stdout.reconfigure(errors="backslashreplace")
        try:
            return super().invoke(ctx)
        except ScorerError as error:
            raise Refused(str(error)) from error
        except OSError as error:
            # The reader of a pipe has gone: nobody wants a sentence.
            if error.errno == errno.EPIPE or error.filename is None:
                raise
            raise Refused(f"{error.filename} cannot be used: {error.strerror}.") from error


@click.group("nerts", cls=Commands)
@click.version_option(package_name="nerts-companion", prog_name="nerts")
def main() -> None:
    """Score a round of Nerts from photographs of its piles, and keep the match."""


if __name__ == "__main__":
    main()
