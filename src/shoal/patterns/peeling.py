"""Peeling the cube: covering rows by patterns, small regret first (compiled).

The regret of a pattern is what it costs a row minus the mean price of the uncovered rows that match it. For one
threshold after the other all nodes are walked, and every pattern of small enough regret takes a large part of its
uncovered rows that the requirements admit, provided that the rows still uncovered would be admitted as a class, too:
so at any moment those can be published as the all-star class, and nothing has to be repaired.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.core.arrays import Ints
from shoal.core.compiler import njit
from shoal.patterns.admit import meets, shrink
from shoal.patterns.kernels import gather, group_table, number_groups, with_room

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


class Tally(NamedTuple):
    """Rows by attribute and value: those uncovered, and as working memory those of a class and those wanted of it."""

    rest: Ints
    counted: Ints
    wanted: Ints


@njit(cache=True, nogil=True)
def peel_types(layout, counts, prices, thresholds, rules, stop):
    """Return the pieces of all classes: (type, class, copies), and each class's node; and what is left of each type.

    `stop[0]` is set from outside to end early.
    """
    number, shape = len(counts), rules.shares.shape
    left, types, active = counts.copy(), np.arange(number), number
    table, members = group_table(number, number), np.empty(number, np.int64)
    pieces, node_of = np.empty((2 * number + 16, 3), np.int64), np.empty(number + 16, np.int64)
    made, classes, remaining = 0, 0, counts.sum()
    tally = Tally(np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape, np.int64))
    _count(types, counts, rules.codes, tally.rest)
    for threshold in thresholds:
        for node in range(len(layout.nodes)):
            if active == 0 or stop[0]:
                return pieces[:made], node_of[:classes], left
            groups = number_groups(layout, node, types[:active], table)
            group, before = table.group[:active], classes
            if not _choose(layout, node, group, groups, types, left, prices, rules.rows, threshold):
                continue
            starts = gather(group, groups, members)
            for g in range(groups):
                if starts[g] == starts[g + 1]:
                    continue
                mine = types[members[starts[g] : starts[g + 1]]]
                taken = left[mine]
                if not _reduce(mine, taken, prices, rules, tally):
                    continue
                after = remaining - taken.sum()
                if not _leaves(mine, taken, after, rules, tally):
                    continue
                remaining = after
                tally.rest[:] = tally.rest - tally.counted
                pieces, node_of = with_room(pieces, made + len(mine)), with_room(node_of, classes + 1)
                for i in range(len(mine)):
                    if taken[i]:
                        left[mine[i]] -= taken[i]
                        pieces[made, 0], pieces[made, 1], pieces[made, 2] = mine[i], classes, taken[i]
                        made += 1
                node_of[classes] = node
                classes += 1
            if classes > before:
                active = _still(types, active, left)
    return pieces[:made], node_of[:classes], left


@njit(cache=True)
def _choose(layout, node, group, groups, types, left, prices, rows_needed, threshold):
    """Set the group to -1 of types in groups of too few rows or too much regret; return whether any group is left."""
    a, b = layout.nodes[node]
    left_loss, right_loss = layout.left_losses[a], layout.right_losses[b]
    rows, worth, cost = np.zeros(groups, np.int64), np.zeros(groups), np.zeros(groups)
    for i in range(len(group)):
        g, t = group[i], types[i]
        rows[g] += left[t]
        worth[g] += left[t] * prices[t]
        cost[g] = left_loss[t] + right_loss[t]
    chosen = (rows >= rows_needed) & (cost - worth / rows <= threshold)
    some = chosen.any()
    for i in range(len(group) if some else 0):
        if not chosen[group[i]]:
            group[i] = -1
    return some


@njit(cache=True)
def _still(types, active, left):
    kept = 0
    for i in range(active):
        if left[types[i]]:
            types[kept] = types[i]
            kept += 1
    return kept


@njit(cache=True)
def _leaves(mine, taken, remaining, rules, tally):
    """Whether nothing remains once these rows are taken, or what remains would be admitted as a class."""
    _count(mine, taken, rules.codes, tally.counted)
    return remaining == 0 or (remaining >= rules.rows and meets(rules, tally.rest - tally.counted))


@njit(cache=True)
def _reduce(mine, taken, prices, rules, tally):
    """Cut a group to a part that meets every check, in turn until nothing changes; False where that fails."""
    for _ in range(4):
        clean = True
        for d in range(len(rules.lines)):
            a = int(rules.lines[d, 1])
            _count(mine, taken, rules.codes, tally.counted)
            counted, wanted = tally.counted[a], tally.wanted[a]
            wanted[:] = counted
            if not shrink(rules, d, wanted, tally.rest[a]):
                return False
            if wanted.sum() < counted.sum():
                clean = False
                _cut(mine, taken, prices, rules.codes[a], counted, wanted)
        if taken.sum() < rules.rows:
            return False
        if clean:
            return True
    _count(mine, taken, rules.codes, tally.counted)
    return meets(rules, tally.counted)


@njit(cache=True)
def _count(mine, taken, codes, counted):
    """Count the rows taken, by attribute and value."""
    counted[:] = 0
    for a in range(len(codes)):
        for i in range(len(mine)):
            counted[a, codes[a, mine[i]]] += taken[i]


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
