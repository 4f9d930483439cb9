"""CSV files, plain or gzip: a missing value is an empty cell, an empty string is `""`."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

import polars as pl

from shoal.tables.writers.base import SinkWriter, Writer


class Csv(SinkWriter):
    """Writes a header line with the names of the columns, then a line per person."""

    name: ClassVar[str] = "csv"
    title: ClassVar[str] = "CSV"
    suffixes: ClassVar[tuple[str, ...]] = (".csv",)

    def write(self, frame: pl.DataFrame, path: Path) -> None:
        """Write a frame."""
        frame.write_csv(path)

    def sink(self, rows: pl.LazyFrame, path: Path) -> None:
        """Write rows as they come."""
        rows.sink_csv(path)


class GzipCsv(Writer):
    """Writes the same, compressed; no time is in the file."""

    name: ClassVar[str] = "csv.gz"
    title: ClassVar[str] = "CSV (gzip)"
    suffixes: ClassVar[tuple[str, ...]] = (".csv.gz",)

    def write(self, frame: pl.DataFrame, path: Path) -> None:
        """Write a frame."""
        path.write_bytes(gzip.compress(frame.write_csv().encode(), mtime=0))

    def write_parts(self, parts: Iterable[pl.DataFrame], schema: pl.Schema, path: Path) -> None:
        """Write frames one below the other, each made when the one before is written."""
        with path.open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            for place, part in enumerate(parts):
                packed.write(part.write_csv(include_header=place == 0).encode())
