"""Strict median cuts of large tables by the compiled loop: the same classes as `mondrian` finds with arrays."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from shoal.core.arrays import AnyInts, Ints
from shoal.methods.base import Deadline, Progress
from shoal.methods.general.cuts import MedianCuts
from shoal.methods.general.median_kernel import DISTINCT, SHARE, Axes, Rows, cut_level
from shoal.microdata.partition import Partition
from shoal.models import Model, Rule
from shoal.problem import Problem

COMPILED_FROM = 50_000
"""Rows from which the compiled loop is worth importing."""
LARGEST = 2**20
"""Parameters beyond this could overflow in the loop."""


def checks_of(problem: Problem) -> Ints | None:
    """Return what each half must meet besides its rows, as the compiled loop reads it; None where it cannot."""
    lines = [_line(model, problem) for model in problem.models if model.rule is not Rule.ROWS]
    known = [line for line in lines if line is not None and max(line) < LARGEST]
    return np.array(known, np.int64).reshape(-1, 4) if len(known) == len(lines) else None


def _line(model: Model, problem: Problem) -> tuple[int, int, int, int] | None:
    """Return a model as (kind, attribute, number, other); None for one that the loop does not know."""
    if model.given or model.rule not in (Rule.VALUES, Rule.SHARE):
        return None
    place, number = list(problem.values).index(model.attributes), model.rule_numbers[0]
    if model.rule is Rule.VALUES:
        return DISTINCT, place, int(number), 0
    return SHARE, place, number.numerator, number.denominator


def cut_by_levels(
    problem: Problem,
    cuts: MedianCuts,
    checks: Ints,
    shares: Sequence[Fraction],
    deadline: Deadline,
    progress: Progress,
) -> tuple[Partition, bool]:
    """Return the classes that no cut is allowed in any more, and whether there was time for all of them."""
    weights = np.array([problem.cost.weight(column.name) for column in problem.microdata.quasi])
    alike = np.array([place is None or cuts.suppresses for place in cuts.places])
    places = np.zeros((len(cuts.places), int(cuts.sizes.max())))
    for axis, place in enumerate(cuts.places):
        if place is not None:
            places[axis, : len(place)] = place
    axes = Axes(places, cuts.sizes, weights, alike, not cuts.suppresses)
    table, number = _packed(problem, cuts), len(cuts.places)
    rows = Rows(table.view(np.int64), table[:, :number], table[:, number : number + len(problem.values)])
    parts = np.array([[share.numerator, share.denominator] for share in shares])
    least, starts = problem.models.least_rows, np.zeros(problem.rows, dtype=np.bool_)
    begins, ends = np.zeros(1, dtype=np.int64), np.array([problem.rows])
    starts[0] = True
    while len(begins) and not deadline.passed:
        progress(1 - int((ends - begins).sum()) / problem.rows, "cutting classes")
        begins, ends = cut_level(rows, begins, ends, axes, least, parts, checks)
        starts[begins] = True
    edges = np.append(np.flatnonzero(starts), problem.rows)
    return Partition.in_order(_numbers(table).copy(), edges), len(begins) == 0


def _packed(problem: Problem, cuts: MedianCuts) -> AnyInts:
    """Return row by row what the loop needs, side by side: the codes, the sensitive values, and the row's number.

    Numbers are as short as all codes allow, so that more rows come with one look into memory; a row is some whole
    words, so that it is moved at once.
    """
    secrets = [values.codes for values in problem.values.values()]
    most = max(*cuts.sizes.tolist(), 1, *(len(values.totals) for values in problem.values.values()))
    kind = np.dtype(np.uint8 if most <= 2**8 else np.uint16 if most <= 2**16 else np.int32)
    words = -(-(len(cuts.places) + len(secrets) + 8 // kind.itemsize) * kind.itemsize // 8)
    table = np.zeros((problem.rows, words * 8 // kind.itemsize), dtype=kind)
    for place, codes in enumerate((*cuts.along(), *secrets)):
        table[:, place] = codes
    _numbers(table)[:] = np.arange(problem.rows)
    return table


def _numbers(table: AnyInts) -> Ints:
    """Return the numbers of the rows: the last word of each."""
    return table.view(np.int64)[:, -1]
