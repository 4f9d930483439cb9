"""Adult with ARX's hierarchies, nine columns, k = 5, NCP: one level a column beside `peel` and `cube`, in one table.

The best full-domain recodings are the optima that ARX finds. *Iterated* is the plain form of ARX's local recoding: the
rows that one suppresses are recoded again, until none is left. (ARX's best is better than that: it goes in small
steps.) All are published first, then compared as tables that something else made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import polars as pl

import shoal
from benchmarks.measure import SHARED, function, show
from shoal.core.arrays import Ints
from shoal.hierarchies import as_builder
from shoal.methods.full_domain.full_domain import FullDomain
from shoal.microdata.microdata import encode
from shoal.microdata.partition import Partition
from shoal.models.requirement import parse_requirement
from shoal.problem import Problem, make_problem
from shoal.studies.comparison import compare
from shoal.studies.synth import QUASI, census, census_hierarchies
from shoal.tables.roles import Roles
from shoal.tables.table import TABLE, Table, read

ADULT = SHARED / "adult"
COLUMNS = (
    *("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation", "salary-class"),
)
LIMITS = ("0", "0.05", "1")
SECONDS = 60.0
"""What `cube` may take."""
MANY = (("k=5", "0.05"), ("distinct-l(occupation)=6", "0.05"))


def main() -> None:
    if not ADULT.is_dir():
        print("arx: skipped, the table is not at hand")
        return
    trees = {name: str(ADULT / "hierarchies" / f"adult_hierarchy_{name}.csv") for name in COLUMNS}
    _searches(trees)
    _side_by_side(trees)


def _side_by_side(trees: dict[str, str]) -> None:
    table = read(ADULT / "adult_30162.csv.gz", separator=";")
    asked: dict[str, Any] = {"quasi": COLUMNS, "require": "k=5", "hierarchies": trees}
    also = {f"full-domain, {float(limit):.0%}": _best(table, asked, limit) for limit in LIMITS}
    also["iterated"] = _iterated(_adult(trees, "1"))
    found = compare(
        table, methods=["peel", "cube"], also=also, recoding="generalize", cost="ncp", time_limit=SECONDS, **asked
    )
    rows = [[one.method, one.status, one.cost, found.lower_bound, one.gap, one.classes] for one in found.outcomes]
    show("Adult, 9 columns, k = 5", ("release", "status", "NCP", "lower bound", "gap", "classes"), rows)


def _best(table: Table, asked: dict[str, Any], limit: str) -> pl.DataFrame:
    return shoal.anonymize(
        table, recoding="full-domain", cost="ncp", max_suppressed=limit, leave_out="rest", **asked
    ).table


def _iterated(problem: Problem) -> pl.DataFrame:
    """Recode what is left by the best levels for it, as long as some rows can be published so; the rest is starred."""
    local = replace(problem, recoding="generalize", max_suppressed=Fraction(0))
    labels, left = np.full(problem.rows, problem.rows), np.arange(problem.rows)
    for number, (rows, classes) in enumerate(_rounds(problem, left)):
        labels[rows] = number * problem.rows + classes
    return local.publish(Partition.of(labels)).tables()[TABLE]


def _rounds(problem: Problem, left: Ints) -> Iterator[tuple[Ints, Ints]]:
    while len(left):
        part = replace(problem.of_rows(left), max_suppressed=Fraction(1), suppressed="arx")
        found = FullDomain().run(part).partition
        shown = found.class_of_row != (-1 if found.starred is None else found.starred)
        if not shown.any():
            return
        yield left[shown], found.class_of_row[shown]
        left = left[~shown]


def _adult(trees: dict[str, str], limit: str) -> Problem:
    table = read(ADULT / "adult_30162.csv.gz", separator=";")
    builders = {name: as_builder(tree) for name, tree in trees.items()}
    data = encode(table, Roles.of(table.columns, quasi=COLUMNS), builders)
    return make_problem(data, parse_requirement("k=5"), recoding="full-domain", max_suppressed=limit)


def _searches(trees: dict[str, str]) -> None:
    """Measure the search: the table is encoded and loops are compiled before."""
    problems = {f"Adult, at most {float(limit):.0%}": _adult(trees, limit) for limit in LIMITS}
    problems |= {f"census, 600,000 rows, {require}, 5%": _census(require, limit) for require, limit in MANY}
    rows = []
    for name, problem in problems.items():
        taken, found = function(partial(FullDomain().run, problem)), FullDomain().run(problem)
        rows.append([name, found.cost, found.notes[0].partition(" nodes")[0], taken.cpu, taken.wall])
    show("One level for a column", ("request", "NCP", "nodes looked at", "CPU s", "wall s"), rows)


def _census(require: str, limit: str) -> Problem:
    table, trees = Table.of(census(600_000, 1)), census_hierarchies()
    roles = Roles.of(table.columns, quasi=QUASI, sensitive=["income", "occupation"])
    data = encode(table, roles, {name: trees[name] for name in QUASI})
    return make_problem(data, parse_requirement(require), recoding="full-domain", max_suppressed=limit)


if __name__ == "__main__":
    main()
