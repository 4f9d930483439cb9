"""Risk: how long does it take to measure who could be found, and what an analyst keeps, by the number of rows?"""

from __future__ import annotations

import shoal
from benchmarks.measure import function, show
from shoal.risk import measure
from shoal.studies.synth import QUASI, census
from shoal.tables.table import Table

SIZES = (60_000, 240_000, 960_000)


def main() -> None:
    show(
        "Risk and use of the synthetic census, 7 quasi-identifiers; the release is Mondrian's, k=5, by ranges",
        ("rows", "raw: uniques", "risk CPU s", "with minimal uniques", "release: risk CPU s", "utility CPU s"),
        [_measured(size) for size in SIZES],
    )


def _measured(size: int) -> list[object]:
    """Return what the measures take for so many rows."""
    people = Table(census(size)).frame
    made = shoal.anonymize(
        people,
        quasi=QUASI,
        sensitive=["occupation"],
        leave_out="rest",
        require="k=5",
        recoding="range",
        method="mondrian",
    )
    raw = measure(people, quasi=QUASI, sample_fraction=0.1, minimal_uniques=0)
    return [
        f"{size:,}",
        f"{raw.uniques.rows:,}",
        function(lambda: measure(people, quasi=QUASI, sample_fraction=0.1, minimal_uniques=0), times=1).cpu,
        function(lambda: measure(people, quasi=QUASI, sample_fraction=0.1, minimal_uniques=4), times=1).cpu,
        function(lambda: measure(made.table, quasi=QUASI, sample_fraction=0.1), times=1).cpu,
        function(lambda: shoal.utility.measure(made, people), times=1).cpu,
    ]


if __name__ == "__main__":
    main()
