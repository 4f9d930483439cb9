"""The cube method: peeling led by prices, local search, and windows re-solved by a mixed-integer program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from shoal.bounds.prices import PATIENCE, Ascent, Pricing
from shoal.core.arrays import Ints
from shoal.methods.base import Deadline, Method, Progress, cheapest
from shoal.methods.effort import BEST, NORMAL
from shoal.methods.general.moves import moved
from shoal.methods.general.peel import LOOKED, RISES, concluded, peeled, standing, unmet
from shoal.methods.general.program_rounding import is_worthwhile, round_program
from shoal.methods.general.windows import MOST_MEMBERS as WINDOW_MEMBERS
from shoal.methods.general.windows import Windows
from shoal.methods.l_diversity.tp_plus_refined import TPPlusRefined
from shoal.microdata.prices import Prices
from shoal.patterns import Cube, refusals
from shoal.patterns.checks import Checks
from shoal.patterns.covering import Covering
from shoal.patterns.pool import Pool
from shoal.patterns.program import Program
from shoal.problem import Problem, Solution

STEPS = 60
"""Steps that prices rise between two rounds of windows."""
STEPS_ALONE = 400
"""Steps that prices rise where there are no windows to open, or too many."""
STEPS_BEFORE = 200
"""Steps that prices rise before the linear program is solved, where it is: its duals are better prices."""
ROUND = 40
"""Windows of a round."""
ANNEALED = "anneal"
"""The method that anneals classes."""
PAYING = 20
"""Windows that together must pay, after the first round."""
MOST_WINDOWS = 3_000
MOST_WINDOWED = 100_000
"""Rows beyond which windows are too small to matter."""
CLOSE_GUIDE = 0.3
"""The share of its price that a row is expected to pay where closeness is asked for."""
NEAR = 1.1
"""How many times the cheapest covering another one may cost for a local search to begin with it, too."""
FEW_EDGES = 2
"""Edges of closeness up to which windows are opened, those of two values: with 14 values they found nothing in time."""
CURVED = 20
"""How many times fewer entries a program may have that is solved again after every cut."""
SLOWER = 3
"""How many times fewer windows there are where closeness is asked for, or models are not linear: each takes longer."""
MOST_MEMBERS = 30_000
"""Entries up to which the program of all patterns that could still help is solved as a whole."""


@dataclass(frozen=True)
class Effort:
    """How much a search does at most, in steps that are the same on every machine.

    A time limit never adds to it: it can only end a search earlier. So a longer limit never makes a release dearer.
    """

    looked: int | None = None
    """How often types are looked at while prices rise; None is no limit."""
    steps: int = STEPS
    """Steps that prices rise before each round of windows."""
    alone: int = STEPS_ALONE
    """Steps that prices rise where no windows are opened."""
    rises: float = 0.0
    """The share by which the last ten steps must have raised the bound for the next one to be made."""
    windows: int = MOST_WINDOWS
    windowed: int | None = None
    """Rows up to which windows are opened: in their time, annealing saves more of a larger table. On Adult with 8 and 9
    columns, and with distinct 3-diversity, 40 windows and more saved nothing that annealing does not, and took a third
    of the time; on a credit card table of 30,000 rows with closeness they took a minute and saved 3 %."""
    idle: int = 60
    """Windows in a row without a better release after which no more are opened: 200 save 0.1 % on Adult with 6 columns
    and stars."""
    choice: int = WINDOW_MEMBERS
    """Entries of a window's program beyond which it is not tried. With diversity one of 20,000 takes half a minute: 600
    policyholders of seven columns took eleven minutes, to save 0.2 % beside annealing."""
    nodes: int = 2_000
    """Branching nodes of the solver for what is left as a whole."""
    members: int = MOST_MEMBERS
    """Entries up to which that is solved: the first node of 30,000 entries can take a minute."""
    entries: int = 500_000
    """Entries up to which the linear program of all patterns is rounded: 150,000 of them take about 15 seconds."""
    gap: float = 0.0
    """How much more than the bound a release may cost for the search to end."""
    pays: float = 0.0
    """The share of the cost that some windows together must save for the next ones to be tried."""
    limits: int = 100
    """Limits of regret where prices lead the peeling and closeness is asked for: a hundred take half a minute for
    20,000 types."""

    @classmethod
    def of(cls, effort: str | None) -> Effort:
        """Return what is done with an effort; None is to the end.

        Normal takes about ten seconds for 30,000 rows on two cores, best about ten times as long.
        """
        return cls() if effort is None else EFFORTS[effort]


EFFORTS = {
    NORMAL: Effort(
        LOOKED[NORMAL],
        rises=RISES[NORMAL],
        windows=120,
        windowed=5_000,
        choice=4_000,
        nodes=100,
        members=5_000,
        entries=200_000,
        gap=0.01,
        pays=5e-3,
        limits=20,
    ),
    BEST: Effort(LOOKED[BEST], windows=1_500, idle=200, nodes=1_000, limits=60),
}


class CubeSearch(Method):
    """A heuristic with a proof: `cost / lower bound` is small on real tables, and can be re-checked.

    Prices on the rows rise until they prove much (bound B). Peeling led by the prices gives a release. Where row types
    are few for their rows, the linear program over patterns is solved, too: its duals are better prices, and its
    solution is rounded to a release. Windows of a mixed-integer program improve the cheaper one where rows pay more
    than their price. Cost and bound move towards each other until they meet, or until windows find nothing more; that
    can take many minutes, and a time limit ends it earlier. The steps and their order do not depend on the limit, so
    that more time never gives a dearer release. Where `tp-plus-refined` is made for what is asked, its release is what
    the search begins with if it is cheaper than the peeled one. Mondrian's release is returned if it is cheaper.
    """

    name: ClassVar[str] = "cube"
    title: ClassVar[str] = "peeling led by prices, with windows of a mixed-integer program"
    guarantee: ClassVar[str | None] = None
    running_time: ClassVar[str] = (
        "O(N d) for each of 60 price steps and more, N nodes of the lattice, d distinct tuples"
    )
    paper: ClassVar[str] = (
        "Lagrangian duality on the pattern program of Chakaravarthy, Pandit, Sabharwal: "
        "On the complexity of the k-anonymization problem"
    )
    models: ClassVar[str] = "any conjunction that the whole table meets"
    anytime: ClassVar[bool] = True

    def accepts(self, problem: Problem) -> list[str]:
        """Require a cube, and that the table as one class meets the models."""
        return [*refusals(problem), *unmet(problem)]

    def __init__(self, *, effort: str | None = None, start: Solution | None = None) -> None:
        """`effort`: do as much as `auto` does with that effort, instead of going on to the end.

        `start`: a release to go on from, if it is cheaper than what peeling finds.
        """
        self._effort, self._start = effort, start

    def begun(self, found: Sequence[Solution]) -> CubeSearch:
        """Return the same search, beginning with the cheapest release that was found before, and with its prices.

        Annealed classes are a start for windows of the best effort alone: what less effort finds from other classes,
        and annealed then, is cheaper.
        """
        begins = [solution for solution in found if self._effort == BEST or solution.method != ANNEALED]
        return CubeSearch(effort=self._effort, start=cheapest(begins)) if begins else self

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        """Price, peel, round, search."""
        start = self._start or _made_for(problem, seed, deadline, progress)
        search = CoveringSearch.of(problem, seed, deadline, progress, effort=self._effort, start=start)
        search.price()
        search.peel()
        search.move()
        search.round()
        search.improve()
        return search.solution(self)


@dataclass
class CoveringSearch:
    """The best covering and the best prices so far, and the steps that improve them."""

    problem: Problem
    checks: Checks
    ascent: Ascent
    charges: Ints
    """The prices that it begins with."""
    covering: Covering
    seed: int
    deadline: Deadline
    progress: Progress
    effort: Effort = Effort()
    rivals: list[Covering] = field(default_factory=list)
    """Coverings that were dearer: a local search may end lower where it begins with one of them."""
    peels: bool = True
    """Whether peeling may still find a cheaper release."""
    exhausted: bool = False
    """Whether it is proved that no release costs less than the covering, by a search through all that could."""

    @classmethod
    def of(
        cls,
        problem: Problem,
        seed: int,
        deadline: Deadline,
        progress: Progress,
        *,
        effort: str | None = None,
        start: Solution | None = None,
    ) -> CoveringSearch:
        """Lay out the cube, charge the rows, and peel for a first time; a start is taken if it is cheaper.

        Where this search made the start itself, it was peeled before: it goes on from there. Where closeness is asked
        for, charges say so little that any release which was found quickly is as good. Where merged classes are cheaper
        than peeled ones, rare values decide, and no peeling is tried again; nor where classes that meet closeness are
        annealed.
        """
        progress(0.0, "bounding the cost of each row (compiled at the first use)")
        pricing = Pricing.kept(problem, deadline.check)
        cube, ascent = pricing.cube, Ascent.of(pricing)
        checks = Checks.of(cube, problem.models)
        if effort != NORMAL and problem.models.count_rows_alone:
            ascent.patience = PATIENCE
        charges, known = ascent.best.prices, _known(problem, cube, start)
        rivals: list[Covering] = []
        if known is None or start is None or not (start.merged or checks.close or start.method == CubeSearch.name):
            progress(0.05, "peeling")
            found = peeled(cube, checks, charges, deadline)
            known, rivals = (found, []) if known is None else _ranked(known, found)
        ascent.price_values()
        if start is not None and start.prices is not None:
            _resume(ascent, start.prices)
        good = start is not None and (start.merged or (checks.close and start.method == ANNEALED))
        return cls(
            problem, checks, ascent, charges, known, seed, deadline, progress, Effort.of(effort), rivals, not good
        )

    def solution(self, method: Method) -> Solution:
        """Return what was found; optimal where the search was exhaustive and the models admit it as it is."""
        found = concluded(method, self.problem, self.covering, self.ascent, self.deadline, self.progress)
        if not self.exhausted or found.notes or not self.covering.cube.is_fine:
            return found
        return replace(found, status="optimal", lower_bound=found.cost)

    @property
    def closed(self) -> bool:
        """Whether the bound has come as near to the cost as the effort asks for, or time is over."""
        pricing = self.ascent.pricing
        reached = pricing.stated(self.ascent.best) * (1 + self.effort.gap)
        return self.deadline.passed or reached >= pricing.measured(self.covering.cost)

    def report(self, share: float, doing: str) -> None:
        """Say what is done, with cost and bound."""
        self.progress(share, standing(doing, self.ascent, self.covering))

    def price(self, share: float = 0.05) -> None:
        """Let the prices rise: some steps, and many where there are too many rows for windows."""
        few = self.problem.rows <= MOST_WINDOWED
        alone = min(self.effort.alone, STEPS_BEFORE) if self.is_rounded else self.effort.alone
        self._rise(self.effort.steps if few else alone, share)

    def _rise(self, steps: int, share: float) -> None:
        """Let the prices rise by so many steps, as long as they pay."""
        for step in range(steps):
            if self.closed or not self.may_look or not self.ascent.still_pays(self.effort.rises):
                return
            self.report(
                max(share + 0.35 * step / steps, self.deadline.share), "raising prices, which prove a lower bound"
            )
            self.ascent.step(self.covering.cost)

    @property
    def may_look(self) -> bool:
        """Whether the effort allows another step."""
        return self.effort.looked is None or self.ascent.looked < self.effort.looked

    @property
    def is_rounded(self) -> bool:
        """Whether the linear program over patterns is worth being rounded."""
        return is_worthwhile(self.checks, self.problem.rows, self.covering.cube.types, self.effort.entries)

    def round(self) -> None:
        """Round the linear program over patterns, where types are few for their rows; the cheaper covering is kept."""
        if self.is_rounded and not self.closed:
            self.report(0.46, "rounding the linear program")
            found = round_program(self.checks, self.ascent, self.deadline)
            if found is not None and found.cost < self.covering.cost:
                self.covering = found
                self.move()

    def peel(self) -> None:
        """Peel again, led by the mean of prices and charges, which is better than either; keep the cheaper covering.

        Negative prices are of rows that others compete for; a mean with them would make every pattern wait. Where
        closeness is asked for, charges say little, and prices lead by themselves.
        """
        if self.closed or not self.peels:
            return
        self.report(0.42, "peeling guided by the prices")
        cube, prices = self.covering.cube, np.maximum(self.ascent.reached.prices, 0)
        if self.checks.close:
            found = peeled(cube, self.checks, prices, self.deadline, self.effort.limits, guide=CLOSE_GUIDE)
        else:
            found = peeled(cube, self.checks, (prices + self.charges) // 2, self.deadline)
        self.covering, dearer = _ranked(self.covering, found)
        self.rivals += dearer

    def move(self) -> None:
        """Open patterns for the rows of the dearest class, and move rows to cheaper classes; of near rivals as well."""
        near = [one for one in self.rivals if one.cost <= NEAR * self.covering.cost]
        self.rivals = []
        for covering in [self.covering, *near]:
            if not self.closed:
                self.report(0.45, "local search")
                self._try(moved(covering, self.checks, self.deadline))

    @property
    def most_windows(self) -> int:
        """How many windows the effort allows."""
        curved = len(self.checks.curved) > 0
        if self.effort.windowed is not None and (curved or self.problem.rows > self.effort.windowed):
            return 0
        return self.effort.windows // SLOWER if curved or self.checks.close else self.effort.windows

    def improve(self) -> None:
        """Re-solve windows, let the prices rise in between, and at the end solve what is left as a whole."""
        edges = self.checks.most_edges
        if not self.checks.complete or edges > FEW_EDGES:
            self._rise(self.effort.alone, 0.5)
            self.finish(self.effort.members // max(edges, 1) ** 2)
            return
        windows = Windows(self.covering, self.checks, np.random.default_rng(self.seed), self.effort.choice)
        most = self.most_windows
        before = self.covering.cost
        while not self.closed and windows.tried < most and windows.idle < self.effort.idle:
            share = 0.5 + 0.5 * max(windows.tried / most, self.deadline.share)
            self.report(share, "solving small parts exactly")
            windows.step(self.ascent.reached.prices, self.deadline.left)
            self.covering = windows.covering
            if windows.tried % PAYING == 0:
                saved, before = before - self.covering.cost, self.covering.cost
                if windows.tried >= ROUND and saved < self.effort.pays * before:
                    break
            if windows.tried % ROUND == 0:
                self.price(share)
            elif windows.tried % 10 == 0:
                self._rise(2, share)
        self.finish(self.effort.members // (CURVED if len(self.checks.curved) else 1))

    def finish(self, most: int, *, to_the_end: bool = False) -> None:
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
        nodes = None if to_the_end else self.effort.nodes
        answer = program.solve(deadline=self.deadline, seconds=self.deadline.left, nodes=nodes)
        if answer.copies is not None:
            self._try(Covering.of(cube, pool.pieces(answer.copies), pool.nodes))
        self.exhausted = answer.optimal and answer.copies is not None

    @property
    def provable(self) -> bool:
        """Whether the program says exactly what was asked for."""
        same = not self.problem.uses_surrogates
        return same and self.checks.complete and not self.problem.may_drop and self.covering.cube.is_whole

    def _try(self, found: Covering) -> None:
        if found.cost < self.covering.cost:
            self.covering = found


def _made_for(problem: Problem, seed: int, deadline: Deadline, progress: Progress) -> Solution | None:
    """Return the release of a method that is made for what is asked; None where none is, or time is over."""
    method = TPPlusRefined()
    if not problem.counts_stars or method.accepts(problem) or deadline.passed:
        return None
    return method.solve(problem, seed=seed, deadline=deadline, progress=progress)


def _ranked(one: Covering, other: Covering) -> tuple[Covering, list[Covering]]:
    """Return the cheaper covering, the second where both cost the same, and the others."""
    return (one, [other]) if one.cost < other.cost else (other, [one])


def _known(problem: Problem, cube: Cube, start: Solution | None) -> Covering | None:
    """Return a release as a covering, if it is of these rows and meets what the search works with."""
    if start is None or start.partition.dropped or len(start.partition.class_of_row) != problem.rows:
        return None
    admitted = problem.models.admits(problem.classes(start.partition)).all()
    return Covering.shown(problem, cube, start.partition) if admitted else None


def _resume(ascent: Ascent, prices: Prices) -> None:
    """Go on from prices that were found before, if they are of these rows and prove more than all that is known."""
    cube = ascent.pricing.cube
    if len(prices.of_row) != len(cube.type_of_row) or prices.denominator != cube.denominator:
        return
    if prices.bound <= ascent.pricing.stated(ascent.best):
        return
    of_type = np.zeros(cube.types, np.int64)
    of_type[cube.type_of_row] = prices.of_row
    ascent.lift(of_type)
