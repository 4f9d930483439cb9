"""Files of every kind on the command line: a release has the format of its file, and lines say what to know."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command import shoal
from tests.tables.surveys import write_survey
from tests.tables.test_workbooks import PEOPLE, book

ROLES = (
    *("--quasi=age,sex,school", "--sensitive=mood", "--identifier=person", "--leave-out=rest", "--require=k=4"),
    *("-o", "out"),
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_survey_comes_back_in_its_format_and_is_verified(home: Path) -> None:
    write_survey(home / "survey.sav")
    made = shoal("anonymize", "survey.sav", *ROLES)
    assert made.code == 0
    assert "survey.sav: 8 cells of 'sex' hold codes declared as missing" in made.err
    assert (home / "out" / "public" / "table.sav").is_file()
    assert shoal("verify", "out", "--original=survey.sav").code == 0


def test_a_format_that_is_named_wins(home: Path) -> None:
    write_survey(home / "survey.dta")
    assert shoal("anonymize", "survey.dta", *ROLES, "--format=csv.zst").code == 0
    assert (home / "out" / "public" / "table.csv.zst").is_file()
    assert shoal("verify", "out", "--original=survey.dta").code == 0


def test_a_sheet_and_a_header_row_are_named(home: Path) -> None:
    book(home / "people.xlsx", [["x"], [1]], [["People"], *PEOPLE, *PEOPLE[1:]])
    asked = ("--quasi=age,town", "--require=k=2", "-o", "out")
    assert shoal("anonymize", "people.xlsx", *asked).code == 2
    assert shoal("anonymize", "people.xlsx", "--sheet=2", "--header-row=2", *asked).code == 0
    assert (home / "out" / "public" / "table.xlsx").is_file()
