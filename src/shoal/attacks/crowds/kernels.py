"""Walking down the tree of published classes with what is known of a person, and adding up what is found (compiled)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.core.arrays import Codes, Ints
from shoal.core.compiler import njit

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


@njit(cache=True, nogil=True)
def place_of(numbers, low, high, wanted):
    """Return where a number stands in a rising part of an array, or -1."""
    end = high
    while low < high:
        middle = (low + high) // 2
        if numbers[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < end and numbers[low] == wanted else -1


@njit(cache=True, nogil=True)
def walk(points, first, tree, found, ends):
    """Find the classes whose cells cover each point, from point `first` on, until `found` is full.

    `ends[i]` becomes where the classes of point `first + i` end in `found`. Returns the first point that is left, and
    how many nodes were looked at.
    """
    begin, label, leaf, offsets, starts, cells = tree
    depth = points.shape[1]
    stack = np.empty(len(label), np.int64)
    levels = np.empty(len(label), np.int64)
    filled, visits = 0, 0
    for p in range(first, len(points)):
        stack[0], levels[0], top = 0, 0, 1
        while top > 0:
            top -= 1
            node, j = stack[top], levels[top]
            visits += 1
            if j == depth:
                if filled == len(found):
                    return p, visits
                found[filled] = node - leaf
                filled += 1
                continue
            at = offsets[j] + points[p, j]
            low, high = starts[at], starts[at + 1]
            here, end = begin[node], begin[node + 1]
            if end - here <= high - low:
                for child in range(here, end):
                    if place_of(cells, low, high, label[child]) >= 0:
                        stack[top], levels[top] = child, j + 1
                        top += 1
            else:
                for cover in range(low, high):
                    child = place_of(label, here, end, cells[cover])
                    if child >= 0:
                        stack[top], levels[top] = child, j + 1
                        top += 1
        ends[p - first] = filled
    return len(points), visits


class Candidates(NamedTuple):
    """The classes of some points, and the values of every class in one attribute."""

    ends: Ints
    """Where the classes of each point end in `found`."""
    found: Codes
    starts: Ints
    """Where the values of each class begin in `codes`, and the end."""
    codes: Ints
    """The values of a class rise."""


@njit(cache=True, nogil=True)
def total(ends, found, weights):
    """Return, for each point, the weight of the classes found for it."""
    sums = np.zeros(len(ends))
    at = 0
    for p in range(len(ends)):
        while at < ends[p]:
            sums[p] += weights[found[at]]
            at += 1
    return sums


@njit(cache=True, nogil=True)
def spread(candidates, width, cap):
    """Return, for each point, the least and greatest value of its candidates, and how many differ, up to `cap`.

    Without candidates they are 0, -1 and 0.
    """
    ends, found, starts, codes = candidates
    low, high, distinct = np.zeros(len(ends), np.int64), np.full(len(ends), -1), np.zeros(len(ends), np.int64)
    seen = np.full(width, -1)
    at = 0
    for p in range(len(ends)):
        for place in range(at, ends[p]):
            one = found[place]
            a, b = starts[one], starts[one + 1]
            if high[p] < 0 or codes[a] < low[p]:
                low[p] = codes[a]
            high[p] = max(high[p], codes[b - 1])
            if b - a >= cap:
                distinct[p] = cap
            while a < b and distinct[p] < cap:
                if seen[codes[a]] != p:
                    seen[codes[a]] = p
                    distinct[p] += 1
                a += 1
        at = ends[p]
    return low, high, distinct


@njit(cache=True, nogil=True)
def owned(candidates, counts, edges, values):
    """Return, for each kind of person, the weight of the candidates that have the person's own value.

    Point p has the kinds `edges[p]` to `edges[p + 1]`, with the values `values`.
    """
    ends, found, starts, codes = candidates
    sums = np.zeros(len(values))
    at = 0
    for p in range(len(ends)):
        for kind in range(edges[p], edges[p + 1]):
            for place in range(at, ends[p]):
                one = found[place]
                entry = place_of(codes, starts[one], starts[one + 1], values[kind])
                if entry >= 0:
                    sums[kind] += counts[entry]
        at = ends[p]
    return sums


@njit(cache=True, nogil=True)
def shared(first, second, width):
    """Return, for each point, the least value that its candidates of two tables share, and how many; 2 for more."""
    ends, found, starts, codes = first
    other_ends, other_found, other_starts, other_codes = second
    least, number = np.full(len(ends), -1), np.zeros(len(ends), np.int64)
    seen, counted = np.full(width, -1), np.full(width, -1)
    at, other = 0, 0
    for p in range(len(ends)):
        for one in found[at : ends[p]]:
            for value in codes[starts[one] : starts[one + 1]]:
                seen[value] = p
        for one in other_found[other : other_ends[p]]:
            if number[p] == 2:
                break
            for value in other_codes[other_starts[one] : other_starts[one + 1]]:
                if seen[value] == p and counted[value] != p and number[p] < 2:
                    counted[value] = p
                    number[p] += 1
                    least[p] = value if least[p] < 0 else min(least[p], value)
        at, other = ends[p], other_ends[p]
    return least, number
