"""Record weights rounded to multiples of a number, so that rare weights do not single people out."""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.core.errors import TableError

LARGEST = 2.0**53
"""Up to here every whole number is one in floating point."""


def rounded_weights(weights: pl.Series, multiple: int) -> pl.Series:
    """Return weights above 0 rounded to the nearest multiple, halves up, and never to 0: then to the multiple itself.

    >>> rounded_weights(pl.Series("weight", [0.5, 14.9, 15.0, 102.25]), 10).to_list()
    [10, 10, 20, 100]
    """
    exact = weights.cast(pl.Float64).to_numpy()
    if exact.max(initial=0) > LARGEST:
        raise TableError(f"a record weight in {weights.name!r} is too large to be rounded", expected="at most 2**53")
    rest = np.fmod(exact, multiple)  # exact, as are all steps that follow
    near = exact - rest + np.where(2 * rest >= multiple, multiple, 0)
    return pl.Series(weights.name, np.maximum(near, multiple)).cast(pl.Int64)
