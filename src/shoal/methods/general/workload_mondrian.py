"""Workload-aware Mondrian (LeFevre, DeWitt and Ramakrishnan 2006): cuts that tell most about target columns."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import ClassVar

import numpy as np

from shoal.core.arrays import AnyInts, Floats, Ints
from shoal.methods.base import Deadline, Progress
from shoal.methods.general.cuts import Cuts, Open
from shoal.methods.general.mondrian import Admitted, Mondrian, Rule
from shoal.microdata.partition import Partition
from shoal.problem import Problem
from shoal.tables.encoded_column import Coded

DIGITS = 9
"""Gains are compared in so many decimal places."""


class WorkloadMondrian(Mondrian):
    """A heuristic: as Mondrian, but a class is cut where the cut tells most about the target columns.

    The targets are the columns that are published as they are: what releases are mostly analysed for is how these
    depend on the quasi-identifiers. Where there is none, the sensitive columns are. Of all allowed cuts of a class, at
    up to seven places of each attribute, the one is taken that lowers most

        sum over targets of rows * impurity of the target in the class,

    as a share of the table's. The impurity of numbers is their variance, as for regression; that of other targets the
    entropy, as for classification. Where no cut lowers it, the widest attribute is cut at the place nearest to the
    median, as Mondrian does.
    """

    name: ClassVar[str] = "workload-mondrian"
    title: ClassVar[str] = "workload-aware Mondrian"
    running_time: ClassVar[str] = "as Mondrian, seven times for each attribute"
    paper: ClassVar[str] = "LeFevre, DeWitt, Ramakrishnan: Workload-aware anonymization, KDD 2006"
    always_finishes: ClassVar[bool] = False
    shares: ClassVar[tuple[Fraction, ...]] = tuple(Fraction(eighths, 8) for eighths in (4, 3, 5, 2, 6, 1, 7))

    def accepts(self, problem: Problem) -> list[str]:
        """Require a target, and what Mondrian does."""
        if targets(problem):
            return super().accepts(problem)
        return ["there is no target: no column is published as it is, and none is sensitive"]

    def _classes(self, problem: Problem, deadline: Deadline, progress: Progress) -> tuple[Partition, bool]:
        return self.cut(problem, Informed(problem, targets(problem)), deadline, progress)

    def _cut_once(self, cuts: Cuts, classes: Open, widths: Floats, rule: Rule) -> Ints:
        """Cut every class where it gains most; return each row's part, -1 in one left whole."""
        assert isinstance(rule, Informed)
        part = np.full(len(classes.rows), -1, dtype=np.int64)
        tried = list(product(range(widths.shape[1]), self.shares))
        wide = np.column_stack([widths[:, axis] for axis, _ in tried])
        every = np.empty((len(tried), len(classes.rows)), dtype=np.int8)
        gains = np.empty_like(wide)
        for place, (axis, share) in enumerate(tried):
            every[place] = cuts.parts(classes, np.full(classes.number, axis), share)
            gains[:, place] = rule.gains(classes, every[place])
        turns = np.lexsort((-wide, -gains), axis=1)
        waiting = np.bincount(classes.class_of_row, minlength=classes.number) >= 2 * rule.least_rows
        for turn in turns.T:
            here = waiting & (wide[np.arange(len(turn)), turn] > 0)
            if here.any():
                some = classes.only(here)
                where = np.flatnonzero(here[classes.class_of_row])
                parts = every[turn[classes.class_of_row[where]], where].astype(np.int64)
                allowed = rule.allows(some, parts, np.flatnonzero(here))
                taken = allowed[some.class_of_row]
                part[where[taken]] = parts[taken]
                waiting[np.flatnonzero(here)[allowed]] = False
        return part


@dataclass(frozen=True, eq=False)
class Informed(Admitted):
    """A class may be cut if every part is admitted; a cut gains what its parts tell about the targets."""

    targets: list[Coded]

    def gains(self, classes: Open, parts: AnyInts) -> Floats:
        """Return by how much cutting each class in two lowers the impurity, as a share of the table's, rounded."""
        halves = 2 * classes.class_of_row + parts
        gains = np.zeros(classes.number)
        for target in self.targets:
            whole = np.zeros(len(target.codes), dtype=np.int64)
            most = _impurities(target, np.arange(len(whole)), whole, 1)[0]
            if most > 0:
                before = _impurities(target, classes.rows, classes.class_of_row, classes.number)
                after = _impurities(target, classes.rows, halves, 2 * classes.number).reshape(-1, 2).sum(axis=1)
                gains += (before - after) / most
        return np.round(gains, DIGITS)


def targets(problem: Problem) -> list[Coded]:
    """Return the columns that cuts shall tell about: those published as they are, else the sensitive ones."""
    microdata = problem.microdata
    return [microdata.table.coded(name) for name in microdata.roles.other] or list(microdata.sensitive)


def _impurities(target: Coded, rows: Ints, labels: Ints, number: int) -> Floats:
    """Return rows * impurity for each class: the squared deviations of numbers, in bits for others."""
    codes = target.codes[rows]
    if target.values.dtype.is_numeric():
        known = ~np.isnan(target.positions)[codes]
        values, of = target.positions[codes[known]], labels[known]
        sizes, sums = np.bincount(of, minlength=number), np.bincount(of, values, number)
        means = np.divide(sums, sizes, out=np.zeros(number), where=sizes > 0)
        deviations: Floats = np.bincount(of, (values - means[of]) ** 2, number).astype(np.float64)
        return deviations
    pairs, counts = np.unique(labels * target.size + codes, return_counts=True)
    sizes = np.bincount(labels, minlength=number)
    of = pairs // target.size
    bits: Floats = np.bincount(of, -counts * np.log2(counts / sizes[of]), number).astype(np.float64)
    return bits
