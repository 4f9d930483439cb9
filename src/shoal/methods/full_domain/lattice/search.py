"""The search over the lattice: the cheapest node whose release the models admit.

What is known of nodes without looking at them:

- its floor, what a node costs without suppression, never falls along the lattice: a node whose floor is no less than
  the best cost known is no better, nor is any above it;
- a class with too few rows or values stays such a class, in parts, in every finer node: what its rows pay as stars
  is paid there, too, and if they are more than may be suppressed, no finer node will do;
- where no row may be suppressed and merging keeps admitted classes admitted, no node below a refused one will do;
- where no row may be suppressed, the class of one row that is too small says so at all nodes at once: how many rows
  have joined it is counted for the whole lattice in one pass over the table (`Ground.sizes_along`).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.interruptible import Ending
from shoal.methods.full_domain.lattice.grouping import Ground
from shoal.methods.full_domain.lattice.levels import Lattice
from shoal.methods.full_domain.lattice.measures import Measure
from shoal.methods.full_domain.lattice.verdicts import Seen, Verdicts
from shoal.microdata.partition import Partition

ABREAST = 2
"""Nodes that are looked at at the same time."""
WORTH_A_THREAD = 5_000
"""Distinct tuples from which a thread for each node saves more than it takes."""


class LatticeSearch:
    """Looks at nodes until the best is known; `live` are those that may still be better."""

    def __init__(self, lattice: Lattice, ground: Ground, measure: Measure) -> None:
        self.lattice, self.ground, self.measure = lattice, ground, measure
        self.problem, self.verdicts = ground.problem, Verdicts(ground)
        self.bound = measure.floor.copy()
        self.dead = np.zeros(len(lattice), dtype=bool)
        self.live: Ints = np.arange(len(lattice))
        self.looked = 0
        self.best: Seen | None = None
        self.order: tuple[float, ...] = (np.inf,)

    @property
    def cost(self) -> float:
        """The cost of the best node; infinite where none is known."""
        return self.order[0]

    @property
    def partition(self) -> Partition:
        """The classes of the best node."""
        assert self.best is not None
        return self.verdicts.partition(self.best)

    def choose(self) -> list[int]:
        """Return the nodes to look at next: one, and another that the first will hardly rule out.

        Of the nodes above the one with the least bound take one with a floor halfway up: if it is refused, it says
        much of those below, and if not, it is good. The other is taken alike from those that are not below the first.
        Where rows counted along the lattice say as much, take the least, and it alone.
        """
        if self.problem.may_suppress == 0 and self.verdicts.counting:
            return [self._least(self.live)]
        one = self._halfway(self.live)
        others = self.live[~(self.lattice.levels[self.live] <= self.lattice.levels[one]).all(axis=1)]
        return [one, self._halfway(others)] if len(others) else [one]

    def _least(self, nodes: Ints) -> int:
        return int(nodes[np.argmin(self.bound[nodes])])

    def _halfway(self, nodes: Ints) -> int:
        least = self._least(nodes)
        above = self.lattice.among_above(least, nodes)
        floors = self.measure.floor[above]
        return int(above[np.argmin(np.abs(floors - (floors.max() + self.measure.floor[least]) / 2))])

    def look(self, node: int) -> None:
        """Group the rows at a node and learn from it."""
        self.learn(node, self.verdicts.at(self.lattice.at(node)))

    def learn(self, node: int, seen: Seen) -> None:
        """Keep the release of a node if it is better, and strike out what the node rules out."""
        self.looked += 1
        self.dead[node] = True
        if seen.fate != "refused":
            self._keep(seen)
        if seen.hopeless.any():
            self._lift(node, seen)
        if seen.failing.any() and self.problem.may_suppress == 0:
            self._strike(node, seen)
        self.live = self.live[~self.dead[self.live] & self.worth(self.bound[self.live])]

    def worth(self, bounds: Floats) -> Bools:
        """Return whether nodes of these bounds may be better than the best, be it by what breaks ties."""
        ties = len(self.order) > 1 and any(self.order)
        return bounds <= self.cost if ties else bounds < self.cost

    def run(self, deadline: Ending, progress: Callable[[float, str], None]) -> None:
        """Look at nodes until none may be better; out of time, until there is one at all."""
        with ThreadPoolExecutor(ABREAST) as pool:
            threads = pool if len(self.problem.microdata.counts) >= WORTH_A_THREAD else None
            while len(self.live) and not (deadline.passed and self.best is not None):
                nodes = self.choose()
                several = threads if len(nodes) > 1 else None
                found = self.verdicts.at_all([self.lattice.at(node) for node in nodes], several)
                for node, seen in zip(nodes, found, strict=True):
                    self.learn(node, seen)
                progress(1 - len(self.live) / len(self.lattice), "searching the lattice of levels")

    def _keep(self, seen: Seen) -> None:
        order = self.measure.order(seen)
        if order < self.order and seen.admitted:
            self.best, self.order = seen, order

    def _lift(self, node: int, seen: Seen) -> None:
        """Raise the bounds at and below a node by what the rows of hopeless classes pay as stars."""
        below = self.lattice.below(node)
        shape = self.lattice.shape
        if int(seen.grouping.sizes[seen.hopeless].sum()) > self.problem.may_suppress:
            self.dead.reshape(shape)[below] = True
            return
        lifted = self.measure.lifted(below, seen.grouping, seen.hopeless)
        bound = self.bound.reshape(shape)[below]
        np.maximum(bound, lifted, out=bound)

    def _strike(self, node: int, seen: Seen) -> None:
        """Strike out the nodes that a refused one rules out where nothing may be suppressed."""
        if self.problem.models.monotone:
            self.dead.reshape(self.lattice.shape)[self.lattice.below(node)] = True
        small = np.flatnonzero(seen.grouping.sizes < self.problem.models.least_rows)
        if len(small):
            one = int(seen.grouping.first[small[0]])
            rows = self.ground.sizes_along(self.lattice, one)
            if rows is not None:
                self.dead |= rows < self.problem.models.least_rows
