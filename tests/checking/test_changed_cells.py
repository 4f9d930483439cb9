from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.release.test_verification import following

import shoal
from shoal.recoding.recode import recodings
from shoal.release.certificate import canonical, seal
from shoal.release.original_check import OriginalCheck
from shoal.release.release_reader import Opened
from shoal.tables.table import Table

PEOPLE = pl.DataFrame(
    {
        "age": [31, 31, 31, 38, 40, 47, 52, 52, 52, 60],
        "weight": [70.5, 70.5, 70.5, 81.0, 64.25, 64.25, None, None, None, 90.0],
        "town": ["Oslo", "Oslo", "Oslo", "*", "Bergen", None, "Hamar", "Hamar", "Hamar", "Oslo"],
        "born": pl.Series(["1990-01-31"] * 5 + ["1985-05-05"] * 5).str.to_date(),
        "illness": ["flu", "gout"] * 5,
    }
)
QUASI = ["age", "weight", "town", "born"]


def made(**more: Any) -> shoal.Release:
    return shoal.anonymize(PEOPLE, quasi=QUASI, sensitive=["illness"], require="l(illness)=2", **more)


@pytest.mark.parametrize("format", ["csv", "parquet"])
@pytest.mark.parametrize("recoding", recodings())
def test_every_recoding_is_counted_alike_by_the_maker_and_the_verifier(
    tmp_path: Path, recoding: str, format: str
) -> None:
    release = made(recoding=recoding)
    folder = release.save(tmp_path / "out", format=format)
    found = shoal.verify(folder, original=PEOPLE)
    assert found.passed, found.failures
    assert "the number of changed cells is as stated" in [check.what for check in found.checks]
    assert set(release.certificate.changed_cells or ()) == set(QUASI)
    assert (release.certificate.changed_share == 0) == (recoding == "anatomy")


@pytest.mark.parametrize("star", ["*", "null"])
def test_a_star_is_a_changed_cell_and_a_missing_value_or_a_literal_star_is_none(star: str) -> None:
    release = made(recoding="suppress", star=star)
    shown = release.table.select(pl.col(QUASI).cast(pl.String))
    original = PEOPLE.select(pl.col(QUASI).cast(pl.String)).with_columns(pl.col("town").replace("*", "\\*"))
    counted = {name: int(shown[name].ne_missing(original[name]).sum()) for name in QUASI}
    assert release.certificate.changed_cells == counted


def test_columns_raised_beforehand_are_compared_with_the_original() -> None:
    asked: dict[str, Any] = {"hierarchies": {"age": "intervals:width=10"}, "coarsen": "age=1", "recoding": "suppress"}
    release = shoal.anonymize(PEOPLE, quasi=["age"], other="illness", leave_out="rest", require="k=1", **asked)
    assert release.certificate.changed_cells == {"age": 10}


def test_another_number_of_changed_cells_is_refused(tmp_path: Path) -> None:
    folder = made(recoding="suppress").save(tmp_path / "out")
    path = folder / "public" / "certificate.json"
    content = {key: one for key, one in json.loads(path.read_text(encoding="utf-8")).items() if key != "seal"}
    content["changed_cells"]["age"] += 1
    content |= following(content)
    path.write_text(canonical({**content, "seal": seal(content)}), encoding="utf-8")
    assert "'age'" in OriginalCheck(folder, Opened.of(folder, None), Table.of(PEOPLE)).change_problem()
