"""A pool: the patterns worth considering for some rows, and which row types each may take."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.core.arrays import Bools, Ints
from shoal.patterns.collecting import collect_patterns
from shoal.patterns.cube import Cube


@dataclass(frozen=True, eq=False)
class Pool:
    """Patterns with their cost, node and the types they may take; of those with equal members only the cheapest."""

    types: Ints
    """The row types that are to be covered, dearest first."""
    counts: Ints
    """How many rows of each."""
    nodes: Ints
    """The node of each pattern."""
    costs: Ints
    starts: Ints
    members: Ints
    """Places in `types`: pattern p may take `members[starts[p]:starts[p + 1]]`."""

    @classmethod
    def of(
        cls, cube: Cube, types: Ints, counts: Ints, prices: Ints, *, rows: int, slack: int, most: int
    ) -> Pool | None:
        """Collect every pattern whose classes lose at most `slack` to the prices; None if members exceed `most`."""
        order = np.argsort(-prices[types], kind="stable")
        types, counts = types[order], counts[order]
        marks = np.random.default_rng(0).integers(1, 2**62 // max(len(types), 1), len(types))
        grid, heights = cube.descent(types)
        lines, starts, members, over = collect_patterns(grid, heights, counts, prices[types], marks, rows, slack, most)
        if over:
            return None
        nodes = cube.numbers_at(list(lines[:, 2:].T[np.argsort(cube.few_first)]))
        found = cls(types, counts, nodes, lines[:, 0], starts, members)
        known = (cube.levels[nodes] == lines[:, 2:][:, np.argsort(cube.few_first)]).all(axis=1)
        return found._closed(lines[:, 1], known)

    def _closed(self, marks: Ints, known: Bools) -> Pool:
        """Keep the cheapest of the known patterns with equal members; those of the cheapest nodes come first."""
        order = np.lexsort((self.nodes, self.costs, marks))
        order = order[known[order]]
        first = np.ones(len(order), dtype=bool)
        first[1:] = marks[order][1:] != marks[order][:-1]
        kept = order[first]
        return self.take(kept[np.lexsort((kept, self.nodes[kept]))])

    def take(self, patterns: Ints) -> Pool:
        """Return the pool of some of the patterns."""
        sizes = np.diff(self.starts)[patterns]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        places = np.arange(starts[-1]) - np.repeat(starts[:-1] - self.starts[:-1][patterns], sizes)
        members = self.members[places]
        return Pool(self.types, self.counts, self.nodes[patterns], self.costs[patterns], starts, members)

    def part(self, chosen: Bools) -> Pool:
        """Return the pool of some of the members; patterns without any are left out."""
        sizes = np.bincount(self.pattern_of_member[chosen], minlength=len(self))
        used = np.flatnonzero(sizes)
        starts = np.concatenate([[0], np.cumsum(sizes[used])]).astype(np.int64)
        return Pool(self.types, self.counts, self.nodes[used], self.costs[used], starts, self.members[chosen])

    def pieces(self, copies: Ints) -> Ints:
        """Return what was chosen, copies of each member, as (type, pattern, copies)."""
        used = np.flatnonzero(copies)
        return np.column_stack([self.types[self.members[used]], self.pattern_of_member[used], copies[used]])

    def __len__(self) -> int:
        return len(self.costs)

    def joined(self, nodes: Ints, costs: Ints, patterns: Ints, members: Ints) -> Pool:
        """Return the pool with more patterns; `patterns` says, in rising order, whose each further member is."""
        starts = np.searchsorted(patterns, np.arange(len(costs) + 1)) + self.starts[-1]
        return Pool(
            self.types,
            self.counts,
            np.concatenate([self.nodes, nodes]),
            np.concatenate([self.costs, costs]),
            np.concatenate([self.starts[:-1], starts]),
            np.concatenate([self.members, members]),
        )

    @property
    def pattern_of_member(self) -> Ints:
        """Which pattern each entry of `members` belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))
