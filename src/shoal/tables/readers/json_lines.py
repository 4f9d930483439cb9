"""JSON lines: an object per person, one on each line."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import polars as pl

from shoal.tables.column_types import tidy_column
from shoal.tables.readers.base import ScanReader
from shoal.tables.spelling import infer_dates


class JsonLines(ScanReader):
    """Reads `{"age": 30, "town": "Oslo"}`; a key that is null, or not there, is missing."""

    name: ClassVar[str] = "json-lines"
    title: ClassVar[str] = "JSON lines"
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson")
    typed: ClassVar[bool] = False
    release_format: ClassVar[str] = "jsonl"

    def scan(self, files: list[Path]) -> pl.LazyFrame:
        """Return the rows of some files; all lines say which types the columns have."""
        return pl.scan_ndjson(files, infer_schema_length=None)

    def column(self, column: pl.Series) -> pl.Series:
        """Return a column; texts that are all dates are dates, which JSON has no form for."""
        return tidy_column(infer_dates(column))
