"""The row types of a table as codes, and the blocks of every level: the groups at any node in one pass over the types.

Unlike the halves of a cube nothing is kept for each node, so that a table of millions of rows takes little memory, and
types that need not be looked at any more can leave the arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoal.core.arrays import AnyInts, Codes, Ints
from shoal.core.compiler import njit
from shoal.patterns.kernels import copy_into, first_slot

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"


class Grid(NamedTuple):
    """Types by their codes, attributes by their blocks; the tables of all attributes and levels lie end to end."""

    codes: Codes
    """Attribute by type: the number of its value."""
    starts: Ints
    """Attribute by level: where its table starts in `blocks` and `losses`."""
    blocks: Codes
    """By attribute, level and value: the number of the block around the value."""
    losses: Ints
    """By attribute, level and value: what a row pays for that block, in units."""
    widths: Ints
    """Attribute by level: how many blocks there are."""

    @classmethod
    def of(cls, codes: Sequence[AnyInts], blocks: Sequence[AnyInts], losses: Sequence[Ints]) -> Grid:
        """Return the grid of types; blocks and losses come attribute by attribute, level by value."""
        shape = len(codes), max((len(levels) for levels in blocks), default=0)
        starts, widths, filled = np.zeros(shape, np.int64), np.ones(shape, np.int64), 0
        for attribute, levels in enumerate(blocks):
            for level, row in enumerate(levels):
                starts[attribute, level], widths[attribute, level] = filled, int(row.max()) + 1
                filled += len(row)
        return cls(
            np.array(codes, np.int32).reshape(len(codes), -1),
            starts,
            np.concatenate([np.asarray(levels).ravel() for levels in blocks]).astype(np.int32),
            np.concatenate([levels.ravel() for levels in losses]).astype(np.int64),
            widths,
        )

    def take(self, types: Ints) -> Grid:
        """Return the grid of some of the types."""
        return self._replace(codes=np.ascontiguousarray(self.codes[:, types]))

    def ordered(self, attributes: Ints, types: Ints | None = None) -> Grid:
        """Return the grid with its attributes in another order, of all types or of some in their order."""
        codes = self.codes[attributes] if types is None else self.codes[attributes[:, None], types]
        return self._replace(codes=codes, starts=self.starts[attributes], widths=self.widths[attributes])

    def blocks_at(self, levels: AnyInts, types: Ints) -> list[Codes]:
        """Return the blocks of types, each at its own levels (type by attribute), attribute by attribute."""
        return [self.blocks[self.starts[j, levels[:, j]] + codes[types]] for j, codes in enumerate(self.codes)]

    def paid_at(self, levels: AnyInts, types: Ints) -> Ints:
        """Return what one row of each type pays, each at its own levels (type by attribute)."""
        paid = np.zeros(len(types), np.int64)
        for j, codes in enumerate(self.codes):
            paid += self.losses[self.starts[j, levels[:, j]] + codes[types]]
        return paid


class Numbering(NamedTuple):
    """Working memory for the groups at a node: a hash table of their keys, and the key and the group of each type."""

    slots: Codes
    """By slot: the first type with its key, or -1; or, where keys are few, by key: the number of its group."""
    key: Ints
    group: Codes


@njit(cache=True)
def numbering(types):
    """Return working memory for so many types."""
    size = 4
    while size < 2 * types:
        size *= 2
    return Numbering(np.empty(size, np.int32), np.empty(types, np.int64), np.empty(types, np.int32))


@njit(cache=True)
def number_blocks(grid, levels, types, memory):
    """Number the groups of the first types at the levels of a node, in order of appearance; return how many."""
    codes, starts, blocks, _, widths = grid
    key = memory.key[:types]
    key[:] = 0
    number = 1
    for j in range(len(levels)):
        width = widths[j, levels[j]]
        if width == 1:
            continue
        if number > 2**62 // width:  # the key would not fit: the groups so far stand for what they hold
            number = number_keys(key, number, memory)
            copy_into(key, memory.group[:types])
        at, mine = starts[j, levels[j]], codes[j]
        for t in range(types):
            key[t] += blocks[at + mine[t]] * number
        number *= width
    return number_keys(key, number, memory)


@njit(cache=True)
def number_keys(key, most, memory):
    """Number the distinct keys, which are below `most`, in order of appearance; return how many there are."""
    slots, _, group = memory
    size, groups = 4, 0
    while size < 2 * len(key):
        size *= 2
    if most <= size:
        slots[:most] = -1
        for t in range(len(key)):
            if slots[key[t]] < 0:
                slots[key[t]] = groups
                groups += 1
            group[t] = slots[key[t]]
        return groups
    mask = np.uint64(size - 1)
    slots[:size] = -1
    for t in range(len(key)):
        slot = first_slot(key[t], mask)
        while slots[slot] >= 0 and key[slots[slot]] != key[t]:
            slot = (slot + np.uint64(1)) & mask
        if slots[slot] < 0:
            slots[slot] = t
            group[t] = groups
            groups += 1
        else:
            group[t] = group[slots[slot]]
    return groups


@njit(cache=True)
def paid_by(grid, levels, t):
    """Return what a row of a type pays at the levels of a node."""
    codes, starts, _, losses, _ = grid
    paid = np.int64(0)
    for j in range(len(levels)):
        paid += losses[starts[j, levels[j]] + codes[j, t]]
    return paid
