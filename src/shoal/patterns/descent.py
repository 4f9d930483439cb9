"""Walking the patterns depth first: the attributes are fixed one after the other, each at each of its levels.

Fewer rows match a pattern than a coarser one, and no pattern costs less than what its first attributes cost. So a walk
keeps, at each depth, the groups of types that could still matter, and leaves out all patterns below the others. Types
stay in the order in which they come. (Compiled.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from shoal.core.arrays import Codes, Ints
from shoal.core.compiler import njit
from shoal.patterns.grid import Grid, Numbering, number_keys, numbering

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


class Descent(NamedTuple):
    """The lattice, and the types that are still looked at, depth by depth: so many attributes are at their levels."""

    grid: Grid
    heights: Ints
    level: Ints
    """By depth: the level that comes next."""
    number: Ints
    """By depth: how many types there are."""
    groups: Ints
    """By depth: how many groups they are in."""
    types: Codes
    """By depth: the types, in the order in which they came."""
    group: Codes
    """By depth: the group of each type."""
    paid: Ints
    """By depth: what a row of each group pays for the attributes so far, in units."""
    below: Numbering
    """The groups of the types at the next depth."""
    below_paid: Ints
    """What a row of each of them pays."""


@njit(cache=True)
def begin(grid, heights, number):
    """Return the walk over all patterns: at depth 0 all types are one group.

    What is not looked at is not written to, and takes no memory.
    """
    depths = len(heights)
    found = Descent(
        grid,
        heights,
        np.zeros(depths + 1, np.int64),
        np.zeros(depths + 1, np.int64),
        np.ones(depths + 1, np.int64),
        np.empty((depths + 1, number), np.int32),
        np.empty((depths + 1, number), np.int32),
        np.empty((depths + 1, number), np.int64),
        numbering(number),
        np.empty(number, np.int64),
    )
    for t in range(number):
        found.types[0, t], found.group[0, t] = t, 0
    found.number[0], found.paid[0, :1] = number, 0
    return found


@njit(cache=True)
def next_level(walk, depth, lane, lanes):
    """Return the level at which the next attribute is to be looked at; -1 where there is none left.

    Lanes share the choices of the first two levels.
    """
    level, heights = walk.level, walk.heights
    while level[depth] <= heights[depth]:
        chosen = level[depth]
        level[depth] += 1
        first = chosen if depth == 0 else level[0] - 1
        if depth != min(1, len(heights) - 1) or (first * (heights[depth] + 1) + chosen) % lanes == lane:
            return chosen
    level[depth] = 0
    return np.int64(-1)


@njit(cache=True)
def split(walk, depth, level):
    """Find the groups `below` with the next attribute at a level; return how many there are."""
    number, types, before, paid = walk.number[depth], walk.types[depth], walk.group[depth], walk.paid[depth]
    codes, starts, blocks, losses, widths = walk.grid
    start, mine, width = starts[depth, level], codes[depth], widths[depth, level]
    _, key, group = walk.below
    for i in range(number):
        key[i] = before[i] * width + blocks[start + mine[types[i]]]
    groups = number_keys(key[:number], walk.groups[depth] * width, walk.below)
    below_paid = walk.below_paid
    for i in range(number):
        below_paid[group[i]] = paid[before[i]] + losses[start + mine[types[i]]]
    return groups


@njit(cache=True)
def keep(walk, depth, groups, kept):
    """Go on with the groups below that are kept (not 0); return whether there are any."""
    left, paid = 0, walk.paid[depth + 1]
    for g in range(groups):
        if kept[g]:
            paid[left] = walk.below_paid[g]
            left += 1
            kept[g] = left
    walk.groups[depth + 1], place = left, 0
    if left:
        types, group = walk.types[depth + 1], walk.group[depth + 1]
        before, below = walk.types[depth], walk.below.group
        for i in range(walk.number[depth]):
            if kept[below[i]]:
                types[place], group[place] = before[i], kept[below[i]] - 1
                place += 1
    walk.number[depth + 1] = place
    return left > 0
