"""l-diversity: TP, Hilbert, TP+ and TP+ refined on the synthetic census, by quasi-identifiers; TP by rows."""

from __future__ import annotations

import time
from functools import partial
from math import log

from benchmarks.measure import function, show
from shoal.methods.base import Deadline, Method, silent
from shoal.methods.l_diversity.hilbert import Hilbert
from shoal.methods.l_diversity.tp import TP
from shoal.methods.l_diversity.tp_plus import TPPlus
from shoal.methods.l_diversity.tp_plus_refined import TPPlusRefined
from shoal.microdata.microdata import encode
from shoal.models.requirement import parse_requirement
from shoal.problem import Problem, Solution, make_problem
from shoal.studies.synth import QUASI, census
from shoal.tables.roles import Roles
from shoal.tables.table import Table

REQUIRE = "l(income)=6"
SIZES = (600_000, 2_400_000, 9_600_000)
COMPARED = (20_000, 600_000)


def main() -> None:
    _grow()
    for size in COMPARED:
        _compare(size)


def _grow() -> None:
    rows: list[list[object]] = []
    before = 0.0
    for size in SIZES:
        problem = _problem(size, len(QUASI))
        seconds = function(partial(_solved, TP(), problem), times=5).cpu
        exponent = f"{log(seconds / before, 4):.2f}" if before else "-"
        rows.append([f"{size:,}", f"{len(problem.microdata.counts):,}", seconds, exponent])
        before = seconds
    show(f"TP from the encoded table, census, {REQUIRE}", ("rows", "distinct tuples", "CPU s", "exponent"), rows)


def _compare(size: int) -> None:
    methods: list[Method] = [TP(), Hilbert(), TPPlus(), TPPlusRefined()]
    _solved(TPPlusRefined(), _problem(10_000, 3))  # compiled
    rows: list[list[object]] = []
    for columns in range(1, len(QUASI) + 1):
        problem, row = _problem(size, columns), [columns]
        for method in methods:
            start = time.process_time()
            found = _solved(method, problem)
            row += [f"{found.cost:,.0f}", f"{time.process_time() - start:.2f}"]  # type: ignore[list-item]
        rows.append([*row, found.notes[0].split(":")[0], found.notes[1].removeprefix("the residue was refined ")])
    names = [name for method in methods for name in (f"{method.name} stars", "CPU s")]
    show(f"Census, {size:,} rows, {REQUIRE}, stars", ("columns", *names, "TP", "refined"), rows)


def _solved(method: Method, problem: Problem) -> Solution:
    return method.solve(problem, seed=0, deadline=Deadline(), progress=silent)


def _problem(size: int, columns: int) -> Problem:
    quasi = list(QUASI[:columns])
    frame = census(size).select(*quasi, "income")
    microdata = encode(Table.of(frame), Roles.of(frame.columns, quasi=quasi, sensitive=["income"]))
    microdata.counts, microdata.identity  # noqa: B018 - part of the encoding, made when first asked for
    return make_problem(microdata, parse_requirement(REQUIRE), cost="stars")


if __name__ == "__main__":
    main()
