"""How long reading takes: each stage, as a ratio to decoding the same photo in the same run, and in seconds.

Seconds depend on the machine and on what else it does; ratios can be compared.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from scorer.reading import Reading

ReadPhotos = Callable[[Sequence[Path]], Reading]


@dataclass(frozen=True, slots=True)
class Timing:
    """How long one photo takes, in seconds."""

    file: str
    megapixels: float
    cards: int
    decode: float
    """Median time from the file to pixels."""
    first: float
    """The whole reading, the first time: the networks are loaded."""
    warm: float
    """Median of the whole reading, from then on."""
    cold_start: float | None
    """From starting `nerts read` to its end; None where that was not measured."""
    memory: float
    """Largest resident memory of this process so far, in MB."""

    @property
    def ratio(self) -> float:
        """How many times as long as decoding the whole reading takes."""
        return self.warm / self.decode

    def to_json(self) -> dict[str, object]:
        """Return what `json.dumps` takes."""
        rounded = {
            key: round(value, 4) if isinstance(value, float) else value for key, value in asdict(self).items()
        }
        return rounded | {"ratio": round(self.ratio, 2)}


def measure(path: Path, read: ReadPhotos, *, repeat: int = 5, cold: bool = True) -> Timing:
    """Read a photo several times.

    Raises:
        PhotoError: it cannot be read.
    """
    from scorer.vision.photo import load

    photo = load(path)
    started = time.perf_counter()
    reading = read([path])
    first = time.perf_counter() - started
    # Decoding and reading take turns, so that other work on the machine slows both alike.
    decode, warm = [], []
    for _ in range(repeat):
        decode.append(_seconds(lambda: load(path)))
        warm.append(_seconds(lambda: read([path])))
    return Timing(
        str(path),
        round(photo.width * photo.height / 1e6, 1),
        len(reading.photos[0].cards),
        statistics.median(decode),
        first,
        statistics.median(warm),
        _cold_start(path) if cold else None,
        peak_memory(),
    )


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _cold_start(path: Path) -> float:
    command = [sys.executable, "-m", "scorer.cli", "read", str(path), "--json"]
    return _seconds(lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))


def peak_memory() -> float:
    """Return the largest resident memory of this process so far, in MB; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0.0
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (2**20 if sys.platform == "darwin" else 2**10)
