"""Arrow IPC files, which are also called Feather."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import polars as pl

from shoal.tables.readers.base import ScanReader


class Arrow(ScanReader):
    """Reads a column when it is asked for."""

    name: ClassVar[str] = "arrow"
    title: ClassVar[str] = "Arrow"
    suffixes: ClassVar[tuple[str, ...]] = (".arrow", ".feather", ".ipc")

    def scan(self, files: list[Path]) -> pl.LazyFrame:
        """Return the rows of some files."""
        return pl.scan_ipc(files, glob=False)
