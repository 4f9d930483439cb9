"""What is known of a class before its records are chosen: how many it takes from each fragment bounds its distance.

A class takes the share e(F) of its records from fragment F. Whichever they are, along every axis

    distance <= EMD(table, sum of e(F) * fragment F) + sum of e(F) * worst move inside F

by the triangle inequality through the mixture of the fragments: the second leg moves records inside fragments only.
For the table's own shares the first term is zero and the second is the aggregate bound. It holds for every metric.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.methods.t_closeness.fragmentation.axes import Axis, LineAxis, MatrixAxis
from shoal.methods.t_closeness.fragmentation.fragmentation import Fragmentation
from shoal.methods.t_closeness.fragmentation.mixing import mix
from shoal.models.emd import GroundDistance, Line, Tree

CELLS = 256
"""Values along an axis up to which mixtures are compared value by value."""
CHUNK = 4_000_000
"""Shares that are laid out at once."""
COMPILED_FROM = 6_000_000
"""Products from which it is worth compiling the loop that mixes: more than 20,000 rows come to in 256 cells."""


@dataclass(frozen=True, eq=False)
class Sizes:
    """How many records each class takes from each fragment, as far as it takes any: fragments rise within a class."""

    starts: Ints
    """Where each class begins, and the end."""
    fragments: Ints
    counts: Ints

    @classmethod
    def of(cls, owner: Ints, fragments: Ints, counts: Ints, number: int) -> Sizes:
        """Keep what is above zero of entries that are sorted by class, then fragment."""
        taken = counts > 0
        starts = np.searchsorted(owner[taken], np.arange(number + 1)).astype(np.int64)
        return cls(starts, fragments[taken], counts[taken])

    @classmethod
    def counted(cls, class_of_row: Ints, fragment_of_row: Ints) -> Sizes:
        """Count what the classes of a partition take."""
        width = int(fragment_of_row.max()) + 1
        keys, counts = np.unique(class_of_row * width + fragment_of_row, return_counts=True)
        return cls.of(keys // width, keys % width, counts, int(class_of_row.max()) + 1)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def owner(self) -> Ints:
        """The class of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @cached_property
    def rows(self) -> Ints:
        """The records of each class."""
        return np.add.reduceat(self.counts, self.starts[:-1])

    def only(self, chosen: Ints) -> Sizes:
        """Return some of the classes, in the order in which they are named."""
        lengths = np.diff(self.starts)[chosen]
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        entries = np.arange(int(starts[-1])) + np.repeat(self.starts[:-1][chosen] - starts[:-1], lengths)
        return Sizes(starts, self.fragments[entries], self.counts[entries])

    def mean(self, per_fragment: Floats) -> Floats:
        """Return, for each class, the mean over its records of a number known of each fragment."""
        sums: Floats = np.add.reduceat(self.counts * per_fragment[self.fragments], self.starts[:-1])
        return sums / self.rows

    def mixtures(self, shares: Floats) -> Floats:
        """Return, for each class, the mixture of the fragments' distributions, class by value."""
        taken = self.counts / self.rows[self.owner]
        if len(taken) * shares.shape[1] >= COMPILED_FROM:
            mixed: Floats = mix(self.starts, self.fragments, taken, shares)
            return mixed
        return np.add.reduceat(taken[:, None] * shares[self.fragments], self.starts[:-1], axis=0)


@dataclass(frozen=True, eq=False)
class Mixture:
    """One axis: what each fragment looks like on a grid of cells, and how far the table is from mixtures of them."""

    ground: GroundDistance
    """The distance between cells."""
    scale: float
    shares: Floats
    """Fragment by cell."""
    table: Floats
    inside: Floats
    """The worst move of each fragment, and what the grid adds to it."""
    spare: float
    """What the grid adds for the table."""

    @classmethod
    def of(cls, axis: Axis, number: int, cut: Fragmentation) -> Mixture:
        """Lay one axis out: by its values; long lines in cells, other long lists by the fragments themselves."""
        codes, weights = cut.tuples.codes[:, number], cut.tuples.counts
        shares = np.zeros((len(cut), axis.size)) if axis.size <= CELLS else None
        inside, ground, scale = cut.moved[:, number], axis.ground, 1.0
        if shares is None and isinstance(axis, LineAxis):
            return cls._in_cells(axis, codes, cut, inside)
        if shares is None:
            ground, shares = Tree(np.arange(len(cut))[None, :]), np.eye(len(cut))
        else:
            np.add.at(shares, (cut.of_tuple, codes), weights)
            shares /= cut.rows[:, None]
            if isinstance(axis, MatrixAxis):
                ground, scale = Tree(np.arange(axis.size)[None, :]), float(axis.distances.max(initial=0.0))
        return cls(ground, scale, shares, _average(shares, cut), inside, 0.0)

    @classmethod
    def _in_cells(cls, axis: LineAxis, codes: Ints, cut: Fragmentation, inside: Floats) -> Mixture:
        """Move every record to the middle of its cell, and pay for that: cells hold about equally many records."""
        weights = cut.tuples.counts
        rising = np.cumsum(np.bincount(codes, weights=weights, minlength=axis.size))
        _, cell = np.unique(np.minimum((rising - 1) * CELLS // rising[-1], CELLS - 1), return_inverse=True)
        middle = np.searchsorted(cell, np.arange(int(cell[-1]) + 1))
        middle = (middle + np.append(middle[1:], axis.size) - 1) // 2
        positions = axis.positions
        apart = np.abs(positions - positions[middle[cell]])
        paid = np.bincount(cut.of_tuple, weights=weights * apart[codes], minlength=len(cut)) / cut.rows
        shares = np.zeros((len(cut), len(middle)))
        np.add.at(shares, (cut.of_tuple, cell[codes]), weights)
        shares /= cut.rows[:, None]
        gaps = [sum(axis.line.gaps[a:b]) for a, b in zip(middle[:-1].tolist(), middle[1:].tolist(), strict=True)]
        scale = float(positions[middle[-1]] - positions[middle[0]])
        spare = float(paid @ cut.rows) / int(cut.rows.sum())
        return cls(Line(tuple(gaps)), scale, shares, _average(shares, cut), inside + paid, spare)

    def bounds(self, sizes: Sizes) -> Floats:
        """Return the bound of every class."""
        found = np.empty(len(sizes))
        step = max(CHUNK // len(self.table), 1)
        for start in range(0, len(sizes), step):
            part = sizes.only(np.arange(start, min(start + step, len(sizes))))
            mixed = part.mixtures(self.shares)
            table = np.broadcast_to(self.table, mixed.shape)
            apart = self.scale * self.ground.between(mixed, table) + self.spare
            found[start : start + step] = apart + part.mean(self.inside)
        return found


def _average(shares: Floats, cut: Fragmentation) -> Floats:
    average: Floats = cut.rows @ shares / int(cut.rows.sum())
    return average


@dataclass(frozen=True, eq=False)
class DistanceBound:
    """The bounds of classes along every axis of a fragmentation."""

    cut: Fragmentation

    @cached_property
    def mixtures(self) -> list[Mixture]:
        """The axes laid out."""
        return [Mixture.of(axis, number, self.cut) for number, axis in enumerate(self.cut.axes)]

    def bounds(self, sizes: Sizes) -> Floats:
        """Return the bounds of every class, class by axis."""
        found = [mixture.bounds(sizes) for mixture in self.mixtures]
        return np.column_stack(found) if found else np.zeros((len(sizes), 0))
