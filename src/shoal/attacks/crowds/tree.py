"""The tree of published classes: a level for each column, a branch for each cell that occurs below those above."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from shoal.attacks.crowds.attacker_view import Cover
from shoal.core.arrays import Bools, Ints


class Tree(NamedTuple):
    """The classes of some rows of cells, to be walked down with the values of a person.

    The children of node c are `begin[c]` to `begin[c + 1]`; `label` is the cell of each node, rising among siblings;
    nodes from `leaf` on are the classes. Value v of column j is covered by the cells
    `cells[starts[offsets[j] + v]:starts[offsets[j] + v + 1]]`.
    """

    begin: Ints
    label: Ints
    leaf: int
    offsets: Ints
    starts: Ints
    cells: Ints

    @classmethod
    def of(cls, signatures: Ints, covers: Sequence[Cover]) -> Tree:
        """Make the tree of distinct rows of cells in lexicographic order."""
        fresh = _fresh(signatures)
        label = [np.array([-1]), *(signatures[fresh[:, depth], depth] for depth in range(signatures.shape[1]))]
        children = [fresh[:, :1].sum(axis=0), *(_inside(*pair) for pair in pairwise(fresh.T))]
        starts, cells, offsets = _joined(covers)
        labels = np.concatenate(label).astype(np.int64)
        return cls(
            np.cumsum(np.concatenate([[1], *children])), labels, len(labels) - len(signatures), offsets, starts, cells
        )


def _fresh(signatures: Ints) -> Bools:
    """Return where a row differs from the one before in a column or in one before that column."""
    changed = np.vstack([np.ones((1, signatures.shape[1]), dtype=bool), signatures[1:] != signatures[:-1]])
    return np.logical_or.accumulate(changed, axis=1)


def _inside(above: Bools, below: Bools) -> Ints:
    """Return how many nodes of a level stand below each node of the level above."""
    return np.add.reduceat(below.astype(np.int64), np.flatnonzero(above))


def _joined(covers: Sequence[Cover]) -> tuple[Ints, Ints, Ints]:
    """Put covers behind one another: where the cells of each value begin, the cells, and where each column's begin."""
    offsets = np.cumsum([0, *(len(cover.starts) for cover in covers)])[:-1]
    sizes = np.cumsum([0, *(len(cover.cells) for cover in covers)])[:-1]
    starts = np.concatenate([cover.starts + size for cover, size in zip(covers, sizes, strict=True)])
    return starts.astype(np.int64), np.concatenate([cover.cells for cover in covers]), offsets.astype(np.int64)
