"""What a player wants to do, and how it is written down.

=====================  =====================================================================
``P2 N:4C>3``          seat 2 lays the 4C of his Nerts pile on his work pile (or space) 3
``P2 W:4C>F5``         the top of his waste on the fifth foundation that was started
``P2 1:AC>F``          the exposed card of work pile 1 starts a new foundation
``P2 1:9Hx3>4``        the run of three that begins with 9H, from work pile 1 to 4
``P2 W:KH<3``          slides KH under work pile 3
``P2 N:JK=10H>F5``     a joker, declared as 10H
``P2 N:4C>P3.2``       on another seat's work pile: can be written, and is refused
``P2 turn``            also ``redeal``, ``rotate``, ``stuck`` and ``nerts!``
``table stall``        the table declares that nobody can play on; ``table stop`` ends the round
=====================  =====================================================================
"""

from __future__ import annotations

import enum
import re
from typing import NamedTuple

from scorer.cards import Joker, parse_face
from scorer.errors import NotationError
from scorer.game import codes
from scorer.game.codes import NO_CARD


class Kind(enum.IntEnum):
    """The kinds of action there are."""

    PLAY = 0
    SLIDE = 1
    TURN = 2
    REDEAL = 3
    ROTATE = 4
    STUCK = 5
    CALL = 6
    STALL = 7
    STOP = 8


PLAY, SLIDE, TURN, REDEAL, ROTATE, STUCK, CALL, STALL, STOP = Kind

NERTS = -1
"""Place: the Nerts pile. Work piles are the places 0, 1, 2 …"""
WASTE = -2
"""Place: the top of the waste."""
STOCK = -3
"""Place: the stock, which is face down."""
FOUNDATION = 100
"""Place: a new foundation; the foundation started as the n-th is `FOUNDATION` + n."""
TABLE = -1
"""The seat of a move that is the table's own."""
OWN = -1
"""The place of a move is in the mover's own layout."""

_WORDS = {TURN: "turn", REDEAL: "redeal", ROTATE: "rotate", STUCK: "stuck", CALL: "nerts!"}
_TABLE_WORDS = {STALL: "stall", STOP: "stop"}
_KINDS = {word: kind for kind, word in (_WORDS | _TABLE_WORDS).items()}
_LETTERS = {NERTS: "N", WASTE: "W", STOCK: "S"}
_PLACES = {letter: place for place, letter in _LETTERS.items()}

_PLACE = r"(?:P([1-8])\.)?(N|W|S|F\d{0,3}|[1-9]\d?)"
_PLAY_PATTERN = re.compile(rf"{_PLACE}:([^x<>:]+?)(?:x(\d\d?))?([<>]){_PLACE}", re.ASCII)


class Move(NamedTuple):
    """An intent: it may turn out illegal, late or beaten by another seat's card.

    A named tuple of small integers and not a frozen dataclass: bots make hundreds of thousands of them.
    """

    seat: int
    """Whose move it is, from 0; `TABLE` for the table's own."""
    kind: Kind
    source: int = 0
    """The place the card is taken from, for PLAY and SLIDE."""
    card: int = NO_CARD
    """Code of the card, or of the first card of the run; `JOKER` for any joker."""
    length: int = 1
    """How many cards are moved: more than one only for runs."""
    target: int = 0
    """The place the card goes to; for SLIDE the work pile it goes under."""
    declared: int = NO_CARD
    """Code of the card a joker is declared to be, needed on a foundation."""
    source_seat: int = OWN
    """The seat whose layout the source is in."""
    target_seat: int = OWN
    """The seat whose layout the target is in."""

    def __str__(self) -> str:
        if self.seat == TABLE:
            return f"table {_TABLE_WORDS[self.kind]}"
        return f"P{self.seat + 1} {_WORDS.get(self.kind) or _play_text(self)}"

    @classmethod
    def parse(cls, text: str) -> Move:
        """Read a move from its notation."""
        who, _, what = text.strip().partition(" ")
        kind = _KINDS.get(what)
        if who == "table" and kind in _TABLE_WORDS:
            return cls(TABLE, _KINDS[what])
        if not re.fullmatch(r"P[1-8]", who):
            raise NotationError(
                f"{_shown(text)} is not a move; begin with the seat, such as P2 W:4C>3 or P2 turn."
            )
        if kind in _WORDS:
            return cls(int(who[1]) - 1, _KINDS[what])
        return _parse_play(int(who[1]) - 1, what)


def place_text(place: int, seat: int = OWN) -> str:
    """Write a place: "N", "W", "S", "F5" or the number of a work pile."""
    owner = "" if seat == OWN else f"P{seat + 1}."
    if place >= FOUNDATION:
        return f"{owner}F{place - FOUNDATION or ''}"
    return owner + (_LETTERS.get(place) or str(place + 1))


def _play_text(move: Move) -> str:
    card = codes.text(move.card)
    if move.declared:
        card = f"JK={codes.text(move.declared)}"
    run = f"x{move.length}" if move.length != 1 else ""
    arrow = "<" if move.kind is SLIDE else ">"
    source = place_text(move.source, move.source_seat)
    return f"{source}:{card}{run}{arrow}{place_text(move.target, move.target_seat)}"


def _parse_play(seat: int, text: str) -> Move:
    match = _PLAY_PATTERN.fullmatch(text)
    if match is None:
        raise NotationError(
            f"{_shown(text)} is not a move; write it like N:4C>3, W:4C>F5, W:KH<3, turn or nerts!."
        )
    source_seat, source, card, count, arrow, target_seat, target = match.groups()
    face = parse_face(card)
    declared = face.standing_for if isinstance(face, Joker) else None
    return Move(
        seat,
        SLIDE if arrow == "<" else PLAY,
        _parse_place(source),
        codes.encode(face),
        int(count or 1),
        _parse_place(target),
        codes.encode(declared) if declared else NO_CARD,
        int(source_seat) - 1 if source_seat else OWN,
        int(target_seat) - 1 if target_seat else OWN,
    )


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:37]}...")


def _parse_place(text: str) -> int:
    if text[0] == "F":
        return FOUNDATION + int(text[1:] or 0)
    return _PLACES[text] if text in _PLACES else int(text) - 1


def is_foundation(place: int) -> bool:
    """Whether a place is a foundation, new or standing."""
    return place >= FOUNDATION
