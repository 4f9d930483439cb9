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

from dataclasses import dataclass
from functools import partial

import numpy as np

from shoal.arrays import Bools, Floats, Ints
from shoal.lattice.grouping import Ground, Grouping
from shoal.lattice.levels import Lattice
from shoal.lattice.measures import Measure
from shoal.lattice.verdicts import Fate, Verdicts
from shoal.partition import Partition


@dataclass(frozen=True, eq=False)
class Found:
    """A node whose release is admitted, and what it costs."""

    grouping: Grouping
    failing: Bools
    fate: Fate
    cost: float


class Search:
    """Looks at nodes until the best is known; `live` are those that may still be better."""

    def __init__(self, lattice: Lattice, ground: Ground, measure: Measure) -> None:
        self.lattice, self.ground, self.measure = lattice, ground, measure
        self.problem, self.verdicts = ground.problem, Verdicts(ground)
        self.bound = measure.floor.copy()
        self.dead = np.zeros(len(lattice), dtype=bool)
        self.live: Ints = np.arange(len(lattice))
        self.looked = 0
        self.best: Found | None = None

    @property
    def partition(self) -> Partition:
        """The classes of the best node."""
        assert self.best is not None
        return self.verdicts.partition(self.best.grouping, self.best.failing, self.best.fate)

    def choose(self) -> int:
        """Return the node to look at next.

        Of the nodes above the one with the least bound take one with a floor halfway up: if it is refused, it says
        much of those below, and if not, it is good. Where rows counted along the lattice say as much, take the least.
        """
        least = int(self.live[np.argmin(self.bound[self.live])])
        if self.problem.may_suppress == 0 and self.verdicts.counting:
            return least
        above = self.lattice.among_above(least, self.live)
        floors = self.measure.floor[above]
        return int(above[np.argmin(np.abs(floors - (floors.max() + self.measure.floor[least]) / 2))])

    def look(self, node: int) -> None:
        """Group the rows at a node, keep its release if it is better, and strike out what it rules out."""
        grouping = self.ground.at(self.lattice.at(node))
        hopeless = self.verdicts.hopeless(grouping)
        failing = self.verdicts.failing(grouping, hopeless)
        fate = self.verdicts.fate(grouping, failing)
        self.looked += 1
        self.dead[node] = True
        if fate != "refused":
            self._keep(grouping, failing, fate)
        if hopeless.any():
            self._lift(node, grouping, hopeless)
        if failing.any() and self.problem.may_suppress == 0:
            self._strike(node, grouping, hopeless)
        self.live = self.live[~self.dead[self.live] & self.worth(self.bound[self.live])]

    def worth(self, bounds: Floats) -> Bools:
        """Return whether nodes of these bounds may be better than the best."""
        return bounds < (np.inf if self.best is None else self.best.cost)

    def _keep(self, grouping: Grouping, failing: Bools, fate: Fate) -> None:
        cost = self.measure.of(grouping, failing, partial(self.verdicts.partition, grouping, failing, fate))
        if self.best is None or cost < self.best.cost:
            self.best = Found(grouping, failing, fate, cost)

    def _lift(self, node: int, grouping: Grouping, hopeless: Bools) -> None:
        """Raise the bounds at and below a node by what the rows of hopeless classes pay as stars."""
        below = self.lattice.below(node)
        shape = self.lattice.shape
        if int(grouping.sizes[hopeless].sum()) > self.problem.may_suppress:
            self.dead.reshape(shape)[below] = True
            return
        lifted = self.measure.floor.reshape(shape)[below] + self.measure.extra(grouping, hopeless)
        bound = self.bound.reshape(shape)[below]
        np.maximum(bound, lifted, out=bound)

    def _strike(self, node: int, grouping: Grouping, hopeless: Bools) -> None:
        """Strike out the nodes that a refused one rules out where nothing may be suppressed."""
        if self.problem.models.monotone:
            self.dead.reshape(self.lattice.shape)[self.lattice.below(node)] = True
        small = np.flatnonzero(grouping.sizes < self.problem.models.least_rows)
        if len(small):
            one = int(grouping.first[small[0]])
            rows = self.ground.sizes_along(self.lattice.heights, self.lattice.strides, one)
            self.dead |= rows < self.problem.models.least_rows
