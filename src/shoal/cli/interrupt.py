"""Ctrl-C in a terminal: the first one asks the method for the best it has, the second one ends everything.

A program that is told to end (SIGTERM) ends as if it had come to its end, so that its temporary files are removed.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, current_thread, main_thread
from types import FrameType

INTERRUPTED = 130
"""The exit code that the command line library gives an interrupted program."""
TERMINATED = 143
"""The exit code of a program that was told to end: 128 and the number of the signal."""


@contextmanager
def ending_tidily() -> Iterator[None]:
    """Guarantees that SIGTERM, where nobody handles it, ends the work inside so that temporary files are removed."""
    if current_thread() is not main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(TERMINATED))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


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
