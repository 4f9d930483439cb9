"""The line that a column's numbers or dates lie on, without rounding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import TypeAlias

import polars as pl

from shoal.core.errors import HierarchyError
from shoal.core.parameters import as_fraction, spelled

Point: TypeAlias = Fraction | datetime
DECIMAL = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)$"
EPOCH = datetime(1970, 1, 1)
MONDAY = datetime(1970, 1, 5)
PER_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


@dataclass(frozen=True)
class Axis:
    """Guarantees exact places: a float is the decimal it is written as, a moment a whole number of ticks."""

    numbers: list[int] | list[float] | list[Decimal] | list[Fraction]
    """The values in the order of the column: in ticks since 1970 for dates."""
    unit: str = ""
    """The tick of dates: `d`, `ms`, `us` or `ns`; empty for numbers."""

    @classmethod
    def of(cls, present: pl.Series) -> Axis:
        """Return the axis of a column without missing values, or raise `HierarchyError`.

        >>> axis = Axis.of(pl.Series([0.1, 0.25]))
        >>> axis.exact(0), axis.text(axis.exact(1))
        (Fraction(1, 10), '0.25')
        """
        dtype = present.dtype
        if isinstance(dtype, pl.Datetime):
            return cls(present.dt.replace_time_zone(None).to_physical().to_list(), dtype.time_unit)
        if dtype == pl.Date:
            return cls(present.to_physical().to_list(), "d")
        if dtype == pl.Float32:  # as a double, 0.1 would be 0.10000000149011612
            return cls(present.cast(pl.String).cast(pl.Float64).to_list())
        if dtype.is_numeric():
            return cls(present.to_list())
        if dtype in (pl.String, pl.Enum, pl.Categorical):
            return cls(_numbers_in(present.cast(pl.String)))
        raise HierarchyError(
            f"a hierarchy of intervals is given for a column of {dtype}",
            expected="numbers or dates",
            hint="choose another hierarchy, such as stars",
        )

    def exact(self, position: int) -> Fraction:
        """Return the value at that position of the column as an exact number."""
        number = as_fraction(self.numbers[position])
        if number is None:
            raise HierarchyError("some values are NaN or infinite", hint="replace them, or make them missing")
        return number

    def order(self) -> list[int]:
        """Return the positions of the column from the smallest value to the largest."""
        return sorted(range(len(self.numbers)), key=self.numbers.__getitem__)

    def place(self, point: Point) -> Fraction:
        """Return where an edge or origin lies; dates are rounded up to a tick, as no value lies between."""
        if not self.unit and isinstance(point, Fraction):
            return point
        if self.unit and (isinstance(point, datetime) or point == 0):
            since = (point if isinstance(point, datetime) else MONDAY) - EPOCH
            return Fraction(ceil(Fraction(since // timedelta(microseconds=1), PER_DAY["us"]) * self._ticks))
        raise HierarchyError(
            f"intervals: edges or origin are {'numbers' if self.unit else 'dates'}, and the column has"
            f" {'dates' if self.unit else 'numbers'}",
            expected="dates such as 2024-03-07" if self.unit else "numbers",
        )

    def scaled(self, widths: Iterable[Fraction]) -> list[Fraction]:
        """Return widths as they are, or days as ticks."""
        return [width * self._ticks for width in widths]

    @property
    def _ticks(self) -> int:
        return PER_DAY.get(self.unit, 1)

    def text(self, at: Fraction) -> str:
        """Return the number, or the day or moment at (or first after) that place, as people write it."""
        if not self.unit:
            return spelled(at)
        tick = ceil(at)
        if tick % self._ticks == 0:
            return str(pl.Series([tick // self._ticks]).cast(pl.Int32).cast(pl.Date).cast(pl.String)[0])
        moment = str(pl.Series([tick]).cast(pl.Datetime(self.unit)).cast(pl.String)[0])  # type: ignore[arg-type]
        return moment.rstrip("0").rstrip(".") if "." in moment else moment


def _numbers_in(texts: pl.Series) -> list[Fraction]:
    wrong = len(texts) - int(texts.str.contains(DECIMAL).sum())
    if wrong:
        raise HierarchyError(
            f"{wrong:,} of {len(texts):,} values are texts that are not numbers",
            expected="numbers or dates",
            hint="choose another hierarchy, such as prefixes or a taxonomy",
        )
    return [Fraction(text) for text in texts]
