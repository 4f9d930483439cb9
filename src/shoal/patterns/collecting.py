"""Collecting the patterns that a cheap release could use (compiled).

At prices a, a release that uses pattern p costs at least the proven bound plus the least of `sum (c_p - a_t)` over
classes at p. Patterns, and types within them, for which this exceeds what is known to be reachable are left out.
"""

from __future__ import annotations

import numpy as np

from shoal.core.compiler import njit
from shoal.patterns.kernels import copy_into, gather, group_table, number_groups, paid_at, with_room

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


@njit(cache=True)
def collect_patterns(layout, types, counts, prices, marks, rows_needed, slack, most):
    """Return patterns as (node, cost, mark) lines, where the members of each start, and the members.

    `types` come dearest first; `marks` are random numbers whose sum tells sets of members apart; more than `most`
    members in all: the collection ends, and the flag returned says so.
    """
    number = len(types)
    table, places = group_table(number, number), np.empty(number, np.int64)
    lines = np.empty((1024, 3), np.int64)
    starts = np.zeros(1025, np.int64)
    members = np.empty(4096, np.int64)
    found = 0
    for node in range(len(layout.nodes)):
        groups = number_groups(layout, node, types, table)
        paid = paid_at(layout, node)[types]
        _leave_out(table.group, groups, paid - prices[types], counts, rows_needed, slack)
        first = gather(table.group, groups, places)
        begin, filled = starts[found], starts[found] + first[groups]
        if filled > most:
            return lines[:found], starts[: found + 1], members[:begin], True
        members = with_room(members, filled)
        copy_into(members[begin:filled], places[: first[groups]])
        for g in range(groups):
            mine = places[first[g] : first[g + 1]]
            if len(mine):
                lines, starts = with_room(lines, found + 1), with_room(starts, found + 2)
                lines[found, 0], lines[found, 1], lines[found, 2] = node, paid[mine[0]], marks[mine].sum()
                starts[found + 1] = starts[found] + len(mine)
                found += 1
    return lines[:found], starts[: found + 1], members[: starts[found]], False


@njit(cache=True)
def _leave_out(group, groups, extra, counts, rows_needed, slack):
    """Set the group to -1 of types that no class within the slack has; `extra` is what a row pays beyond its price."""
    rows = np.zeros(groups, np.int64)
    least = np.zeros(groups, np.int64)
    nearly = np.zeros(groups, np.int64)
    for i in range(len(group)):
        g = group[i]
        if extra[i] < 0:
            least[g] += counts[i] * extra[i]
            nearly[g] += counts[i] * extra[i]
        elif rows[g] < rows_needed:
            least[g] += min(counts[i], rows_needed - rows[g]) * extra[i]
            nearly[g] += max(0, min(counts[i], rows_needed - 1 - rows[g])) * extra[i]
        rows[g] += counts[i]
    for i in range(len(group)):
        g = group[i]
        if rows[g] < rows_needed or least[g] > slack or (extra[i] > 0 and nearly[g] + extra[i] > slack):
            group[i] = -1
