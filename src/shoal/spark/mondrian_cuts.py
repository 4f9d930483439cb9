"""Mondrian's first cuts of a table in Spark, decided on the driver from how often each code occurs in each region.

Where a class is cut, and whether it may be, follows from the counts of its codes along each attribute, by secret. So
Spark counts, the driver cuts every region that is still too large at the boundary that Mondrian would take, and Spark
counts again: a pass for each level of cuts. The regions are classes that Mondrian goes through, and what a worker makes
of each is what Mondrian would make of it in memory: **the classes are the same, whatever the size of regions**.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import polars as pl

from shoal.core.arrays import AnyInts, Bools, Ints
from shoal.core.sorting import distinct_rows
from shoal.methods.base import Progress
from shoal.methods.general.cuts import Open
from shoal.methods.general.mondrian import Mondrian
from shoal.problem import Problem
from shoal.spark.domains import WorkerTable
from shoal.spark.packing import Packing
from shoal.spark.regions import Cut, Halves
from shoal.spark.session import HAS_PYARROW
from shoal.spark.worker_batches import Batch, frame_of

if HAS_PYARROW:
    import pyarrow as pa

COUNTED = ("region", "axis", "code", "secret", "rows")
FLUSH = 1_000_000
"""Rows that are held before they are counted."""

Count: TypeAlias = Callable[["AxisCounts"], pl.DataFrame]
"""Counts in Spark: by region, attribute, code and secret."""


@dataclass(frozen=True, eq=False)
class AxisCounts:
    """Counts the codes of rows along every attribute, region by region and secret by secret: what a worker does."""

    regions: Halves
    wanted: tuple[int, ...]
    """The regions that are still too large."""
    packing: Packing

    def of_batches(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """Count the rows of some batches, many of them at a time."""
        names = self.packing.names("k")
        for words in gathered(batches, names):
            *codes, secrets = self.packing.unpack(words)
            region = self.regions.of(codes)
            here = np.isin(region, self.wanted)
            if not here.any():
                continue
            for axis, one in enumerate(codes):
                columns = [region[here], one[here], secrets[here]]
                _, first, counts = distinct_rows(columns, [int(part.max()) + 1 for part in columns])
                found = [part[first] for part in columns]
                arrays = [found[0], np.full(len(first), axis), found[1], found[2], counts]
                yield pa.RecordBatch.from_arrays([pa.array(part) for part in arrays], names=list(COUNTED))


def gathered(batches: Iterator[Batch], names: Sequence[str]) -> Iterator[list[Ints]]:
    """Yield the words of many batches together."""
    held: list[pl.DataFrame] = []
    for batch in batches:
        held.append(frame_of(batch).select(names))
        if sum(frame.height for frame in held) >= FLUSH:
            yield [pl.concat(held)[name].to_numpy() for name in names]
            held = []
    if held and sum(frame.height for frame in held):
        yield [pl.concat(held)[name].to_numpy() for name in names]


def halve(whole: WorkerTable, packing: Packing, rows: int, at_most: int, count: Count, progress: Progress) -> Halves:
    """Cut the table as Mondrian does, until no region that can be cut has more than `at_most` rows."""
    cuts: list[Cut] = []
    sizes = {0: rows}
    wanted = [0] if rows > at_most else []
    while wanted:
        progress(1 - sum(sizes[region] for region in wanted) / rows, "cutting regions")
        counted = count(AxisCounts(Halves(tuple(cuts)), tuple(wanted), packing)).partition_by("region", as_dict=True)
        made = []
        for region in wanted:
            found = _cut(whole, region, counted[(region,)], 2 * len(cuts) + 1)
            if found is not None:
                cut, lower, upper = found
                cuts.append(cut)
                sizes |= {cut.first: lower, cut.first + 1: upper}
                made += [cut.first, cut.first + 1]
        wanted = [region for region in made if sizes[region] > at_most]
    return Halves(tuple(cuts))


def _cut(whole: WorkerTable, region: int, counted: pl.DataFrame, first: int) -> tuple[Cut, int, int] | None:
    """Cut one region along the widest attribute that allows it; return the cut and the rows of its halves."""
    axes = [counted.filter(pl.col("axis") == axis) for axis in range(len(whole.columns))]
    spread = _spread(whole, [axis["code"].unique().to_numpy() for axis in axes])
    cuts = Mondrian().cuts(spread)
    everywhere = Open(np.arange(spread.rows), np.zeros(spread.rows, dtype=np.int64))
    weights = np.array([whole.cost.weight(column.name) for column in whole.columns])
    widths = cuts.widths(everywhere)[0] * weights
    size = int(axes[0]["rows"].sum())
    if size < 2 * whole.models.least_rows:
        return None
    for axis in np.argsort(-widths, kind="stable").tolist():
        if not widths[axis] > 0:
            break
        places = np.full(whole.columns[axis].size, -1, dtype=np.int64)
        places[spread.microdata.quasi[axis].codes] = cuts.places_along(everywhere, np.array([axis]))
        upper = _upper(places, axes[axis], size)
        label = upper[axes[axis]["code"].to_numpy()].astype(np.int64)
        rows, secrets = axes[axis]["rows"].to_numpy(), axes[axis]["secret"].to_numpy()
        halves = np.bincount(label, weights=rows, minlength=2).astype(np.int64)
        if halves.all() and whole.models.admits(whole.classes(label, secrets, rows, 2)).all():
            return Cut(region, axis, upper, first), int(halves[0]), int(halves[1])
    return None


def _spread(whole: WorkerTable, present: Sequence[AnyInts]) -> Problem:
    """Pose a problem of rows that show every code of a region at least once: how wide a region is they tell as well."""
    longest = max(len(one) for one in present)
    codes = [np.concatenate([one, np.full(longest - len(one), one[0])]) for one in present]
    return whole.part(codes, np.zeros(longest, dtype=np.int64))


def _upper(places: Ints, counted: pl.DataFrame, size: int) -> Bools:
    """Return by code what goes to the upper half: the boundary nearest to the middle, the lower of two alike."""
    rows = np.bincount(places[counted["code"].to_numpy()], weights=counted["rows"].to_numpy()).astype(np.int64)
    ends = np.cumsum(rows)
    median = int(np.searchsorted(ends, size // 2, side="right"))
    before, after = int(ends[median] - rows[median]), int(ends[median])
    far = 2 * size + 1
    off_before = abs(2 * before - size) if before > 0 else far
    off_after = abs(2 * after - size) if after < size else far
    return places >= (median if off_before <= off_after else median + 1)
