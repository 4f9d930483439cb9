"""Additive noise: every number is altered by a draw of the normal distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.core.parameters import Number, Numeral
from shoal.recoding.masks.base import ColumnMask, KeyedMask, column_like, varied_numbers
from shoal.recoding.masks.draws import Draws

SHARE = Number("share", "standard deviation of the noise, as a share of that of the column", 0, 10, above=True)


@dataclass(frozen=True)
class Noise(ColumnMask, KeyedMask):
    """Guarantees noise of mean 0 whose standard deviation is `share` times that of the column, drawn for each row.

    The mean of the column is kept on average, its variance grows by the factor 1 + share^2. Whole numbers stay whole.

    >>> Noise(0.5, "secret").column(pl.Series("income", [10.0, 20.0, None, 40.0])).to_list()
    [12.0, 14.0, None, 36.0]
    """

    name: ClassVar[str] = "noise"
    meaning: ClassVar[str] = "normal noise is added to numbers"

    share: Numeral = "0.1"
    key: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", SHARE.read(self.share, self.name))

    def column(self, column: pl.Series) -> pl.Series:
        """Add noise to a column of numbers."""
        numbers, present = varied_numbers(column, self.name)
        noise = Draws(self.key, column.name).normal(len(column))[present]
        return column_like(column, numbers + float(self.share) * np.std(numbers, ddof=1) * noise, present)
