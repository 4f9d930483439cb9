"""The pattern program: choosing patterns and rows for them as a linear or mixed-integer program.

After Chakaravarthy, Pandit and Sabharwal, On the complexity of the k-anonymization problem, section 4 (k-anonymity;
binaries instead of their enumeration of open patterns), and Liang and Yuan 2013, Theorem 9 (t-closeness).

    minimize sum c_p x_pt      x_pt copies of row type t are published as pattern p
    sum_p x_pt = s_t           every row somewhere
    sum_t x_pt >= k y_p,  x_pt <= s_t y_p                   k-anonymity: p is open (y_p = 1) with k rows, or shut
    l sum_{t of value v} x_pt <= sum_t x_pt                 l-diversity by frequency
    sum_t a_v(t) x_pt <= 0, for many a                      entropy and recursive l-diversity (`share_cuts`)
    sum_v z_pv >= l y_p,  z_pv <= sum_{t of value v} x_pt   distinct l-diversity
    N_v <= q_v N + e_v,  sum_v e_v <= t N                   t-closeness, equal distance
    u_e >= +-sum_{v under e} (N_v - q_v N),  sum w_e u_e <= t N     t-closeness, edge by edge of a tree or line
    sum_w g_vw - sum_w g_wv = N_v - q_v N,  sum d_vw g_vw <= t N    t-closeness in any metric: g is a transport plan

A plan moves over direct ways alone, those that no third value lies on; the others are made of them. All but the
binaries y and z is homogeneous, so a pattern that takes nothing is allowed. Of entropy and recursive l-diversity the
program has the largest share of each value from the beginning; a cut is added where a solution breaks one of them, and
it is solved again, until none does. HiGHS solves it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.interruptible import Ending
from shoal.core.solver import Constraints, add_rows, highs, model_of, new_solver, run_solver, start_from
from shoal.patterns.checks import CLOSE, DISTINCT, ENTROPY, EQUAL, METRIC, RECURSIVE, SHARE, Checks
from shoal.patterns.pool import Pool
from shoal.patterns.share_cuts import broken_cuts, largest_share


@dataclass(frozen=True, eq=False)
class Answer:
    """What the solver found: copies for each member of the pool and each outlet, value, bound, and the rows' duals."""

    copies: Ints | None
    """For each member of the pool, then for each type's outlet; None where no solution was found."""
    value: float
    bound: float
    optimal: bool
    duals: Floats | None = None


NO_ANSWER = Answer(None, np.inf, -np.inf, False)


@dataclass
class Columns:
    """Columns of a program, gathered block by block: what one costs, how much it is at most, whether it is whole."""

    cost: list[Floats] = field(default_factory=list)
    upper: list[Floats] = field(default_factory=list)
    whole: list[Bools] = field(default_factory=list)
    number: int = 0

    def add(self, cost: Floats, upper: float | Ints, *, whole: bool = False) -> int:
        """Add some columns; return the number of the first."""
        self.cost.append(cost)
        self.upper.append(np.broadcast_to(np.asarray(upper, np.float64), cost.shape))
        self.whole.append(np.full(len(cost), whole))
        self.number += len(cost)
        return self.number - len(cost)


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
        cuts: int | None = None,
        deadline: Ending | None = None,
    ) -> Answer:
        """Solve it; `relaxed` gives the linear program and the price of a row of each type as duals.

        The solver ends after so many `seconds` or branching `nodes`, at a relative `gap`, or once the `deadline` is
        over; then with the best it has. `cuts`: how often they are added at most; what breaks one is no solution.
        """
        solver = new_solver(seconds=seconds, nodes=nodes, gap=gap)
        model, columns = self.model(relaxed)
        solver.passModel(model)
        begun = None if start is None or relaxed else self._completed(start, columns)
        for turn in count():
            if begun is not None:
                start_from(solver, begun)
            found, optimal = run_solver(solver, deadline)
            if not (optimal if relaxed else found):
                return NO_ANSWER
            values = np.array(solver.getSolution().col_value)[: self._counted]
            if not self._add_cuts(solver, values, whole=not relaxed):
                break
            if turn == cuts or (deadline is not None and deadline.passed):
                return NO_ANSWER
        info = solver.getInfo()
        if relaxed:
            duals = np.array(solver.getSolution().row_dual)[: len(self.pool.types)]
            return Answer(None, info.objective_function_value, info.objective_function_value, optimal, duals)
        copies = np.rint(values).astype(np.int64)
        whole = bool(np.abs(values - copies).max(initial=0) < 1e-5) and self._covers(copies)
        return Answer(copies if whole else None, info.objective_function_value, info.mip_dual_bound, optimal)

    def _add_cuts(self, solver: Any, values: Floats, *, whole: bool) -> int:
        """Add a cut for every class that breaks a line that is not linear; return how many."""
        added, rows = 0, values[: len(self.pool.members)]
        for line in self.checks.curved:
            cut, member, coefficient, number = broken_cuts(line, self.pool, self.checks, rows, whole=whole)
            add_rows(solver, cut, member, coefficient, number)
            added += number
        return added

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
        rows, columns = Constraints(), Columns()
        self._cover(rows, columns)
        opened = self._open(rows, columns) if self._has_binaries else 0
        sizes = self._measure(rows, columns) if np.isin(self.checks.lines[:, 0], (EQUAL, METRIC)).any() else 0
        for place, line in enumerate(self.checks.lines):
            if line[0] in (SHARE, ENTROPY, RECURSIVE):
                self._limit_shares(rows, line)
            elif line[0] == DISTINCT:
                self._differ(rows, columns, line, opened)
            elif line[0] == CLOSE:
                self._keep_close(rows, columns, place)
            else:
                put = put_excess if line[0] == EQUAL else put_plans
                added = put(rows, self.pool, self.checks, place, sizes=sizes, first=columns.number)
                columns.add(np.zeros(added), highs().kHighsInf)
        integral = None if relaxed else np.concatenate(columns.whole)
        cost, upper = np.concatenate(columns.cost), np.concatenate(columns.upper)
        return model_of(rows, cost, upper, integral), columns.number

    @property
    def _has_binaries(self) -> bool:
        """Whether a pattern is open or shut: for least numbers of rows, or of different values."""
        return self.checks.rows > 1 or bool((self.checks.lines[:, 0] == DISTINCT).any())

    def _codes(self, line: Floats) -> Ints:
        """Return the value of each member, of the attribute of a line."""
        codes: Ints = self.checks.codes[int(line[1])][self.pool.types[self.pool.members]]
        return codes

    def _cover(self, rows: Constraints, columns: Columns) -> None:
        """Add copies of each member, and of each type elsewhere; every row is somewhere."""
        pool, types, number = self.pool, len(self.pool.types), len(self.pool.members)
        limits = len(self.checks.lines) > 0
        rows.add(types, pool.counts.astype(np.float64), pool.counts.astype(np.float64))
        columns.add(pool.costs[pool.pattern_of_member] / self.denominator, pool.counts[pool.members], whole=limits)
        rows.put(pool.members, np.arange(number), 1.0)
        if self.outlets is None:
            return
        known, limited = self.outlets >= 0, self.capacity is not None
        first = columns.add(
            np.where(known, self.outlets, 0) / self.denominator, np.where(known, pool.counts, 0), whole=limited
        )
        rows.put(np.arange(types), first + np.arange(types), 1.0)
        if self.capacity is not None:
            most = rows.add(1, -highs().kHighsInf, float(self.capacity))
            rows.put(np.full(types, most), first + np.arange(types), 1.0)

    def _open(self, rows: Constraints, columns: Columns) -> int:
        """Let patterns be open, with the least number of rows, or shut; return the first of their columns."""
        pool, patterns, x = self.pool, self.pool.pattern_of_member, np.arange(len(self.pool.members))
        opened = columns.add(np.zeros(len(pool)), 1.0, whole=True)
        least = rows.add(len(pool), 0.0, highs().kHighsInf)
        rows.put(least + patterns, x, 1.0)
        rows.put(least + np.arange(len(pool)), opened + np.arange(len(pool)), -float(self.checks.rows))
        shut = rows.add(len(x), -highs().kHighsInf, 0.0)
        rows.put(shut + x, x, 1.0)
        rows.put(shut + x, opened + patterns, -pool.counts[pool.members].astype(np.float64))
        return opened

    def _measure(self, rows: Constraints, columns: Columns) -> int:
        """Add the rows of each pattern; return the first of their columns."""
        every = np.arange(len(self.pool))
        sizes, first = columns.add(np.zeros(len(every)), highs().kHighsInf), rows.add(len(every), 0.0, 0.0)
        rows.put(first + self.pool.pattern_of_member, np.arange(len(self.pool.members)), 1.0)
        rows.put(first + every, sizes + every, -1.0)
        return sizes

    def _limit_shares(self, rows: Constraints, line: Floats) -> None:
        """Let each value of a pattern have no more than its largest share of the rows."""
        codes, patterns, x = self._codes(line), self.pool.pattern_of_member, np.arange(len(self.pool.members))
        width = int(codes.max()) + 1
        keys = np.unique(patterns * width + codes)
        first = rows.add(len(keys), -highs().kHighsInf, 0.0)
        starts = np.searchsorted(keys // width, np.arange(len(self.pool) + 1))
        largest = largest_share(line, np.diff(starts).astype(np.float64))
        scale = np.where(largest > 0, 1 / np.where(largest > 0, largest, 1), 1.0)
        own, others = (scale * (1 - largest))[patterns], (-scale * largest)[patterns]
        for value in range(int(np.diff(starts).max(initial=0))):
            has = starts[patterns] + value < starts[patterns + 1]
            row = starts[patterns[has]] + value
            mine = keys[row] % width == codes[has]
            rows.put(first + row, x[has], np.where(mine, own[has], others[has]))

    def _differ(self, rows: Constraints, columns: Columns, line: Floats, opened: int) -> None:
        """Let open patterns have the least number of different values."""
        codes, patterns = self._codes(line), self.pool.pattern_of_member
        width = int(codes.max()) + 1
        keys, entry = np.unique(patterns * width + codes, return_inverse=True)
        present = columns.add(np.zeros(len(keys)), 1.0, whole=True)
        taken = rows.add(len(keys), -highs().kHighsInf, 0.0)
        rows.put(taken + np.arange(len(keys)), present + np.arange(len(keys)), 1.0)
        rows.put(taken + entry.reshape(-1), np.arange(len(codes)), -1.0)
        enough = rows.add(len(self.pool), 0.0, highs().kHighsInf)
        rows.put(enough + keys // width, present + np.arange(len(keys)), 1.0)
        rows.put(enough + np.arange(len(self.pool)), opened + np.arange(len(self.pool)), -line[2])

    def _keep_close(self, rows: Constraints, columns: Columns, place: int) -> None:
        """Let mass move over edges of a tree or a line by at most t of the rows."""
        pool, line, inf = self.pool, self.checks.lines[place], highs().kHighsInf
        codes, patterns, x = self._codes(line), pool.pattern_of_member, np.arange(len(pool.members))
        edges, weights, shares = self.checks.edges[place], self.checks.weights[place], self.checks.shares[int(line[1])]
        budget = rows.add(len(pool), -inf, 0.0)
        rows.put(budget + patterns, x, -line[2])
        for edge in np.flatnonzero(weights > 0):
            moved = columns.add(np.zeros(len(pool)), inf)
            over = edges[edge][codes] - edges[edge] @ shares
            for sign in (1.0, -1.0):
                first = rows.add(len(pool), -inf, 0.0)
                rows.put(first + patterns, x, sign * over)
                rows.put(first + np.arange(len(pool)), moved + np.arange(len(pool)), -1.0)
            rows.put(budget + np.arange(len(pool)), moved + np.arange(len(pool)), float(weights[edge]))

    def _completed(self, copies: Ints, columns: int) -> Floats:
        """Return a start with y = 1 where a pattern takes something; the solver completes the rest."""
        values = np.zeros(columns)
        values[: len(copies)] = copies
        taken = np.bincount(
            self.pool.pattern_of_member, weights=copies[: len(self.pool.members)], minlength=len(self.pool)
        )
        if self._has_binaries:
            values[self._counted : self._counted + len(self.pool)] = taken > 0
        return values


def put_excess(rows: Constraints, pool: Pool, checks: Checks, place: int, *, sizes: int, first: int) -> int:
    """Let values go beyond their share of the table by at most t of the rows; return how many columns that adds.

    They come from `first` on. `sizes` is the first of the columns that have the rows of each pattern; those of members
    come before all others.
    """
    line, every, width = checks.lines[place], np.arange(len(pool)), checks.totals.shape[1]
    codes, shares = checks.codes[int(line[1])][pool.types[pool.members]], checks.shares[int(line[1])]
    keys, own = np.unique(pool.pattern_of_member * width + codes, return_inverse=True)
    patterns, values = np.divmod(keys, width)
    excess = np.arange(len(keys))
    limit = rows.add(len(keys), -highs().kHighsInf, 0.0)
    rows.put(limit + own.reshape(-1), np.arange(len(codes)), 1.0)
    rows.put(limit + excess, sizes + patterns, -shares[values])
    rows.put(limit + excess, first + excess, -1.0)
    budget = rows.add(len(pool), -highs().kHighsInf, 0.0)
    rows.put(budget + every, sizes + every, -line[2])
    rows.put(budget + patterns, first + excess, 1.0)
    return len(keys)


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
