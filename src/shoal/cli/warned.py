"""Warnings on standard error, each read once: what a terminal has shown is not repeated in a summary on it."""

from __future__ import annotations

import sys

_SHOWN: set[str] = set()
"""What was warned of on a terminal."""


def warn_now(text: str) -> None:
    """Print a warning on standard error, as one line."""
    print(f"shoal: {text}", file=sys.stderr)
    if sys.stderr.isatty():
        _SHOWN.add(text)


def was_read(text: str) -> bool:
    """Whether the reader of standard output has read a warning already: both outputs go to the terminal."""
    return text in _SHOWN and sys.stdout.isatty()
