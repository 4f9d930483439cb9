"""Cutting a line of rows into classes; see `shoal.core.loops` for how the loops are run."""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np

from shoal.bounds.hierarchy_losses import FlatLosses
from shoal.core.arrays import Codes, Floats, Ints


def cheapest_runs(best: Floats, last: Ints, losses: Floats, start: int, k: int) -> None:
    """Go on with the cheapest way to cut the first rows of a line into runs of k rows or more.

    `losses[g, i]` is what the run of k + g rows costs that begins with row `start + i`; `best[i]` what the first i rows
    cost, and `last[i]` how many of them are the last run. Of equal ways the one with the shorter last run stays.
    """
    for place in range(losses.shape[1]):
        for more in range(losses.shape[0]):
            end = start + place + k + more
            if end < len(best) and best[start + place] + losses[more, place] < best[end]:
                best[end] = best[start + place] + losses[more, place]
                last[end] = k + more


def run_losses(codes: Codes, hierarchies: FlatLosses, first: int, number: int, k: int) -> Floats:
    """Return what runs of k to 2k - 1 rows cost that begin with one of some rows of a line; by length and row.

    `codes[j]` are the values of attribute j along the line. The lowest block around a run is the highest of the lowest
    blocks around its first row and each other: one step for each row that a run gets longer.
    """
    sizes, starts, ups, losses = hierarchies
    attributes, rows = codes.shape
    found = np.zeros((k, number))
    levels = np.empty(attributes, np.int64)
    for place in range(number):
        one = first + place
        levels[:] = starts
        for end in range(one + 1, min(one + 2 * k - 1, rows) + 1):
            paid = 0.0
            for j in range(attributes):
                while ups[levels[j] + codes[j, end - 1]] != ups[levels[j] + codes[j, one]]:
                    levels[j] += sizes[j]
                paid += losses[levels[j] + codes[j, one]]
            if end - one >= k:
                found[end - one - k, place] = (end - one) * paid
    return found


def sweep(values: Ints, counts: Ints, l: int) -> Ints:  # noqa: E741 - the paper's name
    """Cut a line of rows into classes of different values, at least l: return the class of each row.

    `values[i]` is the sensitive value of row i, `counts` how many rows have each, no more than one in l. A class takes
    the first row left of each value that can wait no longer, those left in floor(left / l) rows: this number falls from
    class to class, so all looks at it together take no longer than the line. It is filled up to l rows with the
    foremost rows of other values. The last rows, fewer than 2l, are one class.
    """
    rows = len(values)
    starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
    line, head = np.empty(rows, np.int64), starts[:-1].copy()
    for row in range(rows):
        line[head[values[row]]] = row
        head[values[row]] += 1
    head = starts[:-1].copy()
    common = np.argsort(-counts, kind="mergesort")
    heads = [line[starts[value]] for value in range(len(counts)) if counts[value] > 0]
    heapify(heads)
    classes = np.full(rows, -1, np.int64)
    taken = np.empty(len(counts), np.int64)
    left, number = rows, 0
    while left >= 2 * l:
        level, size = left // l, 0
        for value in common:
            if counts[value] < level:
                break
            if starts[value + 1] - head[value] == level:
                classes[line[head[value]]] = number
                taken[size] = value
                size += 1
        while size < l:
            row = heappop(heads)
            if classes[row] < 0:
                classes[row] = number
                taken[size] = values[row]
                size += 1
        for place in range(size):
            value = taken[place]
            head[value] += 1
            if head[value] < starts[value + 1]:
                heappush(heads, line[head[value]])
        left -= size
        number += 1
    for row in range(rows):
        if classes[row] < 0:
            classes[row] = number
    return classes
