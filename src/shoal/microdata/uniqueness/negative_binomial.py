"""The slide negative binomial (SNB) estimate of population uniques.

The sizes of the population's K classes, less one, are taken as negative binomial with parameters alpha and beta: a
class is a unique with chance beta**alpha. K is estimated by Shlosser's second estimator (Haas and Stokes, Estimating
the number of classes in a finite population, 1998), alpha and beta so that a sample of the fraction pi is expected to
have as many classes of one and of two rows as this one has (Chen and Keller-McNulty, Estimation of identification
disclosure risk in microdata, 1998). With s = (1 - pi) * (1 - beta) these are

    K * pi * (beta / (1 - s))**alpha * (1 + alpha * s / (1 - s))
    K * pi**2 / 2 * alpha * (1 - beta) * beta**alpha / (1 - s)**(alpha + 2) * (2 - (1 - alpha) * s)

The second divided by the first is a ratio of polynomials in alpha, so that for every beta one alpha gives the ratio of
the two counts: the root above 0 of a quadratic equation. That leaves one equation in beta, which Brent's method solves.

Good for larger sampling fractions. Often no parameters give both counts; then there is no estimate.
"""

from __future__ import annotations

from math import exp, log, log1p, sqrt

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.core.numerics.brent import root

LOG_ODDS = (-700.0, 30.0)
"""Between which logarithms of beta / (1 - beta) a beta is looked for."""
CLOSE = 1e-6
"""Both counts must be met as closely as this share of the classes."""


def slide_negative_binomial(sizes: Ints, classes: Ints, population: float) -> float | str:
    """Estimate the people who are unique in the population, or say why there is no estimate.

    >>> round(slide_negative_binomial(np.array([1, 2, 3, 4]), np.array([280, 120, 60, 40]), 3000.0))
    266
    >>> slide_negative_binomial(np.array([1, 3]), np.array([50, 10]), 1000.0)
    'no class has two rows'
    """
    if not (sizes == 2).any():
        return "no class has two rows"
    fraction = float((sizes * classes).sum()) / population
    number = shlosser(sizes, classes, fraction)
    wanted = np.array([classes[sizes == 1].sum(), classes[sizes == 2].sum()]) / number
    solved = _solved(wanted, fraction)
    if solved is None:
        return "no parameters of the negative binomial give the classes of one and two rows"
    alpha, beta = solved
    found = float(number * beta**alpha)
    return found if found <= population else "the negative binomial finds more uniques than people"


def shlosser(sizes: Ints, classes: Ints, fraction: float) -> float:
    """Estimate how many classes the population has, by Shlosser's second estimator.

    >>> shlosser(np.array([1, 2]), np.array([3, 4]), 1.0)
    7.0
    """
    i, count, q, rest = sizes.astype(np.float64), classes.astype(np.float64), fraction, 1 - fraction
    if not rest:
        return float(count.sum())
    first = (i * q**2 * (1 - q**2) ** (i - 1) * count).sum() / (((1 - q**2) ** i - rest**i) * count).sum()
    second = (rest**i * count).sum() / (i * q * rest ** (i - 1) * count).sum()
    return float(count.sum() + count[sizes == 1].sum() * first * second**2)


def _solved(wanted: Floats, fraction: float) -> tuple[float, float] | None:
    """Return alpha and beta; beta is sought by the logarithm of its odds, so that it stays in its range."""
    ratio = float(wanted[1] / wanted[0])

    def parameters(log_odds: float) -> tuple[float, float]:
        beta = 1 / (1 + exp(-log_odds))
        return _alpha(beta, fraction, ratio), beta

    def missed(log_odds: float) -> float:
        return float(_expected(*parameters(log_odds), fraction)[0] - wanted[0])

    low, high = LOG_ODDS
    found = parameters(root(missed, low, high) if missed(high) > 0 > missed(low) else high)
    return found if np.abs(_expected(*found, fraction) - wanted).max() < CLOSE else None


def _alpha(beta: float, fraction: float, ratio: float) -> float:
    """Return the alpha above 0 at which the second count is so many times the first."""
    s, half = (1 - fraction) * (1 - beta), fraction * (1 - beta) / 2
    a, b, c = half * s, half * (2 - s) - ratio * (1 - s) * s, ratio * (1 - s) ** 2
    spread = sqrt(b * b + 4 * a * c)
    return 2 * c / (b + spread) if b >= 0 else (spread - b) / (2 * a)


def _expected(alpha: float, beta: float, fraction: float) -> Floats:
    """Return the expected share of the population's classes that the sample holds one row of, and two rows of."""
    s = (1 - fraction) * (1 - beta)
    kept = log(beta / (1 - s)) if beta < 0.5 else log1p(-fraction * (1 - beta) / (1 - s))  # each keeps its digits
    none = exp(alpha * kept)
    one = fraction * none * (1 + alpha * s / (1 - s))
    two = fraction**2 / 2 * alpha * (1 - beta) * none / (1 - s) ** 2 * (2 - (1 - alpha) * s)
    return np.array([one, two])
