"""The cube method: peeling led by prices, local search, and windows re-solved by a mixed-integer program."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from shoal.bounds.prices import Ascent, Pricing
from shoal.cube import refusals
from shoal.cube.checks import Checks
from shoal.cube.covering import Covering
from shoal.cube.pool import Pool
from shoal.cube.program import Program
from shoal.methods.base import Deadline, Method, Progress, Standing
from shoal.methods.moves import moved
from shoal.methods.peel import concluded, peeled, unmet
from shoal.methods.windows import ROWS, Windows
from shoal.problem import Problem, Solution

STEPS = 60
"""Steps that prices rise before windows are opened, where no time limit says for how long."""
SHORT = 2e-3
"""Steps shorter than this prove nothing more."""
WINDOWS_PER_ROW = 4 / ROWS
"""How often each row is looked at, on average, where no time limit says how long to go on."""
MOST_WINDOWS = 150
MOST_WINDOWED = 100_000
"""Rows beyond which windows are too small to matter."""
MOST_IDLE = 60
"""Windows in a row without a better release after which the search ends."""
MOST_MEMBERS = 30_000
"""Entries up to which the program of all patterns that could still help is solved as a whole."""


class CubeSearch(Method):
    """A heuristic with a proof: `cost / lower bound` is small on real tables, and can be re-checked.

    Prices on the rows rise until they prove much (bound B). Peeling led by the prices gives a release, which windows
    of a mixed-integer program improve where rows pay more than their price. Cost and bound move towards each other as
    long as time lasts; without a time limit the work is fixed, so that the result does not depend on the machine.
    """

    name: ClassVar[str] = "cube"
    title: ClassVar[str] = "peeling led by prices, with windows of a mixed-integer program"
    guarantee: ClassVar[str | None] = None
    cost: ClassVar[str] = "O(N d) for each of 60 price steps and more, N nodes of the lattice, d distinct tuples"
    paper: ClassVar[str] = (
        "Lagrangian duality on the pattern program of Chakaravarthy, Pandit, Sabharwal: "
        "On the complexity of the k-anonymization problem"
    )
    models: ClassVar[str] = "any conjunction that the whole table meets"

    def accepts(self, problem: Problem) -> list[str]:
        """Require a cube, and that the table as one class meets the models."""
        return [*refusals(problem), *unmet(problem)]

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Price, peel, search."""
        search = Search.of(problem, seed, deadline, progress)
        search.price()
        search.peel()
        search.move()
        search.improve()
        return search.solution(self)


@dataclass
class Search:
    """The best covering and the best prices so far, and the steps that improve them."""

    problem: Problem
    checks: Checks
    ascent: Ascent
    covering: Covering
    seed: int
    deadline: Deadline
    progress: Progress
    exhausted: bool = False
    """Whether it is proved that no release costs less than the covering, by a search through all that could."""

    @classmethod
    def of(cls, problem: Problem, seed: int, deadline: Deadline, progress: Progress) -> Search:
        """Lay out the cube, charge the rows, and peel for a first time."""
        progress(0.0, "laying out the cube (compiled at the first use)")
        pricing = Pricing.of(problem)
        checks = Checks.of(pricing.cube, problem.models)
        ascent = Ascent.of(pricing)
        progress(0.05, "peeling")
        covering = peeled(pricing.cube, checks, ascent.best.prices, deadline)
        return cls(problem, checks, ascent, covering, seed, deadline, progress)

    def solution(self, method: Method) -> Solution:
        """Return what was found; optimal where the search was exhaustive and the models admit it as it is."""
        found = concluded(method, self.problem, self.covering, self.ascent, self.deadline, self.progress)
        if not self.exhausted or found.notes or not self.covering.cube.is_fine:
            return found
        return replace(found, status="optimal", lower_bound=found.cost)

    @property
    def closed(self) -> bool:
        """Whether the bound has reached the cost."""
        pricing = self.ascent.pricing
        return self.deadline.passed or pricing.stated(self.ascent.best) >= self.told(self.covering.cost)

    def told(self, units: int) -> float:
        """Return a cost in units in the measure of the cost."""
        cube = self.ascent.pricing.cube
        return units / cube.denominator / float(self.problem.cost.per(self.problem.rows))  # type: ignore[attr-defined]

    def report(self, share: float, doing: str) -> None:
        """Say what is done, with cost and bound."""
        cost, bound = self.told(self.covering.cost), self.ascent.pricing.stated(self.ascent.best)
        self.progress(share, Standing(f"{doing} (cost {cost:.5g}, bound {bound:.5g})", cost, bound))

    def price(self) -> None:
        """Let the prices rise: so many steps, or a share of the time; most of it where windows would be too many."""
        share = 0.35 if self.problem.rows <= MOST_WINDOWED else 0.8
        for step in range(STEPS if self.deadline.moment is None else 10**6):
            if self.closed or self.deadline.share > share or self.ascent.stride < SHORT:
                return
            self.report(max(0.05 + 0.35 * min(step / STEPS, 1), self.deadline.share), "prices rise")
            self.ascent.step(self.covering.cost)

    def peel(self) -> None:
        """Peel again, led by the prices; the cheaper covering is kept."""
        if not self.closed and not self.checks.close:
            found = peeled(self.covering.cube, self.checks, self.ascent.best.prices, self.deadline)
            self.covering = min(self.covering, found, key=lambda covering: covering.cost)

    def move(self) -> None:
        """Open patterns for the rows of the dearest class, and move rows to cheaper classes."""
        if not self.closed:
            self.report(0.45, "local search")
            self._try(moved(self.covering, self.checks, self.deadline))

    def improve(self) -> None:
        """Re-solve windows, let the prices rise in between, and at the end solve what is left as a whole."""
        if self.checks.close or not self.checks.linear:
            self._rise()
            return
        windows = Windows(self.covering, self.checks, np.random.default_rng(self.seed))
        limited = self.deadline.moment is not None
        most = 10**9 if limited else min(MOST_WINDOWS, int(self.problem.rows * WINDOWS_PER_ROW) + 3)
        while not self.closed and windows.tried < most and windows.idle < MOST_IDLE:
            done = self.deadline.share if limited else windows.tried / most
            self.report(0.5 + 0.5 * done, "windows")
            windows.step(self.ascent.best.prices, self.deadline.left)
            self.covering = windows.covering
            if windows.tried % 10 == 0:
                self.ascent.step(self.covering.cost)
                self.ascent.step(self.covering.cost)
        self.finish()

    def _rise(self) -> None:
        """Let the prices rise while time lasts."""
        for _ in range(STEPS if self.deadline.moment is None else 10**6):
            if self.closed or self.ascent.stride < SHORT:
                return
            self.report(0.5 + 0.5 * self.deadline.share, "prices rise")
            self.ascent.step(self.covering.cost)

    def finish(self, most: int = MOST_MEMBERS, nodes: int | None = 2_000) -> None:
        """Solve the program of all patterns that a cheaper release could use, if it has at most so many entries.

        At prices that prove B, a release with pattern p costs at least B plus what a class at p loses to the prices;
        so patterns that lose more than the gap are not needed for anything cheaper than what is known.
        """
        if self.closed or not self.provable:
            return
        cube, best = self.covering.cube, self.ascent.best
        everything, gap = np.arange(cube.types), self.covering.cost - best.bound
        rows = self.ascent.pricing.demands.rows
        pool = Pool.of(cube, everything, cube.counts, best.prices, rows=rows, slack=gap, most=most)
        if pool is None:
            return
        self.report(0.95, "solving what is left as a whole")
        program = Program(pool, self.checks, cube.denominator)
        answer = program.solve(deadline=self.deadline, seconds=self.deadline.left, nodes=nodes)
        if answer.copies is not None:
            self._try(Covering.of(cube, pool.pieces(answer.copies), pool.nodes))
        self.exhausted = answer.optimal and answer.copies is not None

    @property
    def provable(self) -> bool:
        """Whether the program says exactly what was asked for."""
        same = set(self.problem.models) == set(self.problem.required)
        return same and self.checks.linear and not self.problem.may_drop and self.covering.cube.is_whole

    def _try(self, found: Covering) -> None:
        if found.cost < self.covering.cost:
            self.covering = found
