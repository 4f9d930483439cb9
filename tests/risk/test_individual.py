"""Individual risk: the closed forms, the series they sum, and what is refused."""

from __future__ import annotations

from math import comb, log

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.core.errors import RoleError, TableError
from shoal.risk import measure
from shoal.risk.individual import individual_risks

PEOPLE = {"age": [20, 20, 20, 30, 30, 40], "weight": [1.5, 2.5, 11, 4, 6, 17]}


def mean_of_inverse(f: int, p: float) -> float:
    """The mean of 1 / people, where people - f is negative binomial: the definition, summed up."""
    return sum(comb(n - 1, f - 1) * p**f * (1 - p) ** (n - f) / n for n in range(f, 3000))


@pytest.mark.parametrize("p", [0.02, 0.3, 0.9])
@pytest.mark.parametrize("f", [1, 2, 3, 7])
def test_the_exact_risk_is_the_mean_of_one_over_people(f: int, p: float) -> None:
    found = individual_risks(np.array([f]), np.array([f / p]), exact=True)[0]
    assert found == pytest.approx(mean_of_inverse(f, p), rel=1e-9)


@given(st.floats(1e-6, 0.999))
def test_small_classes_have_the_closed_forms(p: float) -> None:
    one, two = individual_risks(np.array([1, 2]), np.array([1 / p, 2 / p]))
    odds = p / (1 - p)
    assert one == pytest.approx(odds * log(1 / p), rel=1e-9)
    assert two == pytest.approx(odds - odds**2 * log(1 / p), rel=1e-5, abs=1e-9)


@given(st.integers(1, 200), st.floats(0.5, 1e9))
def test_risk_is_never_above_that_of_the_sample(f: int, population: float) -> None:
    for exact in (False, True):
        found = individual_risks(np.array([f]), np.array([population]), exact=exact)[0]
        assert 0 < found <= 1 / f + 1e-12
        assert population > f or found == pytest.approx(1 / f)


def test_the_global_risk_adds_up() -> None:
    found = measure(PEOPLE, quasi=["age"], record_weight="weight")
    risk = found.per_row["individual"]
    assert found.individual is not None
    assert found.individual.expected == pytest.approx(risk.sum())
    assert (found.individual.average, found.individual.highest) == pytest.approx((risk.mean(), risk.max()))
    assert {one.threshold: one.rows for one in found.individual.exceeding} == {
        name: int((risk > float(name)).sum()) for name in ("0.2", "0.09", "0.05")
    }
    assert found.population is not None
    assert found.population.population == found.individual.population == 42


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1, 0, 1, 1, 1, 1], "1 of 6 record weights"),
        ([None, -1.0, 1, 1, 1, 1], "2 of 6"),
        (["a"] * 6, "have the type String"),
    ],
)
def test_weights_that_are_none_are_refused(weights: list[object], said: str) -> None:
    table = pl.DataFrame({"age": PEOPLE["age"], "weight": weights}, strict=False)
    with pytest.raises(TableError, match=said):
        measure(table, quasi=["age"], record_weight="weight")


def test_a_weight_column_that_is_not_there_is_named() -> None:
    with pytest.raises(RoleError, match="'weigth' of record weights; did you mean 'weight'"):
        measure(PEOPLE, quasi=["age"], record_weight="weigth")
