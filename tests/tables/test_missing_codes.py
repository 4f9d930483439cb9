"""Codes for missing values: what a request declares is missing everywhere, and an inspection proposes usual ones."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.cli.command import shoal as command

import shoal
from shoal.core.errors import ParameterError, RoleError, Unsupported
from shoal.inspection.missing_values import proposed_codes
from shoal.tables.missing_codes import with_missing, without_codes
from shoal.tables.table import Table

PEOPLE = {
    "age": [20, 20, -8, -8, 40, 40, 41, 41],
    "town": ["Oslo", "NA", "Oslo", "NA", "Rome", "Rome", "?", "?"],
    "pay": ["10", "20", "?", "30", "40", "?", "50", "60"],
}
MISSING: dict[str, list[Any]] = {"age": [-8], "town": ["NA", "?"], "pay": ["?"]}
ASKED: dict[str, Any] = {"quasi": ["age", "town"], "sensitive": ["pay"], "require": "k=2", "missing": MISSING}


@pytest.mark.parametrize(
    ("values", "codes", "expected"),
    [
        ([1, -8, None], ["-8"], [1, None, None]),
        ([1.5, 99.0], [99], [1.5, None]),
        ([1, 2], ["NA"], [1, 2]),
        (["01", "99"], [99.0], ["01", None]),
        (["1", "NA", None], ["NA"], [1, None, None]),
        (["2024-01-02", "."], ["."], [date(2024, 1, 2), None]),
        (["NA", "NA"], ["NA"], [None, None]),
        ([True, False], ["false"], [True, None]),
        ([date(1900, 1, 1), date(2000, 1, 1)], ["1900-01-01"], [None, date(2000, 1, 1)]),
    ],
)
def test_codes_are_missing_in_columns_of_every_type(values: list[Any], codes: list[Any], expected: list[Any]) -> None:
    once = without_codes(pl.Series("x", values), codes)
    assert once.to_list() == expected
    assert without_codes(once, codes).to_list() == expected


def test_a_table_says_how_many_cells_are_read_so() -> None:
    found = with_missing(Table.of(PEOPLE), MISSING)
    assert found.spelling[0] == "column 'age': 2 cells with a declared code for missing values read as missing"


def test_a_release_is_audited_and_verified_without_the_codes(tmp_path: Path) -> None:
    release = shoal.anonymize(PEOPLE, **ASKED)
    assert release.config["missing"] == {"age": ["-8"], "pay": ["?"], "town": ["NA", "?"]}
    assert release.original["pay"].dtype == pl.Int64
    folder = release.save(tmp_path / "out")
    assert shoal.verify(folder, original=PEOPLE).failures == []
    assert "?" not in (folder / "public" / "table.csv").read_text()


def test_an_audit_reads_codes_as_missing() -> None:
    whole = shoal.audit(PEOPLE, quasi=["town"], missing={"town": ["NA", "?"]})
    assert (whole.classes, shoal.audit(PEOPLE, quasi=["town"]).classes) == (3, 4)
    with pytest.raises(RoleError, match="no column 'city'"):
        shoal.audit(PEOPLE, quasi=["town"], missing={"city": ["?"]})


@pytest.mark.parametrize(
    ("missing", "error"), [({"city": ["?"]}, RoleError), ({"town": []}, ParameterError)], ids=["column", "codes"]
)
def test_a_column_that_is_not_there_and_no_codes_are_refused(missing: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        shoal.anonymize(PEOPLE, **{**ASKED, "missing": missing})


def test_a_series_of_releases_takes_no_codes(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="does not support missing"):
        shoal.anonymize(
            PEOPLE, **{**ASKED, "require": "m(pay)=2", "registry": tmp_path / "r", "follows": "none", "identifiers": []}
        )


def test_codes_are_declared_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(PEOPLE).write_csv("people.csv")
    asked = ("--quasi=age,town", "--sensitive=pay", "--require=k=2", "--missing=age=-8", "--missing=town=NA,?")
    assert command("anonymize", "people.csv", *asked, "-o", "out").code == 0
    assert command("verify", "out", "--original=people.csv").code == 0
    assert command("audit", "people.csv", "--quasi=town", "--missing=town=NA,?").code == 0
    said = command("inspect", "people.csv", "--toml=shoal.toml")
    assert "age: -8 may stand for missing values; if so, add --missing 'age=-8'" in said.out
    assert '# "town" = ["?", "NA"]' in (tmp_path / "shoal.toml").read_text()


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([-9, -8, -9, -8, 3, 4, 5], ("-9", "-8")),
        ([-1.5, -8, -8, 3, 4, 5], ()),
        ([20, 30, 40, 99], ()),
        ([20, 30, 40, 99, 99], ("99",)),
        ([20, 97, 40, 98, 99, 99, 96], ()),
        ([0, 9, 9, 1], ("9",)),
        (["n/a", "Oslo", " unknown "], (" unknown ", "n/a")),
        ([date(2020, 1, 1)], ()),
        ([7, 7, 7], ()),
    ],
)
def test_usual_codes_are_proposed_where_they_are_apart_from_the_rest(values: list[Any], codes: tuple[str, ...]) -> None:
    assert proposed_codes(pl.Series(values)) == codes
