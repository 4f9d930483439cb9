"""The lattice of full-domain recodings: a node says at which level of its hierarchy every column is published."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from shoal.core.arrays import Bools, Ints
from shoal.microdata.microdata import Microdata

Levels: TypeAlias = tuple[int, ...]
"""A level for every quasi-identifier; level 0 is the value itself."""
MOST_NODES = 4_000_000
"""Nodes of a lattice up to which all of them are laid out."""


@dataclass(frozen=True)
class Lattice:
    """Every choice of a level for each column, from all at the least to all at the top; nodes are numbered row by row.

    >>> lattice = Lattice((1, 2))
    >>> len(lattice), lattice.at(4), lattice.number((1, 1))
    (6, (1, 1), 4)
    >>> higher = Lattice((1, 2), (0, 1))
    >>> len(higher), higher.at(2), higher.number((1, 1))
    (4, (1, 1), 2)
    """

    heights: Levels
    """The most level of every column."""
    least: Levels = ()
    """The least level of every column; 0 where none is given."""

    @classmethod
    def of(cls, microdata: Microdata) -> Lattice:
        """Return the lattice of the levels that a table's columns may be published at."""
        return cls(microdata.most_levels, microdata.least_levels)

    def __len__(self) -> int:
        return self.nodes

    @property
    def nodes(self) -> int:
        """How many nodes there are, also where they are too many to be laid out, or for `len`."""
        return prod(self.shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of levels of every column."""
        return tuple(height - low + 1 for height, low in zip(self.heights, self.bottom, strict=True))

    @property
    def bottom(self) -> Levels:
        """The levels of the lowest node."""
        return self.least or (0,) * len(self.heights)

    @property
    def span(self) -> int:
        """How many steps lead from the lowest node to the highest."""
        return sum(self.heights) - sum(self.bottom)

    @property
    def refusals(self) -> list[str]:
        """Why the nodes cannot be laid out; none if they can."""
        if self.nodes <= MOST_NODES:
            return []
        return [
            f"the lattice has {self.nodes:,} nodes, more than {MOST_NODES:,}; top-down-greedy walks a part of it, and "
            "--level makes it smaller"
        ]

    @cached_property
    def levels(self) -> npt.NDArray[np.unsignedinteger]:
        """The levels of every node, node by column."""
        places = np.unravel_index(np.arange(len(self)), self.shape)
        kind = np.min_scalar_type(max(self.heights))
        return np.column_stack([(place + low).astype(kind) for place, low in zip(places, self.bottom, strict=True)])

    @cached_property
    def strides(self) -> Ints:
        """How far apart two nodes are that differ by one level of a column."""
        return np.array([prod(self.shape[j + 1 :]) for j in range(len(self.shape))], dtype=np.int64)

    @property
    def parts(self) -> tuple[slice, ...]:
        """The levels of every column as a part of all levels of its hierarchy."""
        return tuple(slice(low, high + 1) for low, high in zip(self.bottom, self.heights, strict=True))

    def at(self, node: int) -> Levels:
        """Return the levels of a node."""
        return tuple(int(place) + low for place, low in zip(self.places(node), self.bottom, strict=True))

    def places(self, node: int) -> Levels:
        """Return where a node lies in an array of the lattice's shape."""
        return tuple(map(int, np.unravel_index(node, self.shape)))

    def number(self, levels: Levels) -> int:
        """Return the node of some levels."""
        places = [level - low for level, low in zip(levels, self.bottom, strict=True)]
        return int(np.ravel_multi_index(places, self.shape))

    def below(self, node: int) -> tuple[slice, ...]:
        """Return where the nodes at or below a node lie in an array of the lattice's shape."""
        return tuple(slice(0, place + 1) for place in self.places(node))

    def above(self, node: int) -> tuple[slice, ...]:
        """Return where the nodes at or above a node lie in an array of the lattice's shape."""
        return tuple(slice(place, None) for place in self.places(node))

    def among_above(self, node: int, nodes: Ints) -> Ints:
        """Return those of some nodes that are at or above a node."""
        above: Bools = (self.levels[nodes] >= self.levels[node]).all(axis=1)
        return nodes[above]
