"""Attacks: the people they hit in Adult as it is and in releases of it; the time they take on many rows or columns."""

from __future__ import annotations

import time

import numpy as np
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
WIDE = (30, 60)
"""Quasi-identifiers of the tables of many columns."""


def main() -> None:
    if ADULT.is_file():
        _adult()
    _million()
    for columns in WIDE:
        _wide(columns)


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
        leave_out="rest",
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


def _wide(columns: int) -> None:
    people = _survey(columns, 100_000)
    roles = {"quasi": people.columns[:columns], "sensitive": people.columns[columns:]}
    release = shoal.anonymize(people, require="k=5 l(illness)=2", **roles)  # type: ignore[arg-type]
    shoal.attack(release, people, attacks=["homogeneity"])  # compiles the loops
    began, used = time.perf_counter(), time.process_time()
    found = shoal.attack(release, people)
    rows = [["all", len(found.outcomes), time.perf_counter() - began, time.process_time() - used]]
    title = f"Survey, {people.height:,} rows, {columns} quasi-identifiers, {len(release.classes):,} classes"
    show(title, ("attacks", "outcomes", "wall s", "CPU s"), rows)
    for one in found.outcomes:
        if one.left_out:
            print(f"{one.name}: {one.left_out}")


def _survey(columns: int, rows: int) -> pl.DataFrame:
    """Return answers to so many questions, of 2 to 60 values, that four traits of a person bear on; and two secrets."""
    draw = np.random.default_rng(1)
    traits = draw.normal(size=(rows, 4))
    answers = {}
    for place in range(columns):
        size = (2, 3, 5, 8, 12, 20, 60)[place % 7]
        leaning = traits @ draw.normal(size=4) + draw.normal(size=rows)
        answers[f"q{place}"] = np.searchsorted(np.quantile(leaning, np.arange(1, size) / size), leaning)
    illness = np.minimum(draw.geometric(0.3, rows), 9)
    pay = np.round(np.exp(draw.normal(10, 0.6, rows)), -2).astype(np.int64)
    return pl.DataFrame({**answers, "illness": illness, "pay": pay})


if __name__ == "__main__":
    main()
