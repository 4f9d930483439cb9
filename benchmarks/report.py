"""The report of a release of a million rows: what risk, attacks, utility and the pages take."""

from __future__ import annotations

import time
from collections.abc import Callable

import shoal
from benchmarks.attacks import ROWS, TIMED, census_release
from benchmarks.measure import show
from shoal.report import make
from shoal.studies.synth import QUASI


def main() -> None:
    people, release = census_release()
    parts: dict[str, Callable[[], object]] = {
        "risk, before and after": lambda: [
            shoal.risk.measure(table, quasi=list(QUASI)) for table in (people, release.table)
        ],
        f"attacks: {', '.join(TIMED)}": lambda: shoal.attack(release, people, attacks=TIMED),
        "utility": lambda: shoal.utility.measure(release, people),
        "the report, all of these in it": lambda: [(made := make(release, people)).internal, made.public],
    }
    rows: list[list[object]] = []
    for name, part in parts.items():
        began, used = time.perf_counter(), time.process_time()
        part()
        rows.append([name, time.perf_counter() - began, time.process_time() - used])
    show(f"Census, {ROWS:,} rows, {len(release.classes):,} classes", ("part", "wall s", "CPU s"), rows)


if __name__ == "__main__":
    main()
