"""Sampling weights: the risk and the utility of a release speak of the population; models and costs do not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import shoal
from shoal.cli.app import app
from shoal.core.errors import RoleError, TableError
from shoal.risk.individual import individual_risks
from shoal.utility import measure

SURVEY = pl.DataFrame(
    {
        "age": [30, 30, 31, 31, 40, 40, 50, 50],
        "income": [10, 20, 30, 40, 50, 60, 70, 80],
        "weight": [100.5, 90.0, 80.0, 70.0, 4.0, 6.0, 50.0, 60.0],
    }
)
ASKED: dict[str, Any] = {"quasi": ["age"], "sensitive": ["income"], "require": "k=2", "recoding": "range"}


def test_the_risk_of_a_release_is_that_of_its_classes_with_their_weights() -> None:
    release = shoal.anonymize(SURVEY, **ASKED, record_weight="weight")
    assert release.audit.risk is not None
    found = release.audit.risk.individual
    assert found is not None
    joined = SURVEY.with_columns(cell=release.table["age"]).group_by("cell").agg(pl.len(), pl.col("weight").sum())
    risks = individual_risks(joined["len"].to_numpy(), joined["weight"].to_numpy())
    assert found.highest == pytest.approx(risks.max())
    assert found.expected == pytest.approx(float(risks @ joined["len"].to_numpy()))
    assert found.smallest_population == pytest.approx(10.0)
    assert release.audit.risk.population is not None


def test_weights_change_no_cell_and_no_cost() -> None:
    plain = shoal.anonymize(SURVEY.drop("weight"), **ASKED)
    weighted = shoal.anonymize(SURVEY, **ASKED, record_weight="weight")
    assert weighted.table.equals(plain.table)
    assert weighted.certificate.cost == plain.certificate.cost


def test_the_column_is_left_out_unless_it_is_named_and_then_warned_of() -> None:
    assert "weight" not in shoal.anonymize(SURVEY, **ASKED, record_weight="weight", other="rest").table.columns
    told = shoal.anonymize(SURVEY, **ASKED, record_weight="weight", other=["weight"], allow=["weight"])
    assert "weight" in told.table.columns
    assert any("unique by quasi-identifiers and unprotected columns" in said for said in told.certificate.warnings)


def test_what_is_no_weight_is_refused() -> None:
    with pytest.raises(RoleError, match="'wait'"):
        shoal.anonymize(SURVEY, **ASKED, record_weight="wait", leave_out="rest")
    zero = SURVEY.with_columns(weight=pl.Series([0.0] * 8))
    with pytest.raises(TableError, match="missing or not above 0"):
        shoal.anonymize(zero, **ASKED, record_weight="weight")


def test_weighted_totals_and_means_are_compared() -> None:
    release = shoal.anonymize(SURVEY, **ASKED, record_weight="weight")
    found = {one.column: one for one in measure(release, SURVEY, queries=0).weighted}
    weights = SURVEY["weight"].to_numpy()
    assert found["income"].total_before == pytest.approx(float(weights @ SURVEY["income"].to_numpy()))
    assert found["income"].total_after == pytest.approx(found["income"].total_before)
    assert found["age"].mean_before == pytest.approx(float(np.average(SURVEY["age"].to_numpy(), weights=weights)))
    assert measure(shoal.anonymize(SURVEY, **ASKED, leave_out="rest"), SURVEY, queries=0).weighted == ()


def test_a_record_of_a_person_has_one_weight() -> None:
    table = {"id": [1, 1, 2], "age": [30, 30, 30], "weight": [5.0, 5.0, 7.0]}
    found = shoal.risk.measure(table, quasi=["age"], person="id", record_weight="weight").individual
    assert found is not None
    assert (found.population, found.smallest_population) == (12.0, 12.0)


def test_the_command_line_takes_it(tmp_path: Path) -> None:
    file, folder = tmp_path / "survey.csv", tmp_path / "release"
    SURVEY.write_csv(file)
    asked = ["--quasi", "age", "--sensitive", "income", "--require", "k=2", "--record-weight", "weight"]
    made = CliRunner().invoke(app, ["anonymize", str(file), *asked, "-o", str(folder)])
    assert made.exit_code == 0, made.output
    assert CliRunner().invoke(app, ["verify", str(folder), "--original", str(file)]).exit_code == 0
    found = CliRunner().invoke(app, ["utility", str(folder), "--original", str(file), "--queries", "0", "--json"])
    assert [one["column"] for one in json.loads(found.output)["weighted"]] == ["age", "income"]
