"""The forest approximation of k-anonymity (Aggarwal et al. 2005, section 4, its decomposition repaired)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.bounds.hierarchy_losses import FlatLosses, graph_refusals
from shoal.core.arrays import Codes, Floats, Ints
from shoal.costs import CellCost
from shoal.methods.base import Deadline, Growth, Method, Progress
from shoal.methods.k_anonymity.forest_kernel import SORTED_FROM, nearest_tuples, span_forest
from shoal.microdata.partition import Partition
from shoal.problem import Problem, Solution

STEP = 100_000_000
"""Values compared between two looks at the clock."""
MOST_NEAR = 200_000_000
"""Neighbours of all tuples together (12 bytes each) beyond which they are not looked for."""


class Forest(Method):
    """Guarantees `cost <= max(2k - 1, 3k - 5) * optimum` if all neighbours are found in time; it drops no row.

    Where rows may be dropped, too, and for every cost that adds over cells and by which a block of a hierarchy never
    costs less than one inside it: stars, height, NCP, precision; by suppression and by generalization, with attribute
    weights.

    The distance of two rows is what the cells that cover both cost a row. In every release a row pays at least its
    distance to the (k-1)-th nearest other row, and a dropped row pays no less.

    - Forest: as long as a tree has fewer than k rows, its root is joined to the nearest row outside. That is one of
      its k - 1 nearest, so no edge is longer than what the row it starts from pays: `weight of the forest <= optimum`.
    - Decomposition: each tree is cut into parts of k to max(2k - 1, 3k - 5) rows that have no edge in common.

    Where the rows of a part need a block, the path between two of them has an edge that needs the block as well. So a
    row pays the weight of its part at most.

    Rows with equal quasi-identifiers are a path of no weight from the start; neighbours are looked for among distinct
    tuples. The paper cuts trees in another way, which may leave fewer than k rows.
    """

    name: ClassVar[str] = "forest"
    title: ClassVar[str] = "forest approximation"
    guarantee: ClassVar[str | None] = "cost <= max(2k - 1, 3k - 5) * optimum"
    condition: ClassVar[str] = f"if all neighbours (up to {MOST_NEAR:,}) are found in time"
    running_time: ClassVar[str] = "O(L d (m + log d) + n k) for L of d distinct tuples that fewer than k rows have"
    growth: ClassVar[Growth] = "quadratic"
    paper: ClassVar[str] = (
        "Aggarwal, Feder, Kenthapadi, Motwani, Panigrahy, Thomas, Zhu: "
        "Approximation algorithms for k-anonymity, 2005, section 4"
    )
    models: ClassVar[str] = "k-anonymity alone"
    about_stars: ClassVar[bool] = True

    def promise(self, problem: Problem) -> str | None:
        """Return the guarantee for the problem's k."""
        return f"cost <= {most_rows(problem.models.least_rows)} * optimum"

    def accepts(self, problem: Problem) -> list[str]:
        """Require k-anonymity alone, cells that are blocks of hierarchies, and a cost that rises along them."""
        reasons, near = graph_refusals(problem), _neighbours(problem)
        if near > MOST_NEAR:
            reasons.append(f"{near:,} nearest rows of distinct tuples are more than {MOST_NEAR:,}")
        return reasons

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Join tuples to their nearest, lay out their rows, cut the trees."""
        neighbours = Neighbours.of(problem, deadline, progress)
        joined = neighbours.forest(problem.microdata.counts, problem.models.least_rows)
        progress(0.9, "cutting trees")
        partition = _partition(problem, joined)
        if not neighbours.complete:
            notes = ("time ran out before all neighbours were found: the other rows were joined in their order",)
            return self.solution(problem, partition, "feasible", notes=notes)
        notes = (f"a forest of {int((joined < 0).sum()):,} trees over {len(joined):,} distinct tuples",)
        return self.solution(problem, partition, "within_bound", bound=neighbours.bound(problem), notes=notes)


def _neighbours(problem: Problem) -> int:
    """Return how many neighbours are kept: k - 1 of each tuple that fewer than k rows have."""
    counts, k = problem.microdata.counts, problem.models.least_rows
    return int((counts < k).sum()) * (min(k, len(counts)) - 1)


def most_rows(k: int) -> int:
    """Return how many rows a part of a tree has at most.

    >>> [most_rows(k) for k in range(1, 7)]
    [1, 3, 5, 7, 10, 13]
    """
    return max(2 * k - 1, 3 * k - 5)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The nearest tuples of those that fewer than k rows have, nearest first, until there are k rows; -1 after them.

    Where they are not `complete`, the last ones have the tuples that follow in code order instead, infinitely far.
    """

    some: Ints
    near: Codes
    far: Floats
    least: Floats
    """What a row of each tuple pays for its own values: how far equal rows are."""
    complete: bool

    @classmethod
    def of(cls, problem: Problem, deadline: Deadline, progress: Progress) -> Neighbours:
        """Compare tuples in pairs, as long as there is time."""
        microdata, k = problem.microdata, problem.models.least_rows
        codes, hierarchies = np.ascontiguousarray(microdata.tuples.T), FlatLosses.of(problem)
        least = hierarchies.losses[hierarchies.starts[:, None] + codes].sum(axis=0)
        lonely = np.flatnonzero(microdata.counts < k)
        following = np.arange(1, min(k, len(least)), dtype=np.int32)
        near: Codes = (lonely.astype(np.int32)[:, None] + following) % np.int32(len(least))
        far, done = np.full(near.shape, np.inf), 0
        step = STEP // (microdata.tuples.size + (20 * len(least) if k >= SORTED_FROM else 0)) + 1
        while done < len(lonely) and not deadline.passed:
            progress(0.9 * done / len(lonely), "looking for nearest rows")
            part = slice(done, done + step)
            near[part], far[part] = nearest_tuples(codes, microdata.counts, hierarchies, lonely[part], k)
            done += step
        return cls(lonely, near, far, least, done >= len(lonely))

    def forest(self, counts: Ints, k: int) -> Ints:
        """Return the tuple that each tuple is joined to; -1 for the root of a tree."""
        if not len(self.some):
            return np.full(len(counts), -1, dtype=np.int64)
        joined: Ints = span_forest(counts, self.some, self.near, self.far, k)
        return joined

    def bound(self, problem: Problem) -> float:
        """Return the sum over all rows of the distances to their (k-1)-th nearest; no less than the forest's weight."""
        assert isinstance(problem.cost, CellCost)
        paid = self.least.copy()
        if self.near.size:
            paid[self.some] = np.maximum(paid[self.some], self.far.max(axis=1))
        return float((problem.microdata.counts * paid).sum()) / problem.cost.per(problem.rows)


def _partition(problem: Problem, joined: Ints) -> Partition:
    """Return the parts of the trees in which the rows of tuples joined to each other are laid out.

    The rows of a tuple are a path; its end is joined to a row of the next tuple. The paths that are joined to one
    tuple are spread evenly over its rows. Rows are taken in an order of their contents.
    """
    microdata, k = problem.microdata, problem.models.least_rows
    counts, labels = microdata.counts, np.empty(problem.rows, dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    above = np.arange(-1, problem.rows - 1)
    above[starts] = -1
    tuples = np.flatnonzero(joined >= 0)
    tuples = tuples[np.argsort(joined[tuples], kind="stable")]
    to = joined[tuples]
    siblings = np.bincount(to, minlength=len(joined))
    rank = np.arange(len(to)) - np.concatenate([[0], np.cumsum(siblings)[:-1]])[to]
    above[starts[tuples]] = starts[to] + rank * counts[to] // siblings[to]
    labels[np.lexsort((microdata.identity, microdata.tuple_of_row))] = decompose(above, k)
    return Partition.of(labels)


def decompose(above: Ints, k: int) -> Ints:
    """Cut trees into parts: return a label for every vertex, given the vertex above it, -1 for the root of a tree.

    Guarantees parts of k to max(2k - 1, 3k - 5) vertices from trees of at least k; smaller trees stay whole. A part is
    connected by edges that no other part uses, if need be through one vertex of another part.

    >>> decompose(np.array([-1, 0, 0, 0, 0, 0]), 2).tolist()
    [2, 0, 0, 1, 1, 2]
    """
    trees = Trees(above, k)
    labels = [-1] * len(above)
    number = 0
    for top in trees.tops:
        for part in trees.parts(top):
            for vertex in part:
                labels[vertex] = number
            number += 1
    for vertex in reversed(trees.order):
        if labels[vertex] < 0:
            labels[vertex] = labels[trees.above[vertex]]
    return np.array(labels, dtype=np.int64)


class Trees:
    """Trees, cut wherever k vertices or more are left on both sides; `tops` are the roots of what is left."""

    def __init__(self, above: Ints, k: int) -> None:
        self.k, self.above = k, above.tolist()
        depth, root = _depths(above)
        self.order: list[int] = np.argsort(-depth, kind="stable").tolist()
        self.below: list[list[int]] = [[] for _ in self.above]
        self.sizes = [1] * len(self.above)
        self.tops: list[int] = []
        self._cut(root.tolist(), np.bincount(root, minlength=len(above)).tolist())

    def _cut(self, root: list[int], left: list[int]) -> None:
        """Cut off what is below a vertex, from the leaves up, as soon as it may be."""
        for vertex in self.order:
            size, parent = self.sizes[vertex], self.above[vertex]
            if parent < 0 or (size >= self.k and left[root[vertex]] - size >= self.k):
                left[root[vertex]] -= size
                self.tops.append(vertex)
            else:
                self.sizes[parent] += size
                self.below[parent].append(vertex)

    def parts(self, top: int) -> list[list[int]]:
        """Return the parts of a tree that no edge cuts any more, each by the vertices whose label others inherit.

        Where there are 2k vertices, one has only branches of fewer than k. Collect branches, large ones first, until
        there are k vertices. If k are left, too, they are a part. If not, those before the last branch were k - 1 if
        there are more vertices than a part may have: with the vertex itself they are a part, and the others another.
        """
        left, k = self.sizes[top], self.k
        if left < 2 * k:
            return [[top]]
        middle = self._middle(top)
        branches = [(self.sizes[vertex], vertex) for vertex in self.below[middle]]
        if middle != top:
            branches.append((left - self.sizes[middle], top))
        branches.sort(key=lambda branch: (-branch[0], branch[1]))
        parts: list[list[int]] = []
        first = 0
        while left >= 2 * k:
            end, taken = first, 0
            while taken < k:
                taken += branches[end][0]
                end += 1
            if left - taken < k:
                if taken - branches[end - 1][0] == k - 1:
                    last = [vertex for _, vertex in branches[end - 1 :]]
                    return [*parts, [middle, *(vertex for _, vertex in branches[first : end - 1])], last]
                break
            parts.append([vertex for _, vertex in branches[first:end]])
            first, left = end, left - taken
        return [*parts, [middle, *(vertex for _, vertex in branches[first:])]]

    def _middle(self, top: int) -> int:
        """Return the vertex that all large branches lead to."""
        while True:
            large = [vertex for vertex in self.below[top] if self.sizes[vertex] >= self.k]
            if not large:
                return top
            top = large[0]


def _depths(above: Ints) -> tuple[Ints, Ints]:
    """Return how far each vertex is below its root, and the root."""
    depth = (above >= 0).astype(np.int64)
    up = np.where(above < 0, np.arange(len(above)), above)
    while depth[up].any():
        depth, up = depth + depth[up], up[up]
    return depth, up
