"""Arrow IPC files, which are also called Feather."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import polars as pl

from shoal.tables.writers.base import SinkWriter

OLDEST = pl.CompatLevel.oldest()
"""How the files are written: newer ways may write texts that no cell shows."""


class Arrow(SinkWriter):
    """Writes columns with their types."""

    name: ClassVar[str] = "arrow"
    title: ClassVar[str] = "Arrow"
    suffixes: ClassVar[tuple[str, ...]] = (".arrow", ".feather", ".ipc")

    def write(self, frame: pl.DataFrame, path: Path) -> None:
        """Write a frame."""
        frame.write_ipc(path, compat_level=OLDEST)

    def sink(self, rows: pl.LazyFrame, path: Path) -> None:
        """Write rows as they come."""
        rows.sink_ipc(path, compat_level=OLDEST)
