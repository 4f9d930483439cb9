"""Small classes: rows that no other k - 1 rows equal must pay (Liang and Yuan 2013, Theorem 10, its proof repaired)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.bounds.base import Bound
from shoal.core.arrays import Ints
from shoal.problem import Problem


class SmallClasses(Bound):
    """Holds for stars and starred rows, for every model that admits no class below k rows.

    Let A be the number of rows whose quasi-identifiers fewer than k rows share. In every release each of them loses
    at least one cell: `optimum >= A`. If any row must pay, the class it pays in has k rows that pay: `optimum >= k`.
    If moreover the larger classes cannot spare k - A rows without falling below k, then in each release some larger
    class has all its rows paying: `optimum >= A + (the smallest class of at least k rows)`. The last two need every
    row published; where rows may be dropped only the first holds.
    """

    name: ClassVar[str] = "small-classes"
    title: ClassVar[str] = "small classes"
    meaning: ClassVar[str] = "rows in classes smaller than k lose at least one cell each"

    def accepts(self, problem: Problem) -> list[str]:
        """Require suppression, counted in stars or in starred rows."""
        return [] if problem.counts_stars else ["it counts suppressed cells or rows only"]

    def of(self, problem: Problem) -> float:
        """Return the largest of the three bounds that apply."""
        sizes, k = np.sort(problem.microdata.counts), problem.bounding.least_rows
        small = int(sizes[sizes < k].sum())
        if small == 0 or problem.may_drop:
            return float(small)
        return float(max(small, k, _third(sizes, k, small)))


def _third(sizes: Ints, k: int, small: int) -> int:
    """Return A + |C_{L+1}| where the large classes cannot lend enough rows (Case 3), else 0."""
    large = sizes[sizes >= k]
    cannot_lend = small < k and small + int((large - k).sum()) < k
    return small + int(large[0]) if cannot_lend and len(large) else 0
