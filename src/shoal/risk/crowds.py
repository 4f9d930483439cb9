"""The crowds that records hide in: rows with equal quasi-identifiers, counted once for all measures of risk.

A star equals only a star, a missing value only a missing value: what another tool would let match counts as different.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from shoal.core.arrays import Floats, Ints
from shoal.core.sorting import distinct_rows
from shoal.tables.encoded_column import Coded
from shoal.tables.table import Table, TableLike


@dataclass(frozen=True, eq=False)
class Crowds:
    """The classes of a table: which one each row is in, and how many rows each has.

    >>> found = Crowds.of(pl.DataFrame({"age": [30, 30, 40], "sex": ["f", "f", "m"]}))
    >>> found.class_of_row.tolist(), found.sizes.tolist(), found.histogram
    ([0, 0, 1], [2, 1], ((1, 1), (2, 1)))
    """

    columns: tuple[Coded, ...]
    """The quasi-identifiers of all rows."""
    class_of_row: Ints
    first: Ints
    """A row of each class."""
    sizes: Ints

    @classmethod
    def of(cls, data: TableLike, quasi: Sequence[str] | None = None) -> Crowds:
        """Group the rows of a table by some columns; by all, where none are named."""
        table = Table.of(data)
        columns = tuple(table.coded(name) for name in (table.columns if quasi is None else quasi))
        labels, first, sizes = distinct_rows([one.codes for one in columns], [one.size for one in columns])
        return cls(columns, labels, first, sizes)

    @property
    def distinct(self) -> pl.DataFrame:
        """The quasi-identifiers of a row of each class."""
        return pl.DataFrame([one.decode(one.codes[self.first]) for one in self.columns])

    @property
    def frame(self) -> pl.DataFrame:
        """The quasi-identifiers of all rows."""
        return pl.DataFrame([one.decode(one.codes) for one in self.columns])

    @property
    def rows(self) -> int:
        """The number of records."""
        return len(self.class_of_row)

    @property
    def classes(self) -> int:
        """The number of classes."""
        return len(self.sizes)

    @property
    def size_of_row(self) -> Ints:
        """How many rows share each row's quasi-identifiers, itself included."""
        return self.sizes[self.class_of_row]

    @cached_property
    def histogram(self) -> tuple[tuple[int, int], ...]:
        """How many classes there are of each size that occurs, smallest first."""
        sizes, classes = np.unique(self.sizes, return_counts=True)
        return tuple(zip(sizes.tolist(), classes.tolist(), strict=True))

    def codes(self) -> Sequence[Ints]:
        """Return the codes of each class, column by column."""
        return [one.codes[self.first].astype(np.int64) for one in self.columns]

    def sums(self, weights: Floats) -> Floats:
        """Return the sum over each class of what its rows weigh."""
        return np.bincount(self.class_of_row, weights=weights, minlength=self.classes).astype(np.float64)
