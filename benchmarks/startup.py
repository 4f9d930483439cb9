"""Start-up: what `shoal --help` and a small table cost, beside an empty Python."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.measure import command, show
from shoal.studies.synth import QUASI, write_census


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "census.csv"
        write_census(source, 10_000)
        anonymize = (
            "-m",
            "shoal",
            "anonymize",
            source,
            "--quasi",
            ",".join(QUASI),
            "--sensitive",
            "income",
            "--leave-out",
            "rest",
            "--require",
            "k=5",
        )
        rows: list[list[object]] = []
        for what, words in (
            ("an empty Python", ("-c", "")),
            ("shoal --help", ("-m", "shoal", "--help")),
            ("shoal anonymize, 10,000 rows, k=5", (*anonymize, "-o", Path(folder) / "out")),
        ):
            taken = command(sys.executable, *words)
            rows.append([what, taken.cpu, taken.wall, taken.memory])
    show("Start-up", ("what", "CPU s", "wall s", "MB"), rows)


if __name__ == "__main__":
    main()
