"""Utility of annealed releases: errors of counts and associations beside Mondrian's, peeled and starred ones.

Less NCP must mean better answers: each table is published whole, with k = 5, by the quick methods and by `anneal`.
"""

from __future__ import annotations

import sys

import shoal
from benchmarks.default_recoding import STUDIES, Study, errors
from benchmarks.measure import SHARED, show
from shoal.core.number_format import percent
from shoal.tables.table import read
from shoal.utility import measure

TABLES = ("adult", "eusilc", "nhanes")
RELEASES = (
    ("range", "mondrian"),
    ("range", "anneal"),
    ("generalize", "peel"),
    ("generalize", "anneal"),
    ("suppress", "peel"),
    ("suppress", "anneal"),
)


def main(*named: str) -> None:
    """Measure the tables that are named, or all that are at hand."""
    chosen = [study for study in STUDIES if study.name in (named or TABLES) and (SHARED / study.file).exists()]
    rows = [line for study in chosen for line in _lines(study)]
    headings = ("table", "recoding", "method", "cost", "counts wrong", "on average", "associations off", "told")
    show("Utility of annealed releases, k=5, hierarchies chosen by themselves", headings, rows)


def _lines(study: Study) -> list[list[object]]:
    original, lines = read(SHARED / study.file).frame.select(*study.quasi, study.sensitive), list[list[object]]()
    for recoding, method in RELEASES:
        made = shoal.anonymize(
            original,
            quasi=study.quasi,
            sensitive=[study.sensitive],
            require="k=5",
            recoding=recoding,
            method=method,
        )
        found = measure(made, original)
        cost = f"{made.certificate.cost.name} {float(made.certificate.cost):.5g}"
        lines.append([study.name, recoding, method, cost, *errors(found), percent(found.propensity.share)])
        print(*lines[-1], sep="\t", flush=True)
    return lines


if __name__ == "__main__":
    main(*sys.argv[1:])
