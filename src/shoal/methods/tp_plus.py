"""TP+: the three phases, and the residue cut up by other methods (Xiao, Yi and Tao 2010, section 6)."""

# ruff: noqa: E741 - l is the paper's name

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.arrays import Bools, Ints
from shoal.cube.loops import fitting
from shoal.cube.returning import give_back
from shoal.methods.base import Deadline, Method, Progress, silent
from shoal.methods.hilbert import Hilbert
from shoal.methods.mondrian import Mondrian
from shoal.methods.moves import improved
from shoal.methods.peel import Peel, takes_minutes
from shoal.methods.tp import TP, Split, concluded, diversity_of, three_phases
from shoal.microdata import distinct_rows
from shoal.partition import Partition
from shoal.problem import Problem, Solution
from shoal.sorting import order_by

WHOLE_UP_TO = 250_000
"""Rows up to which the whole table is peeled and searched as well: beyond, that takes several times all the rest."""


class TPPlus(TP):
    """Guarantees what TP does, `starred rows <= l * optimum` and `stars <= l m * optimum`, at no higher cost.

    `cost <= cost of tp` and `cost <= cost of hilbert`, for every cost.

    TP decides which rows are altered: about as few as can be. It publishes them as one class, mostly of stars only.
    Here this class is a table of its own, solved by `hilbert`, `mondrian` and, where the lattice of patterns is not
    too large, `peel`; then rows go back to the unaltered class they came from if both classes can do with that. The
    cheapest of all, and of `hilbert` on the whole table, is kept. Up to 250,000 rows `peel` tries the whole table as
    well, and the rows of the cheapest release move to cheaper classes, one by one.
    """

    name: ClassVar[str] = "tp-plus"
    title: ClassVar[str] = "three phases, the residue refined"
    cost: ClassVar[str] = "that of tp, hilbert, mondrian and peel"

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Run the phases, cut the residue up in several ways, keep the cheapest."""
        progress(0.0, "three phases (compiled at the first use)")
        split = self.split(problem, deadline)
        ways = {"not at all": Partition(split.labels)}
        rows = _residue(problem, split)
        part = problem.of_rows(rows) if split.rows else problem
        for way in _refiners(problem, split):
            if not deadline.passed:
                progress(len(ways) / 5, f"the residue, by {way.name}")
                found = way.solve(part, seed=seed, deadline=deadline, progress=silent)
                ways[f"by {way.name}"] = _refined(problem, split, rows, found.partition)
        for way in (Hilbert(), *_of_all(problem)):
            if not deadline.passed:
                progress(0.6, f"the whole table, by {way.name}")
                whole = way.solve(problem, seed=seed, deadline=deadline, progress=silent)
                ways[f"with all rows by {way.name}"] = whole.partition
        costs = {how: problem.cost_of(partition) for how, partition in ways.items()}
        best = min(costs, key=lambda how: costs[how])
        if costs[best] and _of_all(problem) and not deadline.passed:
            progress(0.8, "local search")
            better = improved(problem, ways[best], deadline)
            costs[f"{best}, then row by row"] = problem.cost_of(better)
            ways[f"{best}, then row by row"] = better
            best = min(costs, key=lambda how: costs[how])
        return concluded(self, problem, split, ways[best], costs[best], f"the residue was refined {best}")

    def split(self, problem: Problem, deadline: Deadline) -> Split:
        """Return which rows are altered."""
        return three_phases(problem, deadline)


def _refiners(problem: Problem, split: Split) -> list[Method]:
    """Return the methods that cut the residue up."""
    return [Hilbert(), Mondrian(), *_peelers(problem, split.rows)] if split.rows else []


def _peelers(problem: Problem, rows: int) -> list[Method]:
    """Return `peel` where the lattice of patterns is not too large for so many rows, and nothing else."""
    return [] if Peel().accepts(problem) or takes_minutes(problem, rows) else [Peel()]


def _residue(problem: Problem, split: Split) -> Ints:
    """Return the altered rows by their contents."""
    rows = np.flatnonzero(split.labels == split.labels.max())
    return rows[order_by(problem.microdata.identity[rows])]


def _of_all(problem: Problem) -> list[Method]:
    """Return `peel` where the whole table is not too large for it, nor for a search row by row."""
    return _peelers(problem, problem.rows) if problem.rows <= WHOLE_UP_TO else []


def _refined(problem: Problem, split: Split, rows: Ints, residue: Partition) -> Partition:
    """Return the classes of TP, the residue as a method cut it, and the rows that may go home there."""
    labels = split.labels.copy()
    labels[rows] += residue.class_of_row
    goes = _may_go_home(problem, rows, residue)
    tuples, home = problem.microdata.tuple_of_row, np.full(len(problem.microdata.counts), labels.max())
    np.minimum.at(home, tuples, split.labels)  # R is the last label
    labels[rows[goes]] = home[tuples[rows[goes]]]
    return Partition.of(labels)


def _may_go_home(problem: Problem, rows: Ints, partition: Partition) -> Bools:
    """Return which altered rows may go back to the class of their tuple, both classes staying l-eligible."""
    attributes, l = diversity_of(problem)
    tuples, values = problem.microdata.tuple_of_row, problem.values[attributes]
    pair, first, _ = distinct_rows([tuples, values.codes], [len(problem.microdata.counts), len(values.totals)])
    unaltered = np.ones(problem.rows, dtype=np.bool_)
    unaltered[rows] = False
    stay = np.bincount(pair[unaltered], minlength=len(first))
    sizes = np.bincount(tuples[unaltered], minlength=len(problem.microdata.counts))
    tall = np.zeros_like(sizes)
    np.maximum.at(tall, tuples[first], stay)
    histogram = problem.candidates(rows, partition.class_of_row, len(partition)).histogram(attributes)
    spare = partition.sizes - l * np.maximum.reduceat(histogram.counts, histogram.starts[:-1])
    goes: Bools = fitting(give_back, len(rows))(
        tuples[rows], partition.class_of_row, pair[rows], stay, sizes, tall, spare, l
    )
    return goes
