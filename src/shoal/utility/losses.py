"""What was lost: every cost that can measure the release, and the loss of each column.

The release is put together once more from the original and the rows that the published ones stand for, and all costs
are asked, as a method would ask them. Without the internal part of its folder nobody knows these rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

import shoal.costs
from shoal.core.arrays import Bools
from shoal.core.discovery import discover
from shoal.core.errors import ShoalError
from shoal.core.sorting import distinct_rows
from shoal.costs import Cost
from shoal.costs.precision import Precision
from shoal.hierarchies import as_builder
from shoal.hierarchies.raising import raised_table
from shoal.microdata.microdata import encode
from shoal.microdata.partition import DROPPED, Partition
from shoal.recoding.recode import Published, recode
from shoal.release.release_view import Shown
from shoal.tables.encoded_column import Coded
from shoal.tables.roles import Roles
from shoal.tables.star_marks import STAR
from shoal.tables.table import Table
from shoal.utility.spreads import Spread

PAIRS = 200_000_000
"""A cost that compares every row with every class is left out where there are more pairs."""
PAIRWISE = ("kl-divergence",)


@dataclass(frozen=True)
class Loss:
    """A cost of the release; None where it cannot be measured, and why."""

    cost: str
    value: float | None
    reason: str | None = None


@dataclass(frozen=True)
class ColumnLoss:
    """The share of a column's information that its cells lost, 0 to 1: as the codebook states it, else as counted."""

    column: str
    loss: float
    intensity: float | None = None
    """Generalization intensity: the mean over the rows of level / height of the hierarchy. 0 publishes every value, 1
    none. None where cells are no blocks of a hierarchy, or nobody knows which row stands for which."""


def column_losses(
    shown: Shown, columns: Mapping[str, Spread], published: Published | None = None
) -> tuple[ColumnLoss, ...]:
    """Return what each quasi-identifier lost; of two tables, nothing."""
    levels = {} if published is None or shown.is_two else intensities(published)
    stated = {one["name"]: one.get("loss", 0.0) for one in shown.codebook["columns"]}
    return tuple(
        ColumnLoss(name, float(stated[name]) if name in stated else counted_loss(columns[name]), levels.get(name))
        for name in shown.quasi
    )


def intensities(published: Published) -> dict[str, float]:
    """Return the generalization intensity of each column whose cells are blocks; a dropped row counts as all stars."""
    if published.recoding not in Precision.recodings():
        return {}
    partition, found = published.partition, {}
    for cells in published.cells:
        level = cells.height_share[cells.of_group] @ partition.sizes + partition.dropped
        found[cells.column.name] = float(level / len(partition.class_of_row))
    return found


def counted_loss(column: Spread) -> float:
    """Return the mean over the rows of (values that the cell covers - 1) / (values - 1); 0 for a constant column."""
    others = np.bincount(column.owner, minlength=column.cells) - 1
    return float(others[column.of_row].mean() / max(len(column.values) - 1, 1))


def losses(shown: Shown, published: Published | None) -> tuple[Loss, ...]:
    """Measure every cost; of what was published nothing is known where the original rows are not.

    >>> import shoal
    >>> people = pl.DataFrame({"age": [20, 30, 40, 50], "town": ["a", "a", "b", "b"]})
    >>> made = shoal.anonymize(people, quasi=["age", "town"], require="k=2", recoding="suppress")
    >>> {one.cost: one.value for one in losses(Shown.of(made), republished(Shown.of(made), people))}["stars"]
    4.0
    """
    kinds = discover(shoal.costs, Cost)
    if published is None:
        why = (
            "it is unknown which published row stands for which original row"
            if shown.rows is None
            else "some rows are about nobody"
        )
        return tuple(Loss(name, None, why) for name in sorted(kinds))
    return tuple(_measured(_as_asked(kinds[name], shown.codebook["cost"]), published) for name in sorted(kinds))


def _as_asked(kind: type[Cost], stated: Mapping[str, Any]) -> Cost:
    """Return a cost; with the parameters of the release where it is the one that was kept small."""
    own = stated.get("parameters", {}) if kind.name == stated["name"] else {}
    return kind(weights=stated["weights"], k=stated["k"], **own)


def republished(shown: Shown, frame: pl.DataFrame) -> Published | None:
    """Return a release as it was before it was written: the original, raised where it was, classes and their cells.

    None where it is unknown which published row stands for which of the original, or some stand for none.
    """
    if shown.rows is None or shown.counterfeits:
        return None
    roles = Roles.of(frame.columns, quasi=shown.quasi, sensitive=shown.sensitive)
    builders = {
        name: as_builder(spec) for name, spec in shown.hierarchies.items() if name in (*shown.quasi, *shown.sensitive)
    }
    classes = [Coded.of(shown.frame[name]) for name in _together(shown)]
    label, first, _ = distinct_rows([one.codes for one in classes], [one.size for one in classes])
    labels = np.full(frame.height, DROPPED, dtype=np.int64)
    labels[shown.rows[shown.real(frame.height)]] = label
    starred = np.flatnonzero(_all_starred(shown)[first] & shown.form.one_level)
    partition = Partition(labels, int(starred[0]) if len(starred) else None)
    table, _ = raised_table(Table(frame), shown.raised)
    microdata = replace(encode(table, roles, builders), column_recodings=shown.column_recodings)
    return recode(microdata, partition, shown.recoding)


def _together(shown: Shown) -> tuple[str, ...]:
    """Return the columns whose cells say who hides together."""
    return (shown.codebook["names"]["group"],) if shown.is_two else shown.quasi


def _all_starred(shown: Shown) -> Bools:
    cells = shown.frame.select(shown.quasi).select(pl.all().cast(pl.String))
    starred = pl.all().is_null() if shown.stars_are_null else (pl.all() == STAR).fill_null(False)
    return cells.select(pl.all_horizontal(cells.select(starred))).to_series().to_numpy()


def _measured(cost: Cost, published: Published) -> Loss:
    if published.recoding not in cost.recodings():
        return Loss(cost.name, None, f"it does not measure {published.recoding}")
    if cost.name in PAIRWISE and len(published.microdata.counts) * len(published.partition) > PAIRS:
        return Loss(cost.name, None, "the table has too many rows and classes")
    try:
        return Loss(cost.name, float(cost.of(published)))
    except ShoalError as error:
        return Loss(cost.name, None, error.given)
