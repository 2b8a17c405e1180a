"""The commands that read photos: `nerts score`, `nerts read` and `nerts decks`."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scorer.counting import KnownFacts, count_round
from scorer.errors import NotationError
from scorer.progress import shown_progress
from scorer.reading import Reading
from scorer.scoring import PRESETS, Rules

if TYPE_CHECKING:
    from scorer.vision.decks import DeckBook

DOUBTFUL = 3
"""Exit code of a round that was read, but not scored because somebody has to look."""

photos_argument = click.argument(
    "photos", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PHOTO..."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")


def default_folder() -> Path:
    """Return the usual folder of known decks."""
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "nerts" / "decks"


decks_option = click.option(
    "--decks",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=default_folder,
    show_default="~/.local/share/nerts/decks",
    help="Folder of the decks that are known by name.",
)


def read_photos(
    photos: Sequence[Path],
    *,
    decks: DeckBook | None = None,
    rules: Rules | None = None,
    players: int | None = None,
) -> Reading:
    """Read the photos of a round, with a progress bar where that takes long; files are named as they were given."""
    with shown_progress() as progress:
        from scorer import vision

        reading = vision.read(photos, decks=decks, rules=rules, owners=players, progress=progress)
    for path in photos:
        if vision.photo.is_animated(path):
            click.echo(f"{path} holds several pictures: the first one was read.", err=True)
    named = [replace(photo, file=str(path)) for photo, path in zip(reading.photos, photos, strict=True)]
    return replace(reading, photos=tuple(named))


def _names(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Split "A,B,C"."""
    return () if value is None else tuple(name.strip() for name in value.split(","))


def _counts(context: click.Context, parameter: click.Parameter, values: Sequence[str]) -> dict[str, int]:
    """Read "A=0" and "B=4"."""
    counts: dict[str, int] = {}
    for value in values:
        name, _, number = value.rpartition("=")
        if not name.strip() or not number.strip().isdecimal() or len(number.strip()) > 3:
            raise click.BadParameter(f"{value!r} is not a count of cards left: write it like Ann=4.")
        if name.strip() in counts:
            raise click.BadParameter(f"{name.strip()!r} is named twice: name each player once.")
        counts[name.strip()] = int(number)
    return counts


@click.command()
@photos_argument
@click.option("--players", callback=_names, help="Names with commas: one for each deck on the table.")
@click.option("--nerts", "left", multiple=True, callback=_counts, metavar="NAME=N",
              help="Cards left in a Nerts pile, by player or deck; once for each.")  # fmt: skip
@click.option("--called", multiple=True, metavar="NAME", help="Who called; else the only one with none left.")
@click.option("--rules", default="classic", show_default=True, metavar="PRESET",
              help=f"House rules: {', '.join(PRESETS)}, and changes: \"classic king_bonus=5\".")  # fmt: skip
@decks_option
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the photos with what was read.",
)
@json_option
@click.pass_context
def score(
    context: click.Context,
    photos: tuple[Path, ...],
    players: tuple[str, ...],
    left: dict[str, int],
    called: tuple[str, ...],
    rules: str,
    folder: Path,
    out: Path | None,
    as_json: bool,
) -> None:
    """Score a round from photos of its piles, spread face up and turned over in place.

    Exit code 0: scored. 3: read, but something has to be looked at before it is scored. 2: not readable.
    """
    from scorer.vision.decks import load_decks

    house, facts, book = Rules.parse(rules), KnownFacts(players, left, called), load_decks(folder)
    _refuse_strangers(facts, list(book.decks))
    reading = read_photos(photos, decks=book, rules=house, players=len(facts.players) or None)
    count = count_round(reading, facts, house, [name for name in book.decks if name in players])
    if out is not None:
        from scorer.vision.overlay import write_annotated

        write_annotated(out, photos, reading, [deck.back for deck in count.tally.decks])
    if as_json:
        click.echo(json.dumps(count.to_json(), ensure_ascii=False))
    else:
        from scorer.printing import print_count

        print_count(count, out)
    context.exit(0 if count.is_scored else DOUBTFUL)


def _refuse_strangers(facts: KnownFacts, decks: Sequence[str]) -> None:
    """Refuse a misspelt name before time is spent on photos; decks without a name are not known yet."""
    named = [*(facts.nerts_left or {}), *facts.callers]
    if facts.players:
        facts.check_names([*decks, *(name for name in named if name.startswith("deck-"))])


@click.command()
@photos_argument
@decks_option
@json_option
def read(photos: tuple[Path, ...], folder: Path, as_json: bool) -> None:
    """Read photos and print what was seen: cards, piles, and what is wrong with them."""
    from scorer.vision.decks import load_decks

    reading = read_photos(photos, decks=load_decks(folder))
    if as_json:
        click.echo(json.dumps(reading.to_json(), ensure_ascii=False))
    else:
        from scorer.printing import print_reading

        print_reading(reading)


@click.group()
def decks() -> None:
    """List, add and remove decks that are known by the look of their backs."""


@decks.command("list")
@decks_option
@json_option
def list_decks(folder: Path, as_json: bool) -> None:
    """Name the known decks."""
    from scorer.vision.decks import load_decks

    names = sorted(load_decks(folder).decks)
    if as_json:
        click.echo(json.dumps(names, ensure_ascii=False))
    else:
        click.echo("\n".join(names) or "No decks are known: add one with nerts decks add NAME PHOTO.")


@decks.command()
@click.argument("name")
@click.argument("photo", type=click.Path(path_type=Path))
@decks_option
def add(name: str, photo: Path, folder: Path) -> None:
    """Learn deck NAME from PHOTO, in which its back is to be seen; best named like its player."""
    from scorer.vision.decks import load_decks, save_decks
    from scorer.vision.teaching import teach

    _check_deck_name(name)
    known = load_decks(folder)
    save_decks(teach(known, name, photo), folder)
    click.echo(
        f"The deck {name!r} was known already and has been learned anew."
        if name in known.decks
        else f"The deck {name!r} is known now."
    )


@decks.command()
@click.argument("name")
@decks_option
def remove(name: str, folder: Path) -> None:
    """Forget deck NAME."""
    from scorer.vision.decks import load_decks, save_decks

    known = load_decks(folder)
    if name not in known.decks:
        names = ", ".join(sorted(known.decks)) or "none"
        raise NotationError(f"There is no deck named {name!r}: known are {names}.")
    save_decks(known.without(name), folder)
    click.echo(f"The deck {name!r} is forgotten.")


def _check_deck_name(name: str) -> None:
    if not name.strip() or len(name) > 40 or not name.isprintable() or "," in name or "=" in name:
        raise NotationError(
            "A deck's name has 1 to 40 printable characters, no comma and no '=': choose another."
        )
    if name.startswith("deck-"):
        raise NotationError(f"{name!r} is what decks without a name are called: choose another.")
