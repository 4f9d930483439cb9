"""On which side the gap of ranges is: an annealed release, the linear program over classes, and the bounds.

`python -m benchmarks.range_bounds` samples 3,000 rows of Adult, `python -m benchmarks.range_bounds 5000` so many. The
linear program asks for the highest prices at which no class gains. Classes that gain are added to it until hardly any
does: then what it says (*program*) and what is proved (*proved*) are next to each other, and no prices, which are not
below 0, prove much more. The table is not part of this repository; where it is not at hand, nothing is measured.
"""

from __future__ import annotations

import sys
from time import process_time

import numpy as np
import polars as pl

from benchmarks.measure import show
from benchmarks.ranges import ADULT, SEVEN
from shoal.bounds.class_gains import ClassSearch
from shoal.bounds.range_box import RangeBox
from shoal.bounds.range_neighbour import RangeNeighbour
from shoal.bounds.range_prices import Ascent, Program, RangePrices
from shoal.core.interruptible import Unlimited
from shoal.methods.base import Deadline, silent
from shoal.methods.general.anneal import Anneal
from shoal.problem import Problem
from shoal.request import Request
from shoal.steps.preparation import prepare
from shoal.tables.table import Table

SEEN = 400_000
ROUNDS = 30


def main(rows: str = "3000", require: str = "k=5") -> None:
    if not ADULT.is_file():
        return
    frame = pl.read_csv(ADULT, separator=";").sample(int(rows), seed=1)
    asked = Request(list(SEVEN), require, sensitive=["occupation"], leave_out="rest", recoding="range")
    problem = prepare(Table.of(frame), asked).problem
    found: list[list[object]] = []
    for bound in (RangeNeighbour(), RangeBox(), RangePrices()):
        began = process_time()
        found.append([bound.name, bound.of(problem), process_time() - began])
    began = process_time()
    program, proved = _converged(problem)
    found += [["proved in the end", proved, process_time() - began], ["program", program, None]]
    began = process_time()
    release = Anneal().solve(problem, seed=0, deadline=Deadline(), progress=silent)
    found.append(["release, annealed", release.cost, process_time() - began])
    show(f"Adult, {int(rows):,} rows, {require}", ("what", "NCP", "CPU s (compiling at the first use)"), found)


def _converged(problem: Problem) -> tuple[float, float]:
    """Return the value of the linear program over the classes found, and what its prices prove, after all rounds."""
    search = ClassSearch.of(problem)
    least = search.smallest(SEEN, Unlimited())
    ascent = Ascent(search, least)
    for _ in ascent.rounds(ROUNDS, SEEN * len(least), Unlimited()):
        pass
    free = np.where(least > 0, float(search.full), 0.0)
    program = Program(search, ascent.centre, free, Unlimited()).raised()
    whole = search.full * problem.rows
    return int(program @ search.kinds.rows) / whole, ascent.proved / whole


if __name__ == "__main__":
    main(*sys.argv[1:])
