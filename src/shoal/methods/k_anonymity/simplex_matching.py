"""Simplex matching: optimal 2-anonymity by prices, then moves or a mixed-integer program over pairs and triples."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from shoal.bounds.base import in_measure, is_provable
from shoal.bounds.hierarchy_losses import distance_refusals
from shoal.methods.base import Deadline, Method, Progress, silent
from shoal.methods.general.dropped_rows import rows_to_keep
from shoal.methods.k_anonymity.blocks import blocks_of
from shoal.methods.k_anonymity.simplex import Matching, Points, match
from shoal.methods.k_anonymity.simplex.matching import MOST_SETS, SCALE, FoundBy
from shoal.microdata.partition import DROPPED, Partition
from shoal.microdata.prices import Prices
from shoal.problem import Problem, Solution

MOST_TYPES = 3_000
"""Distinct rows up to which all rows are matched at once."""
BLOCK = 300
"""Rows of a block of a larger table."""
PROVED: dict[FoundBy, str] = {
    "pairs": "at the least cost: prices prove it, in polynomial time",
    "moves": "at the least cost: no move makes the matching cheaper, in polynomial time",
    "program": "at the least cost: a mixed-integer program was solved to the end",
}
"""What a release says of how it was found."""


class SimplexMatching(Method):
    """Guarantees `cost = optimum` for 2-anonymity if solved to the end: status `optimal`; else a lower bound.

    By suppression or hierarchies, with weights and dropped rows.

    A class of four rows or more can be cut into pairs and triples, and no row then pays more; so the best release is a
    perfect matching of the rows by pairs and triples. See `shoal.methods.k_anonymity.simplex` for how it is found. For
    every cost that adds over cells and by which a block of a hierarchy never costs less than one inside it.

    The problem can be solved in polynomial time (Anshelevich and Karagiozova; Blocki and Williams for 2-anonymity). A
    linear program gives prices, and a matching by pairs. Where the prices do not prove it, and leave few triples to a
    better one, moves in polynomial time find the least matching; else a mixed-integer program over what they leave
    does, exponential at worst and quicker than many moves. The notes of a release say which of the three ran. Tables of
    more than 3,000 distinct rows are matched block by block, each at its own least cost.
    """

    name: ClassVar[str] = "simplex-matching"
    title: ClassVar[str] = "simplex matching"
    guarantee: ClassVar[str | None] = "cost = optimum"
    condition: ClassVar[str] = (
        f"if solved to the end in time, up to {MOST_TYPES:,} distinct rows and {MOST_SETS:,} pairs and triples, "
        "for a cost in whole units"
    )
    running_time: ClassVar[str] = (
        "seconds for hundreds of distinct rows, minutes for two thousand; more of them in blocks"
    )
    paper: ClassVar[str] = "Anshelevich, Karagiozova: Terminal backup, 3D matching, and covering cubic graphs, 2011"
    models: ClassVar[str] = "2-anonymity alone"
    about_stars: ClassVar[bool] = True
    drops_rows: ClassVar[bool] = True

    def accepts(self, problem: Problem) -> list[str]:
        """Require k = 2 alone, and a cost that rises along hierarchies."""
        if not problem.models.count_rows_alone or problem.models.least_rows != 2:
            return [f"{problem.models} is not 2-anonymity"]
        return distance_refusals(problem)

    def points(self, problem: Problem) -> Points:
        """Return what is matched."""
        return Points.of(problem)

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Match the rows, and publish each pair and triple as a class; a large table in blocks."""
        if len(problem.microdata.counts) > MOST_TYPES:
            return self._in_blocks(problem, seed, deadline, progress)
        kept = rows_to_keep(problem)
        progress(0.0, "matching pairs and triples")
        points = self.points(problem)
        of_kept = np.bincount(points.type_of_row[kept], minlength=len(points))
        matching = match(points, deadline, dropped=points.counts - of_kept)
        partition = _partition(problem, points, matching)
        found = self.solution(problem, partition, "optimal" if matching.optimal and points.units.exact else "feasible")
        bound = in_measure(problem, Fraction(matching.bound, points.units.denominator))
        bound = found.cost if found.status == "optimal" else bound
        proved = PROVED[matching.found_by] if found.status == "optimal" else "not proved the best"
        notes = [f"matched {len(points):,} distinct rows, {proved}"]
        if partition.dropped:
            notes.append(f"{partition.dropped:,} rows dropped: with them the release would cost more, or there is none")
        return replace(found, lower_bound=bound, prices=_prices(problem, points, matching), notes=tuple(notes))

    def _in_blocks(self, problem: Problem, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Match each block of near rows by itself, once time is over in their order; nothing is proved of all rows."""
        labels, blocks = np.empty(problem.rows, dtype=np.int64), blocks_of(problem, BLOCK)
        proved = first = 0
        for number, rows in enumerate(blocks):
            progress(number / len(blocks), "matching pairs and triples")
            if deadline.passed:
                labels[rows] = first + np.minimum(np.arange(len(rows)), len(rows) // 2 * 2 - 1) // 2
                first += len(rows) // 2
                continue
            found = self.solve(problem.of_rows(rows), seed=seed, deadline=deadline, progress=silent)
            labels[rows] = first + found.partition.class_of_row
            first += len(found.partition)
            proved += found.status == "optimal"
        notes = (f"{len(blocks):,} blocks of at most {BLOCK:,} rows, {proved:,} of them matched at the least cost",)
        return self.solution(problem, Partition.of(labels), "feasible", notes=notes)


def _partition(problem: Problem, points: Points, matching: Matching) -> Partition:
    """Give the rows of each type, in an order of their contents, to the sets that hold it."""
    sets = np.repeat(matching.sets, matching.copies, axis=0)
    labels = np.where(sets[:, 1] < 0, DROPPED, np.arange(len(sets)))
    types, labels = sets.ravel(), np.repeat(labels, 3)
    labels, types = labels[types >= 0], types[types >= 0]
    of_row = np.empty(problem.rows, dtype=np.int64)
    of_row[np.lexsort((problem.microdata.identity, points.type_of_row))] = labels[np.argsort(types, kind="stable")]
    return Partition.of(of_row)


def _prices(problem: Problem, points: Points, matching: Matching) -> Prices | None:
    """Return the prices of the rows, which no class undercuts, as a proof; None where it could not be checked."""
    if not is_provable(problem):
        return None
    denominator = points.units.denominator * SCALE
    exact = Fraction(int(matching.prices @ points.counts), denominator)
    return Prices(matching.prices[points.type_of_row], denominator, in_measure(problem, exact))
