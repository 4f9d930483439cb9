"""HiGHS: linear and mixed-integer programs put together block by block, and solved as long as there is time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal.arrays import Bools, Floats, Ints
from shoal.cube.watching import Ending


@dataclass
class Rows:
    """The constraints as triples, gathered block by block."""

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
        """Add coefficients."""
        self.row.append(row)
        self.column.append(column)
        self.value.append(np.broadcast_to(np.asarray(value, np.float64), (len(row),)))


def new_solver(seconds: float | None, gap: float = 0.0) -> Any:
    """Return a solver that says nothing, uses one thread, and ends after so many seconds or at a relative gap."""
    import highspy

    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("mip_rel_gap", gap)
    solver.setOptionValue("mip_abs_gap", 1e-6)
    if seconds is not None:
        solver.setOptionValue("time_limit", max(float(seconds), 0.01))
    return solver


def run_solver(solver: Any, deadline: Ending | None) -> None:
    """Run the solver; in a thread of its own where a deadline may end it."""
    if deadline is None:
        solver.run()
        return
    solver.HandleUserInterrupt = True
    solver.startSolve()
    try:
        while not solver.wait(0.1)[0]:
            if deadline.passed:
                solver.cancelSolve()
    except BaseException:
        solver.cancelSolve()
        raise


def linear_model(rows: Rows, cost: Floats, upper: Floats, whole: Bools, relaxed: bool) -> Any:
    """Return the program as HiGHS takes it: columns from 0 to `upper`, those that are `whole` in integers."""
    import highspy

    row, column = np.concatenate(rows.row), np.concatenate(rows.column)
    value = np.concatenate(rows.value)
    order = np.lexsort((row, column))
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = len(cost), rows.number
    model.col_cost_, model.col_lower_, model.col_upper_ = cost, np.zeros(len(cost)), upper
    model.row_lower_, model.row_upper_ = np.concatenate(rows.lower), np.concatenate(rows.upper)
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = np.searchsorted(column[order], np.arange(len(cost) + 1)).astype(np.int32)
    model.a_matrix_.index_ = row[order].astype(np.int32)
    model.a_matrix_.value_ = value[order]
    if not relaxed:
        kinds = np.array([highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger])
        model.integrality_ = kinds[whole.astype(int)].tolist()
    return model
