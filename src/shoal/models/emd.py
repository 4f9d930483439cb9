"""The Earth Mover's Distance between the sensitive values of a class and of the whole table.

One ground distance per shape of the domain, each with a closed form (algorithms and proofs: Li, Li and
Venkatasubramanian 2007): a *tree* (the equal distance is the tree of height one), a *line* (ordered and numeric
distances), and any *matrix* (optimal transport). `many` measures all classes at once in floating point, `one`
measures a single class exactly, in rational numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

import numpy as np
import polars as pl

from shoal.core.arrays import AnyInts, Floats, Ints
from shoal.core.errors import ParameterError
from shoal.microdata.histogram import Histogram, Values
from shoal.models.metric import Metric
from shoal.models.transport import cheapest_plan
from shoal.tables.encoded_column import is_ordered
from shoal.tables.star_marks import cell_text


class GroundDistance(ABC):
    """A distance between values, at most 1, bound to a domain."""

    @staticmethod
    def names() -> tuple[str, ...]:
        """The words for the distances that need no file."""
        return ("equal", "ordered", "numeric", "hierarchy")

    @abstractmethod
    def many(self, histogram: Histogram) -> Floats:
        """Return the distance of every slice to the table."""

    @abstractmethod
    def between(self, ones: Floats, others: Floats) -> Floats:
        """Return the distance between the counts in each row of one array and in the same row of the other."""

    @abstractmethod
    def one(self, counts: Mapping[int, int], totals: Ints) -> Fraction:
        """Return the distance of one class to the table, exactly."""

    @abstractmethod
    def least(self, rows: int, totals: Sequence[int]) -> Fraction:
        """Return a distance to the table that no class of so many rows is below: counts are whole."""

    @property
    def is_equal(self) -> bool:
        """Whether any two values are 1 apart."""
        return False


@dataclass(frozen=True, eq=False)
class Tree(GroundDistance):
    """d(u, v) = height of the lowest common ancestor / height of the root. `up[h, v]` is the block of v at height h.

    The distance is the mean over the heights of the total variation between the blocks' shares (the edge form of the
    hierarchical distance). The equal distance is the tree with level 0 alone.

    >>> equal = Tree(np.arange(3)[None, :])
    >>> equal.one({0: 1, 1: 1}, np.array([3, 3, 4]))
    Fraction(2, 5)
    """

    up: AnyInts

    def many(self, histogram: Histogram) -> Floats:
        """Return the mean over levels of the total variation."""
        return np.mean([self._variation(histogram, blocks) for blocks in self.up], axis=0)  # type: ignore[no-any-return]

    def between(self, ones: Floats, others: Floats) -> Floats:
        """Return the mean over levels of the total variation."""
        apart = _shares(ones) - _shares(others)
        total = np.zeros(len(ones))
        for blocks in self.up:
            sums = np.zeros((int(blocks.max()) + 1, len(ones)))
            np.add.at(sums, blocks, apart.T)
            total += np.abs(sums).sum(axis=0) / 2
        return total / len(self.up)

    def _variation(self, histogram: Histogram, blocks: AnyInts) -> Floats:
        """Return 1/2 sum |X - P|, where blocks that a slice lacks add their P."""
        number = int(blocks.max()) + 1
        table = np.bincount(blocks, weights=histogram.values.totals, minlength=number) / histogram.total
        keys = histogram.slice_of_entry * number + blocks[histogram.codes]
        entries, inverse = np.unique(keys, return_inverse=True)
        shares = np.bincount(inverse, weights=histogram.counts) / histogram.sizes[entries // number]
        present = table[entries % number]
        excess = np.abs(shares - present) - present
        return (1 + np.bincount(entries // number, weights=excess, minlength=len(histogram.sizes))) / 2

    def one(self, counts: Mapping[int, int], totals: Ints) -> Fraction:
        """Return the mean over levels of the total variation, in integers."""
        rows, total = sum(counts.values()), int(totals.sum())
        moved = 0
        for blocks in self.up:
            extra: dict[int, int] = {}
            for value, block in enumerate(blocks.tolist()):
                extra[block] = extra.get(block, 0) + counts.get(value, 0) * total - int(totals[value]) * rows
            moved += sum(map(abs, extra.values()))
        return Fraction(moved, 2 * rows * total * len(self.up))

    def least(self, rows: int, totals: Sequence[int]) -> Fraction:
        """Return the mean over levels of the least total variation."""
        levels = [np.bincount(up, weights=totals).astype(np.int64).tolist() for up in self.up]
        return sum((_least_variation(rows, level) for level in levels), Fraction(0)) / len(levels)

    @property
    def is_equal(self) -> bool:
        """Whether every value is its own block on each level, as on level 0 alone."""
        return all(len(np.unique(level)) == self.up.shape[1] for level in self.up)


@dataclass(frozen=True, eq=False)
class Line(GroundDistance):
    """d(u, v) = |position u - position v| / range. `gaps[i]` is the distance from value i to value i + 1.

    The distance is the sum over the gaps of gap * |cumulative difference|, / range; 0 for a single value.

    >>> Line((1, 1)).one({0: 3, 1: 1, 2: 6}, np.array([4, 0, 6]))
    Fraction(1, 20)
    """

    gaps: tuple[int | Fraction, ...]

    def many(self, histogram: Histogram) -> Floats:
        """Sum between the values that occur: there the class stands still and the table's cumulative rises."""
        if not self.gaps:
            return np.zeros(len(histogram.sizes))
        gaps = np.array([float(gap) for gap in self.gaps])
        table = np.cumsum(histogram.values.totals)[:-1] / histogram.total
        width = np.concatenate([[0.0], np.cumsum(gaps)])
        area = np.concatenate([[0.0], np.cumsum(gaps * table)])
        first = histogram.starts[:-1]
        rising = np.cumsum(histogram.counts)
        before = (rising - histogram.counts)[first]
        share = (rising - before[histogram.slice_of_entry]) / histogram.sizes[histogram.slice_of_entry]
        end = np.append(histogram.codes[1:], len(gaps))
        end[histogram.starts[1:] - 1] = len(gaps)
        inside = _between(share, histogram.codes, end, table, width, area)
        sums = np.add.reduceat(inside, first) + area[histogram.codes[first]]
        return sums / width[-1]  # type: ignore[no-any-return]

    def between(self, ones: Floats, others: Floats) -> Floats:
        """Sum gap by gap."""
        if not self.gaps:
            return np.zeros(len(ones))
        gaps = np.array([float(gap) for gap in self.gaps])
        ahead = np.cumsum(_shares(ones) - _shares(others), axis=1)[:, :-1]
        apart: Floats = np.abs(ahead) @ gaps / gaps.sum()
        return apart

    @property
    def is_equal(self) -> bool:
        """Whether there are two values: they are the whole range apart."""
        return len(self.gaps) == 1

    def one(self, counts: Mapping[int, int], totals: Ints) -> Fraction:
        """Sum gap by gap, in integers."""
        rows, total = sum(counts.values()), int(totals.sum())
        moved, ahead = Fraction(0), 0
        for value, gap in enumerate(self.gaps):
            ahead += counts.get(value, 0) * total - int(totals[value]) * rows
            moved += abs(ahead) * gap
        return moved / (rows * total * sum(self.gaps)) if self.gaps else Fraction(0)

    def least(self, rows: int, totals: Sequence[int]) -> Fraction:
        """Put below each gap the count nearest to what is due: rounding keeps them in order."""
        return _least_on_line(rows, totals, self.gaps)


def _least_variation(rows: int, totals: Sequence[int]) -> Fraction:
    """Return the least total variation between whole counts of so many rows and a table's shares.

    Values get the whole part of what they are due; what is left goes where the next row is least too much.

    >>> _least_variation(1, [1, 1]), _least_variation(2, [1, 1]), _least_variation(2, [3, 1])
    (Fraction(1, 2), Fraction(0, 1), Fraction(1, 4))
    """
    total = sum(totals)
    over = sorted(total - count * rows % total for count in totals)
    left = rows - sum(count * rows // total for count in totals)
    return Fraction(sum(over[:left]), rows * total)


def _least_on_line(rows: int, totals: Sequence[int], gaps: Sequence[int | Fraction]) -> Fraction:
    """Return the least distance on a line between whole counts of so many rows and a table's shares.

    Below each gap the count nearest to what is due may lie: rounding keeps them in order.

    >>> _least_on_line(1, [1, 1, 1], [1, 1]), _least_on_line(3, [1, 1, 1], [1, 1])
    (Fraction(1, 3), Fraction(0, 1))
    """
    total = sum(totals)
    due = [below * rows % total for below in list(accumulate(totals))[:-1]]
    moved = sum((min(part, total - part) * Fraction(gap) for part, gap in zip(due, gaps, strict=True)), Fraction(0))
    return moved / (rows * total * sum(gaps)) if gaps else Fraction(0)


def _shares(counts: Floats) -> Floats:
    shares: Floats = counts / counts.sum(axis=1, keepdims=True)
    return shares


def _between(share: Floats, start: Ints, end: Ints, table: Floats, width: Floats, area: Floats) -> Floats:
    """Return the integral of |share - table| over the gaps from `start` to `end`; `table` rises, so it crosses once."""
    cross = np.clip(np.searchsorted(table, share), start, end)
    below = share * (width[cross] - width[start]) - (area[cross] - area[start])
    above = (area[end] - area[cross]) - share * (width[end] - width[cross])
    return below + above


@dataclass(frozen=True, eq=False)
class Matrix(GroundDistance):
    """Any metric on the values, by optimal transport.

    `one` returns the exact cost of a transport plan checked in integers, which is never below the distance: a class
    it admits is admitted.
    """

    metric: Metric

    def many(self, histogram: Histogram) -> Floats:
        """Solve one transport problem per slice."""
        number, totals = len(histogram.sizes), histogram.values.totals
        return np.array([float(self.one(histogram.one(place), totals)) for place in range(number)])

    def between(self, ones: Floats, others: Floats) -> Floats:
        """Solve one transport problem per row."""
        pairs = zip(ones.astype(np.int64), others.astype(np.int64), strict=True)
        return np.array([float(self.one(dict(enumerate(one.tolist())), other)) for one, other in pairs])

    def one(self, counts: Mapping[int, int], totals: Ints) -> Fraction:
        """Find a plan in whole numbers, check it, and add up its cost exactly."""
        rows, total = sum(counts.values()), int(totals.sum())
        supply = np.array([counts.get(value, 0) * total for value in range(len(totals))])
        demand = totals.astype(np.int64) * rows
        moved = cheapest_plan(supply, demand, self.metric.array)
        if (moved < 0).any() or (moved.sum(axis=1) != supply).any() or (moved.sum(axis=0) != demand).any():
            return Fraction(1)
        distances, used = self.metric.distances, zip(*np.nonzero(moved), strict=True)
        cost = sum((int(moved[i, j]) * distances[i][j] for i, j in used), Fraction(0))
        return cost / (rows * total)

    def least(self, rows: int, totals: Sequence[int]) -> Fraction:
        """Return the least total variation, times the least distance of two values."""
        apart = [d for line in self.metric.distances for d in line if d > 0]
        return _least_variation(rows, totals) * min(apart, default=Fraction(0))


def ground_distance(distance: str | Metric, values: Values, name: str) -> GroundDistance:
    """Bind a distance, by its word or as a metric, to a domain."""
    size = len(values.totals)
    if isinstance(distance, Metric):
        return Matrix(distance.restricted(cell_text(values.domain).to_list()))
    word = default_distance(values) if distance == "auto" else distance
    if word == "equal":
        return Tree(np.arange(size)[None, :])
    if word == "hierarchy":
        if values.tree is None:
            raise ParameterError(
                f"t({name}:hierarchy) needs a hierarchy of {name!r}",
                hint=f"give one with --hierarchy {name}=FILE",
            )
        return Tree(values.tree.by_height)
    if word == "ordered":
        _check_order(values, name)
        return Line((1,) * (size - 1))
    return Line(_numeric_gaps(values, name))


def default_distance(values: Values) -> str:
    """Return the distance used when none is named: ordered for numbers and dates, else hierarchy, else equal."""
    if is_ordered(values.typed) and values.typed.dtype != pl.Boolean:
        return "ordered"
    return "hierarchy" if values.tree is not None else "equal"


def _check_order(values: Values, name: str) -> None:
    """Refuse words: the alphabet is no order of what they mean."""
    if values.order is None:
        raise ParameterError(
            f"the ordered distance of {name!r} needs an order, and its values are words",
            expected=f"their order: order={{{name!r}: [...]}} or --order {name}=LEAST,...,GREATEST; or a hierarchy of "
            f"{name!r} whose leaves are listed in order; or an Enum or ordered Categorical",
            hint=f"without an order, use t({name}:equal)",
        )


def _numeric_gaps(values: Values, name: str) -> tuple[int | Fraction, ...]:
    domain = values.typed
    if not (domain.dtype.is_numeric() or domain.dtype.is_temporal()):
        raise ParameterError(
            f"t({name}:numeric): {name!r} is not a column of numbers or dates", hint="use ordered or equal"
        )
    if domain.null_count():
        raise ParameterError(
            f"t({name}:numeric): {name!r} has missing values, which have no distance to a number",
            hint="use ordered or equal",
        )
    points = [Fraction(str(point)) for point in domain.to_physical().to_list()]  # 0.1 is a tenth
    return tuple(after - before for before, after in pairwise(points))
