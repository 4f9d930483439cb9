"""Microaggregation with t-closeness first (Soria-Comas et al. 2015, algorithm 3)."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import ClassVar

import numpy as np

from shoal.core.arrays import Ints
from shoal.methods.base import Deadline, Growth, Progress
from shoal.methods.microaggregation.clusters import Remaining, seeds
from shoal.methods.microaggregation.microaggregation import LATE
from shoal.methods.microaggregation.ranked_microaggregation import Formed, RankedMicroaggregation
from shoal.models import Model
from shoal.problem import Problem

CLOSE_GROUPS_UP_TO = 5_000
"""Rows up to which groups that are close to the table are formed without being asked for."""


class MicroaggregationTFirst(RankedMicroaggregation):
    """Guarantees `distance to the table <= (n - k') / (2 (n - 1) k') <= t` of every group; no bound on the cost.

    So by the ordered distance, where no two rows have the same sensitive value and k' divides n. k' is the larger of k
    and the least number of rows for which that is at most t. Rows are sorted by the sensitive value and cut into k'
    parts of as many rows; each group has the row of each part that is nearest to its seed. Seeds are those of MDAV.

    If k' does not divide n, the parts in the middle have more rows, and a group takes two of them as long as there are.
    Where values repeat, or by the numeric distance, a group may be farther from the table than t: it is merged.
    """

    name: ClassVar[str] = "microaggregation-tfirst"
    title: ClassVar[str] = "microaggregation, t-closeness first"
    running_time: ClassVar[str] = "O(n^2 (m + log n) / k')"
    growth: ClassVar[Growth] = "quadratic"

    def form(self, problem: Problem, model: Model, deadline: Deadline, progress: Progress) -> Formed:
        """Form groups of one row of each part."""
        remaining = Remaining.one_by_one(problem)
        size = group_size(problem.rows, problem.models.least_rows, model.limit)
        values = problem.values[model.attributes].codes[remaining.order]
        part_of = np.empty(problem.rows, dtype=np.int64)
        part_of[np.argsort(values, kind="stable")] = np.repeat(np.arange(size), part_sizes(problem.rows, size))
        groups: list[Ints] = []
        for one in seeds(remaining, 1):
            left = problem.rows // size - len(groups)
            if deadline.passed:
                return [*groups, *_dealt(remaining, part_of, left)], (LATE,)
            progress(1 - remaining.rows / problem.rows, "forming groups")
            near = _nearest_of_parts(remaining, one, part_of, left)
            groups.append(remaining.take(near, len(near)))
        return groups, ()


def group_size(rows: int, k: int, t: Fraction) -> int:
    """Return k', raised so that no group need take in more than one row too many.

    >>> [group_size(12, 2, Fraction(t)) for t in ("0.15", "0.1", "1", "0")]
    [3, 4, 2, 12]
    """
    size = max(k, ceil(Fraction(rows) / (2 * (rows - 1) * t + 1)))
    return size + rows % size // (rows // size)


def part_sizes(rows: int, size: int) -> Ints:
    """Return how many rows each of the parts has: those in the middle have what is left over.

    >>> part_sizes(14, 3).tolist(), part_sizes(15, 4).tolist()
    ([4, 6, 4], [3, 5, 4, 3])
    """
    sizes = np.full(size, rows // size)
    over = rows % size
    sizes[(size - 1) // 2] += over - over // 2
    sizes[size // 2] += over // 2
    return sizes


def _nearest_of_parts(remaining: Remaining, seed: int, part_of: Ints, groups: int) -> Ints:
    """Return the point nearest to a seed in each part, and a second one where a part has more than one per group."""
    parts, away = part_of[remaining.some], remaining.away(seed)
    order = np.lexsort((away, parts))
    sizes = np.bincount(parts)
    first = np.cumsum(sizes) - sizes
    near: Ints = order[first]
    second = order[first[sizes > groups] + 1]
    if len(second):
        near = np.append(near, second[np.argmin(away[second])])
    chosen: Ints = remaining.some[near]
    return chosen


def _dealt(remaining: Remaining, part_of: Ints, groups: int) -> list[Ints]:
    """Deal the rows that are left out to so many groups, part after part."""
    order = remaining.some[np.argsort(part_of[remaining.some], kind="stable")]
    parts = part_of[order]
    turn = (np.arange(len(order)) - np.searchsorted(parts, parts)) % groups
    dealt = [order[turn == group] for group in range(groups)]
    return [remaining.take(np.sort(points), len(points)) for points in dealt]
