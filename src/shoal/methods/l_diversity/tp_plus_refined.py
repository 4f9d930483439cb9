"""TP+ refined: the three phases, and the residue cut up by several methods, after TP+ (Xiao, Yi and Tao 2010)."""

# ruff: noqa: E741 - l is the paper's name

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, NamedTuple

import numpy as np

from shoal.core.arrays import Bools, Ints
from shoal.core.loops import fitting
from shoal.methods.base import Deadline, Method, Progress, silent
from shoal.methods.general.mondrian import Mondrian
from shoal.methods.general.moves import improved
from shoal.methods.general.peel import MOST_PEELED, Peel, walked
from shoal.methods.l_diversity.hilbert import Hilbert
from shoal.methods.l_diversity.sorted_peel import fits, sorted_peel
from shoal.methods.l_diversity.tp import TP, Split, concluded, diversity_of, three_phases
from shoal.microdata.histogram import Classes
from shoal.microdata.partition import Partition
from shoal.problem import Problem, Solution

WHOLE_UP_TO = 250_000
"""Rows up to which the whole table is looked at as well, and rows move one by one: beyond, all the rest is quicker."""
SEVERAL_UP_TO = 100_000
"""Rows of the residue up to which several methods cut it up, where it can be peeled by sorting."""


class TPPlusRefined(TP):
    """Guarantees what TP does, `starred rows <= l * optimum` and `stars <= l m * optimum`, at no higher cost.

    `cost <= cost of tp` for every cost, and `cost <= cost of hilbert` up to 250,000 rows if there is time to try it.

    TP decides which rows are altered: about as few as can be. It publishes them as one class, mostly of stars only.
    In `tp-plus`, the TP+ of the paper, this class is a table of its own, solved by `hilbert`. Here it is solved as well
    by `mondrian` and, where the lattice of patterns is not too large, `peel`; with suppression also by sorting it for
    one pattern of stars after the other, and by this alone where more than 100,000 rows are altered. Then rows go back
    to the unaltered class they came from if both classes can do with that. Up to 250,000 rows `hilbert` and `peel` try
    the whole table as well, and the rows of the two cheapest releases move to cheaper classes, one by one. The cheapest
    of all is kept.
    """

    name: ClassVar[str] = "tp-plus-refined"
    title: ClassVar[str] = "three phases, the residue refined"
    running_time: ClassVar[str] = (
        "that of tp, hilbert, mondrian and peel; for large tables that of sorting, 2^m times at worst"
    )

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Run the phases, cut the residue up in several ways, keep the cheapest."""
        progress(0.0, "three phases (compiled at the first use)")
        split = self.split(problem, deadline)
        found = [Refined("not at all", Partition(split.labels), split.cost(problem))]
        for how, partition in _ways(problem, split, seed, deadline, progress):
            found.append(Refined(how, partition, problem.cost_of(partition)))
        cheapest = sorted(found, key=lambda one: one.cost)[:2]
        for one in cheapest if cheapest[0].cost and _of_all(problem) else []:
            if not deadline.passed:
                progress(0.8, "local search")
                moved = improved(problem, one.partition, deadline)
                found.append(Refined(f"{one.how}, then row by row", moved, problem.cost_of(moved)))
        best = min(found, key=lambda one: one.cost)
        return concluded(self, problem, split, best.partition, best.cost, f"the residue was refined {best.how}")

    def split(self, problem: Problem, deadline: Deadline) -> Split:
        """Return which rows are altered."""
        return three_phases(problem, deadline)


class Refined(NamedTuple):
    """Classes, what they cost, and how they were found."""

    how: str
    partition: Partition
    cost: float


def _ways(
    problem: Problem, split: Split, seed: int, deadline: Deadline, progress: Progress
) -> Iterator[tuple[str, Partition]]:
    """Yield what each way is called and the classes that it finds, as long as there is time."""
    attributes, l = diversity_of(problem)
    sortable = split.rows > 0 and fits(problem, split.rows, attributes)
    if sortable and not deadline.passed:
        progress(0.1, "the residue, by patterns of stars")
        peeled = sorted_peel(problem, split.tuples, split.values.codes, l, deadline)
        yield "by patterns of stars", _home(problem, split, peeled)
    several = _refiners(problem, split) if split.rows <= SEVERAL_UP_TO or not sortable else []
    part = problem.of_rows(split.residue) if several else problem
    for way in several:
        if not deadline.passed:
            progress(0.3, f"the residue, by {way.name}")
            found = way.solve(part, seed=seed, deadline=deadline, progress=silent)
            yield f"by {way.name}", _home(problem, split, found.partition)
    for way in [Hilbert(), *_of_all(problem)] if problem.rows <= WHOLE_UP_TO or not sortable else []:
        if not deadline.passed:
            progress(0.6, f"the whole table, by {way.name}")
            whole = way.solve(problem, seed=seed, deadline=deadline, progress=silent)
            yield f"with all rows by {way.name}", whole.partition


def _refiners(problem: Problem, split: Split) -> list[Method]:
    """Return the methods that cut the residue up."""
    return [Hilbert(), Mondrian(), *_peelers(problem, split.rows)] if split.rows else []


def _peelers(problem: Problem, rows: int) -> list[Method]:
    """Return `peel` where the lattice of patterns is not too large for so many rows, and nothing else."""
    return [] if Peel().accepts(problem) or walked(problem, rows) > MOST_PEELED else [Peel()]


def _of_all(problem: Problem) -> list[Method]:
    """Return `peel` where the whole table is not too large for it, nor for a search row by row."""
    return _peelers(problem, problem.rows) if problem.rows <= WHOLE_UP_TO else []


def _home(problem: Problem, split: Split, residue: Partition) -> Partition:
    """Return the classes of TP, the residue as a method cut it, and the rows that may go home there."""
    goes, labels = _may_go_home(problem, split, residue), split.with_residue(residue)
    labels[split.residue[goes]] = split.home[split.tuples[goes]]
    return Partition.of(labels)


def _may_go_home(problem: Problem, split: Split, partition: Partition) -> Bools:
    """Return which altered rows may go back to the class of their tuple, both classes staying l-eligible."""
    attributes, l = diversity_of(problem)
    classes = Classes(partition.class_of_row, len(partition), {attributes: split.values}).histogram(attributes)
    spare = partition.sizes - l * np.maximum.reduceat(classes.counts, classes.starts[:-1])
    tall = np.maximum.reduceat(split.stay, split.histogram.starts[:-1])
    goes: Bools = fitting(give_back, split.rows)(
        split.tuples, partition.class_of_row, split.entries, split.stay.copy(), split.kept.copy(), tall, spare, l
    )
    return goes


def give_back(
    home: Ints, class_of: Ints, pair: Ints, stay: Ints, sizes: Ints, tall: Ints, spare: Ints, l: int
) -> Bools:
    """Return which altered rows may go home, one after the other: both classes stay l-eligible.

    Row i belongs to class `home[i]`, unaltered, of so many rows (`sizes`) and so many of the commonest value (`tall`);
    `stay[pair[i]]` of them have its value. It is in class `class_of[i]`, which can spare `spare[class_of[i]]` rows.
    """
    goes = np.zeros(len(home), np.bool_)
    for i in range(len(home)):
        q, c, p = home[i], class_of[i], pair[i]
        if spare[c] > 0 and sizes[q] + 1 >= l * max(tall[q], stay[p] + 1):
            stay[p] += 1
            sizes[q] += 1
            tall[q] = max(tall[q], stay[p])
            spare[c] -= 1
            goes[i] = True
    return goes
