"""Workbooks: Excel, old and new, and OpenDocument. A sheet is a table, and one of its rows names the columns."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import time
from logging import NullHandler, getLogger
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from shoal.core.errors import ParameterError, TableError, failing_as
from shoal.core.number_format import counted
from shoal.tables.column_types import as_whole, check_names, tidy
from shoal.tables.columns import Columns, Held
from shoal.tables.labels import Labels, Variable
from shoal.tables.readers.base import Contents, Origin, Reader, ReadOptions, other_format
from shoal.tables.signatures import OLE, unreadable
from shoal.tables.spelling import spelling_notes
from shoal.tables.workbooks import Sheet, check_password, check_unpacked

try:
    import resource as limits
except ImportError:  # Windows
    limits = None  # type: ignore[assignment]

getLogger("fastexcel").addHandler(NullHandler())  # what it guesses of empty columns is no news
MEMORY = 4 * 2**30
"""Bytes that reading a workbook of Excel 97 to 2003 may take, with the libraries: 65,536 rows of 256 columns fit."""
TRIED = "import sys; sys.path[:] = {path!r}; from shoal.tables.readers.excel import try_old; try_old(*sys.argv[1:])"
NUMBER = r"^\s*[+-]?\d+(?:\.\d+)?\s*$"


class Excel(Reader):
    """Reads the values that cells show; numbers that are all whole are whole numbers, moments at midnight are dates."""

    name: ClassVar[str] = "excel"
    title: ClassVar[str] = "Excel"
    suffixes: ClassVar[tuple[str, ...]] = (".xlsx", ".xlsm", ".xls", ".ods")
    needs: ClassVar[str] = "fastexcel"
    extra: ClassVar[str] = "shoal[files]"
    options: ClassVar[tuple[str, ...]] = ("sheet", "header_row")
    typed: ClassVar[bool] = False

    def read(self, path: Path, options: ReadOptions) -> Contents:
        """Return the columns of a sheet."""
        frame, sheet, told = self._sheet(path, options)
        format = "ods" if path.suffix.lower() == ".ods" else "xlsx"
        told = (*told, *other_format(path, format))
        check_one_header(frame, sheet.name)
        whole, frame = frame, frame.filter(~pl.all_horizontal(pl.all().is_null()))
        if frame.height < whole.height:
            told = (*told, f"{path.name}: {counted(whole.height - frame.height, 'row')} without any value left out")
        columns = Held(tidy(frame), spelling_notes(frame.iter_columns()))
        variables = dict.fromkeys(frame.columns, Variable())
        return Contents(columns, origin=Origin(format, Labels(variables, sheet.name), told=told))

    def as_written(self, path: Path) -> Columns:
        """Return the cells of a published table."""
        return Held(self._sheet(path, ReadOptions())[0])

    def _sheet(self, path: Path, options: ReadOptions) -> tuple[pl.DataFrame, Sheet, tuple[str, ...]]:
        """Return the cells of a sheet, what else it tells, and what to say of it."""
        row = _header_row(options.header_row)
        with failing_as(lambda: unreadable(path, self.title)):
            check_password(path)
            check_unpacked(path)
            check_old(path, options.sheet)
            book = self.module().read_excel(path)
        name, told = _chosen(book.sheet_names, options.sheet, path.name)
        with failing_as(lambda: unreadable(path, self.title)):
            sheet = Sheet.of(path, name)
        sheet.check(row)
        if sheet.formulas:
            said = f"{path.name}: of {sheet.formulas:,} formula cells the results are read that were last computed"
            told = (*told, said)
        with failing_as(lambda: unreadable(path, self.title)):
            return _cells(book, name, row), sheet, told


def check_old(path: Path, sheet: str | int | None) -> None:
    """Refuse a workbook of Excel 97 to 2003 that does not fit in memory, or breaks the library that reads it.

    A few bytes of it can ask for any amount of memory, and nobody can tell before they are read. So that is tried first
    in a process of its own, which may take no more than a whole sheet of such a workbook needs.
    """
    with path.open("rb") as file:
        if limits is None or file.read(len(OLE)) != OLE:
            return
    asked = [sys.executable, "-c", TRIED.format(path=sys.path), str(path), "" if sheet is None else str(sheet)]
    quiet = {**os.environ, "RUST_BACKTRACE": "0", "POLARS_MAX_THREADS": "1"}
    if subprocess.run(asked, capture_output=True, check=False, env=quiet).returncode:
        raise unreadable(path, Excel.title)


def try_old(path: str, sheet: str) -> None:
    """Read a sheet with limited memory; the process ends with it."""
    limits.setrlimit(limits.RLIMIT_AS, (MEMORY, MEMORY))
    book = Excel.module().read_excel(path)
    name, _ = _chosen(book.sheet_names, sheet or None, Path(path).name)
    book.load_sheet(name, header_row=None)


def _header_row(said: str | int | None) -> int:
    """Return the number of the row that names the columns, from 1."""
    if said is not None and not str(said).isdecimal():
        raise ParameterError(f"the header row is {said!r}", expected="the number of a row, from 1")
    return max(1, int(said or 1))


def _chosen(names: list[str], said: str | int | None, file: str) -> tuple[str, tuple[str, ...]]:
    """Return the sheet that is asked for by name or number, else the first, and say so where there are others."""
    if said is None and names:
        others = f"{file}: sheet {names[0]!r} is read, the first of {len(names)}; name another with --sheet"
        return names[0], (others,) if len(names) > 1 else ()
    numbered = {str(place): name for place, name in enumerate(names, 1)}
    found = str(said) if str(said) in names else numbered.get(str(said))
    if found is None:
        raise ParameterError(f"{file!r} has no sheet {said!r}", expected=" or ".join(map(repr, names)))
    return found, ()


def _cells(book: Any, name: str, row: int) -> pl.DataFrame:
    """Return the cells below the row that names the columns."""
    at = row - 1
    whole: pl.DataFrame = book.load_sheet(
        name, header_row=at, schema_sample_rows=None, skip_whitespace_tail_rows=True
    ).to_polars()
    above = book.load_sheet(name, header_row=at - 1 if at else None, n_rows=1, dtypes="string").to_polars()
    names = [text or "" for text in above.row(0)] if above.height else []
    if any(not text.strip() for text in names):
        raise TableError(
            f"sheet {name!r} has {sum(not text.strip() for text in names)} columns without a name in row {row}",
            expected="a row with a name for every column",
            hint="name that row with --header-row, or empty the cells beside the table",
        )
    check_names(names)
    frame = whole.rename(dict(zip(whole.columns, names, strict=True)))
    return frame.select(_plain(column) for column in frame.iter_columns())


def _plain(column: pl.Series) -> pl.Series:
    """Return a column as it is meant: a workbook knows neither whole numbers nor days."""
    if isinstance(column.dtype, pl.Datetime) and (column.drop_nulls().dt.time() == time(0)).all():
        return column.cast(pl.Date)
    return as_whole(column.cast(pl.String) if column.dtype == pl.Null else column)


def check_one_header(frame: pl.DataFrame, sheet: str) -> None:
    """Refuse a sheet whose first row below the names is words while a column below it is numbers."""
    first = frame.head(1).cast(pl.String).row(0) if frame.height > 1 else ()
    if not first or any(text is None or pl.Series([text]).str.contains(NUMBER).any() for text in first):
        return
    below = (column.slice(1).drop_nulls() for column in frame.iter_columns() if column.dtype == pl.String)
    if any(column.len() and column.str.contains(NUMBER).all() for column in below):
        raise TableError(
            f"sheet {sheet!r} seems to have two header rows: words above columns of numbers",
            expected="one row that names the columns",
            hint="name the last of them with --header-row, or remove one",
        )
