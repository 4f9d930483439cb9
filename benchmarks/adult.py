"""Adult, 30,162 rows, 7 quasi-identifiers, k = 5, Mondrian with ranges and value sets, beside anonypy and the floor.

anonypy runs in an environment of its own: `ANONYPY=/path/to/python python -m benchmarks adult`.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import polars as pl

from benchmarks.measure import SHARED, Measurement, command, function, show
from shoal.methods.general.mondrian import Mondrian
from shoal.microdata.microdata import encode
from shoal.models.requirement import parse_requirement
from shoal.problem import Problem, make_problem
from shoal.tables.roles import Roles
from shoal.tables.table import read

QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass")
REQUIREMENTS = ("k=5", "k=5 distinct-l(occupation)=3")
PEER = """
import sys, time, pandas, anonypy
table = pandas.read_csv(sys.argv[1], sep=";")
quasi = sys.argv[2].split(",")
for name in table.columns.difference(["age"]):
    table[name] = table[name].astype("category")
preserver = anonypy.Preserver(table, quasi, "occupation")
began = time.process_time()
preserver.anonymize_k_anonymity(k=5) if sys.argv[3] == "k=5" else preserver.anonymize_l_diversity(k=5, l=3)
print(time.process_time() - began)
"""


def main() -> None:
    source = SHARED / "adult" / "adult_30162.csv.gz"
    if not source.is_file():
        print("adult: skipped, the table is not at hand")
        return
    with tempfile.TemporaryDirectory() as folder:
        rows = [row for require in REQUIREMENTS for row in _side_by_side(source, require, Path(folder))]
        rows.append(_row("floor: read, group, write", "", _floor(source, Path(folder))))
    show("Adult, Mondrian, ranges", ("what", "require", "CPU s", "wall s", "MB", "NCP", "classes"), rows)


def _side_by_side(source: Path, require: str, folder: Path) -> list[list[object]]:
    problem = _problem(source, require)
    found = Mondrian().run(problem)
    whole = command(
        *(sys.executable, "-m", "shoal", "anonymize", source, "--quasi", ",".join(QUASI), "--sensitive", "occupation"),
        *(
            "--leave-out",
            "rest",
            "--require",
            require,
            "--recoding",
            "range",
            "--method",
            "mondrian",
            "-o",
            folder / f"r{len(require)}",
        ),
    )
    quality = (found.cost, f"{len(found.partition):,}")
    rows = [
        _row("shoal: the method, warm", require, function(lambda: Mondrian().run(problem)), *quality),
        _row("shoal: the whole command", require, whole, *quality),
    ]
    peer = os.environ.get("ANONYPY")
    if peer:
        rows.append(
            _row("anonypy: the whole program", require, command(peer, "-c", PEER, source, ",".join(QUASI), require))
        )
    return rows


def _problem(source: Path, require: str) -> Problem:
    table = read(source)
    roles = Roles.of(table.columns, quasi=QUASI, sensitive=["occupation"])
    return make_problem(encode(table, roles), parse_requirement(require), recoding="range")


def _floor(source: Path, folder: Path) -> Measurement:
    pl.DataFrame(read(source).frame).write_parquet(folder / "adult.parquet")
    return command(
        sys.executable, "-m", "benchmarks.floor", folder / "adult.parquet", folder / "back.parquet", ",".join(QUASI)
    )


def _row(what: str, require: str, taken: Measurement, *quality: object) -> list[object]:
    return [what, require, taken.cpu, taken.wall, taken.memory, *(quality or (None, None))]


if __name__ == "__main__":
    main()
