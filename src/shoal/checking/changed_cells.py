"""How many published cells are not as in the original: what a release costs its readers, in words that all know."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from shoal.core.arrays import Ints
from shoal.tables.encoded_column import Coded
from shoal.tables.star_marks import cell_text, text_of
from shoal.tables.table import Table


def changed_cells(published: Table, original: Table, rows: Ints, names: Sequence[str]) -> dict[str, int]:
    """Count, by column, the cells that do not show the value of the row that they stand for.

    `rows` says which row of the original each published row stands for.

    >>> shown, people = Table(pl.DataFrame({"age": ["*", "40"]})), Table(pl.DataFrame({"age": [30, 40, 50]}))
    >>> changed_cells(shown, people, np.array([2, 1]), ["age"])
    {'age': 1}
    """
    return {name: _changed(published.coded(name), original.coded(name), rows) for name in names}


def _changed(shown: Coded, original: Coded, rows: Ints) -> int:
    numbers = _numbers(shown.values, original.values)
    ours, theirs = numbers[: shown.size], numbers[shown.size :]
    return int(np.count_nonzero(ours[shown.codes] != theirs[original.codes[rows]]))


def _numbers(shown: pl.Series, original: pl.Series) -> Ints:
    """Return a number for each value of both, the same where a cell shows the value: 30.0 shows 30."""
    texts = not (shown.dtype.is_numeric() and original.dtype.is_numeric())
    both = [text_of(shown), cell_text(original)] if texts else [shown, original]
    values = pl.concat([one.alias("value").to_frame() for one in both], how="vertical_relaxed").to_series()
    return values.rank("dense").fill_null(0).cast(pl.Int64).to_numpy()
