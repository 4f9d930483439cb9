"""Queries: how wrong are counts taken from releases of the synthetic census, of one table or two; Anatomy's time."""

from __future__ import annotations

import time

import shoal
from benchmarks.measure import function, show
from shoal.methods.l_diversity.anatomy import Anatomy
from shoal.request import Request
from shoal.steps.preparation import prepare
from shoal.studies.synth import QUASI, census, census_hierarchies
from shoal.tables.table import Table
from shoal.utility import query_error

ROWS = 20_000
REQUIRE = "l(occupation)=5"
RELEASES = [
    ("anatomy", "anatomy"),
    ("anatomy", "mondrian"),
    ("range", "mondrian"),
    ("suppress", "mondrian"),
    ("suppress", "peel"),
    ("generalize", "peel"),
]
SIZES = (37_500, 150_000, 600_000)


def main() -> None:
    original = census(ROWS, seed=1)
    hierarchies = {name: builder for name, builder in census_hierarchies().items() if name in QUASI}
    rows: list[list[object]] = []
    for recoding, method in RELEASES:
        began = time.process_time()
        made = shoal.anonymize(
            original,
            quasi=QUASI,
            sensitive=["occupation"],
            leave_out="rest",
            require=REQUIRE,
            recoding=recoding,
            method=method,
            hierarchies=hierarchies,
        )
        took = time.process_time() - began
        for attributes in (1, 2, 4):
            found = query_error(made, original, attributes=attributes)
            first = [method, recoding, f"{made.certificate.classes:,}", took] if attributes == 1 else ["", "", "", ""]
            rows.append([*first, str(attributes), found.median, found.mean, found.worst_tenth])
    headings = ("method", "recoding", "classes", "CPU s", "columns asked", "median", "mean", "worst tenth")
    show(f"Relative error of 1,000 counts, {ROWS:,} people, {REQUIRE}", headings, rows)
    show("Anatomy, l(occupation)=6", ("rows", "encode CPU s", "anatomy CPU s"), [_grown(size) for size in SIZES])


def _grown(size: int) -> list[object]:
    """Return what encoding and the method take for so many rows."""
    table, request = Table(census(size)), Request(QUASI, "l(occupation)=6", ["occupation"], method="anatomy")
    problem = prepare(table, request).problem
    encoding = function(lambda: prepare(table, request), times=2).cpu
    return [f"{size:,}", encoding, function(lambda: Anatomy().run(problem), times=2).cpu]


if __name__ == "__main__":
    main()
