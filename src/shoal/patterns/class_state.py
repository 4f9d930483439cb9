"""Classes as they stand during a local search: sizes, costs, counts of values, and who may come and go (compiled).

`standing` is (size, cost, counted) by class; `rules` is (least rows, codes, shares, lines, edges, weights), the
requirements of a class as `Checks` has them, with the table's shares of each value.
"""

from __future__ import annotations

import numpy as np

from shoal.core.compiler import njit
from shoal.patterns.admit import admits

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


@njit(cache=True)
def shares_of(totals):
    """Return what share of the table each value of each attribute has."""
    shares = np.zeros(totals.shape)
    for attribute in range(len(totals)):
        shares[attribute] = totals[attribute] / totals[attribute].sum()
    return shares


@njit(cache=True)
def stand(left_losses, right_losses, nodes, type_of_row, class_of_row, node_of_class, codes, width, room):
    """Return the standing of all classes, with room for as many as `room`."""
    size = np.zeros(room, np.int64)
    cost = np.zeros(room, np.int64)
    counted = np.zeros((room, len(codes), width), np.int64)
    for r in range(len(type_of_row)):
        c, t = class_of_row[r], type_of_row[r]
        size[c] += 1
        a, b = nodes[node_of_class[c]]
        cost[c] = left_losses[a, t] + right_losses[b, t]
        for d in range(len(codes)):
            counted[c, d, codes[d, t]] += 1
    return size, cost, counted


@njit(cache=True)
def admitted(c, standing, rules):
    """Whether a class has enough rows and meets every requirement."""
    size, _, counted = standing
    rows, _, shares, lines, edges, weights = rules
    if size[c] < rows:
        return False
    for d in range(len(lines)):
        a = int(lines[d, 1])
        if not admits(int(lines[d, 0]), counted[c, a], lines[d, 2], lines[d, 3], shares[a], edges[d], weights[d]):
            return False
    return True


@njit(cache=True)
def with_change(c, t, change, standing, rules):
    """Whether a class would be admitted with one row of a type more (1) or less (-1)."""
    size, _, counted = standing
    codes = rules[1]
    size[c] += change
    for d in range(len(codes)):
        counted[c, d, codes[d, t]] += change
    good = admitted(c, standing, rules)
    size[c] -= change
    for d in range(len(codes)):
        counted[c, d, codes[d, t]] -= change
    return good


@njit(cache=True)
def move(r, t, there, class_of_row, standing, codes):
    """Move a row to another class."""
    size, _, counted = standing
    here = class_of_row[r]
    class_of_row[r] = there
    size[here] -= 1
    size[there] += 1
    for d in range(len(codes)):
        counted[here, d, codes[d, t]] -= 1
        counted[there, d, codes[d, t]] += 1
