"""Compiled loops over the cube. Imported only where they are used: the compiler takes its time.

A node is a pair of half nodes; the key of a type's group there is `first group * width + second group`. Groups are
numbered by hashing their keys, and keys are compared in full. Everything is in integers, so sums are exact.
"""

from __future__ import annotations

import numpy as np

from shoal.core.compiler import njit, prange

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


@njit(cache=True)
def slots_for(number):
    """Return how many slots a hash table for that many keys has: a power of two."""
    size = 4
    while size < 2 * number:
        size *= 2
    return size


@njit(cache=True, inline="always")
def find_slot(key, keys, mask):
    """Return the slot of a key, or the empty one where it belongs."""
    slot = (np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)
    slot &= mask
    while keys[slot] >= 0 and keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot


@njit(cache=True)
def number_groups(left, right, width, types, keys, ids, group):
    """Number the groups of some types at a node, in order of appearance; return how many there are."""
    mask = np.uint64(len(keys) - 1)
    keys[:] = -1
    groups = 0
    for place in range(len(types)):
        t = types[place]
        key = left[t] * width + right[t]
        slot = find_slot(key, keys, mask)
        if keys[slot] < 0:
            keys[slot] = key
            ids[slot] = groups
            groups += 1
        group[place] = ids[slot]
    return groups


@njit(cache=True, parallel=True)
def least_charges(lefts, rights, widths, left_losses, right_losses, nodes, counts, codes, totals, needs, rows, lanes):
    """Return for each type the least that a row pays at a node whose group could contain an admitted class.

    `needs[d]` is (attribute, different values, rows of the table whose values must be present); `rows` the least rows.
    """
    number = len(counts)
    best = np.full((lanes, number), np.iinfo(np.int64).max)
    types = np.arange(number)
    size = slots_for(number)
    for lane in prange(lanes):
        keys = np.empty(size, np.int64)
        ids = np.empty(size, np.int64)
        group = np.empty(number, np.int64)
        paid = np.empty(number, np.int64)
        for index in range(lane, len(nodes), lanes):
            a, b = nodes[index]
            useful = False
            for t in range(number):
                paid[t] = left_losses[a, t] + right_losses[b, t]
                useful = useful or paid[t] < best[lane, t]
            if not useful:
                continue
            groups = number_groups(lefts[a], rights[b], widths[b], types, keys, ids, group)
            enough = _enough(group, groups, counts, codes, totals, needs, rows)
            for t in range(number):
                if enough[group[t]] and paid[t] < best[lane, t]:
                    best[lane, t] = paid[t]
    least = best[0].copy()
    for lane in range(1, lanes):
        least = np.minimum(least, best[lane])
    return least


@njit(cache=True)
def _enough(group, groups, counts, codes, totals, needs, rows):
    """Return which groups have enough rows, enough different values, and values of enough rows of the table.

    Group by group, so that `last`, the group that a value was seen in last, says whether it is new.
    """
    size = np.zeros(groups, np.int64)
    for t in range(len(group)):
        size[group[t]] += counts[t]
    enough = size >= rows
    for d in range(len(needs)):
        attribute, values, mass = needs[d]
        last = np.full(codes[attribute].max() + 1, -1)
        different = np.zeros(groups, np.int64)
        present = np.zeros(groups, np.int64)
        for t in np.argsort(group, kind="mergesort"):
            g, value = group[t], codes[attribute, t]
            if last[value] != g:
                last[value] = g
                different[g] += 1
                present[g] += totals[attribute, value]
        enough &= (different >= values) & (present >= mass)
    return enough
