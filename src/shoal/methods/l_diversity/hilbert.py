"""Classes of neighbours along the Hilbert curve (Ghinita, Karras, Kalnis and Mamoulis 2007)."""

# ruff: noqa: E741 - l is the paper's name

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import ceil
from typing import ClassVar

import numpy as np

from shoal.bounds.hierarchy_losses import FlatLosses
from shoal.core.arrays import AnyInts, Floats, Ints
from shoal.core.loops import fitting
from shoal.core.sorting import order_by
from shoal.costs import CellCost, ClassCost
from shoal.costs.ncp import NCP
from shoal.methods.base import Deadline, Method, Progress
from shoal.methods.general.hilbert_curve import hilbert_order
from shoal.methods.general.peel import unmet
from shoal.methods.general.repair import repair
from shoal.methods.l_diversity.hilbert_runs import cheapest_runs, run_losses, sweep
from shoal.microdata.histogram import Values
from shoal.microdata.partition import Partition
from shoal.problem import Problem, Solution
from shoal.recoding.cells import Groups
from shoal.recoding.range import Range
from shoal.recoding.recode import cells_of

STEP = 2_000_000
"""Rows of runs that are measured between two looks at the clock."""


class Hilbert(Method):
    """A heuristic: no bound on the cost; for k-anonymity alone no partition into runs of the curve is cheaper.

    The curve visits the distinct tuples so that neighbours on it are alike. Classes are cut from this one line.

    - l different sensitive values in a class: sweep the line from one end. A class takes the foremost row of each value
      that is so common among the rows left that it cannot wait, and the foremost of others until it has l. Then no
      value ever fills more than 1/l of what is left, so the sweep never gets stuck. Of rows with one tuple, those of
      its commonest values come first. Classes that follow each other are joined until they have k rows.
    - k rows in a class: the cheapest cut of the line into runs of k to 2k - 1 rows, by dynamic programming, for every
      cost that adds over classes (NCP stands in for the others).

    Where other models refuse a class, it is joined with the one before or after it, until none is refused.
    """

    name: ClassVar[str] = "hilbert"
    title: ClassVar[str] = "along the Hilbert curve"
    guarantee: ClassVar[str | None] = None
    running_time: ClassVar[str] = "O(n log n) for l-diversity, the cost of O(k n) runs for k-anonymity"
    paper: ClassVar[str] = (
        "Ghinita, Karras, Kalnis, Mamoulis: Fast data anonymization with low information loss, VLDB 2007"
    )
    models: ClassVar[str] = "any conjunction that the whole table meets"

    def accepts(self, problem: Problem) -> list[str]:
        """Require that the table as one class meets the models: joining classes ends there."""
        return unmet(problem)

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Lay the rows out, cut the line, join what is refused."""
        progress(0.0, "laying rows along the curve")
        line, spread = line_of(problem), _spread(problem)
        labels = np.empty(problem.rows, dtype=np.int64)
        labels[line] = _runs(problem, line, deadline, progress) if spread is None else _swept(problem, *spread, line)
        late = spread is None and deadline.passed
        partition = problem.publish(Partition(_joined(problem, labels))).partition
        if not problem.models.monotone:  # classes told apart can have equal cells, and together break a model
            partition = repair(problem, partition, deadline=deadline, progress=progress)
        notes = ("time ran out before every run was measured",) if late else ()
        return self.solution(problem, partition, "feasible", notes=notes)


def line_of(problem: Problem) -> Ints:
    """Return the rows in the order of their tuples on the curve, equal ones by all their cells."""
    microdata = problem.microdata
    rank = np.empty(len(microdata.counts), dtype=np.int64)
    rank[hilbert_order(microdata)] = np.arange(len(rank))
    return order_by(microdata.identity, rank[microdata.tuple_of_row])


def _spread(problem: Problem) -> tuple[Values, int] | None:
    """Return the attribute of which a class needs most different values, and how many the sweep can give to each.

    That is as many as asked for, but no more than rows / (count of the commonest value); None where one is enough.
    """
    asked = [model for model in problem.models if model.least_values > 1 and not model.given]
    if not asked:
        return None
    strictest = max(asked, key=lambda model: model.least_values)
    values = problem.values[strictest.attributes]
    most = problem.rows // int(_counts(values).max())
    return (values, min(strictest.least_values, most)) if most > 1 else None


def _swept(problem: Problem, values: Values, l: int, line: Ints) -> Ints:
    """Return the class of each row along the line, as many swept together as have the rows that a class needs."""
    turns = _in_turns(problem.microdata.tuple_of_row[line], values.codes[line])
    classes = np.empty_like(line)
    classes[turns] = fitting(sweep, len(line))(values.codes[line[turns]].astype(np.int64), _counts(values), l)
    return classes // ceil(problem.models.least_rows / l)


def _counts(values: Values) -> Ints:
    """Return how many of the rows at hand have each value; they may be a part of the table."""
    return np.bincount(values.codes, minlength=len(values.totals)).astype(np.int64)


def _in_turns(tuples: Ints, codes: AnyInts) -> Ints:
    """Return the places of a line reordered within each tuple: its commonest values first, so that none is left over.

    >>> _in_turns(np.array([4, 4, 4, 4, 2]), np.array([0, 1, 1, 1, 0])).tolist()
    [1, 2, 0, 3, 4]
    """
    rank = np.cumsum(np.diff(tuples, prepend=tuples[0]) != 0)
    order = order_by(codes, rank)
    begins = np.flatnonzero((np.diff(rank[order], prepend=-1) != 0) | (np.diff(codes[order], prepend=-1) != 0))
    ends = np.append(begins[1:], len(order))
    left = np.repeat(ends, ends - begins) - np.arange(len(order))
    return order[order_by(left.max() - left, rank[order])]


def _joined(problem: Problem, labels: Ints) -> Ints:
    """Return classes that follow each other on the line, joined in pairs until no model refuses one.

    Pairs begin with the first and with the second class in turn: one that is refused finds another soon.
    """
    number, offset = int(labels.max()) + 1, 0
    while number > 1:
        refused = ~problem.models.admits(problem.candidates(np.arange(problem.rows), labels, number))
        if not refused.any():
            return labels
        pair = (np.arange(number) + offset) // 2
        apart = np.bincount(pair, weights=refused)[pair] == 0
        begins = apart | (np.diff(pair, prepend=-1) != 0)
        labels, number, offset = (np.cumsum(begins) - 1)[labels], int(begins.sum()), 1 - offset
    return labels


def _runs(problem: Problem, line: Ints, deadline: Deadline, progress: Progress) -> Ints:
    """Return the run of each row along the line: the cheapest cut into runs of the fewest rows a class may have."""
    k, rows = problem.models.least_rows, len(line)
    best, last = np.full(rows + 1, np.inf), np.zeros(rows + 1, dtype=np.int64)
    best[0], last[rows] = 0, rows  # with fewer than 2k rows there is one run
    for start, losses in _losses(problem, line, deadline):
        progress(start / rows, "measuring runs of the curve")
        fitting(cheapest_runs, losses.size)(best, last, losses, start, k)
    begins = np.zeros(rows, dtype=np.int64)
    end = rows
    while end > 0:
        end -= int(last[end])
        begins[end] = 1
    return np.cumsum(begins) - 1


def _losses(problem: Problem, line: Ints, deadline: Deadline) -> Iterator[tuple[int, Floats]]:
    """Yield what runs of k to 2k - 1 rows cost, some first rows at a time: by length and row; 0 when time is over."""
    k = problem.models.least_rows
    by_hierarchies = isinstance(problem.cost, CellCost) and problem.cells_are_blocks
    measured = _along_hierarchies(problem, line) if by_hierarchies else partial(_by_cells, problem, line)
    step = STEP // (2 * k) + 1
    for first in range(0, len(line) - k + 1, step):
        number = min(step, len(line) - k + 1 - first)
        yield first, np.zeros((k, number)) if deadline.passed else measured(first, number)


def _along_hierarchies(problem: Problem, line: Ints) -> Callable[[int, int], Floats]:
    """Return the way to measure runs whose cells are blocks of hierarchies, for a cost that adds over cells."""
    k = problem.models.least_rows
    codes, hierarchies = np.ascontiguousarray(problem.microdata.codes[line].T), FlatLosses.of(problem)
    loop = fitting(run_losses, problem.rows * k)
    return lambda first, number: loop(codes, hierarchies, first, number, k)


def _by_cells(problem: Problem, line: Ints, first: int, number: int) -> Floats:
    """Measure runs by the cells that they would be published with; instead of centroids, by ranges."""
    k, by_ranges = problem.models.least_rows, not problem.recoding_kind.covers
    usual = isinstance(problem.cost, ClassCost) and not by_ranges
    cost = problem.cost if usual else NCP(problem.cost.weights, problem.cost.k)
    assert isinstance(cost, ClassCost)
    losses = np.zeros((k, number))
    for more in range(k):
        length, there = k + more, min(number, len(line) - first - k - more + 1)
        if there > 0:
            rows = line[first + np.arange(there)[:, None] + np.arange(length)].ravel()
            groups = Groups(rows, np.arange(there + 1) * length)
            cells = cells_of(problem.microdata, Range.name if by_ranges else problem.recoding, groups)
            losses[more, :there] = cost.class_losses(cells, np.full(there, length))
    return losses
