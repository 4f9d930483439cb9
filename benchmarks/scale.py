"""Scale: whole commands on ever larger tables, beside the floor that nobody can beat, measured in the same run.

`python -m benchmarks.scale` takes 600,000 and 2.4 million rows; name other numbers, such as `9600000 50000000`. With
the word `spark` each method is run in Spark besides, on two cores, where pyspark with its local mode is installed.
A command reads Parquet, solves, audits and writes the release; CPU seconds are of its whole process. The growth
exponent says by which power of the rows its CPU seconds grew since the size before.
"""

from __future__ import annotations

import gc
import json
import math
import shutil
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from benchmarks.measure import Measurement, command, everything, show
from shoal.spark.session import has_local_mode
from shoal.studies.synth import QUASI, write_census

ROWS = (600_000, 2_400_000)
WAYS = {
    "mondrian": ("k=5 distinct-l(income)=3", "range"),
    "tp-plus-refined": ("l(income)=6", "suppress"),
    "hilbert": ("l(income)=6", "suppress"),
    "peel": ("l(income)=6", "suppress"),
}
"""What each method is asked for: the requirement and the recoding."""


SPARK = ("--engine", "spark", "--spark-master", "local[2]")


def main(sizes: Sequence[int] = ROWS, methods: Sequence[str] = tuple(WAYS), *, spark: bool = False) -> None:
    if spark and not (find_spec("pyspark") and has_local_mode() and shutil.which("java")):
        print("Spark is left out: it takes Java and pyspark with its local mode (pip install 'shoal[spark]')")
        spark = False
    lines: list[list[object]] = []
    before: dict[str, tuple[int, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for rows in sizes:
            source = Path(folder) / "census.parquet"
            write_census(source, rows)
            gc.collect()
            floor = command(sys.executable, "benchmarks/floor.py", source, Path(folder) / "floor", ",".join(QUASI))
            lines.append(_line(f"{rows:,}", "floor", floor, floor, None, _growth(before, "floor", rows, floor)))
            for method in methods:
                for what, more in ((method, ()), (f"{method} in spark", SPARK))[: 1 + spark]:
                    taken, cost = _released(source, Path(folder) / "out", method, more)
                    lines.append(_line(f"{rows:,}", what, taken, floor, cost, _growth(before, what, rows, taken)))
            checked = command(sys.executable, "-m", "shoal", "verify", Path(folder) / "out")
            named = f"verify the last of them ({methods[-1]})"
            lines.append(_line(f"{rows:,}", named, checked, floor, None, _growth(before, "verify", rows, checked)))
    show("Scale", ("rows", "what", "CPU s", "x floor", "wall s", "peak MB", "cost", "growth"), lines)


def _released(source: Path, out: Path, method: str, more: Sequence[str] = ()) -> tuple[Measurement, float]:
    """Run one method and return what it took and cost; with Spark, Java and its workers are measured too."""
    require, recoding = WAYS[method]
    roles = ("--quasi", ",".join(QUASI), "--sensitive", "income", "--leave-out", "rest")
    asked = (*roles, "--require", require, "--recoding", recoding)
    words: tuple[str | Path, ...] = (
        "anonymize",
        source,
        *asked,
        "--method",
        method,
        "--format",
        "parquet",
        "--overwrite",
        "-o",
        out,
        *more,
    )
    taken = (everything if more else command)(sys.executable, "-m", "shoal", *words)
    return taken, float(json.loads((out / "public" / "certificate.json").read_text())["cost"]["value"])


def _growth(before: dict[str, tuple[int, float]], what: str, rows: int, taken: Measurement) -> float | None:
    """Return the exponent of growth since the last size."""
    fewer, less = before.get(what, (0, 0.0))
    before[what] = rows, taken.cpu
    return math.log(taken.cpu / less) / math.log(rows / fewer) if fewer and fewer != rows else None


def _line(
    rows: str, what: str, taken: Measurement, floor: Measurement, cost: float | None, growth: float | None
) -> list[object]:
    return [rows, what, taken.cpu, taken.cpu / floor.cpu, taken.wall, taken.memory, cost, growth]


if __name__ == "__main__":
    named = [word for word in sys.argv[1:] if not word.isdigit() and word != "spark"]
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    main(numbers or list(ROWS), named or list(WAYS), spark="spark" in sys.argv[1:])
