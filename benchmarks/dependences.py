"""Columns that tell of others: what is found on public tables, judged by hand, and the time of a million rows.

The rules were written with the tables of the first half before them; the second half was first looked at when they were
done.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

import numpy as np
import polars as pl

from benchmarks.measure import SHARED, show
from shoal.inspection.dependence import Dependence, dependences
from shoal.tables.table import Table, read

FIRST = (
    *("adult/adult_48842.csv.gz", "be_motor97", "eusilc", "nhanes", "employee_salaries"),
    *("brfss2015", "sdcmicro", "creditcard", "mgm"),
)
SECOND = (
    *("nist_acs_national", "gov_census", "covid_mx", "fars_gamclass", "ses", "synthea", "cmc", "heart_cleveland"),
    *("sdcmicro/free1.csv.gz", "sdcmicro/CASCrefmicrodata.csv.gz"),
)
ROLES = {
    "adult/adult_48842.csv.gz": (
        ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"],
        ["income", "capital-gain"],
    ),
    "sdcmicro/free1.csv.gz": (["REGION", "SEX", "AGE", "MARSTAT", "EDUC1", "ETNI"], ["INCOME", "ASSETS", "DEBTS"]),
    "sdcmicro/CASCrefmicrodata.csv.gz": (["AFNLWGT", "AGI"], ["PTOTVAL", "TAXINC", "FEDTAX"]),
}
"""Quasi-identifiers and sensitive columns of files that are not the main one of their folder."""
CORRELATED = {"creditcard": "BILL_AMT", "covid_mx": "COPD"}
"""By table, how the names of the tellers begin whose findings were judged to be correlation and no relation."""


@dataclass(frozen=True)
class Findings:
    """What was found in one table."""

    name: str
    pairs: int
    found: tuple[Dependence, ...]

    @property
    def correlated(self) -> int:
        """How many findings are correlation, as judged by hand."""
        begin = CORRELATED.get(self.name)
        return sum(begin is not None and one.column.startswith(begin) for one in self.found)


def main() -> None:
    for half, names in (("first half", FIRST), ("second half", SECOND)):
        if SHARED.is_dir():
            _half(half, [_findings(name) for name in names])
    if SHARED.is_dir():
        _shuffled()
    _million()


def _findings(name: str) -> Findings:
    table, told, tellers = _table(name)
    return Findings(name, len(told) * len(tellers), dependences(table, told, tellers))


def _table(name: str) -> tuple[Table, list[str], list[str]]:
    """Return a table, its quasi-identifiers and sensitive columns, and its columns but for quasi-identifiers."""
    if name in ROLES:
        path, (quasi, sensitive), identifiers = SHARED / name, ROLES[name], []
    else:
        said = json.loads((SHARED / name / "roles.json").read_text(encoding="utf-8"))
        path, roles = SHARED / name / said["main"], said["roles"]
        quasi, sensitive = roles["quasi_identifiers"], roles["sensitive"]
        identifiers = roles.get("identifiers", [])
    table = read(path)
    tellers = [column for column in table.columns if column not in (*quasi, *identifiers)]
    return table, [*quasi, *sensitive], tellers


def _shuffled() -> None:
    """Count what is found where each column is shuffled by itself, in tables of few rows and of many."""
    draw, pairs, found = np.random.default_rng(1), 0, 0
    for name in (name for name in FIRST if name not in ("be_motor97", "brfss2015")):
        table, told, tellers = _table(name)
        for rows in (30, 60, 150, 500, 2_000, table.rows):
            columns = [column.gather(draw.permutation(table.rows)[:rows]) for column in table.frame.iter_columns()]
            found += len(dependences(Table.of(pl.DataFrame(columns)), told, tellers))
            pairs += len(told) * len(tellers)
    show("columns shuffled", ("pairs", "found"), [[f"{pairs:,}", found]])


def _half(half: str, found: list[Findings]) -> None:
    rows: list[list[object]] = [[one.name, one.pairs, len(one.found), one.correlated] for one in found]
    total = [
        sum(one.pairs for one in found),
        sum(len(one.found) for one in found),
        sum(one.correlated for one in found),
    ]
    show(f"columns that tell, {half}", ("table", "pairs", "found", "correlation"), [*rows, ["all", *total]])
    for one in found:
        for dependence in one.found:
            print(f"  {one.name}: {dependence.reason}")


def _million() -> None:
    draw, rows = np.random.default_rng(0), 1_000_000
    columns = {f"c{index}": draw.integers(0, 10 ** (1 + index % 6), rows) for index in range(40)}
    table = Table.of(pl.DataFrame(columns))
    begin, cpu = time.perf_counter(), time.process_time()
    found = dependences(table, table.columns[:10], table.columns[10:])
    seconds = [f"{time.perf_counter() - begin:.1f}", f"{time.process_time() - cpu:.1f}"]
    show("a million rows, 40 columns", ("pairs", "found", "seconds", "CPU"), [[300, len(found), *seconds]])


if __name__ == "__main__":
    main()
