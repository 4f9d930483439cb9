"""Columns as numbers that a model can learn from, the same for the original and for a release.

A column of numbers becomes itself, standardized by the original; a missing number becomes the mean, and is marked.
Another column becomes a share for each of its 29 commonest values, and one for the rest: 1 and 0 for a value that is
known, parts of 1 for a cell that covers several.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.utility.spreads import Spread

COMMONEST = 30
BINS = 10
"""Bins of a column of numbers, where it is put into bins; a missing number has one of its own."""


def original_features(
    columns: Mapping[str, Spread], names: Sequence[str], rows: Ints, *, binned: bool = False
) -> Floats:
    """Return the features of some rows of the original; numbers may be put into bins."""
    return np.column_stack([_of_values(columns[name], binned)[columns[name].codes[rows]] for name in names])


def published_features(
    columns: Mapping[str, Spread], names: Sequence[str], rows: Ints, *, binned: bool = False
) -> Floats:
    """Return the features of some published rows, each cell at the mean of the values that it covers."""
    return np.column_stack([_of_cells(columns[name], binned)[columns[name].of_row[rows]] for name in names])


def widths(columns: Mapping[str, Spread], names: Sequence[str], *, binned: bool = False) -> list[int]:
    """Return how many features each column becomes."""
    return [int(_of_values(columns[name], binned).shape[1]) for name in names]


def drawn_features(columns: Mapping[str, Spread], names: Sequence[str], rows: Ints, rng: np.random.Generator) -> Floats:
    """Return the features of some published rows, each cell at one of its values, drawn by their shares."""
    return np.column_stack([_of_values(columns[name])[_drawn(columns[name], rows, rng)] for name in names])


def _of_values(column: Spread, binned: bool = False) -> Floats:
    """Return the features of each value."""
    if binned and column.is_number:
        missing = np.isnan(column.positions)
        below = np.cumsum(np.where(missing, 0.0, column.before)) - column.before
        tenth = np.minimum((below * BINS / max(float(column.before[~missing].sum()), 1e-12)).astype(np.int64), BINS - 1)
        return np.asarray(np.eye(BINS + 1)[np.where(missing, BINS, tenth)], dtype=np.float64)
    if not column.is_number:
        commonest = np.argsort(-column.before, kind="stable")[: COMMONEST - 1]
        place = np.full(len(column.values), min(COMMONEST, len(column.values)) - 1)
        place[commonest] = np.arange(len(commonest))
        return np.asarray(np.eye(int(place.max()) + 1)[place], dtype=np.float64)
    at, missing = column.positions, np.isnan(column.positions)
    mean, deviation = _moments(at, column.before, missing)
    scaled = np.where(missing, 0.0, (at - mean) / deviation)
    return np.column_stack([scaled, missing]) if missing.any() else scaled[:, None]


def _moments(at: Floats, shares: Floats, missing: Bools) -> tuple[float, float]:
    """Return mean and standard deviation of the numbers that are known; 0 and 1 where there is nothing to scale by."""
    weights = np.where(missing, 0.0, shares)
    if not weights.sum():
        return 0.0, 1.0
    known = np.where(missing, 0.0, at)
    mean = float(known @ weights / weights.sum())
    return mean, float(np.sqrt((known - mean) ** 2 @ weights / weights.sum())) or 1.0


def _of_cells(column: Spread, binned: bool = False) -> Floats:
    """Return the features of each cell: the mean of those of its values."""
    features = _of_values(column, binned)[column.member] * column.weight[:, None]
    return np.column_stack(
        [np.bincount(column.owner, weights=one, minlength=column.cells) for one in features.T.astype(np.float64)]
    )


def _drawn(column: Spread, rows: Ints, rng: np.random.Generator) -> Ints:
    """Draw a value for each of some rows from those that its cell covers."""
    order = np.argsort(column.owner, kind="stable")
    reached = np.cumsum(column.weight[order])
    sizes = np.bincount(column.owner, minlength=column.cells)
    last = np.cumsum(sizes)
    start = np.where(last > sizes, reached[last - sizes - 1], 0.0)
    cell = column.of_row[rows]
    width = reached[last - 1][cell] - start[cell]
    place = np.searchsorted(reached, start[cell] + rng.random(len(cell)) * width, side="right")
    return column.member[order[np.clip(place, (last - sizes)[cell], last[cell] - 1)]]
