"""Distinct rows and how often each occurs: all that travels from Spark to the driver, and what is decided from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.core.arrays import Ints
from shoal.microdata.partition import Partition
from shoal.spark.session import HAS_PYSPARK, SparkFrame, asking

if HAS_PYSPARK:
    from pyspark.sql import functions as sql


@dataclass(frozen=True, eq=False)
class Counted:
    """The distinct rows of a Spark frame in sorted order, so that where they were changes nothing; and their counts."""

    distinct: pl.DataFrame
    counts: Ints

    @classmethod
    def of(cls, frame: SparkFrame, names: Sequence[str]) -> Counted:
        """Group in Spark, and bring the groups to the driver."""
        grouped = frame.groupBy(*names).agg(sql.count(sql.lit(1)).alias("rows#"))
        with asking("group the rows"):
            counted = grouped.toArrow()
        found = pl.DataFrame(counted).sort(list(names), nulls_last=True)
        return cls(found.drop("rows#"), found["rows#"].cast(pl.Int64).to_numpy())

    def rows(self, distinct: pl.DataFrame | None = None) -> pl.DataFrame:
        """Return every row, equal ones beside each other; of other cells for the distinct rows, if they are given.

        >>> counted = Counted(pl.DataFrame({"age": [30, 40]}), np.array([2, 1]))
        >>> counted.rows()["age"].to_list()
        [30, 30, 40]
        """
        return (self.distinct if distinct is None else distinct)[self.number_of_row]

    @property
    def number_of_row(self) -> Ints:
        """Which distinct row each row is."""
        return np.repeat(np.arange(len(self.counts)), self.counts)


@dataclass(frozen=True, eq=False)
class Shares:
    """How many rows of each distinct row go to which class: rows `start` up to `end` of the distinct row `number`."""

    number: Ints
    start: Ints
    end: Ints
    sample: Ints
    """One of those rows, by its place among the published ones."""

    @classmethod
    def of(cls, counted: Counted, partition: Partition) -> Shares:
        """Count the rows by distinct row and class; dropped rows, of no class, come last and are nobody's.

        >>> counted = Counted(pl.DataFrame({"age": [30, 40]}), np.array([3, 1]))
        >>> shares = Shares.of(counted, Partition(np.array([1, 0, 1, 0])))
        >>> list(zip(shares.number.tolist(), shares.start.tolist(), shares.end.tolist()))
        [(0, 0, 1), (0, 1, 3), (1, 0, 1)]
        """
        number, label = counted.number_of_row[partition.kept], partition.class_of_row[partition.kept]
        pairs, sample, counts = np.unique(number * len(partition) + label, return_index=True, return_counts=True)
        which = pairs // len(partition)
        before = np.cumsum(counts) - counts
        first = np.searchsorted(which, which)
        start = before - before[first]
        return cls(which, start, start + counts, sample)

    def are_whole(self, counted: Counted) -> bool:
        """Whether all rows that are alike go to one class, or are all dropped: then nobody need number them."""
        return bool((self.end - self.start == counted.counts[self.number]).all())
