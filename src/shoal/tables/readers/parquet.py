"""Parquet files, and folders of them as Spark writes them."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import polars as pl

from shoal.tables.readers.base import ScanReader


class Parquet(ScanReader):
    """Reads a column when it is asked for."""

    name: ClassVar[str] = "parquet"
    title: ClassVar[str] = "Parquet"
    suffixes: ClassVar[tuple[str, ...]] = (".parquet",)
    folders: ClassVar[bool] = True

    def scan(self, files: list[Path]) -> pl.LazyFrame:
        """Return the rows of some files."""
        return pl.scan_parquet(files, glob=False)
