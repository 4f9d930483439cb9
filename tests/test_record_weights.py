"""Sampling weights: the risk and the utility of a release speak of the population; models and costs do not."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import shoal
from shoal.checking.rounded_weights import wrongly_rounded
from shoal.cli.app import app
from shoal.core.errors import ParameterError, RoleError, TableError
from shoal.release.release_reader import _no_multiples
from shoal.risk.individual import individual_risks
from shoal.tables.weight_rounding import rounded_weights
from shoal.utility import measure

SURVEY = pl.DataFrame(
    {
        "age": [30, 30, 31, 31, 40, 40, 50, 50],
        "income": [10, 20, 30, 40, 50, 60, 70, 80],
        "weight": [100.5, 90.0, 80.0, 70.0, 4.0, 6.0, 50.0, 60.0],
    }
)
ASKED: dict[str, Any] = {"quasi": ["age"], "sensitive": ["income"], "require": "k=2", "recoding": "range"}
SHOWN: dict[str, Any] = {**ASKED, "record_weight": "weight", "other": ["weight"], "allow": ["weight"]}


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


WEIGHTS = st.one_of(st.floats(1e-9, 1e9), st.integers(1, 10**9), st.integers(1, 10**6).map(lambda halves: halves / 2))


@given(st.lists(WEIGHTS, min_size=1, max_size=8), st.integers(1, 1000))
def test_a_weight_is_rounded_to_the_nearest_multiple_above_0(weights: list[float], multiple: int) -> None:
    exact = pl.Series("weight", [float(one) for one in weights])
    found = rounded_weights(exact, multiple)
    steps = [Fraction(one) / multiple for one in exact]
    assert found.to_list() == [max(floor(one + Fraction(1, 2)), 1) * multiple for one in steps]
    assert wrongly_rounded(found, exact, multiple) == _no_multiples(found, multiple) == 0
    assert wrongly_rounded(found + multiple, exact, multiple) == len(weights)
    assert _no_multiples(found.cast(pl.Float64) + 0.5, multiple) == len(weights)


def test_published_weights_are_rounded_and_everything_says_so(tmp_path: Path) -> None:
    release = shoal.anonymize(SURVEY, **SHOWN, weight_rounding=20)
    exact = shoal.anonymize(SURVEY, **SHOWN)
    assert release.table["weight"].to_list() == [100, 100, 80, 80, 20, 20, 60, 60]
    assert release.table.drop("weight").equals(exact.table.drop("weight"))
    assert release.audit.risk == exact.audit.risk
    assert release.certificate.rounded == {"weight": 20}
    assert "published unprotected, as multiples of 20: weight" in release.certificate.exposed
    assert not any("unique by quasi-identifiers and unprotected" in said for said in release.certificate.warnings)
    folder = release.save(tmp_path / "release")
    (described,) = [one for one in release.codebook["columns"] if one["name"] == "weight"]
    assert described["multiples_of"] == 20
    found = shoal.verify(folder, original=SURVEY)
    assert found.passed
    assert "the record weights are those of the original, rounded" in [check.what for check in found.checks]
    other = SURVEY.with_columns(weight=pl.col("weight").replace(4.0, 44.0))
    assert "the record weights are those of the original, rounded" in " ".join(
        shoal.verify(folder, original=other).failures
    )


@pytest.mark.parametrize("recoding", ["generalize", "suppress", "full-domain", "centroid", "anatomy"])
def test_weights_are_rounded_with_every_recoding(recoding: str, tmp_path: Path) -> None:
    asked = {**SHOWN, "recoding": recoding, "weight_rounding": 10, "require": "k=2 l(income)=2"}
    asked |= {"require": "l(income)=2"} if recoding == "anatomy" else {}
    release = shoal.anonymize(SURVEY, **asked)
    assert sorted(release.table["weight"]) == sorted(rounded_weights(SURVEY["weight"], 10))
    assert shoal.verify(release.save(tmp_path / "release"), original=SURVEY).passed


def test_a_certificate_that_states_other_multiples_is_found(tmp_path: Path) -> None:
    release = shoal.anonymize(SURVEY, **SHOWN, weight_rounding=10)
    forged = replace(release, certificate=replace(release.certificate, rounded={"weight": 40}))
    assert "columns 'weight' have numbers that are not such multiples" in " ".join(
        shoal.verify(forged.save(tmp_path / "forged")).failures
    )
    renamed = replace(release, certificate=replace(release.certificate, rounded={"income": 10}))
    assert "not published as other" in " ".join(shoal.verify(renamed.save(tmp_path / "renamed")).failures)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({**ASKED, "leave_out": "rest"}, "without --record-weight"),
        ({**ASKED, "record_weight": "weight"}, "'weight' are not published"),
        ({**SHOWN, "weight_rounding": 0}, "a whole number from 1 to 1000000000"),
        ({**SHOWN, "weight_rounding": 2.5}, "a whole number from 1 to 1000000000"),
    ],
)
def test_a_rounding_of_nothing_is_refused(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        shoal.anonymize(SURVEY, **{"weight_rounding": 10, **asked})


def test_a_weight_that_floating_point_cannot_round_is_refused() -> None:
    with pytest.raises(TableError, match="too large to be rounded"):
        shoal.anonymize(SURVEY.with_columns(weight=pl.col("weight") * 1e300), **SHOWN, weight_rounding=10)


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
    asked += ["--other", "weight", "--allow", "weight", "--weight-rounding", "20"]
    made = CliRunner().invoke(app, ["anonymize", str(file), *asked, "-o", str(folder)])
    assert made.exit_code == 0, made.output
    assert CliRunner().invoke(app, ["verify", str(folder), "--original", str(file)]).exit_code == 0
    found = CliRunner().invoke(app, ["utility", str(folder), "--original", str(file), "--queries", "0", "--json"])
    assert [one["column"] for one in json.loads(found.output)["weighted"]] == ["age", "income"]
