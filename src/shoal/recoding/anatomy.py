"""Anatomy (Xiao and Tao 2006): how rows in groups become two tables.

The table of the people has their quasi-identifiers as they are, and the number of their group. The sensitive table has
the sensitive values of each group, and how often each occurs. Which person of a group has which value is in neither.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
import polars as pl

from shoal.core.arrays import Ints
from shoal.microdata.microdata import Microdata
from shoal.microdata.partition import Partition
from shoal.recoding.base import Recoding
from shoal.recoding.cells import Groups, SetCells
from shoal.tables.encoded_column import Coded

SENSITIVE_TABLE = "sensitive"
"""What the second table is called."""


@dataclass(frozen=True, eq=False)
class CountedCells(SetCells):
    """What is said of the sensitive values of each group: which there are, and how often each occurs.

    Two groups that say the same stay two: cell g is that of group g.
    """

    counts: Ints
    """How many rows of its group have each member."""

    @classmethod
    def of(cls, column: Coded, groups: Groups) -> CountedCells:
        """Count the values of each group."""
        number = len(groups.starts) - 1
        group = np.repeat(np.arange(number), np.diff(groups.starts))
        entries, counts = np.unique(group * column.size + column.codes[groups.order], return_counts=True)
        starts = np.searchsorted(entries // column.size, np.arange(number + 1))
        return cls(column, np.arange(number), entries % column.size, starts, counts)


class Anatomy(Recoding):
    """Publishes the quasi-identifiers as they are, and the sensitive values counted group by group."""

    name: ClassVar[str] = "anatomy"
    meaning: ClassVar[str] = "two tables: quasi-identifiers as they are, sensitive values by group"
    default_cost: ClassVar[str] = "reconstruction"
    no_patterns: ClassVar[str] = "two tables have no patterns: quasi-identifiers are published as they are"
    two_tables: ClassVar[bool] = True

    def cells(self, microdata: Microdata, groups: Groups) -> tuple[CountedCells]:
        """Return what would be said of the sensitive values of some groups; those of several columns jointly."""
        codes = microdata.secret_of_row
        values = pl.Series(" and ".join(microdata.roles.sensitive), np.arange(int(codes.max()) + 1)).cast(pl.String)
        return (CountedCells.of(Coded(values, codes.astype(np.int32)), groups),)


@dataclass(frozen=True)
class Names:
    """What the columns are called that the two tables have and the original has not."""

    group: str = "group"
    count: str = "count"

    @classmethod
    def free(cls, taken: Iterable[str]) -> Names:
        """Return `group` and `count`, with a number behind where a column has that name already.

        >>> Names.free(["age", "group", "group_2"])
        Names(group='group_3', count='count')
        """
        return cls(_free("group", set(taken)), _free("count", set(taken)))


def _free(word: str, taken: set[str]) -> str:
    names = (word if number == 1 else f"{word}_{number}" for number in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)


def group_numbers(microdata: Microdata, partition: Partition) -> Ints:
    """Return the published number of every class, from 1 on.

    Guarantees that the numbers say nothing: groups are numbered in the order of what is published of them anyway, the
    rows of the one table and the values of the other, each sorted by itself. Where two groups agree in all of that it
    does not matter which comes first, and the order of the original rows never does.
    """
    shown, secret = (
        _sorted_by_class(microdata.shown_of_row, partition),
        _sorted_by_class(microdata.secret_of_row, partition),
    )
    numbers = np.empty(len(partition), dtype=np.int64)
    numbers[sorted(range(len(partition)), key=lambda group: (shown[group], secret[group]))] = np.arange(
        1, len(partition) + 1
    )
    return numbers


def _sorted_by_class(of_row: Ints, partition: Partition) -> list[bytes]:
    """Return the sorted numbers of the rows of each class, as bytes that compare as they do."""
    rows = partition.order
    ordered = of_row[rows[np.lexsort((of_row[rows], partition.class_of_row[rows]))]].astype(">i8").tobytes()
    edges = (8 * partition.starts).tolist()
    return [ordered[start:end] for start, end in pairwise(edges)]


def sensitive_table(shown: pl.DataFrame, group_of_row: Ints, names: Names) -> pl.DataFrame:
    """Return the second table of some rows' sensitive columns: a row for each value of each group, sorted."""
    grouped = shown.insert_column(0, pl.Series(names.group, group_of_row))
    counted = grouped.group_by(grouped.columns).len(names.count)
    return counted.with_columns(pl.col(names.count).cast(pl.Int64)).sort(grouped.columns, nulls_last=True)
