"""Codes that stand for missing values, such as -8, 99, NA or ?: read as missing where a request declares them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import polars as pl

from shoal.core.errors import ParameterError
from shoal.core.number_format import counted
from shoal.tables.spelling import infer
from shoal.tables.table import Table

Codes: TypeAlias = Mapping[str, Sequence[object]]
"""For columns, by name, the values that stand for missing ones."""


def with_missing(table: Table, missing: Codes) -> Table:
    """Return a table in which declared codes are missing values; twice is the same as once.

    >>> table = with_missing(Table.of({"age": ["30", "?", "41"], "pay": [-8, 100, 99]}), {"age": ["?"], "pay": [-8]})
    >>> table["age"].to_list(), table["pay"].to_list()
    ([30, None, 41], [None, 100, 99])
    """
    columns = {name: without_codes(table[name], codes) for name, codes in missing.items()}
    hidden = {name: column.null_count() - table[name].null_count() for name, column in columns.items()}
    notes = {
        name: (f"column {name!r}: {counted(many, 'cell')} with a declared code for missing values read as missing",)
        for name, many in hidden.items()
        if many
    }
    return table.with_columns(columns.values(), notes)


def without_codes(column: pl.Series, codes: Sequence[object]) -> pl.Series:
    """Return a column in which some values are missing; texts that are all numbers or dates then become such.

    >>> without_codes(pl.Series(["NA", "low"], dtype=pl.Enum(["NA", "low"])), ["NA"]).dtype
    Enum(categories=['low'])
    """
    texts = listed_codes(codes)
    if not texts:
        raise ParameterError(f"no code for missing values of {column.name!r} is given", expected="codes such as -8, 99")
    if column.dtype.is_numeric():
        numbers = [number for code in texts if (number := _number(code)) is not None]
        return column.set(column.cast(pl.Float64).is_in(numbers).fill_null(value=False), None)
    found = column.cast(pl.String).is_in(texts).fill_null(value=False)
    if not found.any():
        return column
    if isinstance(column.dtype, pl.Enum):
        kept = [word for word in column.dtype.categories if word not in texts]
        return column.cast(pl.String).set(found, None).cast(pl.Enum(kept))
    plain = column.set(found, None) if column.dtype == pl.String else _masked(column, found)
    return infer(plain) if plain.dtype == pl.String else plain


def _masked(column: pl.Series, hidden: pl.Series) -> pl.Series:
    """Return a column of dates or truth values without some of them."""
    return column.to_frame().select(pl.when(~hidden).then(pl.col(column.name))).to_series()


def _number(code: str) -> float | None:
    try:
        return float(code)
    except ValueError:
        return None


def listed_codes(codes: object) -> list[str]:
    """Return codes as columns of text have them.

    >>> listed_codes([99.0, -8, "NA"]), listed_codes("?")
    (['99', '-8', 'NA'], ['?'])
    """
    some = codes if isinstance(codes, Sequence) and not isinstance(codes, str) else [codes]
    return [str(int(code)) if isinstance(code, float) and code.is_integer() else str(code) for code in some]
