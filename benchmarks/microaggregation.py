"""Microaggregation: its methods on the synthetic census of n and 4n rows, with centroids, beside Mondrian."""

from __future__ import annotations

from functools import partial
from math import log

from benchmarks.measure import function, show
from shoal.methods.auto import methods
from shoal.microdata.microdata import encode
from shoal.models.requirement import parse_requirement
from shoal.problem import Problem, Solution, make_problem
from shoal.studies.synth import QUASI, SENSITIVE, census, census_hierarchies
from shoal.tables.roles import Roles
from shoal.tables.table import Table

SIZES = (10_000, 40_000)
ASKED = {
    "k=5": ("mondrian", "microaggregation"),
    "k=5 t(income:ordered)=0.15": (
        *("mondrian", "microaggregation-merge", "microaggregation-swap", "microaggregation-tfirst"),
    ),
}


def main() -> None:
    rows: list[list[object]] = []
    for require, names in ASKED.items():
        for name in names:
            before: float | None = None
            for size in SIZES:
                problem = _problem(size, require)
                found: list[Solution] = []
                seconds = function(partial(_solve, name, problem, found), times=1).cpu
                growth = "" if before is None else f"{log(seconds / before, 4):.2f}"
                rows.append(
                    [name, require, f"{size:,}", seconds, growth, found[-1].cost, f"{len(found[-1].partition):,}"]
                )
                before = seconds
    show("Census, centroids", ("method", "require", "rows", "CPU s", "exponent", "centroid error", "classes"), rows)


def _problem(size: int, require: str) -> Problem:
    frame = census(size)
    roles = Roles.of(frame.columns, quasi=QUASI, sensitive=SENSITIVE)
    return make_problem(
        encode(Table(frame), roles, census_hierarchies()), parse_requirement(require), recoding="centroid"
    )


def _solve(name: str, problem: Problem, found: list[Solution]) -> None:
    found.append(methods()[name]().run(problem))


if __name__ == "__main__":
    main()
