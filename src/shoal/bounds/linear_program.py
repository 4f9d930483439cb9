"""Bound (C), the linear program: the best prices there are, by generating patterns as they are needed.

The linear relaxation of the pattern program (see `shoal.cube.program`) over few patterns; its duals are prices; every
pattern that gains at these prices is added; and so on until none does. Whatever the last prices are, what they prove
is worked out over all patterns (bound B), so the bound holds however early the rounds end.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from shoal.arrays import Ints
from shoal.bounds.base import Bound
from shoal.bounds.prices import Ascent, PriceBound, Pricing
from shoal.cube import refusals
from shoal.cube.checks import Checks
from shoal.cube.pool import Pool
from shoal.cube.program import Program
from shoal.problem import Problem

MOST_MEMBERS = 60_000
"""Entries of the program beyond which its rounds end."""


class LinearProgram(Bound):
    """Holds for costs that add over cells, and for every model (those that it does not know are left out).

    For k-anonymity it is the largest bound that prices can prove.
    """

    name: ClassVar[str] = "linear-program"
    title: ClassVar[str] = "linear program"
    meaning: ClassVar[str] = "the best prices, from the duals of the linear program over patterns"
    rounds: ClassVar[int] = 8

    def accepts(self, problem: Problem) -> list[str]:
        """Require a cube."""
        return refusals(problem)

    def in_passing(self, problem: Problem) -> bool:
        """Never: it takes seconds to minutes."""
        return False

    def of(self, problem: Problem) -> float:
        """Return what the best prices prove."""
        pricing = Pricing.of(problem)
        ascent = PriceBound().ascended(pricing)
        raise_by_program(ascent, rounds=self.rounds)
        return pricing.stated(ascent.best)


def raise_by_program(ascent: Ascent, *, rounds: int, seconds: float | None = None) -> None:
    """Raise prices to the duals of the linear program, round by round."""
    pricing = ascent.pricing
    cube, demands = pricing.cube, pricing.demands
    checks = Checks.of(cube, pricing.problem.required)
    prices, slack = ascent.best.prices, cube.full // 10
    for _ in range(rounds):
        pool = Pool.of(
            cube, np.arange(cube.types), cube.counts, prices, rows=demands.rows, slack=slack, most=MOST_MEMBERS
        )
        if pool is None:
            return
        answer = Program(pool, checks, demands.rows, cube.denominator, outlets=_stars(cube.full, cube.types)).solve(
            relaxed=True, seconds=seconds
        )
        if answer.duals is None:
            return
        duals = np.zeros(cube.types, dtype=np.int64)
        duals[pool.types] = np.floor(answer.duals * cube.denominator).astype(np.int64)
        before = ascent.best.bound
        ascent.lift(duals)
        if ascent.best.bound <= before:
            return
        prices = ascent.best.prices


def _stars(full: int, types: int) -> Ints:
    """Every row may be published as all stars: with few patterns in the program there must be a way for each."""
    return np.full(types, full, dtype=np.int64)
