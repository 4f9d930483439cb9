"""Progress on standard error: only for people (a terminal), and only for work longer than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from shoal.methods.base import Progress, silent

PATIENCE = 1.0


@contextmanager
def meter() -> Iterator[Progress]:
    """Yield a progress function that draws a bar once a second has passed; nothing where nobody watches."""
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
    began = time.monotonic()

    def show(share: float, doing: str) -> None:
        if not bars.live.is_started and time.monotonic() - began > PATIENCE:
            bars.start()
        bars.update(task, completed=share, description=doing)

    try:
        yield show
    finally:
        bars.stop()
