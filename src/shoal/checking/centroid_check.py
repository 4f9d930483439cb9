"""Whether published centroids are those of the original rows that they stand for.

This is the checker's own arithmetic: it shares no code with `shoal.recoding.recode`.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from shoal.tables.encoded_column import distinct_sorted, is_ordered
from shoal.tables.star_marks import cell_text, text_of

CLOSE = 1e-9
"""How far a mean may be off, as a share of the largest number of its class."""


def wrong_centroids(
    shown: pl.DataFrame, original: pl.DataFrame, rows: pl.Series, quasi: Sequence[str], columns: Sequence[str]
) -> int:
    """Return how many published rows show a cell that is not the centroid of the original rows of their class.

    Classes are rows with equal cells of all quasi-identifiers, of which some columns are centroids.
    """
    if not columns:
        return 0
    of_row = shown.select(pl.struct(pl.col(quasi).cast(pl.String)).rank("dense")).to_series().rename("class")
    bad = pl.Series([False] * shown.height)
    for name in columns:
        column = original[name]
        held = pl.DataFrame([of_row, column.gather(rows).rename("value")])
        if column.dtype.is_numeric():
            bad |= ~_are_means(shown[name], held)
        else:
            expected = _medians(held) if is_ordered(column) and column.dtype != pl.Boolean else _commonest(held, column)
            bad |= ~text_of(shown[name]).eq_missing(cell_text(expected))
    return int(bad.sum())


def _mostly_missing() -> pl.Expr:
    return 2 * pl.col("value").null_count() > pl.len()


def _are_means(shown: pl.Series, held: pl.DataFrame) -> pl.Series:
    """Whether each row shows the mean of the known numbers of its class, or missing where most are."""
    number = pl.col("value").cast(pl.Float64)
    looked = held.with_columns(shown.cast(pl.Float64, strict=False).alias("shown")).select(
        pl.when(_mostly_missing().over("class"))
        .then(pl.col("shown").is_null())
        .otherwise((pl.col("shown") - number.mean().over("class")).abs() <= CLOSE * number.abs().max().over("class"))
        .fill_null(False)
    )
    return looked.to_series()


def _medians(held: pl.DataFrame) -> pl.Series:
    """Return the lower median of the known values of each row's class, or missing where most are."""
    known = pl.col("value").drop_nulls().sort()
    middle = known.get((pl.col("value").count().cast(pl.Int64) - 1) // 2, null_on_oob=True)
    medians = held.group_by("class").agg(pl.when(_mostly_missing()).then(None).otherwise(middle).alias("median"))
    return held.join(medians, on="class", how="left", maintain_order="left")["median"]


def _commonest(held: pl.DataFrame, column: pl.Series) -> pl.Series:
    """Return the commonest value of each row's class, of several the first."""
    ranked = distinct_sorted(column).alias("value").to_frame().with_row_index("rank")
    counted = held.group_by("class", "value").len().join(ranked, on="value", nulls_equal=True)
    first = counted.sort("len", "rank", descending=[True, False]).unique("class", keep="first")
    found = held.select("class").join(first, on="class", how="left", maintain_order="left")
    return found["value"]
