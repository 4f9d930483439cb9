"""Exchanging the rows of a class until it is close to the table (compiled)."""

from __future__ import annotations

import numpy as np

from shoal.core.compiler import njit

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

DOUBT = 1e-9
"""Distances that differ by less are the same."""


@njit(cache=True, nogil=True)
def distance(held, crossing, table, width, area):
    """Return the Earth Mover's Distance of a class with these values, in order, to the table.

    Between two of its values the share of the class stands still while that of the table rises: from `crossing[i]` on
    the table's is at least i / rows.
    """
    rows, last = len(held), len(table)
    total = area[held[0]]
    for i in range(1, rows + 1):
        start, end = held[i - 1], held[i] if i < rows else last
        cross = min(max(crossing[i], start), end)
        share = i / rows
        total += share * (width[cross] - width[start]) - (area[cross] - area[start])
        total += (area[end] - area[cross]) - share * (width[end] - width[cross])
    return total / width[last]


@njit(cache=True, nogil=True)
def exchange(held, place, value, other):
    """Write into `other` the values in order, with a new value instead of the one at a place."""
    at, done = 0, False
    for i in range(len(held)):
        if i == place:
            continue
        if not done and held[i] > value:
            other[at], done = value, True
            at += 1
        other[at] = held[i]
        at += 1
    if not done:
        other[at] = value


@njit(cache=True, nogil=True)
def swap(codes, table, width, area, members, candidates, limit, over):
    """Exchange members for candidates, in their order, wherever that lowers the distance, until it is in the limit.

    Of members with the same value the last one goes. Once `over` is set, no more are.
    """
    rows = len(members)
    crossing = np.searchsorted(table, np.arange(rows + 1) / rows - DOUBT)
    members = members[np.argsort(codes[members], kind="mergesort")]
    held, other = codes[members], np.empty(rows, np.int64)
    now = distance(held, crossing, table, width, area)
    for candidate in candidates:
        if now <= limit + DOUBT or over[0]:
            break
        best, leaving = now - DOUBT, -1
        for place in range(rows):
            if place + 1 < rows and held[place] == held[place + 1]:
                continue
            exchange(held, place, codes[candidate], other)
            then = distance(other, crossing, table, width, area)
            if then < best - DOUBT:
                best, leaving = then, place
        if leaving >= 0:
            members[leaving:-1] = members[leaving + 1 :]
            members[-1] = candidate
            members = members[np.argsort(codes[members], kind="mergesort")]
            held, now = codes[members], best
    return members
