"""What the release of a node costs, and what it and the nodes around it cost at least."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from shoal.bounds.hierarchy_losses import hierarchy_losses
from shoal.core.arrays import Bools, Floats
from shoal.costs import CellCost
from shoal.costs.attribute_loss import ColumnCost
from shoal.costs.ncp import NCP
from shoal.costs.non_uniform_entropy import NonUniformEntropy
from shoal.costs.normalized_entropy import NormalizedEntropy
from shoal.methods.full_domain.lattice.grouping import Ground, Grouping
from shoal.methods.full_domain.lattice.kernels import summed
from shoal.methods.full_domain.lattice.levels import Lattice
from shoal.methods.full_domain.lattice.verdicts import Seen, Verdicts
from shoal.problem import Problem

NOISE = 1e-12
"""By how much a sum of floating point numbers may be off."""


class Measure(ABC):
    """A cost along a lattice."""

    lattice: Lattice

    @cached_property
    @abstractmethod
    def floor(self) -> Floats:
        """What every node costs at least, whatever rows are suppressed there; it never falls from a node upwards."""

    @abstractmethod
    def of(self, seen: Seen) -> float:
        """Return what a node costs."""

    def order(self, seen: Seen) -> tuple[float, ...]:
        """Return what nodes are compared by, the least first: the cost, and what breaks ties."""
        return (self.of(seen),)

    def extra(self, grouping: Grouping, failing: Bools) -> float:
        """Return by how much a node, and every finer one, costs more than its floor if these classes fail there."""
        return 0.0

    def lifted(self, below: tuple[slice, ...], grouping: Grouping, failing: Bools) -> Floats:
        """Return what the nodes below one cost at least if these classes fail there."""
        return self.floor.reshape(self.lattice.shape)[below] + self.extra(grouping, failing)


class PublishedMeasure(Measure):
    """Any cost: every release is measured as it would be published; nothing is known beforehand."""

    def __init__(self, ground: Ground, lattice: Lattice) -> None:
        self.verdicts, self.lattice = Verdicts(ground), lattice

    @cached_property
    def floor(self) -> Floats:
        """Nothing."""
        return np.zeros(len(self.lattice))

    def of(self, seen: Seen) -> float:
        """Measure the release."""
        return self.verdicts.problem.cost_of(self.verdicts.partition(seen))

    def order(self, seen: Seen) -> tuple[float, ...]:
        """Measure the release, and what decides between it and others of its cost."""
        return self.verdicts.problem.order_of(self.verdicts.partition(seen))


@dataclass(frozen=True, eq=False)
class Tables:
    """What a row pays in each column: `losses[j][level, value]`, and what a star costs a row more than that."""

    losses: list[Floats]
    gaps: list[Floats]

    @classmethod
    def of(cls, problem: Problem) -> Tables | None:
        """Return the tables of a cost that each row pays for its own cells, column by column; None for another."""
        losses = _losses(problem)
        if losses is None:
            return None
        tops = [tree.star_level for tree in problem.microdata.hierarchies]
        gaps = [loss[top] - loss for loss, top in zip(losses, tops, strict=True)]
        return cls(losses, [np.maximum(gap, 0.0) for gap in gaps])

    @property
    def rises(self) -> bool:
        """Whether no row ever pays less for a coarser cell."""
        return all(bool((np.diff(loss, axis=0) >= -NOISE).all()) for loss in self.losses)


def _losses(problem: Problem) -> list[Floats] | None:
    cost, data = problem.cost, problem.microdata
    if isinstance(cost, CellCost):
        return [hierarchy.losses / cost.per(problem.rows) for hierarchy in hierarchy_losses(problem)[0]]
    if not isinstance(cost, NonUniformEntropy | NormalizedEntropy):
        return None
    losses, most = [], []
    for column, tree in zip(data.quasi, data.hierarchies, strict=True):
        counts = np.bincount(column.codes, minlength=column.size).astype(np.float64)
        own = np.log2(np.maximum(counts, 1.0))
        shown = [np.log2(np.maximum(np.bincount(up, weights=counts)[up], 1.0)) - own for up in tree.up]
        losses.append(np.array(shown))
        most.append(float(counts @ losses[-1][-1]))
    shares = most if isinstance(cost, NormalizedEntropy) else [sum(most) / len(most)] * len(most)
    return [loss / (share * len(most) or 1.0) for loss, share in zip(losses, shares, strict=True)]


class Additive(Measure):
    """A cost that each row pays for its own cells, column by column, and that rises along the hierarchies.

    What a node costs without suppression is a sum over columns of what each costs at its level: known for all nodes
    at once. A suppressed row pays the difference to a row of stars besides. In a finer node its cells are cheaper, so
    the difference is no smaller there.
    """

    def __init__(self, ground: Ground, lattice: Lattice, tables: Tables) -> None:
        self.ground, self.lattice = ground, lattice
        data = ground.problem.microdata
        counts = [np.bincount(column.codes, minlength=column.size) for column in data.quasi]
        self.columns = [loss @ count for loss, count in zip(tables.losses, counts, strict=True)]
        self.gaps = np.concatenate([gap.ravel() for gap in tables.gaps])

    @cached_property
    def floor(self) -> Floats:
        """The sum over columns of what each costs at its level."""
        floor = np.zeros(1)
        for column, part in zip(self.columns, self.lattice.parts, strict=True):
            floor = np.add.outer(floor, column[part]).ravel()
        return floor

    def of(self, seen: Seen) -> float:
        """Return the floor and what the failing rows pay besides."""
        levels = seen.grouping.levels
        shown = sum(float(column[level]) for column, level in zip(self.columns, levels, strict=True))
        return shown + (self.extra(seen.grouping, seen.failing) if seen.suppressed else 0.0)

    def extra(self, grouping: Grouping, failing: Bools) -> float:
        """Return what the rows of these classes would pay more as stars."""
        offsets = self.ground.offsets(grouping.levels)
        return float(summed(self.ground.codes, self.gaps, offsets, grouping.first, grouping.sizes, failing))


class Combined(Measure):
    """A cost worked out of what each column loses, which never falls where one of them rises.

    What the columns lose at a node without suppression is known for all nodes at once; what a suppressed row loses
    more in each is no less in a finer node.
    """

    def __init__(self, ground: Ground, lattice: Lattice, cost: ColumnCost) -> None:
        self.ground, self.lattice, self.cost = ground, lattice, cost
        by_cells = Tables.of(replace(ground.problem, cost=NCP()))
        assert by_cells is not None
        self.tables, number = by_cells, len(lattice.heights)
        columns = Additive(ground, lattice, by_cells).columns
        self.columns = [number * column for column in columns]  # NCP is the mean of the columns

    @cached_property
    def floor(self) -> Floats:
        """What nodes cost without suppression."""
        return self.cost.combined(self._losses(self.lattice.parts)).ravel()

    def _losses(self, levels: tuple[slice, ...]) -> Floats:
        """Return what every column loses at some levels, without suppression."""
        parts = np.meshgrid(*(column[part] for column, part in zip(self.columns, levels, strict=True)), indexing="ij")
        return np.stack(parts, axis=-1)

    def of(self, seen: Seen) -> float:
        """Return what the columns lose together."""
        here = tuple(slice(level, level + 1) for level in seen.grouping.levels)
        return float(self._lost(here, seen.grouping, seen.failing).item())

    def lifted(self, below: tuple[slice, ...], grouping: Grouping, failing: Bools) -> Floats:
        """Return what nodes cost if the rows of these classes are stars there, too."""
        pairs = zip(below, self.lattice.bottom, strict=True)
        return self._lost(tuple(slice(low, part.stop + low) for part, low in pairs), grouping, failing)

    def _lost(self, levels: tuple[slice, ...], grouping: Grouping, failing: Bools) -> Floats:
        return self.cost.combined(self._losses(levels) + self._starred(grouping, failing))

    def _starred(self, grouping: Grouping, failing: Bools) -> Floats:
        """Return what the rows of some classes lose more in each column as stars."""
        codes, rows = self.ground.codes[:, grouping.first[failing]], grouping.sizes[failing]
        gaps = zip(self.tables.gaps, grouping.levels, codes, strict=True)
        return len(codes) * np.array([gap[level][values] @ rows for gap, level, values in gaps])


def measure_of(ground: Ground, lattice: Lattice) -> Measure:
    """Return the measure of a problem's cost."""
    cost = ground.problem.cost
    if isinstance(cost, ColumnCost):
        return Combined(ground, lattice, cost)
    tables = Tables.of(ground.problem)
    if tables is None or not tables.rises:
        return PublishedMeasure(ground, lattice)
    return Additive(ground, lattice, tables)
