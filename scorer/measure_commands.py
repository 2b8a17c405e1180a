"""The commands that render, measure and train: `nerts evaluate`, `bench`, `validate`, `render` and `train`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from scorer.errors import ModelError
from scorer.photo_commands import json_option, photos_argument
from scorer.progress import shown_progress
from scorer.reading import Reading
from scorer.scoring import PRESETS, Rules

if TYPE_CHECKING:
    from scorer.staging import StagedRound
    from scorer.validation import Checked, Verdict

# As in `scorer.training.run`, which cannot be imported without torch.
_PARTS = ("scenes", "detector", "classifier", "strips", "pairs", "lines")

seed_option = click.option(
    "--seed", default="1", show_default=True, help="Any text; the same seed gives the same photos."
)
rules_option = click.option(
    "--rules",
    default="classic",
    show_default=True,
    metavar="PRESET",
    help=f'House rules of the rounds: {", ".join(PRESETS)}, and changes to them: "classic turn=1".',
)
size_option = click.option(
    "--megapixels",
    default=12.0,
    show_default=True,
    type=click.FloatRange(0.3, 50),
    help="Size of the rendered photos.",
)
players_option = click.option(
    "--players", default=4, show_default=True, type=click.IntRange(1, 8), help="Decks on the table."
)


def _read(photos: Sequence[Path]) -> Reading:
    from scorer import vision

    return vision.read(photos)


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="DIR")
@click.option(
    "--csv", "csv_file", type=click.Path(dir_okay=False, path_type=Path), help="File for a row a photo."
)
@json_option
def evaluate(folder: Path, csv_file: Path | None, as_json: bool) -> None:
    """Read the photos of DIR, which come with their truth, and print how many cards were read right."""
    from scorer.evaluation import Evaluation, write_rows
    from scorer.evaluation import evaluate as compared
    from scorer.truth import load_truth

    truths = load_truth(folder)
    with shown_progress() as progress:

        def tell(done: int) -> None:
            progress(f"Photo {done} of {len(truths)}", done / len(truths))

        rows = list(compared(truths, lambda path: _read([path]), tell))
    if csv_file is not None:
        write_rows(csv_file, rows)
    result = Evaluation.of(rows)
    if as_json:
        click.echo(json.dumps(result.to_json()))
    else:
        from scorer.printing import print_evaluation

        print_evaluation(result)


@click.command()
@photos_argument
@click.option(
    "--repeat", default=5, show_default=True, type=click.IntRange(1, 100), help="Readings of each photo."
)
@click.option("--cold/--no-cold", default=True, show_default=True, help="Also time a start of nerts read.")
@json_option
def bench(photos: tuple[Path, ...], repeat: int, cold: bool, as_json: bool) -> None:
    """Time the reading of photos, beside the decoding of the same photos in the same run."""
    from scorer.timing import measure

    timings = [measure(path, _read, repeat=repeat, cold=cold) for path in photos]
    if as_json:
        click.echo(json.dumps([timing.to_json() for timing in timings]))
    else:
        from scorer.printing import print_timings

        print_timings(timings)


@click.command()
@click.argument("records", nargs=-1, type=click.Path(path_type=Path), metavar="[RECORD]...")
@click.option(
    "--out",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for photos and truth.",
)
@click.option(
    "--rounds",
    default=1,
    show_default=True,
    type=click.IntRange(1),
    help="Rounds that bots play, without a RECORD.",
)
@players_option
@rules_option
@seed_option
@size_option
@click.option("--training-art", is_flag=True, help="Use the decks the networks were trained with.")
@json_option
@click.pass_context
def render(
    context: click.Context,
    records: tuple[Path, ...],
    out: Path,
    rounds: int,
    players: int,
    rules: str,
    seed: str,
    megapixels: float,
    training_art: bool,
    as_json: bool,
) -> None:
    """Photograph how rounds of the software game ended: faces, backs, and the truth beside them."""
    from scorer.staging import play_rounds, recorded_rounds, stage

    if records:
        _refuse_given(context, "rounds", "players", "rules")
        played = recorded_rounds(records)
    else:
        played = list(play_rounds(rounds, seed, players, Rules.parse(rules)))
    written: list[dict[str, object]] = []
    with shown_progress() as progress:
        for number, one in enumerate(played, 1):
            progress(f"Round {number} of {len(played)}", (number - 1) / len(played))
            staged = stage(one, seed, megapixels=megapixels, unseen=not training_art)
            written.append(_write(out, staged))
    if as_json:
        click.echo(json.dumps(written, ensure_ascii=False))
    else:
        click.echo("\n".join(str(one["truth"]) for one in written))


def _write(out: Path, staged: StagedRound) -> dict[str, object]:
    """Write the photos of a round and its truth; returns what is told of them."""
    from scorer.staging import write_round

    truth = write_round(out, staged)
    photos = [str(out / file) for file in staged.files]
    return {"truth": str(truth), "photos": photos, "tally": staged.played.tally.to_json()}


def _refuse_given(context: click.Context, *names: str) -> None:
    """Refuse options of rounds that are yet to be played."""
    for name in names:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"A RECORD is of a round that was played already: leave out --{name}.")


@click.command()
@click.option(
    "--rounds", default=20, show_default=True, type=click.IntRange(1), help="Rounds that bots play."
)
@players_option
@rules_option
@seed_option
@size_option
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), help="Folder for the worst rounds.")
@click.option("--most", default=10, show_default=True, type=click.IntRange(0), help="How many of them.")
@json_option
@click.pass_context
def validate(
    context: click.Context,
    rounds: int,
    players: int,
    rules: str,
    seed: str,
    megapixels: float,
    keep: Path | None,
    most: int,
    as_json: bool,
) -> None:
    """Let bots play, photograph the tables, score the photos, and compare with the game's own scores.

    Exit code 1: the reader scored a round wrong without telling.
    """
    from scorer import vision
    from scorer.staging import play_rounds, stage
    from scorer.validation import Verdict, check, keep_round, worst

    played = list(play_rounds(rounds, seed, players, Rules.parse(rules)))
    checked: list[Checked] = []
    with shown_progress() as progress:
        for number, one in enumerate(played, 1):
            progress(f"Round {number} of {len(played)}", (number - 1) / len(played))
            staged = stage(one, seed, megapixels=megapixels)
            checked.append(check(staged, lambda photos: vision.read(photos, owners=players)))
    verdict = Verdict.of(checked)
    if keep is not None:
        names = {one.name: one for one in played}
        for bad in worst(checked, most):
            keep_round(keep, stage(names[bad.name], seed, megapixels=megapixels), bad)
    _tell_verdict(verdict, checked, as_json=as_json)
    context.exit(1 if verdict.is_silent else 0)


def _tell_verdict(verdict: Verdict, checked: Sequence[Checked], *, as_json: bool) -> None:
    if as_json:
        rounds = [one.to_json() for one in checked]
        click.echo(json.dumps(verdict.to_json() | {"of_rounds": rounds}))
    else:
        from scorer.printing import print_verdict

        print_verdict(verdict)


@click.command()
@click.argument("part", type=click.Choice(_PARTS))
@click.option(
    "--work",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of scenes and checkpoints; kept, it makes the training resumable.",
)
@click.option(
    "--models",
    default="models",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the exported network.",
)
@click.option(
    "--minutes",
    default=60.0,
    show_default=True,
    type=click.FloatRange(min=0, min_open=True),
    help="How long to train.",
)
@click.option(
    "--scenes", default=3000, show_default=True, type=click.IntRange(0), help="Scenes of any kind to render."
)
@click.option(
    "--back-scenes", default=500, show_default=True, type=click.IntRange(0), help="Scenes of backs to render."
)
@click.option(
    "--rounds", default=100, show_default=True, type=click.IntRange(0), help="Rounds to render and to read."
)
@click.option(
    "--start",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Start weights of the detector.",
)
@click.option("--resume", is_flag=True, help="Go on from the last checkpoint.")
@click.option("--seed", default=1, show_default=True, help="Of everything random.")
def train(
    part: str,
    work: Path,
    models: Path,
    minutes: float,
    scenes: int,
    back_scenes: int,
    rounds: int,
    start: Path | None,
    resume: bool,
    seed: int,
) -> None:
    """Render training scenes, or train one of the reader's networks and export it."""
    try:
        from scorer.training.run import Plan, run
    except ImportError as error:
        raise ModelError(f'Training needs {error.name}: run pip install "nerts-companion[train]".') from error
    plan = Plan(part, work, models, minutes, scenes, back_scenes, rounds, start, resume, seed)
    click.echo(str(run(plan, report=click.echo)))
