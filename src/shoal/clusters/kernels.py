"""Distances of many points from one, or from a mean (compiled)."""

from __future__ import annotations

import numpy as np

from shoal.cube.compiled import njit

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


@njit(cache=True, nogil=True)
def away_from_point(numbers, codes, weights, some, one):
    """Return the squared distances of some points from one."""
    away = np.zeros(len(some))
    for place in range(len(some)):
        point, total = some[place], 0.0
        for j in range(numbers.shape[1]):
            apart = numbers[point, j] - numbers[one, j]
            total += apart * apart
        for j in range(codes.shape[1]):
            if codes[point, j] != codes[one, j]:
                total += weights[j]
        away[place] = total
    return away


@njit(cache=True, nogil=True)
def away_from_mean(numbers, codes, starts, lost, some, centre):
    """Return the squared distances of some points from a centre; value v of level j adds `lost[starts[j] + v]`."""
    away = np.zeros(len(some))
    for place in range(len(some)):
        point, total = some[place], 0.0
        for j in range(numbers.shape[1]):
            apart = numbers[point, j] - centre[j]
            total += apart * apart
        for j in range(codes.shape[1]):
            total += lost[starts[j] + codes[point, j]]
        away[place] = total
    return away
