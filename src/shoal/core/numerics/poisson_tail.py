"""The upper tail of the Poisson distribution, and the mean at which it has a given probability.

The probability of one number is that of Loader: Fast and accurate computation of binomial probabilities, 2000, which
keeps its digits where number and mean are large. The others follow from it by their ratios, of which as many are
multiplied as change the sum; of both tails the one is added up that has the smaller terms.
"""

from __future__ import annotations

from math import exp, inf, isqrt, lgamma, log, log1p, pi

import numpy as np

from shoal.core.arrays import Floats
from shoal.core.numerics.brent import root

SMALL = 16
"""Numbers up to which ln(n!) is taken as it is; above, the series of Stirling's error has 14 digits."""


def log_poisson_tail(number: int, mean: float) -> float:
    """Return the logarithm of the probability that a Poisson number is at least `number`, which is 1 or more.

    >>> round(exp(log_poisson_tail(2, 1.0)), 6)  # 1 - 2 / e
    0.264241
    """
    if mean <= 0:
        return -inf
    if mean < number:
        above = mean / np.arange(number + 1, number + _terms(number))
        return _log_probability(number, mean) + log(_sum_of_products(above))
    below = np.arange(number - 1, max(number - _terms(number), 0), -1) / mean
    return log1p(-exp(_log_probability(number - 1, mean)) * _sum_of_products(below))


def poisson_mean(number: int, probability: float) -> float:
    """Return the mean at which a Poisson number is at least `number` with this probability, above 0 and below 1.

    >>> round(poisson_mean(1, 0.5), 6)  # ln 2
    0.693147
    """
    wanted = log(probability)

    def missed(log_mean: float) -> float:
        return log_poisson_tail(number, exp(log_mean)) - wanted

    low = high = log(number)
    while missed(low) > 0:
        low -= 1
    while missed(high) < 0:
        high += 1
    return exp(root(missed, low, high, tolerance=1e-15))


def _log_probability(number: int, mean: float) -> float:
    """Return the logarithm of the probability of a number; near the mean in Loader's form, without cancellation."""
    if number <= SMALL:
        return number * log(mean) - mean - lgamma(number + 1)
    apart = (mean - number) / number
    ratio = log1p(apart) if abs(apart) < 0.5 else log(mean / number)
    return number * (ratio - apart) - log(2 * pi * number) / 2 - _stirling_error(number)


def _stirling_error(n: int) -> float:
    """Return ln(n!) less Stirling's formula ln(sqrt(2 pi n) (n / e)**n), for large n."""
    square = n * n
    return (1 / 12 - (1 / 360 - (1 / 1260 - 1 / (1680 * square)) / square) / square) / n


def _terms(number: int) -> int:
    """How many terms there are before one is below 1e-17 of the first: the j-th is below exp(-j**2 / (2 n + j))."""
    return 9 * isqrt(number) + 60


def _sum_of_products(ratios: Floats) -> float:
    """Return 1 + a + a b + a b c + ... of the ratios a, b, c, ..."""
    return 1.0 + float(np.cumprod(ratios).sum())
