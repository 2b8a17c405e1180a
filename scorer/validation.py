"""The proof that the reader works: rounds of the software game, rendered, read, scored, and compared.

A round is *right* if the reader scores it like the game, *withheld* if it asks a person to look, and *wrong* if
it scores it differently without a word. The last must never happen.
"""

from __future__ import annotations

import dataclasses
import enum
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from scorer.counting import Count, KnownFacts, count_round
from scorer.errors import ScorerError
from scorer.evaluation import compare
from scorer.piles import Pile, PileCard
from scorer.placing import same_owners
from scorer.reading import PhotoReading, Reading
from scorer.scoring import score_round
from scorer.staging import PlayedRound, StagedRound, write_round
from scorer.truth import rendered_truth

ReadBytes = Callable[[Sequence[bytes]], Reading]


class Outcome(enum.Enum):
    """What became of a round."""

    RIGHT = "right"
    WITHHELD = "withheld"
    """Something was misread, and the reader asks for a look."""
    NEEDLESS = "withheld needlessly"
    """Every card and owner was read right, and still the reader asks for a look."""
    WRONG = "silently wrong"


@dataclass(frozen=True, slots=True)
class Checked:
    """One round, read and compared."""

    name: str
    outcome: Outcome
    cards: int
    cards_wrong: int
    """Faces that were misread, missed, or invented."""
    owners_wrong: int
    """Backs that were missed or given to another deck."""
    piles_wrong: int
    """Piles of the round that differ from those on the table in any card or owner."""
    seconds: float
    faults: tuple[str, ...]
    """Names of the faults because of which the score was withheld."""
    reading: Reading

    def to_json(self) -> dict[str, object]:
        """Return what `json.dumps` takes."""
        skipped = {"reading"}
        data = {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if f.name not in skipped}
        return data | {"outcome": self.outcome.value, "faults": list(self.faults)}


def check(staged: StagedRound, read: ReadBytes) -> Checked:
    """Read the photos of a round, score it, and compare the score with the game's own."""
    played = staged.played
    try:
        reading = read(staged.photos)
    except ScorerError as error:
        return _refused(staged, str(error))
    names = same_owners(staged.truth.photos[1].cards, reading.photos[1].cards)
    reading = renamed(reading, names)
    count = count_round(reading, _facts(played), played.rules)
    rows = [
        compare(rendered_truth(photo), seen)
        for photo, seen in zip(staged.truth.photos, reading.photos, strict=True)
    ]
    piles_wrong = _differences(played.piles, reading.piles)
    doubts = [*count.faults, *(fault for _, fault in count.photo_faults)]
    backs = staged.truth.photos[1].cards
    return Checked(
        played.name,
        _outcome(played, count, piles_wrong),
        sum(len(pile) for pile in played.piles),
        sum(max(row.missed, row.wrong) for row in rows),
        len(backs) - rows[1].owners_right + max(0, rows[1].backs_reported - len(backs)),
        piles_wrong,
        sum(photo.seconds for photo in reading.photos),
        tuple(sorted({fault.name.name or "" for fault in doubts if fault.is_doubt})),
        reading,
    )


def _refused(staged: StagedRound, sentence: str) -> Checked:
    played = staged.played
    cards = sum(len(pile) for pile in played.piles)
    photos = tuple(PhotoReading(file, 0, 0) for file in staged.files)
    return Checked(
        played.name,
        Outcome.WITHHELD,
        cards,
        cards,
        cards,
        len(played.piles),
        0.0,
        (sentence,),
        Reading(photos),
    )


def _facts(played: PlayedRound) -> KnownFacts:
    """What the players would tell besides the photos."""
    decks = played.tally.decks
    left = {deck.back: deck.nerts_left for deck in decks if deck.nerts_left is not None}
    return KnownFacts(tuple(deck.back for deck in decks), left, tuple(d.back for d in decks if d.called))


def renamed(reading: Reading, names: Mapping[str, str]) -> Reading:
    """Return a reading in which the decks have other names."""

    def back(name: str | None) -> str | None:
        return None if name is None else names.get(name, name)

    photos = tuple(
        dataclasses.replace(
            photo, cards=tuple(dataclasses.replace(card, back=back(card.back)) for card in photo.cards)
        )
        for photo in reading.photos
    )
    piles = tuple(
        dataclasses.replace(
            pile, cards=tuple(dataclasses.replace(card, back=back(card.back)) for card in pile)
        )
        for pile in reading.piles
    )
    return dataclasses.replace(reading, photos=photos, piles=piles)


def _outcome(played: PlayedRound, count: Count, piles_wrong: int) -> Outcome:
    if not count.is_scored:
        return Outcome.WITHHELD if piles_wrong else Outcome.NEEDLESS
    scores = dict(zip((deck.back for deck in count.tally.decks), count.scores, strict=True))
    own = score_round(played.tally, played.rules)
    true = {deck.back: score.score for deck, score in zip(played.tally.decks, own.decks, strict=True)}
    # A deck without a card on the table is not in the photos; its score does not depend on them.
    out = {deck.back for deck in played.tally.decks if deck.foundation}
    agrees = set(scores) <= set(true) and all(scores.get(name) == true[name] for name in out)
    return Outcome.RIGHT if agrees else Outcome.WRONG


def _differences(true: Iterable[Pile], read: Iterable[Pile]) -> int:
    """Count the piles that are on the table but were not read so, or the other way round, whichever is more."""
    wanted, found = (Counter(tuple(map(_told, pile)) for pile in piles) for piles in (true, read))
    return max((wanted - found).total(), (found - wanted).total())


def _told(card: PileCard) -> tuple[str, str | None]:
    return str(card.face), card.back


@dataclass(frozen=True, slots=True)
class Verdict:
    """All rounds together."""

    rounds: int
    outcomes: Mapping[str, int]
    cards: int
    cards_wrong: int
    owners_wrong: int
    reasons: Mapping[str, int]
    """How many rounds were withheld because of each fault."""
    seconds: float
    """Mean time to read a round."""

    @classmethod
    def of(cls, rounds: Sequence[Checked]) -> Self:
        """Sum up."""
        outcomes = Counter(one.outcome for one in rounds)
        withheld = [one for one in rounds if one.outcome in (Outcome.WITHHELD, Outcome.NEEDLESS)]
        reasons = Counter(name for one in withheld for name in one.faults)
        return cls(
            len(rounds),
            {outcome.value: outcomes[outcome] for outcome in Outcome},
            sum(one.cards for one in rounds),
            sum(one.cards_wrong for one in rounds),
            sum(one.owners_wrong for one in rounds),
            dict(reasons.most_common()),
            round(sum(one.seconds for one in rounds) / len(rounds), 3) if rounds else 0.0,
        )

    @property
    def is_silent(self) -> bool:
        """Whether any round was wrong and nothing told."""
        return bool(self.outcomes[Outcome.WRONG.value])

    def to_json(self) -> dict[str, object]:
        """Return what `json.dumps` takes."""
        return dataclasses.asdict(self)


def worst(rounds: Sequence[Checked], most: int) -> Iterator[Checked]:
    """Yield the rounds that are worth looking at: silently wrong ones first, then those with most mistakes."""
    order = [Outcome.WRONG, Outcome.WITHHELD, Outcome.NEEDLESS]
    bad = [one for one in rounds if one.outcome in order]
    yield from sorted(bad, key=lambda one: (order.index(one.outcome), -one.cards_wrong))[:most]


def keep_round(folder: Path, staged: StagedRound, checked: Checked) -> None:
    """Write a round with its photos, the truth, the reading, and the photos with what was read.

    Raises:
        StoreError: the folder cannot be written.
    """
    from scorer.vision.overlay import write_annotated

    home = folder / f"{checked.name}-{checked.outcome.name.lower()}"
    write_round(home, staged)
    paths = [home / file for file in staged.files]
    write_annotated(home / "read", paths, checked.reading)
    text = json.dumps(checked.reading.to_json(), ensure_ascii=False)
    (home / "read" / "reading.json").write_text(text + "\n", "utf-8")
