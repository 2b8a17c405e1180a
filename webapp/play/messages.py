"""What a page is told of its table: everything at first, then what changes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from scorer.game.live import Glimpse, LiveRound
from scorer.game.playback import deck_number, record_json, rules_json
from scorer.game.record import Head
from scorer.scoring import Match, score_round
from webapp.play.saved import Saved

Message = dict[str, object]


@dataclass(frozen=True, slots=True)
class Situation:
    """A table at a moment, apart from where its cards lie."""

    saved: Saved
    head: Head
    """Of the round on the table, or of the first one while nobody has begun it."""
    round: LiveRound | None
    at: int
    running: bool
    present: Collection[int]
    """Seats of people who are there."""
    trouble: str | None = None

    @property
    def phase(self) -> str:
        """What is going on: "waiting", "playing", "paused", "over" or "finished"."""
        saved = self.saved
        return "paused" if saved.phase == "playing" and saved.paused else saved.phase


def status(situation: Situation, seat: int) -> Message:
    """Return everything a seat is told but its cards."""
    saved = situation.saved
    is_host = seat == saved.host
    return {
        "you": f"P{seat + 1}",
        "round": max(1, saved.number),
        "rules": rules_json(situation.head),
        "seats": [_seat(situation, number) for number in range(len(saved.chairs))],
        "at": situation.at,
        "running": situation.running,
        "phase": situation.phase,
        "result": _result(situation, seat),
        "join": f"/play/join/{saved.id}{saved.invitation}" if saved.invitation and is_host else None,
        "host": is_host,
        "trouble": situation.trouble,
    }


def hello(situation: Situation, seat: int) -> Message:
    """Return everything a seat is told, its cards too."""
    places = {} if situation.round is None else situation.round.places(seat)
    shown = {"change": {place: list(cards) for place, cards in places.items()}}
    air = {} if situation.round is None else situation.round.air()
    return status(situation, seat) | shown | {"air": air}


def change(glimpse: Glimpse, seat: int) -> Message:
    """Return what a seat is told of one moment."""
    record = None if glimpse.record is None else record_json(glimpse.record)
    return {"at": glimpse.at, "change": glimpse.changes[seat], "record": record, "air": glimpse.air}


def _seat(situation: Situation, number: int) -> Message:
    saved, chair = situation.saved, situation.saved.chairs[number]
    played = situation.round
    return {
        "seat": f"P{number + 1}",
        "name": chair.name,
        "bot": chair.bot,
        "deck": deck_number(situation.head.seats[number].deck),
        "total": saved.match.totals[f"P{number + 1}"],
        "nerts_left": situation.head.nerts_sizes[number]
        if played is None
        else len(played.state.layouts[number].nerts),
        "present": chair.bot is not None or number in situation.present,
    }


def _result(situation: Situation, seat: int) -> Message | None:
    """Return what came of the round, once it is over."""
    saved, played = situation.saved, situation.round
    if saved.phase not in ("over", "finished") or played is None:
        return None
    state = played.state
    return {
        "called": [f"P{caller + 1}" for caller in state.callers] or None,
        "how": state.end,
        "scores": _scores(saved.match),
        "finished": saved.phase == "finished",
        "winners": list(saved.match.winners),
        "replay": f"/replay/{saved.replay}",
        "photograph": f"/replay/{saved.replay}/photos",
        "next": f"/play/{saved.key(seat)}/next",
    }


def _scores(match: Match) -> list[Message]:
    """Return what every seat scored in the last round of a match."""
    tally, rules = match.rounds[-1], match.rules
    points = score_round(tally, rules).scores
    lines = []
    for deck in tally.decks:
        score, left = points[deck.name] or 0, deck.nerts_left or 0
        plain = deck.foundation * rules.card_points - left * rules.nerts_penalty
        counts = {"foundation": deck.foundation, "nerts_left": left, "bonus": score - plain}
        total = match.totals[deck.name]
        lines.append({"seat": deck.name, **counts, "score": score, "total": total})
    return lines
