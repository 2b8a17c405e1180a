"""House rules, the score of a round, and the match."""

from scorer.scoring.match import Match, Standing
from scorer.scoring.rounds import DeckScore, DeckTally, RoundScore, Tally, check_tally, score_round, tally
from scorer.scoring.rules import CHOICES, LIMITS, MAX_PLAYERS, MIN_PLAYERS, OPTIONAL, PRESETS, Rules, preset

__all__ = [
    "CHOICES",
    "LIMITS",
    "MAX_PLAYERS",
    "MIN_PLAYERS",
    "OPTIONAL",
    "PRESETS",
    "DeckScore",
    "DeckTally",
    "Match",
    "RoundScore",
    "Rules",
    "Standing",
    "Tally",
    "check_tally",
    "preset",
    "score_round",
    "tally",
]
