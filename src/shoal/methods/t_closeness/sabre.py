"""SABRE (Cao, Karras, Kalnis and Tan 2011): t-closeness of one attribute by buckets and redistribution."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from shoal.methods.base import Deadline, Method, Progress
from shoal.methods.general.peel import unmet
from shoal.methods.t_closeness.failing_classes import mended
from shoal.methods.t_closeness.fragmentation import DistanceBound, Fragmentation, axes_of, find_fragmentation, size
from shoal.methods.t_closeness.fragmentation.axes import closeness
from shoal.methods.t_closeness.fragmentation.filling import along_the_curve, by_nearest, curve_ranks
from shoal.methods.t_closeness.fragmentation.sizing import Sizing
from shoal.methods.t_closeness.fragmentation.width import Widths
from shoal.problem import Problem, Solution

NEAREST_UP_TO = 2_000
"""Rows up to which classes are filled by nearest neighbours; larger tables along the Hilbert curve."""
MOST_BUCKETS = 1_000


class Sabre(Method):
    """A heuristic in cost; but `distance <= t` for every class before a record is chosen.

    - Buckets: the values are cut (intervals; blocks of a tree; sets) where the worst move inside buckets falls most,
      until the mean worst move is at most t.
    - Redistribution: the numbers of records in the buckets are halved again and again, as long as the mismatch of both
      halves with the table, and the worst moves, add up to t at most. Each half that is left is a class.
    - Filling: each class takes its numbers of the buckets' records near to each other.

    The mismatch is measured from the table to the mixture of whole buckets, where the paper takes the largest distance
    between two buckets' values: the same guarantee, and more classes. It is `fragments` without its own additions.
    """

    name: ClassVar[str] = "sabre"
    title: ClassVar[str] = "SABRE"
    guarantee: ClassVar[str | None] = None
    running_time: ClassVar[str] = "O(n log n)"
    paper: ClassVar[str] = (
        "Cao, Karras, Kalnis, Tan: SABRE: a sensitive attribute bucketization and redistribution framework for "
        "t-closeness, VLDB Journal 2011"
    )
    models: ClassVar[str] = "t-closeness of one attribute, and whatever merging can mend"

    def accepts(self, problem: Problem) -> list[str]:
        """Require t-closeness of one attribute, and that the table as one class meets the models."""
        number = len(closeness(problem.models))
        reasons = [] if number == 1 else [f"there are {number} t-closeness models, not one"]
        return [*reasons, *unmet(problem)]

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Cut the values into buckets, size the classes, fill them."""
        progress(0.0, "cutting sensitive values into buckets")
        axes, tuples = axes_of(problem)
        cut = find_fragmentation(Fragmentation.whole(axes, tuples), [axes[0].t], MOST_BUCKETS, lambda: deadline.passed)
        sizing = Sizing(DistanceBound(cut), problem.models.least_rows)
        sizes, _ = size(sizing, stop=lambda: deadline.passed)
        progress(0.5, "filling classes")
        buckets, ranks = cut.of_tuple[tuples.of_row], curve_ranks(problem.microdata)
        if problem.rows <= NEAREST_UP_TO:
            labels = by_nearest(sizes, buckets, ranks, Widths.of(problem))
        else:
            labels = along_the_curve(sizes, buckets, ranks)
        partition = mended(problem, labels, deadline, progress)
        notes = (f"{len(cut):,} buckets; {len(sizes):,} classes were sized before records were chosen",)
        return replace(self.solution(problem, partition, "feasible"), notes=notes)
