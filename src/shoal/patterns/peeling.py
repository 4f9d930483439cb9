"""Peeling the cube: covering rows by patterns, small regret first (compiled).

The regret of a pattern is what it costs a row minus the mean price of the uncovered rows that match it. For one
threshold after the other all nodes are walked, and every pattern of small enough regret takes a large part of its
uncovered rows that the requirements admit, provided that the rows still uncovered would be admitted as a class, too:
so at any moment those can be published as the all-star class, and nothing has to be repaired.
"""

from __future__ import annotations

import numpy as np

from shoal.core.compiler import njit
from shoal.patterns.admit import admits, shrink
from shoal.patterns.class_state import shares_of
from shoal.patterns.kernels import number_groups, slots_for

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


@njit(cache=True, nogil=True)
def peel_types(
    lefts,
    rights,
    widths,
    left_losses,
    right_losses,
    nodes,
    counts,
    prices,
    thresholds,
    rows_needed,
    codes,
    totals,
    checks,
    edges,
    weights,
    stop,
):
    """Return the pieces of all classes: (type, class, copies), and each class's node.

    `checks[d]` is (kind, attribute, number, other). `stop[0]` is set from outside to end early.
    """
    number = len(counts)
    left = counts.copy()
    types = np.arange(number)
    active = number
    size = slots_for(number)
    keys = np.empty(size, np.int64)
    ids = np.empty(size, np.int64)
    group = np.empty(number, np.int64)
    pieces = np.empty((2 * number + 16, 3), np.int64)
    node_of = np.empty(number + 16, np.int64)
    made, classes = 0, 0
    width = totals.shape[1]
    counted = np.zeros((len(codes), width), np.int64)
    wanted = np.zeros((len(codes), width), np.int64)
    rest = np.zeros((len(codes), width), np.int64)
    shares = shares_of(totals)
    for a in range(len(codes)):
        for t in range(number):
            rest[a, codes[a, t]] += counts[t]
    remaining = counts.sum()
    for threshold in thresholds:
        for index in range(len(nodes)):
            if active == 0 or stop[0]:
                return pieces[:made], node_of[:classes], left
            a, b = nodes[index]
            groups = number_groups(lefts[a], rights[b], widths[b], types[:active], keys, ids, group)
            rows = np.zeros(groups, np.int64)
            worth = np.zeros(groups)
            paid = np.zeros(groups)
            for i in range(active):
                t = types[i]
                if rows[group[i]] == 0:
                    paid[group[i]] = left_losses[a, t] + right_losses[b, t]
                rows[group[i]] += left[t]
                worth[group[i]] += left[t] * prices[t]
            chosen = np.zeros(groups, np.int64)
            start = np.zeros(groups + 1, np.int64)
            some = 0
            for g in range(groups):
                if rows[g] >= rows_needed and paid[g] - worth[g] / rows[g] <= threshold:
                    chosen[g] = 1
                    some += 1
            if some == 0:
                continue
            for i in range(active):
                start[group[i] + 1] += chosen[group[i]]
            for g in range(groups):
                start[g + 1] += start[g]
            members = np.empty(start[groups], np.int64)
            fill = start[:-1].copy()
            for i in range(active):
                if chosen[group[i]]:
                    members[fill[group[i]]] = types[i]
                    fill[group[i]] += 1
            covered = False
            for g in range(groups):
                if not chosen[g]:
                    continue
                mine = members[start[g] : start[g + 1]]
                taken = left[mine].copy()
                if not _reduce(
                    mine, taken, rows_needed, prices, codes, shares, rest, checks, edges, weights, counted, wanted
                ):
                    continue
                after = remaining - taken.sum()
                if after and (
                    after < rows_needed
                    or not _leaves(mine, taken, codes, shares, rest, checks, edges, weights, counted)
                ):
                    continue
                remaining = after
                for c in range(len(codes)):
                    for i in range(len(mine)):
                        rest[c, codes[c, mine[i]]] -= taken[i]
                if made + len(mine) > len(pieces):
                    more = np.empty((2 * len(pieces) + len(mine), 3), np.int64)
                    more[:made] = pieces[:made]
                    pieces = more
                if classes == len(node_of):
                    longer = np.empty(2 * classes, np.int64)
                    longer[:classes] = node_of
                    node_of = longer
                for i in range(len(mine)):
                    if taken[i]:
                        left[mine[i]] -= taken[i]
                        pieces[made, 0], pieces[made, 1], pieces[made, 2] = mine[i], classes, taken[i]
                        made += 1
                node_of[classes] = index
                classes += 1
                covered = True
            if covered:
                active = _still(types, active, left)
    return pieces[:made], node_of[:classes], left


@njit(cache=True)
def _still(types, active, left):
    kept = 0
    for i in range(active):
        if left[types[i]]:
            types[kept] = types[i]
            kept += 1
    return kept


@njit(cache=True)
def _leaves(mine, taken, codes, shares, rest, checks, edges, weights, counted):
    """Whether what remains once these rows are taken would be admitted as a class."""
    for d in range(len(checks)):
        attribute = int(checks[d, 1])
        _count(mine, taken, codes[attribute], counted[attribute])
        remains = rest[attribute] - counted[attribute]
        if not admits(int(checks[d, 0]), remains, checks[d, 2], checks[d, 3], shares[attribute], edges[d], weights[d]):
            return False
    return True


@njit(cache=True)
def _reduce(mine, taken, rows_needed, prices, codes, shares, rest, checks, edges, weights, counted, wanted):
    """Cut a group to a part that meets every check, in turn until nothing changes; False where that fails."""
    for _ in range(4):
        clean = True
        for d in range(len(checks)):
            attribute = int(checks[d, 1])
            _count(mine, taken, codes[attribute], counted[attribute])
            wanted[attribute] = counted[attribute]
            kind = int(checks[d, 0])
            ok = shrink(
                kind,
                wanted[attribute],
                checks[d, 2],
                checks[d, 3],
                shares[attribute],
                edges[d],
                weights[d],
                rest[attribute],
            )
            if not ok:
                return False
            if wanted[attribute].sum() < counted[attribute].sum():
                clean = False
                _cut(mine, taken, prices, codes[attribute], counted[attribute], wanted[attribute])
        if taken.sum() < rows_needed:
            return False
        if clean:
            return True
    for d in range(len(checks)):
        attribute = int(checks[d, 1])
        _count(mine, taken, codes[attribute], counted[attribute])
        if not admits(
            int(checks[d, 0]), counted[attribute], checks[d, 2], checks[d, 3], shares[attribute], edges[d], weights[d]
        ):
            return False
    return True


@njit(cache=True)
def _count(mine, taken, codes, counted):
    counted[:] = 0
    for i in range(len(mine)):
        counted[codes[mine[i]]] += taken[i]


@njit(cache=True)
def _cut(mine, taken, prices, codes, counted, wanted):
    """Give back rows of the values of which there are too many, the cheapest first."""
    order = np.argsort(prices[mine])
    for i in order:
        v = codes[mine[i]]
        spare = min(taken[i], counted[v] - wanted[v])
        if spare > 0:
            taken[i] -= spare
            counted[v] -= spare
