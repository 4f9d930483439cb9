"""Pitman's estimate of population uniques: the sample as a draw from Pitman's model of how a population splits.

The model has two parameters: new people found new classes at a rate that theta sets for few people and alpha for many.
Both are those under which the sample's class sizes are likeliest, and of N people

    Gamma(theta + 1) / Gamma(theta + alpha) * N**alpha

are then expected to be unique (Hoshino, Applying Pitman's sampling formula to microdata disclosure risk assessment,
2001), if alpha is above 0. Good for small sampling fractions.

Sizes that are more even give an alpha below 0: then the population has m = theta / -alpha classes, whose shares are
drawn alike (Dirichlet). The formula above holds for large N / theta alone, which here may be small; so the expectation
itself is taken, with no limit of N:

    N * Gamma(theta + 1) / Gamma(theta + N) * Gamma(theta + alpha + N - 1) / Gamma(theta + alpha)

For every alpha the likeliest theta is found by Brent's method, then the likeliest alpha: both derivatives change their
sign once in the range. Where they do not, the model does not fit, and the answer is why.
"""

from __future__ import annotations

from math import lgamma
from typing import Any

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.core.numerics.brent import root
from shoal.core.numerics.digamma import digamma

EDGE = 1e-6
"""How close to 0 and 1 alpha is looked for."""
FARTHEST = 1e12
"""How far out theta is looked for."""
LEAST = 1e4
"""How far below 0 alpha is looked for; there the classes are as good as equally likely."""
LARGE = 1e6
"""From here on the difference of digamma functions has fewer digits than its series."""


def pitman(sizes: Ints, classes: Ints, population: float) -> float | str:
    """Estimate the people who are unique in the population, or say why there is no estimate.

    >>> round(pitman(np.array([1, 2, 3, 8, 30]), np.array([60, 12, 5, 2, 1]), 10_000.0))
    1229
    >>> round(pitman(np.array([1, 2, 3, 5, 9]), np.array([20, 14, 10, 6, 2]), 2_000.0))
    2
    >>> pitman(np.array([1]), np.array([50]), 10_000.0)
    'every row is unique in the sample'
    """
    if int(classes[sizes > 1].sum()) == 0:
        return "every row is unique in the sample"
    if int(classes.sum()) == 1:
        return "the sample has only one class"
    model = _Pitman(sizes, classes)
    try:
        above = model.alpha_slope(EDGE) > 0
        alpha = root(model.alpha_slope, *((EDGE, 1 - EDGE) if above else model.below()))
        theta = model.theta(alpha)
    except ValueError:
        return "no parameters of Pitman's model are likeliest"
    found = float(np.exp(_expected(theta, alpha, population)))
    return found if found <= population else "Pitman's model finds more uniques than people"


def _expected(theta: float, alpha: float, population: float) -> float:
    """Return the logarithm of the number of people who are expected to be unique."""
    start = lgamma(theta + 1) - lgamma(theta + alpha)
    if alpha > 0:
        return start + alpha * float(np.log(population))
    later = lgamma(theta + alpha + population - 1) - lgamma(theta + population)
    return start + later + float(np.log(population))


class _Pitman:
    """The derivatives of the likelihood, with its sums written as differences of digamma functions."""

    def __init__(self, sizes: Ints, classes: Ints) -> None:
        self.sizes, self.classes = sizes.astype(np.float64), classes.astype(np.float64)
        self.rows, self.number = float((self.sizes * self.classes).sum()), float(self.classes.sum())

    def theta(self, alpha: float) -> float:
        """Return the likeliest theta for an alpha; what is above its least value is spread over many powers of ten."""
        least, most = np.log(EDGE), np.log(FARTHEST)
        lowest = -alpha if alpha > 0 else -alpha * (self.number - 1)
        power = root(lambda x: self.theta_slope(float(np.exp(x)) + lowest, alpha), least, most)
        return float(np.exp(power) + lowest)

    def below(self) -> tuple[float, float]:
        """Return two alphas below 0 between which the likeliest lies, or raise `ValueError`."""
        upper = -EDGE
        while upper > -LEAST:
            lower = 4 * upper
            if self.alpha_slope(lower) > 0:
                return lower, upper
            upper = lower
        raise ValueError("the classes are more alike in size than equally likely ones")

    def theta_slope(self, theta: float, alpha: float) -> float:
        """Return sum of 1 / (theta + i alpha) over i < classes, less sum of 1 / (theta + i) over i < rows."""
        return float(self._founding(theta, alpha) - _rise(theta + 1, self.rows - 1))

    def _founding(self, theta: float, alpha: float) -> float:
        """Return sum of 1 / (theta + i alpha) over 0 < i < classes; below 0 the terms are added from the other end."""
        first = theta / alpha + 1 if alpha > 0 else theta / -alpha - self.number + 1
        return float(_rise(first, self.number - 1) / abs(alpha))

    def alpha_slope(self, alpha: float) -> float:
        """Return sum of i / (theta + i alpha) over i < classes, less that of 1 / (j - alpha) over joining rows."""
        theta = self.theta(alpha)
        founding = (self.number - 1 - theta * self._founding(theta, alpha)) / alpha
        joining = (self.classes * _rise(1 - alpha, self.sizes - 1)).sum()
        return float(founding - joining)


def _rise(x: float, steps: float | Floats) -> Any:
    """Return 1/x + 1/(x + 1) + ... of so many steps; where x is large, by a series that keeps the digits."""
    if x > LARGE:
        return np.log1p(steps / x) + steps / (2 * x * (x + steps))
    return digamma(x + steps) - digamma(x)
