"""Writing tables: CSV, gzipped or not, Parquet, Arrow. A large table is written some rows at a time."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

import polars as pl
from polars.io.plugins import register_io_source

from shoal.core.arrays import Ints
from shoal.core.errors import TableError
from shoal.tables.columns import ARROW
from shoal.tables.table import Table

PART = 250_000
"""So many rows are made and written at a time."""
OLDEST = pl.CompatLevel.oldest()
"""How Arrow files are written: newer ways may write texts that no cell shows."""

Change: TypeAlias = Callable[[pl.DataFrame], pl.DataFrame]
"""What is done to rows before they are written."""


def write(frame: pl.DataFrame, path: Path) -> None:
    """Write a frame as the suffix says; in CSV a missing value is an empty cell, an empty string is `""`."""
    suffix = _suffix(path)
    if suffix.endswith(".parquet"):
        frame.write_parquet(path)
    elif suffix.endswith(".csv"):
        frame.write_csv(path)
    elif suffix.endswith(".csv.gz"):
        path.write_bytes(gzip.compress(frame.write_csv().encode(), mtime=0))
    else:
        frame.write_ipc(path, compat_level=OLDEST)


def write_rows(table: Table, path: Path, order: Ints, change: Change = lambda rows: rows) -> None:
    """Write the rows of a table in an order, changed, a part at a time: never are all of them texts at once."""
    parts = [slice(begin, begin + PART) for begin in range(0, len(order), PART)] or [slice(0)]
    if len(parts) == 1:
        write(change(table.part(order)), path)
    else:
        schema = change(table.part(order[:1])).schema
        write_parts((change(table.part(order[part])) for part in parts), schema, path)


def write_parts(parts: Iterable[pl.DataFrame], schema: pl.Schema, path: Path) -> None:
    """Write frames one below the other, each made when the one before is written."""
    suffix = _suffix(path)
    if suffix.endswith(".csv.gz"):
        with path.open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            for place, part in enumerate(parts):
                packed.write(part.write_csv(include_header=place == 0).encode())
        return
    rows = _lazy(parts, schema)
    try:
        if suffix.endswith(".parquet"):
            rows.sink_parquet(path)
        elif suffix.endswith(".csv"):
            rows.sink_csv(path)
        else:
            rows.sink_ipc(path, compat_level=OLDEST)
    except pl.exceptions.PolarsError as error:  # whatever kept the disk from taking it
        raise OSError(f"{path.name!r} could not be written ({type(error).__name__})") from None


def _lazy(parts: Iterable[pl.DataFrame], schema: pl.Schema) -> pl.LazyFrame:
    """Return parts as a frame that polars asks for them one by one."""

    def source(
        columns: list[str] | None, predicate: pl.Expr | None, rows: int | None, size: int | None
    ) -> Iterator[pl.DataFrame]:
        yield from parts

    return register_io_source(source, schema=schema)


def _suffix(path: Path) -> str:
    suffix = "".join(path.suffixes).lower()
    if not suffix.endswith((".parquet", ".csv", ".csv.gz", *ARROW)):
        raise TableError(
            f"cannot write {path.name!r}", expected="a name that ends in .csv, .csv.gz, .parquet or .arrow"
        )
    return suffix
