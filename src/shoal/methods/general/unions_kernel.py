"""What rows become when they are published together, and what they pay for it, for every recoding (compiled).

A union is a line of words, part after part; a part that a recoding does not use has no words:

- a box: ranges of numbers and sets of values, as in `bounds.boxes_kernel`;
- blocks: one node of a hierarchy for each column; a union has the lowest node above both;
- sums: of numbers and of their squares, counts of values; those of a union are added.

`head` says where the parts end: (bits of the box, box, what no cell costs, blocks, sums). `nodes` are the nodes of all
hierarchies as (node above, what a row pays); a node above others has a greater number. `spreads` are the columns of
which centroids are published as (kind, first word, end, what the column counts).
"""

from __future__ import annotations

import numpy as np

from shoal.bounds.boxes_kernel import NOWHERE, costs_without_each, joined_cost
from shoal.core.compiler import njit

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

MEAN, MEAN_OF_KNOWN, COMMONEST = 0, 1, 2
"""Kinds of centroids: words are (sum, sum of squares), (the same, known values), counts of values, four in a word."""
COUNT = 0xFFFF
"""A count is two bytes: unions of so many rows or more are never formed by a step."""


@njit(cache=True, makes_arrays=False)
def clear(unions, i, head):
    """Make a union of no rows."""
    i = np.uintp(i)
    for w in range(np.uintp(head[0])):
        unions[i, w] = 0
    for w in range(np.uintp(head[0]), np.uintp(head[1])):
        unions[i, w] = NOWHERE
    for w in range(np.uintp(head[1]), np.uintp(head[3])):
        unions[i, w] = -1
    for w in range(np.uintp(head[3]), np.uintp(head[4])):
        unions[i, w] = 0


@njit(cache=True, inline="always")
def _lowest_above(one, other, nodes):
    """Return the lowest node above two, -1 being nothing."""
    if one < 0 or other < 0:
        return max(one, other)
    while one != other:
        if one < other:
            one = nodes[np.uintp(one), 0]
        else:
            other = nodes[np.uintp(other), 0]
    return one


@njit(cache=True, makes_arrays=False)
def join(unions, i, others, j, head, nodes):
    """Let union i of some take in union j of others."""
    i, j = np.uintp(i), np.uintp(j)
    for w in range(np.uintp(head[0])):
        unions[i, w] |= others[j, w]
    for w in range(np.uintp(head[0]), np.uintp(head[1])):
        unions[i, w] = min(unions[i, w], others[j, w])
    for w in range(np.uintp(head[1]), np.uintp(head[3])):
        unions[i, w] = _lowest_above(unions[i, w], others[j, w], nodes)
    for w in range(np.uintp(head[3]), np.uintp(head[4])):
        unions[i, w] += others[j, w]


@njit(cache=True, makes_arrays=False)
def union_cost(ones, i, others, j, size, shape):
    """Return what `size` rows pay for the union of union i of some and union j of others."""
    head, pieces, numbers, nodes, spreads = shape
    apart = _spread(ones, i, others, j, size, spreads) if len(spreads) else np.int64(0)
    if not len(nodes):
        return apart + (size * joined_cost(ones, i, others, j, head, pieces, numbers) if head[1] else np.int64(0))
    total = joined_cost(ones, i, others, j, head, pieces, numbers) if head[1] else np.int64(0)
    i, j = np.uintp(i), np.uintp(j)
    for w in range(np.uintp(head[1]), np.uintp(head[3])):
        total += nodes[np.uintp(_lowest_above(ones[i, w], others[j, w], nodes)), 1]
    return apart + size * total


@njit(cache=True, makes_arrays=False, forceinline=True)
def exchange_costs(listed, many, points, tuple_of_row, t, sizes, unions, shape, costs):
    """Say what rows pay for the union of some listed rows without each of them, and with a tuple in its place.

    `sizes` are how many rows pay then; from its second line on, `unions` is working memory.
    """
    head, pieces, numbers, nodes, spreads = shape
    if not len(spreads) and not len(nodes):
        costs_without_each(listed, many, points, tuple_of_row, t, unions, head, pieces, numbers, costs)
        for i in range(many):
            costs[i] *= sizes[i]
        return
    _without_each(listed, many, points, tuple_of_row, unions, head, nodes)
    for i in range(many):
        costs[i] = union_cost(unions, i + 1, points, t, sizes[i], shape)


@njit(cache=True, makes_arrays=False)
def _without_each(listed, many, points, tuple_of_row, unions, head, nodes):
    """Lay out, from the second working union on, the listed rows without each of them."""
    clear(unions, many, head)
    for i in range(many - 1, 0, -1):  # what comes after each
        for w in range(head[4]):
            unions[i, w] = unions[i + 1, w]
        join(unions, i, points, np.int64(tuple_of_row[listed[i]]), head, nodes)
    passed = many + 1
    clear(unions, passed, head)
    for i in range(many):  # with what comes before it
        join(unions, i + 1, unions, passed, head, nodes)
        join(unions, passed, points, np.int64(tuple_of_row[listed[i]]), head, nodes)


@njit(cache=True, makes_arrays=False)
def _spread(ones, i, others, j, size, spreads):
    """Return how far rows are from the centroid of a union, added over rows and columns."""
    total, i, j = 0.0, np.uintp(i), np.uintp(j)
    for q in range(len(spreads)):
        kind, w, end = int(spreads[q, 0]), np.uintp(spreads[q, 1]), np.uintp(spreads[q, 2])
        if kind == COMMONEST:
            most = np.int64(0)
            for v in range(w, end):
                counts = ones[i, v] + others[j, v]
                for _ in range(4):
                    most = max(most, counts & COUNT)
                    counts >>= 16
            total += spreads[q, 3] * (size - most)
            continue
        known = ones[i, w + np.uintp(2)] + others[j, w + np.uintp(2)] if kind == MEAN_OF_KNOWN else size
        added = float(ones[i, w] + others[j, w])
        squares = float(ones[i, w + np.uintp(1)] + others[j, w + np.uintp(1)])
        if known and 2 * known >= size:  # else they are published as missing, and pay for their distance from the table
            squares -= added * added / known
        total += spreads[q, 3] * squares
    return np.int64(total)
