"""What the README promises is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from scorer.cli import COMMANDS, main
from scorer.scoring import PRESETS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README, re.S | re.M)


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command with its full name, those of groups too."""
    for name in COMMANDS:
        command = main.get_command(click.Context(main), name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from ((f"{name} {part}", inner) for part, inner in command.commands.items())
        else:
            yield name, command


ALL = dict(commands())


@pytest.mark.parametrize("name", ALL)
def test_every_command_is_in_the_reference(name: str) -> None:
    assert f"`nerts {name}" in README


@pytest.mark.parametrize(
    ("name", "option"),
    [
        (name, option)
        for name, command in ALL.items()
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for option in (*parameter.opts, *parameter.secondary_opts)
    ],
)
def test_every_option_is_in_the_reference(name: str, option: str) -> None:
    assert re.search(rf"(?<![\w-]){option}(?![\w-])", README), f"{option} of nerts {name}"


def test_no_option_is_promised_that_does_not_exist() -> None:
    reference = README.partition("## Commands")[2].partition("## Map of the code")[0]
    promised = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", reference))
    options = {
        option
        for command in ALL.values()
        for parameter in command.params
        for option in (*parameter.opts, *parameter.secondary_opts)
    }
    assert promised - options - {"--help"} == set()


def test_every_preset_is_named() -> None:
    assert all(f"`{name}`" in README for name in PRESETS)


def test_two_shell_blocks_score_the_sample_and_run_the_tests() -> None:
    kinds = [kind for kind, _ in BLOCKS]
    assert kinds == ["sh", "sh"]
    first, second = (text for _, text in BLOCKS)
    assert "nerts score tests/photos/round/" in first
    assert "pytest" in second


def test_everything_the_readme_points_to_exists() -> None:
    links = re.findall(r"\]\(([^)]+)\)", README)
    local = [link for link in links if not link.startswith("https://")]
    assert local
    assert [link for link in local if not (ROOT / link).exists()] == []


def test_map_of_the_code_names_what_is_there() -> None:
    rows = README.partition("## Map of the code")[2].partition("Imports point")[0]
    cells = re.findall(r"^\| (`.+?) \|", rows, re.M)
    assert len(cells) > 8
    for cell in cells:
        folder = ROOT
        for name in re.findall(r"`([^`]+)`", cell):
            # Later names of a cell lie beside the first one.
            path = ROOT / name if (ROOT / name).exists() else folder / name
            assert list(path.parent.glob(path.name)), name
            folder = path.parent


@pytest.mark.skipif(not (ROOT / "tests" / "photos").exists(), reason="the sample photos are not there")
def test_sample_round_is_small() -> None:
    photos = list((ROOT / "tests" / "photos" / "round").glob("*.jpg"))
    assert len(photos) >= 2
    assert sum(path.stat().st_size for path in photos) <= 6 * 2**20
