"""The logarithm of the gamma function for arrays: that of Python's `math`, number by number."""

from __future__ import annotations

from math import lgamma

import numpy as np

from shoal.core.arrays import Floats, Ints

_lgamma = np.frompyfunc(lgamma, 1, 1)


def log_gamma(x: Floats | Ints) -> Floats:
    """Return ln(gamma(x)) of each number; all are above 0.

    >>> log_gamma(np.array([1, 2, 5])).round(6).tolist()
    [0.0, 0.0, 3.178054]
    """
    return np.asarray(_lgamma(x), dtype=np.float64)
