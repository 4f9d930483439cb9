"""Parquet files, and folders of them as Spark writes them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import ClassVar

import polars as pl

from shoal.core.errors import failing_as
from shoal.tables.parquet_pages import check_pages
from shoal.tables.readers.base import ScanReader
from shoal.tables.signatures import unreadable


class Parquet(ScanReader):
    """Reads a column when it is asked for."""

    name: ClassVar[str] = "parquet"
    title: ClassVar[str] = "Parquet"
    suffixes: ClassVar[tuple[str, ...]] = (".parquet",)
    folders: ClassVar[bool] = True

    def scan(self, files: list[Path]) -> pl.LazyFrame:
        """Return the rows of some files, whose pages are looked at first."""
        for file in files:
            with failing_as(partial(unreadable, file, self.title)):
                check_pages(file)
        return pl.scan_parquet(files, glob=False)
