"""Cells that a spreadsheet would run: texts that begin like a formula get an apostrophe in front, which shows as text.

Only the files of a release have the apostrophes; in memory, and read back by `shoal.verify`, cells are as published.
"""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

STARTS = "=+-@\t\r\n＝＋－＠"
"""What the cells begin with that spreadsheets take for formulas, as OWASP lists it under CSV injection."""
_FORMULA = rf"^('*[{STARTS.replace('-', '')}-])"
"""With apostrophes before it too, so that one can be taken away again."""


def neutralised(frame: pl.DataFrame) -> pl.DataFrame:
    """Guarantees that no text cell and no column name begins like a formula, and that `restored` undoes it.

    Numbers stay as they are: `-1.5` in a column of numbers is a number. In a column of texts `-1.5` is a text.

    >>> frame = pl.DataFrame({"@note": ["=1+1", "'=1+1", "-5", "5", None], "pay": [-1.5, 2.0, 3.0, 4.0, 5.0]})
    >>> neutralised(frame)["'@note"].to_list(), neutralised(frame)["pay"].to_list()
    (["'=1+1", "''=1+1", "'-5", '5', None], [-1.5, 2.0, 3.0, 4.0, 5.0])
    >>> restored(neutralised(frame)).equals(frame)
    True
    """
    return _mapped(frame, lambda texts: texts.str.replace(_FORMULA, "'${1}"))


def restored(frame: pl.DataFrame) -> pl.DataFrame:
    """Return what `neutralised` was given: one apostrophe is taken away where it stands before a formula."""
    return _mapped(frame, lambda texts: texts.str.replace(_FORMULA.replace("(", "'(", 1), "${1}"))


def _mapped(frame: pl.DataFrame, change: Callable[[pl.Series], pl.Series]) -> pl.DataFrame:
    """Change the texts and declared categories of a frame, and its names."""
    changed = frame.select(_changed(column, change) for column in frame.iter_columns())
    return changed.rename(dict(zip(frame.columns, change(pl.Series(frame.columns)), strict=True)))


def _changed(column: pl.Series, change: Callable[[pl.Series], pl.Series]) -> pl.Series:
    if isinstance(column.dtype, pl.Enum):
        return change(column.cast(pl.String)).cast(pl.Enum(change(column.dtype.categories)))
    return change(column) if column.dtype == pl.String else column
