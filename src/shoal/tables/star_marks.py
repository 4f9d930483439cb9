"""Marks in cells: a suppressed cell is `*`; what looks like one in the original is published with a backslash."""

from __future__ import annotations

import polars as pl

STAR = "*"


def cell_text(column: pl.Series) -> pl.Series:
    """Return the published text of unaltered values: missing stays missing, a literal star is escaped.

    >>> cell_text(pl.Series(["a", "*", None])).to_list()
    ['a', '\\\\*', None]
    """
    if column.dtype == pl.String:
        return escape_stars(column)
    return column.cast(pl.String)


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
