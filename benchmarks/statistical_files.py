"""Statistical files: a survey with labels in Stata and SPSS files, beside what pyreadstat takes to read and write it.

`python -m benchmarks.statistical_files` takes 500,000 rows; name other numbers, such as `2000000 10000000`, and `.dta`
or `.sav` for one format alone. The floor reads the file with pyreadstat and writes its cells and labels again. *Read
and write* is the same by shoal, which also keeps codes apart from words, reads back what it wrote and compares every
cell. *Anonymize* is the whole command: search, audit and certificate besides. CPU seconds are of whole processes.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyreadstat

from benchmarks.measure import Measurement, command, show

ROWS, SUFFIXES = (500_000,), (".dta", ".sav")
VALUES: dict[str, dict[Any, str]] = {
    "sex": {1: "man", 2: "woman"},
    "region": {code: f"region {code}" for code in range(1, 22)},
    "school": {1: "primary", 2: "secondary", 3: "university"},
    "status": {code: f"status {code}" for code in range(1, 8)},
}
LABELS: dict[str, str | None] = {
    "sex": "Sex",
    "region": "Region",
    "school": "Highest school",
    "age": "Age in years",
    "income": "Income",
}
FLOOR = """
import sys
import pyreadstat
suffix, source, target = sys.argv[1:]
get, put = {".dta": ("read_dta", "write_dta"), ".sav": ("read_sav", "write_sav")}[suffix]
frame, stated = getattr(pyreadstat, get)(source, output_format="polars")
labels = {"column_labels": stated.column_names_to_labels, "variable_value_labels": stated.variable_value_labels}
getattr(pyreadstat, put)(frame, target, **labels)
"""
BOTH_WAYS = """
import sys
from pathlib import Path
import numpy as np
from shoal.tables.table import read
from shoal.tables.writing import write_rows
table = read(sys.argv[2])
write_rows(table, Path(sys.argv[3]), np.arange(table.rows), labels=table.origin.labels)
"""


def survey(rows: int, seed: int = 1) -> pl.DataFrame:
    """People of a survey: codes with labels, ages, weeks, an income that some do not tell."""
    rng = np.random.default_rng(seed)
    coded = {name: rng.integers(1, len(codes) + 1, rows, dtype=np.int32) for name, codes in VALUES.items()}
    income = pl.Series(np.round(rng.lognormal(10, 0.5, rows), -2)).set(pl.Series(rng.random(rows) < 0.05), None)
    age, weeks = (rng.integers(low, high, rows, dtype=np.int32) for low, high in ((16, 95), (0, 53)))
    return pl.DataFrame({**coded, "age": age, "weeks": weeks, "income": income})


def write_survey(path: Path, rows: int) -> None:
    put: Any = {".dta": pyreadstat.write_dta, ".sav": pyreadstat.write_sav}[path.suffix]
    put(survey(rows), path, column_labels=LABELS, variable_value_labels=VALUES)


def main(sizes: Sequence[int] = ROWS, suffixes: Sequence[str] = SUFFIXES) -> None:
    lines: list[list[object]] = []
    for suffix in suffixes:
        for rows in sizes:
            lines += _measured(suffix, rows)
    show("Statistical files", ("rows", "format", "what", "CPU s", "x floor", "wall s", "peak MB"), lines)


def _measured(suffix: str, rows: int) -> list[list[object]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source, target, out = folder / f"survey{suffix}", folder / f"copy{suffix}", folder / "out"
        command(sys.executable, "-c", MAKE, source, str(rows))
        floor = command(sys.executable, "-c", FLOOR, suffix, source, target)
        both = command(sys.executable, "-c", BOTH_WAYS, suffix, source, target)
        roles = ("--quasi", "sex,region,school,age", "--sensitive", "status", "--other", "income,weeks")
        asked = (*roles, "--allow", "income,weeks", "--require", "k=5", "--method", "mondrian", "--recoding", "range")
        whole = command(sys.executable, "-m", "shoal", "anonymize", source, *asked, "-o", out)
    ways = {"floor: pyreadstat": floor, "read and write": both, "anonymize": whole}
    return [_line(rows, suffix, what, taken, floor) for what, taken in ways.items()]


MAKE = (
    "import sys; from pathlib import Path; from benchmarks.statistical_files import write_survey;"
    " write_survey(Path(sys.argv[1]), int(sys.argv[2]))"
)


def _line(rows: int, suffix: str, what: str, taken: Measurement, floor: Measurement) -> list[object]:
    return [f"{rows:,}", suffix, what, taken.cpu, taken.cpu / floor.cpu, taken.wall, taken.memory]


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    named = [word for word in sys.argv[1:] if not word.isdigit()]
    main(numbers or ROWS, named or SUFFIXES)
