"""Progress in a notebook: a bar under the cell, for work longer than a second, that goes when the work is done."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from shoal.core.markup import Markup, tag
from shoal.methods.base import Progress, Standing, silent

PATIENCE, PAUSE = 1.0, 0.2
"""Seconds before the bar is shown, and between two changes of it."""


@contextmanager
def watched(progress: Progress | None) -> Iterator[Progress]:
    """Yield the progress function that was given; without one, a bar in a notebook, and nothing elsewhere."""
    display = None if progress is not None else _display()
    if display is None:
        yield progress or silent
        return
    meter = Meter(display)
    try:
        yield meter.show
    finally:
        meter.close()


class Meter:
    """A bar in the output of a cell; `display` is that of IPython."""

    def __init__(self, display: Any) -> None:
        self.display, self.standing = display, Standing()
        self.handle: Any = None
        self.next = time.monotonic() + PATIENCE

    def show(self, share: float, doing: str) -> None:
        """Draw the bar, if enough time has passed."""
        self.standing.note(doing)
        if time.monotonic() < self.next:
            return
        self.next = time.monotonic() + PAUSE
        self._put(drawn(share, f"{doing}: {self.standing.said}" if self.standing.said else doing))

    def close(self) -> None:
        """Take the bar away."""
        if self.handle is not None:
            self._put(Markup())

    def _put(self, html: Markup) -> None:
        data = {"text/html": str(html), "text/plain": ""}
        if self.handle is None:
            self.handle = self.display(data, raw=True, display_id=True)
        else:
            self.handle.update(data, raw=True)


def drawn(share: float, said: str) -> Markup:
    """Return a bar with what is being done.

    >>> drawn(0.5, "peeling")
    '<p><progress value="0.5" max="1"></progress> peeling</p>'
    """
    return tag("p", tag("progress", value=f"{share:.3g}", max=1), f" {said}")


def _display() -> Any:
    """Return what shows things under a cell; None outside a notebook. Nothing is imported that is not there already."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    is_notebook = shell is not None and hasattr(shell, "kernel")
    return getattr(sys.modules.get("IPython.display"), "display", None) if is_notebook else None
