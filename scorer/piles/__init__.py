"""Foundation piles: their notation, what is wrong with them, and the likeliest legal reading.

A foundation starts with an ace and goes up by one in one suit, to the king at most. The only exceptions are
a clear tie (one rank twice, from two owners) and a joker declared to stand for a card.
"""

from scorer.piles.decoding import (
    STRONG,
    WEAK_MARGIN,
    Decoded,
    likeliest_pile,
)
from scorer.piles.faults import INFORMATION, NO_FAULTS, WORDINGS, Fault, Faults, sentence
from scorer.piles.pile import Pile, PileCard

__all__ = [
    "INFORMATION",
    "NO_FAULTS",
    "STRONG",
    "WEAK_MARGIN",
    "WORDINGS",
    "Decoded",
    "Fault",
    "Faults",
    "Pile",
    "PileCard",
    "likeliest_pile",
    "sentence",
]
