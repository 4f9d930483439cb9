"""Weighted totals and means of columns of numbers, before and after.

A record weight says how many people of the population a row stands for. After, a cell counts with the mean of the
values that it covers, a centroid with itself; missing values are left out on both sides. The weights are the published
ones, or where they are left out those of the original rows, which only their owner has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.core.arrays import Floats
from shoal.release.release_view import Shown
from shoal.risk.individual import weights_of
from shoal.tables.table import Table
from shoal.utility.spreads import Spread


@dataclass(frozen=True)
class Weighted:
    """What a column of numbers adds up to in the population, and its mean there: None where every value is missing."""

    column: str
    total_before: float
    total_after: float
    mean_before: float | None
    mean_after: float | None


def weighted(
    shown: Shown, frame: pl.DataFrame, columns: Mapping[str, Spread], weight: str, notes: list[str]
) -> tuple[Weighted, ...]:
    """Compare the weighted totals and means of all columns of numbers.

    >>> import shoal
    >>> from shoal.utility.spreads import spreads
    >>> people = pl.DataFrame({"age": [20, 30, 40, 50], "weight": [1.0, 2.0, 3.0, 4.0]})
    >>> made = shoal.anonymize(people, quasi=["age"], require="k=2", recoding="range", record_weight="weight")
    >>> weighted(Shown.of(made), people, spreads(Shown.of(made), people), "weight", [])
    (Weighted(column='age', total_before=400.0, total_after=390.0, mean_before=40.0, mean_after=39.0),)
    """
    before = weights_of(Table(frame), weight).cast(pl.Float64).to_numpy()
    if weight in shown.frame.columns:
        after = weights_of(Table(shown.frame), weight).cast(pl.Float64).to_numpy()
    elif shown.rows is not None and not shown.counterfeits:
        after = before[shown.rows]
    else:
        notes.append(f"no weighted totals: {weight!r} is not published, and which row stands for which is unknown")
        return ()
    return tuple(_compared(name, one, before, after) for name, one in columns.items() if one.is_number)


def _compared(name: str, column: Spread, before: Floats, after: Floats) -> Weighted:
    original = column.positions[column.codes]
    known = np.where(np.isnan(column.pair_positions), 0.0, column.weight)
    share = np.bincount(column.owner, weights=known, minlength=column.cells)
    sums = np.bincount(column.owner, weights=known * np.nan_to_num(column.pair_positions), minlength=column.cells)
    totals = float(before @ np.nan_to_num(original)), float(after @ sums[column.of_row])
    people = float(before @ ~np.isnan(original)), float(after @ share[column.of_row])
    means = [total / some if some else None for total, some in zip(totals, people, strict=True)]
    return Weighted(name, *totals, *means)
