"""Published tables as they are read back to be checked: the order of columns, withheld values, stars."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.release.test_verification import reseal
from tests.release.test_what_is_checked import ASKED, TABLE, made
from tests.tables.handmade_parquet import OF_A_LENGTH, Handmade

import shoal
from shoal.release.certificate import canonical, seal
from shoal.release.files import manifest

SHAPE = "the table has the stated columns and rows"


def test_columns_of_a_text_file_may_be_in_any_order(tmp_path: Path) -> None:
    folder = made(tmp_path, "ranges")
    path = folder / "public" / "table.csv"
    table = pl.read_csv(path, infer_schema=False)
    table.select(reversed(table.columns)).write_csv(path)
    reseal(folder)
    assert shoal.verify(folder, original=TABLE).failures == []


@pytest.mark.parametrize("more", [True, False])
def test_columns_that_are_added_or_gone_are_named(more: bool, tmp_path: Path) -> None:
    folder = made(tmp_path, "ranges")
    path = folder / "public" / "table.csv"
    table = pl.read_csv(path, infer_schema=False)
    (table.with_columns(more=pl.lit("x")) if more else table.drop("ill")).write_csv(path)
    reseal(folder)
    assert f"{SHAPE}: the columns are not those of the codebook" in shoal.verify(folder).failures


LONE = TABLE.with_columns(age=pl.Series([20, 21, 30, 31, 40, 41, 50, 61]))
HIDING: dict[str, Any] = {
    "quasi": ["age"],
    "sensitive": ["ill"],
    "require": "k=2",
    "leave_out": "rest",
    "max_suppressed": 0.3,
    "hierarchies": {"age": "intervals:width=10"},
    "recoding": "full-domain",
    "suppress_sensitive": True,
}


@pytest.mark.parametrize(("stated", "passes"), [(2, True), (1, False), (3, False)])
def test_rows_without_a_sensitive_value_are_counted(stated: int, passes: bool, tmp_path: Path) -> None:
    folder = shoal.anonymize(LONE, **HIDING).save(tmp_path / "release", format="csv")
    path = folder / "public" / "codebook.json"
    book = json.loads(path.read_text())
    assert book["withheld"] == 2
    path.write_text(canonical({**book, "withheld": stated}))
    reseal(folder)
    failures = shoal.verify(folder, original=LONE).failures
    assert failures == [] if passes else any(f"{stated:,} stated" in one for one in failures)


@pytest.mark.parametrize("stated", [0, 1, 3])
def test_rows_of_stars_alone_are_counted(stated: int, tmp_path: Path) -> None:
    folder = shoal.anonymize(LONE, **HIDING).save(tmp_path / "release", format="csv")
    reseal(folder, starred=stated)
    (failure,) = shoal.verify(folder, original=LONE).failures
    assert failure.endswith(f"2 rows of stars alone, {stated} stated")


@pytest.mark.parametrize("cell", ["x", "", "-10", "0", "5"])
def test_a_cell_that_is_no_rounded_weight_is_found(cell: str, tmp_path: Path) -> None:
    folder = made(tmp_path, "rounded")
    path = folder / "public" / "table.csv"
    table = pl.read_csv(path, infer_schema=False)
    table.with_columns(w=pl.Series([cell, *table["w"][1:]])).write_csv(path)
    reseal(folder)
    assert not shoal.verify(folder).passed


def test_text_and_amounts_are_read_with_their_types(tmp_path: Path) -> None:
    table = TABLE.with_columns(pay=pl.Series([1.5, 2.0, None, 4.0, 5.0, 6.0, 7.0, 8.0]), ill=pl.Series(["1", "2"] * 4))
    asked = ASKED | {"sensitive": ["ill"], "other": ["pay"], "leave_out": ["w", "who", "home"], "allow": ["pay"]}
    for format in ("csv", "parquet", "jsonl"):
        folder = shoal.anonymize(table, **asked).save(tmp_path / format, format=format)
        assert shoal.verify(folder, original=table).failures == []
        whole = shoal.verify(folder, original=table.with_columns(pl.col("pay").fill_null(3.0)))
        assert not whole.passed


@pytest.mark.parametrize(("people", "passes"), [(7, True), (6, False), (8, False)])
def test_people_who_are_told_apart_by_pseudonyms_are_counted_by_them(people: int, passes: bool, tmp_path: Path) -> None:
    asked = ASKED | {"person": ["who"], "leave_out": "rest", "pseudonym": "number"}
    folder = shoal.anonymize(TABLE, **asked).save(tmp_path / "release", format="csv")
    shutil.rmtree(folder / "internal")
    path = folder / "public" / "certificate.json"
    content = {name: one for name, one in json.loads(path.read_text()).items() if name != "seal"} | {"people": people}
    path.write_text(canonical({**content, "seal": seal(content)}))
    found = shoal.verify(folder)
    assert found.passed is passes
    assert not any("of people or households" in note for note in found.not_checked)


def test_rows_that_were_dropped_stand_for_none(tmp_path: Path) -> None:
    table = TABLE.with_columns(ill=pl.Series(["flu", "gout", "flu", "gout", "flu", "gout", "flu", "flu"]))
    asked: dict[str, Any] = {"quasi": ["age", "town"], "sensitive": ["ill"], "require": "l(ill)=2", "leave_out": "rest"}
    release = shoal.anonymize(table, **asked, recoding="suppress", max_dropped=0.5)
    assert release.certificate.dropped > 0
    folder = release.save(tmp_path / "release", format="csv")
    assert shoal.verify(folder, original=table).failures == []
    reseal(folder, dropped=release.certificate.dropped + 1)
    assert any("published twice or not at all" in one for one in shoal.verify(folder, original=table).failures)


def test_a_masked_cell_that_does_not_follow_from_its_value_is_found(tmp_path: Path) -> None:
    folder = made(tmp_path, "masked")
    path = folder / "public" / "table.csv"
    table = pl.read_csv(path, infer_schema=False)
    table.with_columns(w=pl.Series(["7", *table["w"][1:]])).write_csv(path)
    reseal(folder)
    failures = shoal.verify(folder, original=TABLE).failures
    assert "sensitive and other cells are unaltered but for masks: columns 'w' were altered" in failures


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *(("ranges", "rows.parquet"), ("ranges", "counterfeits.parquet"), ("proved", "prices.parquet")),
        *(("people", "people.parquet"), ("households", "households.parquet")),
    ],
)
def test_a_file_of_the_internal_part_that_takes_all_memory_is_refused(kind: str, name: str, tmp_path: Path) -> None:
    """A forged release may have any file under whole seals; polars would end the process on this one."""
    folder = made(tmp_path, kind)
    (folder / "internal" / name).write_bytes(Handmade(kind=OF_A_LENGTH, length=2**31 - 1).file())
    (folder / "internal" / "manifest.json").write_text(canonical(manifest(folder)))
    failures = shoal.verify(folder, original=TABLE).failures
    said = f"{name!r} is small, and states so many or so long values"
    assert any(said in one for one in failures) is (name != "counterfeits.parquet")  # of which there are none here
