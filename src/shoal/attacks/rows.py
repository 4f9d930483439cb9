"""The published rows of a release as an attacker reads them: their sensitive values, and what their cells cover."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.attacks.crowds import Cover, Covering, Places, cover_of
from shoal.core.arrays import Floats, Ints
from shoal.hierarchies import as_builder
from shoal.release.release_view import Shown
from shoal.tables.encoded_column import distinct_sorted
from shoal.tables.star_marks import unescaped
from shoal.tables.table import numbered


def secret(shown: Shown, name: str) -> pl.Series:
    """Return the published values of a sensitive column, as they were before stars were escaped."""
    return unescaped((shown.tables["sensitive"] if shown.is_two else shown.frame)[name])


def cells(shown: Shown, name: str, known: pl.Series) -> tuple[Ints, Cover, Places | None]:
    """Return the number of each published cell of a column, what each covers, and where it lies if some are centroids.

    `known` are the values that people may have, numbered in their order.
    """
    form = shown.form_of(name)
    if not form.covers:
        return _centroids(shown.frame[name], known)
    builder = as_builder(shown.hierarchies.get(name, "auto")) if form.along_hierarchies else None
    spans, null = form.spans, shown.stars_are_null
    numbers, cover = cover_of(shown.frame[name], known, builder, spans=spans, stars_are_null=null)
    return numbers, cover, None if shown.form.covers else Covering.of(cover, int(numbers.max()) + 1)


@dataclass(frozen=True, eq=False)
class Rows:
    """Published rows with their sensitive values; of two tables a row for each value that a person's group has."""

    person: Ints
    """The row of the table of the people."""
    value: Ints
    """The row of the table that has the sensitive values."""
    weights: Floats
    first: Ints
    """A row here of each row of the table of the people."""
    group: Ints | None = None

    @classmethod
    def of(cls, shown: Shown) -> Rows:
        """Read them of a release."""
        rows = np.arange(shown.frame.height)
        if not shown.is_two:
            return cls(rows, rows, np.ones(len(rows)), rows)
        group, count = shown.codebook["names"]["group"], shown.codebook["names"]["count"]
        values = shown.tables["sensitive"].select(
            pl.col(group).alias("group"),
            (pl.col(count) / pl.col(count).sum().over(group)).alias("share"),
            pl.int_range(pl.len()).alias("value"),
        )
        people = shown.frame.select(pl.col(group).alias("group"), pl.int_range(pl.len()).alias("person"))
        both = people.join(values, on="group", maintain_order="left_right")
        person = both["person"].to_numpy()
        return cls(
            person,
            both["value"].to_numpy(),
            both["share"].to_numpy(),
            np.searchsorted(person, rows),
            both["group"].rank("dense").cast(pl.Int64).to_numpy() - 1,
        )

    def always(self, quasi: Sequence[str]) -> tuple[dict[str, Ints], dict[str, Cover]]:
        """Return what belongs to every class: the groups of two tables, which nobody's knowledge excludes."""
        if self.group is None:
            return {}, {}
        groups, name = np.arange(int(self.group.max()) + 1), "".join(quasi) + "#"
        return {name: self.group}, {name: Cover(np.array([0, len(groups)]), groups)}


def _centroids(shown: pl.Series, known: pl.Series) -> tuple[Ints, Cover, Places]:
    """Read a column of centroids: numbers and dates lie on a line as long as their range, other values do not."""
    values, cells = distinct_sorted(known), shown.unique(maintain_order=True)
    number = numbered(shown.to_frame("value"), cells.to_frame("value"))
    line = known.dtype.is_numeric() or known.dtype.is_temporal()
    if line:
        at, where = (_positions(column) for column in (cells, values))
        span = float(np.nanmax(where) - np.nanmin(where)) if np.isfinite(where).any() else 0.0
        places = Places(at / (span or 1.0), where / (span or 1.0), True)
    else:
        texts = {text: float(place) for place, text in enumerate(values.cast(pl.String))}
        at = np.array([texts.get(text, -1.0) for text in unescaped(cells).cast(pl.String)])
        places = Places(at, np.arange(len(values), dtype=np.float64), False)
    return number, Cover.of([np.zeros(0, dtype=np.int64)] * len(cells), len(values)), places


def _positions(column: pl.Series) -> Floats:
    physical = column.to_physical() if column.dtype.is_temporal() else column
    return physical.cast(pl.Float64).fill_null(float("nan")).to_numpy()
