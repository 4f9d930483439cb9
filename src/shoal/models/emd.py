"""The Earth Mover's Distance between the sensitive values of a class and of the whole table.

One ground distance per shape of the domain. Two have a closed form (algorithms and proofs: Li, Li and
Venkatasubramanian 2007): a *tree* (the equal distance is the tree of height one) and a *line* (ordered and numeric
distances). The others need optimal transport: any *matrix*, and the *combined* distance between combinations of several
attributes' values. `many` measures all classes at once in floating point, `one` measures a single class exactly, in
rational numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np
import polars as pl

from shoal.core.arrays import AnyInts, Floats, Ints
from shoal.core.errors import ParameterError, Unsupported
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

    @abstractmethod
    def distance(self, one: int, other: int) -> Fraction:
        """Return how far two values are apart, exactly."""

    @property
    @abstractmethod
    def array(self) -> Floats:
        """How far any two values are apart, in floating point."""

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

    def distance(self, one: int, other: int) -> Fraction:
        """Return the share of the levels on which two values have different blocks."""
        return Fraction(int((self.up[:, one] != self.up[:, other]).sum()), len(self.up))

    @property
    def array(self) -> Floats:
        """The share of the levels on which any two values have different blocks."""
        apart: Floats = np.mean([up[:, None] != up[None, :] for up in self.up], axis=0)
        return apart

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

    def distance(self, one: int, other: int) -> Fraction:
        """Return the gaps between two values, as a share of all."""
        gaps = self.gaps[min(one, other) : max(one, other)]
        return Fraction(sum(gaps)) / sum(self.gaps) if gaps else Fraction(0)

    @property
    def array(self) -> Floats:
        """The gaps between any two values, as a share of all."""
        places = np.concatenate([[0.0], np.cumsum([float(gap) for gap in self.gaps])])
        apart: Floats = np.abs(places[:, None] - places[None, :]) / max(float(places[-1]), 1e-300)
        return apart

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


class Transport(GroundDistance):
    """Any metric on the values, by optimal transport.

    What a class and the table have of one value stays there: by the triangle inequality, moving it saves nothing.
    `one` returns the exact cost of a transport plan checked in integers, which is never below the distance: a class
    it admits is admitted.
    """

    def many(self, histogram: Histogram) -> Floats:
        """Solve one transport problem per slice."""
        totals = histogram.values.totals
        return np.array([self._about(histogram.one(place), totals) for place in range(len(histogram.sizes))])

    def between(self, ones: Floats, others: Floats) -> Floats:
        """Solve one transport problem per row."""
        pairs = zip(ones.astype(np.int64), others.astype(np.int64), strict=True)
        return np.array([self._about(dict(enumerate(one.tolist())), other) for one, other in pairs])

    def _about(self, counts: Mapping[int, int], totals: Ints) -> float:
        """Return the distance of one class to the table in floating point."""
        plan = self._plan(counts, totals)
        if plan is None:
            return 1.0
        sources, sinks, moved = plan
        return float((self.array[sources, sinks] * moved).sum() / (sum(counts.values()) * int(totals.sum())))

    def one(self, counts: Mapping[int, int], totals: Ints) -> Fraction:
        """Find a plan in whole numbers, check it, and add up its cost exactly."""
        plan = self._plan(counts, totals)
        if plan is None:
            return Fraction(1)
        moves = zip(*(part.tolist() for part in plan), strict=True)
        cost = sum((units * self.distance(source, sink) for source, sink, units in moves), Fraction(0))
        return cost / (sum(counts.values()) * int(totals.sum()))

    def _plan(self, counts: Mapping[int, int], totals: Ints) -> tuple[Ints, Ints, Ints] | None:
        """Return moves (from, to, units) that turn a class into the table; None if they do not, which never happens."""
        rows, total = sum(counts.values()), int(totals.sum())
        held = np.array([counts.get(value, 0) for value in range(len(totals))])
        extra = held * total - totals.astype(np.int64) * rows
        sources, sinks = np.flatnonzero(extra > 0), np.flatnonzero(extra < 0)
        supply, demand = extra[sources], -extra[sinks]
        moved = cheapest_plan(supply, demand, self.array[np.ix_(sources, sinks)])
        if (moved < 0).any() or (moved.sum(axis=1) != supply).any() or (moved.sum(axis=0) != demand).any():
            return None
        used = np.nonzero(moved)
        return sources[used[0]], sinks[used[1]], moved[used]

    def least(self, rows: int, totals: Sequence[int]) -> Fraction:
        """Return the least total variation, times the least distance of two values."""
        return _least_variation(rows, totals) * self._nearest

    @cached_property
    def _nearest(self) -> Fraction:
        """The least distance of two values, or a little less; 0 where there is one value."""
        apart = self.array[np.triu_indices(len(self.array), 1)]
        return Fraction(float(apart.min())) * (1 - Fraction(1, 2**40)) if len(apart) else Fraction(0)


@dataclass(frozen=True, eq=False)
class Matrix(Transport):
    """A metric that states every distance."""

    metric: Metric

    def distance(self, one: int, other: int) -> Fraction:
        """Return the stated distance."""
        return self.metric.distances[one][other]

    @cached_property
    def array(self) -> Floats:
        """The stated distances."""
        return self.metric.array


@dataclass(frozen=True, eq=False)
class Combined(Transport):
    """The mean or the maximum of several attributes' distances, between combinations of their values.

    Both are metrics, as the parts are: two different combinations differ in one value at least. The mean is the sum,
    divided by the number of attributes so that no two combinations are more than 1 apart.

    >>> both = Combined((Line((1, 1)), Tree(np.arange(2)[None, :])), np.array([[0, 0], [1, 0], [2, 1]]), "sum")
    >>> both.distance(0, 1), both.distance(0, 2), both.one({0: 1}, np.array([1, 1, 0]))
    (Fraction(1, 4), Fraction(1, 1), Fraction(1, 8))
    """

    parts: tuple[GroundDistance, ...]
    members: Ints
    """Combination by attribute: its value."""
    word: str
    """One of `COMBINED`."""

    def distance(self, one: int, other: int) -> Fraction:
        """Return the mean or the maximum of the parts' distances."""
        pairs = zip(self.parts, self.members[one].tolist(), self.members[other].tolist(), strict=True)
        apart = [part.distance(first, second) for part, first, second in pairs]
        return max(apart) if self.word == MAXIMUM else sum(apart, Fraction(0)) / len(apart)

    @cached_property
    def array(self) -> Floats:
        """The mean or the maximum of the parts' distances."""
        apart = [part.array[np.ix_(codes, codes)] for part, codes in zip(self.parts, self.members.T, strict=True)]
        combined: Floats = np.max(apart, axis=0) if self.word == MAXIMUM else np.mean(apart, axis=0)
        return combined


SUM, MAXIMUM = "sum", "maximum"
COMBINED = (SUM, MAXIMUM)
"""The words for a distance between combinations of several attributes' values."""
MOST_COMBINATIONS = 500
"""Combinations up to which rows are moved between them: a class takes a thousandth of a second with 100 of them, and
nearly a tenth with 450; methods measure thousands of classes."""


def ground_distance(distance: str | Metric, values: Values, name: str) -> GroundDistance:
    """Bind a distance, by its word or as a metric, to a domain."""
    size = len(values.totals)
    if isinstance(distance, Metric):
        return Matrix(distance.restricted(cell_text(values.domain).to_list()))
    if is_combined(distance):
        return _combined(distance, values, name)
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


def is_combined(distance: str | Metric) -> bool:
    """Whether a distance is one between combinations: `sum` or `maximum`, then perhaps the distance of each attribute.

    >>> is_combined("sum"), is_combined("maximum:numeric:equal"), is_combined("equal")
    (True, True, False)
    """
    return isinstance(distance, str) and distance.split(":")[0] in COMBINED


def attribute_distances(distance: str, number: int) -> list[str]:
    """Return the distance of each of so many attributes that a combined distance names; `auto` where it names none.

    >>> attribute_distances("sum", 2), attribute_distances("sum:numeric:equal", 2)
    (['auto', 'auto'], ['numeric', 'equal'])
    """
    return distance.split(":")[1:] or ["auto"] * number


def _combined(distance: str, values: Values, name: str) -> Combined:
    """Bind a combined distance to the combinations that occur."""
    if len(values.totals) > MOST_COMBINATIONS:
        raise Unsupported(
            f"t({name}:{distance}) moves rows between combinations of values, and there are {len(values.totals):,}, "
            f"more than {MOST_COMBINATIONS:,}",
            hint=f"ask for t({name}), whose combinations are all equally far, or make the values coarser beforehand",
        )
    assert values.combinations is not None
    words = zip(attribute_distances(distance, len(values.parts)), values.parts, strict=True)
    grounds = tuple(ground_distance(word, part, part.domain.name or name) for word, part in words)
    return Combined(grounds, values.combinations, distance.partition(":")[0])


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
