"""Bound (C), the linear program: the best prices there are, by generating patterns as they are needed.

The linear relaxation of the pattern program (see `shoal.patterns.program`) over few patterns; its duals are prices;
every pattern that gains at these prices is added; and so on while that proves more. Whatever the last prices are, what
they prove is worked out over all patterns (bound B), so the bound holds however early the rounds end.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.bounds.prices import Ascent, PriceBound, Pricing
from shoal.core.arrays import Ints
from shoal.patterns.checks import Checks
from shoal.patterns.pool import Pool
from shoal.patterns.program import Program

MOST_MEMBERS = 60_000
"""Entries of the program beyond which its rounds end."""


class LinearProgram(PriceBound):
    """Holds for costs that add over cells, and for every model (those that it does not know are left out).

    Where the rounds end by themselves it is, for k-anonymity, the largest bound that prices can prove; they also end
    after so many of them, where the program grows too large, and where one proves no more than the one before.
    """

    name: ClassVar[str] = "linear-program"
    title: ClassVar[str] = "linear program"
    meaning: ClassVar[str] = "the best prices, from the duals of the linear program over patterns"
    rounds: ClassVar[int] = 8

    def ascended(self, pricing: Pricing) -> Ascent:
        """Let prices rise step by step, then to the duals."""
        ascent = super().ascended(pricing)
        raise_by_program(ascent, rounds=self.rounds)
        return ascent


def raise_by_program(ascent: Ascent, *, rounds: int, seconds: float | None = None) -> None:
    """Raise prices to the duals of the linear program, round by round, as long as they prove more."""
    pricing = ascent.pricing
    cube = pricing.cube
    checks = Checks.of(cube, pricing.problem.bounding)
    for _ in range(rounds):
        pool = _pool(pricing, ascent.best.prices)
        if pool is None:
            return
        answer = Program(pool, checks, cube.denominator).solve(relaxed=True, seconds=seconds)
        if answer.duals is None:
            return
        duals = np.zeros(cube.types, dtype=np.int64)
        duals[pool.types] = np.floor(answer.duals * cube.denominator).astype(np.int64)
        before = ascent.best.bound
        ascent.lift(duals)
        if ascent.best.bound <= before:
            return


def _pool(pricing: Pricing, prices: Ints) -> Pool | None:
    """Return the patterns that gain at the prices or lose little, and the all-star one, so that no row is left."""
    cube, everything = pricing.cube, np.arange(pricing.cube.types)
    rows, slack = pricing.demands.rows, cube.full // 10
    pool = Pool.of(cube, everything, cube.counts, prices, rows=rows, slack=slack, most=MOST_MEMBERS)
    if pool is None:
        return None
    last, stars = np.array([cube.number - 1]), np.array([cube.full])
    return pool.joined(last, stars, np.zeros(cube.types, dtype=np.int64), everything)
