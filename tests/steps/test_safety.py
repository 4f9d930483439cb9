"""Nothing is published before every column is decided on, and nothing that looks dangerous goes out unprotected."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.core.errors import ParameterError, RoleError, SafetyWarning
from shoal.inspection import inspect
from shoal.inspection.repeated import repeating
from shoal.release.certificate import Certificate, canonical, seal
from shoal.steps.safety import as_flags, people_in_classes
from shoal.tables.table import Table

ROWS = 60
CHANCE = Random(1)
PEOPLE: dict[str, list[Any]] = {
    "age": [20 + row % 6 for row in range(ROWS)],
    "illness": [("flu", "gout", "cold")[row // 6 % 3] for row in range(ROWS)],
    "smoker": [CHANCE.choice(("yes", "no")) for _ in range(ROWS)],
    "site": [CHANCE.choice(("north", "south")) for _ in range(ROWS)],
}
ASKED: dict[str, Any] = {"quasi": ["age"], "sensitive": ["illness"], "require": "k=5"}
EMAIL = [f"someone{row}@example.org" for row in range(ROWS)]


def with_column(name: str, values: list[Any]) -> dict[str, list[Any]]:
    return {**PEOPLE, name: values}


# Roles


def test_a_column_without_a_role_is_an_error_that_lists_proposals_and_the_line_to_add() -> None:
    with pytest.raises(RoleError) as caught:
        shoal.anonymize(with_column("email", EMAIL), **ASKED)
    said = str(caught.value)
    assert "3 columns have no role" in said
    for name in ("smoker", "site", "email"):
        assert f"\n  {name!r}: " in said
    assert "--identifier email" in said
    assert "someone" not in said


@pytest.mark.parametrize(
    "by", [{"other": "rest"}, {"other": ["smoker", "site"]}, {"other": "site", "leave_out": "rest"}]
)
def test_what_is_other_is_published_and_stated_first(by: dict[str, Any]) -> None:
    release = shoal.anonymize(PEOPLE, **ASKED, **by)
    shown = ("smoker", "site") if by != {"other": "site", "leave_out": "rest"} else ("site",)
    assert release.certificate.unprotected == shown
    assert tuple(release.table.columns) == ("age", "illness", *shown)
    assert "safe to share if" in release.certificate.sharing
    assert list(release.certificate.content())[2] == "unprotected"


def test_what_is_left_out_is_nowhere() -> None:
    release = shoal.anonymize(PEOPLE, **ASKED, leave_out="rest")
    assert release.table.columns == ["age", "illness"]
    assert release.certificate.unprotected == ()
    assert release.certificate.sharing == "public/ is safe to share; keep internal/ private"


@pytest.mark.parametrize(
    ("by", "words"),
    [
        ({"other": "rest", "leave_out": "rest"}, "both other and left out"),
        ({"other": ["age"], "leave_out": "rest"}, "'age' is named 2 times"),
        ({"other": ["nobody"], "leave_out": "rest"}, "no column 'nobody'"),
        ({"leave_out": "rest", "allow": ["rest"]}, "'rest' is allowed, but is not published"),
        ({"leave_out": "rest", "allow": ["smoker"]}, "'smoker' is allowed, but is not published"),
    ],
)
def test_roles_that_contradict_each_other_are_refused(by: dict[str, Any], words: str) -> None:
    with pytest.raises(RoleError, match=words):
        shoal.anonymize(PEOPLE, **ASKED, **by)


def test_a_column_that_is_called_rest_is_meant_by_that_word() -> None:
    with pytest.raises(RoleError, match="2 columns have no role"):
        shoal.anonymize(with_column("rest", [1] * ROWS), **ASKED, other="rest")


def test_what_publishes_nothing_does_not_ask() -> None:
    assert shoal.audit(PEOPLE, quasi="age", require="k=5").holds
    assert shoal.compare(PEOPLE, quasi=["age"], require="k=5", methods=["mondrian"])
    assert inspect(PEOPLE).columns


def test_names_are_quoted_for_the_shell() -> None:
    assert as_flags({"other": ["a b", 'c"d', "e,f"]}) == """--other 'a b,"c""d","e,f"'"""


# Look-alike identifiers


@pytest.mark.parametrize("role", ["other", "sensitive"])
def test_a_column_that_looks_like_an_identifier_is_refused_unless_it_is_named(role: str) -> None:
    table = with_column("contact", EMAIL)
    asked = {**ASKED, "leave_out": ["smoker", "site"]}
    asked |= {"sensitive": ["illness", "contact"]} if role == "sensitive" else {"other": "rest"}
    with pytest.raises(RoleError, match=r"'contact' as \w+: .*\n.*--allow contact"):
        shoal.anonymize(table, **asked)
    release = shoal.anonymize(table, **asked, allow=["contact"])
    assert list(release.certificate.insisted) == ["contact"]
    assert "contact" in release.table.columns


# People, not rows


def test_an_identifier_that_repeats_is_warned_about_at_once_and_counted_in_the_certificate() -> None:
    patients = with_column("patient_id", [row % 6 for row in range(ROWS)])
    with pytest.warns(SafetyWarning, match=r"identifier 'patient_id' repeats: 6 different values in 60 rows"):
        release = shoal.anonymize(patients, **ASKED, identifiers=["patient_id"], leave_out="rest")
    assert any("fewer than 5 different values of 'patient_id'" in said for said in release.certificate.warnings)
    with pytest.warns(SafetyWarning, match=r"left-out column 'patient_id' repeats: 6 different values"):
        release = shoal.anonymize(patients, **ASKED, leave_out="rest")
    assert any("fewer than 5 different values of 'patient_id'" in said for said in release.certificate.warnings)


def test_people_of_classes_are_counted() -> None:
    table = Table.of({"patient": [1, 1, 2, 3, 3, 3]})
    (said,) = people_in_classes(table, ["patient"], np.array([0, 0, 0, 1, 1, -1]), 2)
    assert said.startswith("of 2 classes 1 hold fewer than 2 different values of 'patient', and 1 one alone")


def test_names_that_many_share_number_nobody() -> None:
    table = Table.of({"first_name": ["Ann"] * 30 + ["Bob"] * 70, "case_id": list(range(100))})
    assert repeating(table, ["first_name", "case_id"]) == []


# What is said of a release


def test_a_sensitive_column_that_no_model_speaks_of_is_named_with_the_rows_that_are_certain() -> None:
    table = {"age": [30] * 5 + [40] * 5, "smoker": ["yes"] * 5 + ["yes", "no"] * 2 + ["no"]}
    assert shoal.anonymize(table, quasi=["age"], sensitive=["smoker"], require="k=5").certificate.certain == {
        "smoker": 5
    }
    asked = shoal.anonymize(table, quasi=["age"], sensitive=["smoker"], require="k=5 l(smoker)=1")
    assert asked.certificate.certain == {}


def test_rows_that_are_all_stars_are_counted_and_a_table_of_stars_is_called_so() -> None:
    whole = shoal.anonymize(PEOPLE, quasi=["age"], leave_out="rest", require="k=60")
    assert whole.certificate.starred == ROWS
    assert "every row is all stars" in whole.certificate.sharing
    part = shoal.anonymize({"age": [1] * 5 + [2, 3, 4, 5, 6]}, quasi=["age"], require="k=5", recoding="suppress")
    assert part.certificate.starred == 5
    as_missing = shoal.anonymize({"age": [1] * 5 + [2, 3, 4, 5, 6]}, quasi=["age"], require="k=5", star="null")
    assert as_missing.certificate.starred == 5


@pytest.mark.parametrize("require", ["k=1", "l(illness)=1", "t(illness)=1"])
def test_a_requirement_that_asks_for_nothing_is_called_so(require: str) -> None:
    release = shoal.anonymize(PEOPLE, quasi=["age"], sensitive=["illness"], leave_out="rest", require=require)
    assert not release.certificate.protects
    assert "not protected" in release.certificate.sharing


def test_the_statements_survive_being_written_and_are_verified(tmp_path: Path) -> None:
    release = shoal.anonymize(PEOPLE, **ASKED, other="rest")
    folder = release.save(tmp_path / "out")
    path = folder / "public" / "certificate.json"
    read = Certificate.from_json(path.read_text(encoding="utf-8"))
    assert (read.unprotected, read.starred, read.certain) == (("smoker", "site"), 0, {"illness": 0})
    assert shoal.verify(folder, original=PEOPLE).passed


@pytest.mark.parametrize("forged", [{"unprotected": ["site"]}, {"starred": 7}, {"certain": {"illness": 1}}])
def test_a_forged_statement_is_found(tmp_path: Path, forged: dict[str, Any]) -> None:
    folder = shoal.anonymize(PEOPLE, **ASKED, other="rest").save(tmp_path / "out")
    path = folder / "public" / "certificate.json"
    content = json.loads(path.read_text(encoding="utf-8")) | forged
    content.pop("seal")
    path.write_text(canonical({**content, "seal": seal(content)}), encoding="utf-8")
    assert not shoal.verify(folder).passed


def test_a_certificate_of_before_says_nothing_of_these(tmp_path: Path) -> None:
    content = shoal.anonymize(PEOPLE, **ASKED, other="rest").certificate.content()
    for name in ("unprotected", "insisted", "starred", "certain", "warnings", "protects"):
        del content[name]
    old = Certificate.from_json(canonical({**content, "seal": seal(content)}))
    assert (old.unprotected, old.starred, old.certain, old.protects) == (None, None, None, True)


# Audits


def test_an_audit_without_a_requirement_has_no_verdict() -> None:
    found = shoal.audit(PEOPLE, quasi=["age"], sensitive=["illness"])
    with pytest.raises(ParameterError, match="no verdict"):
        _ = found.holds
    assert json.loads(found.to_json())["holds"] is None
    assert "met" not in found._repr_html_()
    assert {finding.holds for finding in found.findings} == {None}


def test_a_table_without_dangers_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shoal.anonymize(pl.DataFrame(PEOPLE), **ASKED, other="rest")


def test_rows_that_are_unique_with_the_unprotected_columns_are_counted() -> None:
    table = {"age": [30] * 6, "a": list("xxyyzz"), "b": list("xyxyxx")}
    said = shoal.anonymize(table, quasi=["age"], other="rest", require="k=6").certificate.warnings
    assert said == (
        "4 of 6 rows are unique by quasi-identifiers and unprotected columns together: whoever knows these of a person"
        " finds the row",
    )
