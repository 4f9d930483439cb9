"""Which published rows show no sensitive value: rows of stars whose sensitive cells are all missing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from shoal.core.arrays import Bools
from shoal.tables.star_marks import STAR


def withheld_rows(table: pl.DataFrame, quasi: Sequence[str], sensitive: Sequence[str]) -> Bools:
    """Return the rows whose quasi-identifiers are all stars, if none of them shows a sensitive value; else no row.

    >>> table = pl.DataFrame({"age": ["*", "*", "[20, 30)"], "illness": [None, None, "flu"]})
    >>> withheld_rows(table, ["age"], ["illness"]).tolist()
    [True, True, False]
    >>> withheld_rows(table.with_columns(illness=pl.lit("flu")), ["age"], ["illness"]).tolist()
    [False, False, False]
    """
    starred = np.logical_and.reduce([_is_star(table[name]) for name in quasi])
    shown = any(table[name].filter(pl.Series(starred)).is_not_null().any() for name in sensitive)
    return np.zeros_like(starred) if shown or not sensitive else starred


def _is_star(column: pl.Series) -> Bools:
    if column.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return np.zeros(len(column), dtype=bool)
    found: Bools = (column.cast(pl.String) == STAR).fill_null(False).to_numpy()
    return found
