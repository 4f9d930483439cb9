"""Opening patterns for rows of dear classes, with rows that other classes can spare (compiled)."""

from __future__ import annotations

import numpy as np

from shoal.core.compiler import njit
from shoal.patterns.checks import CLOSE
from shoal.patterns.class_state import admitted, class_state, move, with_change
from shoal.patterns.kernels import find_slot, gather, group_table, paid_at

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

MOST_CONSIDERED = 500
"""Rows of a pattern among which helpers are looked for."""


@njit(cache=True, nogil=True)
def open_patterns(layout, walked, type_of_row, class_of_row, node_of_class, donors, rules, stop):
    """Open patterns for rows of dear classes, pulling rows that other classes can spare, wherever that saves.

    `walked` are the nodes to look at, `donors` the classes to relieve, dearest first. `class_of_row` is changed;
    returns what was saved and the nodes of the classes that were opened.
    """
    classes, number = len(node_of_class), len(type_of_row)
    room = classes + number // max(rules.rows, 1) + 1
    state = class_state(layout, type_of_row, class_of_row, node_of_class, rules, room)
    opened, members = np.empty(room, np.int64), np.empty(number, np.int64)
    fresh = 0
    saved = np.int64(0)
    for donor in donors:
        for node in walked:
            if stop[0] or state.size[donor] == 0:
                break
            a, b = layout.nodes[node]
            paid = paid_at(layout, node)[type_of_row]
            key = (layout.lefts[a] * layout.widths[b] + layout.rights[b])[type_of_row]
            starts = _around(donor, key, paid, state, members)
            for g in range(len(starts) - 1):
                there = classes + fresh
                if there >= room:
                    break
                mine = members[starts[g] : starts[g + 1]]
                state.cost[there] = paid[mine[0]]
                gain = _gather(mine, donor, there, state, rules)
                if gain > 0:
                    saved += gain
                    opened[fresh] = node
                    fresh += 1
    return saved, opened[:fresh]


@njit(cache=True)
def _around(donor, key, paid, state, members):
    """Gather the rows at every pattern of a node that a row of the donor matches for less than it pays now."""
    keys, numbers, group = group_table(len(key), state.size[donor])
    class_of_row, limit, mask = state.class_of_row, state.cost[donor], np.uint64(len(keys) - 1)
    groups = 0
    for r in range(len(key)):
        if class_of_row[r] == donor and paid[r] < limit:
            slot = find_slot(key[r], keys, mask)
            if keys[slot] < 0:
                keys[slot] = key[r]
                numbers[slot] = groups
                groups += 1
    group[:] = -1
    for r in range(len(key) if groups else 0):
        slot = find_slot(key[r], keys, mask)
        if keys[slot] == key[r]:
            group[r] = numbers[slot]
    return gather(group, groups, members)


@njit(cache=True)
def _gather(mine, donor, there, state, rules):
    """Try to make a class of the donor's rows among these and of rows that others can spare; return what it saves.

    Where it saves nothing, everything is put back.
    """
    cost, class_of_row = state.cost, state.class_of_row
    moved = np.empty(len(mine), np.int64)
    came = np.empty(len(mine), np.int64)
    many = 0
    gain = np.int64(0)
    for r in mine:
        if class_of_row[r] == donor:
            gain += cost[donor] - cost[there]
            moved[many], came[many] = r, donor
            many += 1
            move(r, there, state, rules)
    own = many
    good = admitted(there, state, rules)
    while not good and gain > 0 and many < 4 * own + rules.rows:
        helper = _helper(mine[:MOST_CONSIDERED], donor, there, state, rules)
        if helper < 0:
            break
        moved[many], came[many] = helper, class_of_row[helper]
        gain -= cost[there] - cost[came[many]]
        move(helper, there, state, rules)
        many += 1
        good = admitted(there, state, rules)
    if state.size[donor] > 0:
        good = good and admitted(donor, state, rules)
    if good and gain > 0:
        return gain
    for i in range(many - 1, -1, -1):
        move(moved[i], came[i], state, rules)
    return np.int64(0)


@njit(cache=True)
def _helper(considered, donor, there, state, rules):
    """Return the row whose value the class lacks most and whose own class can spare it; -1 if there is none."""
    type_of_row, class_of_row, size, cost, counted = state
    codes, shares, lines = rules.codes, rules.shares, rules.lines
    best, which = -np.inf, -1
    for r in considered:
        c, t = class_of_row[r], type_of_row[r]
        if c == there or c == donor or cost[c] > cost[there] + cost[donor]:
            continue
        score = -(cost[there] - cost[c]) / (cost[donor] + 1.0)
        for d in range(len(lines)):
            a = int(lines[d, 1])
            v = codes[a, t]
            score += (size[there] * shares[a, v] if lines[d, 0] >= CLOSE else 0.0) - counted[there, a, v]
        if score > best and with_change(c, t, -1, state, rules):
            best, which = score, r
    return which
