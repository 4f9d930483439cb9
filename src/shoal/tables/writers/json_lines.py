"""JSON lines: an object per person, one on each line."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import polars as pl

from shoal.tables.column_types import MOMENT
from shoal.tables.writers.base import SinkWriter


class JsonLines(SinkWriter):
    """Writes a missing value as null, and dates as texts."""

    name: ClassVar[str] = "jsonl"
    title: ClassVar[str] = "JSON lines"
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson")

    def write(self, frame: pl.DataFrame, path: Path) -> None:
        """Write a frame."""
        frame.with_columns(_moments(frame.schema)).write_ndjson(path)

    def sink(self, rows: pl.LazyFrame, path: Path) -> None:
        """Write rows as they come."""
        rows.with_columns(_moments(rows.collect_schema())).sink_ndjson(path)


def _moments(schema: pl.Schema) -> list[pl.Expr]:
    """Return the columns of dates with times as texts, which JSON has no form for."""
    kinds = {name: kind for name, kind in schema.items() if isinstance(kind, pl.Datetime)}
    return [pl.col(name).dt.strftime(MOMENT + ("%z" if kind.time_zone else "")) for name, kind in kinds.items()]
