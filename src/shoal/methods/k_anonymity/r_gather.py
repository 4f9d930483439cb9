"""r-gather clustering (Aggarwal et al. 2006): clusters of r rows or more, the largest radius within twice the least."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.methods.base import Deadline, Growth, Method, Progress
from shoal.methods.general.repair import repair
from shoal.methods.k_anonymity.gathering_flow import gathering_flow
from shoal.microdata.partition import Partition
from shoal.patterns import pattern_hierarchies
from shoal.problem import Problem, Solution
from shoal.tables.encoded_column import Coded

MOST_TUPLES = 3_000
"""Distinct tuples up to which the distances of every two are laid out."""
DIGITS = 9
"""Distances are compared in so many decimal places."""


class RGather(Method):
    """Guarantees `largest radius <= 2 * least largest radius` of all clusterings into clusters of k rows or more.

    The radius of a cluster is the largest distance of a row to its centre, which is a row of the table. Distances add
    over attributes, times their weights: the level of the lowest common block as a share of the height of the
    hierarchy; where ranges or centroids are published, for ordered columns the difference as a share of the column's
    span. A missing value is at distance 1 from others. That is a metric, which is all that the argument needs:

    Let R be a radius. Rows are gone through in order, and one that is farther than 2R from all centres so far is a
    centre. If R is no less than the least largest radius, centres lie in different clusters of the best clustering, the
    rows of each of these are within 2R of the centre that lies in it, and so a flow gives every centre k rows within
    2R. Every other row joins its nearest centre, no farther than 2R. If there is no such flow, R is too small. So R is
    found by halving the distances that occur.

    The radius is not the cost that is asked for: of the cost only lower bounds speak. The radius is that of clusters
    before anything else is asked of them: where other models than k-anonymity refuse clusters, they are merged with
    others and nothing is guaranteed.
    """

    name: ClassVar[str] = "r-gather"
    title: ClassVar[str] = "r-gather clustering"
    guarantee: ClassVar[str | None] = None
    running_time: ClassVar[str] = f"O(log d) flows between d distinct tuples, up to {MOST_TUPLES:,}, and few centres"
    growth: ClassVar[Growth] = "quadratic"
    paper: ClassVar[str] = (
        "Aggarwal, Feder, Kenthapadi, Khuller, Panigrahy, Thomas, Zhu: Achieving anonymity via clustering, PODS 2006"
    )
    models: ClassVar[str] = "any conjunction that the whole table meets; its factor is for k-anonymity"

    def accepts(self, problem: Problem) -> list[str]:
        """Require that the table as one class meets the models, and few enough distinct tuples."""
        reasons = [problem.global_recoding_refusal] if problem.global_recoding_refusal else problem.refused_as_one()
        if problem.recoding_kind.two_tables:
            reasons = [*reasons, "groups of two tables are not clusters of near rows"]
        tuples = len(problem.microdata.counts)
        if tuples > MOST_TUPLES:
            reasons = [*reasons, f"{tuples:,} distinct tuples are more than {MOST_TUPLES:,}"]
        return reasons

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Halve the distances until the least radius that works is known; merge clusters that are refused."""
        gathering = Gathering(distances(problem), problem.microdata.counts, problem.models.least_rows)
        shares, least = gathering.gathered(deadline, progress)
        clusters = Partition.of(_rows_of(problem, shares))
        partition = repair(problem, clusters, deadline=deadline, progress=progress)
        radius = gathering.radius(shares)
        note = f"{len(clusters):,} clusters, largest radius {radius:.6g}; no clustering has one below {least:.6g}"
        return self.solution(problem, partition, "feasible", notes=(note,))


@dataclass(frozen=True, eq=False)
class Gathering:
    """Points, how many rows lie at each, and how many rows a cluster must have."""

    apart: Floats
    """The distance of every two points."""
    counts: Ints
    r: int

    def gathered(self, deadline: Deadline, progress: Progress) -> tuple[Ints, float]:
        """Return how many rows of each point are in each cluster, and a radius that no clustering is below."""
        radii = np.unique(self.apart)
        low, high = 0, len(radii) - 1
        while low < high:
            deadline.check()
            progress(1 - (high - low) / len(radii), "trying radii")
            middle = (low + high) // 2
            low, high = (low, middle) if self.at(radii[middle]) is not None else (middle + 1, high)
        shares = self.at(radii[high])
        assert shares is not None, "one centre has all rows"
        return shares, float(radii[high])

    def radius(self, shares: Ints) -> float:
        """Return the largest distance of a row to its centre."""
        return float(self.apart[shares > 0].max())

    def at(self, radius: float) -> Ints | None:
        """Return how many rows of each point are in the cluster of each centre, point by point; None if R is too small.

        A column is that of the cluster whose centre is the point.
        """
        near = self.apart <= round(2 * radius, DIGITS)
        centres = self._centres(near)
        of_centres = gathering_flow(near[:, centres], self.counts, self.r)
        if of_centres is None:
            return None
        left = self.counts - of_centres.sum(axis=1)
        nearest = np.argmin(self.apart[:, centres], axis=1)
        of_centres[np.arange(len(left)), nearest] += left
        shares = np.zeros(self.apart.shape, dtype=np.int64)
        shares[:, centres] = of_centres
        return shares

    def _centres(self, near: Bools) -> Ints:
        """Return points that are far from each other, such that every other point is near one of them."""
        open_points, centres = np.ones(len(near), dtype=bool), []
        while open_points.any():
            centre = int(np.argmax(open_points))
            centres.append(centre)
            open_points &= ~near[centre]
        return np.array(centres)


def distances(problem: Problem) -> Floats:
    """Return the distance of every two distinct tuples, in a few decimal places."""
    microdata, along = problem.microdata, problem.recoding_kind.spans or not problem.recoding_kind.covers
    apart = np.zeros((len(microdata.tuples), len(microdata.tuples)))
    columns = zip(microdata.quasi, pattern_hierarchies(problem), microdata.tuples.T, strict=True)
    for column, hierarchy, codes in columns:
        weight = problem.cost.weight(column.name)
        if along and column.is_ordered:
            apart += weight * _along(column, codes)
        else:
            for blocks in hierarchy.up[:-1]:
                apart += weight / hierarchy.height * (blocks[codes][:, None] != blocks[codes])
    return np.round(apart, DIGITS)


def _along(column: Coded, codes: Ints) -> Floats:
    """Return how far values of an ordered column are from each other, as shares of its span; 1 from a missing one."""
    places = column.positions[codes]
    missing = np.isnan(places)
    known = places[~missing]
    span = float(known.max() - known.min()) if len(known) else 0.0
    apart: Floats = np.abs(np.subtract.outer(places, places)) / (span or 1.0)
    apart[missing[:, None] ^ missing] = 1.0
    apart[missing[:, None] & missing] = 0.0
    return apart


def _rows_of(problem: Problem, shares: Ints) -> Ints:
    """Return the cluster of each row: of equal rows, as many in each cluster as it has shares, in their order."""
    microdata = problem.microdata
    order = np.lexsort((microdata.identity, microdata.tuple_of_row))
    labels = np.empty(problem.rows, dtype=np.int64)
    labels[order] = np.repeat(np.tile(np.arange(shares.shape[1]), len(shares)), shares.ravel())
    return labels
