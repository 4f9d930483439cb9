"""Published record weights compared with what their rounding is said to be, by its definition alone."""

from __future__ import annotations

import polars as pl


def no_multiples(published: pl.Series, multiple: int) -> int:
    """Return how many published weights are no multiple of a number, or 0.

    >>> no_multiples(pl.Series([10, 20, 25, 0]), 10)
    2
    """
    shown = published.cast(pl.Float64)
    return int((~((shown % multiple == 0) & (shown >= multiple))).fill_null(True).sum())


def wrongly_rounded(published: pl.Series, original: pl.Series, multiple: int) -> int:
    """Return how many published weights are not the multiple of a number, above 0, that is nearest to the original's.

    >>> wrongly_rounded(pl.Series([10, 20, 30, 10]), pl.Series([1.5, 15.0, 24.9, 16.0]), 10)
    2
    """
    shown, exact = published.cast(pl.Float64), original.cast(pl.Float64)
    least = (shown == multiple) & (exact > 0) & (exact < multiple)
    near = ((shown - exact).abs() * 2 <= multiple) | least
    return no_multiples(published, multiple) + int((~near & (shown % multiple == 0)).fill_null(False).sum())
