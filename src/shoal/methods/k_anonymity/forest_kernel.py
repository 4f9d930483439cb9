"""Nearest neighbours among distinct tuples, and the forest that they span (compiled)."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np

from shoal.core.compiler import njit

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

SORTED_FROM = 64
"""Rows of a class from which all tuples are sorted by distance; fewer neighbours are kept in order as they come."""


@njit(cache=True, nogil=True)
def nearest_tuples(codes, counts, hierarchies, some, k):
    """Return the nearest tuples of some, nearest first, as many as it takes to have k rows with it; and how far.

    `codes[j]` are the values of attribute j. Of tuples equally far the one of the smaller number is nearer. Places that
    are not needed hold -1.
    """
    sizes, starts, ups, losses = hierarchies
    attributes, number = codes.shape
    most = min(k, number)
    near = np.full((len(some), most - 1), -1, np.int32)
    far = np.zeros((len(some), most - 1))
    table = np.empty(sizes.max())
    apart = np.empty(number)
    who = np.empty(most + 1, np.int64)
    away = np.empty(most + 1)
    for place in range(len(some)):
        one = some[place]
        apart[:] = 0.0
        for j in range(attributes):
            value, size = codes[j, one], sizes[j]
            for other in range(size):
                level = starts[j]
                while ups[level + other] != ups[level + value]:
                    level += size
                table[other] = losses[level + value]
            column = codes[j]
            for v in range(number):
                apart[v] += table[column[v]]
        kept, rows, limit = 0, counts[one], np.inf
        if k >= SORTED_FROM:
            apart[one] = np.inf
            order = np.argsort(apart, kind="mergesort")
            while rows < k and kept < number - 1:
                near[place, kept], far[place, kept] = order[kept], apart[order[kept]]
                rows += counts[order[kept]]
                kept += 1
            continue
        for v in range(number):
            if apart[v] >= limit or v == one:
                continue
            at = kept
            while at > 0 and away[at - 1] > apart[v]:
                away[at], who[at] = away[at - 1], who[at - 1]
                at -= 1
            away[at], who[at] = apart[v], v
            kept += 1
            rows += counts[v]
            while rows - counts[who[kept - 1]] >= k:
                kept -= 1
                rows -= counts[who[kept]]
            if rows >= k:
                limit = away[kept - 1]
        for at in range(kept):
            near[place, at], far[place, at] = who[at], away[at]
    return near, far


@njit(cache=True, nogil=True)
def root_of(above, one):
    """Return the representative of a component; halves the way to it."""
    while above[one] != one:
        above[one] = above[above[one]]
        one = above[one]
    return one


@njit(cache=True, nogil=True)
def span_forest(counts, some, near, far, k):
    """Return the tuple that each tuple is joined to, or -1, so that trees of fewer than k rows grow while they can.

    A tree has one tuple that is not joined to another: its root. Of all trees with fewer than k rows the one is joined
    whose root is nearest to a tuple of another tree.
    """
    number = len(counts)
    above = np.arange(number)
    size = counts.copy()
    joined = np.full(number, -1, np.int64)
    looked = np.zeros(len(some), np.int64)
    waiting = [(far[place, 0], place) for place in range(len(some)) if near.shape[1] and near[place, 0] >= 0]
    heapify(waiting)
    while len(waiting) > 0:
        _, place = heappop(waiting)
        tree = root_of(above, some[place])
        if size[tree] >= k:
            continue
        at = looked[place]
        while at < near.shape[1] and near[place, at] >= 0 and root_of(above, near[place, at]) == tree:
            at += 1
        if at == near.shape[1] or near[place, at] < 0:
            continue
        if at > looked[place]:
            looked[place] = at
            heappush(waiting, (far[place, at], place))
            continue
        other = root_of(above, near[place, at])
        joined[some[place]] = near[place, at]
        above[tree] = other
        size[other] += size[tree]
    return joined
