"""PRAM, the post-randomization method: categories become others by chances that are published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.core.arrays import Floats
from shoal.core.errors import TableError
from shoal.core.parameters import Number, Numeral, as_truth
from shoal.recoding.masks.base import ColumnMask, KeyedMask
from shoal.recoding.masks.draws import Draws
from shoal.tables.encoded_column import Coded

KEEP = Number("keep", "chance that a category stays", 0, 1)
MOST = 5000
"""Different values of a column that PRAM takes; with more they are no categories."""


@dataclass(frozen=True)
class Pram(ColumnMask, KeyedMask):
    """Guarantees that each row's category v becomes w with probability M[v, w], drawn for each row by itself.

    M[v, v] = `keep`, and all other categories are equally likely. `invariant` takes M Q instead, where
    Q[w, v] = P(v) M[v, w] / (P M)(w) and P are the shares of the categories: then the expected shares after are those
    before, P M Q = P.

    >>> Pram(keep=0.5, key="secret").column(pl.Series("town", ["Oslo", "Oslo", None, "Bergen"])).to_list()
    ['Bergen', 'Oslo', None, 'Bergen']
    """

    name: ClassVar[str] = "pram"
    meaning: ClassVar[str] = "categories become others by given chances"

    keep: Numeral = "0.8"
    invariant: bool = False
    key: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "keep", KEEP.read(self.keep, self.name))
        object.__setattr__(self, "invariant", as_truth(self.invariant, f"{self.name}: invariant"))

    def column(self, column: pl.Series) -> pl.Series:
        """Draw the categories of a column."""
        coded = Coded.of(column.drop_nulls())
        if not 1 < coded.size <= MOST:
            raise TableError(
                f"the mask {self.name} is for categories, and {column.name!r} has {coded.size:,} different values",
                expected=f"from 2 to {MOST:,} of them",
            )
        chances = transitions(np.bincount(coded.codes, minlength=coded.size) / len(coded.codes), self)
        uniform = Draws(self.key, column.name).uniform(len(column))[column.is_not_null().to_numpy()]
        drawn = np.empty(len(uniform), dtype=np.int64)
        for category, reached in enumerate(np.cumsum(chances, axis=1)):
            rows = coded.codes == category
            drawn[rows] = np.searchsorted(reached[:-1], uniform[rows], side="right")
        return column.clone().scatter(column.is_not_null().arg_true(), coded.values.gather(drawn))


def transitions(shares: Floats, mask: Pram) -> Floats:
    """Return the chances of every category, row, to become every other, column, of categories with these shares.

    >>> transitions(np.array([0.8, 0.2]), Pram(keep=0.75)).tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    >>> made = transitions(np.array([0.8, 0.2]), Pram(keep=0.75, invariant=True))
    >>> (np.array([0.8, 0.2]) @ made).round(12).tolist()
    [0.8, 0.2]
    """
    many, keep = len(shares), float(mask.keep)
    chances = np.full((many, many), (1 - keep) / (many - 1))
    np.fill_diagonal(chances, keep)
    if not mask.invariant:
        return chances
    after = shares @ chances
    back = (shares[:, None] * chances / np.where(after > 0, after, 1)).T
    found: Floats = chances @ back
    return found
