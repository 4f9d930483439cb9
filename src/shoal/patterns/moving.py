"""Local search among open patterns: rows move to cheaper classes, classes are dissolved (compiled).

Every move keeps every class admitted as far as the loops know the models (see `admit`).
"""

from __future__ import annotations

import numpy as np

from shoal.core.compiler import njit
from shoal.patterns.class_state import move, shares_of, stand, with_change
from shoal.patterns.kernels import find_slot, slots_for

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


@njit(cache=True, nogil=True)
def move_rows(
    lefts,
    rights,
    widths,
    left_losses,
    right_losses,
    nodes,
    type_of_row,
    class_of_row,
    node_of_class,
    rows_needed,
    codes,
    totals,
    lines,
    edges,
    weights,
    rounds,
    stop,
):
    """Move rows to cheaper open patterns and dissolve classes, in rounds, while that saves; `class_of_row` is changed.

    Returns what was saved.
    """
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
        len(node_of_class),
    )
    open_classes = _open(lefts, rights, widths, nodes, type_of_row, class_of_row, node_of_class)
    saved = np.int64(0)
    for _ in range(rounds):
        before = saved
        for r in range(len(type_of_row)):
            if stop[0]:
                return saved
            saved += _cheaper(r, type_of_row[r], open_classes, class_of_row, standing, rules)
        saved += _dissolve(open_classes, type_of_row, class_of_row, standing, rules, stop)
        if saved == before:
            break
    return saved


@njit(cache=True)
def _open(lefts, rights, widths, nodes, type_of_row, class_of_row, node_of_class):
    """Return the open patterns: the halves' groups, the nodes in use, and a hash table from pattern to class."""
    keys = np.full(slots_for(len(node_of_class)) * 2, -1, np.int64)
    owner = np.zeros(len(keys), np.int64)
    mask = np.uint64(len(keys) - 1)
    for r in range(len(type_of_row)):
        c, t = class_of_row[r], type_of_row[r]
        a, b = nodes[node_of_class[c]]
        key = (lefts[a, t] * widths[b] + rights[b, t]) * len(nodes) + node_of_class[c]
        slot = find_slot(key, keys, mask)
        keys[slot] = key
        owner[slot] = c
    used = np.unique(node_of_class)
    return lefts, rights, widths, nodes, used, keys, owner, np.empty(len(used), np.int64)


@njit(cache=True)
def _matching(t, open_classes):
    """Return the classes whose pattern a type matches, whether they have rows or not."""
    lefts, rights, widths, nodes, used, keys, owner, found = open_classes
    mask = np.uint64(len(keys) - 1)
    many = 0
    for index in used:
        a, b = nodes[index]
        key = (lefts[a, t] * widths[b] + rights[b, t]) * len(nodes) + index
        slot = find_slot(key, keys, mask)
        if keys[slot] == key:
            found[many] = owner[slot]
            many += 1
    return found[:many]


@njit(cache=True)
def _best(t, here, limit, open_classes, standing, rules):
    """Return the cheapest other class that a row may join for less than `limit`; -1 if there is none."""
    size, cost, _ = standing
    best = -1
    for c in _matching(t, open_classes):
        if c != here and size[c] and cost[c] < limit and with_change(c, t, 1, standing, rules):
            best, limit = c, cost[c]
    return best


@njit(cache=True)
def _cheaper(r, t, open_classes, class_of_row, standing, rules):
    """Move a row to the cheapest class that it may join, if its own can spare it; return what that saves."""
    cost, here = standing[1], class_of_row[r]
    if cost[here] == 0 or not with_change(here, t, -1, standing, rules):
        return np.int64(0)
    best = _best(t, here, cost[here], open_classes, standing, rules)
    if best < 0:
        return np.int64(0)
    move(r, t, best, class_of_row, standing, rules[1])
    return cost[here] - cost[best]


@njit(cache=True)
def _dissolve(open_classes, type_of_row, class_of_row, standing, rules, stop):
    """Spread the rows of a class over other open classes wherever that costs less than the class."""
    size, cost, _ = standing
    order = np.argsort(class_of_row)
    starts = np.searchsorted(class_of_row[order], np.arange(len(size) + 1))
    saved = np.int64(0)
    for c in range(len(size)):
        if stop[0]:
            return saved
        mine = order[starts[c] : starts[c + 1]]
        if size[c] == 0 or cost[c] == 0 or len(mine) != size[c] or (class_of_row[mine] != c).any():
            continue
        saved += _spread(c, mine, open_classes, type_of_row, class_of_row, standing, rules)
    return saved


@njit(cache=True)
def _spread(c, mine, open_classes, type_of_row, class_of_row, standing, rules):
    """Spread the rows of one class, if that saves; else everything is put back. Returns what it saves."""
    size, cost, _ = standing
    budget = size[c] * cost[c]
    placed = 0
    for r in mine:
        t = type_of_row[r]
        best = _best(t, c, budget, open_classes, standing, rules)
        if best < 0:
            break
        budget -= cost[best]
        move(r, t, best, class_of_row, standing, rules[1])
        placed += 1
    if placed == len(mine):
        return budget
    for r in mine[:placed]:
        move(r, type_of_row[r], c, class_of_row, standing, rules[1])
    return np.int64(0)
