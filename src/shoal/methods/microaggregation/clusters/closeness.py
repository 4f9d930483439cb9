"""How close the sensitive values of small classes are to those of the table, on a line, class after class."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np

from shoal.core.arrays import Floats, Ints
from shoal.core.interruptible import Ending, watched
from shoal.methods.microaggregation.clusters.swapping import swap
from shoal.microdata.histogram import Values
from shoal.models import Model
from shoal.models.base import DOUBT
from shoal.models.emd import Line
from shoal.problem import Problem

WATCHED_FROM = 20_000_000
"""Values compared in exchanging the rows of a class from which a deadline is looked at meanwhile."""


@dataclass(frozen=True, eq=False)
class Closeness:
    """The Earth Mover's Distance of a class to the table along a line, in floating point, from sums made once.

    Whether a class is within t is decided in fractions where it is near t.
    """

    values: Values
    line: Line
    limit: Fraction
    """The parameter t."""
    codes: Ints
    """The sensitive value of each row."""
    table: Floats
    """The share of the table up to each value but the last."""
    width: Floats
    """Where each value lies."""
    area: Floats
    """The integral of `table` up to each value."""

    @classmethod
    def of(cls, problem: Problem, model: Model, order: Ints) -> Self:
        """Bind to the attribute of a model whose distance is that of a line, for rows in some order."""
        values = problem.values[model.attributes]
        line = line_of(values, model)
        gaps = np.array([float(gap) for gap in line.gaps])
        table = np.cumsum(values.totals)[:-1] / values.totals.sum()
        rising = np.concatenate([[0.0], np.cumsum(gaps)])
        area = np.concatenate([[0.0], np.cumsum(gaps * table)])
        return cls(values, line, model.limit, values.codes[order].astype(np.int64), table, rising, area)

    def distance(self, members: Ints) -> float:
        """Return the distance of a class."""
        counts = np.bincount(self.codes[members], minlength=len(self.width))
        ahead = np.abs(np.cumsum(counts)[:-1] / len(members) - self.table)
        return float(ahead @ np.diff(self.width) / self.width[-1]) if len(self.table) else 0.0

    def within(self, members: Ints) -> bool:
        """Decide whether a class is within the limit."""
        beyond = self.distance(members) - float(self.limit)
        if abs(beyond) > DOUBT:
            return beyond < 0
        counts = Counter(self.codes[members].tolist())
        return self.line.one(counts, self.values.totals) <= self.limit

    def swapped(self, members: Ints, candidates: Ints, deadline: Ending) -> Ints:
        """Return a class with members exchanged for candidates, in their order, until it is within the limit.

        Each candidate takes the place of the member whose exchange brings the class closest to the table, if that is
        closer than the class is. A class that is beyond the limit by less than floating point tells is exchanged on.
        """
        limit = float(self.limit)
        kept = self._exchanged(members, candidates, limit, deadline)
        if self.within(kept) or self.distance(kept) > limit + DOUBT:
            return kept
        others = candidates[~np.isin(candidates, kept)]
        return self._exchanged(kept, others, limit - 2 * DOUBT, deadline)

    def _exchanged(self, members: Ints, candidates: Ints, limit: float, deadline: Ending) -> Ints:
        """Run the loop, in a thread that a deadline ends where there is much to compare."""
        arguments = self.codes, self.table, self.width, self.area, members, candidates, limit
        long = len(members) ** 2 * len(candidates) > WATCHED_FROM
        kept: Ints = watched(swap, *arguments, deadline=deadline) if long else swap(*arguments, np.zeros(1, np.bool_))
        return kept


def line_of(values: Values, model: Model) -> Line:
    """Return the distance of a model as that of a line."""
    ground = model.ground(values)
    assert isinstance(ground, Line)
    return ground
