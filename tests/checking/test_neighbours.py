"""What prices prove of ranges and sets: never more than the optimum, and no less than the search says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.checking.test_proof import proved
from tests.methods.general.test_peel import larger
from tests.strategies import Case, cases
from tests.thorough import many

import shoal
from shoal.bounds.range_neighbour import RangeNeighbour
from shoal.checking import neighbours
from shoal.core.errors import Unsupported
from shoal.release.verification import verify
from shoal.studies.synth import census

RANGES = cases(5, ["range"], costs=["ncp"])


def check_bound(case: Case, drawn: Sequence[int]) -> None:
    assert proved(case, drawn[: len(case.rows)], 8) <= case.oracle.optimum("ncp") + 1e-9


@settings(max_examples=40)
@given(case=RANGES, drawn=st.lists(st.integers(0, 9), min_size=5, max_size=5))
def test_no_prices_prove_more_than_the_optimum(case: Case, drawn: list[int]) -> None:
    check_bound(case, drawn)


@pytest.mark.slow
@settings(max_examples=many(200))
@given(case=cases(6, ["range"], costs=["ncp"]), drawn=st.lists(st.integers(0, 9), min_size=6, max_size=6))
def test_no_prices_of_many_prove_more_than_the_optimum(case: Case, drawn: list[int]) -> None:
    check_bound(case, drawn)


@settings(max_examples=40)
@given(case=RANGES)
def test_the_prices_of_the_bound_are_confirmed(case: Case) -> None:
    assume(not RangeNeighbour().accepts(case.problem))
    prices = RangeNeighbour().prices(case.problem)
    assert float(proved(case, prices.of_row.tolist(), prices.denominator)) >= prices.bound
    assert prices.bound <= case.oracle.optimum("ncp") + 1e-9


@pytest.mark.parametrize("require", ["k=3", "k=2 distinct-l(illness)=3", "l(illness)=2", "k=3 t(salary:ordered)=0.3"])
def test_a_larger_table_has_all_its_prices_confirmed_also_in_parts(
    require: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = replace(larger(require, rows=200, quasi=("number", "decimal", "odd text", "day")), recoding="range")
    prices = RangeNeighbour().prices(case.problem)
    whole = proved(case, prices.of_row.tolist(), prices.denominator)
    assert float(whole) >= prices.bound > 0
    monkeypatch.setattr(neighbours, "CHUNK", 700)
    assert proved(case, prices.of_row.tolist(), prices.denominator) == whole


def test_a_row_pays_for_the_nearest_other_value_that_is_asked_for() -> None:
    people: dict[str, Any] = {"age": [0, 1, 2, 10, 11], "illness": ["flu", "flu", "flu", "gout", "gout"]}
    asked: dict[str, Any] = {"quasi": ["age"], "sensitive": ["illness"], "require": "k=2 distinct-l(illness)=2"}
    release = shoal.anonymize(people, recoding="range", method="anneal", **asked)
    assert release.certificate.lower_bound == pytest.approx((10 + 9 + 8 + 8 + 9) / 11 / 5, rel=1e-6)


def test_a_release_of_ranges_carries_a_proof(tmp_path: Path) -> None:
    table = census(400, seed=2)
    asked: dict[str, Any] = {"quasi": ["age", "gender", "education"], "leave_out": "rest", "require": "k=5"}
    release = shoal.anonymize(table, recoding="range", effort="quick", **asked)
    folder = release.save(tmp_path / "release")
    found = verify(folder, original=table)
    assert found.passed
    assert found.proved is not None
    assert found.proved.bound == pytest.approx(release.certificate.lower_bound, rel=1e-6)


def test_a_price_that_is_too_high_proves_nothing() -> None:
    people = pl.DataFrame({"age": [1, 2, 3, 4]})
    asked: dict[str, Any] = {"quasi": ["age"], "models": larger("k=2").problem.models, "weights": {}}
    dear = neighbours.neighbour_bound(people, prices=np.full(4, 34), denominator=100, **asked)
    fair = neighbours.neighbour_bound(people, prices=np.full(4, 33), denominator=100, **asked)
    assert (float(dear), float(fair)) == (0, 0.33)


def test_other_costs_of_ranges_are_refused() -> None:
    with pytest.raises(Unsupported, match="prices prove nothing"):
        proved(replace(larger("k=2"), recoding="range", cost="discernibility"), [0] * 120)
