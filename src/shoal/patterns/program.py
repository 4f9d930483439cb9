"""The pattern program: choosing patterns and rows for them as a linear or mixed-integer program.

After Chakaravarthy, Pandit and Sabharwal, On the complexity of the k-anonymization problem, section 4 (k-anonymity;
binaries instead of their enumeration of open patterns), and Liang and Yuan 2013, Theorem 9 (t-closeness).

    minimize sum c_p x_pt      x_pt copies of row type t are published as pattern p
    sum_p x_pt = s_t           every row somewhere
    sum_t x_pt >= k y_p,  x_pt <= s_t y_p                   k-anonymity: p is open (y_p = 1) with k rows, or shut
    l sum_{t of value v} x_pt <= sum_t x_pt                 l-diversity by frequency
    sum_v z_pv >= l y_p,  z_pv <= sum_{t of value v} x_pt   distinct l-diversity
    u_e >= +-sum_{v under e} (N_v - q_v N),  sum w_e u_e <= t N     t-closeness, edge by edge of a tree or line
    sum_w g_vw - sum_w g_wv = N_v - q_v N,  sum d_vw g_vw <= t N    t-closeness in any metric: g is a transport plan

A plan moves over direct ways alone, those that no third value lies on; the others are made of them. All but the
binaries y and z is homogeneous, so a pattern that takes nothing is allowed. HiGHS solves it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.interruptible import Ending
from shoal.core.solver import Constraints, highs, model_of, new_solver, run_solver, start_from
from shoal.patterns.checks import CLOSE, DISTINCT, EQUAL, METRIC, SHARE, Checks
from shoal.patterns.pool import Pool


@dataclass(frozen=True, eq=False)
class Answer:
    """What the solver found: copies for each member of the pool and each outlet, value, bound, and the rows' duals."""

    copies: Ints | None
    """For each member of the pool, then for each type's outlet; None where no solution was found."""
    value: float
    bound: float
    optimal: bool
    duals: Floats | None = None


@dataclass(frozen=True, eq=False)
class Program:
    """The program over a pool. `outlets` says what a copy of each type pays in a class that is open already."""

    pool: Pool
    checks: Checks
    denominator: int
    outlets: Ints | None = None
    """What a copy of each type pays elsewhere, in units; -1 where there is no elsewhere."""
    capacity: int | None = None
    """How many copies may go elsewhere in all; None for any number."""

    def solve(
        self,
        *,
        relaxed: bool = False,
        start: Ints | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        gap: float = 0.0,
        deadline: Ending | None = None,
    ) -> Answer:
        """Solve it; `relaxed` gives the linear program and the price of a row of each type as duals.

        The solver ends after so many `seconds` or branching `nodes`, at a relative `gap`, or once the `deadline` is
        over; then with the best it has.
        """
        solver = new_solver(seconds=seconds, nodes=nodes, gap=gap)
        model, columns = self.model(relaxed)
        solver.passModel(model)
        if start is not None and not relaxed:
            start_from(solver, self._completed(start, columns))
        found, optimal = run_solver(solver, deadline)
        if not (optimal if relaxed else found):
            return Answer(None, np.inf, -np.inf, False)
        info = solver.getInfo()
        values = np.array(solver.getSolution().col_value)[: self._counted]
        if relaxed:
            duals = np.array(solver.getSolution().row_dual)[: len(self.pool.types)]
            return Answer(None, info.objective_function_value, info.objective_function_value, optimal, duals)
        copies = np.rint(values).astype(np.int64)
        whole = bool(np.abs(values - copies).max(initial=0) < 1e-5) and self._covers(copies)
        return Answer(copies if whole else None, info.objective_function_value, info.mip_dual_bound, optimal)

    @property
    def _counted(self) -> int:
        """How many columns are copies of rows."""
        return len(self.pool.members) + (0 if self.outlets is None else len(self.pool.types))

    def _covers(self, copies: Ints) -> bool:
        covered = np.bincount(
            self.pool.members, weights=copies[: len(self.pool.members)], minlength=len(self.pool.types)
        )
        if self.outlets is not None:
            covered = covered + copies[len(self.pool.members) :]
        return bool((covered == self.pool.counts).all())

    def model(self, relaxed: bool) -> tuple[Any, int]:
        """Return the program as HiGHS takes it, and how many columns it has."""
        pool, rows, inf = self.pool, Constraints(), highs().kHighsInf
        members, patterns = pool.members, pool.pattern_of_member
        number, types = len(members), len(pool.types)
        x = np.arange(number)
        cost = [pool.costs[patterns] / self.denominator]
        upper = [pool.counts[members].astype(np.float64)]
        whole = [np.full(number, len(self.checks.lines) > 0)]
        rows.add(types, pool.counts.astype(np.float64), pool.counts.astype(np.float64))
        rows.put(members, x, 1.0)
        columns = number
        if self.outlets is not None:
            rows.put(np.arange(types), columns + np.arange(types), 1.0)
            cost.append(np.where(self.outlets >= 0, self.outlets, 0) / self.denominator)
            upper.append(np.where(self.outlets >= 0, pool.counts, 0).astype(np.float64))
            whole.append(np.full(types, self.capacity is not None))
            if self.capacity is not None:
                first = rows.add(1, -inf, float(self.capacity))
                rows.put(np.full(types, first), columns + np.arange(types), 1.0)
            columns += types
        distinct = [line for line in self.checks.lines if line[0] == DISTINCT]
        if self.checks.rows > 1 or distinct:
            y = columns + np.arange(len(pool))
            first = rows.add(len(pool), 0.0, inf)
            rows.put(first + patterns, x, 1.0)
            rows.put(first + np.arange(len(pool)), y, -float(self.checks.rows))
            first = rows.add(number, -inf, 0.0)
            rows.put(first + x, x, 1.0)
            rows.put(first + x, y[patterns], -pool.counts[members].astype(np.float64))
            columns = _more(cost, upper, whole, columns, len(pool), 1.0, whole_numbers=True)
        for place, line in enumerate(self.checks.lines):
            codes = self.checks.codes[int(line[1])][pool.types[members]]
            if line[0] == SHARE:
                self._share(rows, patterns, codes, x, line[2])
            elif line[0] == DISTINCT:
                z, keys = columns, np.unique(patterns * (codes.max() + 1) + codes)
                entry = np.searchsorted(keys, patterns * (codes.max() + 1) + codes)
                first = rows.add(len(keys), -inf, 0.0)
                rows.put(first + np.arange(len(keys)), z + np.arange(len(keys)), 1.0)
                rows.put(first + entry, x, -1.0)
                first = rows.add(len(pool), 0.0, inf)
                rows.put(first + keys // (codes.max() + 1), z + np.arange(len(keys)), 1.0)
                rows.put(first + np.arange(len(pool)), y, -line[2])
                columns = _more(cost, upper, whole, columns, len(keys), 1.0, whole_numbers=True)
            elif line[0] in (CLOSE, EQUAL):
                columns = self._close(rows, patterns, codes, x, place, columns, cost, upper, whole)
            elif line[0] == METRIC:
                added = self._move(rows, place, columns)
                columns = _more(cost, upper, whole, columns, added, inf, whole_numbers=False)
        integral = None if relaxed else np.concatenate(whole)
        return model_of(rows, np.concatenate(cost), np.concatenate(upper), integral), columns

    def _share(self, rows: Constraints, patterns: Ints, codes: Ints, x: Ints, l: float) -> None:  # noqa: E741
        width = int(codes.max()) + 1
        keys = np.unique(patterns * width + codes)
        first = rows.add(len(keys), -highs().kHighsInf, 0.0)
        starts = np.searchsorted(keys // width, np.arange(len(self.pool) + 1))
        for value in range(int(np.diff(starts).max(initial=0))):
            has = starts[patterns] + value < starts[patterns + 1]
            row = starts[patterns[has]] + value
            mine = keys[row] % width == codes[has]
            rows.put(first + row, x[has], np.where(mine, l - 1.0, -1.0))

    def _close(
        self,
        rows: Constraints,
        patterns: Ints,
        codes: Ints,
        x: Ints,
        place: int,
        columns: int,
        cost: list[Floats],
        upper: list[Floats],
        whole: list[Bools],
    ) -> int:
        line, inf = self.checks.lines[place], highs().kHighsInf
        edges, weights, shares = self.checks.edges[place], self.checks.weights[place], self.checks.shares[int(line[1])]
        used = np.flatnonzero(weights > 0)
        budget = rows.add(len(self.pool), -inf, 0.0)
        rows.put(budget + patterns, x, -line[2])
        for edge in used:
            u = columns + np.arange(len(self.pool))
            over = edges[edge][codes] - edges[edge] @ shares
            for sign in (1.0, -1.0):
                first = rows.add(len(self.pool), -inf, 0.0)
                rows.put(first + patterns, x, sign * over)
                rows.put(first + np.arange(len(self.pool)), u, -1.0)
            rows.put(budget + np.arange(len(self.pool)), u, float(weights[edge]))
            columns = _more(cost, upper, whole, columns, len(self.pool), inf, whole_numbers=False)
        return columns

    def _move(self, rows: Constraints, place: int, columns: int) -> int:
        """Add columns for the rows of each pattern, and a transport plan; return how many columns."""
        pool, every = self.pool, np.arange(len(self.pool))
        first = rows.add(len(pool), 0.0, 0.0)
        rows.put(first + pool.pattern_of_member, np.arange(len(pool.members)), 1.0)
        rows.put(first + every, columns + every, -1.0)
        return len(pool) + put_plans(rows, pool, self.checks, place, sizes=columns, first=columns + len(pool))

    def _completed(self, copies: Ints, columns: int) -> Floats:
        """Return a start with y = 1 where a pattern takes something; the solver completes the rest."""
        values = np.zeros(columns)
        values[: len(copies)] = copies
        taken = np.bincount(
            self.pool.pattern_of_member, weights=copies[: len(self.pool.members)], minlength=len(self.pool)
        )
        if self.checks.rows > 1 or (self.checks.lines[:, 0] == DISTINCT).any():
            values[self._counted : self._counted + len(self.pool)] = taken > 0
        return values


def put_plans(rows: Constraints, pool: Pool, checks: Checks, place: int, *, sizes: int, first: int) -> int:
    """Add a transport plan per pattern, in columns from `first` on, to the table's shares; return how many columns.

    `sizes` is the first of the columns that have the rows of each pattern; those of members come before all others.
    """
    line, ways, every = checks.lines[place], checks.ways(place), np.arange(len(pool))
    codes = checks.codes[int(line[1])][pool.types[pool.members]]
    shares = checks.shares[int(line[1])]
    budget = rows.add(len(pool), -highs().kHighsInf, 0.0)
    rows.put(budget + every, sizes + every, -line[2])
    columns = first + np.arange(len(pool) * len(ways.lengths)).reshape(len(ways.lengths), len(pool))
    for way, length in enumerate(ways.lengths):
        rows.put(budget + every, columns[way], float(length))
    for value in range(checks.number_of_values(place)):
        even = rows.add(len(pool), 0.0, 0.0)
        own = np.flatnonzero(codes == value)
        rows.put(even + pool.pattern_of_member[own], own, 1.0)
        rows.put(even + every, sizes + every, -float(shares[value]))
        for mine in np.flatnonzero((ways.starts == value) | (ways.ends == value)).tolist():
            rows.put(even + every, columns[mine], -1.0 if ways.starts[mine] == value else 1.0)
    return columns.size


def _more(
    cost: list[Floats],
    upper: list[Floats],
    whole: list[Bools],
    columns: int,
    number: int,
    limit: float,
    *,
    whole_numbers: bool,
) -> int:
    """Add columns that cost nothing; return how many there are then."""
    cost.append(np.zeros(number))
    upper.append(np.full(number, limit))
    whole.append(np.full(number, whole_numbers))
    return columns + number
