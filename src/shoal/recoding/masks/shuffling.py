"""Shuffling: the values of a column change rows, at random or in keeping with other columns.

The latter is the data shuffling of Muralidhar and Sarathy (2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.core.arrays import Floats
from shoal.core.errors import ParameterError, nearest
from shoal.core.numerics.normal_quantile import normal_quantile
from shoal.hierarchies.specs import listed
from shoal.recoding.masks.base import KeyedMask, numbers_of
from shoal.recoding.masks.draws import Draws
from shoal.tables.table import Table


@dataclass(frozen=True)
class Shuffling(KeyedMask):
    """Guarantees that the column keeps its values; which row has which follows from `given` and chance alone.

    Without `given` every order of the values is equally likely. With it, columns of numbers, the values go to the rows
    in the order of draws from a normal model of their normal scores, given those of these columns: monotone
    associations with them are kept, and all else about whose value it was is gone.
    """

    name: ClassVar[str] = "shuffle"
    meaning: ClassVar[str] = "values change rows, at random or in keeping with other columns"

    given: tuple[str, ...] = ()
    key: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "given", tuple(map(str, listed(self.given))))

    def masked(self, names: Sequence[str], table: Table, person: Sequence[str]) -> list[pl.Series]:
        """Shuffle each column by itself."""
        return [self._shuffled(table[name], table) for name in names]

    def _shuffled(self, column: pl.Series, table: Table) -> pl.Series:
        rows, draws = column.is_not_null().arg_true(), Draws(self.key, column.name)
        values = column.gather(rows)
        if not self.given:
            return column.clone().scatter(rows, values.gather(draws.permutation(len(rows))))
        for name in self.given:
            if name not in table.columns or name == column.name:
                raise ParameterError(
                    f"{self.name}: given names {name!r}",
                    expected="another column of the table",
                    hint=nearest(name, table.columns),
                )
        numbers_of(column, self.name)
        known = np.column_stack([_scores(table[name].gather(rows)) for name in self.given])
        scores = _scores(values)
        model = known @ np.linalg.lstsq(known, scores, rcond=None)[0]
        drawn = model + np.std(scores - model) * draws.normal(len(rows))
        return column.clone().scatter(rows.gather(np.argsort(drawn, kind="stable")), values.sort())


def _scores(numbers: pl.Series) -> Floats:
    """Return the normal scores of numbers; equal numbers have equal ones, a missing one has that of the middle.

    >>> _scores(pl.Series("age", [20, 40, None, 30])).round(2).tolist()
    [-0.97, 0.97, 0.0, 0.0]
    """
    numbers_of(numbers, Shuffling.name)
    ranks = (numbers.rank("average").to_numpy() - 0.5) / max(len(numbers) - numbers.null_count(), 1)
    found: Floats = np.nan_to_num(normal_quantile(ranks))
    return found
