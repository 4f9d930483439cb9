"""Ctrl-C in a terminal: the first one asks the method for the best it has, the second one ends everything.

A program that is told to end (SIGTERM), or whose terminal is closed (SIGHUP), ends as if it had come to its end: its
temporary files are removed.
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
SIGNAL = 128
"""The exit code of a program that was told to end is this and the number of the signal: 143 for SIGTERM."""
ENDS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""The signals that tell a program to end; Windows has one of them."""


@contextmanager
def ending_tidily() -> Iterator[None]:
    """Guarantees that a signal to end, where nobody handles or ignores it, lets temporary files be removed first."""
    main = current_thread() is main_thread()
    taken = [one for one in ENDS if main and signal.getsignal(one) == signal.SIG_DFL]
    for one in taken:
        signal.signal(one, lambda number, frame: sys.exit(SIGNAL + number))
    try:
        yield
    finally:
        for one in taken:
            signal.signal(one, signal.SIG_DFL)


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
