"""Writing tables as the suffix of a file says (`writers/`). A large table is written some rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

import polars as pl

from shoal.core.arrays import Ints
from shoal.tables.labels import Labels
from shoal.tables.table import Table
from shoal.tables.writers.base import LabelWriter, writer_of

PART = 250_000
"""So many rows are made and written at a time."""

Change: TypeAlias = Callable[[pl.DataFrame], pl.DataFrame]
"""What is done to rows before they are written."""


def write(frame: pl.DataFrame, path: Path) -> None:
    """Write a frame."""
    writer_of(path).write(frame, path)


def write_rows(
    table: Table, path: Path, order: Ints, change: Change = lambda rows: rows, labels: Labels | None = None
) -> None:
    """Write the rows of a table in an order, changed, a part at a time: never are all of them texts at once.

    A format that has labels is written all at once, with those of the original.
    """
    writer = writer_of(path)
    if isinstance(writer, LabelWriter):
        writer.write_labelled(change(table.part(order)), path, labels or Labels())
        return
    parts = [slice(begin, begin + PART) for begin in range(0, len(order), PART)] or [slice(0)]
    if len(parts) == 1:
        write(change(table.part(order)), path)
    else:
        schema = change(table.part(order[:1])).schema
        write_parts((change(table.part(order[part])) for part in parts), schema, path)


def write_parts(parts: Iterable[pl.DataFrame], schema: pl.Schema, path: Path) -> None:
    """Write frames one below the other, each made when the one before is written."""
    writer_of(path).write_parts(parts, schema, path)
