"""Residue: what l-diversity forces out of the unaltered classes (Xiao, Yi and Tao 2010).

`phase_one` is the first phase of the method TP, in `methods/l_diversity/tp.py`, which calls it.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import ClassVar

import numpy as np

from shoal.bounds.base import Bound
from shoal.core.arrays import Ints
from shoal.microdata.histogram import Histogram
from shoal.microdata.partition import Partition
from shoal.models import Model, Rule
from shoal.models.base import ratio_at_least
from shoal.problem import Problem


class Residue(Bound):
    """Holds for stars and starred rows where a sensitive value may fill at most 1/l of a class: l and alpha = 1/l.

    Let Q be the rows of one quasi-identifier tuple. Those of them published without a star are one class U, and
    `|U| >= l h(U)`, h the count of the commonest value. `sum_v min(count_v(Q), h(U)) >= |U|`, so h(U) is at most the
    largest h with `sum_v min(count_v(Q), h) >= l h`; what Q has above this h, of every value, is altered: starred or
    dropped. R1 is all of that, so `altered rows >= |R1|`.

    Let v be the commonest value of R1, and x of its rows dropped. The starred rows are classes that each meet l, so
    together they do: there are at least `l (h(R1) - x)` of them. Without dropping `altered rows >= l h(R1)`; if d rows
    may be dropped, x = min(d, h(R1)) is the worst case and `altered rows >= l h(R1) - (l - 1) min(d, h(R1))`.

    An altered row has a star, a dropped one counts as full of them: `stars >= altered rows`. In the reading `a|b` the
    argument goes through for the rows of one tuple and one value of b. Of several such models the best one counts.
    """

    name: ClassVar[str] = "residue"
    title: ClassVar[str] = "residue"
    meaning: ClassVar[str] = "rows above the height at which l-diversity caps their tuple, and l times the commonest"

    def accepts(self, problem: Problem) -> list[str]:
        """Require suppression, counted in stars or in starred rows, and a model that caps the share of one value."""
        reasons = []
        if not problem.counts_stars:
            reasons.append("it counts suppressed cells or rows only")
        if all(diversity(model) is None for model in problem.bounding):
            reasons.append("no model caps the share of one sensitive value")
        return reasons

    def of(self, problem: Problem) -> float:
        """Return the best bound of all these models."""
        asked = [(model, diversity(model)) for model in problem.bounding]
        return float(max(altered_rows(problem, model, least) for model, least in asked if least is not None))


def diversity(model: Model) -> Fraction | None:
    """Return the l of a model that asks `l * (count of the commonest value) <= rows`; None for others."""
    return model.rule_numbers[0] if model.rule is Rule.SHARE else None


def altered_rows(problem: Problem, model: Model, l: Fraction, residue: Ints | None = None) -> int:  # noqa: E741
    """Return how many rows are starred or dropped at least; whoever knows R1, by value, can say so."""

    def found() -> int:
        return least_altered(_residue(problem, model, l) if residue is None else residue, l, problem.may_drop)

    return problem.cached((Residue.name, model), found)


def _residue(problem: Problem, model: Model, l: Fraction) -> Ints:  # noqa: E741 - the paper's name
    """Return how many rows of each value are in R1."""
    tuples = problem.classes(Partition(problem.microdata.tuple_of_row))
    return phase_one(tuples.histogram(model.attributes, model.given), l)[1]


def phase_one(histogram: Histogram, l: Fraction) -> tuple[Ints, Ints]:  # noqa: E741 - the paper's name
    """Return how many rows of each entry l-diversity lets stay, and R1: how many of each value are above."""
    stay = np.minimum(histogram.counts, caps(histogram, l)[histogram.slice_of_entry])
    above = np.bincount(histogram.codes, weights=histogram.counts - stay, minlength=len(histogram.values.totals))
    return stay, above.astype(np.int64)


def least_altered(residue: Ints, l: Fraction, may_drop: int) -> int:  # noqa: E741 - the paper's name
    """Return how many rows are starred or dropped at least, given R1 by value."""
    tallest = int(residue.max())
    return max(int(residue.sum()), ceil(l * tallest - (l - 1) * min(may_drop, tallest)))


def caps(histogram: Histogram, l: Fraction) -> Ints:  # noqa: E741 - the paper's name
    """Return for every slice the largest h, up to its commonest value's count, with `sum min(count, h) >= l h`.

    The mean of min(count, h) / h falls as h rises, so the h that will do are all those up to one: it is found by
    halving, for all slices at once, in integers. A slice of fewer than l values cannot have any but 0.
    """
    widths = np.diff(histogram.starts)
    some = np.flatnonzero(widths >= ceil(l))
    found = np.zeros(len(widths), dtype=np.int64)
    if not len(some):
        return found
    widths = widths[some]
    starts, owner = np.cumsum(widths) - widths, np.repeat(np.arange(len(some)), widths)
    counts = histogram.counts[(histogram.starts[some] - starts)[owner] + np.arange(len(owner))]
    low, high = np.zeros_like(some), np.maximum.reduceat(counts, starts)
    while (low < high).any():
        middle = (low + high + 1) // 2
        enough = ratio_at_least(np.add.reduceat(np.minimum(counts, middle[owner]), starts), middle, l)
        low, high = np.where(enough, middle, low), np.where(enough, high, middle - 1)
    found[some] = low
    return found
