"""The least perfect matching of a bipartite graph by shortest augmenting paths (compiled).

After Crouse: On implementing 2D rectangular assignment algorithms, 2016, with the same choices among equals as scipy's
`linear_sum_assignment`; but a flag can end it.
"""

from __future__ import annotations

import numpy as np

from shoal.core.compiler import njit

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

FAR = np.iinfo(np.int64).max


@njit(cache=True, nogil=True)
def shortest_path(costs, price, other_price, matched, first, way, least, seen, tried, left):
    """Return the free column that the shortest path from a free row leads to, and how long the path is.

    `way[j]` is the row before column j; `seen` and `tried` say which rows and columns were gone through.
    """
    number, row, length = len(costs), first, 0
    left[:] = np.arange(number)[::-1]
    least[:], seen[:], tried[:] = FAR, False, False
    while True:
        place, shortest = -1, FAR
        seen[row] = True
        for at in range(number):
            j = left[at]
            there = length + costs[row, j] - price[row] - other_price[j]
            if there < least[j]:
                way[j], least[j] = row, there
            if least[j] < shortest or (least[j] == shortest and matched[j] == -1):
                shortest, place = least[j], at
        length, j = shortest, left[place]
        tried[j] = True
        if matched[j] == -1:
            return j, length
        row, number = matched[j], number - 1
        left[place] = left[number]


@njit(cache=True, nogil=True)
def least_assignment(costs, over):
    """Return the column of each row, all different, so that their whole costs are least; -1 where time was over."""
    number = len(costs)
    price, other_price = np.zeros(number, np.int64), np.zeros(number, np.int64)
    column, matched, way = np.full(number, -1), np.full(number, -1), np.full(number, -1)
    least, left = np.empty(number, np.int64), np.empty(number, np.int64)
    seen, tried = np.empty(number, np.bool_), np.empty(number, np.bool_)
    for first in range(number):
        if over[0]:
            break
        j, length = shortest_path(costs, price, other_price, matched, first, way, least, seen, tried, left)
        price[first] += length
        for i in range(number):
            if seen[i] and i != first:
                price[i] += length - least[column[i]]
        for i in range(number):
            if tried[i]:
                other_price[i] -= length - least[i]
        row = -1
        while row != first:
            row = way[j]
            matched[j] = row
            column[row], j = j, column[row]
    return column
