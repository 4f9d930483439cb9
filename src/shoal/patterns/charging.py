"""Charges: the least that a row pays at any pattern that enough rows match (compiled).

The walk leaves out groups that have too few rows, and those none of whose types could still be charged less.
"""

from __future__ import annotations

import numpy as np

from shoal.core.compiler import njit
from shoal.patterns.descent import begin, keep, next_level, split
from shoal.patterns.kernels import gather

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


@njit(cache=True, nogil=True)
def lane_charges(grid, heights, counts, most, demands, lane, lanes):
    """Return for each type the least that a row pays at a pattern that could hold an admitted class; at most `most`."""
    number, depth = len(counts), 0
    least, walk = np.full(number, most), begin(grid, heights, number)
    kept = np.empty(number, np.int64)
    rows = members = walk.below.key  # not needed once groups are numbered
    while depth >= 0:
        if depth == len(heights):
            _charge(walk, least, demands, members)
            depth -= 1
            continue
        level = next_level(walk, depth, lane, lanes)
        if level < 0:
            depth -= 1
            continue
        groups = split(walk, depth, level)
        _judge(walk, depth, groups, least, counts, demands.rows, rows, kept)
        if keep(walk, depth, groups, kept):
            depth += 1
    return least


@njit(cache=True)
def _judge(walk, depth, groups, least, counts, enough, rows, kept):
    """Keep the groups that have enough rows, and a type that could be charged less than it is."""
    types, group, paid = walk.types[depth], walk.below.group, walk.below_paid
    rows[:groups] = 0
    kept[:groups] = 0
    for i in range(walk.number[depth]):
        t, g = types[i], group[i]
        rows[g] += counts[t]
        if paid[g] < least[t]:
            kept[g] = 1
    for g in range(groups):
        if rows[g] < enough:
            kept[g] = 0


@njit(cache=True)
def _charge(walk, least, demands, members):
    """Charge the types in the groups of a node that show enough values."""
    depth = len(walk.heights)
    number, types, group, paid = walk.number[depth], walk.types[depth], walk.group[depth], walk.paid[depth]
    possible = enough(types, group[:number], walk.groups[depth], demands, members)
    for i in range(number):
        if possible[group[i]] and paid[group[i]] < least[types[i]]:
            least[types[i]] = paid[group[i]]


@njit(cache=True)
def enough(types, group, groups, demands, members):
    """Return which groups have enough different values, and values of enough rows of the table.

    Group by group, so that `last`, the group that a value was seen in last, says whether it is new.
    """
    possible = np.ones(groups, np.bool_)
    if len(demands.needs) == 0:
        return possible
    starts = gather(group, groups, members)
    for d in range(len(demands.needs)):
        attribute, values, mass = demands.needs[d]
        codes, totals = demands.codes[attribute], demands.totals[attribute]
        last = np.full(len(totals), -1)
        for g in range(groups):
            different, present = 0, 0
            for place in members[starts[g] : starts[g + 1]]:
                value = codes[types[place]]
                if last[value] != g:
                    last[value] = g
                    different += 1
                    present += totals[value]
            if different < values or present < mass:
                possible[g] = False
    return possible
