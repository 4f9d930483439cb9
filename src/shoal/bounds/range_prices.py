"""Prices on rows for ranges and sets: rows compete for company, and a linear program shares out what classes cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from shoal.bounds.class_gains import ClassSearch
from shoal.bounds.range_bound import RangeBound
from shoal.bounds.range_box import SEEN, stated
from shoal.bounds.range_neighbour import RangeNeighbour
from shoal.core.arrays import AnyInts, Bools, Floats, Ints
from shoal.core.interruptible import Ending, Unlimited
from shoal.core.solver import Constraints, model_of, new_solver, run_solver
from shoal.microdata.prices import Prices
from shoal.problem import Problem
from shoal.request import EFFORTS

QUICK, NORMAL, BEST = EFFORTS
WORK = {QUICK: 3_000_000, NORMAL: 8_000_000, BEST: 2_000_000_000}
"""Kinds of rows that are looked at, with an effort: a second for every 15 million, about."""
MOST_WORK = 20_000_000
"""The same where normal effort has too many rows for that: the fewest for each, up to this, with a few seconds of
linear programs. On 163,000 policyholders of seven columns that raises the bound by 60 % in six seconds."""
ROUNDS = {QUICK: 1, NORMAL: 12, BEST: 60}
"""How often prices rise at most."""
SEEN_EACH = 30_000
"""Kinds that are looked at in a round for one row, at most."""
FEWEST_EACH, FEWEST_IN_ROUND = 80, 1_500
"""Kinds that must be looked at for one row if more than the nearest rows are to say something: at first, in a round."""
STEP = 0.3
"""How much a price may rise in a round, as a share of itself and of the mean."""
SHORTER = 2
"""How many times shorter a step is than to the prices of the linear program, where classes gained by the step before:
many others would gain at these prices (Ben-Ameur, Neto 2007)."""
PART = 10_000
"""Kinds of rows of which a linear program shares out the costs."""
SETTLED = 0.001
"""A share of the bound: where a round adds less, and classes gain less, prices have risen enough."""
KEPT = "prices of ranges that rise"


class RangePrices(RangeBound):
    """Holds for NCP of ranges and sets, and for every model.

    Every row has a price. A class *gains* the prices of its rows less what they pay for its box. Let v(r) be the most
    that a class gains whose dearest row is r, or 0. In any release the class of dearest row r pays at least its prices
    less v(r), and no two classes have the same dearest row:

        cost of any release >= sum of all prices - sum over all rows of v(r),    whatever the prices are.

    A class that gains lies nearer to its dearest row than the price of that row, so near rows say what v(r) is; a
    search that ends early says what it is at most. Where k rows are all that a class needs, one of 2k rows or more
    falls into parts of k to 2k - 1 rows that pay no more: then only such classes need be looked at.

    Prices begin with the smallest boxes (`range-box`), of which nothing gains. A linear program over the classes found
    so far raises them, the search finds classes that gain then, and so on; v(r) is taken off the price of r in the end.
    A dropped row pays for a row of stars; no price is above that.
    """

    name: ClassVar[str] = "range-prices"
    title: ClassVar[str] = "prices of ranges"
    meaning: ClassVar[str] = "prices on rows of ranges and sets, at which no class of near rows gains"

    def __init__(self, *, effort: str = NORMAL, deadline: Ending | None = None) -> None:
        """`effort`: how much is looked at; `deadline`: when to end with what is proved by then."""
        self._effort, self._deadline = effort, deadline or Unlimited()

    @property
    def kept_as(self) -> str:
        """More effort proves more."""
        return f"{self.name}, {self._effort}"

    def priced(self, problem: Problem) -> Prices:
        """Let prices rise as far as every effort up to this one lets them, one going on where the one before ended.

        Where rows are too many for the effort, or time is over, they are the distances of near rows.
        """
        kept: dict[str, Ascent] = problem.kept
        for effort in EFFORTS[: EFFORTS.index(self._effort) + 1]:
            work = _work(effort, len(problem.microdata.counts))
            if not work or self._deadline.passed:
                continue
            if KEPT not in kept:
                search = ClassSearch.of(problem)
                least = search.smallest(int(np.clip(work // len(search.kinds.rows), FEWEST_EACH, SEEN)), self._deadline)
                if self._deadline.passed:
                    break
                kept[KEPT] = Ascent(search, least)
            kept[KEPT].rise(effort, work, self._deadline)
        if KEPT not in kept:
            return RangeNeighbour().prices(problem)
        return stated(problem, kept[KEPT].search, kept[KEPT].best)


def _work(effort: str, rows: int) -> int:
    """Return how many kinds are looked at for so many distinct rows; 0 where they are too many for the effort."""
    fewest, allowed = FEWEST_EACH * rows, WORK[effort]
    most = max(allowed, MOST_WORK) if effort != QUICK else allowed
    return max(allowed, fewest) if fewest <= most else 0


@dataclass(eq=False)
class Ascent:
    """Prices of kinds of rows that rise round by round, beginning with what each row pays at least."""

    search: ClassSearch
    least: Ints

    def __post_init__(self) -> None:
        self.best = self.centre = self.least
        self.caps = np.full(len(self.least), self.search.full, np.int64)
        self.shorter, self.done = 1, set[str]()

    @property
    def proved(self) -> int:
        """What the best prices prove, of all rows."""
        return self._summed(self.best)

    def _summed(self, prices: Ints) -> int:
        return int(prices.astype(object) @ self.search.kinds.rows.astype(object))

    def rise(self, effort: str, work: int, deadline: Ending) -> None:
        """Raise the prices as far as an effort does, unless that was done before."""
        if effort not in self.done:
            seen = 0
            for found in self.rounds(ROUNDS[effort], work, deadline):
                seen += found * (1 + len(self.search.asked.values))
                if seen > work:
                    break
            self.done.add(effort)

    def rounds(self, most: int, work: int, deadline: Ending) -> Iterator[int]:
        """Raise the prices until they have risen enough; yield how many kinds of rows were looked at in each round."""
        each = int(np.clip(10 * work // len(self.least), FEWEST_IN_ROUND, SEEN_EACH))
        for _ in range(most):
            program = Program(self.search, self.centre, self._upper(), deadline).raised()
            raised = self.centre + (program - self.centre) // self.shorter
            gains, ended, seen = self.search.gains(raised, each, deadline)
            if deadline.passed:
                return
            before, gained = self.proved, self._summed(gains) > SETTLED * self.proved
            self._keep(raised, gains, ended)
            yield seen
            if self.shorter == 1 and not gained and self.proved - before <= SETTLED * self.proved:
                return
            self.shorter = SHORTER if gained else 1

    def _upper(self) -> Floats:
        """Return how far prices may rise; those of rows that can pay nothing do not."""
        upper = np.minimum(self.centre * (1 + STEP) + STEP * self.least.mean(), self.caps)
        return np.where(self.least > 0, upper, 0.0)

    def _keep(self, raised: Ints, gains: Ints, ended: Bools) -> None:
        """Keep prices that prove more; where a search did not end, the price rises less next time."""
        found, low = raised - gains, np.maximum(self.least, np.minimum(self.centre, raised))
        self.caps = np.where(ended, self.caps, np.minimum(self.caps, (low + raised) // 2))
        if self._summed(found) > self.proved:
            self.best, self.centre = found, np.maximum(found, 0)


@dataclass(eq=False)
class Program:
    """The linear program: the highest prices of all rows together at which no class found so far gains."""

    search: ClassSearch
    centre: Ints
    """Prices that are known to prove something."""
    upper: Floats
    deadline: Ending

    def raised(self) -> Ints:
        """Return the prices, those of some kinds of near rows after the other."""
        prices, free = np.minimum(self.centre, self.upper), np.flatnonzero(self.upper > 0)
        for part in np.array_split(free, -(-len(free) // PART) or 1):
            prices[part] = self._solved(prices, part)
        return np.floor(prices).astype(np.int64)

    def _solved(self, prices: Floats, part: Ints) -> Floats:
        """Return the highest prices of some kinds, those of the others as they are."""
        kinds, rows, of_class, costs = self._classes()
        place = np.full(len(prices), -1)
        place[part] = np.arange(len(part))
        inside, unit = place[kinds] >= 0, float(self.search.full) / 1000
        if not inside.any():
            return self.upper[part]
        others = np.bincount(of_class[~inside], (rows * prices[kinds])[~inside], len(costs))
        used, row = np.unique(of_class[inside], return_inverse=True)
        program = Constraints()
        program.add(len(used), -np.inf, np.maximum(costs - others, 0)[used] / unit)
        program.put(row, place[kinds[inside]], rows[inside].astype(np.float64))
        solver = new_solver()
        solver.setOptionValue("presolve", "off")  # it takes longer than the program
        solver.passModel(model_of(program, -self.search.kinds.rows[part].astype(np.float64), self.upper[part] / unit))
        if not run_solver(solver, self.deadline)[0]:
            return prices[part]
        return np.clip(np.array(solver.getSolution().col_value) * unit, 0, self.upper[part])

    def _classes(self) -> tuple[AnyInts, AnyInts, Ints, Ints]:
        """Return the kinds of all classes found, how many rows are of each, its class; and what classes pay."""
        pool = self.search.pool
        number = int(pool.filled[0])
        end = int(pool.ends[number])
        of_class: Ints = np.repeat(np.arange(number), np.diff(pool.ends[: number + 1]))
        return pool.kinds[:end], pool.rows[:end], of_class, pool.costs[:number]
