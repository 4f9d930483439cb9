"""The digamma function, the derivative of the logarithm of the gamma function, of numbers above 0.

By its recurrence `digamma(x) = digamma(x + 1) - 1 / x` until the argument is large, and then by its asymptotic series
(Abramowitz and Stegun 1964, 6.3.5 and 6.3.18).
"""

from __future__ import annotations

import numpy as np

from shoal.core.arrays import Floats

STEPS = 10
"""How often the argument is raised by 1: above 10 the first term left out is below 1e-15."""
SERIES = (-1 / 12, 1 / 120, -1 / 252, 1 / 240, -1 / 132, 691 / 32_760)
"""The coefficients of 1 / x**2, 1 / x**4, ...: Bernoulli numbers B(2j) / 2j, with the sign turned."""


def digamma(x: float | Floats) -> Floats:
    """Return digamma of each number; all are above 0.

    >>> digamma(np.array([1.0, 2.0])).round(12).tolist()  # minus Euler's constant, and 1 more
    [-0.577215664902, 0.422784335098]
    """
    given = np.asarray(x, dtype=np.float64)
    below = sum((1 / (given + step) for step in range(STEPS)), np.zeros(()))
    large = given + STEPS
    inverse, series = 1 / large**2, np.zeros(())
    for coefficient in reversed(SERIES):
        series = (series + coefficient) * inverse
    found: Floats = np.log(large) - 1 / (2 * large) + series - below
    return found
