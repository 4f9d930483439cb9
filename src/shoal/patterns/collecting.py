"""Collecting the patterns that a cheap release could use (compiled).

At prices a, a release that uses pattern p costs at least the proven bound plus the least of `sum (c_p - a_t)` over
classes at p. Patterns, and types within them, for which this exceeds what is known to be reachable are left out.
"""

from __future__ import annotations

import numpy as np

from shoal.core.compiler import njit
from shoal.patterns.kernels import number_groups, slots_for

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


@njit(cache=True)
def collect_patterns(
    lefts, rights, widths, left_losses, right_losses, nodes, types, counts, prices, marks, rows_needed, slack, most
):
    """Return patterns as (node, cost, mark) lines, where the members of each start, and the members.

    `types` come dearest first; `marks` are random numbers whose sum tells sets of members apart; more than `most`
    members in all: the collection ends, and the flag returned says so.
    """
    number = len(types)
    size = slots_for(number)
    keys = np.empty(size, np.int64)
    ids = np.empty(size, np.int64)
    group = np.empty(number, np.int64)
    lines = np.empty((1024, 3), np.int64)
    starts = np.zeros(1025, np.int64)
    members = np.empty(4096, np.int64)
    found, filled = 0, 0
    for index in range(len(nodes)):
        a, b = nodes[index]
        groups = number_groups(lefts[a], rights[b], widths[b], types, keys, ids, group)
        rows = np.zeros(groups, np.int64)
        least = np.zeros(groups, np.int64)
        nearly = np.zeros(groups, np.int64)
        for i in range(number):
            g, t = group[i], types[i]
            extra = left_losses[a, t] + right_losses[b, t] - prices[t]
            if extra < 0:
                least[g] += counts[i] * extra
                nearly[g] += counts[i] * extra
            elif rows[g] < rows_needed:
                least[g] += min(counts[i], rows_needed - rows[g]) * extra
                nearly[g] += max(0, min(counts[i], rows_needed - 1 - rows[g])) * extra
            rows[g] += counts[i]
        size_of = np.zeros(groups, np.int64)
        for i in range(number):
            g, t = group[i], types[i]
            if rows[g] >= rows_needed and least[g] <= slack:
                extra = left_losses[a, t] + right_losses[b, t] - prices[t]
                if extra <= 0 or nearly[g] + extra <= slack:
                    size_of[g] += 1
                else:
                    group[i] = -1
            else:
                group[i] = -1
        place = np.full(groups, -1, np.int64)
        for g in range(groups):
            if size_of[g]:
                if found == len(lines):
                    lines = _grown(lines)
                    starts = np.concatenate((starts, np.zeros(found, np.int64)))
                place[g] = found
                starts[found + 1] = starts[found] + size_of[g]
                lines[found, 0] = index
                lines[found, 2] = 0
                found += 1
        filled = starts[found]
        if filled > most:
            return lines[:found], starts[: found + 1], members, True
        while filled > len(members):
            members = np.concatenate((members, np.empty(len(members), np.int64)))
        fill = np.zeros(groups, np.int64)
        for i in range(number):
            g = group[i]
            if g >= 0:
                p = place[g]
                members[starts[p] + fill[g]] = i
                fill[g] += 1
                lines[p, 1] = left_losses[a, types[i]] + right_losses[b, types[i]]
                lines[p, 2] += marks[i]
    return lines[:found], starts[: found + 1], members[: starts[found]], False


@njit(cache=True)
def _grown(lines):
    more = np.empty((2 * len(lines), 3), np.int64)
    more[: len(lines)] = lines
    return more
