"""Every method that takes t-closeness, side by side: classes, cost, the distance reached and CPU seconds, over t.

`python -m benchmarks.tcloseness adult ses` measures the cases named, `python -m benchmarks.tcloseness` all of them.
That takes twenty minutes of CPU time, so it is not among those that run by themselves. Every point is written to
`docs/figures/tcloseness.csv` at once, and a point that is there is not measured again: take its line out to have it
so. `python -m benchmarks.tcloseness_figures` draws the pictures and prints the tables of the docs from that file.

A method has `SECONDS` of CPU time for a point and returns the best that it has then. Loops are compiled before, on a
few rows. The tables are not part of this repository; those that are not at hand are skipped.
"""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import SHARED, once, show
from shoal.hierarchies import as_builder
from shoal.methods.auto import methods
from shoal.methods.base import Deadline
from shoal.methods.t_closeness.fragmentation.axes import closeness
from shoal.microdata.microdata import Microdata, encode
from shoal.models.requirement import parse_requirement
from shoal.problem import Problem, Solution, make_problem
from shoal.tables.roles import Roles
from shoal.tables.table import Table, read

RESULTS = Path(__file__).resolve().parents[1] / "docs" / "figures" / "tcloseness.csv"
FIELDS = ("case", "rows", "recoding", "t", "method", "classes", "cost", "reached", "cpu", "note")
LIMITS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4)
RECODINGS = {"range": LIMITS, "generalize": LIMITS, "suppress": (0.1, 0.2)}
QUADRATIC = ("microaggregation", "microaggregation-merge", "microaggregation-swap", "microaggregation-tfirst")
METHODS = (
    "fragments",
    "peel",
    "cube",
    "mondrian",
    "t-mondrian",
    "sabre",
    "point-assignment",
    "pca-order",
    *QUADRATIC,
)
QUADRATIC_UP_TO = 20_000
"""Rows up to which methods run whose time grows with the square; above `SAMPLE`, with ranges and some t alone."""
SOME, SEARCHED = (0.1, 0.2, 0.4), (0.2,)
"""Where they run then, and where the cube method does, which takes all the time that it is given."""
SECONDS = 20
SAMPLE, FEW = 5_000, 300


@dataclass(frozen=True)
class Case:
    """A table, and what is asked of it; a sample of the rows where a number is given."""

    name: str
    path: str
    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    distance: str = ""
    hierarchies: str = ""
    sample: int | None = None

    @property
    def at_hand(self) -> bool:
        """Whether the table is there."""
        return (SHARED / self.path).is_file()

    def table(self, rows: int | None = None) -> Table:
        """Return the table, or so many of its rows, drawn with a seed."""
        frame = read(SHARED / self.path).frame.select(*self.quasi, *self.sensitive)
        number = rows or self.sample
        return Table.of(frame if number is None else frame.sample(number, seed=0))

    def encoded(self, table: Table) -> Microdata:
        """Return the table in codes, with its hierarchies."""
        files = {name: SHARED / self.hierarchies.format(name) for name in self.quasi if self.hierarchies}
        builders = {name: as_builder(str(path)) for name, path in files.items()}
        return encode(table, Roles.of(table.columns, quasi=self.quasi, sensitive=self.sensitive), builders)

    def problem(self, microdata: Microdata, recoding: str, t: float) -> Problem:
        """Return what is asked: k = 5, and the same t for every sensitive attribute."""
        close = " ".join(f"t({name}{self.distance})={t}" for name in self.sensitive)
        return make_problem(microdata, parse_requirement(f"k=5 {close}"), recoding=recoding)


ADULT, FILES = "adult/adult_30162.csv.gz", "adult/hierarchies/adult_hierarchy_{}.csv"
SEVEN = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass")
EIGHT, TWO = (*SEVEN, "salary-class"), ("occupation", "salary-class")
EMPLOYEES = "gov_census/gov_census.csv.gz"
SIX = ("sex", "age", "race", "marital", "education_level", "economic_region")
NINE = ("location", "NACE1", "size", "sex", "age", "education", "occupation", "contract", "fullPart")
CASES = (
    Case("adult", ADULT, EIGHT, ("occupation",), hierarchies=FILES),
    Case("adult-two", ADULT, SEVEN, TWO, hierarchies=FILES),
    Case("employees", EMPLOYEES, SIX, ("salary",), ":ordered"),
    Case("ses", "ses/ses.csv.gz", NINE, ("earnings",), ":ordered"),
    Case("adult-sample", ADULT, EIGHT, ("occupation",), hierarchies=FILES, sample=SAMPLE),
    Case("employees-sample", EMPLOYEES, SIX, ("salary",), ":ordered", sample=SAMPLE),
)


def patience(seconds: float) -> Deadline:
    """Return a deadline so many CPU seconds from now: other jobs on the machine take none of it."""
    now = time.process_time()
    return Deadline(now + seconds, clock=time.process_time, began=now)


def main(*names: str) -> None:
    known = {case.name: case for case in CASES}
    for name in names or known:
        if not known[name].at_hand:
            print(f"{name}: the table is not at hand")
            continue
        _measure(known[name])
        rows = [[row[field] for field in FIELDS[2:]] for row in results() if row["case"] == name and row["cost"]]
        show(f"t-closeness, {name}, k = 5, {SECONDS} CPU s a point", FIELDS[2:], rows)


def results() -> list[dict[str, str]]:
    """Return the points that are measured, in the order of the file."""
    if not RESULTS.is_file():
        return []
    with RESULTS.open(newline="") as file:
        return list(csv.DictReader(file))


def _measure(case: Case) -> None:
    """Measure what is not there yet, and write it down point by point."""
    known = {(row["case"], row["recoding"], row["method"], row["t"]) for row in results()}
    table, few = case.encoded(case.table()), case.encoded(case.table(FEW))
    for recoding, limits in RECODINGS.items():
        for method in METHODS:
            reason = _left_out(case.problem(table, recoding, limits[0]), method)
            asked = [""] if reason else [str(t) for t in limits if t in _asked(method, table.rows)]
            missing = [t for t in asked if (case.name, recoding, method, t) not in known]
            if missing and not reason:
                methods()[method]().run(case.problem(few, recoding, limits[-1]), deadline=Deadline.after(1))
            for t in missing:
                found = ["", "", "", "", reason] if reason else _point(case.problem(table, recoding, float(t)), method)
                _write([case.name, table.rows, recoding, t, method, *found])


def _asked(method: str, rows: int) -> Sequence[float]:
    """Return the values of t that a method is measured at."""
    return SEARCHED if method == "cube" else SOME if method in QUADRATIC and rows > SAMPLE else LIMITS


def _left_out(problem: Problem, method: str) -> str:
    """Return why a method is not measured; nothing where it is."""
    reasons = methods()[method]().accepts(problem)
    if method in QUADRATIC and problem.rows > QUADRATIC_UP_TO:
        reasons.append("time grows with the square of the rows: see the sample")
    elif method in QUADRATIC and problem.rows > SAMPLE and problem.recoding != "range":
        reasons.append("time grows with the square of the rows: see ranges")
    if method == "cube" and (problem.recoding == "suppress" or problem.rows <= SAMPLE):
        reasons.append("it takes all the time that it is given: see generalize, and the whole table")
    return "; ".join(reasons)


def _point(problem: Problem, method: str) -> list[object]:
    """Return classes, cost, the largest distance reached, CPU seconds, and whether time ran out."""
    found: list[Solution] = []

    def run() -> None:
        found.append(methods()[method]().run(problem, deadline=patience(SECONDS)))

    took = once(run)
    solution = found[-1]
    classes = problem.classes(problem.publish(solution.partition).partition)
    reached = max(0.0, *(float(model.level(classes).max()) for model in closeness(problem.models)))
    note = "time limit" if took.cpu >= SECONDS else ""
    return [classes.number, f"{solution.cost:.6g}", f"{reached:.4f}", f"{took.cpu:.3g}", note]


def _write(row: Sequence[object]) -> None:
    new = not RESULTS.is_file()
    with RESULTS.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([FIELDS, row] if new else [row])
    print(*row, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
