"""Cutting classes at medians, a level of all open classes at a time (compiled).

The rows lie in one array, those of a class side by side; a cut reorders them inside their class, so memory is read in
order, and the classes are what lies between the marks when no cut is allowed any more. Importing this compiles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.core.arrays import AnyInts, Bools, Floats, Ints
from shoal.core.compiler import njit

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator, assignment"

DISTINCT, SHARE = 0, 1
"""The kinds of check: at least so many different values; `number * largest count <= other * rows`."""
BITS = 64
"""Attributes of at most so many values are kept as bits."""


class Rows(NamedTuple):
    """The rows, which are reordered in place; the parts are views of the same memory."""

    words: AnyInts
    """All that there is of each row."""
    codes: AnyInts
    """Row by attribute."""
    secrets: AnyInts
    """Row by sensitive attribute."""


class Axes(NamedTuple):
    """The attributes that classes are cut along."""

    places: Floats
    """Attribute by code: where the value lies."""
    values: Ints
    """How many values each has."""
    weights: Floats
    alike: Bools
    """Whether different values are counted, instead of asking where they lie."""
    wide: bool
    """Whether the attribute of most different values comes first; else that of the fewest."""


class Extent(NamedTuple):
    """Working memory: the least and greatest code along every attribute, the values there as bits, and counts."""

    low: Ints
    high: Ints
    masks: AnyInts
    counts: Ints
    """By code, 0 between two uses."""


@njit(cache=True)
def cut_level(rows, begins, ends, axes, least, shares, checks):
    """Cut every class `begins[c]:ends[c]` in two where that is allowed; return where the halves begin and end.

    `checks` are what each half must meet besides `least` rows.
    """
    words, codes, secrets = rows
    number, longest = codes.shape[1], (ends - begins).max()
    seen = np.zeros((2, secrets.max() + 1 if secrets.size else 1), np.int64)
    low, high, masks = np.zeros(number, np.int64), np.zeros(number, np.int64), np.zeros(number, np.uint64)
    extent = Extent(low, high, masks, np.zeros(axes.places.shape[1], np.int64))
    values, weights, width = axes.values, axes.weights, np.zeros(number)
    new_begins, new_ends = np.empty(2 * len(begins), np.int64), np.empty(2 * len(begins), np.int64)
    spare, ordered = np.empty((longest, words.shape[1]), words.dtype), np.empty(longest, codes.dtype)
    made = 0
    for c in range(len(begins)):
        a, b = begins[c], ends[c]
        if b - a < 2 * least:
            continue
        _extremes(codes, a, b, values, extent)
        for axis in range(number):
            width[axis] = 0.0
            if low[axis] < high[axis]:
                width[axis] = weights[axis] * _span(codes, a, b, axis, axes, extent)
        at = -1
        for _ in range(number):
            axis = np.argmax(width)
            if not width[axis] > 0:
                break
            width[axis] = 0.0
            for s in range(len(shares)):
                part, whole = shares[s, 0], shares[s, 1]
                limit, below = _boundary(codes, a, b, axis, part, whole, extent, ordered)
                if least <= below <= b - a - least and _meet(rows, a, b, axis, limit, checks, seen):
                    at = a + below
                    break
            if at >= 0:
                _divide(rows, a, b, axis, limit, spare)
                new_begins[made], new_ends[made] = a, at
                new_begins[made + 1], new_ends[made + 1] = at, b
                made += 2
                break
    return new_begins[:made], new_ends[:made]


@njit(cache=True)
def _extremes(codes, a, b, values, extent):
    """Find the least and the greatest code along every attribute; of few values, also which there are, as bits."""
    low, high, masks, _ = extent
    for axis in range(codes.shape[1]):
        low[axis] = high[axis] = codes[a, axis]
        masks[axis] = 0
    for i in range(a, b):
        for axis in range(codes.shape[1]):
            code = codes[i, axis]
            if values[axis] <= BITS:
                masks[axis] |= np.uint64(1) << np.uint64(code)
            elif code < low[axis]:
                low[axis] = code
            elif code > high[axis]:
                high[axis] = code
    for axis in range(codes.shape[1]):
        if values[axis] <= BITS:
            for code in range(values[axis]):
                if masks[axis] >> np.uint64(code) & np.uint64(1):
                    low[axis], high[axis] = min(low[axis], code), max(high[axis], code)


@njit(cache=True)
def _span(codes, a, b, axis, axes, extent):
    """Return how widely a class of several values is spread along an attribute."""
    low, high, masks, counts = extent
    places, values, _, alike, wide = axes
    if not alike[axis]:
        return places[axis, high[axis]] - places[axis, low[axis]]
    different = 0
    if values[axis] <= BITS:
        for code in range(low[axis], high[axis] + 1):
            different += np.int64(masks[axis] >> np.uint64(code) & np.uint64(1))
    else:
        for i in range(a, b):
            different += counts[codes[i, axis]] == 0
            counts[codes[i, axis]] = 1
        for i in range(a, b):
            counts[codes[i, axis]] = 0
    span = (different - 1) / max(values[axis] - 1, 1)
    return span if wide else 1.0 / (span * max(values[axis] - 1, 1))


@njit(cache=True)
def _boundary(codes, a, b, axis, part, whole, extent, ordered):
    """Return the least value of the upper half, and the rows below: the boundary nearest to the share of rows."""
    low, high, counts, size = extent.low[axis], extent.high[axis], extent.counts, b - a
    middle = size * part // whole
    if high - low > 4 * size:
        for i in range(size):
            ordered[i] = codes[a + i, axis]
        some = np.sort(ordered[:size])
        median = np.int64(some[middle])
        before, after = np.searchsorted(some, some[middle]), np.searchsorted(some, some[middle], side="right")
    else:
        for i in range(a, b):
            counts[codes[i, axis]] += 1
        before, median = np.int64(0), low
        while before + counts[median] <= middle:
            before += counts[median]
            median += 1
        after = before + counts[median]
        counts[low : high + 1] = 0
    far = whole * size + 1
    off_before = abs(whole * before - part * size) if before > 0 else far
    off_after = abs(whole * after - part * size) if after < size else far
    return (median, before) if off_before <= off_after else (median + 1, after)


@njit(cache=True)
def _meet(rows, a, b, axis, limit, checks, seen):
    """Whether both halves meet every check."""
    _, codes, secrets = rows
    for c in range(len(checks)):
        kind, column, number, other = checks[c]
        different, largest, sizes = np.zeros(2, np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64)
        end = b
        for i in range(a, b):
            half, value = np.int64(codes[i, axis] >= limit), secrets[i, column]
            seen[half, value] += 1
            sizes[half] += 1
            different[half] += seen[half, value] == 1
            largest[half] = max(largest[half], seen[half, value])
            if kind == DISTINCT and different[0] >= number and different[1] >= number:
                end = i + 1
                break
        for i in range(a, end):
            seen[0, secrets[i, column]] = seen[1, secrets[i, column]] = 0
        for half in range(2):
            if kind == DISTINCT and different[half] < number:
                return False
            if kind == SHARE and number * largest[half] > other * sizes[half]:
                return False
    return True


@njit(cache=True)
def _divide(rows, a, b, axis, limit, spare):
    """Put the rows below the limit first, each half in the order it has.

    Every row is written to both halves, and only the right one moves on: processors guess badly which it will be.
    """
    words, codes, _ = rows
    at, over = a, 0
    for i in range(a, b):
        below = codes[i, axis] < limit
        for w in range(words.shape[1]):
            word = words[i, w]
            words[at, w] = word
            spare[over, w] = word
        at += below
        over += not below
    words[at:b] = spare[:over]
