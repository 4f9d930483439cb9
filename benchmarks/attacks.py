"""Attacks: the people they hit in Adult as it is and in releases of it; and the time they take on a million rows."""

from __future__ import annotations

import time

import polars as pl

import shoal
from benchmarks.measure import SHARED, show
from shoal.release.release import Release
from shoal.studies.synth import QUASI, SENSITIVE, census, census_hierarchies
from shoal.tables.table import read

ADULT = SHARED / "adult" / "adult_30162.csv.gz"
KNOWN = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"]
ASKED = ("k=5", "k=5 l(occupation)=3", "k=5 l(occupation)=3 t(occupation)=0.2")
ROWS = 1_000_000
TIMED = ("linkage", "homogeneity", "skewness", "similarity")


def main() -> None:
    if ADULT.is_file():
        _adult()
    _million()


def _adult() -> None:
    table = read(ADULT)
    found = [shoal.attack(_release(require), table).outcomes for require in ASKED]
    keys = dict.fromkeys((one.attack, one.attribute, one.knows) for outcomes in found for one in outcomes)
    rows: list[list[object]] = []
    for key in keys:
        there = [[one for one in outcomes if (one.attack, one.attribute, one.knows) == key] for outcomes in found]
        raw = next(one.before for some in there for one in some)
        cells = [f"{some[0].after:,}" if some else "-" for some in there]
        rows.append([key[0], key[1] or "", key[2], "-" if raw is None else f"{raw:,}", *cells])
    show(f"Adult, {table.rows:,} people: hits", ("attack", "learns", "knows", "as it is", *ASKED), rows)


def _release(require: str) -> Release:
    folder = ADULT.parent / "hierarchies"
    return shoal.anonymize(
        ADULT,
        quasi=KNOWN,
        sensitive=["occupation", "salary-class"],
        require=require,
        hierarchies={name: folder / f"adult_hierarchy_{name}.csv" for name in KNOWN},
        recoding="generalize",
        method="mondrian",
    )


def census_release() -> tuple[pl.DataFrame, Release]:
    """Return a million people, and a release of them."""
    people = census(ROWS)
    asked = {"quasi": list(QUASI), "sensitive": list(SENSITIVE), "hierarchies": census_hierarchies()}
    return people, shoal.anonymize(people, require="k=5", recoding="generalize", method="mondrian", **asked)  # type: ignore[arg-type]


def _million() -> None:
    people, release = census_release()
    rows: list[list[object]] = []
    for names in ([TIMED[0]], *([name] for name in TIMED), TIMED):
        began, used = time.perf_counter(), time.process_time()
        shoal.attack(release, people, attacks=names)
        rows.append([", ".join(names), time.perf_counter() - began, time.process_time() - used])
    show(f"Census, {ROWS:,} rows, {len(release.classes):,} classes", ("attacks", "wall s", "CPU s"), rows[1:])


if __name__ == "__main__":
    main()
