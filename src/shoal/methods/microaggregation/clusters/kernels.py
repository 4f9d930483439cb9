"""Distances of many points from one, or from a mean (compiled)."""

from __future__ import annotations

import numpy as np

from shoal.core.compiler import njit

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
            total += weights[j] * (codes[point, j] != codes[one, j])  # no branch: it would be guessed wrong
        away[place] = total
    return away


@njit(cache=True, nogil=True)
def counted(codes, of, counts, number):
    """Return how often each of so many values occurs at some points, each of which counts so often."""
    held = np.zeros(number, np.int64)
    for place in range(len(of)):
        for j in range(codes.shape[1]):
            held[codes[of[place], j]] += counts[place]
    return held


@njit(cache=True, nogil=True)
def away_from_mean(numbers, codes, lost, some, centre):
    """Return the squared distances of some points from a centre; value v adds `lost[v]`."""
    away = np.zeros(len(some))
    for place in range(len(some)):
        point, total = some[place], 0.0
        for j in range(numbers.shape[1]):
            apart = numbers[point, j] - centre[j]
            total += apart * apart
        for j in range(codes.shape[1]):
            total += lost[codes[point, j]]
        away[place] = total
    return away
