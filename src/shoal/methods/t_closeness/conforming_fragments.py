"""Conforming fragments: the thesis on t-closeness for multiple numerical sensitive attributes, as printed.

FIND-FRAGMENTATION (3.4.1) cuts the matrix of sensitive values into boxes, each measured on its own scale; class sizes
(3.4.2) are the greatest common divisor's; GENERATE-CLASSES (3.4.3) fills them. `fragments` is what became of it: bounds
on the scale of the table, class sizes that need not divide the boxes, classes split further.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.methods.base import Deadline, Growth, Method, Progress
from shoal.methods.general.peel import unmet
from shoal.methods.t_closeness.failing_classes import mended
from shoal.methods.t_closeness.fragmentation import (
    Axis,
    DistanceBound,
    Fragment,
    Fragmentation,
    Sizes,
    Tuples,
    axes_of,
    equal_sizes,
)
from shoal.methods.t_closeness.fragmentation.axes import LineAxis, closeness
from shoal.methods.t_closeness.fragmentation.filling import along_the_curve, by_nearest, curve_ranks
from shoal.methods.t_closeness.fragmentation.sizing import CLOSE, Sizing
from shoal.methods.t_closeness.fragmentation.width import Widths
from shoal.microdata.partition import Partition
from shoal.problem import Problem, Solution

MOST_CELLS = 20_000
"""Combinations of values, those that do not occur among them, up to which the matrix is cut."""
MOST_DISTANCES = 300_000_000
"""Rows times classes up to which classes take their nearest rows; more are filled along the Hilbert curve."""


class ConformingFragments(Method):
    """A heuristic in cost; but `distance <= bound <= t` for every class before a record is chosen.

    - FIND-FRAGMENTATION: the matrix that counts the records of every combination of sensitive values is cut into
      boxes, full cuts of one box at a time. The bound of an attribute is the sum over the boxes of the farthest that
      their records can be moved, as a share of the width of *their own box*. The cut is made that leaves the least
      above every t in sum; of equal ones that with the least sum of bounds, then the first.
    - Sizes: every class takes the same share of each box, so there are as many as the greatest common divisor q of the
      boxes' records; for k-anonymity the most that divide q and leave k rows.
    - GENERATE-CLASSES: a class takes from every box the rows nearest to a row w; the first w is the start of the
      Hilbert curve, each other one the row left that is farthest from the one before.

    A class that takes its share of every box is at most `bound` from the table (Theorem 2 of the thesis), and so are
    such classes joined. The divisor is 1 for most tables, which leaves one class; `fragments` exists for that reason.
    """

    name: ClassVar[str] = "conforming-fragments"
    title: ClassVar[str] = "fragments, exact conformance"
    guarantee: ClassVar[str | None] = None
    running_time: ClassVar[str] = "O(c^2) for c combinations of sensitive values, and O(n q) for q classes"
    growth: ClassVar[Growth] = "quadratic"
    paper: ClassVar[str] = "a thesis on t-closeness for multiple numerical sensitive attributes, chapter 3"
    models: ClassVar[str] = "t-closeness of attributes by rank, and whatever merging can mend"

    def accepts(self, problem: Problem) -> list[str]:
        """Require t-closeness by rank of few values, and that the table as one class meets the models."""
        axes = axes_of(problem)[0] if closeness(problem.models) else ()
        if not axes:
            return ["there is no t-closeness to meet", *unmet(problem)]
        reasons = [f"the values of {axis.name} are not equally far apart on a line" for axis in axes if not _even(axis)]
        cells = prod(axis.size for axis in axes)
        if cells > MOST_CELLS:
            reasons.append(f"{cells:,} combinations of sensitive values are more than {MOST_CELLS:,}")
        return [*reasons, *unmet(problem)]

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Cut the matrix, divide, fill the classes; when time is over before, all rows are one class."""
        progress(0.0, "cutting the matrix of sensitive values")
        axes, tuples = axes_of(problem)
        limits = [axis.t for axis in axes]
        boxes = find_boxes(Box.whole([axis.size for axis in axes], tuples), limits, lambda: deadline.passed)
        if boxes is None:
            note = "time ran out before the matrix was cut"
            return self.solution(problem, Partition.whole(problem.rows), "feasible", notes=(note,))
        cut = _fragmentation(boxes, axes, tuples)
        sizes = equal_sizes(Sizing(DistanceBound(cut), problem.models.least_rows))
        progress(0.5, "filling classes")
        labels = _filled(problem, sizes, cut.of_tuple[tuples.of_row])
        partition = mended(problem, labels, deadline, progress)
        models = [str(model).rpartition("=")[0] for model in closeness(problem.models)]
        promised = dict(zip(models, aggregate_bounds(boxes).tolist(), strict=True))
        note = f"{len(cut):,} boxes with records; {len(sizes):,} classes conform to them"
        return replace(self.solution(problem, partition, "feasible", notes=(note,)), promised=promised)


def _even(axis: Axis) -> bool:
    """Whether an axis is that of ranks."""
    return isinstance(axis, LineAxis) and len(set(axis.line.gaps)) <= 1


@dataclass(frozen=True, eq=False)
class Cuts:
    """Every full cut of a box: along which attribute, after how many values, and the worst moves of both sides."""

    along: Ints
    after: Ints
    moved: Floats
    """Cut by attribute."""


@dataclass(frozen=True, eq=False)
class Box:
    """A contiguous part of the matrix of sensitive values."""

    corner: tuple[int, ...]
    """The first value of each attribute."""
    counts: Ints
    """How many records have each combination of its values."""

    @classmethod
    def whole(cls, sizes: Sequence[int], tuples: Tuples) -> Box:
        """Count the records of every combination of values."""
        counts = np.zeros(tuple(sizes), dtype=np.int64)
        np.add.at(counts, tuple(tuples.codes.T), tuples.counts)
        return cls((0,) * len(sizes), counts)

    @cached_property
    def moved(self) -> Floats:
        """The worst move along each attribute, as a share of the box's width, in sum over the records."""
        return np.array([float(_worst(self._sums(along))) for along in range(self.counts.ndim)])

    @cached_property
    def cuts(self) -> Cuts:
        """All cuts of it."""
        found = [self._cuts(along) for along in range(self.counts.ndim)]
        return Cuts(*(np.concatenate([getattr(one, part) for one in found]) for part in Cuts.__dataclass_fields__))

    def cut(self, along: int, after: int) -> tuple[Box, Box]:
        """Return both sides of a cut."""
        low, high = np.split(self.counts, [after], axis=along)
        corner = tuple(first + after * (place == along) for place, first in enumerate(self.corner))
        return Box(self.corner, low), Box(corner, high)

    def _sums(self, *kept: int) -> Ints:
        """Return the counts of some attributes alone, in their order."""
        others = tuple(place for place in range(self.counts.ndim) if place not in kept)
        sums: Ints = self.counts.sum(axis=others)
        return sums if list(kept) == sorted(kept) else sums.T

    def _cuts(self, along: int) -> Cuts:
        number = self.counts.shape[along] - 1
        moved = np.empty((number, self.counts.ndim))
        for other in range(self.counts.ndim):
            if other == along:
                moved[:, other] = _worst_on_both_sides(self._sums(along))
            else:
                low = np.cumsum(self._sums(along, other), axis=0)
                moved[:, other] = _worst(low[:-1]) + _worst(low[-1] - low[:-1])
        return Cuts(np.full(number, along), np.arange(1, number + 1), moved)


def _worst(counts: Ints) -> Floats:
    """Return how far counts, value by value along the last axis, can be moved in sum: all to the farther end.

    >>> _worst(np.array([1, 0, 3])), _worst(np.array([5]))
    (array(3.), array(0.))
    """
    width = counts.shape[-1] - 1
    steps = np.arange(width + 1)
    moved: Floats = np.maximum(counts @ steps, counts @ steps[::-1]) / max(width, 1)
    return np.asarray(moved)


def _worst_on_both_sides(counts: Ints) -> Floats:
    """Return, for each cut between two values, how far the counts can be moved on its two sides together.

    >>> _worst_on_both_sides(np.array([1, 0, 3]))
    array([3., 1.])
    """
    return _worst_of_first(counts)[:-1] + _worst_of_first(counts[::-1])[-2::-1]


def _worst_of_first(counts: Ints) -> Floats:
    """Return how far the first counts can be moved, for each number of them."""
    steps = np.arange(len(counts))
    mass, moment = np.cumsum(counts), np.cumsum(counts * steps)
    moved: Floats = np.maximum(moment, steps * mass - moment) / np.maximum(steps, 1)
    return moved


def aggregate_bounds(boxes: Sequence[Box]) -> Floats:
    """Return the bound of each attribute: no class that takes its share of every box is farther from the table."""
    total = sum(int(box.counts.sum()) for box in boxes)
    bounds: Floats = np.sum([box.moved for box in boxes], axis=0) / total
    return bounds


def find_boxes(whole: Box, limits: Sequence[float], stop: Callable[[], bool] = lambda: False) -> list[Box] | None:
    """Cut until every bound is within its limit; None where time is over before.

    It ends: a box of one combination cannot be cut, and its records cannot be moved.
    """
    boxes, wanted = [whole], np.asarray(limits)
    while (aggregate_bounds(boxes) > wanted + CLOSE).any():
        if stop():
            return None
        place, along, after = _best_cut(boxes, wanted)
        boxes[place : place + 1] = boxes[place].cut(along, after)
    return boxes


def _best_cut(boxes: Sequence[Box], limits: Floats) -> tuple[int, int, int]:
    """Return the box to cut, and where: the least above the limits in sum, then the least sum of bounds."""
    cuts = [box.cuts for box in boxes]
    place = np.repeat(np.arange(len(boxes)), [len(one.along) for one in cuts])
    own = np.array([box.moved for box in boxes])
    total = sum(int(box.counts.sum()) for box in boxes)
    bounds = (own.sum(axis=0) - own[place] + np.concatenate([one.moved for one in cuts])) / total
    above = np.maximum(bounds - limits, 0.0).sum(axis=1).round(12)
    best = int(np.lexsort((bounds.sum(axis=1).round(12), above))[0])
    along, after = (np.concatenate([getattr(one, part) for one in cuts]) for part in ("along", "after"))
    return int(place[best]), int(along[best]), int(after[best])


def _fragmentation(boxes: Sequence[Box], axes: tuple[Axis, ...], tuples: Tuples) -> Fragmentation:
    """Return the boxes that hold records, as fragments."""
    found = []
    for box in boxes:
        low = np.array(box.corner)
        inside = ((tuples.codes >= low) & (tuples.codes < low + box.counts.shape)).all(axis=1)
        if inside.any():
            found.append(Fragment(axes, tuples, np.flatnonzero(inside)))
    return Fragmentation(tuple(found))


def _filled(problem: Problem, sizes: Sizes, box_of_row: Ints) -> Ints:
    """Return the class of each row."""
    ranks = curve_ranks(problem.microdata)
    if problem.rows * len(sizes) > MOST_DISTANCES:
        return along_the_curve(sizes, box_of_row, ranks)
    return by_nearest(sizes, box_of_row, ranks, Widths.of(problem))
