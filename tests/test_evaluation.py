"""Readings compared with the truth."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from scorer.cards import Card, Joker, Rank, Suit, parse_face
from scorer.errors import NotationError, PhotoError
from scorer.evaluation import Evaluation, Figures, Row, compare, evaluate, write_rows
from scorer.piles import Fault, Faults
from scorer.reading import PhotoReading, Quad, Reading, SeenCard, SeenPile
from scorer.truth import PhotoTruth, load_truth


def truth(faces: str, **more: object) -> PhotoTruth:
    options: dict[str, object] = {"kind": "spread", "source": "here"} | more
    return PhotoTruth(Path("a.jpg"), "a.jpg", faces=tuple(faces.split()), **options)  # type: ignore[arg-type]


def photo(faces: str, *faults: Faults, piles: tuple[SeenPile, ...] = ()) -> PhotoReading:
    """Cards such as "10H 3S!", the second one marked, 100 pixels apart."""
    cards = tuple(
        SeenCard(parse_face(word.rstrip("!")), marked=word.endswith("!"), corners=((100.0 * i, 50.0),))
        for i, word in enumerate(faces.split())
    )
    return PhotoReading("a.jpg", 1000, 100, 0.1, cards, piles, tuple(map(Fault.make, faults)))


def counts(row: Row) -> tuple[int, int, int, int]:
    return row.correct, row.wrong, row.missed, row.silent


@pytest.mark.parametrize(
    ("true", "read", "expected"),
    [
        ("AH 2H", "AH 2H", (2, 0, 0, 0)),
        ("AH 2H", "AH", (1, 0, 1, 0)),
        ("AH 2H", "AH 2H 3H", (2, 1, 0, 1)),
        ("AH 2H", "AH 3H!", (1, 1, 1, 0)),
        ("AH 2H", "AH 3H", (1, 1, 1, 1)),
        # One card counted twice is one wrong card, marked if either is marked.
        ("AH", "AH AH", (1, 1, 0, 1)),
        ("AH", "AH AH!", (1, 1, 0, 0)),
        ("AH", "AH AH AH!", (1, 2, 0, 1)),
        ("JK AH", "JK=3S AH", (2, 0, 0, 0)),
        ("", "", (0, 0, 0, 0)),
        ("", "AH", (0, 1, 0, 1)),
    ],
)
def test_faces_are_compared_by_label(true: str, read: str, expected: tuple[int, int, int, int]) -> None:
    row = compare(truth(true), photo(read))
    assert counts(row) == expected
    assert row.exact == (expected[1:3] == (0, 0))


def test_only_the_rank_counts_where_only_ranks_are_labelled() -> None:
    row = compare(truth("K? 9?", rank_only=True), photo("KH 9C KS"))
    assert counts(row) == (2, 1, 0, 1)


def test_incomplete_truth_judges_recall_alone() -> None:
    row = compare(truth("AH 2H", complete=False), photo("AH 5S"))
    assert counts(row) == (1, 0, 1, 0)
    figures = Figures.of("all", [row])
    assert (figures.precision, figures.recall, figures.exact, figures.silent) == (None, 0.5, None, None)


def test_card_lies_where_its_box_says() -> None:
    boxes = (("AH", (0.0, 0.0, 40.0, 60.0)), ("2H", (300.0, 0.0, 360.0, 60.0)))
    row = compare(truth("AH 2H", boxes=boxes), photo("AH 2H"))
    assert (row.boxes, row.placed) == (2, 1)


def test_what_tells_of_a_doubt() -> None:
    assert not compare(truth("AH"), photo("")).told
    assert compare(truth("AH"), photo("", Faults.NO_CARDS)).told
    assert compare(truth("AH"), photo("AH!")).told
    assert compare(truth("AH"), photo("AH", piles=(SeenPile((0,), Faults.GAP),))).told
    assert not compare(truth("AH"), photo("AH", Faults.REPAIRED)).told


def test_missed_card_of_which_nothing_tells_makes_a_silent_photo() -> None:
    silent, told = compare(truth("AH 2H"), photo("AH")), compare(truth("AH 2H"), photo("AH", Faults.CUT_OFF))
    assert (silent.is_silent, told.is_silent) == (True, False)
    assert Figures.of("all", [silent, told]).silent_photos == 1


# Rendered photos: every card has its place.


def square(x: float, y: float = 0.0) -> Quad:
    return (x, y), (x + 60, y), (x + 60, y + 84), (x, y + 84)


def laid(*labels: str, step: float = 20.0) -> PhotoReading:
    """Cards of a ribbon such as "AH" or "@red", with outlines and corners."""
    cards = []
    for i, label in enumerate(labels):
        corner = ((step * i + 8, 12.0),)
        face = None if label.startswith("@") else parse_face(label)
        back = label[1:] if label.startswith("@") else None
        cards.append(SeenCard(face, back, quad=square(step * i), corners=corner))
    return PhotoReading("a.jpg", 1000, 100, 0.0, tuple(cards))


def rendered(*labels: str) -> PhotoTruth:
    cards = laid(*labels)
    faces = tuple(label for label in labels if not label.startswith("@"))
    return PhotoTruth(
        Path("a.jpg"), "a.jpg", "rendered", "faces", faces, backs=len(labels) - len(faces), cards=cards
    )


def test_rendered_cards_are_compared_by_place() -> None:
    row = compare(rendered("AH", "2H", "2H"), laid("AH", "2H", "2H"))
    assert counts(row) == (3, 0, 0, 0)
    # The same card twice is right where there are two of it; two cards that changed places are wrong.
    assert counts(compare(rendered("AH", "2H", "3H"), laid("AH", "3H", "2H"))) == (1, 2, 2, 2)


def test_rendered_card_far_from_any_that_is_there_is_wrong() -> None:
    read = laid("AH", "2H", step=200.0)
    assert counts(compare(rendered("AH", "2H"), read)) == (1, 1, 1, 1)


def test_owners_are_right_whatever_they_are_called() -> None:
    true = rendered("@red", "@blue", "@red", "@red")
    assert compare(true, laid("@deck-2", "@deck-1", "@deck-2", "@deck-2")).owners_right == 4
    assert compare(true, laid("@deck-1", "@deck-1", "@deck-1", "@deck-1")).owners_right == 3
    assert compare(true, laid("@a", "@b", "@a", "@c")).owners_right == 3
    assert compare(true, laid("AH")).owners_right == 0
    figures = Figures.of("all", [compare(true, laid("@a", "@b", "@a", "@c"))])
    assert figures.owners == 0.75


# Sums.


def test_figures_of_several_photos() -> None:
    rows = [
        compare(truth("AH 2H 3H 4H"), photo("AH 2H 3H 5H"), seconds=1.0),
        compare(truth("AH"), photo("AH"), seconds=3.0),
        compare(truth("5S 6S", complete=False), photo("5S"), seconds=2.0),
    ]
    figures = Figures.of("all", rows)
    assert (figures.photos, figures.cards) == (3, 7)
    assert figures.precision == 0.8
    assert figures.recall == pytest.approx(5 / 7, abs=1e-5)
    assert figures.exact == 0.5
    assert figures.silent == 0.2
    assert figures.seconds == 2.0


def test_no_photos_have_no_figures() -> None:
    assert Figures.of("none", []).precision is None


def test_other_letters_do_not_count_as_english() -> None:
    rows = [
        compare(truth("AH"), photo("AH")),
        compare(truth("JH", index="german indices (b=j, d=q)"), photo("KH")),
    ]
    result = Evaluation.of(rows)
    assert result.all.photos == 1 and result.all.precision == 1.0
    assert result.other.photos == 1 and result.other.silent == 1.0


def test_sources_kinds_and_overlapping_photos_are_reported() -> None:
    rows = [
        compare(truth("AH", kind="hand"), photo("AH")),
        compare(truth("AH 2H", kind="spread", source="there"), photo("AH")),
        compare(truth("AH", kind="single"), photo("")),
    ]
    result = Evaluation.of(rows)
    assert [group.name for group in result.groups] == [
        "here",
        "there",
        "kind hand",
        "kind spread",
        "kind single",
    ]
    assert result.overlapping.recall == pytest.approx(2 / 3, abs=1e-5)


def test_photos_without_faces_in_which_faces_were_read() -> None:
    rows = [
        compare(truth("", kind="backs", backs=3), photo("")),
        compare(truth("", kind="table"), photo("AH!")),
        compare(truth("", kind="table", complete=False), photo("AH")),
    ]
    result = Evaluation.of(rows)
    assert (result.faceless, result.faceless_with_faces) == (2, 1)


def test_evaluation_goes_on_after_a_photo_that_cannot_be_read() -> None:
    def read(path: Path) -> Reading:
        if path.name == "bad.jpg":
            raise PhotoError("bad.jpg is damaged: take it again.")
        return Reading((photo("AH"),))

    truths = [PhotoTruth(Path(name), name, "here", "single", ("AH",)) for name in ("bad.jpg", "good.jpg")]
    done: list[int] = []
    bad, good = evaluate(truths, read, done.append)
    assert bad.error == "bad.jpg is damaged: take it again." and bad.missed == 1 and not bad.exact
    assert good.exact and good.seconds >= 0
    assert done == [1, 2]
    assert Evaluation.of([bad, good]).all.errors == 1


def test_csv_has_a_row_for_each_photo(tmp_path: Path) -> None:
    rows = [compare(truth("AH 2H"), photo("AH 3H!", Faults.GAP)), compare(truth("AH"), photo("AH"))]
    file = tmp_path / "new" / "rows.csv"
    write_rows(file, rows)
    with file.open(newline="") as lines:
        read = list(csv.DictReader(lines))
    assert len(read) == 2
    assert read[0]["truth"] == "AH 2H" and read[0]["read"] == "AH 3H!" and read[0]["faults"] == "GAP"
    assert (read[0]["wrong"], read[0]["silent"]) == ("1", "0")


def test_evaluation_is_json() -> None:
    assert json.loads(json.dumps(Evaluation.of([]).to_json()))["all"]["photos"] == 0


# Truth files.


def write(folder: Path, *lines: object) -> Path:
    for line in lines:
        if isinstance(line, dict):
            (folder / line["file"]).parent.mkdir(exist_ok=True)
            (folder / line["file"]).touch()
    (folder / "truth.jsonl").write_text("\n".join(json.dumps(line) for line in lines) + "\n\n")
    return folder


LINE = {"file": "zoo/a.jpg", "kind": "spread", "faces": ["10H", "JK"], "faces_complete": True, "backs": None}


def test_labelled_photos_are_loaded(tmp_path: Path) -> None:
    line = LINE | {
        "rank_only": True,
        "faces": ["K?"],
        "index": "German indices (B=J, D=Q)",
        "boxes": [{"label": "K?", "box": [1, 2, 3, 4], "of": "whole-card"}],
    }
    plain, other = load_truth(write(tmp_path, LINE, line))
    assert (plain.source, plain.faces, plain.complete, plain.is_english) == ("zoo", ("10H", "JK"), True, True)
    assert (other.rank_only, other.is_english, other.faces) == (True, False, ("K?",))
    assert other.boxes == (("K?", (1.0, 2.0, 3.0, 4.0)),)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"faces": ["11H"]}, "is not a card"),
        ({"faces": None}, "'faces' of line 1"),
        ({"kind": 3}, "'kind' of line 1"),
        ({"boxes": [{"label": "AH", "box": [1, 2]}]}, "four numbers"),
    ],
)
def test_damaged_labels_are_told_with_their_line(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    with pytest.raises(NotationError, match=said):
        load_truth(write(tmp_path, LINE | change))


def test_text_that_is_no_json_is_told(tmp_path: Path) -> None:
    (tmp_path / "truth.jsonl").write_text("{nonsense\n")
    with pytest.raises(NotationError, match=r"line 1 of .* is not JSON"):
        load_truth(tmp_path)


def test_missing_photo_is_told(tmp_path: Path) -> None:
    write(tmp_path, LINE)
    (tmp_path / "zoo" / "a.jpg").unlink()
    with pytest.raises(NotationError, match=r"a\.jpg is missing"):
        load_truth(tmp_path)


def test_folder_without_truth_is_told(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('{"version": 1}')
    with pytest.raises(NotationError, match="holds no photos with truth"):
        load_truth(tmp_path)


def test_rendered_photos_are_loaded_with_the_place_of_every_card(tmp_path: Path) -> None:
    covered = SeenCard(parse_face("KS"), quad=square(0))
    faces = PhotoReading("f.jpg", 100, 100, 0, (*laid("AH", "2H").cards, covered))
    backs = PhotoReading("b.jpg", 100, 100, 0, laid("@red", "@blue").cards)
    (tmp_path / "f.jpg").touch()
    (tmp_path / "b.jpg").touch()
    (tmp_path / "round.json").write_text(json.dumps(Reading((faces, backs)).to_json()))
    front, back = load_truth(tmp_path)
    # A card of which no index shows cannot be missed.
    assert (front.source, front.kind, front.faces, front.backs) == ("rendered", "faces", ("AH", "2H"), 0)
    assert (back.kind, back.faces, back.backs) == ("backs", (), 2)
    assert compare(front, laid("AH", "2H")).exact


def test_joker_has_one_label() -> None:
    assert counts(compare(rendered("JK"), laid(str(Joker())))) == (1, 0, 0, 0)


def test_four_aces_labelled_by_rank_alone_are_four_cards() -> None:
    box = (0.0, 0.0, 10.0, 10.0)
    truth = PhotoTruth(
        Path("a/aces.jpg"), "a/aces.jpg", "a", "spread", ("A?",), rank_only=True, boxes=(("A?", box),) * 4
    )
    aces = tuple(SeenCard(Card(Rank.ACE, suit)) for suit in Suit)
    row = compare(truth, PhotoReading("aces.jpg", 100, 100, cards=aces))
    assert (row.cards, row.correct, row.wrong, row.exact) == (4, 4, 0, True)
