"""Parquet files."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import polars as pl

from shoal.tables.writers.base import SinkWriter


class Parquet(SinkWriter):
    """Writes columns with their types."""

    name: ClassVar[str] = "parquet"
    title: ClassVar[str] = "Parquet"
    suffixes: ClassVar[tuple[str, ...]] = (".parquet",)

    def write(self, frame: pl.DataFrame, path: Path) -> None:
        """Write a frame."""
        frame.write_parquet(path)

    def sink(self, rows: pl.LazyFrame, path: Path) -> None:
        """Write rows as they come."""
        rows.sink_parquet(path)
