"""Stretches of the Hilbert curve as regions: cut on the driver from how many rows, by secret, are on each step.

The curve is walked in steps, far more than there are regions; rows of equal codes are on one step. Steps that have too
many rows are counted again, in smaller steps. A stretch ends with the step at which it has rows enough. One whose rows
together are refused by a model is joined with the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import polars as pl

from shoal.core.arrays import Ints
from shoal.core.sorting import distinct_rows
from shoal.methods.general.hilbert_curve import grid
from shoal.spark.domains import Domains, WorkerTable
from shoal.spark.mondrian_cuts import gathered
from shoal.spark.packing import Packing
from shoal.spark.regions import Curve, Stretches
from shoal.spark.session import HAS_PYARROW
from shoal.spark.worker_batches import Batch

if HAS_PYARROW:
    import pyarrow as pa

COUNTED = ("step", "secret", "rows")
FINER = 6
"""So many bits more are looked at in a further pass."""
MOST_BITS = 40
"""Bits of a row's place on the curve that are looked at."""

Count: TypeAlias = Callable[["StepCounts"], pl.DataFrame]
"""Counts in Spark: by step and secret."""


@dataclass(frozen=True, eq=False)
class StepCounts:
    """Counts the rows on each step of the curve, secret by secret: what a worker does."""

    curve: Curve
    packing: Packing
    within: tuple[int, ...] | None
    """The larger steps, of `FINER` bits fewer, whose rows are counted; None for all."""

    def of_batches(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """Count the rows of some batches, many of them at a time."""
        for words in gathered(batches, self.packing.names("k")):
            *codes, secrets = self.packing.unpack(words)
            step = self.curve.of(codes)
            here = slice(None) if self.within is None else np.isin(step >> FINER, self.within)
            columns = [step[here], secrets[here]]
            if not len(columns[0]):
                continue
            _, first, counts = distinct_rows(columns, [int(part.max()) + 1 for part in columns])
            arrays = [*(part[first] for part in columns), counts]
            yield pa.RecordBatch.from_arrays([pa.array(part) for part in arrays], names=list(COUNTED))


def stretch(whole: WorkerTable, domains: Domains, at_most: int, count: Count) -> Stretches:
    """Cut the curve into stretches of at most so many rows, but for equal rows and for what is refused."""
    axes, bits = grid(whole.columns, whole.hierarchies, domains.counts)
    curve = Curve(tuple(axes), bits, min(bits * len(axes), MOST_BITS))
    if domains.rows <= at_most:
        return Stretches(curve, np.zeros(1, dtype=np.int64))
    counted = _counted(curve, domains, at_most, count)
    places, label = np.unique(counted["step"].to_numpy(), return_inverse=True)
    rows = counted["rows"].to_numpy()
    region = _filled(np.bincount(label, weights=rows).astype(np.int64), at_most)[label]
    region = _admitted(whole, region, counted["secret"].to_numpy(), rows)
    begins = places[label[np.flatnonzero(np.diff(region, prepend=-1))]]
    begins[0] = 0
    return Stretches(curve, begins)


def _counted(curve: Curve, domains: Domains, at_most: int, count: Count) -> pl.DataFrame:
    """Count the rows by step and secret, in ever smaller steps where one has too many; steps are where they begin."""
    bits = min(((domains.rows - 1) // at_most).bit_length() + FINER, curve.steps)
    within: tuple[int, ...] | None = None
    found: list[pl.DataFrame] = []
    while within is None or within:
        counted = count(StepCounts(replace(curve, steps=bits), domains.packing, within))
        sizes = counted.group_by("step").agg(pl.col("rows").sum()).filter(pl.col("rows") > at_most)
        finer = bits + FINER <= curve.steps
        large = sizes["step"] if finer else sizes["step"].clear()
        begins = pl.col("step") * (1 << (curve.steps - bits))
        found.append(counted.filter(~pl.col("step").is_in(large.implode())).with_columns(begins))
        within, bits = tuple(large.sort()), bits + FINER
    return pl.concat(found).select(COUNTED).sort("step", "secret")


def _filled(rows: Ints, at_most: int) -> Ints:
    """Return the region of each step: steps that follow each other, as many as have no more rows than a region may.

    >>> _filled(np.array([2, 2, 5, 1, 1]), 4).tolist()
    [0, 0, 1, 2, 2]
    """
    region, number, filled = np.zeros(len(rows), dtype=np.int64), 0, 0
    for place, more in enumerate(rows.tolist()):
        if filled and filled + more > at_most:
            number, filled = number + 1, 0
        region[place] = number
        filled += more
    return region


def _admitted(whole: WorkerTable, region: Ints, secrets: Ints, rows: Ints) -> Ints:
    """Return the regions with those joined to the next that a model refuses, the last to the one before."""
    while region[-1] > 0:
        admitted = whole.models.admits(whole.classes(region, secrets, rows, int(region[-1]) + 1))
        if admitted.all():
            break
        begins = np.ones(len(admitted), dtype=bool)
        begins[1:] = admitted[:-1]  # what follows a refused one begins no region
        begins[-1] &= admitted[-1]
        begins[0] = True
        region = (np.cumsum(begins) - 1)[region]
    return region
