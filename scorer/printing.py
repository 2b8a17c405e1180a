"""Readings, counts and figures as tables in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from scorer.cards import Card
from scorer.counting import Count
from scorer.evaluation import Evaluation, Figures
from scorer.piles import Fault, Pile, PileCard
from scorer.reading import PhotoReading, Reading

if TYPE_CHECKING:
    from scorer.timing import Timing
    from scorer.validation import Verdict

_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#945200", "#6e3cbe", "#464646")
"""Of the owners, as in the annotated photos."""


def print_count(count: Count, out: Path | None = None) -> None:
    """Print the piles of a round, what stands against it, and the score."""
    console = Console(highlight=False)
    owners = [deck.back for deck in count.tally.decks]
    if count.reading.piles:
        console.print(_piles_table(count.reading.piles, owners))
    _print_faults(console, [*_of_piles(count.faults), *_of_photos(count)])
    console.print(_score_table(count))
    for name in count.unassigned:
        console.print(
            f"Which deck is {name}'s is not known: teach it with nerts decks add {name} PHOTO.",
            markup=False,
            soft_wrap=True,
        )
    if not count.is_scored:
        look = "photograph again" if out is None else f"look at the photos in {out}, photograph again"
        console.print(
            f"Not scored: {look}, or correct the round in the companion (nerts serve).",
            style="bold",
            markup=False,
            soft_wrap=True,
        )


def _piles_table(piles: Sequence[Pile], owners: Sequence[str]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("pile", justify="right")
    table.add_column("cards", justify="right")
    table.add_column("from the ace up")
    for number, pile in enumerate(piles, 1):
        chips = Text(" ").join(_chip(card, owners) for card in pile)
        table.add_row(str(number), str(len(pile)), chips)
    return table


def _chip(card: PileCard, owners: Sequence[str]) -> Text:
    """A card and the letter of its owner, such as "10♥a"; a question mark where somebody should look."""
    face = "?" if card.face is None else card.face.symbol if isinstance(card.face, Card) else str(card.face)
    red = isinstance(card.face, Card) and card.face.suit.is_red
    chip = Text(face, style="bold red" if red else "bold")
    if card.back is not None and card.back in owners:
        chip.append(_letter(owners, card.back), style=f"bold white on {_colour(owners, card.back)}")
    if card.marked:
        chip.append("?", style="bold black on yellow")
    return chip


def _letter(owners: Sequence[str], back: str) -> str:
    return ascii_lowercase[owners.index(back) % len(ascii_lowercase)]


def _colour(owners: Sequence[str], back: str) -> str:
    return _COLOURS[owners.index(back) % len(_COLOURS)]


def _of_piles(faults: Iterable[Fault]) -> list[tuple[str, Fault]]:
    return [("" if fault.pile is None else f"Pile {fault.pile + 1}: ", fault) for fault in faults]


def _of_photos(count: Count) -> list[tuple[str, Fault]]:
    return [(f"{file}: ", fault) for file, fault in count.photo_faults]


def _print_faults(console: Console, faults: Sequence[tuple[str, Fault]]) -> None:
    """Every sentence once: which cards of a pile are in doubt is marked at the cards."""
    for sentence, is_doubt in dict.fromkeys((place + f.sentence, f.is_doubt) for place, f in faults):
        sign = Text("? ", style="bold black on yellow") if is_doubt else Text("· ")
        console.print(sign + Text(sentence), soft_wrap=True)


def _score_table(count: Count) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    table.add_column("deck")
    for heading in ("player", "cards out", "Nerts left", "score"):
        table.add_column(heading, justify="left" if heading == "player" else "right")
    owners = [deck.back for deck in count.tally.decks]
    for deck, points in zip(count.tally.decks, count.scores, strict=True):
        letter = Text(_letter(owners, deck.back), style=f"bold white on {_colour(owners, deck.back)}")
        called = " (called)" if deck.called else ""
        table.add_row(
            letter,
            Text(deck.back),
            Text((deck.player or "–") + called),
            str(deck.foundation),
            _or_dash(deck.nerts_left),
            Text(_or_dash(points), style="bold"),
        )
    if count.tally.unowned:
        table.add_row("", "not recognised", "–", str(count.tally.unowned), "–", "–")
    return table


def _or_dash(number: int | None) -> str:
    return "–" if number is None else str(number)


def print_reading(reading: Reading) -> None:
    """Print what each photo shows, and the piles of the round."""
    console = Console(highlight=False)
    for photo in reading.photos:
        _print_photo(console, photo)
    if reading.piles:
        owners = list(dict.fromkeys(card.back for pile in reading.piles for card in pile if card.back))
        console.print(_piles_table(reading.piles, owners))
        legend = ", ".join(f"{_letter(owners, owner)} {owner}" for owner in owners)
        if legend:
            console.print(f"Decks: {legend}", markup=False)
    _print_faults(console, _of_piles(reading.faults))


def _print_photo(console: Console, photo: PhotoReading) -> None:
    faces = [card for card in photo.cards if card.face is not None]
    backs = len(photo.cards) - len(faces)
    console.print(
        f"{photo.file} ({photo.width} × {photo.height}, {photo.seconds:.2f} s):"
        f" {len(faces)} faces, {backs} backs",
        style="bold",
        markup=False,
        soft_wrap=True,
    )
    names = Text(" ").join(_chip(PileCard(card.face, None, card.marked), ()) for card in faces)
    if faces:
        console.print(names)
    _print_faults(console, [("", fault) for fault in photo.faults])


def print_evaluation(result: Evaluation) -> None:
    """Print the figures of an evaluation: per source and kind, overlapping cards, and in all."""
    console = Console(highlight=False)
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("photos of")
    for heading in (
        "photos",
        "cards",
        "precision",
        "recall",
        "exact",
        "silent",
        "silent photos",
        "place",
        "owners",
        "s",
    ):
        table.add_column(heading, justify="right")
    for figures in (*result.groups, result.overlapping, result.all, result.other):
        if figures.photos:
            table.add_row(*_figures_row(figures), style="bold" if figures is result.all else "")
    console.print(table)
    console.print(
        f"Photos without a face: {result.faceless}, with faces read in {result.faceless_with_faces}.\n"
        f"Refused: {result.all.errors + result.other.errors}. Silent: wrong and not marked, as a share of the"
        " cards read; silent photos: something is wrong or missing and nothing tells. s: median.",
        markup=False,
    )


def _figures_row(figures: Figures) -> list[str]:
    return [
        figures.name,
        str(figures.photos),
        str(figures.cards),
        percent(figures.precision),
        percent(figures.recall),
        percent(figures.exact),
        percent(figures.silent),
        str(figures.silent_photos),
        percent(figures.placed),
        percent(figures.owners),
        "–" if figures.seconds is None else f"{figures.seconds:.2f}",
    ]


def percent(share: float | None) -> str:
    """Write a share as a percentage, with as many digits as a claim needs."""
    return "–" if share is None else f"{100 * share:.2f} %"


def print_timings(timings: Sequence[Timing]) -> None:
    """Print how long photos take."""
    console = Console(highlight=False)
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("photo", overflow="fold")
    for heading in ("MP", "cards", "decode s", "first s", "warm s", "× decode", "cold start s", "MB"):
        table.add_column(heading, justify="right")
    for timing in timings:
        table.add_row(
            timing.file,
            f"{timing.megapixels:.1f}",
            str(timing.cards),
            f"{timing.decode:.3f}",
            f"{timing.first:.2f}",
            f"{timing.warm:.2f}",
            f"{timing.ratio:.1f}",
            "–" if timing.cold_start is None else f"{timing.cold_start:.2f}",
            f"{timing.memory:.0f}",
        )
    console.print(table)


def print_verdict(verdict: Verdict) -> None:
    """Print what a validation came to."""
    console = Console(highlight=False)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for heading in ("rounds", *verdict.outcomes, "cards wrong", "owners wrong", "s a round"):
        table.add_column(heading, justify="right", overflow="fold", min_width=max(map(len, heading.split())))
    wrong = percent(verdict.cards_wrong / verdict.cards if verdict.cards else None)
    owners = percent(verdict.owners_wrong / verdict.cards if verdict.cards else None)
    counts = [str(count) for count in verdict.outcomes.values()]
    table.add_row(str(verdict.rounds), *counts, wrong, owners, f"{verdict.seconds:.2f}")
    console.print(table)
    for name, count in verdict.reasons.items():
        console.print(f"withheld because of {name}: {count}", markup=False, soft_wrap=True)
