"""Peeling the cube on several cores: nodes are looked at at the same time, the result is that of one after the other.

Three of four nodes that are looked at have nothing to take. So while there are many types, the next node is looked at
on another core meanwhile; where the first takes something, the next is looked at again.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from shoal.core.arrays import Bools, Codes, Ints
from shoal.core.loops import LANES
from shoal.patterns.checks import Rules
from shoal.patterns.grid import Grid
from shoal.patterns.peeling_kernel import (
    Groups,
    Pieces,
    Regret,
    Tally,
    Uncovered,
    Walk,
    choose,
    first_limit,
    limit_at,
    take_groups,
    walk_nodes,
)

ABREAST = 30_000
"""Uncovered types from which nodes are looked at at the same time: with fewer, a thread takes longer to start."""


@dataclass
class Peeling:
    """The rows that are still uncovered, the classes so far, and how far the walk over the nodes has come."""

    rows: Uncovered
    levels: Codes
    """The levels of the nodes, the cheapest first."""
    regret: Regret
    tally: Tally | None
    walk: Walk
    pieces: Pieces
    due: Ints
    """By node: at which limit of regret it is looked at next."""
    memory: list[Groups]
    """For each of the nodes that are looked at at the same time."""

    @classmethod
    def of(
        cls, grid: Grid, levels: Codes, counts: Ints, prices: Ints, regret: Regret, rules: Rules, looks: int
    ) -> Peeling:
        """Return the start: no row is covered, and types are looked at at most so often.

        The codes of `grid` and `rules` are changed as rows are covered.
        """
        number = len(counts)
        rows = Uncovered(grid, rules, counts.copy(), prices.copy(), np.arange(number, dtype=np.int32))
        memory = [Groups.of(number) for _ in range(LANES if number >= ABREAST else 1)]
        walk, due = Walk(0, number, int(counts.sum()), 0, 0, looks), _due(grid, levels, prices, regret)
        return cls(rows, levels, regret, Tally.of(counts, rules), walk, Pieces.of(number), due, memory)

    def peel(self, stop: Bools) -> tuple[Ints, Ints, Ints]:
        """Return the pieces of all classes, (type, class, copies); each class's node; and what is left of each type.

        `stop[0]` is set from outside to end early.
        """
        self._walk_abreast(stop)
        del self.memory[1:]
        self.walk, self.pieces = walk_nodes(
            self.rows, self.levels, self.regret, self.tally, self.memory[0], self.walk, self.pieces, self.due, stop
        )
        left = np.zeros(len(self.rows.left), np.int64)
        left[self.rows.origin[: self.walk.active]] = self.rows.left[: self.walk.active]
        pieces, nodes = self.pieces.lines[: self.walk.made], self.pieces.nodes[: self.walk.classes]
        return pieces.astype(np.int64), nodes.astype(np.int64), left

    def _walk_abreast(self, stop: Bools) -> None:
        """Walk the nodes as `walk_nodes` does, several at a time, as long as there are many types."""
        with ThreadPoolExecutor(len(self.memory)) as threads:
            while self.walk.now <= self.regret.steps and self.walk.active >= ABREAST:
                waiting = np.flatnonzero(self.due <= self.walk.now).tolist()
                while waiting:
                    if stop[0] or self.walk.looks <= 0:
                        return
                    active, seen = self.walk.active, self._look(waiting[: len(self.memory)], threads)
                    self.walk = self.walk._replace(looks=self.walk.looks - seen * active)
                    del waiting[:seen]
                self.walk = self.walk._replace(now=self.walk.now + 1)

    def _look(self, nodes: list[int], threads: ThreadPoolExecutor) -> int:
        """Look at nodes at the same time, up to the first that takes something; return how many those are."""
        limit, active = limit_at(self.regret, self.walk.now), self.walk.active
        places = zip(nodes, self.memory, strict=False)
        looks = [threads.submit(choose, self.rows, active, self.levels[node], limit, own) for node, own in places]
        for place, (found, least) in enumerate([look.result() for look in looks]):
            node = nodes[place]
            self.due[node] = max(self.walk.now + 1, first_limit(self.regret, least))
            if found:
                self.walk, self.pieces = take_groups(
                    self.rows, node, found, self.tally, self.memory[place], self.walk, self.pieces
                )
                return place + 1
        return len(nodes)


def _due(grid: Grid, levels: Codes, prices: Ints, regret: Regret) -> Ints:
    """Return for every node the first limit of regret that a group there can keep: before it, it is not looked at.

    A group pays at least the cheapest block of each attribute at its level, and is worth at most the dearest type.
    """
    paid = np.zeros(len(levels), np.int64)
    for codes, starts, own in zip(grid.codes, grid.starts, levels.T, strict=True):
        paid += np.array([grid.losses[start + codes].min() for start in starts])[own]
    least, place = np.unique(paid - prices.max(initial=0), return_inverse=True)
    return np.array([first_limit(regret, float(one)) for one in least], np.int64)[place.reshape(-1)]
