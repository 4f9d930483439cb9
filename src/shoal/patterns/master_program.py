"""The master program of column generation: the linear program over patterns, whose classes may have any number of rows.

    minimize sum c_p x_pt      x_pt copies of row type t are published as pattern p, N_p of all types together
    sum_p x_pt = s_t           every row somewhere
    l sum_{t of value v} x_pt <= N_p                                 l-diversity by frequency
    sum_{t of value v} x_pt <= P_v N_p + e_pv,  sum_v e_pv <= t N_p  t-closeness, equal distance
    u_e >= +-sum_{v under e} (N_pv - P_v N_p),  sum_e w_e u_e <= t N_p     t-closeness, edge by edge of a tree or line
    sum_w g_pvw - sum_w g_pwv = N_pv - P_v N_p,  sum d_vw g_pvw <= t N_p   t-closeness in any metric, by transport

Entropy and recursive l-diversity are not linear, but the shares that they admit are convex: what they imply of single
values is there from the beginning, and tangents are added where a solution breaks one (`share_cuts`).

Unlike the pattern program (`program`) it knows neither the least number of rows nor of different values, so that it has
no column but for rows. Where rows per type are many, a vertex has few fractions. Patterns are shut one after the other
until no class is too small, each time from the basis before: HiGHS does that in a fraction of the first time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.interruptible import Ending
from shoal.core.solver import Constraints, add_rows, highs, model_of, new_solver, run_solver
from shoal.patterns.checks import CLOSE, DISTINCT, ENTROPY, EQUAL, METRIC, RECURSIVE, SHARE, Checks
from shoal.patterns.pool import Pool
from shoal.patterns.program import put_excess, put_plans
from shoal.patterns.share_cuts import broken_cuts, largest_share

INTERIOR, DUAL, PRIMAL = ("ipm", 1), ("simplex", 1), ("simplex", 4)
"""How HiGHS solves it: anew; from a basis where columns were bounded; from a basis where columns were added."""
Caps: TypeAlias = Callable[[Ints, Ints], Floats]
"""Given patterns and values of theirs, the most that each can have of a class."""
TOLERANCE = 1e-7
MOST_CUTS = 30
"""How often tangents are added at most: what is broken then is little, and rounding takes care of it."""


@dataclass(frozen=True, eq=False)
class Vertex:
    """A solution of the master program: rows of each member of the pool, the value, and the price of each type."""

    rows: Floats
    value: float
    duals: Floats
    reduced: Floats
    """What a row more of each member would cost."""


def is_limited(checks: Checks) -> bool:
    """Whether the program says more than that every row is somewhere: it knows all models, and one is of shares."""
    return checks.complete and bool((checks.lines[:, 0] != DISTINCT).any())


@dataclass(frozen=True, eq=False)
class MasterProgram:
    """The program over a pool; the solver keeps its basis between two solutions."""

    pool: Pool
    checks: Checks
    denominator: int

    def solve(self, chosen: Bools, deadline: Ending | None = None) -> Vertex | None:
        """Return an optimal vertex: over chosen members by interior points, then over those that price in, and so on.

        None where the deadline ended it, or the chosen members do not cover every row.
        """
        absent = ~chosen
        self._bound(np.flatnonzero(absent), 0.0)
        vertex = self._cut(self._run(INTERIOR, deadline), deadline)
        while vertex is not None:
            entering = np.flatnonzero(absent & (vertex.reduced < -TOLERANCE))
            if not len(entering):
                break
            absent[entering] = False
            self._bound(entering, highs().kHighsInf)
            vertex = self._cut(self._run(PRIMAL, deadline), deadline)
        return vertex

    def without(self, patterns: Ints, deadline: Ending | None = None) -> Vertex | None:
        """Return an optimal vertex where no class is published as some of the patterns, now and from now on."""
        self._bound(len(self.pool.members) + patterns, 0.0)
        return self._cut(self._run(DUAL, deadline), deadline)

    def _cut(self, vertex: Vertex | None, deadline: Ending | None) -> Vertex | None:
        """Add tangents that a vertex breaks, and solve again, until it breaks none or there were enough."""
        for _ in range(MOST_CUTS):
            if vertex is None or not sum(self._add_cuts(vertex, line) for line in self.checks.curved):
                break
            vertex = self._run(DUAL, deadline)
        return vertex

    def _add_cuts(self, vertex: Vertex, line: Floats) -> int:
        """Add a tangent for every pattern whose class breaks a line; return how many."""
        cut, member, coefficient, number = broken_cuts(line, self.pool, self.checks, vertex.rows)
        add_rows(self._solver, cut, member, coefficient, number)
        return number

    def _bound(self, columns: Ints, upper: float) -> None:
        """Let columns be at most so much."""
        number = len(columns)
        self._solver.changeColsBounds(number, columns.astype(np.int32), np.zeros(number), np.full(number, upper))

    def _run(self, how: tuple[str, int], deadline: Ending | None) -> Vertex | None:
        """Solve it as it is, from the basis before, if there is one."""
        solver, members = self._solver, len(self.pool.members)
        solver.setOptionValue("solver", how[0])
        solver.setOptionValue("simplex_strategy", how[1])
        if (deadline is not None and deadline.passed) or not run_solver(solver, deadline)[1]:
            return None
        found, value = solver.getSolution(), solver.getInfo().objective_function_value
        rows, reduced = np.array(found.col_value)[:members], np.array(found.col_dual)[:members]
        return Vertex(rows, value, np.array(found.row_dual)[: len(self.pool.types)], reduced)

    @cached_property
    def _solver(self) -> Any:
        solver = new_solver()
        solver.passModel(self.model())
        return solver

    def model(self) -> Any:
        """Return the program as HiGHS takes it: columns for members, patterns, and what the models need."""
        pool, rows = self.pool, Constraints()
        patterns, number, counts = pool.pattern_of_member, len(pool.members), pool.counts.astype(np.float64)
        rows.add(len(pool.types), counts, counts)
        rows.put(pool.members, np.arange(number), 1.0)
        first, every = rows.add(len(pool), 0.0, 0.0), np.arange(len(pool))
        rows.put(first + patterns, np.arange(number), 1.0)
        rows.put(first + every, number + every, -1.0)
        columns = number + len(pool)
        for place, line in enumerate(self.checks.lines):
            if line[0] in (SHARE, ENTROPY, RECURSIVE):
                self._limit_values(rows, int(line[1]), partial(_largest, line))
            elif line[0] == CLOSE:
                columns = self._limit_distance(rows, place, columns)
            elif line[0] in (EQUAL, METRIC):
                put = put_excess if line[0] == EQUAL else put_plans
                columns += put(rows, pool, self.checks, place, sizes=number, first=columns)
        cost = np.zeros(columns)
        cost[:number] = pool.costs[patterns] / self.denominator
        return model_of(rows, cost, np.full(columns, highs().kHighsInf))

    def _limit_values(self, rows: Constraints, attribute: int, caps: Caps) -> None:
        """Add for every pattern and value of it: rows of the value, less its cap of all, are at most 0."""
        pool, width = self.pool, self.checks.totals.shape[1]
        codes = self.checks.codes[attribute][pool.types[pool.members]]
        keys, own = np.unique(pool.pattern_of_member * width + codes, return_inverse=True)
        patterns, values = np.divmod(keys, width)
        first = rows.add(len(keys), -highs().kHighsInf, 0.0)
        rows.put(first + own.reshape(-1), np.arange(len(codes)), 1.0)
        rows.put(first + np.arange(len(keys)), len(codes) + patterns, -caps(patterns, values))

    def _limit_distance(self, rows: Constraints, place: int, columns: int) -> int:
        """Let mass move over edges of a tree or a line by at most t of the rows; return the number of columns then."""
        pool, line, weights = self.pool, self.checks.lines[place], self.checks.weights[place]
        codes = self.checks.codes[int(line[1])][pool.types[pool.members]]
        shares, every, number = self.checks.shares[int(line[1])], np.arange(len(pool)), len(pool.members)
        budget = self._budget(rows, line[2])
        for edge in np.flatnonzero(weights > 0):
            under = self.checks.edges[place][edge]
            for sign in (1.0, -1.0):
                first = rows.add(len(pool), -highs().kHighsInf, 0.0)
                inside = np.flatnonzero(under[codes])
                rows.put(first + pool.pattern_of_member[inside], inside, sign)
                rows.put(first + every, number + every, -sign * float(under @ shares))
                rows.put(first + every, columns + every, -1.0)
            rows.put(budget + every, columns + every, float(weights[edge]))
            columns += len(pool)
        return columns

    def _budget(self, rows: Constraints, t: float) -> int:
        """Add for every pattern: something is at most t of its rows."""
        every = np.arange(len(self.pool))
        first = rows.add(len(self.pool), -highs().kHighsInf, 0.0)
        rows.put(first + every, len(self.pool.members) + every, -t)
        return first


def reduced_costs(pool: Pool, checks: Checks, prices: Ints) -> Floats:
    """Return of every member at least about what a row of it loses to the prices, in units; 0 where it may be needed.

    A row of a class at pattern p earns, on average, at most what admitted shares of the dearest rows of each value earn
    (the rate of p): what that lacks of the cost is lost, and what the row lacks of the dearest of its value.
    """
    patterns, own = pool.pattern_of_member, prices[pool.types[pool.members]].astype(np.float64)
    rate, behind = np.full(len(pool), np.inf), np.full(len(own), np.inf)
    for line in checks.lines[checks.lines[:, 0] != DISTINCT]:
        codes = checks.codes[int(line[1])][pool.types[pool.members]]
        worth = np.full((len(pool), checks.totals.shape[1]), -np.inf)
        np.maximum.at(worth, (patterns, codes), own)
        rate = np.minimum(rate, _rates(worth, line, checks.shares[int(line[1])]))
        behind = np.minimum(behind, worth[patterns, codes] - own)
    losses: Floats = np.maximum(pool.costs - rate, 0.0)[patterns] + behind
    return losses


def _rates(worth: Floats, line: Floats, shares: Floats) -> Floats:
    """Return the most that admitted shares earn, pattern by pattern; of distances only the dearest is known.

    The dearest values are filled first, each up to its share, then from the pool; minus infinity where no shares fit.
    """
    if line[0] in (CLOSE, METRIC):
        highest: Floats = worth.max(axis=1)
        return highest
    one, each = np.zeros(len(shares), np.int64), np.arange(len(shares))
    base, pool = (shares, line[2]) if line[0] == EQUAL else (_largest(line, one, each), 0.0)
    order = np.argsort(-worth, axis=1, kind="stable")
    mass, spare, earned = np.ones(len(worth)), np.full(len(worth), pool), np.zeros(len(worth))
    for value in order.T:
        each = worth[np.arange(len(worth)), value]
        present = each > -np.inf
        share = np.where(present, np.minimum(base[value] + spare, mass), 0.0)
        spare -= np.clip(share - base[value], 0.0, spare)
        mass, earned = mass - share, earned + np.where(present, each, 0.0) * share
    return np.where(mass > 1e-9, -np.inf, earned)


def _largest(line: Floats, patterns: Ints, values: Ints) -> Floats:
    """Return the most that each value of each pattern can have of a class."""
    different = np.bincount(patterns).astype(np.float64)
    return largest_share(line, different)[patterns]


def needed(losses: Floats, most: int) -> Bools:
    """Return which members lose least, so many of them."""
    chosen = np.zeros(len(losses), dtype=bool)
    chosen[np.argsort(losses, kind="stable")[:most]] = True
    return chosen & np.isfinite(losses)
