"""The audit against a database: group-bys in SQL over the published CSV file say the same as the audit.

k, distinct l, the share of the commonest value (alpha) and t-closeness with equal distances follow from counts, so each
is one query. SQLite is in the standard library; DuckDB takes part where it is installed.
"""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
from tests.thorough import many

import shoal
from shoal.models.requirement import parse_requirement

duckdb: Any = import_module("duckdb") if find_spec("duckdb") else None

Query = Callable[[str], list[tuple[Any, ...]]]
QUASI, SECRET = ("age", "city", "job"), "illness"
METHODS = ("mondrian", "hilbert", "anneal", "cube", "full-domain", "tds", "microaggregation", "bottom-up")
REQUIRE = ("k=2", "k=3", "distinct-l(illness)=2", "alpha(illness)=1/2", "t(illness:equal)=0.4", "k=2 l(illness)=2")
CLASSES = "SELECT {quasi}, count(*) AS size FROM published GROUP BY {quasi}"
COUNTS = "SELECT {quasi}, illness, count(*) AS times FROM published GROUP BY {quasi}, illness"
SAME = " AND ".join(f"(c.{name} = v.{name} OR (c.{name} IS NULL AND v.{name} IS NULL))" for name in QUASI)
TOTALS = "SELECT illness, count(*) AS total FROM published GROUP BY illness"
DISTANCE = f"""
SELECT 1.0 * sum(CASE WHEN coalesce(v.times, 0) * n.rows_ > t.total * c.size
                      THEN coalesce(v.times, 0) * n.rows_ - t.total * c.size ELSE 0 END), min(c.size), min(n.rows_)
FROM ({CLASSES}) c CROSS JOIN ({TOTALS}) t CROSS JOIN (SELECT count(*) AS rows_ FROM published) n
LEFT JOIN ({COUNTS}) v ON {SAME} AND v.illness = t.illness
GROUP BY {", ".join(f"c.{name}" for name in QUASI)}
"""


def _table(random: Random) -> pl.DataFrame:
    rows = random.randint(6, 40)
    return pl.DataFrame(
        {
            "age": [random.choice((20, 21, 35, 50, None)) for _ in range(rows)],
            "city": [random.choice(("Oslo", "Bergen", "", "*")) for _ in range(rows)],
            "job": [random.choice(("nurse", "smith", "x, y")) for _ in range(rows)],
            "illness": [random.choice(("flu", "gout", "asthma", "flu")) for _ in range(rows)],
        }
    )


def _released(frame: pl.DataFrame, require: str, random: Random) -> shoal.Release | None:
    method = random.choice(METHODS)
    try:
        return shoal.anonymize(
            frame,
            quasi=QUASI,
            sensitive=SECRET,
            require=require,
            method=method,
            recoding="full-domain" if method == "full-domain" else random.choice(("suppress", "generalize", "range")),
            max_dropped=random.choice(("0", "1/4")),
        )
    except shoal.ShoalError:
        return None


def _in_sqlite(path: Path) -> Query:
    connection = sqlite3.connect(":memory:")
    with path.open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    connection.execute(f"CREATE TABLE published ({', '.join(f'{name} TEXT' for name in names)})")
    marks = ", ".join("?" * len(names))
    connection.executemany(f"INSERT INTO published VALUES ({marks})", rows)
    return lambda text: connection.execute(text).fetchall()


def _in_duckdb(path: Path) -> Query:
    connection = duckdb.connect()
    options = "all_varchar=true, header=true, quote='\"'"
    connection.execute(f"CREATE TABLE published AS SELECT * FROM read_csv('{path}', {options})")
    return lambda text: connection.execute(text).fetchall()


ENGINES = (_in_sqlite, *([_in_duckdb] if duckdb else []))


def _levels(query: Query) -> dict[str, Fraction]:
    """Return what the published table reaches, from counts of the database."""
    quasi = ", ".join(QUASI)
    classes = query(CLASSES.format(quasi=quasi))
    values = query(f"SELECT count(*), max(times), sum(times) FROM ({COUNTS.format(quasi=quasi)}) GROUP BY {quasi}")
    apart = query(DISTANCE.format(quasi=quasi))
    return {
        "k": Fraction(min(int(row[-1]) for row in classes)),
        "distinct-l": Fraction(min(int(different) for different, _, _ in values)),
        "alpha": max(Fraction(int(most), int(size)) for _, most, size in values),
        "t": max(Fraction(int(above), int(size) * int(rows)) for above, size, rows in apart),
    }


def _audited(frame: pl.DataFrame) -> dict[str, float]:
    found = shoal.audit(
        frame,
        quasi=QUASI,
        sensitive=SECRET,
        require="k=1 distinct-l(illness)=1 alpha(illness)=1 t(illness:equal)=1",
    )
    return {one.name: one.reached for one in found.findings if isinstance(one.reached, float | int)}


def test_databases_find_what_the_audit_finds(tmp_path: Path) -> None:
    _compared(range(many(8)), tmp_path)


@pytest.mark.slow
def test_databases_find_what_the_audit_finds_in_many_releases(tmp_path: Path) -> None:
    assert _compared(range(1_000, 1_000 + many(400)), tmp_path) > many(200)


def _compared(seeds: range, folder: Path) -> int:
    """Guarantees that databases and the audit find the same levels, and that these are those asked for."""
    compared = 0
    for seed in seeds:
        random = Random(seed)
        require = random.choice(REQUIRE)
        release = _released(_table(random), require, random)
        if release is None:
            continue
        compared += 1
        published = release.save(folder / f"release-{seed}", format="csv") / "public" / "table.csv"
        audited = _audited(release.table)
        for engine in ENGINES:
            levels = _levels(engine(published))
            assert {name: pytest.approx(float(level)) for name, level in levels.items()} == {
                name: audited[name] for name in levels
            }, (seed, engine)
            for model in parse_requirement(require).all:
                level = levels.get(model.name, model.limit)
                assert level >= model.limit if model.larger_is_stricter else level <= model.limit, (seed, engine, model)
    return compared
