"""On which side the rest of a gap lies: release, linear program and bound, on samples for which the program is solved.

`python -m benchmarks relaxations` runs every sample; `python -m benchmarks.relaxations NAME` one of them. Where models
limit shares it is the program over all patterns without a least number of rows (`patterns/master_program.py`), by
column generation; for k-anonymity it is the relaxed pattern program over the patterns that lose little to the prices.

`python -m benchmarks.relaxations NAME whole` takes the whole table and a first-order method (PDLP of HiGHS), which
comes within a thousandth in minutes where others take hours. The program has only the members that lose least to
the prices, of each row type some and of all types together some more, so that the program of all is worth no more.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import numpy as np

from benchmarks.measure import SHARED, show
from benchmarks.proofs import CASES, Case, request_of
from shoal.bounds.prices import Pricing
from shoal.core.arrays import Bools, Floats, Ints
from shoal.core.solver import new_solver
from shoal.methods.base import Deadline
from shoal.methods.general.cube import CubeSearch
from shoal.patterns.checks import Checks
from shoal.patterns.cube import Cube
from shoal.patterns.master_program import MasterProgram, needed, reduced_costs
from shoal.patterns.pool import Pool
from shoal.patterns.program import Program
from shoal.steps.preparation import prepare
from shoal.studies.synth import census
from shoal.tables.table import Table, read

SAMPLES = {"close": 500, "creditcard": 2_000, "ncp-8": 2_000, "census": 6_000}
"""Cases of `benchmarks.proofs`, and how many rows."""
WHOLE = {"ncp-8": 30_162, "stars-8": 30_162, "close": 30_162, "census": 60_000}
"""The same for whole tables."""
SECONDS = 100
"""For the release."""
RESERVE, FIRST = 60, 20
"""Patterns for each row type that the program may use, and that it begins with, on average."""
EACH, TOGETHER = 10, 12
"""Of a whole table: patterns for each row type, and how many times as many members as there are types besides."""
SLACK = {False: 0.02, True: 0.06}
"""What a class may lose to the prices, as a share of a row of stars, for its pattern to be in the relaxed program, of a
sample and of a whole table."""
SHARES_SLACK = 0.5
"""The same where shares are limited, of a whole table; of a sample all patterns are."""
FIRST_ORDER = {"solver": "pdlp", "kkt_tolerance": 1e-3, "time_limit": 600.0}
HEADINGS = ("rows", "types", "release", "linear program", "bound", "CPU s")


def main() -> None:
    """Run every sample."""
    rows = [[name, *(line[key] for key in HEADINGS)] for name in SAMPLES if (line := one(name))]
    show("Releases, linear programs and bounds of samples", ("case", *HEADINGS), rows)


def one(name: str, *, whole: bool = False) -> dict[str, object]:
    """Search a sample, solve its linear program, and return what was seen."""
    case, number, began = CASES[name], (WHOLE if whole else SAMPLES)[name], time.process_time()
    problem = prepare(_sample(case, number), request_of(case)).problem
    found = CubeSearch().run(problem, deadline=Deadline.after(SECONDS))
    assert found.prices is not None
    pricing = Pricing.kept(problem, lambda: None)
    prices = np.zeros(pricing.cube.types, np.int64)
    prices[pricing.cube.type_of_row] = found.prices.of_row
    checks = Checks.of(pricing.cube, problem.models)
    value = (_of_shares if len(checks.lines) else _of_rows)(pricing, checks, prices, whole)
    line: dict[str, object] = {
        "case": name,
        "rows": number,
        "types": pricing.cube.types,
        "release": found.cost,
        "linear program": pricing.measured(int(value * pricing.cube.denominator)),
        "bound": found.lower_bound,
        "CPU s": round(time.process_time() - began, 1),
    }
    print(json.dumps(line), flush=True)
    return line


def _sample(case: Case, number: int) -> Table:
    if case.table == "census":
        return Table.of(census(number, 1))
    return Table.of(read(SHARED / case.table).frame.sample(number, seed=1))


def _of_shares(pricing: Pricing, checks: Checks, prices: Ints, whole: bool) -> float:
    """Return the value of the program over all patterns; the widest pattern is always among those it begins with."""
    cube = pricing.cube
    everything, slack = np.arange(cube.types), int(SHARES_SLACK * cube.full) if whole else 2**60
    pool = Pool.of(cube, everything, cube.counts, prices, rows=checks.rows, slack=slack, most=60_000_000)
    assert pool is not None
    if whole:
        pool = pool.joined(*_widest(cube))
    sizes = np.diff(pool.starts)
    losses = np.where(np.repeat(sizes == cube.types, sizes), -1.0, reduced_costs(pool, checks, prices))
    if whole:
        kept = needed(losses, TOGETHER * cube.types) | _best_of_each(pool.members, losses, EACH)
        return _nearly(MasterProgram(pool.part(kept), checks, cube.denominator).model())
    kept = needed(losses, RESERVE * cube.types)
    program = MasterProgram(pool.part(kept), checks, cube.denominator)
    vertex = program.solve(needed(losses[kept], FIRST * cube.types))
    assert vertex is not None
    return vertex.value


def _best_of_each(types: Ints, losses: Floats, most: int) -> Bools:
    """Return which members are among so many of their type that lose least."""
    order = np.lexsort((losses, types))
    first = np.searchsorted(types[order], types[order])
    chosen = np.zeros(len(losses), dtype=bool)
    chosen[order[np.arange(len(order)) - first < most]] = True
    return chosen


def _of_rows(pricing: Pricing, checks: Checks, prices: Ints, whole: bool) -> float:
    """Return the value of the relaxed pattern program over patterns that lose little to the prices, and all stars."""
    cube = pricing.cube
    everything, slack = np.arange(cube.types), int(SLACK[whole] * cube.full)
    pool = Pool.of(cube, everything, cube.counts, prices, rows=checks.rows, slack=slack, most=2_000_000)
    assert pool is not None
    program = Program(pool.joined(*_widest(cube)), checks, cube.denominator)
    return _nearly(program.model(relaxed=True)[0]) if whole else program.solve(relaxed=True).value


def _widest(cube: Cube) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the pattern of stars, which all types match, as a pool takes it."""
    types = np.arange(cube.types)
    return np.array([cube.number - 1]), np.array([cube.full]), np.zeros(cube.types, np.int64), types


def _nearly(model: Any) -> float:
    """Return what a program is worth, as near as a first-order method comes."""
    solver = new_solver()
    for option, value in FIRST_ORDER.items():
        solver.setOptionValue(option, value)
    solver.passModel(model)
    solver.run()
    value = float(solver.getInfo().objective_function_value)
    if value <= 0:
        sys.exit("the first-order method found no solution in its time")
    return value


if __name__ == "__main__":
    one(sys.argv[1], whole="whole" in sys.argv[2:])
