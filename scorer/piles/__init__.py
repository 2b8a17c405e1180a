"""Foundation piles: their notation, what is wrong with them, and the likeliest legal reading.

A foundation starts with an ace and goes up by one in one suit, to the king at most. The only exceptions are
a clear tie (one rank twice, from two owners) and a joker declared to stand for a card.
"""

from scorer.piles.decoding import STRONG, WEAK_MARGIN, Decoded, likeliest_pile
from scorer.piles.faults import INFORMATION, NO_FAULTS, WORDINGS, Fault, Faults, sentence
from scorer.piles.foundation import check_pile, foundation_up_to_top
from scorer.piles.pile import Pile, PileCard
from scorer.piles.table import TableFacts, check_round, check_table

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
    "TableFacts",
    "check_pile",
    "check_round",
    "check_table",
    "foundation_up_to_top",
    "likeliest_pile",
    "sentence",
]
