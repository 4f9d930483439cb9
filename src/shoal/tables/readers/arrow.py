"""Arrow IPC files, which are also called Feather."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import ClassVar

import polars as pl

from shoal.core.errors import failing_as
from shoal.tables.arrow_buffers import check_buffers
from shoal.tables.readers.base import ScanReader
from shoal.tables.signatures import unreadable


class Arrow(ScanReader):
    """Reads a column when it is asked for."""

    name: ClassVar[str] = "arrow"
    title: ClassVar[str] = "Arrow"
    suffixes: ClassVar[tuple[str, ...]] = (".arrow", ".feather", ".ipc")

    def scan(self, files: list[Path]) -> pl.LazyFrame:
        """Return the rows of some files, whose packed buffers are looked at first."""
        for file in files:
            with failing_as(partial(unreadable, file, self.title)):
                check_buffers(file)
        return pl.scan_ipc(files, glob=False)
