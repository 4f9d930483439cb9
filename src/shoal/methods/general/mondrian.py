"""Mondrian multidimensional partitioning (LeFevre, DeWitt and Ramakrishnan 2006), for every monotone model.

All classes that can still be cut are cut in the same pass, with arrays: the recursion of the paper is turned into
levels, so a pass costs a few sorts of the rows in open classes, whatever their number.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import ClassVar, Protocol

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.sorting import distinct_rows, order_by
from shoal.methods.base import Deadline, Method, Progress
from shoal.methods.general.cuts import MIDDLE, Cuts, HierarchyCuts, MedianCuts, Open
from shoal.methods.general.median_levels import COMPILED_FROM, checks_of, cut_by_levels
from shoal.methods.general.repair import repair
from shoal.microdata.partition import Partition
from shoal.problem import Problem, Solution


class Mondrian(Method):
    """A heuristic: valid classes of few rows; no bound on the cost in general.

    Cut every class in two at the median of the attribute in which its rows are spread widest, as long as both halves
    meet the models; try the attributes in turn; stop where no cut is allowed. Under k-anonymity alone no class of a
    strict run can be cut further, so it has at most 2 d (k - 1) + c rows (d attributes, c copies of one tuple).
    With generalization a cut goes to the children of the lowest common block of the hierarchy; with suppression the
    attribute with the fewest values left in the class goes first, because only a single value is published.
    """

    name: ClassVar[str] = "mondrian"
    title: ClassVar[str] = "Mondrian, strict"
    guarantee: ClassVar[str | None] = None
    running_time: ClassVar[str] = "O(d n log n) for each of about log2(n/k) levels"
    paper: ClassVar[str] = "LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity, ICDE 2006"
    models: ClassVar[str] = "any conjunction that the whole table meets"
    always_finishes: ClassVar[bool] = True
    relaxed: ClassVar[bool] = False
    shares: ClassVar[tuple[Fraction, ...]] = (MIDDLE,)
    """Where a class is tried to be cut, as shares of its rows below the cut."""

    def accepts(self, problem: Problem) -> list[str]:
        """Require that the table as one class meets the models: cutting starts there."""
        return [problem.global_recoding_refusal] if problem.global_recoding_refusal else problem.refused_as_one()

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Cut level by level until no class can be cut or time is over."""
        cut, finished = self._classes(problem, deadline, progress)
        notes = () if finished else ("time ran out before every class was tried",)
        partition = problem.publish(cut).partition
        if len(partition) < len(cut) and not problem.models.monotone:  # equal cells bring classes together
            partition = repair(problem, partition, deadline=deadline, progress=progress)
        return self.solution(problem, partition, "feasible", notes=notes)

    def _classes(self, problem: Problem, deadline: Deadline, progress: Progress) -> tuple[Partition, bool]:
        """Cut as long as every half is admitted: by the compiled loop where it knows how, else with arrays."""
        cuts = self.cuts(problem)
        strict = type(cuts) is MedianCuts and not cuts.relaxed
        if strict and problem.rows >= COMPILED_FROM and problem.counts_rows:  # the loop counts them
            checks = checks_of(problem)
            if checks is not None:
                return cut_by_levels(problem, cuts, checks, self.shares, deadline, progress)
        if problem.models.count_rows_alone and problem.counts_rows and not cuts.relaxed:  # equal rows stay together
            return self._cut_tuples(problem, deadline, progress)
        return self.cut(problem, Admitted(problem), deadline, progress)

    def _cut_tuples(self, problem: Problem, deadline: Deadline, progress: Progress) -> tuple[Partition, bool]:
        """Cut the distinct tuples, each counting for its rows: the same classes, of fewer entries."""
        tuple_of_row, copies = problem.microdata.tuple_of_row, problem.microdata.counts
        first = np.empty(len(copies), dtype=np.int64)
        first[tuple_of_row] = np.arange(problem.rows)
        tuples = Open(first, np.zeros(len(copies), dtype=np.int64), copies)
        partition, finished = self.cut(problem, Large(problem.models.least_rows), deadline, progress, tuples)
        return Partition.of(partition.class_of_row[first][tuple_of_row]), finished

    def cut(
        self, problem: Problem, rule: Rule, deadline: Deadline, progress: Progress, whole: Open | None = None
    ) -> tuple[Partition, bool]:
        """Return the classes that no cut is allowed in any more, and whether there was time for all of them.

        It cuts all rows, or what is given as the `whole`.
        """
        cuts = self.cuts(problem)
        weights = np.array([problem.cost.weight(column.name) for column in problem.microdata.quasi])
        class_of_row = np.zeros(problem.rows, dtype=np.int64)
        classes, closed = whole or Open(np.arange(problem.rows), np.zeros(problem.rows, dtype=np.int64)), 0
        while classes.number and not deadline.passed:
            progress(1 - len(classes.rows) / problem.rows, "cutting classes")
            rule.enter(classes)
            part = self._cut_once(cuts, classes, cuts.widths(classes) * weights, rule)
            done = part < 0
            class_of_row[classes.rows[done]] = closed + classes.class_of_row[done]
            closed += classes.number
            classes = _next(classes, part, ~done)
        class_of_row[classes.rows] = closed + classes.class_of_row
        return Partition.of(class_of_row), classes.number == 0

    def _cut_once(self, cuts: Cuts, classes: Open, widths: Floats, rule: Rule) -> Ints:
        """Cut every class along the widest attribute that allows it; return each row's part, -1 in one left whole."""
        part = np.full(len(classes.rows), -1, dtype=np.int64)
        favourites = np.argsort(-widths, axis=1, kind="stable")
        sizes = classes.sizes(classes.class_of_row, classes.number)
        waiting = sizes >= 2 * rule.least_rows
        for turn, share in product(range(widths.shape[1]), self.shares):
            axis = favourites[:, turn]
            here = waiting & (widths[np.arange(classes.number), axis] > 0)
            if not here.any():
                continue
            tried = classes.only(here)
            parts = cuts.parts(tried, axis[here], share)
            allowed = rule.allows(tried, parts, np.flatnonzero(here))
            where = np.flatnonzero(here[classes.class_of_row])
            taken = allowed[tried.class_of_row]
            part[where[taken]] = parts[taken]
            waiting[np.flatnonzero(here)[allowed]] = False
        return part

    def cuts(self, problem: Problem) -> MedianCuts:
        """Return how the classes of a problem are cut."""
        along = problem.recoding_kind.along_hierarchies
        return HierarchyCuts(problem) if along else MedianCuts(problem, relaxed=self.relaxed)


class RelaxedMondrian(Mondrian):
    """A heuristic: as strict Mondrian, but rows equal to the median may go to either side.

    Halves are then always equal in size, so under k-anonymity alone every class has at most 2k - 1 rows. With
    generalization there is no median, and it is the strict method.
    """

    name: ClassVar[str] = "mondrian-relaxed"
    title: ClassVar[str] = "Mondrian, relaxed"
    relaxed: ClassVar[bool] = True


class Rule(Protocol):
    """Which cuts are allowed."""

    @property
    def least_rows(self) -> int:
        """A number of rows below which no class is admitted."""

    def enter(self, classes: Open) -> None:
        """Take note of the classes that are cut next."""

    def allows(self, classes: Open, parts: Ints, numbers: Ints) -> Bools:
        """Return which classes may be cut so; `numbers` says which they are of those last entered."""


@dataclass(frozen=True, eq=False)
class Admitted:
    """A class may be cut if every part is admitted by every model."""

    problem: Problem

    @property
    def least_rows(self) -> int:
        """A number of rows below which no class is admitted."""
        return self.problem.models.least_rows

    def enter(self, classes: Open) -> None:
        """A class is looked at by itself: there is nothing to take note of."""

    def allows(self, classes: Open, parts: Ints, numbers: Ints) -> Bools:
        """Return which classes fall into several parts, each admitted by every model."""
        label, owner = split(classes, parts)
        admitted = self.problem.deciding.admits(self.problem.candidates(classes.rows, label, len(owner)))
        return all_of(owner, admitted, classes.number)


@dataclass(frozen=True)
class Large:
    """A class may be cut if every part has enough rows."""

    least_rows: int

    def enter(self, classes: Open) -> None:
        """A class is looked at by itself: there is nothing to take note of."""

    def allows(self, classes: Open, parts: Ints, numbers: Ints) -> Bools:
        """Return which classes fall into several parts, each of enough rows."""
        label, owner = split(classes, parts)
        return all_of(owner, classes.sizes(label, len(owner)) >= self.least_rows, classes.number)


def split(classes: Open, parts: Ints) -> tuple[Ints, Ints]:
    """Return the number of each row's part, among those of all classes, and the class of each part."""
    label, first, _ = distinct_rows([classes.class_of_row, parts], [classes.number, int(parts.max()) + 1])
    return label, classes.class_of_row[first]


def all_of(owner: Ints, admitted: Bools, number: int) -> Bools:
    """Return which classes have several parts, all of them admitted."""
    refused = np.bincount(owner, weights=~admitted, minlength=number)
    allowed: Bools = (refused == 0) & (np.bincount(owner, minlength=number) > 1)
    return allowed


def _next(classes: Open, part: Ints, going_on: Bools) -> Open:
    """Return the parts of the classes that were cut, as classes of their own."""
    if not going_on.any():
        return Open(classes.rows[:0], classes.class_of_row[:0])
    rows, owner, part = classes.rows[going_on], classes.class_of_row[going_on], part[going_on]
    label, _, _ = distinct_rows([owner, part], [classes.number, int(part.max()) + 1])
    order = order_by(label)
    copies = None if classes.copies is None else classes.copies[going_on][order]
    return Open(rows[order], label[order], copies)
