"""Places along the Hilbert curve (compiled): the transform of Skilling (2004), point by point."""

from __future__ import annotations

import numpy as np

from shoal.core.compiler import njit

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


@njit(cache=True, nogil=True)
def bend_points(points, bits, width, words):
    """Return the keys of points along the curve, word by point; see `hilbert_curve.hilbert_keys`."""
    number, axes = points.shape
    keys = np.zeros((words, number), np.int64)
    x = np.empty(axes, np.int64)
    for place in range(number):
        x[:] = points[place]
        for level in range(bits - 1, 0, -1):
            bit, below = 1 << level, (1 << level) - 1
            for axis in range(axes):
                if x[axis] & bit:
                    x[0] ^= below
                else:
                    swapped = (x[0] ^ x[axis]) & below
                    x[0] ^= swapped
                    x[axis] ^= swapped
        for axis in range(1, axes):
            x[axis] ^= x[axis - 1]
        flipped = 0
        for level in range(bits - 1, 0, -1):
            if x[axes - 1] & (1 << level):
                flipped ^= (1 << level) - 1
        for axis in range(axes):
            x[axis] ^= flipped
        at = words * width - bits * axes
        for level in range(bits - 1, -1, -1):
            for axis in range(axes):
                word = at // width
                keys[word, place] = (keys[word, place] << 1) | ((x[axis] >> level) & 1)
                at += 1
    return keys
