"""Local search among open patterns: rows move to cheaper classes, classes are dissolved (compiled).

Every move keeps every class admitted as far as the loops know the models (see `admit`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.core.arrays import Codes, Ints
from shoal.core.compiler import njit
from shoal.patterns.class_state import class_state, move, with_change
from shoal.patterns.kernels import find_slot, gather, group_table

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


class OpenPatterns(NamedTuple):
    """The patterns of all classes: the halves' groups, the nodes in use, and a hash table from pattern to class."""

    lefts: Codes
    rights: Codes
    widths: Ints
    nodes: Ints
    used: Ints
    keys: Ints
    owner: Ints
    found: Ints
    """Working memory: the classes that a type matches."""


@njit(cache=True, nogil=True)
def move_rows(layout, type_of_row, class_of_row, node_of_class, rules, rounds, stop):
    """Move rows to cheaper open patterns and dissolve classes, in rounds, while that saves; `class_of_row` is changed.

    Returns what was saved.
    """
    state = class_state(layout, type_of_row, class_of_row, node_of_class, rules, len(node_of_class))
    patterns = _open(layout, state, node_of_class)
    saved = np.int64(0)
    for _ in range(rounds):
        before = saved
        for r in range(len(type_of_row)):
            if stop[0]:
                return saved
            saved += _cheaper(r, patterns, state, rules)
        saved += _dissolve(patterns, state, rules, stop)
        if saved == before:
            break
    return saved


@njit(cache=True)
def _open(layout, state, node_of_class):
    """Return the open patterns."""
    keys, owner, _ = group_table(0, 2 * len(node_of_class))
    mask = np.uint64(len(keys) - 1)
    lefts, rights, widths, _, _, nodes = layout
    class_of_row, type_of_row, used = state.class_of_row, state.type_of_row, _different(node_of_class, len(nodes))
    for r in range(len(type_of_row)):
        c, t = class_of_row[r], type_of_row[r]
        a, b = nodes[node_of_class[c]]
        key = (lefts[a, t] * widths[b] + rights[b, t]) * len(nodes) + node_of_class[c]
        slot = find_slot(key, keys, mask)
        keys[slot] = key
        owner[slot] = c
    return OpenPatterns(lefts, rights, widths, nodes, used, keys, owner, np.empty(len(used), np.int64))


@njit(cache=True)
def _different(node_of_class, nodes):
    """Return the nodes that classes are at, in rising order."""
    seen, found, many = np.zeros(nodes, np.bool_), np.empty(nodes, np.int64), 0
    for node in node_of_class:
        seen[node] = True
    for node in range(nodes):
        if seen[node]:
            found[many] = node
            many += 1
    return found[:many].copy()


@njit(cache=True)
def _matching(t, patterns):
    """Return the classes whose pattern a type matches, whether they have rows or not."""
    lefts, rights, widths, nodes, used, keys, owner, found = patterns
    mask = np.uint64(len(keys) - 1)
    many = 0
    for node in used:
        a, b = nodes[node]
        key = (lefts[a, t] * widths[b] + rights[b, t]) * len(nodes) + node
        slot = find_slot(key, keys, mask)
        if keys[slot] == key:
            found[many] = owner[slot]
            many += 1
    return found[:many]


@njit(cache=True)
def _best(t, here, limit, patterns, state, rules):
    """Return the cheapest other class that a row may join for less than `limit`; -1 if there is none."""
    size, cost, best = state.size, state.cost, -1
    for c in _matching(t, patterns):
        if c != here and size[c] and cost[c] < limit and with_change(c, t, 1, state, rules):
            best, limit = c, cost[c]
    return best


@njit(cache=True)
def _cheaper(r, patterns, state, rules):
    """Move a row to the cheapest class that it may join, if its own can spare it; return what that saves."""
    t, here = state.type_of_row[r], state.class_of_row[r]
    if state.cost[here] == 0 or not with_change(here, t, -1, state, rules):
        return np.int64(0)
    best = _best(t, here, state.cost[here], patterns, state, rules)
    if best < 0:
        return np.int64(0)
    move(r, best, state, rules)
    return state.cost[here] - state.cost[best]


@njit(cache=True)
def _dissolve(patterns, state, rules, stop):
    """Spread the rows of a class over other open classes wherever that costs less than the class."""
    size, class_of_row = state.size, state.class_of_row
    order = np.empty(len(class_of_row), np.int64)
    starts = gather(class_of_row, len(size), order)
    saved = np.int64(0)
    for c in range(len(size)):
        if stop[0]:
            return saved
        mine = order[starts[c] : starts[c + 1]]
        if size[c] == 0 or state.cost[c] == 0 or len(mine) != size[c] or not _together(mine, c, class_of_row):
            continue
        saved += _spread(c, mine, patterns, state, rules)
    return saved


@njit(cache=True)
def _together(mine, c, class_of_row):
    """Whether rows are all in a class."""
    elsewhere = 0
    for r in mine:
        elsewhere += class_of_row[r] != c
    return elsewhere == 0


@njit(cache=True)
def _spread(c, mine, patterns, state, rules):
    """Spread the rows of one class, if that saves; else everything is put back. Returns what it saves."""
    budget = state.size[c] * state.cost[c]
    placed = 0
    for r in mine:
        best = _best(state.type_of_row[r], c, budget, patterns, state, rules)
        if best < 0:
            break
        budget -= state.cost[best]
        move(r, best, state, rules)
        placed += 1
    if placed == len(mine):
        return budget
    for r in mine[:placed]:
        move(r, c, state, rules)
    return np.int64(0)
