"""The figures that sdcMicro and ARX state for their own test tables, where they are at hand.

Differences, and why. ARX's rule takes Zayatz's estimate at a sampling fraction of 0.2: its slide negative binomial
multiplies by a power that the model's formula divides by, and finds nothing; shoal's finds fewer uniques than Zayatz
and is taken. sdcMicro lets a missing value match everything, shoal by default nothing but a missing value: its figures
are those of the wildcard count.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.core.arrays import Floats
from shoal.risk import measure
from shoal.risk.crowds import Crowds
from shoal.risk.individual import individual_risks
from shoal.risk.suda import suda
from shoal.risk.wildcard import wildcard_sums
from shoal.tables.table import read

DATA = Path(__file__).parents[3] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="there is no ../shared/data beside the repository")


def stated(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DATA / name).read_text())
    return found


def adult() -> pl.DataFrame:
    return read(DATA / "adult" / "adult_30162.csv.gz").frame


# ARX


def test_the_risk_of_adult_is_the_one_arx_states() -> None:
    raw = stated("adult/arx_expected_risk.json")["raw"]
    table = adult()
    found = measure(table, quasi=table.columns)
    assert found.prosecutor.average == pytest.approx(raw["average_prosecutor_risk"], rel=1e-12)
    assert found.prosecutor.highest == raw["highest_risk"]
    assert found.uniques.share == pytest.approx(raw["fraction_unique_records"], rel=1e-12)


@pytest.mark.parametrize(
    ("fraction", "model", "share", "taken"),
    [
        ("0.01", "pitman", 0.1446083531167384, True),
        ("0.1", "pitman", 0.27684993883653597, True),
        ("0.1", "zayatz", 0.3207402393466189, False),
        ("0.2", "zayatz", 0.3577099234829125, False),
        ("1", "zayatz", 0.5142895033485844, True),
    ],
)
def test_population_uniques_of_adult_are_those_arx_states(fraction: str, model: str, share: float, taken: bool) -> None:
    table = adult()
    found = measure(table, quasi=table.columns, sample_fraction=fraction, minimal_uniques=0).population
    assert found is not None
    estimates = {one.model: one.share for one in found.estimates}
    assert estimates[model] == pytest.approx(share, rel=1e-9)
    assert (found.chosen.share == pytest.approx(share, rel=1e-6)) == taken


# sdcMicro

CASES = ["no_missing", "with_missing", "column_and_row_missing", "one_column_missing"]
KEYS = ("A", "B", "C")


def case_of(name: str) -> tuple[pl.DataFrame, Floats, dict[str, Any]]:
    case = stated("sdcmicro/expected.json")["frequency_counts"][name]
    quasi = pl.DataFrame({key: pl.Series(case[key], dtype=pl.Int64) for key in KEYS if key in case})
    return quasi, np.array(case["weight"], dtype=float), case


@pytest.mark.parametrize("name", CASES)
def test_weights_of_matching_rows_add_up_as_in_sdcmicro(name: str) -> None:
    quasi, weights, case = case_of(name)
    assert wildcard_sums(quasi, np.ones(quasi.height), "missing").tolist() == case["fk"]
    assert wildcard_sums(quasi, weights, "missing").tolist() == pytest.approx(case["Fk_weighted"])


@pytest.mark.parametrize("exact", [False, True])
def test_the_individual_risk_is_the_one_sdcmicro_states(exact: bool) -> None:
    quasi, weights, case = case_of("no_missing")
    expected = stated("sdcmicro/expected.json")["individual_risk_on_no_missing_weighted"]
    found = individual_risks(np.array(case["fk"]), np.array(case["Fk_weighted"]), exact=exact)
    assert found.tolist() == pytest.approx(expected["exact_survey" if exact else "approx_survey"], abs=5e-9)
    if not exact:
        table = quasi.with_columns(weight=pl.Series(weights))
        measured = measure(table, quasi=KEYS, record_weight="weight")
        assert measured.per_row["individual"].tolist() == pytest.approx(found.tolist())
        assert measured.per_row["prosecutor"].tolist() == [1 / f for f in case["fk"]]


@pytest.mark.parametrize("name", ["book", "guideline"])
def test_scores_of_special_uniques_are_those_sdcmicro_states(name: str) -> None:
    case = stated("sdcmicro/expected.json")["suda2"][name]
    table = pl.DataFrame({key: values for key, values in case.items() if not key.startswith("score")})
    scores = suda(Crowds.of(table)).scores.tolist()
    assert scores[4:] == case["score_rows_5_to_8"] if name == "book" else scores == case["score"]


def test_columns_contribute_as_sdcmicro_states() -> None:
    case = stated("sdcmicro/expected.json")["suda2"]["simple"]
    found = suda(Crowds.of(pl.DataFrame({key: case[key] for key in "abc"})))
    percent = {one.column: 100 * one.contribution for one in found.contributions}
    assert percent == case["attribute_contribution_percent"]


@pytest.mark.parametrize(
    ("columns", "score"),
    [("urbrur roof walls water sex", 2), ("urbrur roof walls water electcon relat sex", 180)],
)
def test_the_first_score_of_testdata2_is_the_one_sdcmicro_tests_for(columns: str, score: float) -> None:
    table = read(DATA / "sdcmicro" / "testdata2.csv.gz").frame.select(columns.split())
    assert suda(Crowds.of(table), largest=table.width).scores[0] == score
