"""Samarati's search (2001): the levels of least height, by halving the heights."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.core.arrays import Ints
from shoal.methods.base import Deadline, Method, Progress
from shoal.methods.full_domain.full_domain import lattice_refusals, said, unreached
from shoal.methods.full_domain.lattice import Ground, Lattice, Measure, Seen, Verdicts, measure_of
from shoal.problem import Problem, Solution


class Samarati(Method):
    """A heuristic for the cost; guarantees that no levels with a smaller sum are admitted, if it had the time.

    The height of a node is the sum of its levels. Where levels stay admitted when one is raised, the least height is
    found by halving: a height at which some node is admitted has one at every height above. That holds where merging
    keeps admitted classes admitted and no row is suppressed. Else heights are tried from below. Of all admitted nodes
    of the least height the one is taken that suppresses the fewest rows, then the cheapest.
    """

    name: ClassVar[str] = "samarati"
    title: ClassVar[str] = "Samarati's search"
    guarantee: ClassVar[str | None] = None
    running_time: ClassVar[str] = "O(d m) for each node of the heights tried, d distinct tuples"
    paper: ClassVar[str] = "Samarati: Protecting respondents' identities in microdata release, TKDE 2001"
    models: ClassVar[str] = "any model and conjunction that the whole table meets"
    recoding: ClassVar[str | None] = "full-domain"

    def accepts(self, problem: Problem) -> list[str]:
        """Require full-domain recoding, a lattice that can be laid out, and a top that is admitted."""
        return lattice_refusals(problem) or Lattice.of(problem.microdata).refusals or unreached(problem)

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Find the least height, then the best of its nodes."""
        ground, lattice = Ground(problem), Lattice.of(problem.microdata)
        heights = Heights(lattice, Verdicts(ground), measure_of(ground, lattice), deadline)
        rises = problem.deciding.monotone and problem.may_suppress == 0
        best = heights.by_halving(progress) if rises else heights.from_below(progress)
        partition = heights.verdicts.partition(best)
        height = f"height {sum(best.grouping.levels)} of {sum(lattice.heights)}"
        notes = (height, f"{heights.looked:,} of {len(lattice):,} nodes of the lattice were looked at")
        return self.solution(problem, partition, "feasible", notes=(*notes, *said(problem, best)))


class Heights:
    """The nodes of a lattice by their height."""

    def __init__(self, lattice: Lattice, verdicts: Verdicts, measure: Measure, deadline: Deadline) -> None:
        self.lattice, self.verdicts, self.measure, self.deadline = lattice, verdicts, measure, deadline
        self.heights: Ints = lattice.levels.sum(axis=1, dtype=np.int64)
        self.looked = 0

    def by_halving(self, progress: Progress) -> Seen:
        """Return the best node of the least height, where a height with an admitted node has only such above it."""
        low, high, found = sum(self.lattice.bottom), sum(self.lattice.heights), self.verdicts.at(self.lattice.heights)
        while low < high and not self.deadline.passed:
            middle = (low + high) // 2
            progress(1 - (high - low) / self.lattice.span, f"height {middle}")
            seen = self._first(middle)
            low, high, found = (middle + 1, high, found) if seen is None else (low, middle, seen)
        return self._best(high) or found

    def from_below(self, progress: Progress) -> Seen:
        """Return the best node of the least height at which one is admitted; out of time, the top."""
        least = sum(self.lattice.bottom)
        for height in range(least, sum(self.lattice.heights)):
            progress((height - least) / self.lattice.span, f"height {height}")
            found = self._best(height)
            if found is not None:
                return found
        return self.verdicts.at(self.lattice.heights)

    def _first(self, height: int) -> Seen | None:
        """Return an admitted node of a height."""
        for node in np.flatnonzero(self.heights == height).tolist():
            seen = self._look(node)
            if seen is not None or self.deadline.passed:
                return seen
        return None

    def _best(self, height: int) -> Seen | None:
        """Return the admitted node of a height with the fewest suppressed rows, then the cheapest."""
        best: tuple[tuple[float, ...], Seen] | None = None
        for node in np.flatnonzero(self.heights == height).tolist():
            if self.deadline.passed:
                break
            seen = self._look(node)
            if seen is not None:
                score = (seen.suppressed, *self.measure.order(seen))
                best = (score, seen) if best is None or score < best[0] else best
        return None if best is None else best[1]

    def _look(self, node: int) -> Seen | None:
        """Return what is seen at a node if it is admitted."""
        self.looked += 1
        seen = self.verdicts.at(self.lattice.at(node))
        return seen if seen.admitted else None
