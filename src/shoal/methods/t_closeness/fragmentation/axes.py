"""A t-closeness model as fragments see it: the worst move inside a part of its values, and where a part may be cut.

The worst move: a fragment has counts `c(u)` of the values u. A class that takes records from it can at worst take
them all at one value v, because the distance to the fragment is convex in what is taken. Then each record is on average
`sum c(u) d(u, v) / sum c(u)` away from the fragment, and the largest of these over the values that occur bounds the
distance, whatever is taken. On a line the worst v is one of the two ends.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.core.arrays import AnyInts, Floats, Ints
from shoal.core.sorting import distinct_rows
from shoal.models import Model, Rule
from shoal.models.emd import GroundDistance, Line, Transport, Tree
from shoal.problem import Problem


@dataclass(frozen=True, eq=False)
class Axis(ABC):
    """One distance, bound to the values of one sensitive attribute, or of several read jointly."""

    name: str
    t: float
    """The largest distance that is allowed."""
    size: int
    """The number of values."""

    @property
    @abstractmethod
    def ground(self) -> GroundDistance:
        """The distance between values."""

    @abstractmethod
    def places(self, values: AnyInts, counts: Ints) -> Ints:
        """Return a place for each value of a fragment: it may be cut between one place and the next."""

    @abstractmethod
    def moved(self, values: AnyInts, counts: Ints, ends: Ints) -> Floats:
        """Return the worst move among the first `end` of some values in any order, for each of rising ends.

        Not a mean but a sum: every record counts with the distance that it is moved.
        """

    def worst(self, values: AnyInts, counts: Ints) -> float:
        """Return the worst move inside a fragment."""
        return float(self.moved(values, counts, np.array([len(values)]))[0])


@dataclass(frozen=True, eq=False)
class LineAxis(Axis):
    """Values on a line, by rank or as they are; cut into intervals.

    >>> from shoal.models.emd import Line
    >>> LineAxis("salary", 0.2, 4, Line((1, 1, 1))).worst(np.array([0, 1]), np.array([3, 1])) * 3
    3.0
    """

    line: Line

    @property
    def ground(self) -> GroundDistance:
        """The distance between values."""
        return self.line

    @property
    def positions(self) -> Floats:
        """Where the values lie, from 0 to 1."""
        gaps = np.array([float(gap) for gap in self.line.gaps])
        return np.concatenate([[0.0], np.cumsum(gaps) / max(float(gaps.sum()), 1e-300)])

    def places(self, values: AnyInts, counts: Ints) -> Ints:
        """Return the values themselves."""
        return values.astype(np.int64)

    def moved(self, values: AnyInts, counts: Ints, ends: Ints) -> Floats:
        """Move everything to the farther end."""
        at, last = self.positions[values], ends - 1
        mass, moment = np.cumsum(counts)[last], np.cumsum(counts * at)[last]
        low, high = np.minimum.accumulate(at)[last], np.maximum.accumulate(at)[last]
        moved: Floats = np.maximum(moment - mass * low, mass * high - moment)
        return np.maximum(moved, 0.0)


class FiniteAxis(Axis):
    """Values without an order: every one of them may be where all records are moved to."""

    @abstractmethod
    def away(self, values: AnyInts, tables: Floats) -> Floats:
        """Return how far the counts in each row of a table are from each of the values, in sum."""

    def moved(self, values: AnyInts, counts: Ints, ends: Ints) -> Floats:
        """Move everything to the worst value that occurs."""
        known, local = np.unique(values, return_inverse=True)
        part = np.searchsorted(ends, np.arange(len(values)), side="right")
        cells = (len(ends) + 1) * len(known)
        added = np.bincount(part * len(known) + local, weights=counts, minlength=cells)
        tables: Floats = np.cumsum(added.reshape(len(ends) + 1, -1), axis=0).astype(np.float64)[:-1]
        moved: Floats = np.where(tables > 0, self.away(known, tables), 0.0).max(axis=1)
        return moved


@dataclass(frozen=True, eq=False)
class TreeAxis(FiniteAxis):
    """Leaves of a hierarchy, cut between the children of the lowest block that holds a fragment, commonest first.

    The equal distance is the tree of height one, so its values are the children.
    """

    tree: Tree

    @property
    def ground(self) -> GroundDistance:
        """The distance between values."""
        return self.tree

    def places(self, values: AnyInts, counts: Ints) -> Ints:
        """Return the rank of the child that holds each value."""
        blocks = self.tree.up[:, values]
        apart = int((blocks != blocks[:, :1]).any(axis=1).sum())
        children, child = np.unique(blocks[max(apart - 1, 0)], return_inverse=True)
        common = np.argsort(-np.bincount(child, weights=counts), kind="stable")
        ranks = np.empty(len(children), dtype=np.int64)
        ranks[common] = np.arange(len(children))
        return ranks[child]

    def away(self, values: AnyInts, tables: Floats) -> Floats:
        """Return one minus the mean over the levels of what shares the value's block."""
        away = np.repeat(tables.sum(axis=1, keepdims=True), len(values), axis=1)
        for blocks in self.tree.up:
            known, block = np.unique(blocks[values], return_inverse=True)
            order = np.argsort(block, kind="stable")
            starts = np.searchsorted(block[order], np.arange(len(known)))
            away -= np.add.reduceat(tables[:, order], starts, axis=1)[:, block] / len(self.tree.up)
        return away


@dataclass(frozen=True, eq=False)
class MatrixAxis(FiniteAxis):
    """Any metric: cut by whether values are nearer to the one or the other of the two farthest from each other."""

    matrix: Transport
    distances: Floats

    @property
    def ground(self) -> GroundDistance:
        """The distance between values."""
        return self.matrix

    def places(self, values: AnyInts, counts: Ints) -> Ints:
        """Rank the values by how much nearer they are to the one than to the other."""
        known, local = np.unique(values, return_inverse=True)
        among = self.distances[np.ix_(known, known)]
        one, other = np.unravel_index(int(np.argmax(among)), among.shape)
        ranks = np.empty(len(known), dtype=np.int64)
        ranks[np.argsort(among[:, one] - among[:, other], kind="stable")] = np.arange(len(known))
        return ranks[local]

    def away(self, values: AnyInts, tables: Floats) -> Floats:
        """Add up the distances."""
        away: Floats = tables @ self.distances[np.ix_(values, values)]
        return away


@dataclass(frozen=True, eq=False)
class Tuples:
    """The distinct combinations of the values that some models read, in code order, with their counts."""

    codes: Ints
    """Tuple by axis."""
    counts: Ints
    of_row: Ints

    @classmethod
    def of(cls, columns: Sequence[AnyInts], sizes: Sequence[int], rows: int) -> Tuples:
        """Store equal combinations once; without a column all rows are equal."""
        if not columns:
            return cls(np.empty((1, 0), dtype=np.int64), np.array([rows]), np.zeros(rows, dtype=np.int64))
        labels, first, counts = distinct_rows(columns, sizes)
        return cls(np.column_stack([column[first] for column in columns]).astype(np.int64), counts, labels)


def axes_of(problem: Problem) -> tuple[tuple[Axis, ...], Tuples]:
    """Return an axis for each t-closeness model, and the combinations of values along them."""
    read = list(closeness(problem.models))
    values = [problem.values[model.attributes] for model in read]
    axes = []
    for model, one in zip(read, values, strict=True):
        name = "+".join(model.attributes)
        axes.append(axis(name, float(model.limit), len(one.totals), model.ground(one)))
    return tuple(axes), Tuples.of([one.codes for one in values], [len(one.totals) for one in values], problem.rows)


def closeness(models: Iterable[Model]) -> list[Model]:
    """Return the t-closeness models that measure whole classes."""
    return [model for model in models if model.rule is Rule.CLOSENESS and not model.given]


def axis(name: str, t: float, size: int, ground: GroundDistance) -> Axis:
    """Return the axis of a distance."""
    if isinstance(ground, Line):
        return LineAxis(name, t, size, ground)
    if isinstance(ground, Tree):
        return TreeAxis(name, t, size, ground)
    assert isinstance(ground, Transport)
    return MatrixAxis(name, t, size, ground, ground.array)
