"""Names of columns that may be the first person's values: a file without a line of names."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from shoal.core.number_format import counted
from shoal.tables.table import Table


def header_warnings(table: Table, names: Sequence[str]) -> list[str]:
    """Say that the names of columns may be a row, if at least half of them are values of their own column.

    >>> header_warnings(Table.of({"34": [35, 34], "f": ["m", "f"]}), ["34", "f"])
    ['the names of 2 of 2 columns occur among the values of these columns: if the file has no line of names, its first \
row was taken for one, and is published as it is; put a line of names before it']
    >>> header_warnings(Table.of({"age": [35, 34], "sex": ["m", "f"]}), ["age", "sex"])
    []
    """
    alike = [name for name in names if _is_value(table.coded(name).values, name)]
    if not alike or 2 * len(alike) < len(names):
        return []
    return [
        f"the names of {len(alike):,} of {counted(len(names), 'column')} occur among the values of these columns: if"
        " the file has no line of names, its first row was taken for one, and is published as it is; put a line of"
        " names before it"
    ]


def _is_value(values: pl.Series, name: str) -> bool:
    """Whether a name is one of the distinct values of its column, as a text."""
    if values.dtype.is_nested() or values.dtype in (pl.Binary, pl.Object):
        return False
    return bool((values.cast(pl.String) == name).any())
