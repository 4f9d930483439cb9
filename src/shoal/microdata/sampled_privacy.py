"""(epsilon, delta)-differential privacy by sampling and k-anonymity (Li, Qardaji and Su 2012): beta and k.

Every row is drawn by itself with probability beta and becomes a cell that its own values alone decide; cells with fewer
than k drawn rows are not published. Take two tables, one with a row more. Only the number of drawn rows with that row's
cell differs: it is binomial of n rows in one table and of m = n + 1 in the other, and below k it shows as nothing.

- Showing j >= k rows, or nothing, is at most 1 / (1 - beta) times as likely without the row as with it, so at most
  e^epsilon times as likely where epsilon >= -ln(1 - beta).
- Showing j >= k rows is (1 - beta) * m / (m - j) times as likely with the row as without it: at most e^epsilon times
  where j <= gamma * m, gamma = 1 - (1 - beta) / e^epsilon. Showing nothing is less likely with it.

So (epsilon, delta)-differential privacy holds with delta the largest probability, over all m, that a binomial number
of m rows is at least k and above gamma * m. Where gamma * m < k that is P(at least k), which rises with m; so m starts
at ceil(k / gamma) - 1. By Chernoff's bound it is at most exp(-m * D), D the relative entropy of gamma to beta: once
that is below the largest probability found, no larger m has a larger one.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import ceil, comb, floor, log, log1p

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.core.errors import ParameterError
from shoal.core.numerics.log_gamma import log_gamma
from shoal.core.parameters import Number, Numeral

EPSILON = Number("epsilon", "largest logarithm of a ratio of probabilities", Fraction(1, 1000), 5)
DELTA = Number("delta", "largest probability that the ratio is larger", 0, Fraction(1, 2), above=True)
BETA = Number("beta", "probability that a row is drawn", 0, 1, above=True)
GRAINS = 2**32
"""Probabilities to draw a row are multiples of 1 / GRAINS, so that whole random numbers hit them exactly."""
DIGITS = 60
HAIR = Decimal("1e-50")
"""By how much numbers of that many digits are taken to the safe side."""


@dataclass(frozen=True)
class Sampling:
    """What is drawn and what is dropped, and the delta that follows."""

    epsilon: Fraction
    delta: Fraction
    beta: Fraction
    k: int
    reached: float
    """The delta that beta and k give, rounded up: at most the one asked for."""


def sampling(epsilon: Numeral, delta: Numeral, beta: Numeral | None = None) -> Sampling:
    """Return the sampling for an epsilon and a delta, k as small as it can be.

    Without a beta the largest is taken that epsilon allows, 1 - e^-epsilon: more rows are drawn, and k is larger.

    >>> found = sampling(1, "1e-6")
    >>> round(float(found.beta), 4), found.k, found.reached <= 1e-6
    (0.6321, 74, True)
    """
    wanted, allowed = EPSILON.read(epsilon, "sampling"), DELTA.read(delta, "sampling")
    most = most_drawn(wanted)
    drawn = most if beta is None else Fraction(floor(BETA.read(beta, "sampling") * GRAINS), GRAINS)
    if drawn > most or drawn <= 0:
        raise ParameterError(
            f"sampling: beta is {beta!r}", expected=f"a number above 0 and at most 1 - e^-epsilon, {float(most):.6g}"
        )
    gamma = _gamma(wanted, drawn)
    k = _roughly(gamma, drawn, allowed)
    reached = worst_tail(k, gamma, drawn)
    while reached > Decimal(allowed.numerator) / allowed.denominator:
        k += 1
        reached = worst_tail(k, gamma, drawn)
    return Sampling(wanted, allowed, drawn, k, float(reached) * (1 + 1e-12))


def most_drawn(epsilon: Fraction) -> Fraction:
    """Return 1 - e^-epsilon, rounded down to a multiple of 1 / GRAINS."""
    with localcontext(prec=DIGITS):
        share = 1 - (-_decimal(epsilon)).exp() - HAIR
        return Fraction(floor(share * GRAINS), GRAINS)


def _gamma(epsilon: Fraction, beta: Fraction) -> Fraction:
    """Return 1 - (1 - beta) / e^epsilon, rounded down: a smaller gamma gives a larger delta."""
    with localcontext(prec=DIGITS):
        return Fraction(1 - (1 - _decimal(beta)) * (-_decimal(epsilon)).exp() - HAIR)


def worst_tail(k: int, gamma: Fraction, beta: Fraction) -> Decimal:
    """Return the largest probability, over all m, that of m rows at least k and more than gamma * m are drawn."""
    rate = _divergence(float(gamma), float(beta)) * (1 - 1e-9)
    rows = max(ceil(k / gamma) - 1, 1)
    worst = Decimal(0)
    while Decimal(-rate * rows).exp() >= worst:
        worst = max(worst, _tail(rows, floor(gamma * rows) + 1, beta))
        rows += 1
    return worst


def _tail(rows: int, least: int, beta: Fraction) -> Decimal:
    """Return the probability that at least so many of the rows are drawn, to 50 digits, rounded up."""
    if least > rows:
        return Decimal(0)
    with localcontext(prec=DIGITS):
        p = _decimal(beta)
        term = comb(rows, least) * p**least * (1 - p) ** (rows - least)
        total, odds = term, p / (1 - p)
        for drawn in range(least, rows):
            ratio = odds * (rows - drawn) / (drawn + 1)
            term *= ratio
            total += term
            if ratio < Decimal("0.9") and term < total * HAIR:
                total += 10 * term  # what is left falls at least by this ratio
                break
        return total * (1 + HAIR)


def _divergence(gamma: float, beta: float) -> float:
    """Return the relative entropy of gamma to beta."""
    rest = (1 - gamma) * log((1 - gamma) / (1 - beta)) if gamma < 1 else 0.0
    return gamma * log(gamma / beta) + rest


def _roughly(gamma: Fraction, beta: Fraction, delta: Fraction) -> int:
    """Return about the smallest k, or one less, by floating point: where to begin."""
    low, high = 0, 1
    while _rough_tail(high, float(gamma), float(beta)) > float(delta):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        met = _rough_tail(middle, float(gamma), float(beta)) <= float(delta)
        low, high = (low, middle) if met else (middle, high)
    return max(high - 1, 1)


def _rough_tail(k: int, gamma: float, beta: float) -> float:
    start = max(ceil(k / gamma) - 1, 1)
    rows = np.arange(start, start + ceil(8 / _divergence(gamma, beta)) + 2)
    least = np.floor(gamma * rows).astype(np.int64) + 1
    some = least <= rows
    return float(_rough_tails(rows[some], least[some], beta).max(initial=0.0))


def _rough_tails(rows: Ints, least: Ints, beta: float) -> Floats:
    """Return the probability that at least so many of the rows are drawn, in floating point.

    More than gamma of the rows are drawn: so each term is less than half of the one before, and 60 are enough.
    """
    ways = log_gamma(rows + 1) - log_gamma(least + 1) - log_gamma(rows - least + 1)
    term = np.exp(ways + least * log(beta) + (rows - least) * log1p(-beta))
    total: Floats = term
    for more in range(60):
        drawn = least + more
        term = term * beta / (1 - beta) * (rows - drawn) / (drawn + 1)
        total = total + term
    return total


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / number.denominator
