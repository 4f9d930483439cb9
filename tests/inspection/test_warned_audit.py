"""`shoal.audit` and `shoal audit` warn of columns that reveal others; the verdict stays as it is."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.cli.command import shoal as command

import shoal
from shoal.checking.audit import audit as audit_alone


def people(rows: int = 1_000) -> pl.DataFrame:
    draw = np.random.default_rng(0)
    age = draw.integers(18, 80, rows)
    shown = ["*" if draw.random() < 0.5 else str(one) for one in age]
    return pl.DataFrame(
        {"alder": shown, "aldersgruppe": [f"{one // 10}0-årene" for one in age], "note": list("ab") * 500}
    )


def test_a_column_that_tells_is_warned_of_and_the_verdict_stays() -> None:
    frame = people()
    found = shoal.audit(frame, quasi="alder", require="k=2")
    (warning,) = found.warnings
    assert "'aldersgruppe' is a coarser version of 'alder'" in warning
    assert found == audit_alone(frame, quasi="alder", require="k=2")
    assert json.loads(found.to_json())["warnings"] == [warning]
    assert "coarser version" in found._repr_html_()


def test_a_table_without_such_columns_has_no_warnings() -> None:
    assert shoal.audit(table=people().drop("aldersgruppe"), quasi=["alder"]).warnings == ()


def test_the_groups_of_two_tables_are_not_warned_of() -> None:
    frame = pl.DataFrame({"age": [row // 2 % 60 for row in range(600)], "ill": ["flu", "gout", "cold"] * 200})
    release = shoal.anonymize(
        frame, quasi=["age"], sensitive=["ill"], other="rest", require="l(ill)=2", method="anatomy"
    )
    found = shoal.audit(
        release.table, quasi=["age"], sensitive=["ill"], sensitive_table=release.tables["sensitive"], require="l(ill)=2"
    )
    assert found.warnings == ()


def test_the_command_prints_the_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    people().write_csv("published.csv")
    found = command("audit", "published.csv", "--quasi", "alder", "--require", "k=2")
    assert (found.code, "warning: 'aldersgruppe'" in " ".join(found.out.split())) == (0, True)
    assert json.loads(command("audit", "published.csv", "--quasi", "alder", "--json").out)["warnings"]
