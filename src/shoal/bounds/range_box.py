"""Smallest boxes of ranges: a row pays at least for the smallest box around it that a class could have."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

import numpy as np

from shoal.bounds.base import in_measure
from shoal.bounds.class_gains import ClassSearch
from shoal.bounds.range_bound import RangeBound
from shoal.core.arrays import Ints
from shoal.core.interruptible import Unlimited
from shoal.microdata.prices import Prices
from shoal.models import Rule
from shoal.problem import Problem

SEEN = 20_000
"""Kinds of rows that are looked at for each, at most: those that could make its box smaller."""


class RangeBox(RangeBound):
    """Holds for NCP of ranges and sets, and for every model.

    A row pays for the box of its class, and a class has at least so many rows, and so many different values of
    sensitive columns, as every admitted class has. So the row pays at least what the smallest such box costs that holds
    it. Add over the rows. It is never below the distance within which there are so many rows and values. A search that
    ends early takes the smallest box that may be left. A dropped row pays for a row of stars, which is no less.
    """

    name: ClassVar[str] = "range-box"
    title: ClassVar[str] = "smallest boxes of ranges"
    meaning: ClassVar[str] = "each row pays at least for the smallest box around it with enough rows and enough values"

    def priced(self, problem: Problem) -> Prices:
        """Return what each row pays at least."""
        search = ClassSearch.of(problem)
        return stated(problem, search, search.smallest(SEEN, Unlimited()))


def stated(problem: Problem, search: ClassSearch, of_kind: Ints) -> Prices:
    """Return prices of kinds at which no class gains as prices of rows, less what rounding may have added.

    No row has a higher price than a dropped one pays.
    """
    safe = np.minimum(np.where(of_kind > 0, np.maximum(of_kind - search.safety, 0), of_kind), search.full)
    units = sum((safe * search.kinds.rows).tolist())
    bound = in_measure(problem, Fraction(units, search.full))
    return Prices(safe[search.kind_of_row], search.full, bound, tuple(_remarks(problem)), estimated=True)


def _remarks(problem: Problem) -> Iterator[str]:
    """Say what the bound does not look at."""
    partly = [str(model) for model in problem.bounding if model.attributes and model.rule is not Rule.VALUES]
    if partly:
        knows = "the bound knows only how many rows and different values classes have"
        yield f"of {', '.join(partly)} {knows}: with the rest it could only be higher"
