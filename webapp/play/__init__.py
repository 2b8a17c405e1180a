"""The software game on the pages: tables that are played on live, and the records of their rounds.

Here are the threads, the clock and the files; the game itself is `scorer.game`.
"""

from webapp.play.hall import Hall
from webapp.play.library import Library

__all__ = ["Hall", "Library"]
