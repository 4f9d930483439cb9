"""Marginals: how far each column by itself has moved.

The total variation distance between the shares of the original's rows with each value, and those of the published rows
with each cell spread evenly over the values that it covers: half the sum of the differences, the share of rows that
would have to change their value. 0 is the same distribution; a star spreads a column to one in which all values are
equally common.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from shoal.core.arrays import Floats
from shoal.tables.star_marks import cell_text
from shoal.utility.spreads import Spread


@dataclass(frozen=True)
class Marginal:
    """One column: how far its distribution has moved, and how many values it had."""

    column: str
    values: int
    distance: float
    mode_before: str | None = None
    """The commonest value; of equally common ones the first. None where it is the missing one."""
    mode_after: str | None = None


def marginals(columns: Mapping[str, Spread]) -> tuple[Marginal, ...]:
    """Compare every column's distribution before and after.

    >>> import polars as pl, shoal
    >>> from shoal.release.release_view import Shown
    >>> from shoal.utility.spreads import spreads
    >>> people = {"age": [20, 20, 20, 50], "town": ["a", "a", "b", "b"]}
    >>> made = shoal.anonymize(people, quasi=["age", "town"], require="k=4", method="mondrian")
    >>> [(one.column, one.distance) for one in marginals(spreads(Shown.of(made), pl.DataFrame(people)))]
    [('age', 0.25), ('town', 0.0)]
    """
    return tuple(
        Marginal(name, len(one.values), distance(one.before, one.after), _mode(one, one.before), _mode(one, one.after))
        for name, one in columns.items()
    )


def _mode(column: Spread, shares: Floats) -> str | None:
    """Return the value with the largest share, as text."""
    first = int(np.argmax(shares > shares.max() - 1e-12))
    found: str | None = cell_text(column.values[first : first + 1])[0]
    return found


def distance(before: Floats, after: Floats) -> float:
    """Return the total variation distance of two distributions."""
    return float(np.abs(before - after).sum() / 2)
