"""The clock that time limits go by: seconds of work, without those in which loops are compiled.

Loops are compiled once, at their first use on a machine. Those seconds say nothing of a table or a method, and they
cannot be cut short, so a time limit does not count them; they are stated beside it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field


@dataclass
class Compiling:
    """How long loops were compiled so far in this process; `start` and `end` may be nested."""

    seconds: float = 0.0
    depth: int = 0
    since: float = 0.0

    def start(self) -> None:
        """Take note that compiling begins."""
        if self.depth == 0:
            self.since = time.monotonic()
        self.depth += 1

    def end(self) -> None:
        """Take note that it ended."""
        self.depth -= 1
        if self.depth == 0:
            self.seconds += time.monotonic() - self.since

    def so_far(self, now: float) -> float:
        """Return the seconds until `now`, those of a compilation that goes on included."""
        return self.seconds + (now - self.since if self.depth else 0.0)


COMPILING = Compiling()
"""What the compiler reports to (`shoal.core.numba_setup`)."""


def working_seconds() -> float:
    """Return the time of a clock that stands still while loops are compiled."""
    now = time.monotonic()
    return now - COMPILING.so_far(now)


def compiling_seconds() -> float:
    """Return for how many seconds this process has compiled loops."""
    return COMPILING.so_far(time.monotonic())


@dataclass
class Stopwatch:
    """Takes the seconds of the parts of a run; those of compiling are a part of their own, `compile`.

    >>> watch = Stopwatch()
    >>> watch.lap("search")
    >>> sorted(watch.seconds)
    ['compile', 'search']
    """

    seconds: dict[str, float] = field(default_factory=dict)
    last: float = field(default_factory=working_seconds)
    compiled: float = field(default_factory=compiling_seconds)

    def lap(self, part: str) -> None:
        """Say which part has just ended."""
        now = working_seconds()
        self.seconds |= {part: now - self.last, "compile": compiling_seconds() - self.compiled}
        self.last = now
