"""Progress on standard error: only for people (a terminal), and only for work longer than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from shoal.methods.base import Progress, Standing, silent

PATIENCE = 1.0


@contextmanager
def meter() -> Iterator[Progress]:
    """Yield a progress function that draws a bar once a second has passed; nothing where nobody watches.

    The line says what is done, and cost, bound and gap of the best so far.
    """
    if not sys.stderr.isatty():
        yield silent
        return
    bars = Bars(
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bars.add_task("starting", total=1.0)
    began, standing = time.monotonic(), Standing()

    def show(share: float, doing: str) -> None:
        if not bars.live.is_started and time.monotonic() - began > PATIENCE:
            bars.start()
        standing.note(doing)
        bars.update(task, completed=share, description=f"{doing}: {standing.said}" if standing.said else doing)

    try:
        yield show
    finally:
        bars.stop()
