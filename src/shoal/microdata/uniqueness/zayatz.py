"""Zayatz's estimate: how many sample uniques are unique in the population too.

The classes of the population are taken to have the sizes that those of the sample have, in the same shares. Then
Bayes' rule says how likely a class of one row in the sample is one of a single person, rather than one of size i of
which the sample holds one: hypergeometric (Zayatz, Estimation of the number of unique population elements using a
sample, 1991). It needs no solving and always exists; for small sampling fractions it is too high.
"""

from __future__ import annotations

from math import lgamma

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.core.numerics.log_gamma import log_gamma


def zayatz(sizes: Ints, classes: Ints, population: float) -> float:
    """Estimate the people who are unique in the population.

    `classes` says how many classes of each of these `sizes` the sample has; there are uniques among them.

    >>> round(zayatz(np.array([1, 2]), np.array([50, 25]), 1000.0), 1)
    263.0
    """
    rows = float((sizes * classes).sum())
    one = _holds_one(sizes.astype(np.float64), rows, population)
    certain = float((one * classes)[sizes == 1].sum() / (one * classes).sum())
    return float(classes[sizes == 1].sum() * certain * population / rows)


def _holds_one(size: Floats, rows: float, population: float) -> Floats:
    """Return the chance that a sample of so many rows holds exactly one of a class of the population of a size."""
    rest = population - size
    possible = rest >= rows - 1
    rest = np.where(possible, rest, rows)
    ways = log_gamma(rest + 1) - lgamma(rows) - log_gamma(rest - rows + 2)
    all_ways = lgamma(population + 1) - lgamma(rows + 1) - lgamma(population - rows + 1)
    return np.where(possible, size * np.exp(ways - all_ways), 0.0)
