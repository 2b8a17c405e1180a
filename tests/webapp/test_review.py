"""From photos to a confirmed round: doubts, corrections, and that it scores once."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from flask import Flask

from scorer.errors import ModelError, NotationError, PhotoError
from scorer.piles import Fault, Faults, Pile
from scorer.store import Seat
from tests.webapp.scripted import CLEAN, DOUBTFUL, FakeReader, Script
from tests.webapp.table import Phone
from webapp.review import Review, doubts, entries, missing, reviewed
from webapp.review.model import from_reading

SEATS = (Seat("p1", ("Ann",)), Seat("p2", ("Ben",)), Seat("p3", ("Cleo",)))
NAMED = [
    {"kind": "back", "owner": "red", "seat": "p1"},
    {"kind": "back", "owner": "blue", "seat": "p2"},
    {"kind": "back", "owner": "green", "seat": "p3"},
]
REST = [
    {"kind": "caller", "seat": "p1"},
    {"kind": "left", "seat": "p2", "number": 2},
    {"kind": "left", "seat": "p3", "number": 0},
]


def review(app: Flask, script: Script, *steps: dict[str, object]) -> Review:
    with app.test_request_context():
        return reviewed(script.reading(), SEATS, steps)


def shown(state: Review) -> list[str]:
    return [str(pile) for pile in state.as_piles()]


def open_doubts(app: Flask, state: Review) -> list[str]:
    with app.test_request_context():
        return [doubt.sentence for doubt in doubts(state) if not doubt.settled]


def finish(phone: Phone, sheet: str, *steps: dict[str, object]) -> None:
    for step in (*steps, *NAMED, *REST):
        assert phone.correct(sheet, **step)["sentence"] is None  # type: ignore[arg-type]


# Doubts.


def test_unknown_backs_are_asked_once_each(app: Flask) -> None:
    asked = open_doubts(app, review(app, CLEAN))
    assert len(asked) == 3
    assert all(sentence.startswith("Whose back is this?") for sentence in asked)
    assert open_doubts(app, review(app, CLEAN, *NAMED)) == []


def test_backs_the_reader_was_taught_need_no_asking(app: Flask) -> None:
    taught = Script.of("AH@p1 2H@p2 3H@p3")
    assert open_doubts(app, review(app, taught)) == []


def test_a_misread_card_is_doubted_with_its_candidates(app: Flask) -> None:
    state = review(app, DOUBTFUL, *NAMED)
    with app.test_request_context():
        (doubt,) = [doubt for doubt in doubts(state) if not doubt.settled]
    assert "3♦ does not belong in a pile of hearts" in doubt.sentence
    assert [str(face) for face in doubt.candidates] == ["3H", "3D"]
    assert open_doubts(app, review(app, DOUBTFUL, *NAMED, {"kind": "face", "card": "c3", "face": "3H"})) == []


def test_many_marks_of_one_pile_are_one_doubt_and_a_wrong_card_still_its_own(app: Flask) -> None:
    hard = Script.of("AH@p1! 2H@p2! 3H@p3! 4H@p1! 5H@p2! 7H@p3")
    asked = open_doubts(app, review(app, hard))
    assert len(asked) == 2
    assert "The 6♥ is missing" in asked[0]
    assert "5 cards were hard to read" in asked[1]
    looked = {"kind": "look_pile", "pile": "p1"}
    assert len(open_doubts(app, review(app, hard, looked))) == 1


def test_a_pile_of_weak_cards_is_one_doubt(app: Flask) -> None:
    weak = [Fault.make(Faults.WEAK, pile=0, position=at, number=at + 1, card="9♥") for at in range(5)]
    hard = Script.of("AH@p1! 2H@p2! 3H@p3! 4H@p1! 5H@p2!", faults=weak)
    asked = open_doubts(app, review(app, hard))
    assert len(asked) == 1
    assert "5 cards were hard to read" in asked[0]
    few = Script.of("AH@p1! 2H@p2 3H@p3", faults=weak[:1])
    assert len(open_doubts(app, review(app, few))) == 1


def test_a_pile_without_backs_is_asked_about_once(app: Flask) -> None:
    asked = open_doubts(app, review(app, Script.of("AH@p1 2H@p2", "AS 2S 3S")))
    assert len(asked) == 1
    assert "Pile 2: no backs were seen. Whose cards are these?" in asked[0]


def test_a_doubt_can_be_accepted_and_comes_back_when_the_pile_changes(app: Flask) -> None:
    gap = Script.of("AH@p1 2H@p2 4H@p3")
    with app.test_request_context():
        (doubt,) = doubts(review(app, gap))
    accepted = {"kind": "accept", "doubt": doubt.key}
    assert open_doubts(app, review(app, gap, accepted)) == []
    moved = {"kind": "face", "card": "c3", "face": "6H"}
    assert len(open_doubts(app, review(app, gap, accepted, moved))) == 1


def test_what_only_the_machine_knows_is_asked_too(app: Flask) -> None:
    faults = [
        Fault.make(Faults.COUNTS_DISAGREE, pile=0, first=3, second=4),
        Fault.make(Faults.FACES_AND_BACKS_DIFFER, faces=41, backs=40),
        Fault.make(Faults.REPAIRED, pile=0, position=1, number=2, card="2♦", probable="2♥"),
    ]
    asked = open_doubts(app, review(app, Script.of("AH@p1 2H@p2 3H@p3", faults=faults)))
    assert len(asked) == 2
    assert "One count finds 3 cards" in asked[0]
    assert "41 faces and 40 backs" in asked[1]


def test_only_backs_are_counted_without_faces(app: Flask) -> None:
    state = review(app, Script.of("?@red ?@blue ?@red", "?@green"), *NAMED, *REST)
    assert open_doubts(app, state) == []
    with app.test_request_context():
        assert [entry.out for entry in entries(state)] == [2, 1, 1]


def test_piles_sorted_by_owner_are_counted_by_faces_alone(app: Flask) -> None:
    sorted_piles = Script.of("~ 3H 9S KD", "~ AC 2C")
    asked = open_doubts(app, review(app, sorted_piles))
    assert [sentence for sentence in asked if "Whose cards are these" in sentence] == asked[:2]
    owned = [{"kind": "pile_owner", "pile": f"p{number}", "seat": f"p{number}"} for number in (1, 2)]
    state = review(app, sorted_piles, *owned, *REST)
    with app.test_request_context():
        assert [(entry.out, entry.kings) for entry in entries(state)] == [(3, 1), (2, 0), (0, 0)]


def test_cards_left_are_counted_from_the_photo(app: Flask) -> None:
    with_left = Script.of("AH@p1 2H@p2", "~ ?@p3 ?@p3 ?@p3 ?@p3")
    state = review(app, with_left, {"kind": "left_pile", "pile": "p2"})
    assert shown(state) == ["AH@Ann 2H@Ben"]
    assert state.left == {"p3": 4}
    mixed = Script.of("AH@p1", "~ ?@p3 ?@p2")
    with pytest.raises(NotationError, match="First say whose cards"):
        review(app, mixed, {"kind": "left_pile", "pile": "p2"})


def test_a_caller_with_cards_left_is_asked_about(app: Flask) -> None:
    wrong = [{"kind": "caller", "seat": "p2"}, {"kind": "left", "seat": "p2", "number": 3}]
    asked = open_doubts(app, review(app, CLEAN, *NAMED, *wrong))
    assert any("Ben called Nerts but has 3 left" in sentence for sentence in asked)


def test_what_is_missing_is_said(app: Flask) -> None:
    state = review(app, CLEAN, *NAMED)
    with app.test_request_context():
        told = [one.sentence for one in missing(state, _rules())]
        assert told == [
            "Who called Nerts?",
            "Cards left of Ann?",
            "Cards left of Ben?",
            "Cards left of Cleo?",
        ]
        assert missing(review(app, CLEAN, *NAMED, *REST), _rules()) == []


def _rules():  # type: ignore[no-untyped-def]
    from scorer.scoring import Rules

    return Rules()


# Corrections.


@pytest.mark.parametrize(
    ("step", "piles"),
    [
        ({"kind": "face", "card": "c2", "face": "JK=2H"}, ["AH@red JK=2H@blue 3H@red", "AS@blue 2S@red"]),
        ({"kind": "drop", "card": "c2"}, ["AH@red 3H@red", "AS@blue 2S@red"]),
        ({"kind": "owner", "card": "c1", "seat": "p2"}, ["AH@Ben 2H@blue 3H@red", "AS@blue 2S@red"]),
        ({"kind": "back", "owner": "red", "seat": "p1"}, ["AH@Ann 2H@blue 3H@Ann", "AS@blue 2S@Ann"]),
        ({"kind": "split", "card": "c3"}, ["AH@red 2H@blue", "3H@red", "AS@blue 2S@red"]),
        ({"kind": "merge", "pile": "p2", "other": "p1"}, ["AS@blue 2S@red AH@red 2H@blue 3H@red"]),
        ({"kind": "reverse", "pile": "p2"}, ["AH@red 2H@blue 3H@red", "2S@red AS@blue"]),
        ({"kind": "shift", "pile": "p2", "number": 0}, ["AS@blue 2S@red", "AH@red 2H@blue 3H@red"]),
        ({"kind": "discard", "pile": "p1"}, ["AS@blue 2S@red"]),
        ({"kind": "unordered", "pile": "p2"}, ["AH@red 2H@blue 3H@red", "~ AS@blue 2S@red"]),
        ({"kind": "move", "card": "c3", "pile": "p2"}, ["AH@red 2H@blue", "AS@blue 2S@red 3H@red"]),
        (
            {"kind": "move", "card": "c3", "pile": "p1", "number": 0},
            ["3H@red AH@red 2H@blue", "AS@blue 2S@red"],
        ),
        ({"kind": "move", "card": "c3"}, ["AH@red 2H@blue", "AS@blue 2S@red", "3H@red"]),
        ({"kind": "add", "face": "4H", "pile": "p1"}, ["AH@red 2H@blue 3H@red 4H", "AS@blue 2S@red"]),
        (
            {"kind": "add", "face": "3S", "seat": "p3", "pile": "p2", "number": 2},
            ["AH@red 2H@blue 3H@red", "AS@blue 2S@red 3S@Cleo"],
        ),
        ({"kind": "add", "face": "AD"}, ["AH@red 2H@blue 3H@red", "AS@blue 2S@red", "AD"]),
        (
            {"kind": "pile_owner", "pile": "p1", "seat": "p3"},
            ["AH@Cleo 2H@Cleo 3H@Cleo", "AS@blue 2S@red"],
        ),
    ],
    ids=lambda value: value["kind"] if isinstance(value, dict) else None,
)
def test_each_correction(app: Flask, step: dict[str, object], piles: list[str]) -> None:
    script = Script.of("AH@red 2H@blue 3H@red", "AS@blue 2S@red")
    assert shown(review(app, script, step)) == piles
    assert [str(Pile.parse(text)) for text in piles] == piles


@pytest.mark.parametrize(
    "step",
    [
        {"kind": "face", "card": "c99", "face": "AH"},
        {"kind": "face", "card": "c1", "face": "1X"},
        {"kind": "owner", "card": "c1", "seat": "p9"},
        {"kind": "merge", "pile": "p1", "other": "p1"},
        {"kind": "merge", "pile": "p1", "other": "p7"},
        {"kind": "explode"},
    ],
)
def test_corrections_that_do_not_fit_are_refused_in_a_sentence(app: Flask, step: dict[str, object]) -> None:
    with pytest.raises(NotationError, match=r"[.;:]"), app.test_request_context():
        reviewed(CLEAN.reading(), SEATS, [step])


def test_a_refused_correction_is_never_kept(match: Phone) -> None:
    sheet = match.read(*CLEAN.photos())
    answer = match.correct(sheet, "face", card="c1", face="nonsense")
    assert "not a card" in str(answer["sentence"])
    assert match.sheet(sheet).corrections == ()


def test_corrections_are_taken_back_and_made_again(match: Phone) -> None:
    sheet = match.read(*CLEAN.photos())
    for number in range(55):
        match.correct(sheet, "left", seat="p1", number=number % 14)
    for direction, left in (("back", 0), ("forward", 55)):
        for _step in range(55):
            answer = match.client.post(
                f"{match.match}{sheet}/{direction}", json={"version": match.sheet(sheet).version}
            )
            assert answer.status_code == 200
        assert len(match.sheet(sheet).corrections) == left


def test_two_phones_correcting_at_once_do_not_overwrite_one_another(match: Phone) -> None:
    sheet = match.read(*CLEAN.photos())
    version = match.sheet(sheet).version
    assert match.correct(sheet, "caller", version, seat="p1")["sentence"] is None
    late = match.other().correct(sheet, "caller", version, seat="p2")
    assert "Somebody else changed this round" in str(late["sentence"])
    assert late["version"] == match.sheet(sheet).version
    assert len(match.sheet(sheet).corrections) == 1


# Confirming.


def test_a_clean_round_is_scored_from_photos(match: Phone) -> None:
    sheet = match.read(*CLEAN.photos())
    finish(match, sheet)
    assert match.confirm(sheet).status_code == 302
    # On the table: 8 red, 5 blue, 6 green; Ben keeps 2.
    assert match.totals() == {"Ann": 8, "Cleo": 6, "Ben": 1}
    (kept,) = match.state.rounds
    assert kept.source == "photos"
    assert [(entry.out, entry.left, entry.called) for entry in kept.entries] == [
        (8, 0, True),
        (5, 2, False),
        (6, 0, False),
    ]


def test_with_open_doubts_nothing_is_scored(match: Phone, reader: FakeReader) -> None:
    reader.scripts = [DOUBTFUL]
    sheet = match.read(*DOUBTFUL.photos())
    finish(match, sheet)
    answer = match.confirm(sheet)
    assert answer.status_code == 422
    assert "Doubts to look at: 1" in answer.text
    assert match.state.rounds == ()
    match.correct(sheet, "face", card="c3", face="3H")
    match.confirm(sheet)
    assert len(match.state.rounds) == 1


def test_confirming_again_or_after_a_reload_scores_once(match: Phone) -> None:
    sheet = match.read(*CLEAN.photos())
    finish(match, sheet)
    version = match.sheet(sheet).version
    for _tap in range(3):
        assert match.post(f"{sheet}/confirm", version=version).status_code == 302
    assert match.get(sheet).status_code == 302
    assert len(match.state.rounds) == 1


def test_two_phones_confirming_at_once_score_once(match: Phone) -> None:
    sheet = match.read(*CLEAN.photos())
    finish(match, sheet)
    version, phones, answers = match.sheet(sheet).version, [match.other() for _phone in range(6)], []
    ready = threading.Barrier(len(phones))

    def confirm(phone: Phone) -> None:
        ready.wait()
        answers.append(phone.post(f"{sheet}/confirm", version=version).status_code)

    threads = [threading.Thread(target=confirm, args=(phone,)) for phone in phones]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(answers) == {302}
    assert len(match.state.rounds) == 1


def test_confirming_an_old_state_is_refused(match: Phone) -> None:
    sheet = match.read(*CLEAN.photos())
    finish(match, sheet)
    version = match.sheet(sheet).version
    match.other().correct(sheet, "left", seat="p2", number=9)
    assert match.post(f"{sheet}/confirm", version=version).status_code == 409
    assert match.state.rounds == ()


def test_an_undone_round_can_be_corrected_and_confirmed_again(match: Phone) -> None:
    sheet = match.read(*CLEAN.photos())
    finish(match, sheet)
    match.confirm(sheet)
    match.undo()
    assert match.sheet(sheet).status == "review"
    match.correct(sheet, "left", seat="p2", number=5)
    match.confirm(sheet)
    assert match.totals() == {"Ann": 8, "Cleo": 6, "Ben": -5}
    match.undo()
    match.redo()
    assert match.sheet(sheet).status == "confirmed"
    assert match.totals()["Ben"] == -5


def test_machine_and_people_are_both_kept(match: Phone, reader: FakeReader) -> None:
    reader.scripts = [DOUBTFUL]
    sheet = match.read(*DOUBTFUL.photos())
    finish(match, sheet, {"kind": "face", "card": "c3", "face": "3H"})
    match.confirm(sheet)
    (kept,) = match.state.rounds
    assert kept.machine and kept.confirmed
    piles = [match.store.sheets.reading(digest)["piles"] for digest in (kept.machine, kept.confirmed)]
    faces = [[card["face"] for card in pile[0]["cards"]] for pile in piles]  # type: ignore[index]
    assert faces[0][2] == "3D" and faces[1][2] == "3H"
    page = match.get(f"round/{kept.id}").text
    assert "read as 3♦, is 3♥" in page


def test_a_scored_round_is_opened_again_as_it_was_left(match: Phone, reader: FakeReader) -> None:
    sheet = match.read(*CLEAN.photos())
    finish(match, sheet)
    match.confirm(sheet)
    round_id = match.state.rounds[0].id
    again = match.post(f"round/{round_id}/correct").location.removeprefix(match.match)
    assert match.post(f"round/{round_id}/correct").location.endswith(again)
    match.correct(again, "left", seat="p2", number=0)
    match.confirm(again)
    assert match.totals() == {"Ann": 8, "Cleo": 6, "Ben": 5}
    (kept,) = match.state.rounds
    assert kept.id == round_id and kept.changed is not None
    match.undo()
    assert match.totals()["Ben"] == 1


def test_named_decks_are_remembered_for_later_rounds(match: Phone, reader: FakeReader) -> None:
    sheet = match.read(*CLEAN.photos())
    finish(match, sheet)
    match.confirm(sheet)
    match.read(*CLEAN.photos())
    assert reader.known[0] == {}
    assert set(reader.known[1]) == {"p1", "p2", "p3"}
    for backs in reader.known[1].values():
        assert all(back.photo.exists() for back in backs)
        assert all(0 <= value <= 1 for back in backs for point in back.outline for value in point)


def test_full_size_until_confirmed_then_reduced(make_app: Callable[..., Flask], reader: FakeReader) -> None:
    import io

    from PIL import Image

    large = io.BytesIO()
    Image.new("RGB", (3200, 2400), "green").save(large, "JPEG")
    for keep in (False, True):
        phone = Phone(make_app(keep_originals=keep)).new_match("Ann", "Ben", "Cleo")
        sheet = phone.read(large.getvalue())
        (digest,) = phone.sheet(sheet).photos
        original = phone.store.sheets.folder.path(digest)
        assert original.exists()
        finish(phone, sheet)
        phone.confirm(sheet)
        assert original.exists() == keep
        with phone.get(f"photo/{digest}.jpg") as shown, Image.open(io.BytesIO(shown.data)) as image:
            assert max(image.size) == 2000
        if not keep:
            assert phone.store.sheets.file(digest).exists()  # type: ignore[union-attr]


# The reading itself.


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ModelError("The model detector.onnx is missing: install it again."), "detector.onnx is missing"),
        (PhotoError("The photo is too dark."), "too dark"),
        (ZeroDivisionError("internal"), "could not be read: try others, or type"),
    ],
)
def test_a_failed_reading_is_told_and_can_be_tried_again(
    match: Phone, reader: FakeReader, error: Exception, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise error

    reader.before = fail
    sheet = match.start_sheet()
    match.send(sheet, *CLEAN.photos())
    match.post(f"{sheet}/read")
    match.wait(sheet, "failed")
    page = match.get(sheet).text
    assert told in page
    assert "internal" not in page
    reader.before = None
    match.post(f"{sheet}/read")
    match.wait(sheet, "review")


def test_a_missing_reader_is_said_in_one_sentence(match: Phone, make_app: Callable[..., Flask]) -> None:
    from webapp.reader import read_with_models

    def missing_reader(*args: object, **named: object) -> object:
        import builtins

        real = builtins.__import__

        def no_vision(name: str, *rest: object, **more: object) -> object:
            if name.startswith("scorer.vision"):
                raise ModuleNotFoundError("No module named 'onnxruntime'", name="onnxruntime")
            return real(name, *rest, **more)  # type: ignore[arg-type]

        builtins.__import__ = no_vision  # type: ignore[assignment]
        try:
            return read_with_models(*args, **named)  # type: ignore[arg-type]
        finally:
            builtins.__import__ = real

    phone = Phone(make_app(read=missing_reader), match.match)
    sheet = phone.start_sheet()
    phone.send(sheet, *CLEAN.photos())
    phone.post(f"{sheet}/read")
    phone.wait(sheet, "failed")
    assert "reader is not installed here (onnxruntime is missing): type the numbers" in phone.get(sheet).text


def test_a_reading_is_taken_up_again_after_the_server_was_killed(
    match: Phone, make_app: Callable[..., Flask]
) -> None:
    sheet = match.start_sheet()
    match.send(sheet, *CLEAN.photos())
    match.store.sheets.progress(match.match_id, sheet.split("/")[1], "reading", "Reading photo 1 of 2", 0.4)
    later = Phone(make_app(), match.match)
    later.wait(sheet, "review")


def test_an_empty_sheet_is_not_begun_twice(match: Phone) -> None:
    assert match.start_sheet() == match.start_sheet()


def test_a_sheet_given_up_scores_nothing(match: Phone) -> None:
    sheet = match.read(*CLEAN.photos())
    match.post(f"{sheet}/drop")
    assert match.sheet(sheet).status == "dropped"
    assert match.post(f"{sheet}/confirm", version=1).status_code == 409 or match.state.rounds == ()
    assert not re.search("waits for your look", match.get().text)


def test_a_cards_boxes_show_its_own_face_and_its_own_back() -> None:
    reading = Script.of("AH@red 2H@blue 3H@green", "AS@blue").reading()
    review = from_reading(reading, ())
    for card in review.cards():
        face, back = (reading.photos[spot.photo].cards[spot.card or 0] for spot in card.spots)
        assert (face.face, back.back) == (card.face, card.back)


def test_where_a_face_is_hidden_the_other_boxes_stay() -> None:
    whole = Script.of("AH@red 2H@blue 3H@green").reading()
    faces, backs = whole.photos
    hidden = replace(faces, piles=(replace(faces.piles[0], cards=(0, 2)),))
    cards = list(from_reading(replace(whole, photos=(hidden, backs)), ()).cards())
    assert [len(card.spots) for card in cards] == [2, 1, 2]
    assert cards[2].spots[0].card == 2
