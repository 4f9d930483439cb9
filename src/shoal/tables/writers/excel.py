"""Workbooks of Excel, with one sheet."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, cast

import polars as pl

from shoal.core.errors import TableError
from shoal.tables.labels import Labels
from shoal.tables.writers.base import LabelWriter, storable

ROWS = 2**20 - 1
"""Rows of a sheet below the names of its columns."""
SHEET = re.compile(r"(?!')[^\[\]:*?/\\]{1,31}(?<!')")
"""What a sheet may be called."""
CREATED = datetime(1970, 1, 1, tzinfo=UTC)


class Xlsx(LabelWriter):
    """Writes texts as texts: no cell is a formula. Nothing in the file says when."""

    name: ClassVar[str] = "xlsx"
    title: ClassVar[str] = "Excel"
    suffixes: ClassVar[tuple[str, ...]] = (".xlsx",)
    needs: ClassVar[str] = "xlsxwriter"
    extra: ClassVar[str] = "shoal[files]"

    def put(self, frame: pl.DataFrame, path: Path, labels: Labels) -> None:
        """Write a frame as the only sheet."""
        if frame.height > ROWS:
            raise TableError(f"a sheet holds {ROWS:,} rows, not {frame.height:,}", hint="name another --format")
        with self.module().Workbook(path) as book:
            book.set_properties({"created": CREATED})
            sheet = book.add_worksheet(labels.title if SHEET.fullmatch(labels.title) else None)
            for place, name in enumerate(labels.in_order(frame.columns)):
                sheet.write_string(0, place, name)
                _put_column(sheet, place, storable(frame[name]), book)


def _put_column(sheet: Any, place: int, column: pl.Series, book: Any) -> None:
    """Write the cells of a column; a missing value is an empty cell."""
    put = _writer(sheet, column.dtype, book)
    for row, cell in enumerate(column, 1):
        if cell is not None:
            put(row, place, cell)


def _writer(sheet: Any, kind: pl.DataType, book: Any) -> Callable[[int, int, Any], Any]:
    """Return what writes a cell of a type."""
    if kind.is_temporal():
        shown = book.add_format({"num_format": "yyyy-mm-dd" + ("" if kind == pl.Date else " hh:mm:ss")})
        return lambda row, place, cell: sheet.write_datetime(row, place, cell, shown)
    if kind.is_numeric():
        return lambda row, place, cell: sheet.write_number(row, place, _Exact(cell))
    return cast("Callable[[int, int, Any], Any]", sheet.write_string if kind == pl.String else sheet.write_boolean)


class _Exact(float):
    """A number that is written with all its digits, whatever number of them is asked for."""

    def __format__(self, spec: str) -> str:
        return repr(float(self))
