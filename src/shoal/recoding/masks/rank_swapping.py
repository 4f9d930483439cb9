"""Rank swapping: numbers exchange places with others of nearly the same rank."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.core.arrays import Ints
from shoal.core.errors import TableError
from shoal.core.parameters import Number, Numeral
from shoal.recoding.masks.base import ColumnMask, KeyedMask
from shoal.recoding.masks.draws import Draws

SHARE = Number("share", "share of the ranks within which numbers are exchanged", 0, 1, above=True)


@dataclass(frozen=True)
class RankSwapping(ColumnMask, KeyedMask):
    """Guarantees that the column keeps its values, and that each moves by at most `share` of the ranks.

    The values are gone through in order; each that has not moved yet changes places with one drawn from those above it
    that are near enough and have not moved either, if there is one.

    >>> RankSwapping(0.5, "secret").column(pl.Series("income", [10, 20, None, 30, 40])).to_list()
    [20, 10, None, 40, 30]
    """

    name: ClassVar[str] = "rank-swap"
    meaning: ClassVar[str] = "numbers or dates change places with others of nearly the same rank"

    share: Numeral = "0.05"
    key: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", SHARE.read(self.share, self.name))

    def column(self, column: pl.Series) -> pl.Series:
        """Swap the values of a column of numbers or dates."""
        if not (column.dtype.is_numeric() or column.dtype.is_temporal()):
            raise TableError(
                f"the mask {self.name} is for numbers and dates", hint=f"choose another for {column.name!r}"
            )
        rows = column.is_not_null().arg_true()
        window = int(Fraction(self.share) * len(rows))
        if window < 1:
            raise TableError(
                f"the mask {self.name} changes nothing: that share of {column.name!r} is less than one rank",
                hint="give a larger share",
            )
        draws = Draws(self.key, column.name)
        ties = pl.Series("ties", draws.words(len(rows)))
        order = pl.DataFrame([column.gather(rows).alias("value"), ties, rows.alias("row")]).sort("value", "ties")["row"]
        partner = partners(len(rows), window, draws)
        return column.clone().scatter(order, column.gather(order.gather(partner)))


def partners(ranks: int, window: int, draws: Draws) -> Ints:
    """Return for each rank the one it changes places with, at most a window away; its own if none was left.

    >>> partners(5, 1, Draws("secret", "")).tolist()
    [1, 0, 3, 2, 4]
    """
    found = np.arange(ranks)
    free = np.ones(ranks, dtype=bool)
    chances = draws.uniform(ranks)
    for rank in range(ranks - 1):
        if free[rank]:
            near = np.flatnonzero(free[rank + 1 : rank + 1 + window])
            if len(near):
                other = rank + 1 + int(near[int(chances[rank] * len(near))])
                found[rank], found[other] = other, rank
                free[rank] = free[other] = False
    return found
