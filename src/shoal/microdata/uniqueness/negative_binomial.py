"""The slide negative binomial (SNB) estimate of population uniques.

The sizes of the population's K classes, less one, are taken as negative binomial with parameters alpha and beta: a
class is a unique with chance beta**alpha. K is estimated by Shlosser's second estimator (Haas and Stokes, Estimating
the number of classes in a finite population, 1998), alpha and beta so that a sample of the fraction pi is expected to
have as many classes of one and of two rows as this one has (Chen and Keller-McNulty, Estimation of identification
disclosure risk in microdata, 1998). With s = (1 - pi) * (1 - beta) these are

    K * pi * (beta / (1 - s))**alpha * (1 + alpha * s / (1 - s))
    K * pi**2 / 2 * alpha * (1 - beta) * beta**alpha / (1 - s)**(alpha + 2) * (2 - (1 - alpha) * s)

Good for larger sampling fractions. Often no parameters give both counts; then there is no estimate.
"""

from __future__ import annotations

import numpy as np
import scipy

from shoal.core.arrays import Floats, Ints

STARTS = ((0.05, 0.05), (0.2, 0.2), (1.0, 0.5), (0.2, 0.8), (5.0, 0.9), (0.02, 0.005))
"""Where the solver starts, one after the other: (alpha, beta)."""
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
    """Return alpha and beta; alpha is sought by its logarithm, beta by its odds', so that both stay in their range."""
    expit = scipy.special.expit

    def missed(point: Floats) -> Floats:
        return _expected(float(np.exp(np.clip(point[0], -40, 40))), float(expit(point[1])), fraction) - wanted

    for alpha, beta in STARTS:
        found = scipy.optimize.root(missed, [np.log(alpha), scipy.special.logit(beta)], method="hybr")
        if np.isfinite(found.x).all() and np.abs(missed(found.x)).max() < CLOSE:
            return float(np.exp(np.clip(found.x[0], -40, 40))), float(expit(found.x[1]))
    return None


def _expected(alpha: float, beta: float, fraction: float) -> Floats:
    """Return the expected share of the population's classes that the sample holds one row of, and two rows of."""
    s = (1 - fraction) * (1 - beta)
    with np.errstate(all="ignore"):
        none = np.exp(alpha * (np.log(beta) - np.log1p(-s))) if beta > 0 else 0.0
        one = fraction * none * (1 + alpha * s / (1 - s))
        two = fraction**2 / 2 * alpha * (1 - beta) * none / (1 - s) ** 2 * (2 - (1 - alpha) * s)
    found: Floats = np.nan_to_num(np.array([one, two]), nan=1e6, posinf=1e6)
    return found
