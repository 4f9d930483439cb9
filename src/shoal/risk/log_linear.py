"""Log-linear risk: how many sample uniques are unique in the population, by a model of all cells of the table.

A cell is a combination of values of the quasi-identifiers. Its F people are taken as Poisson with mean lambda, each of
whom is in the sample with chance pi. Given that the sample holds one of them, the others are Poisson with mean
h = (1 - pi) * lambda, so that (Skinner and Holmes, Estimating the re-identification risk per record in microdata, 1998;
Skinner and Shlomo, Assessing identification risk in survey microdata using log-linear models, 2008)

    P(F = 1 | f = 1) = exp(-h)                 E(1 / F | f = 1) = (1 - exp(-h)) / h

lambda is the log-linear model whose counts by single columns, and by the sets of columns that interact, are those of
the table. Columns that no interaction joins are independent: their shares are multiplied. Those joined are fitted by
iterative proportional fitting over all their cells. With record weights the counts are the sums of the weights (pseudo
maximum likelihood), and pi of a sample unique is 1 / its weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import prod

import numpy as np

from shoal.core.arrays import Floats
from shoal.core.errors import ParameterError, RoleError, nearest
from shoal.risk.crowds import Crowds
from shoal.tables.roles import listed

PAIRS = "pairs"
"""The word for an interaction of every two columns."""
MOST_CELLS = 2_000_000
"""Cells of columns that interactions join, at most; of more, the uniques expected are not added up either."""
ROUNDS = 500
CLOSE = 1e-6
"""Counts of the model are those of the table to this share of the people."""


@dataclass(frozen=True)
class LogLinearRisk:
    """What a log-linear model expects of the sample uniques."""

    interactions: tuple[tuple[str, ...], ...]
    """Sets of columns whose counts together are those of the table; every column alone is always there."""
    population: float
    uniques: int
    """Rows that are unique in the table."""
    expected_uniques: float | None
    """Rows that the model expects to be unique in the table: far from `uniques`, it does not fit. None where there are
    too many cells to add up."""
    population_uniques: float
    """How many of the unique rows are expected to be unique in the population."""
    matches: float
    """How many right matches are to be expected, if all unique rows are tried: the sum of E(1 / F)."""
    risks: Floats = field(repr=False, compare=False)
    """E(1 / F) of each row that is unique in the table, 0 of all others."""


def log_linear_risk(
    crowds: Crowds,
    population: float,
    interactions: Sequence[Sequence[str] | str] | str = (),
    weights: Floats | None = None,
) -> LogLinearRisk:
    """Fit the model of a table that is a sample of so many people, and measure the risk of its unique rows.

    >>> import polars as pl
    >>> some = Crowds.of(pl.DataFrame({"age": [1, 1, 1, 2, 2, 3], "town": ["a", "a", "b", "a", "a", "b"]}))
    >>> found = log_linear_risk(some, 12.0)
    >>> found.uniques, round(found.population_uniques, 3), round(found.matches, 3)
    (2, 1.084, 1.483)
    >>> log_linear_risk(some, 12.0, "pairs").interactions
    (('age', 'town'),)
    """
    names = [column.name for column in crowds.columns]
    asked = joined_columns(names, interactions)
    people = np.full(crowds.rows, population / crowds.rows) if weights is None else weights * population / weights.sum()
    shares = [
        _Shares(crowds, tuple(names.index(one) for one in group), asked, people) for group in _components(names, asked)
    ]
    unique = np.flatnonzero(crowds.sizes == 1)
    expected = population * np.multiply.reduce([one.of_class[unique] for one in shares])
    chance = np.minimum(1 / people[crowds.first[unique]], 1.0)
    others = (1 - chance) * expected
    risks = np.divide(-np.expm1(-others), others, out=np.ones(len(others)), where=others > 0)
    of_class = np.zeros(crowds.classes)
    of_class[unique] = risks
    return LogLinearRisk(
        interactions=asked,
        population=population,
        uniques=len(unique),
        expected_uniques=_expected_uniques(shares, crowds.rows),
        population_uniques=float(np.exp(-others).sum()),
        matches=float(risks.sum()),
        risks=of_class[crowds.class_of_row],
    )


def joined_columns(
    names: Sequence[str], interactions: Sequence[Sequence[str] | str] | str
) -> tuple[tuple[str, ...], ...]:
    """Return the interactions asked for, each once and none that is part of another, or say what is wrong with one.

    >>> joined_columns(["a", "b", "c"], [["b", "a"], "c,b", ["a", "b", "b"]])
    (('a', 'b'), ('b', 'c'))
    """
    if interactions == PAIRS:
        return tuple(combinations(names, 2))
    found = []
    for one in [interactions] if isinstance(interactions, str) else interactions:
        parts = [part.strip() for part in one.split(",")] if isinstance(one, str) else list(listed(one))
        if parts == [PAIRS]:
            return tuple(combinations(names, 2))
        for unknown in (part for part in parts if part not in names):
            raise RoleError(f"{unknown!r} in an interaction is not a quasi-identifier", hint=nearest(unknown, names))
        if len(set(parts)) < 2:
            raise ParameterError("an interaction has one column", expected="two columns or more, or the word 'pairs'")
        found.append(frozenset(parts))
    kept = dict.fromkeys(one for one in found if not any(one < other for other in found))
    return tuple(tuple(name for name in names if name in one) for one in kept)


def _components(names: Sequence[str], interactions: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return the columns by what interactions join, directly or by others."""
    groups = [{name} for name in names]
    for one in interactions:
        touched = [group for group in groups if group & set(one)]
        groups = [group for group in groups if not group & set(one)] + [set().union(*touched)]
    return [tuple(name for name in names if name in group) for group in groups]


class _Shares:
    """The share of the people in each cell of columns that interactions join."""

    def __init__(
        self, crowds: Crowds, columns: tuple[int, ...], interactions: Sequence[tuple[str, ...]], people: Floats
    ) -> None:
        found = [np.unique(crowds.columns[index].codes, return_inverse=True) for index in columns]
        shape = tuple(len(values) for values, _ in found)
        if prod(shape) > MOST_CELLS and len(columns) > 1:
            joined = ", ".join(crowds.columns[index].name for index in columns)
            raise ParameterError(
                f"interactions join {joined}: {prod(shape):,} cells",
                expected=f"{MOST_CELLS:,} at most",
                hint="leave an interaction out, or name one of fewer columns",
            )
        cell = np.ravel_multi_index([codes for _, codes in found], shape)
        counts = np.bincount(cell, weights=people, minlength=prod(shape)).reshape(shape).astype(np.float64)
        names = [crowds.columns[index].name for index in columns]
        axes = [tuple(names.index(name) for name in one) for one in interactions if one[0] in names]
        self.cells = (fit(counts, axes) if axes else counts).ravel() / people.sum()
        self.of_class = self.cells[cell[crowds.first]]


def fit(counts: Floats, margins: Sequence[tuple[int, ...]]) -> Floats:
    """Return the likeliest table with the same counts over these axes, by iterative proportional fitting.

    >>> fit(np.array([[4.0, 0.0], [2.0, 2.0]]), [(0,), (1,)]).tolist()
    [[3.0, 1.0], [3.0, 1.0]]
    """
    fitted = np.full(counts.shape, counts.sum() / counts.size)
    wanted = [(axes, _margin(counts, axes)) for axes in margins]
    for _ in range(ROUNDS):
        farthest = 0.0
        for axes, want in wanted:
            have = _margin(fitted, axes)
            farthest = max(farthest, float(np.abs(want - have).max()))
            fitted *= np.divide(want, have, out=np.zeros_like(want), where=have > 0)
        if farthest <= CLOSE * float(counts.sum()):
            break
    return fitted


def _margin(table: Floats, axes: tuple[int, ...]) -> Floats:
    summed: Floats = table.sum(axis=tuple(axis for axis in range(table.ndim) if axis not in axes), keepdims=True)
    return summed


def _expected_uniques(shares: Sequence[_Shares], rows: int) -> float | None:
    """Return how many cells the model expects to hold one row."""
    if prod(len(one.cells) for one in shares) > MOST_CELLS:
        return None
    cells = np.array([float(rows)])
    for one in shares:
        cells = np.multiply.outer(cells, one.cells).ravel()
    return float((cells * np.exp(-cells)).sum())
