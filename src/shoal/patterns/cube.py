"""The cube of patterns: for every level vector the groups of row types, in a form that fits in memory.

A *pattern* keeps each attribute at some level of its hierarchy (with suppression: the value or a star). The patterns
at one level vector, a *node*, are the groups of a group-by; all nodes together are the data cube. Rows that agree in
the quasi-identifiers and in what the models read of them are one *row type* with a count.

The cube is never written down. The attributes are cut into two halves, and the groups of every *half node* are kept:
with N nodes that is about 2 sqrt(N) group-bys. The group of a type at a node is the pair of its groups in the halves,
so every node costs one pass over the types, whatever the number of attributes: coarser nodes from finer ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import log2, prod
from typing import NamedTuple

import numpy as np

from shoal.core.arrays import Codes, Floats, Ints
from shoal.core.sorting import distinct_rows
from shoal.costs import CellCost
from shoal.hierarchies import Hierarchy
from shoal.microdata.histogram import Attributes, Values, sensitive_values
from shoal.problem import Problem
from shoal.recoding import BlockRecoding
from shoal.recoding.cells import HierarchyCells

MOST_NODES = 20_000_000
"""Lattices beyond this are not laid out."""
MOST_WALKED = 300_000_000
"""Nodes times types of one walk; of larger lattices only the cheapest nodes are walked."""
MOST_CELLS = 150_000_000
"""Entries of the half nodes' group-bys (12 bytes each) beyond which the cube is not laid out."""


@dataclass(frozen=True, eq=False)
class Half:
    """The group-bys of some of the attributes at all their levels."""

    attributes: tuple[int, ...]
    levels: Ints
    """Half node by attribute: the level of each."""
    groups: Codes
    """Half node by type: the number of its group."""
    widths: Ints
    """How many groups each half node has."""
    losses: Ints
    """Half node by type: what a row pays for these attributes, in units of 1 / denominator, rounded down."""

    @classmethod
    def of(
        cls, attributes: tuple[int, ...], blocks: Sequence[Codes], losses: Sequence[Ints], check: Callable[[], None]
    ) -> Half:
        """Group the types at every level vector of the attributes; `check` is called before each."""
        heights = [range(len(blocks[j])) for j in attributes]
        every = list(product(*heights))
        levels = np.array(every, dtype=np.int64).reshape(len(every), len(attributes))
        types = blocks[0].shape[1]
        groups, paid = np.zeros((len(levels), types), np.int32), np.zeros((len(levels), types), np.int64)
        for place, node in enumerate(levels.tolist()):
            check()
            chosen = [blocks[j][level] for j, level in zip(attributes, node, strict=True)]
            if chosen:
                groups[place] = distinct_rows(chosen, [int(block.max()) + 1 for block in chosen])[0]
                paid[place] = np.sum([losses[j][level] for j, level in zip(attributes, node, strict=True)], axis=0)
        return cls(attributes, levels, groups, groups.max(axis=1).astype(np.int64) + 1, paid)

    def at(self, levels: Sequence[Ints]) -> Ints:
        """Return the half nodes of level vectors, which are given attribute by attribute, all of them."""
        heights = self.levels.max(axis=0) + 1
        place = np.zeros(len(levels[0]), dtype=np.int64)
        for attribute, height in zip(self.attributes, heights.tolist(), strict=True):
            place = place * height + levels[attribute]
        return place

    def take(self, order: Ints) -> Half:
        """Return the same half with its types in another order."""
        return Half(self.attributes, self.levels, self.groups[:, order], self.widths, self.losses[:, order])


class Layout(NamedTuple):
    """A cube as compiled loops read it."""

    lefts: Codes
    """First half node by type: the number of its group."""
    rights: Codes
    """Second half node by type: the number of its group."""
    widths: Ints
    """How many groups each second half node has."""
    left_losses: Ints
    """First half node by type: what a row pays there, in units."""
    right_losses: Ints
    """Second half node by type: what a row pays there, in units."""
    nodes: Ints
    """Each node as a pair of half nodes."""

    @classmethod
    def of(cls, first: Half, second: Half, nodes: Ints) -> Layout:
        """Return some nodes of two halves."""
        return cls(first.groups, second.groups, second.widths, first.losses, second.losses, nodes)


@dataclass(frozen=True, eq=False)
class Cube:
    """The row types of a problem, and their groups at every node as pairs of groups in two halves."""

    counts: Ints
    """How many rows each type has."""
    type_of_row: Ints
    example: Ints
    """One row of each type."""
    values: dict[Attributes, Values]
    """What the models read of each type: its codes, and the whole table's counts."""
    first: Half
    second: Half
    denominator: int
    """Losses and prices are integers: this many are 1."""
    full: int
    """What a row pays that is all stars, or dropped."""
    finest: float
    """The least that a cell loses which loses anything."""

    @classmethod
    def of(cls, problem: Problem, check: Callable[[], None] = lambda: None) -> Cube:
        """Lay out the cube of a problem whose cells are blocks and whose cost adds over cells (see `refusals`).

        That can take long: `check` is called now and then, and may raise what ends it.
        """
        microdata = problem.microdata
        read = sorted({model.attributes for model in (*problem.models, *problem.required) if model.attributes})
        sensitive = sensitive_values(microdata, [names for names in read if len(names) > 1])
        columns = [*microdata.quasi, *(microdata.attribute(name) for name in sorted({n for a in read for n in a}))]
        type_of_row, example, counts = distinct_rows([c.codes for c in columns], [c.size for c in columns])
        assert isinstance(problem.cost, CellCost)
        hierarchies, losses_of = pattern_hierarchies(problem), block_losses(problem.cost, every_block(problem))
        blocks = [h.up[:, c.codes[example]] for c, h in zip(microdata.quasi, hierarchies, strict=True)]
        exact = [loss[:, c.codes[example]] for c, loss in zip(microdata.quasi, losses_of, strict=True)]
        most = sum(float(loss.max()) for loss in exact)
        denominator = _denominator(problem, most)
        losses = [_rounded_down(loss, denominator) for loss in exact]
        one, other = _halves([h.height for h in hierarchies])
        first, second = Half.of(one, blocks, losses, check), Half.of(other, blocks, losses, check)
        values = {names: sensitive[names].at(example) for names in read}
        full = sum(int(loss[-1].min()) for loss in losses)
        finest = min(float(loss[loss > 0].min(initial=most)) for loss in exact)
        return cls(counts, type_of_row, example, values, first, second, denominator, full, finest)

    @property
    def types(self) -> int:
        """How many row types there are."""
        return len(self.counts)

    @property
    def is_fine(self) -> bool:
        """Whether rounding to units, and the tolerance of a solver, are small beside anything that a cell loses."""
        return self.finest * self.denominator >= 2**14 and self.finest >= 2.0**-16

    @property
    def lattice(self) -> int:
        """How many nodes the lattice has."""
        return len(self.first.levels) * len(self.second.levels)

    @property
    def number(self) -> int:
        """How many nodes are walked."""
        return len(self.nodes)

    @property
    def is_whole(self) -> bool:
        """Whether all nodes are walked."""
        return self.number == self.lattice

    @cached_property
    def _order(self) -> Ints:
        """All nodes, those that cost a row least on average first; the last is all stars."""
        mean = [half.losses @ self.counts / self.counts.sum() for half in (self.first, self.second)]
        return np.argsort(np.add.outer(*mean).ravel(), kind="stable")

    @cached_property
    def nodes(self) -> Ints:
        """The nodes that are walked, as pairs of half nodes: all, or the cheapest and the one that is all stars."""
        most = max(MOST_WALKED // self.types, 2)
        order = self._order if self.lattice <= most else np.append(self._order[: most - 1], self._order[-1])
        return np.column_stack(np.divmod(order, len(self.second.levels))).astype(np.int64)

    @cached_property
    def cap(self) -> int:
        """What a row pays at least at a node that is not walked: up to here, prices need not look at those."""
        if self.is_whole:
            return int(np.iinfo(np.int64).max)
        left = self._order[self.number - 1 : -1]
        low = [half.losses.min(axis=1) for half in (self.first, self.second)]
        return int(np.add.outer(*low).ravel()[left].min())

    @property
    def layout(self) -> Layout:
        """What every compiled loop takes first."""
        return Layout.of(self.first, self.second, self.nodes)

    def distances(self, kind: int) -> Ints:
        """Return what one row pays at the cheapest pattern that covers a given type and each other type."""
        total = np.zeros(self.types, dtype=np.int64)
        for half in (self.first, self.second):
            same = half.groups == half.groups[:, kind : kind + 1]
            total += np.where(same, half.losses, np.iinfo(np.int64).max // 4).min(axis=0)
        return total


def pattern_hierarchies(problem: Problem) -> tuple[Hierarchy, ...]:
    """Return the hierarchies whose blocks cells can be: with suppression, the value and the star."""
    recoding, microdata = problem.recoding_kind, problem.microdata
    if isinstance(recoding, BlockRecoding):
        return tuple(recoding.hierarchy(microdata, index) for index in range(len(microdata.quasi)))
    return microdata.hierarchies


def refusals(problem: Problem) -> list[str]:
    """Return the reasons why a problem has no cube that can be walked; none if it has."""
    reasons = []
    if not isinstance(problem.cost, CellCost):
        reasons.append(f"cost {problem.cost.name!r} does not add over cells")
    if problem.recoding_kind.no_patterns:
        return [*reasons, problem.recoding_kind.no_patterns]
    heights = [h.height for h in pattern_hierarchies(problem)]
    nodes = prod(height + 1 for height in heights)
    halves = sum(prod(heights[j] + 1 for j in half) for half in _halves(heights))
    if nodes > MOST_NODES or halves * problem.rows > MOST_CELLS:
        reasons.append(f"{nodes:,} nodes of the lattice for {problem.rows:,} rows are too many to be walked")
    return reasons


def _halves(heights: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Cut the attributes into two halves with about as many half nodes each."""
    sides: tuple[list[int], list[int]] = ([], [])
    sizes = [1, 1]
    for j in sorted(range(len(heights)), key=lambda j: -heights[j]):
        side = int(sizes[1] < sizes[0])
        sides[side].append(j)
        sizes[side] *= heights[j] + 1
    return tuple(sorted(sides[0])), tuple(sorted(sides[1]))


def _denominator(problem: Problem, most: float) -> int:
    """Return a power of two so large that no sum over all rows, times the models' denominators, overflows."""
    parts = max((model.limit.denominator for model in problem.models), default=1)
    room = 60 - log2(max(problem.rows * most * parts, 1))
    return int(2 ** min(30, max(0, int(room))))


def _rounded_down(losses: Floats, denominator: int) -> Ints:
    """Return losses in units, at most what they are: floating point may have rounded up by its last digits."""
    return np.floor(losses * denominator * (1 - 2.0**-50)).astype(np.int64)


def every_block(problem: Problem) -> list[HierarchyCells]:
    """Return every block of every level as a cell, attribute by attribute."""
    found = []
    for column, hierarchy in zip(problem.microdata.quasi, pattern_hierarchies(problem), strict=True):
        levels = np.repeat(np.arange(hierarchy.height + 1), [len(labels) for labels in hierarchy.labels])
        blocks = np.concatenate([np.arange(len(labels)) for labels in hierarchy.labels])
        found.append(HierarchyCells(column, np.arange(len(levels)), hierarchy, levels, blocks))
    return found


def block_losses(cost: CellCost, cells: list[HierarchyCells]) -> list[Floats]:
    """Return what the block around a value costs a row, attribute by attribute, by level and value."""
    share, found = cost.share(cells), []
    for every in cells:
        start = np.searchsorted(every.levels, np.arange(every.hierarchy.height + 1))
        found.append(cost.cell_losses(every)[every.hierarchy.up + start[:, None]] / share)
    return found
