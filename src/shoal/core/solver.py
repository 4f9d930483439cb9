"""The solver HiGHS: a linear program from triples, its options, and running it so that a deadline can end it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.interruptible import Ending

FEW_NODES = 10


@dataclass
class Constraints:
    """Constraints as triples (row, column, coefficient), gathered block by block."""

    row: list[Ints] = field(default_factory=list)
    column: list[Ints] = field(default_factory=list)
    value: list[Floats] = field(default_factory=list)
    lower: list[Floats] = field(default_factory=list)
    upper: list[Floats] = field(default_factory=list)
    number: int = 0

    def add(self, count: int, lower: float | Floats, upper: float | Floats) -> int:
        """Add rows with their limits; return the number of the first."""
        self.lower.append(np.broadcast_to(np.asarray(lower, np.float64), (count,)))
        self.upper.append(np.broadcast_to(np.asarray(upper, np.float64), (count,)))
        self.number += count
        return self.number - count

    def put(self, row: Ints, column: Ints, value: float | Floats) -> None:
        """Add coefficients; those of one row and column must be given once."""
        self.row.append(row)
        self.column.append(column)
        self.value.append(np.broadcast_to(np.asarray(value, np.float64), (len(row),)))


@cache
def highs() -> Any:
    """Return HiGHS."""
    import highspy  # loaded only where a program is solved

    return highspy


def model_of(rows: Constraints, cost: Floats, upper: Floats, whole: Bools | None = None) -> Any:
    """Return the program `minimize cost x` over columns from 0 to `upper`, those in `whole` in whole numbers."""
    row, column, value = np.concatenate(rows.row), np.concatenate(rows.column), np.concatenate(rows.value)
    order = np.lexsort((row, column))
    model = highs().HighsLp()
    model.num_col_, model.num_row_ = len(cost), rows.number
    model.col_cost_, model.col_lower_, model.col_upper_ = cost, np.zeros(len(cost)), upper
    model.row_lower_, model.row_upper_ = np.concatenate(rows.lower), np.concatenate(rows.upper)
    model.a_matrix_.format_ = highs().MatrixFormat.kColwise
    model.a_matrix_.start_ = np.searchsorted(column[order], np.arange(len(cost) + 1)).astype(np.int32)
    model.a_matrix_.index_ = row[order].astype(np.int32)
    model.a_matrix_.value_ = value[order]
    if whole is not None:
        kinds = np.array([highs().HighsVarType.kContinuous, highs().HighsVarType.kInteger])
        model.integrality_ = kinds[whole.astype(int)].tolist()
    return model


def new_solver(*, seconds: float | None = None, nodes: int | None = None, gap: float = 0.0) -> Any:
    """Return a silent solver of one thread that ends after so many seconds or nodes, or at a relative gap.

    With few nodes it does not begin anew, nor look for symmetry: that takes longer than the nodes.
    """
    solver: Any = highs().Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("mip_rel_gap", gap)
    solver.setOptionValue("mip_abs_gap", 1e-6)
    if seconds is not None:
        solver.setOptionValue("time_limit", max(float(seconds), 0.01))
    if nodes is not None:
        solver.setOptionValue("mip_max_nodes", nodes)
        solver.setOptionValue("mip_allow_restart", nodes > FEW_NODES)
        solver.setOptionValue("mip_detect_symmetry", nodes > FEW_NODES)
    return solver


def add_rows(solver: Any, row: Ints, column: Ints, value: Floats, number: int) -> None:
    """Add so many constraints `sum of value x <= 0` to a program, as triples; rows are numbered from 0."""
    order, inf = np.lexsort((column, row)), highs().kHighsInf
    starts = np.searchsorted(row[order], np.arange(number)).astype(np.int32)
    lower, upper, columns = np.full(number, -inf), np.zeros(number), column[order].astype(np.int32)
    solver.addRows(number, lower, upper, len(columns), starts, columns, value[order])


def start_from(solver: Any, values: Floats) -> None:
    """Give the solver a solution to begin with."""
    solution = highs().HighsSolution()
    solution.col_value = values.tolist()
    solver.setSolution(solution)


def run_solver(solver: Any, deadline: Ending | None) -> tuple[bool, bool]:
    """Run it, in a thread where a deadline may end it; return whether it has a solution, and whether the optimum.

    HiGHS 1.15 calls some small programs infeasible that are not, in presolving. So that word is taken only without it.
    """
    _run(solver, deadline)
    if solver.getModelStatus() == highs().HighsModelStatus.kInfeasible:
        solver.setOptionValue("presolve", "off")
        _run(solver, deadline)
    optimal = solver.getModelStatus() == highs().HighsModelStatus.kOptimal
    return optimal or solver.getInfo().primal_solution_status == 2, optimal


def _run(solver: Any, deadline: Ending | None) -> None:
    pause = None if deadline is None else deadline.pause
    if deadline is None or pause is None:
        solver.run()
        return
    if deadline.left is not None:  # it looks at its own limit, of all its runs, more often than at a request to end
        solver.setOptionValue("time_limit", solver.getRunTime() + max(deadline.left, 0.01))
    solver.HandleUserInterrupt = True
    solver.startSolve()
    try:
        while not solver.wait(pause)[0]:
            if deadline.passed:
                solver.cancelSolve()
    except BaseException:
        solver.cancelSolve()
        raise
    _ = deadline.passed  # so that it is known where its own limit ended it
