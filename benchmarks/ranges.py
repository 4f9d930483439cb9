"""Ranges and sets: Mondrian beside `auto`, which anneals, by rows and by what is asked; whole commands.

`python -m benchmarks.ranges` measures all, `python -m benchmarks.ranges adult close tables census` what is named. Every
cost is that of the certificate. The tables are not part of this repository, but for the census; where they are not at
hand, they are skipped.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import SHARED, command, show
from shoal.studies.synth import QUASI, write_census

ADULT = SHARED / "adult" / "adult_30162.csv.gz"
SEVEN = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass")
SIX = ("sex", "age", "race", "marital", "education_level", "economic_region")
NINE = ("location", "NACE1", "size", "sex", "age", "education", "occupation", "contract", "fullPart")
SIZES = (100_000, 1_000_000)
TABLES = ("brfss2015", "cmc", "creditcard", "fars_gamclass", "nhanes")
"""Tables by the roles that their `roles.json` suggests."""


@dataclass(frozen=True)
class Case:
    """A table and what is asked of it; `before` is the best method without annealing."""

    name: str
    path: Path
    quasi: Sequence[str]
    sensitive: str
    require: str
    before: str = "mondrian"


def adult() -> Iterator[Case]:
    """Yield Adult with k alone, and with two kinds of l."""
    for require in ("k=5", "k=5 distinct-l(occupation)=3", "k=5 l(occupation)=3"):
        yield Case("Adult", ADULT, SEVEN, "occupation", require)


def close() -> Iterator[Case]:
    """Yield tables with t-closeness."""
    yield Case("Adult", ADULT, (*SEVEN, "salary-class"), "occupation", "k=5 t(occupation)=0.2", "fragments")
    government = SHARED / "gov_census" / "gov_census.csv.gz"
    yield Case("employees", government, SIX, "salary", "k=5 t(salary:ordered)=0.2", "fragments")
    earnings = SHARED / "ses" / "ses.csv.gz"
    yield Case("ses", earnings, NINE, "earnings", "k=5 t(earnings:ordered)=0.2", "fragments")


def tables() -> Iterator[Case]:
    """Yield five tables, each with k alone and with t-closeness."""
    for name in TABLES:
        about = SHARED / name / "roles.json"
        if about.is_file():
            found = json.loads(about.read_text())
            quasi, sensitive = found["roles"]["quasi_identifiers"], found["roles"]["sensitive"][0]
            yield Case(name, SHARED / name / found["main"], quasi, sensitive, "k=5")
            yield Case(name, SHARED / name / found["main"], quasi, sensitive, f"k=5 t({sensitive})=0.2", "fragments")


def main(*named: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        cases = [
            case for name in named or ("adult", "close", "tables", "census") for case in _cases(name, Path(folder))
        ]
        rows = [row for case in cases if case.path.is_file() for row in _rows(case, Path(folder))]
    show("Ranges and sets", ("table", "require", "method", "NCP", "bound", "classes", "CPU s", "peak MB"), rows)


def _cases(name: str, folder: Path) -> Iterator[Case]:
    if name != "census":
        yield from {"adult": adult, "close": close, "tables": tables}[name]()
        return
    for size in SIZES:
        path = folder / f"census_{size}.csv"
        write_census(path, rows=size)
        yield Case(f"census, {size:,}", path, QUASI, "income", "k=5")


def _rows(case: Case, folder: Path) -> Iterator[list[object]]:
    asked = ("--quasi", ",".join(case.quasi), "--sensitive", case.sensitive, "--leave-out", "rest")
    for place, method in enumerate((case.before, "auto")):
        out = folder / f"{case.path.name}_{case.require}_{place}".replace(" ", "_")
        words = (sys.executable, "-m", "shoal", "anonymize", case.path, *asked, "--require", case.require)
        taken = command(*words, "--recoding", "range", "--method", method, "-o", out)
        found = json.loads((out / "public" / "certificate.json").read_text())
        yield [
            *(case.name, case.require, f"{method}: {found['method']}", found["cost"]["value"], found["lower_bound"]),
            *(found["classes"], taken.cpu, taken.memory),
        ]


if __name__ == "__main__":
    main(*sys.argv[1:])
