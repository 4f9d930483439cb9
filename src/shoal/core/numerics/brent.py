"""Brent's method: a root of a function between two points at which it has different signs.

After Brent: Algorithms for minimization without derivatives, 1973, chapter 4 (`zero`). The step is the secant's or that
of the inverse parabola through three points; where these do not shrink the interval fast enough, it is halved.
"""

from __future__ import annotations

from collections.abc import Callable
from math import copysign

EPSILON = 2.0**-52
MOST_STEPS = 500
"""Steps after which the last point is returned; halving alone needs fewer for any two numbers worth giving."""


def root(function: Callable[[float], float], low: float, high: float, *, tolerance: float = 1e-12) -> float:
    """Return a point at most `tolerance` (and a few units in the last place) from where the function changes its sign.

    Raises `ValueError` where the function has the same sign at both ends.

    >>> round(root(lambda x: x**2 - 2, 0, 2), 9)
    1.414213562
    """
    a, b, at_a, at_b = low, high, function(low), function(high)
    if at_a == 0 or at_b == 0:
        return a if at_a == 0 else b
    if (at_a > 0) == (at_b > 0):
        raise ValueError("the function has the same sign at both ends")
    c, at_c, step, earlier = a, at_a, b - a, b - a  # the root lies between b, the best point so far, and c
    for _ in range(MOST_STEPS):
        if abs(at_c) < abs(at_b):
            a, b, c, at_a, at_b, at_c = b, c, b, at_b, at_c, at_b
        least, middle = 2 * EPSILON * abs(b) + tolerance / 2, (c - b) / 2
        if abs(middle) <= least or at_b == 0:
            break
        tried = _interpolated(a, b, c, at_a, at_b, at_c) if abs(at_a) > abs(at_b) else None
        if tried is not None and abs(earlier) >= least and _is_short(tried, middle, least, earlier):
            earlier, step = step, tried
        else:
            step = earlier = middle
        a, at_a = b, at_b
        b += step if abs(step) > least else copysign(least, middle)
        at_b = function(b)
        if (at_b > 0) == (at_c > 0):
            c, at_c, step, earlier = a, at_a, b - a, b - a
    return b


def _interpolated(a: float, b: float, c: float, at_a: float, at_b: float, at_c: float) -> float | None:
    """Return the step from b to the root of the secant, or of the inverse parabola if the three points differ."""
    s = at_b / at_a
    if a == c:
        p, q = (c - b) * s, 1 - s
    else:
        over, r = at_a / at_c, at_b / at_c
        p = s * ((c - b) * over * (over - r) - (b - a) * (r - 1))
        q = (over - 1) * (r - 1) * (s - 1)
    return -p / q if q else None


def _is_short(step: float, middle: float, least: float, earlier: float) -> bool:
    """Whether a step goes towards the middle, not beyond three quarters of the way to c, and halves the one before."""
    towards = step * copysign(1, middle)
    return 0 <= 2 * towards < min(3 * abs(middle) - least, abs(earlier))
