"""Methods with a guarantee beside those without, on Adult with 8 quasi-identifiers; costs, best bound, gaps, seconds.

Each k is one `compare` run: the whole table, and a sample of 2,000 rows for the methods that are meant for small ones.
`python -m benchmarks guarantees`; `python -m benchmarks.guarantees 60` sets the time limit of each method.
"""

from __future__ import annotations

import sys

import polars as pl

import shoal
from benchmarks.measure import SHARED, show
from shoal.studies.comparison import Comparison, Outcome

QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
LARGE = ("m-approx", "forest", "set-cover", "mondrian", "peel", "cube")
SMALL = {2: ("factor-1-2", "simplex-matching"), 3: ("factor-2",)}
KS = (2, 3, 5, 10)


def main(seconds: float = 60) -> None:
    source = SHARED / "adult" / "adult_30162.csv.gz"
    if not source.is_file():
        print("guarantees: skipped, the table is not at hand")
        return
    adult = pl.read_csv(source, separator=";")
    sample = adult.sample(2_000, seed=1)
    for name, table in (("a sample of 2,000 rows of Adult", sample), ("Adult, 30,162 rows", adult)):
        rows = [row for k in KS for row in _rows(k, _compared(table, k, seconds))]
        head = ("k", "method", "status", "stars", "lower bound", "gap", "classes", "seconds", "MB")
        show(f"{name}, 8 quasi-identifiers, stars", head, rows)


def _compared(table: pl.DataFrame, k: int, seconds: float) -> Comparison:
    small = SMALL.get(k, ()) if table.height <= 2_000 else ()
    return shoal.compare(table, methods=[*LARGE, *small], quasi=QUASI, require=f"k={k}", time_limit=seconds)


def _rows(k: int, found: Comparison) -> list[list[object]]:
    solved = [outcome for outcome in found.outcomes if outcome.cost is not None]
    return [[k, *_row(outcome)] for outcome in sorted(solved, key=lambda outcome: -(outcome.cost or 0))]


def _row(outcome: Outcome) -> list[object]:
    figures = [
        f"{outcome.cost:,.0f}",
        f"{outcome.lower_bound or 0:,.0f}",
        outcome.gap,
        outcome.classes,
        outcome.seconds,
    ]
    return [outcome.method, outcome.status, *figures, _megabytes(outcome)]


def _megabytes(outcome: Outcome) -> int:
    return (outcome.peak_memory or 0) // 2**20


if __name__ == "__main__":
    main(*map(float, sys.argv[1:]))
