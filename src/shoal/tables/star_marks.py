"""Marks in cells: a suppressed cell is `*`; what looks like one in the original is published with a backslash."""

from __future__ import annotations

import polars as pl

STAR = "*"
NO_FRACTION = r"\.0+([+-][0-9:]+)?$"
"""How a moment on the second ends, with the offset of its time zone or without."""


def cell_text(column: pl.Series) -> pl.Series:
    """Return the published text of unaltered values: missing stays missing, a literal star is escaped.

    >>> cell_text(pl.Series(["a", "*", None])).to_list()
    ['a', '\\\\*', None]
    """
    return escape_stars(column) if column.dtype == pl.String else text_of(column)


def text_of(column: pl.Series) -> pl.Series:
    """Return values, or published cells, as the text that is published: moments on the second without a fraction.

    >>> text_of(pl.Series(["2024-03-07T10:00:00"]).str.to_datetime()).to_list(), text_of(pl.Series([1, None])).to_list()
    (['2024-03-07 10:00:00'], ['1', None])
    """
    text = column.cast(pl.String)
    return text.str.replace(NO_FRACTION, "$1") if isinstance(column.dtype, pl.Datetime) else text


def escape_stars(column: pl.Series) -> pl.Series:
    """Guarantees that no original value reads as a star: `*` becomes `\\*`, `\\*` becomes `\\\\*`, and so on."""
    if not column.str.ends_with(STAR).any():
        return column
    return column.str.replace(r"^(\\*\*)$", r"\${1}")


def unescaped(column: pl.Series) -> pl.Series:
    """Return published text as it was before `escape_stars`; a column that holds a plain star was never escaped."""
    if column.dtype != pl.String or not column.str.ends_with(STAR).any() or bool((column == STAR).any()):
        return column
    return column.str.replace(r"^\\(\\*\*)$", "${1}")


def count_literal_stars(column: pl.Series) -> int:
    """Return how many cells of a column would read as a (possibly escaped) star."""
    return int(literal_stars(column).sum()) if column.dtype == pl.String else 0


def literal_stars(column: pl.Series) -> pl.Series:
    """Return which texts would read as a (possibly escaped) star."""
    ending = column.str.ends_with(STAR)
    return column.str.contains(r"^\\*\*$") if ending.any() else ending
