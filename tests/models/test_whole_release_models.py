"""Average risk and sample uniqueness, which are decided for all classes together; and attacks that do not pay."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thorough import examples

import shoal
from shoal.core.errors import Infeasible
from shoal.models.average_risk import AverageRisk
from shoal.models.no_attack import NoAttack
from shoal.models.sample_uniqueness import SampleUniqueness
from shoal.tables.table import read

DATA = Path(__file__).parents[3] / "shared" / "data" / "adult"
METHOD = {"generalize": "mondrian", "range": "mondrian", "full-domain": "full-domain"}
few = settings(max_examples=examples(20))
SHARES = st.fractions(0, 1, max_denominator=12)


@few
@given(st.lists(st.integers(1, 4), min_size=1, max_size=6), SHARES, SHARES.filter(bool))
def test_an_audit_decides_them_by_their_definitions(sizes: list[int], share: Fraction, risk: Fraction) -> None:
    cells = [name for name, size in enumerate(sizes) for _ in range(size)]
    found = shoal.audit({"a": cells}, quasi=["a"], require=AverageRisk(risk) & SampleUniqueness(share))
    of_row = [Fraction(1, sizes[cell]) for cell in cells]
    mean, alone = sum(of_row) / len(of_row), Fraction(of_row.count(Fraction(1)), len(of_row))
    assert [one.holds for one in found.findings] == [mean <= risk, alone <= share]
    assert [one.reached for one in found.findings] == [float(mean), float(alone)]


@few
@given(st.integers(1, 9), st.fractions(0, 20, max_denominator=7), st.fractions(Fraction(1, 7), 5, max_denominator=7))
def test_no_attack_pays_is_decided_exactly(size: int, gain: Fraction, cost: Fraction) -> None:
    found = shoal.audit({"a": ["x"] * size}, quasi=["a"], require=str(NoAttack(gain, cost)))
    assert found.holds == (gain / size <= cost)


@pytest.mark.parametrize(
    ("require", "least"), [("average-risk=0.3", 4), ("sample-uniques=0.1", 2), ("no-attack=(10,3)", 4)]
)
@pytest.mark.parametrize("recoding", ["generalize", "range", "full-domain"])
def test_releases_meet_them_and_state_what_they_reach(require: str, least: int, recoding: str, tmp_path: Path) -> None:
    people = pl.DataFrame({"age": [20 + i * i % 23 for i in range(24)], "town": [i % 3 for i in range(24)]})
    release = shoal.anonymize(
        people, quasi=["age", "town"], require=require, recoding=recoding, method=METHOD[recoding]
    )
    sizes = release.table.group_by("age", "town").len()["len"]
    assert (sizes >= least).all()
    assert shoal.verify(release.save(tmp_path / "release"), original=people).passed
    again = shoal.audit(release.table, quasi=["age", "town"], require=require)
    assert again.holds
    if require.startswith("average"):
        assert release.certificate.models[0]["reached"] == len(sizes) / 24
        assert release.certificate.status == "feasible" or float(release.certificate.cost) == 0


def test_what_no_release_meets_is_infeasible() -> None:
    for require in ("average-risk=0.3", "no-attack=(10,3)"):
        with pytest.raises(Infeasible):
            shoal.anonymize({"a": [1, 2, 3]}, quasi=["a"], require=require)


@pytest.mark.skipif(not DATA.is_dir(), reason="there is no ../shared/data/adult beside the repository")
def test_adult_reaches_what_arx_states() -> None:
    raw = json.loads((DATA / "arx_expected_risk.json").read_text())["raw"]
    table = read(DATA / "adult_30162.csv.gz").frame
    found = shoal.audit(table, quasi=table.columns, require="average-risk=1 sample-uniques=1").findings
    assert found[0].reached == pytest.approx(raw["average_prosecutor_risk"], rel=1e-12)
    assert found[1].reached == pytest.approx(raw["fraction_unique_records"], rel=1e-12)
