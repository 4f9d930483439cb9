"""Published record weights compared with those of the original, by the definition of their rounding alone."""

from __future__ import annotations

import polars as pl


def wrongly_rounded(published: pl.Series, original: pl.Series, multiple: int) -> int:
    """Return how many multiples of a number are not the one above 0 that is nearest to the original's weight.

    >>> wrongly_rounded(pl.Series([10, 20, 30, 10]), pl.Series([1.5, 15.0, 24.9, 16.0]), 10)
    2
    """
    shown, exact = published.cast(pl.Float64, strict=False), original.cast(pl.Float64)
    least = (shown == multiple) & (exact > 0) & (exact < multiple)
    near = (shown > 0) & (((shown - exact).abs() * 2 <= multiple) | least)
    return int((~near).fill_null(True).sum())
