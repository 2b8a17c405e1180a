"""The review of a reading: what the machine said, folded with the corrections people made.

A correction is plain JSON with a kind; `reviewed` applies them in order to what the machine said, so that
the last one can always be taken back, and both the machine's and the people's version are kept.
"""

from webapp.review.doubts import Doubt, doubts
from webapp.review.model import Review, ReviewCard, ReviewPile, Spot, from_reading
from webapp.review.steps import STEPS, apply, reviewed
from webapp.review.totals import (
    Missing,
    confirmed_reading,
    entries,
    missing,
    tally_of_review,
    typed_since,
)

__all__ = [
    "STEPS",
    "Doubt",
    "Missing",
    "Review",
    "ReviewCard",
    "ReviewPile",
    "Spot",
    "apply",
    "confirmed_reading",
    "doubts",
    "entries",
    "from_reading",
    "missing",
    "reviewed",
    "tally_of_review",
    "typed_since",
]
