"""The cube of patterns: for every level vector the groups of row types, in a form that fits in memory.

A *pattern* keeps each attribute at some level of its hierarchy (with suppression: the value or a star). The patterns
at one level vector, a *node*, are the groups of a group-by; all nodes together are the data cube. Rows that agree in
the quasi-identifiers and in what the models read of them are one *row type* with a count.

The cube is never written down. For walks over all types the attributes are cut into two halves, and the groups of every
*half node* are kept: with N nodes that is about 2 sqrt(N) group-bys. The group of a type at a node is the pair of its
groups in the halves, so every node costs one pass over the types, whatever the number of attributes. The halves are
laid out when they are first asked for; peeling, which looks at ever fewer types, does without them (see `grid`).
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
from shoal.patterns.grid import Grid
from shoal.problem import Problem
from shoal.recoding import BlockRecoding
from shoal.recoding.cells import HierarchyCells
from shoal.tables.encoded_column import Coded

MOST_NODES = 20_000_000
"""Lattices beyond this are not laid out."""
MOST_KEPT = 1_000_000
"""Nodes that are put in order; of larger lattices only the cheapest are used."""
MOST_WALKED = 300_000_000
"""Nodes times types of one walk over all types; of larger lattices only the cheapest nodes are walked."""
MOST_PRICED = 10_000_000_000
"""Nodes times types up to which charges and prices rest on every node; of larger lattices on the cheapest."""
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
    def of(cls, attributes: tuple[int, ...], grid: Grid, heights: Sequence[int], check: Callable[[], None]) -> Half:
        """Group the types at every level vector of the attributes; `check` is called before each."""
        every = list(product(*(range(heights[j] + 1) for j in attributes)))
        levels = np.array(every, dtype=np.int64).reshape(len(every), len(attributes))
        types = grid.codes.shape[1]
        groups, paid = np.zeros((len(levels), types), np.int32), np.zeros((len(levels), types), np.int64)
        for place, node in enumerate(levels.tolist()):
            check()
            tables = [grid.starts[j, level] + grid.codes[j] for j, level in zip(attributes, node, strict=True)]
            if tables:
                widths = [int(grid.widths[j, level]) for j, level in zip(attributes, node, strict=True)]
                groups[place] = distinct_rows([grid.blocks[table] for table in tables], widths)[0]
                paid[place] = np.sum([grid.losses[table] for table in tables], axis=0)
        return cls(attributes, levels, groups, groups.max(axis=1).astype(np.int64) + 1, paid)

    def at(self, levels: Sequence[Ints]) -> Ints:
        """Return the half nodes of level vectors, which are given attribute by attribute, all of them."""
        heights = self.levels.max(axis=0) + 1
        place = np.zeros(len(levels[0]), dtype=np.int64)
        for attribute, height in zip(self.attributes, heights.tolist(), strict=True):
            place = place * height + levels[attribute]
        return place


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
    values: dict[Attributes, Values]
    """What the models read of each type: its codes, and the whole table's counts."""
    grid: Grid
    heights: tuple[int, ...]
    """The highest level of each attribute."""
    denominator: int
    """Losses and prices are integers: this many are 1."""
    full: int
    """What a row pays that is all stars, or dropped."""
    finest: float
    """The least that a cell loses which loses anything."""
    check: Callable[[], None]
    """Called now and then while the halves are laid out; may raise what ends it."""

    @classmethod
    def of(cls, problem: Problem, check: Callable[[], None] = lambda: None) -> Cube:
        """Return the cube of a problem whose cells are blocks and whose cost adds over cells (see `refusals`).

        Laying out its halves can take long: `check` is called now and then, and may raise what ends it.
        """
        microdata = problem.microdata
        read = sorted({model.attributes for model in (*problem.models, *problem.required) if model.attributes})
        sensitive = sensitive_values(microdata, [names for names in read if len(names) > 1])
        if read:
            columns = [*microdata.quasi, *(microdata.attribute(name) for name in sorted({n for a in read for n in a}))]
            type_of_row, example, counts = distinct_rows([c.codes for c in columns], [c.size for c in columns])
            codes = [column.codes[example] for column in microdata.quasi]
        else:  # row types are the distinct tuples, which are there already
            type_of_row, counts = microdata.tuple_of_row, microdata.counts
            codes = list(microdata.tuples.T)
        assert isinstance(problem.cost, CellCost)
        hierarchies, exact = pattern_hierarchies(problem), block_losses(problem.cost, every_block(problem))
        present = [
            np.flatnonzero(np.bincount(own, minlength=column.size))
            for own, column in zip(codes, microdata.quasi, strict=True)
        ]
        seen = [loss[:, there] for loss, there in zip(exact, present, strict=True)]
        most = sum(float(loss.max()) for loss in seen)
        denominator = _denominator(problem, most)
        grid = Grid.of(codes, [h.up for h in hierarchies], [_rounded_down(loss, denominator) for loss in exact])
        values = {names: sensitive[names].at(example) for names in read}
        full = sum(int(_rounded_down(loss[-1], denominator).min()) for loss in seen)
        finest = min(float(loss[loss > 0].min(initial=most)) for loss in seen)
        heights = tuple(hierarchy.height for hierarchy in hierarchies)
        return cls(counts, type_of_row, values, grid, heights, denominator, full, finest, check)

    @cached_property
    def first(self) -> Half:
        """The first half of the attributes."""
        return Half.of(halves(self.heights)[0], self.grid, self.heights, self.check)

    @cached_property
    def second(self) -> Half:
        """The second half of the attributes."""
        return Half.of(halves(self.heights)[1], self.grid, self.heights, self.check)

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
        return prod(height + 1 for height in self.heights)

    @property
    def number(self) -> int:
        """How many nodes are used."""
        return min(self.lattice, MOST_KEPT)

    @property
    def walked(self) -> int:
        """How many nodes are walked with all types: all that are used, or the cheapest and that of all stars."""
        return min(self.number, max(MOST_WALKED // self.types, 2))

    @property
    def priced(self) -> int:
        """How many nodes charges and prices rest on: all, or the cheapest and that of all stars."""
        return min(self.lattice, max(MOST_PRICED // self.types, 2))

    @property
    def is_whole(self) -> bool:
        """Whether all nodes are walked."""
        return self.walked == self.lattice

    @cached_property
    def _order(self) -> Ints:
        """All nodes, those that cost a row least on average first; the last is all stars."""
        shares = [np.bincount(own, weights=self.counts) / self.counts.sum() for own in self.grid.codes]
        mean = np.zeros(())
        for attribute, share in enumerate(shares):
            mean = np.add.outer(mean, [losses @ share for losses in self._losses(attribute)])
        return np.argsort(mean.ravel(), kind="stable")

    def _losses(self, attribute: int) -> list[Ints]:
        """Return what each value of an attribute pays, level by level."""
        starts, values = self.grid.starts[attribute], int(self.grid.codes[attribute].max()) + 1
        return [self.grid.losses[at : at + values] for at in starts[: self.heights[attribute] + 1].tolist()]

    @cached_property
    def levels(self) -> Codes:
        """Node by attribute: its level, of the nodes that are used: the cheapest first, all stars last."""
        used = np.append(self._order[: self.number - 1], self._order[-1])
        shape = [height + 1 for height in self.heights]
        return np.column_stack(np.unravel_index(used, shape)).astype(np.int32)

    @cached_property
    def nodes(self) -> Ints:
        """The nodes that are used, as pairs of half nodes."""
        levels = list(self.levels.T.astype(np.int64))
        return np.column_stack([self.first.at(levels), self.second.at(levels)])

    def numbers_of(self, walked: Ints) -> Ints:
        """Return which of the nodes that are used those are that were walked: both end with the one of stars."""
        numbers: Ints = np.where(walked == self.walked - 1, self.number - 1, walked)
        return numbers

    def numbers_at(self, levels: Sequence[Ints]) -> Ints:
        """Return the nodes at levels, given attribute by attribute; those that are not used become that of stars."""
        found: Ints = self._number_at[np.ravel_multi_index(tuple(levels), [height + 1 for height in self.heights])]
        return found

    @cached_property
    def _number_at(self) -> Ints:
        """The number of each node of the lattice among those that are used."""
        used = np.append(self._order[: self.number - 1], self._order[-1])
        number = np.full(self.lattice, self.number - 1)
        number[used] = np.arange(self.number)
        return number

    @cached_property
    def cap(self) -> int:
        """What a row pays at least at a node that is not priced: up to here, prices need not look at those."""
        if self.priced == self.lattice:
            return int(np.iinfo(np.int64).max)
        low = np.zeros((), np.int64)
        for attribute, own in enumerate(self.grid.codes):
            low = np.add.outer(low, [losses[own].min() for losses in self._losses(attribute)])
        return int(low.ravel()[self._order[self.priced - 1 : -1]].min())

    @property
    def layout(self) -> Layout:
        """The nodes that are walked, as compiled loops take them."""
        walked = self.nodes if self.walked == self.number else self.nodes[np.r_[: self.walked - 1, self.number - 1]]
        return Layout.of(self.first, self.second, walked)

    @property
    def every_layout(self) -> Layout:
        """The nodes that are used, as compiled loops take them."""
        return Layout.of(self.first, self.second, self.nodes)

    @cached_property
    def few_first(self) -> Ints:
        """The attributes in the order of a walk depth first: those of few values first."""
        return np.argsort([len(np.unique(own)) for own in self.grid.codes], kind="stable")

    def descent(self, types: Ints | None = None) -> tuple[Grid, Ints]:
        """Return grid and heights for a walk depth first, of all types or of some in their order."""
        return self.grid.ordered(self.few_first, types), np.array(self.heights)[self.few_first]

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


def refusals(problem: Problem, *, in_halves: bool = True) -> list[str]:
    """Return the reasons why a problem has no cube that can be walked; none if it has.

    A cube that is not laid out in halves has room for more rows.
    """
    reasons = []
    if not isinstance(problem.cost, CellCost):
        reasons.append(f"cost {problem.cost.name!r} does not add over cells")
    if problem.recoding_kind.no_patterns:
        return [*reasons, problem.recoding_kind.no_patterns]
    heights = [h.height for h in pattern_hierarchies(problem)]
    nodes = prod(height + 1 for height in heights)
    kept = sum(prod(heights[j] + 1 for j in half) for half in halves(heights)) if in_halves else 0
    if nodes > MOST_NODES or kept * problem.rows > MOST_CELLS:
        reasons.append(f"{nodes:,} nodes of the lattice for {problem.rows:,} rows are too many to be walked")
    return reasons


def halves(heights: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
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
    return [blocks_of(*pair) for pair in zip(problem.microdata.quasi, pattern_hierarchies(problem), strict=True)]


def blocks_of(column: Coded, hierarchy: Hierarchy) -> HierarchyCells:
    """Return every block of every level of a column as a cell."""
    levels = np.repeat(np.arange(hierarchy.height + 1), [len(labels) for labels in hierarchy.labels])
    blocks = np.concatenate([np.arange(len(labels)) for labels in hierarchy.labels])
    return HierarchyCells(column, np.arange(len(levels)), hierarchy, levels, blocks)


def block_losses(cost: CellCost, cells: list[HierarchyCells]) -> list[Floats]:
    """Return what the block around a value costs a row, attribute by attribute, by level and value."""
    share, found = cost.share(cells), []
    for every in cells:
        start = np.searchsorted(every.levels, np.arange(every.hierarchy.height + 1))
        found.append(cost.cell_losses(every)[every.hierarchy.up + start[:, None]] / share)
    return found
