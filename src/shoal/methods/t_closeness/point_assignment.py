"""Point assignment (Wang et al.): clusters of alike sensitive values, one record of each in every class."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.methods.base import Deadline, Method, Progress
from shoal.methods.general.peel import unmet
from shoal.methods.t_closeness.failing_classes import mended
from shoal.methods.t_closeness.fragmentation import axes_of
from shoal.methods.t_closeness.fragmentation.axes import Axis, Tuples, closeness
from shoal.methods.t_closeness.fragmentation.buckets import balanced, dealt
from shoal.methods.t_closeness.fragmentation.filling import along_the_curve, by_nearest, curve_ranks
from shoal.methods.t_closeness.fragmentation.width import Widths
from shoal.methods.t_closeness.sabre import NEAREST_UP_TO
from shoal.microdata.partition import Partition
from shoal.models.emd import Line, Tree
from shoal.problem import Problem, Solution

SIZES = (1, 2, 4, 8)
"""How many times the least number of rows a class has, in turn: larger classes are nearer to the table."""
LEAST = 5
MOST_PAIRS = 50_000_000
"""Combinations of sensitive values, times clusters, up to which a size is tried: so many distances are held."""
MOST_COORDINATES = 50_000_000
"""Combinations of sensitive values, times coordinates, that are laid out."""


class PointAssignment(Method):
    """A heuristic. Rows are points in the space of all sensitive attributes, cut into clusters of equal size.

    Every class gets one row of each cluster, near to each other in the quasi-identifiers: so it has about the table's
    mixture of sensitive values. As many clusters as a class has rows; several sizes are tried and the cheapest kept,
    as long as combinations of values times clusters are at most 50 million. Classes that still fail are joined with
    near ones.
    """

    name: ClassVar[str] = "point-assignment"
    title: ClassVar[str] = "point assignment"
    guarantee: ClassVar[str | None] = None
    running_time: ClassVar[str] = (
        "O(n log n + u c) for u combinations of sensitive values and c clusters, for each size"
    )
    paper: ClassVar[str] = (
        "after an algorithm of Wang et al., as a thesis on t-closeness for multiple numerical sensitive attributes "
        "describes it: points assigned to clusters"
    )
    models: ClassVar[str] = "t-closeness of one or several attributes, and whatever merging can mend"

    def accepts(self, problem: Problem) -> list[str]:
        """Require t-closeness, and that the table as one class meets the models."""
        if not closeness(problem.models):
            return ["there is no t-closeness to meet", *unmet(problem)]
        return [*self.too_large(*axes_of(problem), max(problem.models.least_rows, LEAST)), *unmet(problem)]

    def too_large(self, axes: tuple[Axis, ...], tuples: Tuples, clusters: int) -> list[str]:
        """Return why the combinations of sensitive values are too many to be laid out as points and clustered."""
        number, wide = len(tuples.counts), dimensions(axes)
        if number * wide > MOST_COORDINATES:
            return [f"{number:,} combinations of sensitive values in {wide:,} coordinates are too many to be laid out"]
        if number * clusters > MOST_PAIRS:
            return [f"{number:,} combinations of sensitive values in {clusters:,} clusters are too many to be compared"]
        return []

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Cluster the sensitive values, deal them out; for several sizes."""
        axes, tuples = axes_of(problem)
        ranks, best = curve_ranks(problem.microdata), Partition.whole(problem.rows)
        points = self.points(axes, tuples)
        for size in _sizes(problem):
            if self.too_large(axes, tuples, size) or deadline.passed:
                break
            progress(0.1, "clustering sensitive values")
            buckets = self.buckets(points, tuples, ranks, size, np.random.default_rng(seed))
            labels = _dealt_out(problem, buckets, ranks, size)
            found = mended(problem, labels, deadline, progress)
            best = min(best, found, key=problem.cost_of)
        return self.solution(problem, best, "feasible")

    def points(self, axes: tuple[Axis, ...], tuples: Tuples) -> Floats:
        """Return what the combinations of sensitive values are clustered by."""
        return embedded(axes, tuples)

    def buckets(self, points: Floats, tuples: Tuples, ranks: Ints, number: int, rng: np.random.Generator) -> Ints:
        """Return the cluster of each row; rows with the same sensitive values are shared out along the curve."""
        share = balanced(points, tuples.counts, number, rng)
        rows = np.lexsort((ranks, tuples.of_row))
        bucket = np.empty(len(rows), dtype=np.int64)
        bucket[rows] = np.repeat(np.tile(np.arange(number), len(share)), share.ravel())
        return bucket


def _sizes(problem: Problem) -> list[int]:
    least = max(problem.models.least_rows, LEAST)
    return [least * times for times in SIZES if 2 * least * times <= problem.rows]


def _dealt_out(problem: Problem, buckets: Ints, ranks: Ints, size: int) -> Ints:
    """Return classes of one row from each bucket."""
    sizes = dealt(buckets, problem.rows // size)
    if problem.rows <= NEAREST_UP_TO:
        return by_nearest(sizes, buckets, ranks, Widths.of(problem))
    return along_the_curve(sizes, buckets, ranks)


def embedded(axes: tuple[Axis, ...], tuples: Tuples) -> Floats:
    """Return the combinations of sensitive values as points whose distance is that of Wang et al.

    That is the root of the sum over the attributes of the squared distance of their values. A number is its place from
    0 to 1. A value of a tree has a coordinate for each block around it: values whose common ancestor has height c of H
    differ in those of heights 0 to c - 1, whose squares add up to `sum of (2h + 1) / H^2 = (c / H)^2`. Under a metric
    of one's own a value is its distances to all others.
    """
    return np.hstack([_coordinates(one)[tuples.codes[:, place]] for place, one in enumerate(axes)])


def dimensions(axes: tuple[Axis, ...]) -> int:
    """Return how many coordinates a combination of values has."""
    return sum(map(_dimensions, axes))


def _dimensions(axis: Axis) -> int:
    """Return how many coordinates a value along an axis has."""
    if isinstance(axis.ground, Line):
        return 1
    return sum(int(blocks.max()) + 1 for blocks in axis.ground.up) if isinstance(axis.ground, Tree) else axis.size


def _coordinates(axis: Axis) -> Floats:
    """Return the coordinates of every value along an axis."""
    ground = axis.ground
    if isinstance(ground, Line):
        places = np.concatenate([[0.0], np.cumsum([float(gap) for gap in ground.gaps])])
        line: Floats = (places / max(places[-1], 1e-12))[:, None]
        return line
    if isinstance(ground, Tree):
        heights = [np.sqrt(h + 0.5) * np.eye(int(blocks.max()) + 1)[blocks] for h, blocks in enumerate(ground.up)]
        coordinates: Floats = np.hstack(heights) / len(heights)
        return coordinates
    return ground.array
