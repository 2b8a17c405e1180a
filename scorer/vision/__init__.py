"""The reader: from photos to a `Reading`. `read` is the whole pipeline; the stages are the modules beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from scorer.reading import Reading
from scorer.scoring import Rules
from scorer.vision.clutter import clutter, without
from scorer.vision.decks import EMPTY, DeckBook
from scorer.vision.looking import Compared, Seen, compared, edges_known, look, photo_readings
from scorer.vision.owners import Owners, name_owners
from scorer.vision.photo import Photo, load
from scorer.vision.recutting import with_new_cuts
from scorer.vision.rounds import join_round
from scorer.vision.second_look import equal_faces, looked_again

__all__ = ["Progress", "Seen", "look", "look_at_all", "read"]

Progress = Callable[[str, float], None]
"""Called with what is being done and the share of all work that is done."""


def read(
    photos: Sequence[Path | bytes],
    *,
    decks: DeckBook | None = None,
    rules: Rules | None = None,
    owners: int | None = None,
    progress: Progress | None = None,
) -> Reading:
    """Read the photos of one round.

    Args:
        photos: files or their bytes: faces and backs, in any mixture and order.
        decks: backs taught before.
        rules: of the match; says whether jokers are played.
        owners: number of decks on the table, if known.
        progress: told how far the reading is.

    Raises:
        PhotoError: a photo cannot be decoded.
        ModelError: a network is missing or altered.
    """
    tell = progress or (lambda _stage, _share: None)
    seen = []
    for number, source in enumerate(photos):
        tell(f"Reading photo {number + 1} of {len(photos)}", number / max(1, len(photos)))
        seen.append(look(load(source)))
    tell("Telling the decks apart", 0.95)
    jokers = rules.jokers if rules else 0
    seen = _looked_again(seen, decks or EMPTY, owners, jokers)
    backs = compared(seen)
    reading = _named(seen, backs, decks or EMPTY, owners, jokers)
    tell("Done", 1.0)
    return reading


def look_at_all(photos: Sequence[Photo], *, decks: int | None = None) -> list[Seen]:
    """What the photos of a round show once the backs were looked at again; `decks` on the table, if known."""
    return _looked_again([look(photo) for photo in photos], EMPTY, decks, 0)


def _looked_again(seen: Sequence[Seen], decks: DeckBook, owners: int | None, jokers: int) -> list[Seen]:
    first = _at_first_sight(seen, decks, owners, jokers)
    return looked_again(seen, first) if first.pairing else list(seen)


def _at_first_sight(seen: Sequence[Seen], decks: DeckBook, owners: int | None, jokers: int) -> Reading:
    """The piles and their pairing, before the backs are looked at again.

    Only where several photos show backs do the decks matter to it: they tell which photos show the same piles.
    """
    if sum(bool(photo.backs.strips) for photo in seen) > 1:
        return _joined(seen, compared(seen), decks, owners, jokers)
    nobody = Owners.untold(sum(len(part) for photo in seen for part in photo.backs.strips))
    return join_round(photo_readings(seen, nobody), jokers=jokers)


def _named(
    seen: Sequence[Seen], backs: Compared, decks: DeckBook, owners: int | None, jokers: int
) -> Reading:
    """The piles with their owners; what lies among the backs and is no card is left out, and equal faces are of two decks."""
    reading = _joined(seen, backs, decks, owners, jokers)
    if not reading.pairing:
        return reading
    none = clutter(seen, reading, backs.odds, owners)
    if none.any():
        seen, backs = without(seen, none), backs.only(~none)
        reading = _joined(seen, backs, decks, owners, jokers)
    named = _owners(seen, backs, decks, owners, equal_faces(seen, reading))
    named = with_new_cuts(seen, named, edges_known(seen).told, owners)
    return _joined_as(seen, named, owners, jokers)


def _joined(
    seen: Sequence[Seen],
    backs: Compared,
    decks: DeckBook,
    owners: int | None,
    jokers: int,
) -> Reading:
    return _joined_as(seen, _owners(seen, backs, decks, owners), owners, jokers)


def _owners(
    seen: Sequence[Seen],
    backs: Compared,
    decks: DeckBook,
    owners: int | None,
    equal: Sequence[tuple[int, int]] = (),
) -> Owners:
    return name_owners(backs.odds, backs.embeddings, decks, owners, equal, edges_known(seen), backs.prints)


def _joined_as(seen: Sequence[Seen], named: Owners, owners: int | None, jokers: int) -> Reading:
    return join_round(
        photo_readings(seen, named), jokers=jokers, decks=owners, decks_are_clear=named.is_clear
    )
