"""A progress bar for work that takes more than a moment."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

MOMENT = 1.0
"""Seconds that pass before a bar is shown."""


@contextmanager
def shown_progress(*, moment: float = MOMENT) -> Iterator[Callable[[str, float], None]]:
    """Give a function to be told the name of the stage and the share that is done, from 0 to 1.

    The bar appears on a terminal only, beside what is printed, and is gone at the end.
    """
    started = time.monotonic()
    bar: Progress | None = None

    def tell(stage: str, share: float) -> None:
        nonlocal bar
        if bar is None and sys.stderr.isatty() and time.monotonic() - started >= moment:
            bar = _new_bar()
            bar.start()
        if bar is not None:
            bar.update(bar.task_ids[0], description=stage, completed=share)

    try:
        yield tell
    finally:
        if bar is not None:
            bar.stop()


def _new_bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task("", total=1.0)
    return bar
