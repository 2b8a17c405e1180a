"""Words for templates: signed numbers, times, and the sentences of the domain in the page's language."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from flask import Flask
from flask_babel import format_date, format_time, get_locale, gettext, lazy_gettext

from scorer.piles import WORDINGS, Fault, Faults
from scorer.scoring import PRESETS, Rules
from webapp import preferences

_ = lazy_gettext

_READING_PHOTO = re.compile(r"Reading photo (\d+) of (\d+)")


def N_(text: str) -> str:
    """Mark a text for the catalogue; it is translated where it is shown."""
    return text


TELLING_DECKS = N_("Telling the decks apart")

PRESET_NAMES = {
    "classic": (_("Classic"), _("To 100; 2 points off for each Nerts card left.")),
    "nna_singles": (_("Tournament"), _("To 150; 10 points for calling Nerts.")),
    "racing_demon": (_("Racing Demon"), _("1 point off per card left; 10 for calling, 5 for each king.")),
    "pounce25": (_("Pounce"), _("25 points for calling Nerts.")),
    "two_player": (_("Two players"), _("Six work piles, cards turned one by one; scores as in Classic.")),
    "quick": (_("Quick"), _("Nerts piles of 10 cards, to 50.")),
    "ligretto_like": (_("Ligretto style"), _("Scores as in Classic, to 100.")),
    "house": (_("House rules"), _("Set the points and the end yourself.")),
}

WORDS_OF_RULES = {
    "end": {
        "target": _("Somebody reaches the target"),
        "rounds": _("A number of rounds is played"),
        "hands_won": _("Somebody has won enough rounds"),
        "per_hand": _("It has no end; each round counts for itself"),
    },
    "tiebreak": {
        "extra_round": _("Everybody plays another round"),
        "tied_only": _("Only the tied play another round"),
        "shared": _("They share the win"),
        "most_calls": _("Who called Nerts more often wins"),
        "last_round": _("The better last round wins"),
    },
    "over_target": {
        "highest": _("The highest total wins"),
        "first": _("The first to reach it wins"),
    },
    "pass_decks": {
        "none": _("Everybody keeps the own deck"),
        "move_left": _("Decks move on to the next player of the list"),
        "right_shuffles": _("The neighbour on the right shuffles"),
        "opponent_shuffles": _("An opponent shuffles"),
    },
    "starter": {
        "anyone": _("Anybody"),
        "last_place": _("Whoever is last"),
        "rotates": _("Each in turn"),
    },
    "payoff": {
        "none": _("Nothing is paid"),
        "differences": _("The winner collects the differences"),
    },
}

_ENDS = {
    "target": N_("To %(target)d"),
    "rounds": N_("%(rounds)d rounds"),
    "hands_won": N_("Until somebody has won %(hands_to_win)d rounds"),
    "per_hand": N_("Each round counts for itself"),
}
_AGREED: dict[str, tuple[object, str]] = {
    "card_points": (1, N_("%(card_points)d for each card out")),
    "nerts_penalty": (None, N_("%(nerts_penalty)d off per Nerts card left")),
    "caller_bonus": (0, N_("%(caller_bonus)d for calling")),
    "king_bonus": (0, N_("%(king_bonus)d for each king")),
    "false_call_penalty": (0, N_("%(false_call_penalty)d off for a false call")),
    "mercy": (None, N_("over at %(mercy)d")),
    "floor_zero": (False, N_("no round below 0")),
    "caller_wins": (False, N_("whoever calls wins the round")),
    "nerts_size": (13, N_("Nerts piles of %(nerts_size)d")),
    "jokers": (0, N_("jokers in each deck: %(jokers)d")),
}
"""Rules as a match tells them, each with the value at which it goes without saying."""
_AGREED_WORDS = {"over_target": "highest", "tiebreak": "extra_round", "payoff": "none", "pass_decks": "none"}

EVENT_NAMES = {
    "created": _("Match started"),
    "settings_changed": _("Players or rules changed"),
    "round_added": _("Round scored"),
    "round_changed": _("Round corrected"),
    "round_deleted": _("Round deleted"),
    "note_changed": _("Note changed"),
}


def install(app: Flask) -> None:
    """Give templates these words."""
    app.jinja_env.filters.update(signed=signed, plain=plain, day=day, clock=clock, stage=stage)
    app.jinja_env.globals.update(
        preset_names=PRESET_NAMES,
        words_of_rules=WORDS_OF_RULES,
        event_names=EVENT_NAMES,
        stages=stages,
        agreed=agreed,
        presets=PRESETS,
        preferences=preferences.current,
        page_language=lambda: str(get_locale() or "en"),
    )


def agreed(rules: Rules) -> list[str]:
    """What is played by, in a few words each: how the match ends, and what is out of the ordinary."""
    values = rules.to_json()
    patterns = [_ENDS[rules.end], *(text for name, (usual, text) in _AGREED.items() if values[name] != usual)]
    words = [
        WORDS_OF_RULES[name][str(values[name])]
        for name, usual in _AGREED_WORDS.items()
        if values[name] != usual
    ]
    return [gettext(pattern) % values for pattern in patterns] + [str(word) for word in words]


def plain(number: int | None) -> str:
    """A number with a true minus sign; a dash for none."""
    return "–" if number is None else str(number).replace("-", "−")


def signed(number: int | None) -> str:
    """A gain with its sign: "+12", "0", "−5"."""
    return f"+{number}" if number is not None and number > 0 else plain(number)


def _time(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def day(milliseconds: int) -> str:
    """A date, such as "29 Nov 2026"."""
    return str(format_date(_local(milliseconds), "medium"))


def clock(milliseconds: int) -> str:
    """A time of day on the server's clock."""
    return str(format_time(_local(milliseconds), "short", rebase=False))


def _local(milliseconds: int) -> datetime:
    """The server stands on the same table as the phones: its time zone is theirs."""
    return _time(milliseconds).astimezone().replace(tzinfo=None)


def stage(name: str) -> str:
    """What the reader is doing, in the page's language."""
    photo = _READING_PHOTO.fullmatch(name)
    if photo is not None:
        return str(gettext("Reading photo %(number)s of %(count)s", number=photo[1], count=photo[2]))
    return str(gettext(name)) if name else ""


def stages(photos: int) -> list[str]:
    """The stages of a reading, as the reader names them."""
    return [f"Reading photo {number} of {photos}" for number in range(1, photos + 1)] + [TELLING_DECKS]


def told(fault: Fault, names: Mapping[str, str] | None = None) -> str:
    """Say a fault in the page's language, decks under their players' names."""
    details: dict[str, Any] = dict(fault.details)
    if names and "owner" in details:
        details["owner"] = names.get(details["owner"], details["owner"])
    return wording(fault.name, details)


def wording(fault: Faults, details: Mapping[str, object]) -> str:
    """Return the most detailed wording the details allow, translated."""
    for candidate in WORDINGS[fault]:
        if {name for _a, name, _b, _c in string.Formatter().parse(candidate) if name} <= details.keys():
            return str(gettext(candidate)).format_map(details)
    return str(gettext(WORDINGS[fault][-1]))
