"""Rounding: numbers become the nearest multiple of one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.core.parameters import Number, Numeral
from shoal.recoding.masks.base import MOST_DECIMALS, ColumnMask, fitting_number, numbers_of

HALF = 1e-9
"""So near a half, the decimal number that is written decides, in exact arithmetic."""
MULTIPLE = Number("multiple", "number whose multiples are shown", 0, above=True)


@dataclass(frozen=True)
class Rounding(ColumnMask):
    """Guarantees that published numbers are multiples of `multiple`, each at most half of it from the number it hides.

    Halves are rounded up.

    >>> Rounding(1000).column(pl.Series("income", [499, 500, -1500, None])).to_list()
    [0, 1000, -1000, None]
    >>> Rounding("0.05").column(pl.Series("rate", [0.12, 0.13])).to_list()
    [0.1, 0.15]
    """

    name: ClassVar[str] = "round"
    meaning: ClassVar[str] = "numbers become the nearest multiple of one"
    of_value: ClassVar[bool] = True

    multiple: Numeral = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "multiple", MULTIPLE.read(self.multiple, self.name))

    def column(self, column: pl.Series) -> pl.Series:
        """Round a column of numbers."""
        numbers, present = numbers_of(column, self.name)
        step = fitting_number(self.multiple, column, self.name)
        if column.dtype.is_integer():  # exact, also beyond what floating point holds
            exact = column.drop_nulls().to_numpy()
            rest = np.mod(exact, step)
            return column.clone().scatter(np.flatnonzero(present), exact - rest + np.where(2 * rest >= step, step, 0))
        times = numbers / step
        whole = np.floor(times + 0.5)
        halves = np.abs(times - np.floor(times) - 0.5) < HALF * np.maximum(1.0, np.abs(times))
        whole[halves] = [
            floor(Fraction(str(one)) / Fraction(self.multiple) + Fraction(1, 2)) for one in numbers[halves]
        ]
        near = np.round(whole * step, _places(Fraction(self.multiple)))
        return column.clone().scatter(np.flatnonzero(present), near + 0.0)


def _places(multiple: Fraction) -> int:
    """Return the decimal places that a number is written with; twice as many as usual where there is no end to them."""
    fits = (places for places in range(2 * MOST_DECIMALS) if (multiple * 10**places).denominator == 1)
    return next(fits, 2 * MOST_DECIMALS)
