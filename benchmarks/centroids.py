"""Centroids: squared error of annealed groups beside those of microaggregation, on rows of three real tables.

For k and l the groups are those of MDAV, for t-closeness the nearest of the three methods that are made for it.
`anneal` begins with quick groups of its own. CPU seconds are those of the method, warm.
"""

from __future__ import annotations

import sys

from benchmarks.default_recoding import STUDIES, Study
from benchmarks.measure import SHARED, once, show
from shoal.methods.base import Method
from shoal.methods.effort import NORMAL, QUICK
from shoal.methods.general.anneal import Anneal
from shoal.methods.microaggregation.microaggregation import Microaggregation
from shoal.methods.microaggregation.microaggregation_merge import MicroaggregationMerge
from shoal.methods.microaggregation.microaggregation_swap import MicroaggregationSwap
from shoal.methods.microaggregation.microaggregation_tfirst import MicroaggregationTFirst
from shoal.problem import Problem, Solution
from shoal.request import Request
from shoal.steps.preparation import prepare
from shoal.tables.table import Table

TABLES = ("eusilc", "ses", "gov_census")
REQUIRE = ("k=5", "k=5 distinct-l({})=3", "k=5 t({}:ordered)=0.15")
CLOSE: tuple[type[Method], ...] = (MicroaggregationMerge, MicroaggregationSwap, MicroaggregationTFirst)


def main(*named: str) -> None:
    """Measure the tables that are named, or all that are at hand."""
    chosen = [study for study in STUDIES if study.name in (named or TABLES) and (SHARED / study.file).exists()]
    rows = [line for study in chosen for require in REQUIRE for line in _lines(study, require)]
    headings = ("table", "require", "method", "squared error", "beside", "classes", "CPU s")
    show("Centroids: squared error, 2,000 rows of each table", headings, rows)


def _lines(study: Study, require: str) -> list[list[object]]:
    asked = Request(study.quasi, require.format(study.sensitive), [study.sensitive], recoding="centroid")
    problem = prepare(Table.of(study.rows()), asked).problem
    groups = CLOSE if "t(" in require else (Microaggregation,)
    methods: list[Method] = [*(kind() for kind in groups), Anneal(effort=QUICK), Anneal(effort=NORMAL)]
    found = [_solved(method, problem) for method in methods]
    nearest = min(solution.cost for solution, _ in found[: len(groups)])
    names = [*(method.name for method in methods[:-2]), f"anneal, {QUICK}", f"anneal, {NORMAL}"]
    lines: list[list[object]] = [
        [
            study.name,
            require.partition("(")[0],
            name,
            solution.cost,
            solution.cost / nearest,
            len(solution.partition),
            cpu,
        ]
        for name, (solution, cpu) in zip(names, found, strict=True)
    ]
    for line in lines:
        print(*line, sep="\t", flush=True)
    return lines


def _solved(method: Method, problem: Problem) -> tuple[Solution, float]:
    found: list[Solution] = []
    taken = once(lambda: found.append(method.run(problem)))
    return found[0], taken.cpu


if __name__ == "__main__":
    main(*sys.argv[1:])
