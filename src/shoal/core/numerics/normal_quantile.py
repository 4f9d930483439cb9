"""The quantile of the standard normal distribution, the inverse of its distribution function.

By the rational functions of Wichura: Algorithm AS 241, the percentage points of the normal distribution, Applied
Statistics 37, 1988 (`PPND16`): one for the middle and one for either part of the tails, to about 16 digits. They are
the ones that `statistics.NormalDist` of Python has for a single number.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.core.arrays import Floats

# Coefficients, that of the highest power first: numerator and denominator.
# fmt: off
MIDDLE = (
    (2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
     13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608),
    (5226.495278852854561, 28729.085735721942674, 39307.895800092710610, 21213.794301586595867,
     5394.1960214247511077, 687.18700749205790830, 42.313330701600911252, 1.0),
)
TAIL = (
    (7.7454501427834140764e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258,
     3.64784832476320460504, 5.76949722146069140550, 4.63033784615654529590, 1.42343711074968357734),
    (1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
     6.89767334985100004550e-1, 1.67638483018380384940, 2.05319162663775882187, 1.0),
)
FAR_TAIL = (
    (2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
     2.96560571828504891230e-1, 1.78482653991729133580, 5.46378491116411436990, 6.65790464350110377720),
    (2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
     1.48753612908506148525e-2, 1.36929880922735805310e-1, 5.99832206555887937690e-1, 1.0),
)
# fmt: on


def normal_quantile(probability: Floats) -> Floats:
    """Return the number that a standard normal one is below with each probability; nan outside of [0, 1].

    >>> normal_quantile(np.array([0.5, 0.975, 0.0])).round(6).tolist()
    [0.0, 1.959964, -inf]
    """
    p = np.asarray(probability, dtype=np.float64)
    from_middle = p - 0.5
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.sqrt(-np.log(np.minimum(p, 1 - p)))
        tail = np.where(r <= 5, _ratio(TAIL, r - 1.6), _ratio(FAR_TAIL, r - 5))
        tail = np.where(np.isposinf(r), np.inf, tail)
        middle = from_middle * _ratio(MIDDLE, 0.180625 - from_middle**2)
    return np.where(np.abs(from_middle) <= 0.425, middle, np.copysign(tail, from_middle))


def _ratio(coefficients: tuple[Sequence[float], Sequence[float]], x: Floats) -> Floats:
    """Return the quotient of two polynomials, each by Horner's rule."""
    numerator, denominator = (np.full_like(x, first) for first, *_ in coefficients)
    for above, below in list(zip(*coefficients, strict=True))[1:]:
        numerator *= x
        numerator += above
        denominator *= x
        denominator += below
    return numerator / denominator
