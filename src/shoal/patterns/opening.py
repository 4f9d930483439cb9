"""Opening patterns for rows of dear classes, with rows that other classes can spare (compiled)."""

from __future__ import annotations

import numpy as np

from shoal.core.compiler import njit
from shoal.patterns.checks import CLOSE
from shoal.patterns.class_state import admitted, move, shares_of, stand, with_change
from shoal.patterns.kernels import find_slot, slots_for

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

MOST_CONSIDERED = 500
"""Rows of a pattern among which helpers are looked for."""


@njit(cache=True, nogil=True)
def open_patterns(
    lefts,
    rights,
    widths,
    left_losses,
    right_losses,
    nodes,
    type_of_row,
    class_of_row,
    node_of_class,
    donors,
    rows_needed,
    codes,
    totals,
    lines,
    edges,
    weights,
    stop,
):
    """Open patterns for rows of dear classes, pulling rows that other classes can spare, wherever that saves.

    `donors` are the classes to relieve, dearest first. `class_of_row` is changed; returns what was saved and the nodes
    of the classes that were opened.
    """
    classes, number = len(node_of_class), len(type_of_row)
    room = classes + number // max(rows_needed, 1) + 1
    rules = (rows_needed, codes, shares_of(totals), lines, edges, weights)
    standing = stand(
        left_losses,
        right_losses,
        nodes,
        type_of_row,
        class_of_row,
        node_of_class,
        codes,
        totals.shape[1],
        room,
    )
    size, cost, _ = standing
    opened = np.empty(room, np.int64)
    fresh = 0
    saved = np.int64(0)
    for donor in donors:
        for index in range(len(nodes)):
            if stop[0] or size[donor] == 0:
                break
            a, b = nodes[index]
            paid = (left_losses[a] + right_losses[b])[type_of_row]
            key = (lefts[a] * widths[b] + rights[b])[type_of_row]
            starts, members = _around(donor, key, paid, class_of_row, cost[donor], size[donor])
            for g in range(len(starts) - 1):
                there = classes + fresh
                if there >= room:
                    break
                mine = members[starts[g] : starts[g + 1]]
                cost[there] = paid[mine[0]]
                gain = _gather(mine, donor, there, type_of_row, class_of_row, standing, rules)
                if gain > 0:
                    saved += gain
                    opened[fresh] = index
                    fresh += 1
    return saved, opened[:fresh]


@njit(cache=True)
def _around(donor, key, paid, class_of_row, limit, number):
    """Gather the rows at every pattern of a node that a row of the donor matches for less than `limit`."""
    keys = np.full(slots_for(number), -1, np.int64)
    ids = np.empty(len(keys), np.int64)
    mask = np.uint64(len(keys) - 1)
    groups = 0
    for r in range(len(key)):
        if class_of_row[r] == donor and paid[r] < limit:
            slot = find_slot(key[r], keys, mask)
            if keys[slot] < 0:
                keys[slot] = key[r]
                ids[slot] = groups
                groups += 1
    starts = np.zeros(groups + 1, np.int64)
    group = np.full(len(key), -1, np.int64)
    for r in range(len(key)) if groups else range(0):
        slot = find_slot(key[r], keys, mask)
        if keys[slot] == key[r]:
            group[r] = ids[slot]
            starts[ids[slot] + 1] += 1
    for g in range(groups):
        starts[g + 1] += starts[g]
    members = np.empty(starts[groups], np.int64)
    fill = starts[:-1].copy()
    for r in range(len(key)):
        if group[r] >= 0:
            members[fill[group[r]]] = r
            fill[group[r]] += 1
    return starts, members


@njit(cache=True)
def _gather(mine, donor, there, type_of_row, class_of_row, standing, rules):
    """Try to make a class of the donor's rows among these and of rows that others can spare; return what it saves.

    Where it saves nothing, everything is put back.
    """
    size, cost, _ = standing
    moved = np.empty(len(mine), np.int64)
    came = np.empty(len(mine), np.int64)
    many = 0
    gain = np.int64(0)
    for r in mine:
        if class_of_row[r] == donor:
            gain += cost[donor] - cost[there]
            moved[many], came[many] = r, donor
            many += 1
            move(r, type_of_row[r], there, class_of_row, standing, rules[1])
    own = many
    good = admitted(there, standing, rules)
    while not good and gain > 0 and many < 4 * own + rules[0]:
        helper = _helper(mine[:MOST_CONSIDERED], donor, there, type_of_row, class_of_row, standing, rules)
        if helper < 0:
            break
        moved[many], came[many] = helper, class_of_row[helper]
        gain -= cost[there] - cost[came[many]]
        move(helper, type_of_row[helper], there, class_of_row, standing, rules[1])
        many += 1
        good = admitted(there, standing, rules)
    if size[donor] > 0:
        good = good and admitted(donor, standing, rules)
    if good and gain > 0:
        return gain
    for i in range(many - 1, -1, -1):
        move(moved[i], type_of_row[moved[i]], came[i], class_of_row, standing, rules[1])
    return np.int64(0)


@njit(cache=True)
def _helper(considered, donor, there, type_of_row, class_of_row, standing, rules):
    """Return the row whose value the class lacks most and whose own class can spare it; -1 if there is none."""
    size, cost, counted = standing
    codes, shares, lines = rules[1], rules[2], rules[3]
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
        if score > best and with_change(c, t, -1, standing, rules):
            best, which = score, r
    return which
