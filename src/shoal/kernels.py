"""Compiled loops over the cube of patterns. Imported only where they are used: the compiler takes its time.

Everything speaks of *row types* (distinct quasi-identifier tuples, with what the models read beside them) and of
*nodes*: one level for each attribute. `blocks[r, t]` is the block of type t at level row r (the levels of all attributes
stacked), `node[j]` the level row of attribute j. Groups are found by hashing, and equal hashes are compared in full.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

if not os.access(Path(__file__).parent, os.W_OK) and "NUMBA_CACHE_DIR" not in os.environ:
    os.environ["NUMBA_CACHE_DIR"] = tempfile.mkdtemp(prefix="shoal-kernels-")

from numba import njit, prange  # noqa: E402 - the cache folder is chosen first
import numpy as np  # noqa: E402


@njit(cache=True)
def group_types(blocks, node, types, slots, group):  # type: ignore[no-untyped-def]
    """Number the groups of types that agree at a node, in order of appearance; return how many there are."""
    mask = np.uint64(len(slots) - 1)
    slots[:] = -1
    groups = 0
    for place in range(len(types)):
        kind = types[place]
        key = np.uint64(1469598103934665603)
        for row in node:
            key = (key ^ np.uint64(blocks[row, kind] + 1)) * np.uint64(1099511628211)
            key ^= key >> np.uint64(31)
        slot = key & mask
        while True:
            other = slots[slot]
            if other < 0:
                slots[slot] = place
                group[place] = groups
                groups += 1
                break
            same = True
            for row in node:
                if blocks[row, types[other]] != blocks[row, kind]:
                    same = False
                    break
            if same:
                group[place] = group[other]
                break
            slot = (slot + np.uint64(1)) & mask
    return groups


@njit(cache=True, parallel=True)
def support_charges(blocks, losses, nodes, counts, values, rows_needed, values_needed, lanes):  # type: ignore[no-untyped-def]
    """Return for each type the least a row pays at a node whose group has enough rows and enough different values."""
    number = len(counts)
    best = np.full((lanes, number), np.inf)
    types = np.arange(number)
    size = 2
    while size < 2 * number:
        size *= 2
    for lane in prange(lanes):
        slots = np.empty(size, np.int64)
        group = np.empty(number, np.int64)
        paid = np.empty(number)
        for index in range(lane, len(nodes), lanes):
            node = nodes[index]
            useful = False
            for t in range(number):
                cost = 0.0
                for row in node:
                    cost += losses[row, t]
                paid[t] = cost
                useful = useful or cost < best[lane, t]
            if not useful:
                continue
            groups = group_types(blocks, node, types, slots, group)
            enough = _enough(group, groups, counts, values, rows_needed, values_needed)
            for t in range(number):
                if enough[group[t]] and paid[t] < best[lane, t]:
                    best[lane, t] = paid[t]
    result = best[0]
    for lane in range(1, lanes):
        result = np.minimum(result, best[lane])
    return result


@njit(cache=True)
def _enough(group, groups, counts, values, rows_needed, values_needed):  # type: ignore[no-untyped-def]
    """Return which groups have enough rows and, for each sensitive attribute, enough different values."""
    rows = np.zeros(groups, np.int64)
    for t in range(len(group)):
        rows[group[t]] += counts[t]
    enough = rows >= rows_needed
    for attribute in range(len(values_needed)):
        if values_needed[attribute] <= 1:
            continue
        width = values[attribute].max() + 1
        seen = np.zeros(groups * width, np.bool_)
        different = np.zeros(groups, np.int64)
        for t in range(len(group)):
            cell = group[t] * width + values[attribute, t]
            if not seen[cell]:
                seen[cell] = True
                different[group[t]] += 1
        enough &= different >= values_needed[attribute]
    return enough


@njit(cache=True)
def peel_rows(blocks, losses, nodes, counts, prices, thresholds, rows_needed):  # type: ignore[no-untyped-def]
    """Cover the types with patterns, small regret first; return each type's class and node (-1: left over).

    The regret of a pattern is what it costs a row minus the mean price of the uncovered rows that match it. For one
    threshold after the other, all nodes are walked, and every pattern with enough uncovered rows and a regret of at
    most the threshold takes them.
    """
    number = len(counts)
    klass = np.full(number, -1, np.int64)
    place = np.full(number, -1, np.int64)
    types = np.arange(number)
    left = number
    size = 2
    while size < 2 * number:
        size *= 2
    slots = np.empty(size, np.int64)
    group = np.empty(number, np.int64)
    classes = 0
    for threshold in thresholds:
        for index in range(len(nodes)):
            if left == 0:
                return klass, place
            node = nodes[index]
            groups = group_types(blocks, node, types[:left], slots, group)
            rows = np.zeros(groups, np.int64)
            worth = np.zeros(groups)
            paid = np.zeros(groups)
            for i in range(left):
                t = types[i]
                if rows[group[i]] == 0:
                    cost = 0.0
                    for row in node:
                        cost += losses[row, t]
                    paid[group[i]] = cost
                rows[group[i]] += counts[t]
                worth[group[i]] += counts[t] * prices[t]
            names = np.full(groups, -1, np.int64)
            some = False
            for g in range(groups):
                if rows[g] >= rows_needed and paid[g] - worth[g] / rows[g] <= threshold:
                    names[g] = classes
                    classes += 1
                    some = True
            if not some:
                continue
            kept = 0
            for i in range(left):
                t = types[i]
                if names[group[i]] >= 0:
                    klass[t] = names[group[i]]
                    place[t] = index
                else:
                    types[kept] = t
                    kept += 1
            left = kept
            while size > 64 and size > 4 * left:
                size //= 2
            slots = slots[:size]
    return klass, place


@njit(cache=True, parallel=True)
def pattern_gains(blocks, losses, nodes, counts, prices, rows_needed, lanes):  # type: ignore[no-untyped-def]
    """Return the sum over all patterns of the most an admitted class could gain, and how often each type was taken.

    A class of at least `rows_needed` rows at a pattern of cost c gains sum (price - c). The most it can gain: all rows
    dearer than c, filled up with the dearest others where those are too few; 0 where that is negative.
    """
    number = len(counts)
    taken = np.zeros((lanes, number), np.int64)
    gained = np.zeros(lanes)
    types = np.arange(number)
    size = 2
    while size < 2 * number:
        size *= 2
    for lane in prange(lanes):
        slots = np.empty(size, np.int64)
        group = np.empty(number, np.int64)
        paid = np.empty(number)
        for index in range(lane, len(nodes), lanes):
            node = nodes[index]
            useful = False
            for t in range(number):
                cost = 0.0
                for row in node:
                    cost += losses[row, t]
                paid[t] = cost
                useful = useful or prices[t] > cost
            if useful:
                groups = group_types(blocks, node, types, slots, group)
                gained[lane] += _node_gain(group, groups, paid, counts, prices, rows_needed, taken[lane])
    return gained.sum(), taken.sum(axis=0)


@njit(cache=True)
def _node_gain(group, groups, paid, counts, prices, rows_needed, taken):  # type: ignore[no-untyped-def]
    """Return what the patterns of one node could gain, and note which types they take."""
    rows = np.zeros(groups, np.int64)
    dear = np.zeros(groups, np.int64)
    gain = np.zeros(groups)
    for t in range(len(group)):
        g = group[t]
        rows[g] += counts[t]
        if prices[t] > paid[t]:
            dear[g] += counts[t]
            gain[g] += counts[t] * (prices[t] - paid[t])
    short = np.zeros(groups, np.bool_)
    members = 0
    total = 0.0
    for g in range(groups):
        if dear[g] == 0 or rows[g] < rows_needed:
            gain[g] = 0.0
        elif dear[g] < rows_needed:
            short[g] = True
    start = np.zeros(groups + 1, np.int64)
    for t in range(len(group)):
        if short[group[t]] and prices[t] <= paid[t]:
            start[group[t] + 1] += 1
            members += 1
    for g in range(groups):
        start[g + 1] += start[g]
    others = np.empty(members, np.int64)
    fill = start[:groups].copy()
    for t in range(len(group)):
        if short[group[t]] and prices[t] <= paid[t]:
            others[fill[group[t]]] = t
            fill[group[t]] += 1
    limit = np.full(groups, -1, np.int64)
    for g in range(groups):
        if not short[g]:
            continue
        mine = others[start[g] : start[g + 1]]
        mine = mine[np.argsort(-prices[mine])]
        wanted = rows_needed - dear[g]
        for t in mine:
            if wanted == 0 or gain[g] <= 0:
                break
            extra = min(wanted, counts[t])
            gain[g] += extra * (prices[t] - paid[t])
            wanted -= extra
        if gain[g] <= 0:
            gain[g] = 0.0
            continue
        wanted = rows_needed - dear[g]
        for t in mine:
            extra = min(wanted, counts[t])
            taken[t] += extra
            wanted -= extra
            if wanted == 0:
                break
    for g in range(groups):
        total += gain[g]
    for t in range(len(group)):
        if gain[group[t]] > 0 and prices[t] > paid[t]:
            taken[t] += counts[t]
    return total
