"""TP+: the three phases, then the residue along the Hilbert curve (Xiao, Yi and Tao 2010, section 6.1), as printed."""

from __future__ import annotations

from typing import ClassVar

from shoal.methods.base import Deadline, Progress
from shoal.methods.l_diversity.hilbert import Hilbert
from shoal.methods.l_diversity.tp import TP, concluded, three_phases
from shoal.microdata.partition import Partition
from shoal.problem import Problem, Solution


class TPPlus(TP):
    """Guarantees what TP does, `starred rows <= l * optimum` and `stars <= l m * optimum`, with no more stars than TP.

    TP decides which rows are altered, and publishes them as one class. Here this class, the residue, is a table of its
    own, cut by `hilbert`; the classes of unaltered rows stay as they are. A part of a class is starred in no column
    that the class is not starred in.

    `tp-plus-refined` adds to this other ways to cut the residue, rows that go back, and releases of the whole table.
    """

    name: ClassVar[str] = "tp-plus"
    title: ClassVar[str] = "TP+: three phases, the residue along the Hilbert curve"
    running_time: ClassVar[str] = "that of tp, and O(r log r) for r altered rows"

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Run the phases, and cut R, if there is time."""
        progress(0.0, "three phases (compiled at the first use)")
        split = three_phases(problem, deadline)
        if not split.rows or deadline.passed:
            said = "the residue is one class: time ran out" if split.rows else "there is no residue"
            return concluded(self, problem, split, Partition(split.labels), split.cost(problem), said)
        progress(0.5, "the residue, by hilbert")
        part = problem.of_rows(split.residue)
        found = Hilbert().solve(part, seed=seed, deadline=deadline, progress=progress).partition
        partition = Partition.of(split.with_residue(found))
        said = f"hilbert cut the residue into {len(found):,} classes"
        return concluded(self, problem, split, partition, problem.cost_of(partition), said)
