from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given

from scorer.errors import NotationError
from scorer.piles import Fault, Faults, Pile
from scorer.reading import Pairing, PhotoReading, Reading, SeenCard, SeenPile, fault_from_json
from tests import strategies
from tests.builders import card


@given(strategies.readings())
def test_readings_round_trip_through_json(reading):
    assert Reading.from_json(json.loads(json.dumps(reading.to_json()))) == reading


def a_reading() -> Reading:
    ten = SeenCard(
        card("10H"),
        None,
        0.97,
        True,
        ((card("10H"), 0.97), (card("9H"), 0.02)),
        ((0.0, 0.0), (60.0, 0.0), (60.0, 90.0), (0.0, 90.0)),
        ((5.0, 7.5),),
    )
    back = SeenCard(None, "blue")
    photo = PhotoReading("a.jpg", 640, 480, 0.5, (ten, back), (SeenPile((0, 1), Faults.NO_ACE),))
    gap = Fault.make(Faults.NO_ACE, pile=0, position=0, card="10♥")
    return Reading((photo,), (Pile.parse("10H@blue! JK=JH@red"),), (gap,), (Pairing(0, 0, 0),))


def test_the_json_is_what_the_command_line_promises():
    told = a_reading().to_json()
    assert told["photos"] == [
        {
            "file": "a.jpg",
            "width": 640,
            "height": 480,
            "seconds": 0.5,
            "cards": [
                {
                    "face": "10H",
                    "back": None,
                    "confidence": 0.97,
                    "marked": True,
                    "candidates": [["10H", 0.97], ["9H", 0.02]],
                    "quad": [[0, 0], [60, 0], [60, 90], [0, 90]],
                    "corners": [[5, 7.5]],
                },
                {
                    "face": None,
                    "back": "blue",
                    "confidence": 1.0,
                    "marked": False,
                    "candidates": [],
                    "quad": None,
                    "corners": [],
                },
            ],
            "piles": [{"cards": [0, 1], "faults": ["NO_ACE"]}],
            "faults": [],
        }
    ]
    assert told["piles"] == [
        {
            "suit": "H",
            "cards": [
                {"face": "10H", "back": "blue", "marked": True},
                {"face": "JK=JH", "back": "red", "marked": False},
            ],
            "faults": ["NO_ACE"],
        }
    ]
    (fault,) = told["faults"]
    assert fault["name"] == "NO_ACE" and fault["sentence"].startswith("The pile starts with 10♥")


def test_truth_may_leave_out_what_it_does_not_say():
    data = {"photos": [{"file": "a.jpg", "width": 4, "height": 3, "cards": [{"face": "AS"}]}]}
    (photo,) = Reading.from_json(data).photos
    assert photo.cards == (SeenCard(card("AS")),) and photo.piles == ()


def changed(path: str, value: object) -> object:
    """The JSON of a reading with one value changed."""
    data = copy.deepcopy(json.loads(json.dumps(a_reading().to_json())))
    *steps, last = (int(step) if step.isdigit() else step for step in path.split("."))
    target = data
    for step in steps:
        target = target[step]
    target[last] = value
    return data


WRONG = {
    "photos": 3,
    "photos.0": "a.jpg",
    "photos.0.file": None,
    "photos.0.width": 640.5,
    "photos.0.height": True,
    "photos.0.seconds": float("nan"),
    "photos.0.cards": {},
    "photos.0.cards.0.face": "11H",
    "photos.0.cards.0.back": 3,
    "photos.0.cards.0.confidence": 1.5,
    "photos.0.cards.0.marked": "yes",
    "photos.0.cards.0.candidates": [["10H"]],
    "photos.0.cards.1.candidates": [["10H", -1]],
    "photos.0.cards.0.quad": [[0, 0], [1, 1]],
    "photos.0.cards.0.corners": [[0, 0, 0]],
    "photos.0.cards.1.corners": [["0", 0]],
    "photos.0.piles.0.cards": [2],
    "photos.0.piles.0": {"cards": [-1]},
    "photos.0.piles.0.faults": ["VANISHED"],
    "piles.0.cards.0": None,
    "piles.0.cards.0.face": 10,
    "piles.0.ordered": 1,
    "faults.0.name": "gap",
    "faults.0.position": "first",
    "faults.0.details": ["card"],
    "faults.0.suggestion": "H3",
    "pairing.0.pile": 1,
    "pairing.0.face_photo": 1,
    "pairing.0": {"pile": 0, "back_photo": -1},
    "pairing.0.face_pile": 4,
    "version": 2,
}


@pytest.mark.parametrize(("path", "value"), WRONG.items(), ids=WRONG.keys())
def test_wrong_json_is_refused_in_one_sentence(path, value):
    with pytest.raises(NotationError) as refusal:
        Reading.from_json(changed(path, value))
    message = str(refusal.value)
    assert message.endswith(".") and "\n" not in message and message[0] in "'" + message[0].upper()


@pytest.mark.parametrize("data", [None, [], "reading", 3, {}, {"photos": None}, {"photos": [{}]}])
def test_what_is_no_reading_is_refused(data):
    with pytest.raises(NotationError):
        Reading.from_json(data)


def test_where_it_is_wrong_is_said():
    with pytest.raises(NotationError, match=r"^'width' of item 1 of 'photos' of the reading must be a whole"):
        Reading.from_json(changed("photos.0.width", "wide"))
    with pytest.raises(NotationError, match="newer program"):
        Reading.from_json(changed("version", 2))


def test_a_huge_number_is_no_number():
    with pytest.raises(NotationError):
        Reading.from_json(changed("photos.0.seconds", 10**400))


def test_a_fault_without_a_sentence_gets_one():
    fault = fault_from_json({"name": "GAP", "details": {"missing": "3♥", "before": "2♥", "after": "4♥"}})
    assert fault == Fault.make(Faults.GAP, missing="3♥", before="2♥", after="4♥")


def test_doubts_are_those_of_photos_and_round():
    blurred, repaired, gap = (Fault.make(flag) for flag in (Faults.BLURRED, Faults.REPAIRED, Faults.GAP))
    photo = PhotoReading("a.jpg", 4, 3, faults=(blurred, repaired))
    assert Reading((photo,), faults=(gap, repaired)).doubts == (blurred, gap)
    assert Reading((PhotoReading("a.jpg", 4, 3),)).doubts == ()
