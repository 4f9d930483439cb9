"""Group-bys at the nodes of a lattice, each rolled up from the smallest finer one that is at hand.

The ground is the table's distinct quasi-identifier tuples, with their counts and with the sensitive values that the
models read. A grouping is what a node makes of it: one tuple of every class, the rows of every class, and how often
each class has which sensitive values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
import polars as pl

from shoal.core.arrays import Bools, Codes, Ints
from shoal.core.sorting import distinct_rows
from shoal.hierarchies.containment import ShownCells
from shoal.methods.full_domain.lattice.kernels import class_sizes, count_rows, merge_classes, merge_entries
from shoal.methods.full_domain.lattice.levels import Lattice, Levels
from shoal.microdata.histogram import Attributes, Classes, Values
from shoal.problem import Problem
from shoal.tables.star_marks import STAR

MOST_KEPT = 40_000_000
"""Classes and entries of groupings that are kept, to roll up others from."""
MOST_GROUPINGS = 128
"""Groupings that are kept."""
WORD = 2**62
"""What is packed into one whole number at most."""


@dataclass(frozen=True, eq=False)
class Grouping:
    """The classes of a node: class c has `sizes[c]` rows and looks like tuple `first[c]` at the node's levels."""

    levels: Levels
    first: Codes
    sizes: Ints
    owner: Codes
    """The class of every entry; an entry is a class and sensitive values that occur in it."""
    secret: Codes
    """The sensitive values of every entry, as a number."""
    counts: Ints
    """The rows of every entry."""

    def __len__(self) -> int:
        return len(self.first)

    @property
    def weight(self) -> int:
        """How much there is to go through in rolling it up."""
        return len(self.first) + len(self.owner)


class Kept:
    """Groupings to roll up others from; the oldest are given up where there are too many."""

    def __init__(self) -> None:
        self.groupings: list[Grouping] = []
        self.levels = np.empty((0, 0), dtype=np.int64)
        self.weights = np.empty(0, dtype=np.int64)

    def add(self, grouping: Grouping) -> None:
        """Keep a grouping once, and no more groupings than there is room for."""
        mine = np.array([grouping.levels])
        if self.groupings and (self.levels == mine).all(axis=1).any():
            return
        self.levels = np.concatenate([self.levels, mine]) if self.groupings else mine
        self.weights = np.append(self.weights, grouping.weight)
        self.groupings.append(grouping)
        while len(self.groupings) > MOST_GROUPINGS or self.weights.sum() > MOST_KEPT:
            del self.groupings[0]
            self.levels, self.weights = self.levels[1:], self.weights[1:]

    def smallest_below(self, levels: Levels) -> Grouping | None:
        """Return the smallest grouping at or below some levels; None if there is none."""
        if not self.groupings:
            return None
        finer = np.flatnonzero((self.levels <= levels).all(axis=1))
        return self.groupings[finer[self.weights[finer].argmin()]] if len(finer) else None


@dataclass(frozen=True, eq=False)
class Ground:
    """The distinct tuples of a problem's table, and the hierarchies laid out one after the other."""

    problem: Problem
    _kept: Kept = field(default_factory=Kept, repr=False)

    @cached_property
    def codes(self) -> Codes:
        """The values of the distinct tuples, attribute by attribute."""
        return np.ascontiguousarray(self.problem.microdata.tuples.T)

    @cached_property
    def ups(self) -> Codes:
        """The blocks of every hierarchy, level by level."""
        return np.concatenate([tree.up.ravel() for tree in self.problem.microdata.hierarchies])

    @cached_property
    def widths(self) -> Ints:
        """The number of values of every attribute."""
        return np.array([tree.up.shape[1] for tree in self.problem.microdata.hierarchies], dtype=np.int64)

    @cached_property
    def starts(self) -> Ints:
        """Where every hierarchy begins in `ups`."""
        lengths = [tree.up.size for tree in self.problem.microdata.hierarchies]
        return np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)

    def offsets(self, levels: Sequence[int]) -> Ints:
        """Return where the level of every attribute begins in `ups`."""
        return self.starts + np.asarray(levels, dtype=np.int64) * self.widths

    def strides(self, levels: Levels) -> Ints:
        """Return what a block of every attribute counts in every word that the blocks of a tuple are packed into."""
        words, span = [[0] * len(levels)], 1
        for j, (tree, level) in enumerate(zip(self.problem.microdata.hierarchies, levels, strict=True)):
            blocks = len(tree.labels[level])
            if span * blocks > WORD:
                words.append([0] * len(levels))
                span = 1
            words[-1][j] = span
            span *= blocks
        return np.array(words, dtype=np.int64)

    # Sensitive values

    @cached_property
    def read(self) -> list[Attributes]:
        """The sensitive attributes that the models read, alone, jointly, or as given."""
        models = self.problem.models
        return sorted({m.attributes for m in models if m.attributes} | {(name,) for m in models for name in m.given})

    @cached_property
    def _secrets(self) -> tuple[Ints, Ints, int]:
        """The number of each row's sensitive values, one row of each number, and how many numbers there are."""
        values = [self.problem.values[attributes] for attributes in self.read]
        labels, first, _ = distinct_rows([v.codes for v in values], [len(v.totals) for v in values])
        return labels, first, len(first)

    @property
    def alone(self) -> bool:
        """Whether one attribute is read, so that the entries of a class are its different values."""
        return len(self.read) == 1

    @cached_property
    def _of_secret(self) -> dict[Attributes, Values]:
        """The attributes that are read, at each number of `_secrets`."""
        return {attributes: self.problem.values[attributes].at(self._secrets[1]) for attributes in self.read}

    def classes(self, grouping: Grouping, some: Bools) -> Classes:
        """Return what models see of some classes of a grouping."""
        number = np.cumsum(some) - 1
        people, cells = self._people(grouping, some), self._cells(grouping, some)
        if not self.read:
            owner, weights = np.arange(int(some.sum())), grouping.sizes[some]
            return Classes(owner, len(owner), {}, weights, people, own_cells=cells)
        entries = np.flatnonzero(some[grouping.owner])
        owner, counts = number[grouping.owner[entries]], grouping.counts[entries]
        values = self._values(grouping, entries)
        return Classes(owner, int(some.sum()), values, counts, people, own_cells=cells)

    def together(self, grouping: Grouping, some: Bools) -> Classes:
        """Return what models see of some classes as one class of stars."""
        people = self.problem.microdata.population
        covered = None if people is None else partial(people.counts.sum, keepdims=True)
        stars = self._stars if self.problem.models.needs_cells else None
        if not self.read:
            rows = grouping.sizes[some].sum(keepdims=True)
            return Classes(np.zeros(1, dtype=np.int64), 1, {}, rows, covered, own_cells=stars)
        entries = np.flatnonzero(some[grouping.owner])
        owner, counts = np.zeros(len(entries), dtype=np.int64), grouping.counts[entries]
        return Classes(owner, 1, self._values(grouping, entries), counts, covered, own_cells=stars)

    def _values(self, grouping: Grouping, entries: Ints) -> dict[Attributes, Values]:
        """Return the attributes that are read, at some entries."""
        secret = grouping.secret[entries].astype(np.int64)
        return {attributes: values.at(secret) for attributes, values in self._of_secret.items()}

    def _people(self, grouping: Grouping, some: Bools) -> Callable[[], Ints] | None:
        """Return how the people of the population are counted that fit the cells of some classes; None without one.

        The cells are those that these classes are published with, all others being stars or dropped.
        """
        people = self.problem.microdata.population
        if people is None:
            return None

        def count() -> Ints:
            trees = zip(self.problem.microdata.hierarchies, self._published_levels(grouping, some), strict=True)
            shown = self.codes[:, grouping.first[some]]
            columns = [
                tree.up[level][np.concatenate([mine, theirs])].astype(np.int64)
                for (tree, level), mine, theirs in zip(trees, shown, people.tuples.T, strict=True)
            ]
            labels, _, _ = distinct_rows(columns, [int(column.max()) + 1 for column in columns])
            own = shown.shape[1]
            fitting = np.bincount(labels[own:], weights=people.counts, minlength=int(labels.max()) + 1)
            return fitting[labels[:own]].astype(np.int64)

        return count

    def _cells(self, grouping: Grouping, some: Bools) -> Callable[[], list[ShownCells]] | None:
        """Return how the cells of some classes are read, all others being stars or dropped; None where none asks."""
        if not self.problem.models.needs_cells:
            return None

        def read() -> list[ShownCells]:
            data, trees = self.problem.microdata, self.problem.trees
            first, levels = grouping.first[some], self._published_levels(grouping, some)
            columns = zip(data.quasi, data.hierarchies, levels, self.codes[:, first], strict=True)
            return [
                ShownCells(
                    tree.up[level][codes].astype(np.int64), _labels(column.name, tree.labels[level]), trees[column.name]
                )
                for column, tree, level, codes in columns
            ]

        return read

    def _stars(self) -> list[ShownCells]:
        """Return the cells of one class of stars."""
        one, trees = np.zeros(1, dtype=np.int64), self.problem.trees
        return [ShownCells(one, _labels(name, (STAR,)), trees[name]) for name in self.problem.microdata.roles.quasi]

    def _published_levels(self, grouping: Grouping, some: Bools) -> Levels:
        """Return the levels that some classes are published at: the lowest at which each class is in one block.

        A level may be higher than that where no two values of the table, but some of the population, come together.
        """
        label = self._class_of_tuple(grouping)
        tuples = np.flatnonzero(some[label])
        first = grouping.first[label[tuples]]
        data, levels = self.problem.microdata, []
        for tree, codes, least, most in zip(
            data.hierarchies, self.codes, data.least_levels, grouping.levels, strict=True
        ):
            mine, shown = codes[tuples], codes[first]
            fitting = (level for level in range(least, most) if (tree.up[level][mine] == tree.up[level][shown]).all())
            levels.append(next(fitting, most))
        return tuple(levels)

    # Groupings

    @cached_property
    def _whole(self) -> Grouping:
        """The table itself: every distinct tuple a class."""
        data = self.problem.microdata
        first = np.arange(len(data.counts), dtype=np.int32)
        levels = (0,) * len(data.hierarchies)
        if not self.read:
            none = np.empty(0, dtype=np.int32)
            return Grouping(levels, first, data.counts, none, none, none.astype(np.int64))
        labels, _, width = self._secrets
        keys, counts = np.unique(data.tuple_of_row * width + labels, return_counts=True)
        owner, secret = (keys // width).astype(np.int32), (keys % width).astype(np.int32)
        return Grouping(levels, first, data.counts, owner, secret, counts.astype(np.int64))

    def at(self, levels: Levels) -> Grouping:
        """Return the grouping of a node, rolled up from the smallest finer one that is kept."""
        found = self.rolled_up(self.source(levels), levels)
        self.keep(found)
        return found

    def source(self, levels: Levels) -> Grouping:
        """Return the smallest grouping that is kept at or below a node, or the table itself."""
        return self._kept.smallest_below(levels) or self._whole

    def keep(self, grouping: Grouping) -> None:
        """Keep a grouping to roll up others from, if it is much smaller than the table itself."""
        if 2 * grouping.weight <= self._whole.weight:
            self._kept.add(grouping)

    def rolled_up(self, source: Grouping, levels: Levels) -> Grouping:
        """Return the grouping of a node from one at or below it."""
        labels, first = merge_classes(self.codes, self.ups, self.offsets(levels), self.strides(levels), source.first)
        sizes = count_rows(labels, source.sizes, len(first))
        if not self.read:
            return Grouping(levels, first, sizes, source.owner, source.secret, source.counts)
        entries = merge_entries(labels, source.owner, source.secret, source.counts, self._secrets[2])
        return Grouping(levels, first, sizes, *entries)

    def class_of_row(self, grouping: Grouping) -> Ints:
        """Return the class of every row at the levels of a grouping."""
        return self._class_of_tuple(grouping)[self.problem.microdata.tuple_of_row]

    def _class_of_tuple(self, grouping: Grouping) -> Ints:
        """Return the class of every distinct tuple at the levels of a grouping."""
        levels = grouping.levels
        both = np.concatenate([grouping.first, self._whole.first])  # so that classes are numbered as in the grouping
        labels, _ = merge_classes(self.codes, self.ups, self.offsets(levels), self.strides(levels), both)
        of_tuple: Ints = labels[len(grouping) :].astype(np.int64)
        return of_tuple

    def sizes_along(self, lattice: Lattice, one: int) -> Ints | None:
        """Return how many rows the class of a tuple has, at every node of the lattice; None where that takes too long.

        Rows that come together above the most level are counted there, and cut off.
        """
        data = self.problem.microdata
        whole = Lattice(tuple(tree.height for tree in data.hierarchies), lattice.bottom)
        if whole.refusals:
            return None
        heights = np.array(whole.shape, dtype=np.int64) - 1
        starts = self.offsets(lattice.bottom)
        sizes: Ints = class_sizes(self.codes, self.ups, starts, self.widths, heights, whole.strides, data.counts, one)
        return sizes.reshape(whole.shape)[tuple(map(slice, lattice.shape))].ravel()


def _labels(name: str, labels: Sequence[str | None]) -> pl.Series:
    """Return the labels of blocks as the cells of a column."""
    return pl.Series(name, labels, dtype=pl.String)
