"""Ctrl-C in a terminal: the first one asks the method for the best it has, the second one ends everything."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType


@contextmanager
def best_so_far() -> Iterator[Event]:
    """Yield an event that the first Ctrl-C sets, where a person can be asked; elsewhere Ctrl-C ends the run at once."""
    stop = Event()
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        yield stop
        return

    def stopped(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        print("\nshoal: stopping; press Ctrl-C again to quit at once", file=sys.stderr)

    before = signal.signal(signal.SIGINT, stopped)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
