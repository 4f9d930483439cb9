"""Individual risk: the chance of a right match for each record of a sample with record weights.

Of a class with f rows whose weights add up to F, F estimates how many people of the population share its
quasi-identifiers. Given f, their number is taken as negative binomial with chance p = f / F, and the risk is the mean
of 1 / people (Benedetti and Franconi, Statistical and technological solutions for controlled data dissemination, 1998;
Franconi and Polettini, Individual risk estimation in mu-Argus, 2004):

    r = (p / f) * 2F1(1, 1; f + 1; 1 - p)

which for f = 1 is p/(1-p) * log(1/p), and for f = 2 is q - q**2 * log(1/p) with q = p/(1-p). sdcMicro takes
r = p / (f - 1 + p) from f = 3 on, unless it is asked for the exact one; so does shoal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import polars as pl

from shoal.core.arrays import Floats, Ints
from shoal.core.errors import RoleError, TableError, nearest
from shoal.risk.attackers import Exceeding, exceeding
from shoal.risk.crowds import Crowds
from shoal.tables.table import Table

MANY = 20
"""From so many rows in a class on, the series needs few terms for any p."""
TERMS = 60


@dataclass(frozen=True)
class IndividualRisk:
    """The individual risks in total."""

    weight: str
    """The column of the record weights."""
    population: float
    """The sum of the weights."""
    highest: float
    average: float
    smallest_population: float
    """The smallest sum of the weights of a class: the estimate of the k of k-map."""
    expected: float
    """How many re-identifications are to be expected, if all rows are tried: the global risk, as a number of rows."""
    exceeding: tuple[Exceeding, ...]
    risks: Floats = field(repr=False, compare=False)
    """Of each row."""


def individual_risks(sizes: Ints, population: Floats, *, exact: bool = False) -> Floats:
    """Return the risk of a row of each class, from the class's number of rows and the sum of their weights.

    Where the weights add up to no more than the rows, the class is all there is, and the risk is 1 / f.

    >>> individual_risks(np.array([1, 2, 3, 3]), np.array([17.0, 100.0, 108.0, 2.0])).round(8).tolist()
    [0.17707583, 0.01877883, 0.01369863, 0.33333333]
    >>> individual_risks(np.array([3]), np.array([108.0]), exact=True).round(8).tolist()
    [0.01355297]
    """
    p, f = np.minimum(sizes / population, 1.0), sizes.astype(np.float64)
    near = (p < 1 / 2) & (f < MANY)
    risk = np.where(near, _by_steps(p, f), _by_series(p, f))
    return risk if exact else np.where((f > 2) & (p < 1), p / (f - 1 + p), risk)


def _by_steps(p: Floats, f: Floats) -> Floats:
    """Return r from that of f = 1 by `r(f + 1) = p/(1-p) * (1/f - r(f))`; keeps its digits where p < 1/2."""
    p = np.minimum(p, 1 / 2)
    odds = p / (1 - p)
    risk = -odds * np.log(p)
    for step in range(1, MANY):
        risk = np.where(f > step, odds * (1 / step - risk), risk)
    return risk


def _by_series(p: Floats, f: Floats) -> Floats:
    """Return r by the series of 2F1, whose terms are `(1 - p)**n / binomial(f + n, n)`."""
    term = total = np.ones(len(p))
    for n in range(1, TERMS):
        term = term * (1 - p) * n / (f + n)
        total = total + term
    return p / f * total


def individual_risk(crowds: Crowds, weights: pl.Series, thresholds: Sequence[Fraction]) -> IndividualRisk:
    """Measure the risk of all rows of a table, with these record weights."""
    people = crowds.sums(weights.cast(pl.Float64).to_numpy())
    risk = individual_risks(crowds.sizes, people)
    total = float((crowds.sizes * risk).sum())
    return IndividualRisk(
        weight=weights.name,
        population=float(weights.sum()),
        highest=float(risk.max()),
        average=total / crowds.rows,
        smallest_population=float(people.min()),
        expected=total,
        exceeding=tuple(exceeding(crowds.sizes, risk > float(one), one) for one in thresholds),
        risks=risk[crowds.class_of_row],
    )


def weights_of(table: Table, weights: str | pl.Series) -> pl.Series:
    """Return the record weights, of a column or given themselves, or say what is wrong with them."""
    if isinstance(weights, str) and weights not in table.columns:
        raise RoleError(f"the table has no column {weights!r} of record weights", hint=nearest(weights, table.columns))
    column = table[weights] if isinstance(weights, str) else weights
    name = column.name
    if not column.dtype.is_numeric():
        raise TableError(f"the record weights in {name!r} have the type {column.dtype}", expected="numbers above 0")
    wrong = int((~(column > 0)).fill_null(True).sum())
    if wrong:
        raise TableError(
            f"{wrong:,} of {len(column):,} record weights in {name!r} are missing or not above 0",
            expected="a number above 0 for every row",
            hint="a weight says how many people of the population a row stands for",
        )
    return column
