"""Every exception the companion raises on purpose; a message is one sentence: what is wrong, what to do.

::

    ScorerError
    ├── NotationError (also a ValueError)  text or JSON that is not what it should be
    ├── RulesError (also a ValueError)     house rules that cannot be played, or an unknown preset
    ├── PhotoError                         a photo that cannot be read at all
    ├── ModelError                         a model file missing or altered
    ├── IllegalMove                        a move the rules of the software game refuse
    ├── RecordError                        the record of a game is damaged or too new
    └── StoreError                         the data folder or database cannot be used

An impossible pile is no exception: it is an everyday result, and comes back as `scorer.piles.Fault`.
"""


class ScorerError(Exception):
    """Base of all errors of this package."""


class NotationError(ScorerError, ValueError):
    """Text or JSON does not follow the notation it should."""


class RulesError(ScorerError, ValueError):
    """A set of house rules cannot be played, or a preset is unknown."""


class PhotoError(ScorerError):
    """A photo cannot be read at all: not an image, damaged, too large or too small."""


class ModelError(ScorerError):
    """A model is missing, altered or not the one its manifest describes."""


class IllegalMove(ScorerError):
    """A move is refused; the message names the rule it breaks."""


class RecordError(ScorerError):
    """The record of a game is damaged or was written by a newer version."""


class StoreError(ScorerError):
    """The data folder or the database cannot be used."""
