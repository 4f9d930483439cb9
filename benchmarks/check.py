"""`make bench-check`: figures that must not get worse, compared with those that were written down last.

Costs and gaps are the same on every machine and in every run: the smallest rise of one is a failure. Times are ratios
of processor seconds, measured in turn in one process, the median of some: to reading, grouping and writing the same
table (`benchmarks/floor.py`), or to Mondrian. They fail where they are twice what was written down.

`python -m benchmarks.check --write 2026-11-18` adds an entry to `benchmarks/history.csv`; the picture of the history is
drawn by `python -m docs.generator.bench_history`.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import polars as pl

import shoal
from benchmarks import floor
from benchmarks.measure import once, show
from shoal.checking.audit import audit
from shoal.methods.auto import choose
from shoal.methods.base import Deadline, silent
from shoal.microdata.microdata import encode
from shoal.models.requirement import parse_requirement
from shoal.problem import Problem, make_problem
from shoal.studies.synth import SENSITIVE, census, census_hierarchies
from shoal.tables.roles import Roles
from shoal.tables.table import Table

HISTORY = Path(__file__).parent / "history.csv"
QUASI = ("age", "gender", "education", "marital")
SMALL, LARGE = 2_000, 100_000
"""Rows of the table that releases are compared on, and of the one that is timed."""
TIMES = 7
"""How often a ratio is measured; the median counts."""
EXACT, TIMED = 1.000_001, 2.0
"""Up to how many times the figure that was written down one may be: a cost or gap, and a ratio of times."""
SLACK = 1e-9
"""What a figure that was 0 may be."""
RELEASES: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("suppress", "k=5"): ("mondrian", "m-approx", "cube", "hilbert"),
    ("generalize", "k=5"): ("mondrian", "peel", "cube", "anneal", "k-optimize"),
    ("range", "k=5"): ("mondrian", "hilbert", "microaggregation", "auto"),
    ("full-domain", "k=5"): ("full-domain", "datafly", "top-down-greedy"),
    ("suppress", "l(occupation)=3"): ("tp", "tp-plus", "tp-plus-refined", "hilbert"),
    ("range", "t(occupation)=0.3"): ("fragments", "t-mondrian", "sabre"),
    ("anatomy", "l(occupation)=3"): ("anatomy",),
}
"""What is released, and by which methods."""


def main() -> None:
    """Measure, compare, and end with 1 where a figure is beyond its margin."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.check", description=__doc__)
    parser.add_argument("--write", metavar="LABEL", help="write what was measured into the history")
    label = parser.parse_args().write
    found = dict(figures())
    known = last()
    show(
        "Figures that must not get worse",
        ("figure", "written down", "now", "at most"),
        [
            [name, known.get(name), value, _most(name, known[name]) if name in known else None]
            for name, value in found.items()
        ],
    )
    worse = worsened(found, known)
    for name in worse:
        print(f"worse: {name}, {known[name]:.6g} was written down, now {found[name]:.6g}")
    lost = sorted(set(known) - set(found))
    for name in lost:
        print(f"not measured any more: {name}")
    if label is not None:
        write(label, found)
    elif worse or lost:
        sys.exit(1)
    print(f"{len(found) - len(worse)} passed, {len(worse) + len(lost)} failed")


def worsened(found: Mapping[str, float], known: Mapping[str, float]) -> list[str]:
    """Return the figures that are beyond their margin.

    >>> worsened({"cost of a": 2.1, "time of b": 2.1}, {"cost of a": 2.0, "time of b": 2.0})
    ['cost of a']
    """
    return [name for name, value in found.items() if name in known and value > _most(name, known[name])]


def _most(name: str, known: float) -> float:
    return known * (TIMED if name.startswith("time") else EXACT) + SLACK


def last() -> dict[str, float]:
    """Return the figures of the last entry of the history; none where there is no history."""
    entries = history()
    return entries[list(entries)[-1]] if entries else {}


def history() -> dict[str, dict[str, float]]:
    """Return the entries of the history, the oldest first: figures by name."""
    entries: dict[str, dict[str, float]] = {}
    if HISTORY.exists():
        with HISTORY.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                entries.setdefault(row["entry"], {})[row["figure"]] = float(row["value"])
    return entries


def write(label: str, found: Mapping[str, float]) -> None:
    """Add an entry to the history; one of the same label is replaced."""
    entries = {name: figures for name, figures in history().items() if name != label} | {label: dict(found)}
    with HISTORY.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("entry", "figure", "value"))
        writer.writerows((entry, name, f"{value:.9g}") for entry, of in entries.items() for name, value in of.items())


def figures() -> Iterator[tuple[str, float]]:
    """Measure everything."""
    for (recoding, require), names in RELEASES.items():
        problem = _problem(SMALL, recoding, require)
        for name in names:
            found = choose(problem, name, seed=0, deadline=Deadline(), progress=silent)
            what = f"{name}, {recoding}, {require}"
            yield f"cost of {what}", found.cost
            if found.lower_bound:
                yield f"gap of {what}", found.cost / found.lower_bound - 1
    yield from _times()


def _problem(rows: int, recoding: str, require: str) -> Problem:
    frame = census(rows).select(*QUASI, *SENSITIVE)
    roles = Roles.of(frame.columns, quasi=QUASI, sensitive=SENSITIVE)
    trees = {name: tree for name, tree in census_hierarchies().items() if name in QUASI}
    return make_problem(encode(Table(frame), roles, trees), parse_requirement(require), recoding=recoding)


def _times() -> Iterator[tuple[str, float]]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        source, target = folder / "census.parquet", folder / "floor.parquet"
        census(LARGE).select(*QUASI, *SENSITIVE).write_parquet(source)
        lowest = partial(floor.main, str(source), str(target), list(QUASI))
        released = _released(source, "mondrian").table
        yield "time of mondrian to the floor", _ratio(partial(_saved, source, folder / "release"), lowest)
        yield "time of the audit to the floor", _ratio(partial(_audited, released), lowest)
    problem = _problem(LARGE, "suppress", "l(occupation)=3")
    plain = partial(_solved, problem, "mondrian")
    for method in ("hilbert", "tp", "tp-plus"):
        yield f"time of {method} to mondrian", _ratio(partial(_solved, problem, method), plain)


def _released(source: Path, method: str) -> shoal.Release:
    return shoal.anonymize(
        source, quasi=list(QUASI), sensitive=list(SENSITIVE), require="k=5", method=method, recoding="range"
    )


def _saved(source: Path, folder: Path) -> None:
    _released(source, "mondrian").save(folder, overwrite=True)


def _audited(frame: pl.DataFrame) -> None:
    audit(frame, quasi=QUASI, sensitive=SENSITIVE, require="k=5")


def _solved(problem: Problem, method: str) -> None:
    choose(problem, method, seed=0, deadline=Deadline(), progress=silent)


def _ratio(measured: Callable[[], object], by: Callable[[], object]) -> float:
    """Return how many times as long one takes as the other: both once to warm up, then in turn."""
    measured()
    by()
    return median(once(measured).cpu / once(by).cpu for _ in range(TIMES))


if __name__ == "__main__":
    main()
