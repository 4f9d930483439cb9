"""Means, spread, shape and quantiles of columns of numbers, before and after.

After, a cell lies at the values that it covers, with equal shares; a centroid lies where it is. Missing values are left
out on both sides. A quantile is the lowest value at or below which the share of the rows lies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shoal.core.arrays import Floats
from shoal.utility.spreads import Spread

LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9)
"""The quantiles that are compared."""


@dataclass(frozen=True)
class Summary:
    """A column of numbers in a few: None where every value is missing."""

    mean: float | None
    deviation: float | None
    quantiles: tuple[float, ...]
    """At 10, 25, 50, 75 and 90 %."""
    mode: float | None = None
    """The commonest number; of equally common ones the least."""
    kurtosis: float | None = None
    """The fourth central moment / variance squared, less 3: 0 for a normal distribution, more with heavy tails. None
    where all numbers are the same."""


@dataclass(frozen=True)
class Numbers:
    """A column of numbers before and after."""

    column: str
    before: Summary
    after: Summary


def numbers(columns: Mapping[str, Spread]) -> tuple[Numbers, ...]:
    """Compare means, standard deviations and quantiles of all columns of numbers.

    >>> import polars as pl, shoal
    >>> from shoal.release.release_view import Shown
    >>> from shoal.utility.spreads import spreads
    >>> people = {"age": [20, 30, 40, 50]}
    >>> made = shoal.anonymize(people, quasi=["age"], require="k=2", method="mondrian", recoding="range")
    >>> (age,) = numbers(spreads(Shown.of(made), pl.DataFrame(people)))
    >>> age.before.mean, age.after.mean, age.after.quantiles
    (35.0, 35.0, (20.0, 20.0, 30.0, 40.0, 50.0))
    """
    return tuple(
        Numbers(name, summary(one.positions, one.before), summary(one.pair_positions, _pair_shares(one)))
        for name, one in columns.items()
        if one.is_number
    )


def _pair_shares(column: Spread) -> Floats:
    """Return the share of the published rows at each pair of a cell and a value."""
    rows = np.bincount(column.of_row, minlength=column.cells)
    return column.weight * rows[column.owner] / len(column.of_row)


def summary(positions: Floats, shares: Floats) -> Summary:
    """Summarise numbers that so large shares of the rows have.

    >>> summary(np.array([1.0, 3.0, np.nan]), np.array([0.25, 0.25, 0.5]))
    Summary(mean=2.0, deviation=1.0, quantiles=(1.0, 1.0, 1.0, 3.0, 3.0), mode=1.0, kurtosis=-2.0)
    """
    known = ~np.isnan(positions) & (shares > 0)
    positions, shares = positions[known], shares[known]
    if not len(positions):
        return Summary(None, None, ())
    shares = shares / shares.sum()
    mean = float(positions @ shares)
    order = np.argsort(positions)
    reached = np.cumsum(shares[order])
    at = np.minimum(np.searchsorted(reached, np.array(LEVELS) - 1e-12), len(order) - 1)
    quantiles = tuple(positions[order][at].tolist())
    return Summary(mean, float(np.sqrt((positions - mean) ** 2 @ shares)), quantiles, *_shape(positions, shares, mean))


def _shape(positions: Floats, shares: Floats, mean: float) -> tuple[float, float | None]:
    """Return mode and kurtosis."""
    values, place = np.unique(positions, return_inverse=True)
    held = np.bincount(place, weights=shares)
    variance = float((positions - mean) ** 2 @ shares)
    kurtosis = float((positions - mean) ** 4 @ shares) / variance**2 - 3 if len(values) > 1 and variance else None
    return float(values[np.argmax(held > held.max() - 1e-12)]), kurtosis
