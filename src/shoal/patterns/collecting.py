"""Collecting the patterns that some types could be published as, at prices on their rows (compiled).

The walk leaves out groups of too few rows, and those whose classes all lose more to the prices than some slack: a class
of a finer pattern has fewer rows to choose from, and pays more.
"""

from __future__ import annotations

import numpy as np

from shoal.core.compiler import njit
from shoal.patterns.descent import begin, keep, next_level, split
from shoal.patterns.kernels import copy_into, gather, with_room

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


@njit(cache=True)
def collect_patterns(grid, heights, counts, prices, marks, rows_needed, slack, most):
    """Return patterns as lines (cost, mark, levels), where the members of each start, and the members.

    Types come dearest first; `marks` are random numbers whose sum tells sets of members apart; more than `most`
    members in all: the collection ends, and the flag returned says so.
    """
    number, depths, depth, found = len(counts), len(heights), 0, 0
    walk, places = begin(grid, heights, number), np.empty(number, np.int64)
    losses = np.empty((3, number), np.int64)
    lines, starts = np.empty((1024, 2 + depths), np.int64), np.zeros(1025, np.int64)
    members = np.empty(4096, np.int64)
    while depth >= 0:
        if depth == depths:
            depth -= 1
            first = _possible(walk, counts, prices, rows_needed, slack, losses, places)
            groups = walk.groups[depths]
            begun, filled = starts[found], starts[found] + first[groups]
            if filled > most:
                return lines[:found], starts[: found + 1], members[:begun], True
            members = with_room(members, filled)
            copy_into(members[begun:filled], places[: first[groups]])
            for g in range(groups):
                mine = places[first[g] : first[g + 1]]
                if len(mine):
                    lines, starts = with_room(lines, found + 1), with_room(starts, found + 2)
                    lines[found, 0], lines[found, 1] = walk.paid[depths, g], marks[mine].sum()
                    for place in range(depths):
                        lines[found, 2 + place] = walk.level[place] - 1
                    starts[found + 1] = starts[found] + len(mine)
                    found += 1
            continue
        level = next_level(walk, depth, 0, 1)
        if level < 0:
            depth -= 1
            continue
        groups = split(walk, depth, level)
        types, group, paid = walk.types[depth], walk.below.group, walk.below_paid
        _lose(walk.number[depth], groups, types, group, paid, counts, prices, rows_needed, losses)
        rows, least, kept = losses
        for g in range(groups):
            kept[g] = rows[g] >= rows_needed and least[g] <= slack
        if keep(walk, depth, groups, kept):
            depth += 1
    return lines[:found], starts[: found + 1], members[: starts[found]], False


@njit(cache=True)
def _lose(number, groups, types, group, paid, counts, prices, rows_needed, losses):
    """Find of each group its rows; the least that a class of enough of them loses; and the same with one row fewer."""
    rows, least, nearly = losses
    rows[:groups] = 0
    least[:groups] = 0
    nearly[:groups] = 0
    for i in range(number):
        t, g = types[i], group[i]
        extra = paid[g] - prices[t]
        if extra < 0:
            least[g] += counts[t] * extra
            nearly[g] += counts[t] * extra
        elif rows[g] < rows_needed:
            least[g] += min(counts[t], rows_needed - rows[g]) * extra
            nearly[g] += max(0, min(counts[t], rows_needed - 1 - rows[g])) * extra
        rows[g] += counts[t]


@njit(cache=True)
def _possible(walk, counts, prices, rows_needed, slack, losses, places):
    """Gather, group by group at a node, the types that a class within the slack may have; return where groups start."""
    depth = len(walk.heights)
    number, groups, types, group = walk.number[depth], walk.groups[depth], walk.types[depth], walk.group[depth]
    _lose(number, groups, types, group, walk.paid[depth], counts, prices, rows_needed, losses)
    nearly = losses[2]
    for i in range(number):
        extra = walk.paid[depth, group[i]] - prices[types[i]]
        if extra > 0 and nearly[group[i]] + extra > slack:
            group[i] = -1
    starts = gather(group[:number], groups, places)
    for place in range(starts[groups]):
        places[place] = types[places[place]]
    return starts
