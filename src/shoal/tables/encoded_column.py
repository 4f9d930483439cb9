"""One attribute as small integers: its distinct values in order, and the number of each row's value among them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from shoal.core.arrays import Codes, Floats
from shoal.tables.spelling import infer


@dataclass(frozen=True, eq=False)
class Coded:
    """One attribute as integers: `values[codes]` is the column.

    >>> column = Coded.of(pl.Series("age", [40, None, 30, 40]))
    >>> column.values.to_list(), column.codes.tolist()
    ([30, 40, None], [1, 2, 0, 1])
    """

    values: pl.Series
    codes: Codes

    @classmethod
    def of(cls, column: pl.Series) -> Coded:
        """Encode a column; code order is value order, a missing value comes last."""
        values = distinct_sorted(column)
        known = values.drop_nulls()
        if column.dtype == pl.String and len(known):
            codes = column.cast(pl.Enum(known)).to_physical()
        elif column.dtype.is_integer() and len(known):
            codes = _places(known, column)
        else:
            codes = column.rank("dense") - 1
        if column.null_count():
            codes = codes.fill_null(len(known))
        return cls(values, codes.cast(pl.Int32).to_numpy().copy())

    def settled(self) -> Coded:
        """Return the same column over the values that occur, each once and in order.

        >>> found = Coded(pl.Series(["b", "a", "b", "c"]), np.array([0, 1, 2], dtype=np.int32)).settled()
        >>> found.values.to_list(), found.codes.tolist()
        (['a', 'b'], [1, 0, 1])
        """
        occurs = np.flatnonzero(np.bincount(self.codes, minlength=self.size))
        inner = Coded.of(self.values.gather(occurs))
        place = np.zeros(self.size, dtype=np.int32)
        place[occurs] = inner.codes
        return Coded(inner.values, place[self.codes])

    def cut(self, rows: int) -> tuple[Coded, Codes]:
        """Return the column of the first rows, and the codes of the others, over one domain."""
        return Coded(self.values, self.codes[:rows]), self.codes[rows:]

    @property
    def name(self) -> str:
        """The attribute's name."""
        return self.values.name

    @property
    def size(self) -> int:
        """The number of distinct values, the missing value counted as one."""
        return len(self.values)

    @property
    def missing(self) -> int | None:
        """The code of the missing value, if there is one."""
        return self.size - 1 if self.values.null_count() else None

    @property
    def is_ordered(self) -> bool:
        """Whether the values have an order of their own."""
        return is_ordered(self.values)

    @cached_property
    def positions(self) -> Floats:
        """Where each value lies on a line: the number itself, the date as a number, else its rank; missing is NaN."""
        values = self.values
        if values.dtype.is_temporal():
            values = values.to_physical()
        elif not values.dtype.is_numeric():
            values = pl.Series(range(self.size - bool(values.null_count()))).extend(
                pl.Series([None] * values.null_count(), dtype=pl.Int64)
            )
        return values.cast(pl.Float64).fill_null(float("nan")).to_numpy()

    def decode(self, codes: Codes) -> pl.Series:
        """Return the column these codes stand for."""
        return self.values.gather(codes)


def _places(known: pl.Series, column: pl.Series) -> pl.Series:
    """Return the place of each whole number among the distinct ones: by a table where they lie close together."""
    least, most = int(known[0]), int(known[-1])
    if most - least > 4 * len(column) or most >= 2**62 or least <= -(2**62):
        return column.rank("dense") - 1
    place = np.zeros(most - least + 1, dtype=np.int32)
    place[(known.cast(pl.Int64) - least).to_numpy()] = np.arange(len(known))
    found = pl.Series(place[(column.cast(pl.Int64).fill_null(least) - least).to_numpy()])
    return found if not column.null_count() else pl.select(pl.when(column.is_not_null()).then(found)).to_series()


def is_ordered(column: pl.Series) -> bool:
    """Whether the values of a column have an order of their own: numbers, dates, declared categories, truth values."""
    dtype = column.dtype
    return dtype.is_numeric() or dtype.is_temporal() or dtype in (pl.Boolean, pl.Enum)


def own_order(values: pl.Series) -> str | None:
    """Return what the values of a column are ordered by, in words; None for words, which have no order of their own.

    >>> [own_order(pl.Series(values)) for values in ([2, 1], ["007", "9"], ["2020-01-31"], ["low", "high"])]
    ['the numbers', 'the numbers', 'the dates', None]
    """
    typed = infer(values)
    if typed.dtype.is_temporal():
        return "the dates"
    if typed.dtype in (pl.Boolean, pl.Enum):
        return "the declared categories" if typed.dtype == pl.Enum else "false before true"
    return "the numbers" if typed.dtype.is_numeric() or _as_numbers(typed).null_count() == typed.null_count() else None


def distinct_sorted(column: pl.Series) -> pl.Series:
    """Return the distinct values in order, a missing value last; texts of numbers and dates are ordered by these.

    >>> distinct_sorted(pl.Series(["10", "9", None, "10"])).to_list()
    ['9', '10', None]
    """
    values = column.unique().sort(nulls_last=True)
    if column.dtype != pl.String:
        return values
    typed = infer(values)
    order = _as_numbers(values) if typed.dtype == pl.String else typed
    if order.null_count() > values.null_count() or order.is_empty():
        return values
    return values.gather(order.arg_sort(nulls_last=True))


def odd_texts(values: pl.Series) -> int:
    """Return how many distinct texts keep a column from being ordered by number: one, or up to a tenth; else 0.

    >>> [odd_texts(pl.Series(texts)) for texts in (["9", "10", "unknown"], ["9", "10"], ["a", "b"])]
    [1, 0, 0]
    """
    if values.dtype != pl.String:
        return 0
    known = values.drop_nulls()
    odd = _as_numbers(known).null_count()
    return odd if odd <= max(1, len(known) // 10) and len(known) - odd > 1 else 0


def _as_numbers(values: pl.Series) -> pl.Series:
    return values.cast(pl.Float64, strict=False).fill_nan(None)
