"""A hierarchy for a column that was given none."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import ClassVar

import polars as pl

from shoal.core.arrays import Ints
from shoal.hierarchies.axis import Axis
from shoal.hierarchies.base import Builder, Hierarchy
from shoal.hierarchies.dates import Dates, days_in
from shoal.hierarchies.intervals import Intervals
from shoal.hierarchies.prefixes import Prefixes
from shoal.hierarchies.stars import StarsOnly

FEW = 12
"""Numbers of fewer distinct values are taken for codes."""
FINEST = 32
"""The largest number of intervals on the finest level."""


@dataclass(frozen=True)
class Automatic(Builder):
    """Guarantees a hierarchy for any column.

    Dates get the calendar, numbers round intervals, codes of digits of one length (postcodes) prefixes.
    Numbers that crowd so much that more than half of them would fall in one round interval get intervals of
    equally many rows. What is none of these (names, few numbers, truth values) gets stars only.

    >>> Automatic().chosen(pl.Series(range(17, 91))) == Intervals(width=(5, 10, 20))
    True
    >>> Automatic().chosen(pl.Series(["01234", "98765"]))
    Prefixes(lengths=())
    """

    name: ClassVar[str] = "auto"
    meaning: ClassVar[str] = "chosen from the column's values"

    def build(self, values: pl.Series, counts: Ints | None = None) -> Hierarchy:
        """Bind what `chosen` picks."""
        return self.chosen(values).build(values, counts)

    def resolved(self, values: pl.Series, counts: Ints | None = None) -> Builder:
        """Return what `chosen` picks."""
        return self.chosen(values).resolved(values, counts)

    def chosen(self, values: pl.Series) -> Builder:
        """Return the builder picked for these distinct values."""
        present = values.drop_nulls()
        if present.is_empty():
            return StarsOnly()
        if present.dtype in (pl.Date, pl.Datetime):
            return Dates()
        if present.dtype.is_numeric():
            return _for_numbers(Axis.of(present))
        if present.dtype == pl.String:
            return _for_texts(present)
        return StarsOnly()


def _for_texts(present: pl.Series) -> Builder:
    if days_in(present).null_count() == 0:
        return Dates()
    lengths = present.str.len_chars().unique()
    digits = present.str.contains("^[0-9]{2,}$").all()
    return Prefixes() if digits and len(lengths) == 1 and len(present) > 1 else StarsOnly()


def _for_numbers(axis: Axis) -> Builder:
    """Choose round widths: at most 32 intervals, of three values or more, then half as many, down to 3."""
    order = axis.order()
    if len(order) < FEW:
        return StarsOnly()
    span = axis.exact(order[-1]) - axis.exact(order[0])
    most = min(FINEST, len(order) // 3)
    finest = next(width for width in _round_widths(span) if span / width <= most)
    if _crowd(axis, order, finest) > len(order) / 2:
        return Intervals(bins=[most // 2**level for level in range(5) if most // 2**level >= 2])
    widths = [finest * 2**level for level in range(5)]
    return Intervals(width=[width for width in widths if width == finest or span / width > 2])


def _crowd(axis: Axis, order: list[int], width: Fraction) -> int:
    """Return how many values share the median's interval; if any holds more than half, it is this one."""
    low = axis.exact(order[len(order) // 2]) // width * width
    return bisect_left(order, low + width, key=axis.exact) - bisect_left(order, low, key=axis.exact)


def _round_widths(span: Fraction) -> Iterator[Fraction]:
    """Yield 1, 2, 5, 10, 20, 50, ... from far below the span on, for any size of numbers.

    >>> [float(width) for width, _ in zip(_round_widths(Fraction(70)), range(4))]
    [0.1, 0.2, 0.5, 1.0]
    """
    power = len(str(int(span))) - 3 if span >= 1 else -len(str(int(1 / span))) - 2
    for exponent in count(power):
        for digit in (1, 2, 5):
            yield digit * Fraction(10) ** exponent
