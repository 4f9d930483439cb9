"""Compiled loops over the cube. Imported only where they are used: the compiler takes its time.

Groups are numbered by hashing their keys, and keys are compared in full. Everything is in integers, so sums are exact.
Loops read the fields of a named tuple before they start: each reading inside would count references.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.core.arrays import Ints
from shoal.core.compiler import njit

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


class GroupTable(NamedTuple):
    """Working memory for the groups at a node: a hash table of their keys, and the group of each type."""

    keys: Ints
    """By slot: the key, or -1."""
    numbers: Ints
    """By slot: the number of the group."""
    group: Ints
    """The group of each type; -1 where it has none."""


@njit(cache=True)
def group_table(types, groups):
    """Return empty working memory for so many types, with two slots or more for each of so many groups."""
    size = 4
    while size < 2 * groups:  # a power of two, so that a mask takes the rest of a division
        size *= 2
    return GroupTable(np.full(size, -1, np.int64), np.empty(size, np.int64), np.empty(types, np.int64))


@njit(cache=True, inline="always")
def first_slot(key, mask):
    """Return the slot where the search for a key begins."""
    return ((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & mask


@njit(cache=True, inline="always")
def find_slot(key, keys, mask):
    """Return the slot of a key, or the empty one where it belongs."""
    slot = first_slot(key, mask)
    while keys[slot] >= 0 and keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot


@njit(cache=True)
def gather(group, groups, members):
    """Put the places of each group side by side, in rising order; return where each group starts. -1 is no group."""
    starts = np.zeros(groups + 1, np.int64)
    for g in group:
        if g >= 0:
            starts[g + 1] += 1
    for g in range(groups):
        starts[g + 1] += starts[g]
    fill = starts[:-1].copy()
    for place in range(len(group)):
        if group[place] >= 0:
            members[fill[group[place]]] = place
            fill[group[place]] += 1
    return starts


@njit(cache=True)
def paid_at(layout, node):
    """Return what a row of each type pays at a node."""
    a, b = layout.nodes[node]
    return layout.left_losses[a] + layout.right_losses[b]


@njit(cache=True)
def copy_into(target, source):
    """Copy numbers to the front of an array that is no shorter, one by one: slices take seconds longer to compile."""
    there, here = target.reshape(-1), source.reshape(-1)
    for place in range(len(here)):
        there[place] = here[place]


@njit(cache=True)
def largest(values):
    """Return the greatest of some numbers."""
    most = values[0]
    for value in values:
        most = max(most, value)
    return most


@njit(cache=True)
def rising(values):
    """Return the places of numbers, the least first, equal ones as they stand: merge sort."""
    places, spare, width = np.arange(len(values)), np.empty(len(values), np.int64), 1
    while width < len(values):
        for start in range(0, len(values), 2 * width):
            _merge(values, places, spare, start, width)
        places, spare, width = spare, places, 2 * width
    return places


@njit(cache=True)
def _merge(values, places, spare, start, width):
    """Merge two runs of places, of that width at most, into `spare`."""
    middle, end = min(start + width, len(values)), min(start + 2 * width, len(values))
    left, right = start, middle
    for filled in range(start, end):
        if left < middle and (right >= end or values[places[left]] <= values[places[right]]):
            spare[filled] = places[left]
            left += 1
        else:
            spare[filled] = places[right]
            right += 1


@njit(cache=True)
def with_room(lines, needed):
    """Return the lines, in a longer array if there are fewer than needed."""
    if needed <= len(lines):
        return lines
    more = np.empty((2 * needed, *lines.shape[1:]), lines.dtype)
    copy_into(more, lines)
    return more
