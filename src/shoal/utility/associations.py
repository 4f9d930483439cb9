"""Associations of pairs of columns, before and after.

Two columns of numbers: Pearson's correlation. One of them: the correlation ratio, the share of its variance that the
other column's values explain, as a square root. None: Cramer's V. After, the two cells of a row are spread over their
values independently of each other: what a release says of a pair is no more than that. Values are put into up to 20
bins where they are categories, the commonest by themselves and the rest together; missing values are a category, and
rows without a number are left out where it is a number that counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.utility.spreads import Spread

BINS = 20


@dataclass(frozen=True)
class Association:
    """How closely two columns go together, from 0 (-1 for a correlation) to 1; None where one of them is constant."""

    columns: tuple[str, str]
    measure: str
    before: float | None
    after: float | None


def associations(columns: Mapping[str, Spread]) -> tuple[Association, ...]:
    """Compare all pairs.

    >>> import polars as pl, shoal
    >>> from shoal.release.release_view import Shown
    >>> from shoal.utility.spreads import spreads
    >>> people = {"age": [20, 21, 50, 51], "town": ["a", "a", "b", "b"]}
    >>> made = shoal.anonymize(people, quasi=["age", "town"], require="k=2", method="mondrian", recoding="range")
    >>> (pair,) = associations(spreads(Shown.of(made), pl.DataFrame(people)))
    >>> pair.measure, round(pair.before, 4), round(pair.after, 4)
    ('correlation ratio', 0.9994, 0.9994)
    """
    sides = {name: (_before(one), _after(one)) for name, one in columns.items()}
    found = []
    for first, second in combinations(columns, 2):
        kinds = (columns[first].is_number, columns[second].is_number)
        measure, function = _MEASURES[sum(kinds)]
        turned = (second, first) if kinds == (True, False) else (first, second)
        before, after = (function(sides[turned[0]][side], sides[turned[1]][side]) for side in (0, 1))
        found.append(Association((first, second), measure, before, after))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Side:
    """A column on one side: which cell each row shows, and of each cell its bins, mean and mean square."""

    of_row: Ints
    bins: Floats
    mean: Floats
    square: Floats


def _before(column: Spread) -> _Side:
    bins, number = _bins(column)
    at = _centred(column, column.positions)
    return _Side(column.codes, np.eye(number)[bins], at, at**2)


def _after(column: Spread) -> _Side:
    bins, number = _bins(column)
    at = _centred(column, column.pair_positions)
    known = ~np.isnan(at)
    owner, weight, at = column.owner[known], column.weight[known], at[known]
    whole = np.bincount(owner, weights=weight, minlength=column.cells)
    whole = np.where(whole > 0, whole, np.nan)
    mean, square = (np.bincount(owner, weights=weight * x, minlength=column.cells) / whole for x in (at, at**2))
    return _Side(column.of_row, column.folded(bins, number), mean, square)


def _centred(column: Spread, positions: Floats) -> Floats:
    """Move positions so that their squares keep their digits; categories have none."""
    known = column.positions[~np.isnan(column.positions)]
    return positions - (known.mean() if len(known) else 0.0)


def _bins(column: Spread) -> tuple[Ints, int]:
    """Give the commonest values a bin each and the rest one."""
    rank = np.empty(len(column.values), dtype=np.int64)
    rank[np.argsort(-column.before, kind="stable")] = np.arange(len(rank))
    return np.minimum(rank, BINS - 1), min(len(rank), BINS)


def _pairs(first: _Side, second: _Side) -> tuple[Ints, Ints, Ints]:
    """Return the pairs of cells that occur, and how many rows have each."""
    width = int(second.of_row.max()) + 1
    seen, rows = np.unique(first.of_row * width + second.of_row, return_counts=True)
    return seen // width, seen % width, rows


def cramers_v(first: _Side, second: _Side) -> float | None:
    """Return Cramer's V of two categories."""
    left, right, rows = _pairs(first, second)
    joint = (first.bins[left] * rows[:, None]).T @ second.bins[right] / rows.sum()
    joint = joint[joint.sum(axis=1) > 0][:, joint.sum(axis=0) > 0]
    smaller = min(joint.shape) - 1
    if smaller < 1:
        return None
    expected = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return float(np.sqrt(min(((joint - expected) ** 2 / expected).sum() / smaller, 1.0)))


def correlation_ratio(category: _Side, number: _Side) -> float | None:
    """Return the correlation ratio of a number given a category."""
    left, right, rows = _pairs(category, number)
    known = ~np.isnan(number.mean[right])
    share = rows[known] / max(rows[known].sum(), 1)
    mean, square = number.mean[right][known], number.square[right][known]
    bins = category.bins[left][known] * share[:, None]
    total = square @ share - (mean @ share) ** 2
    if not len(mean) or total <= 0:
        return None
    held = bins.sum(axis=0)
    within = (bins * mean[:, None]).sum(axis=0) / np.where(held > 0, held, 1)
    explained = held @ (within - mean @ share) ** 2
    return float(np.sqrt(min(explained / total, 1.0)))


def correlation(first: _Side, second: _Side) -> float | None:
    """Return Pearson's correlation of two numbers."""
    left, right, rows = _pairs(first, second)
    known = ~np.isnan(first.mean[left] + second.mean[right])
    left, right, share = left[known], right[known], rows[known] / max(rows[known].sum(), 1)
    x, y = first.mean[left], second.mean[right]
    variance = [first.square[left] @ share - (x @ share) ** 2, second.square[right] @ share - (y @ share) ** 2]
    if not len(x) or min(variance) <= 0:
        return None
    covariance = (x * y) @ share - (x @ share) * (y @ share)
    return float(np.clip(covariance / np.sqrt(variance[0] * variance[1]), -1, 1))


_MEASURES = {
    0: ("Cramer's V", cramers_v),
    1: ("correlation ratio", correlation_ratio),
    2: ("correlation", correlation),
}
