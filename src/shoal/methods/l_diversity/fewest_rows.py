"""The fewest altered rows under l-diversity, by a mixed-integer program; then as TP+ refined."""

# ruff: noqa: E741 - l is the paper's name

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import ClassVar

import numpy as np

from shoal.bounds.residue import phase_one
from shoal.core.arrays import Floats, Ints
from shoal.core.solver import Constraints, model_of, new_solver, run_solver
from shoal.methods.base import Deadline, Growth
from shoal.methods.l_diversity.tp import Split, diversity_of, promised, three_phases
from shoal.methods.l_diversity.tp_plus_refined import TPPlusRefined
from shoal.microdata.histogram import Histogram
from shoal.problem import Problem

MOST_ENTRIES = 20_000
"""Values of classes beyond which the program is not tried."""


class FewestRows(TPPlusRefined):
    """Guarantees `starred rows = optimum`, so `stars <= m * optimum`, if the program is solved to the end; else as TP.

    Of every tuple some rows stay as one unaltered class, all others are the residue; both must be l-diverse.

        maximize sum y_iv                      y_iv rows of tuple i and value v stay, no more than after phase one
        y_iv <= c_i,  sum_v y_iv >= l c_i      what stays is l-diverse
        R_v <= h,     sum_v R_v >= l h         so is the residue, R_v = rows of value v - sum_i y_iv

    Where TP alters as few rows as its bound allows, which is the rule for large tables, there is nothing to solve. The
    residue is refined as in `tp-plus-refined`.
    """

    name: ClassVar[str] = "fewest-rows"
    title: ClassVar[str] = "the fewest altered rows, the residue refined"
    guarantee: ClassVar[str | None] = "starred rows = optimum; stars <= m * optimum (m quasi-identifiers)"
    condition: ClassVar[str] = (
        f"if its program (up to {MOST_ENTRIES:,} entries) is solved to the end in time, by suppression, "
        "where no row may be dropped (else as tp)"
    )
    running_time: ClassVar[str] = "that of tp-plus-refined, and of a mixed-integer program: exponential at worst"
    growth: ClassVar[Growth] = "exponential"
    paper: ClassVar[str] = "after Xiao, Yi, Tao: The hardness and approximation algorithms for l-diversity, EDBT 2010"

    def promise(self, problem: Problem) -> str | None:
        """Return what holds of the problem's cost if the program is solved to the end."""
        return promised(problem, 1)

    def split(self, problem: Problem, deadline: Deadline) -> Split:
        """Return which rows are altered: those of TP if no fewer can be, else those of the program."""
        found = three_phases(problem, deadline)
        l, histogram = diversity_of(problem)[1], found.histogram
        if found.rows == found.bound or len(histogram.codes) > MOST_ENTRIES or deadline.passed:
            return found
        stay, bound = _most_unaltered(histogram, phase_one(histogram, Fraction(l))[0], l, deadline)
        bound = max(bound, found.bound)
        if stay is None or problem.rows - stay.sum() > found.rows:
            return replace(found, bound=min(bound, found.rows))
        return Split(found.order, histogram, stay, found.phase, min(bound, problem.rows - int(stay.sum())))


def _most_unaltered(histogram: Histogram, most: Ints, l: int, deadline: Deadline) -> tuple[Ints | None, int]:
    """Return how many rows of each entry stay so that the fewest are altered, and a bound on how many these are."""
    solver = new_solver(seconds=deadline.left)
    solver.passModel(_model(histogram, most, l))
    found, optimal = run_solver(solver, deadline)
    info, total = solver.getInfo(), int(histogram.counts.sum())
    if not found:
        return None, 0
    bound = total + ceil(info.mip_dual_bound - 1e-6) if np.isfinite(info.mip_dual_bound) else 0
    if optimal:
        bound = total + round(info.objective_function_value)
    stay = np.rint(np.array(solver.getSolution().col_value)[: len(most)]).astype(np.int64)
    return (stay if _is_diverse(histogram, stay, l) else None), bound


def _model(histogram: Histogram, most: Ints, l: int) -> object:
    """Return the program of the class docstring, its columns y, then c, then h."""
    inf, rows = np.inf, Constraints()
    entries, classes, values = len(most), len(histogram.sizes), len(histogram.values.totals)
    y, owner, c, h = np.arange(entries), histogram.slice_of_entry, entries + np.arange(classes), entries + classes
    first = rows.add(entries, -inf, 0.0)
    rows.put(first + y, y, 1.0)
    rows.put(first + y, c[owner], -1.0)
    first = rows.add(classes, 0.0, inf)
    rows.put(first + owner, y, 1.0)
    rows.put(first + np.arange(classes), c, -float(l))
    totals: Floats = histogram.values.totals.astype(np.float64)
    first = rows.add(values, totals, inf)
    rows.put(first + histogram.codes, y, 1.0)
    rows.put(first + np.arange(values), np.full(values, h), 1.0)
    first = rows.add(1, -inf, float(totals.sum()))
    rows.put(np.full(entries, first), y, 1.0)
    rows.put(np.array([first]), np.array([h]), float(l))
    cost = np.concatenate([np.full(entries, -1.0), np.zeros(classes + 1)])
    upper = np.concatenate([most.astype(np.float64), np.full(classes + 1, inf)])
    return model_of(rows, cost, upper, np.arange(len(cost)) < entries)


def _is_diverse(histogram: Histogram, stay: Ints, l: int) -> bool:
    """Whether what stays of every tuple, and all that does not stay, is l-diverse: decided in integers."""
    kept = np.add.reduceat(stay, histogram.starts[:-1])
    tall = np.maximum.reduceat(stay, histogram.starts[:-1])
    residue = np.bincount(histogram.codes, weights=histogram.counts - stay).astype(np.int64)
    inside = bool(((stay >= 0) & (stay <= histogram.counts)).all())
    return inside and bool((kept >= l * tall).all()) and int(residue.sum()) >= l * int(residue.max())
