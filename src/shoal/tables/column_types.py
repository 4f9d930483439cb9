"""Columns that shoal can work on: every one has a name and a plain type, and a missing value is a null."""

from __future__ import annotations

from collections import Counter

import polars as pl

from shoal.core.errors import TableError
from shoal.tables.spelling import one_spelling
from shoal.tables.star_marks import STAR, count_literal_stars

MOMENT = "%Y-%m-%dT%H:%M:%S%.f"
"""How a date with a time is written as text."""
EXACT = 2**53
"""Up to here a floating-point number holds every whole number."""


def tidy(frame: pl.DataFrame) -> pl.DataFrame:
    """Make a frame one shoal can work on: NaN is missing, categories are text, equal numbers are spelt in one way."""
    check_filled(frame.height, frame.width)
    check_names(frame.columns)
    return frame.select(tidy_column(column) for column in frame.iter_columns())


UNKNOWN = (pl.Binary, pl.Object, pl.Duration)
"""Types of columns that are refused, beside those of lists and those that others define."""


def tidy_column(column: pl.Series) -> pl.Series:
    """Make a column one shoal can work on."""
    if column.dtype.is_float():
        column = column.fill_nan(None)
        column = column.set(column == 0, 0.0)  # -0.0 is 0.0; polars takes + 0.0 for nothing to do
        if column.is_infinite().any():
            raise TableError(
                f"column {column.name!r} has {column.is_infinite().sum():,} infinite values",
                expected="numbers or missing values",
                hint="replace them before anonymizing",
            )
        return column
    if column.dtype == pl.Categorical:
        return one_spelling(_texts(column))
    if column.dtype in (pl.String, pl.Null):
        return one_spelling(column.cast(pl.String))
    if column.dtype == pl.Enum and count_literal_stars(column.cast(pl.String)):
        return one_spelling(column.cast(pl.String))  # a declared category * could not be escaped
    if column.dtype.is_nested() or column.dtype in UNKNOWN or isinstance(column.dtype, pl.BaseExtension):
        raise TableError(
            f"column {column.name!r} holds {column.dtype} values",
            expected="numbers, text, dates or booleans",
            hint="flatten or leave out the column",
        )
    return column


def _texts(column: pl.Series) -> pl.Series:
    """Return the texts of categories; of rows with the same one it is held once, as a cast would not."""
    distinct = column.drop_nulls().unique()
    texts = distinct.cast(pl.String)
    return column.to_physical().replace_strict(distinct.to_physical(), texts, default=None, return_dtype=pl.String)


def as_type(column: pl.Series, kind: pl.DataType) -> pl.Series:
    """Return a column of a file as a type, from text as polars writes it; what does not fit becomes missing.

    >>> as_type(pl.Series(["1980-01-02", "x"]), pl.Date()).to_list(), as_type(pl.Series([30.0]), pl.Int64()).to_list()
    ([datetime.date(1980, 1, 2), None], [30])
    """
    if column.dtype == kind:
        return column
    if column.dtype != pl.String:
        return column.cast(kind, strict=False)
    if kind == pl.Boolean:
        return column == "true"
    if kind == pl.Date:
        return column.str.to_date("%Y-%m-%d", strict=False)
    if kind == pl.Time:
        return column.str.to_time("%H:%M:%S%.f", strict=False)
    if isinstance(kind, pl.Datetime):
        form = MOMENT + ("%z" if kind.time_zone else "")
        moments = column.str.to_datetime(form, time_unit=kind.time_unit, strict=False)
        return moments.dt.convert_time_zone(kind.time_zone) if kind.time_zone else moments
    return column.cast(kind, strict=False)


def as_whole(column: pl.Series) -> pl.Series:
    """Return numbers as whole numbers if all are, from a format that knows no whole numbers.

    >>> as_whole(pl.Series([30.0, None])).to_list(), as_whole(pl.Series([30.5])).to_list()
    ([30, None], [30.5])
    """
    if not column.dtype.is_float() or column.is_infinite().any():
        return column
    values = column.fill_nan(None)
    whole = bool(((values.floor() == values) & (values.abs() <= EXACT)).all())
    return values.cast(pl.Int64) if whole and values.count() else values


def check_filled(rows: int, columns: int) -> None:
    """Refuse a table of nobody."""
    if rows == 0 or columns == 0:
        raise TableError(f"the table has {rows} rows and {columns} columns", expected="at least one row and one column")


def check_names(names: list[str]) -> None:
    """Refuse columns of the same name, without a name, or named like a pattern."""
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    nameless = [str(place) for place, name in enumerate(names, 1) if not name.strip()]
    if nameless:
        raise TableError(
            f"{'column' if len(nameless) == 1 else 'columns'} {', '.join(nameless)} of {len(names):,} "
            f"{'has' if len(nameless) == 1 else 'have'} no name",
            expected="a name for every column",
            hint="name them in the header line, or remove them: some programs write row numbers so",
        )
    if twice:
        raise TableError(f"there are columns of the same name: {', '.join(map(repr, twice))}", hint="rename them")
    patterns = [name for name in names if name == STAR or (name.startswith("^") and name.endswith("$"))]
    if patterns:
        raise TableError(
            f"the name {patterns[0]!r} would be read as a pattern for several columns", hint="rename the column"
        )
