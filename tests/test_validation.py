"""The reader against the software game."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from scorer import staging
from scorer.errors import PhotoError, RecordError
from scorer.game import record, series
from scorer.piles import Fault, Faults, Pile
from scorer.reading import PhotoReading, Reading, SeenCard
from scorer.scoring import Rules, Tally
from scorer.staging import PlayedRound, StagedRound, play_rounds, recorded_round, stage, write_round
from scorer.synth.art import DeckArt, Side
from scorer.synth.invented import invented_deck
from scorer.truth import load_truth
from scorer.validation import Checked, Outcome, Verdict, check, keep_round, renamed, worst
from scorer.vision.photo import load
from tests.builders import piles

ROUND = piles("AH@red 2H@blue 3H@red", "AS@blue 2S@red", "AD@blue")
PLAYED = PlayedRound(
    "round-1", tuple(ROUND), Tally.parse("red=3/4 blue=3/0! green=0/13"), Rules(caller_bonus=10)
)


def photos_of(table: Sequence[Pile]) -> tuple[PhotoReading, PhotoReading]:
    """What a perfect reader sees: each pile a row, faces in one photo and backs in another."""
    faces, backs = [], []
    for y, pile in enumerate(table):
        for x, card in enumerate(pile):
            corner = (100.0 * x, 200.0 * y)
            quad = (
                corner,
                (corner[0] + 80, corner[1]),
                (corner[0] + 80, corner[1] + 110),
                (corner[0], corner[1] + 110),
            )
            faces.append(SeenCard(card.face, quad=quad, corners=(corner,)))
            backs.append(SeenCard(None, card.back, quad=quad, corners=(corner,)))
    return (
        PhotoReading("round-1-faces.jpg", 900, 900, 0.25, tuple(faces)),
        PhotoReading("round-1-backs.jpg", 900, 900, 0.25, tuple(backs)),
    )


STAGED = StagedRound(PLAYED, (b"faces", b"backs"), Reading(photos_of(ROUND), tuple(ROUND)))
NAMES = {"red": "deck-2", "blue": "deck-1"}


def checked(table: Sequence[Pile], *faults: Fault, seen: Sequence[Pile] | None = None) -> Checked:
    """Check a reader that reads this table, its decks under other names."""
    reading = renamed(Reading(photos_of(seen or table), tuple(table), faults), NAMES)
    return check(STAGED, lambda photos: reading)


def test_round_read_as_it_is_is_right_whatever_the_decks_are_called() -> None:
    one = checked(ROUND)
    assert one.outcome is Outcome.RIGHT
    assert (one.cards, one.cards_wrong, one.owners_wrong, one.piles_wrong) == (6, 0, 0, 0)
    assert one.seconds == 0.5 and one.faults == ()


def test_piles_may_come_in_any_order() -> None:
    assert checked(ROUND[::-1], seen=ROUND).outcome is Outcome.RIGHT


def test_card_given_to_another_deck_without_a_word_is_silently_wrong() -> None:
    one = checked(piles("AH@red 2H@red 3H@red", "AS@blue 2S@red", "AD@blue"))
    assert one.outcome is Outcome.WRONG
    assert (one.owners_wrong, one.piles_wrong, one.cards_wrong) == (1, 1, 0)


def test_two_mistakes_that_cancel_out_give_the_right_score() -> None:
    one = checked(piles("AH@blue 2H@red 3H@red", "AS@blue 2S@red", "AD@blue"))
    assert one.outcome is Outcome.RIGHT
    assert one.piles_wrong == 1


def test_gap_withholds_the_score() -> None:
    one = checked(piles("AH@red 3H@red", "AS@blue 2S@red", "AD@blue"))
    assert one.outcome is Outcome.WITHHELD
    assert "GAP" in one.faults


def test_doubt_about_what_was_read_right_is_needless() -> None:
    one = checked(ROUND, Fault.make(Faults.WEAK, pile=0))
    assert (one.outcome, one.faults) == (Outcome.NEEDLESS, ("WEAK",))


def test_missed_pile_is_silently_wrong() -> None:
    assert checked(ROUND[:2]).outcome is Outcome.WRONG


def test_deck_nobody_owns_is_wrong() -> None:
    assert checked(piles("AH@red 2H@blue 3H@red", "AS@blue 2S@red", "AD@deck-3")).outcome is Outcome.WRONG


def test_refused_photo_withholds_the_round() -> None:
    def refuse(photos: Sequence[bytes]) -> Reading:
        raise PhotoError("It is damaged: take it again.")

    one = check(STAGED, refuse)
    assert one.outcome is Outcome.WITHHELD
    assert one.faults == ("It is damaged: take it again.",)


def test_verdict_sums_up_and_fails_on_a_silent_round() -> None:
    right, wrong = checked(ROUND), checked(ROUND[:2])
    gap = checked(piles("AH@red 3H@red", "AS@blue 2S@red", "AD@blue"))
    verdict = Verdict.of([right, gap, wrong])
    assert verdict.outcomes == {"right": 1, "withheld": 1, "withheld needlessly": 0, "silently wrong": 1}
    assert verdict.is_silent and not Verdict.of([right, gap]).is_silent
    assert verdict.reasons["GAP"] == 1
    assert verdict.seconds == 0.5
    data = json.loads(json.dumps(verdict.to_json() | {"of_rounds": [one.to_json() for one in (right, gap)]}))
    assert data["of_rounds"][1]["outcome"] == "withheld"
    assert Verdict.of([]).rounds == 0


def test_worst_rounds_come_first() -> None:
    right, wrong = checked(ROUND), checked(ROUND[:2])
    weak = checked(ROUND, Fault.make(Faults.WEAK))
    assert list(worst([right, weak, wrong], 5)) == [wrong, weak]
    assert list(worst([right, weak, wrong], 1)) == [wrong]


# Staging.


@pytest.fixture(scope="module")
def played() -> PlayedRound:
    return next(play_rounds(1, "tests", 2, Rules()))


choose_art = staging._art


def test_rendered_rounds_use_decks_no_training_has_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool | None] = []

    def none_installed(*, test_only: bool | None = None) -> list[object]:
        asked.append(test_only)
        return []

    monkeypatch.setattr(staging, "installed_sources", none_installed)
    invented: list[int] = []

    def english_if_even(seed: int) -> DeckArt:
        invented.append(seed)
        blank = np.zeros((2, 2, 4), np.uint8)
        return DeckArt(str(seed), {"KS": Side(blank, foreign=bool(seed % 2))}, (), ())

    monkeypatch.setattr(staging, "invented_deck", english_if_even)
    rng = np.random.default_rng(1)
    unseen = [int(choose_art(rng, unseen=True).name) for _ in range(20)]
    seen = [int(choose_art(rng, unseen=False).name) for _ in range(20)]
    assert min(unseen) > max(seen)
    assert set(asked) == {True, False}
    # Of the letters of other languages none is dealt.
    assert not any(seed % 2 for seed in unseen + seen) and any(seed % 2 for seed in invented)


@pytest.fixture(scope="module", autouse=True)
def one_deck() -> Iterator[None]:
    """Draw a single deck's faces for all tests: it takes seconds, and only its cards' backs differ."""
    deck = invented_deck(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(staging, "_art", lambda rng, *, unseen: deck)
        yield


@pytest.fixture(scope="module")
def small(played: PlayedRound) -> StagedRound:
    return stage(played, "tests", megapixels=0.3)


def test_played_rounds_follow_from_their_seed(played: PlayedRound) -> None:
    assert next(play_rounds(1, "tests", 2, Rules())) == played
    assert next(play_rounds(1, "other", 2, Rules())) != played
    out = {deck.back: deck.foundation for deck in played.tally.decks}
    cards = [card.back for pile in played.piles for card in pile]
    assert {back: cards.count(back) for back in out} == out


def test_staged_round_shows_every_card_of_the_round(small: StagedRound, played: PlayedRound) -> None:
    assert small.truth.piles == played.piles
    assert [len(photo.piles) for photo in small.truth.photos] == [len(played.piles)] * 2
    total = sum(len(pile) for pile in played.piles)
    assert [len(photo.cards) for photo in small.truth.photos] == [total, total]
    assert all(card.back is None for card in small.truth.photos[0].cards)
    assert all(card.face is None for card in small.truth.photos[1].cards)
    pixels = load(small.photos[0]).pixels
    assert pixels.shape == (small.truth.photos[0].height, small.truth.photos[0].width, 3)
    assert 0.25e6 < pixels.shape[0] * pixels.shape[1] < 0.35e6


def test_staged_photos_follow_from_their_seed(small: StagedRound, played: PlayedRound) -> None:
    assert stage(played, "tests", megapixels=0.3).photos == small.photos
    assert stage(played, "again", megapixels=0.3).photos != small.photos


def test_written_round_is_truth_for_an_evaluation(small: StagedRound, tmp_path: Path) -> None:
    target = write_round(tmp_path / "new", small)
    truths = load_truth(tmp_path)
    assert [truth.path.exists() for truth in truths] == [True, True]
    data = json.loads(target.read_text())
    assert Reading.from_json(data).piles == small.played.piles
    assert Tally.from_json(data["tally"]) == small.played.tally


def test_kept_round_has_everything_to_look_at(small: StagedRound, tmp_path: Path) -> None:
    bad = dataclasses.replace(check(small, lambda _: small.truth), outcome=Outcome.WRONG)
    keep_round(tmp_path, small, bad)
    kept = {path.name for path in (tmp_path / f"{small.played.name}-wrong").rglob("*.*")}
    name = small.played.name
    assert kept == {
        f"{name}.json", f"{name}-faces.jpg", f"{name}-backs.jpg",
        f"{name}-faces-annotated.jpg", f"{name}-backs-annotated.jpg", "reading.json",
    }  # fmt: skip
    drawn = np.array(load(tmp_path / f"{name}-wrong" / "read" / f"{name}-faces-annotated.jpg").pixels)
    assert drawn.shape == load(small.photos[0]).pixels.shape


def test_perfect_reading_of_a_staged_round_is_right(small: StagedRound) -> None:
    one = check(small, lambda _: small.truth)
    assert (one.outcome, one.cards_wrong, one.owners_wrong) == (Outcome.RIGHT, 0, 0)


def test_recorded_round_ends_with_its_piles(tmp_path: Path) -> None:
    head = series.seat_bots(["shark", "family"], Rules(), "seed")
    table = series.play(head)
    record.write(tmp_path / "evening.jsonl", head, table.records, table.state)
    ended = recorded_round(tmp_path / "evening.jsonl")
    assert ended.name == "evening"
    assert ended.tally == head.tally(table.state)


def test_round_in_which_nothing_was_played_cannot_be_photographed(tmp_path: Path) -> None:
    head = series.seat_bots(["shark", "family"], Rules(), "seed")
    record.write(tmp_path / "open.jsonl", head, [], head.deal())
    with pytest.raises(RecordError, match=r"open\.jsonl: no card was played .* nothing to photograph\."):
        recorded_round(tmp_path / "open.jsonl")


@pytest.mark.parametrize("keep", [1, 20])
def test_end_of_a_record_that_is_cut_off_is_not_known(tmp_path: Path, keep: int) -> None:
    head = series.seat_bots(["shark", "family"], Rules(), "seed")
    table = series.play(head)
    record.write(tmp_path / "whole.jsonl", head, table.records, table.state)
    lines = (tmp_path / "whole.jsonl").read_text().splitlines()
    (tmp_path / "cut.jsonl").write_text("\n".join([*lines[:keep], "{"]))
    with pytest.raises(RecordError, match=f"ine {keep + 1}"):
        recorded_round(tmp_path / "cut.jsonl")
