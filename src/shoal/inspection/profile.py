"""The values of one column, counted once."""

from __future__ import annotations

from functools import cached_property

import polars as pl

FEW = 20
"""Up to so many distinct values are taken for codes."""
ENOUGH = 20
"""Rows from which on it tells something that no two values are equal."""
SAMPLE = 500
"""Distinct values whose texts are looked at."""


class Profile:
    """The values of a column, counted once."""

    def __init__(self, column: pl.Series) -> None:
        self.name, self.rows = column.name, len(column)
        column = (column.cast(pl.String) if column.dtype == pl.Enum else column).alias("value")
        self.dtype, present = column.dtype, column.drop_nulls()
        counted = present.value_counts(name="times")
        self.values: pl.Series = counted.to_series(0).sort()
        self.distinct, self.present = counted.height, len(present)
        self.alone = int((counted.to_series(1) == 1).sum())
        self.rising = self.distinct == self.present and present.is_sorted()

    @property
    def type(self) -> str:
        """The type in words."""
        if self.dtype.is_temporal():
            return "dates" if self.dtype in (pl.Date, pl.Datetime) else "times"
        if self.dtype == pl.Boolean:
            return "yes or no"
        if self.dtype.is_numeric():
            return "whole numbers" if self.whole else "numbers"
        return "text" if self.distinct else "empty"

    @cached_property
    def whole(self) -> bool:
        """Whether the values are whole numbers, however they are stored."""
        if self.dtype.is_integer():
            return True
        return bool(self.dtype.is_float() and self.distinct and (self.values % 1 == 0).all())

    @cached_property
    def texts(self) -> list[str]:
        """Some of the distinct values as texts, spread evenly."""
        some = self.values[:: max(self.distinct // SAMPLE, 1)][:SAMPLE].to_list()
        return [str(int(value) if self.whole else value).strip() for value in some]

    @property
    def mostly_alone(self) -> bool:
        """Whether nearly every row that has a value has one of its own."""
        return self.present >= ENOUGH and self.alone >= 0.9 * self.present

    @property
    def few(self) -> bool:
        """Whether the values are few, each shared by many rows."""
        return self.distinct <= FEW and self.rows >= 5 * self.distinct

    @cached_property
    def numeric(self) -> bool:
        """Whether the values are numbers, or texts nearly all of which read as numbers."""
        if self.dtype.is_numeric():
            return True
        numbers = pl.Series(self.texts, dtype=pl.String).cast(pl.Float64, strict=False)
        return self.dtype == pl.String and bool(self.distinct) and numbers.null_count() <= 0.1 * len(numbers)
