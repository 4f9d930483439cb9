"""A choice with epsilon-differential privacy: the exponential mechanism (McSherry and Talwar 2007).

Every option has a score, which a row more in the table never lowers and raises by at most `sensitivity`. An option of
score s is chosen with probability exp(epsilon * s / sensitivity) / Z, Z the sum over all options. Take two tables, one
with a row more: every exp(...) is at least as large with the row, and at most e^epsilon times as large, and so is Z.
So an option is at most e^epsilon times as likely with the row as without it, because Z has not fallen; and at most
e^epsilon times as likely without it as with it, because its own exp(...) has not fallen.

Numbers are kept to 60 digits, and epsilon is taken less by more than they can be off. The random number has 400 bits:
what they cannot hit is a probability below 1e-100, for which whoever calls must leave room in a delta.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import accumulate
from secrets import randbits

BITS = 400
DIGITS = 60
HAIR = Decimal("1e-40")
"""The share of epsilon that is not used, for numbers of that many digits."""


def probabilities(scores: Sequence[Fraction], sensitivity: int, epsilon: Fraction) -> list[Decimal]:
    """Return how likely each option is.

    >>> [round(float(one), 3) for one in probabilities([Fraction(0), Fraction(10)], 10, Fraction(1))]
    [0.269, 0.731]
    """
    with localcontext(prec=DIGITS):
        rate = Decimal(epsilon.numerator) / epsilon.denominator / sensitivity * (1 - HAIR)
        best = max(scores)
        parts = [(rate * ((score - best).numerator) / (score - best).denominator).exp() for score in scores]
        whole = sum(parts, Decimal(0))
        return [part / whole for part in parts]


def choose(
    scores: Sequence[Fraction], sensitivity: int, epsilon: Fraction, draw: Callable[[int], int] = randbits
) -> int:
    """Return the number of the option that is chosen; `draw` gives so many random bits."""
    with localcontext(prec=DIGITS):
        rising = list(accumulate(probabilities(scores, sensitivity, epsilon)))
        drawn = Decimal(draw(BITS)) / Decimal(2) ** BITS * rising[-1]
        return min(bisect_right(rising, drawn), len(scores) - 1)
