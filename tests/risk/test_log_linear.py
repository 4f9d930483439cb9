"""Log-linear risk: against sdcMicro's own values, against a likelihood maximized otherwise, and known populations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest

import shoal.risk
from shoal.core.errors import ParameterError, RoleError
from shoal.risk.crowds import Crowds
from shoal.risk.log_linear import fit, joined_columns, log_linear_risk

SDCMICRO = pl.DataFrame(
    {
        "Var1": [2, 3, 2, 3, 3, 1, 2, 3, 2, 2],
        "Var2": [2, 1, 2, 2, 1, 2, 1, 1, 1, 2],
        "Var3": [5, 4, 4, 5, 4, 4, 3, 3, 2, 2],
    }
)
"""The table that the tests of sdcMicro's modRisk draw; every row weighs 100."""


def test_the_fitted_counts_are_those_sdcmicro_states() -> None:
    counts = np.zeros((3, 2, 4))
    for one, two, three in SDCMICRO.rows():
        counts[one - 1, two - 1, three - 2] += 1
    by_first = [np.tile([share, share, 2 * share, share], 2) for share in (0.1, 0.5, 0.4)]
    assert fit(counts, [(0,), (1,), (2,)]).ravel() == pytest.approx(np.concatenate(by_first))


def test_sdcmicros_global_risks_follow_from_the_model() -> None:
    """sdcMicro takes the counts of the sample for those of the population, and divides by the cells with rows."""
    crowds = Crowds.of(SDCMICRO)
    found = log_linear_risk(crowds, 1000.0)
    shares = {name: SDCMICRO[name].value_counts(normalize=True) for name in SDCMICRO.columns}
    share = {name: dict(one.iter_rows()) for name, one in shares.items()}
    uniques = [row for row in SDCMICRO.rows() if SDCMICRO.rows().count(row) == 1]
    counts = [10 * share["Var1"][row[0]] * share["Var2"][row[1]] * share["Var3"][row[2]] for row in uniques]
    theirs = 0.99 * np.array(counts)
    assert np.exp(-theirs).sum() / crowds.classes == pytest.approx(0.552916, abs=5e-7)
    assert (-np.expm1(-theirs) / theirs).sum() / crowds.classes == pytest.approx(0.7053842, abs=5e-8)
    ours = 0.99 * 100 * np.array(counts)
    assert found.population_uniques == pytest.approx(np.exp(-ours).sum())
    assert found.matches == pytest.approx((-np.expm1(-ours) / ours).sum())


def test_fitted_tables_are_the_likeliest_with_interactions() -> None:
    """Poisson regression by Newton's method on the same model: intercept, main effects, and one interaction."""
    counts = np.random.default_rng(5).integers(1, 9, (2, 3, 2)).astype(float)
    a, b, c = (axis.ravel() for axis in np.indices(counts.shape))
    design = np.column_stack([a == 0, a == 1, *((b == i) & (a == j) for i in (1, 2) for j in (0, 1)), c == 1])
    design = design.astype(float)
    slope = np.zeros(design.shape[1])
    slope[:2] = np.log(counts.mean())
    for _ in range(50):
        mean = np.exp(design @ slope)
        slope += np.linalg.solve(design.T * mean @ design, design.T @ (counts.ravel() - mean))
    assert fit(counts, [(0, 1), (2,)]).ravel() == pytest.approx(np.exp(design @ slope), rel=1e-6)


@pytest.mark.parametrize("fraction", [0.05, 0.3])
def test_populations_drawn_from_the_model_are_found(fraction: float) -> None:
    draw = np.random.default_rng(2)
    one = draw.choice(40, 40_000, p=draw.dirichlet(np.full(40, 0.3)))
    two = (one + draw.geometric(0.5, 40_000)) % 40  # depends on the first
    three = draw.choice(60, 40_000, p=draw.dirichlet(np.full(60, 0.3)))
    people = pl.DataFrame({"a": one, "b": two, "c": three})
    held = draw.random(40_000) < fraction
    everybody, sample = Crowds.of(people), Crowds.of(people.filter(pl.Series(held)))
    alike = everybody.size_of_row[held][sample.first[sample.sizes == 1]]
    found = log_linear_risk(sample, 40_000.0, [["a", "b"]])
    uniques = int((alike == 1).sum())
    assert found.population_uniques == pytest.approx(uniques, abs=3 * uniques**0.5)
    assert found.matches == pytest.approx((1 / alike).sum(), rel=0.1)
    assert found.expected_uniques == pytest.approx(found.uniques, rel=0.1)
    alone = log_linear_risk(sample, 40_000.0)
    assert abs(alone.matches - (1 / alike).sum()) > 3 * abs(found.matches - (1 / alike).sum())


def test_equal_weights_are_the_same_as_a_population_size_and_others_are_not() -> None:
    table = SDCMICRO.with_columns(same=pl.lit(20.0), other=pl.Series([5.0, 60, 5, 5, 60, 5, 5, 60, 5, 5]))
    by_size, same, other = (
        shoal.risk.measure(table, quasi=SDCMICRO.columns, minimal_uniques=0, **given)
        for given in ({"population_size": 200}, {"record_weight": "same"}, {"record_weight": "other"})
    )
    assert by_size.log_linear == same.log_linear
    assert other.log_linear is not None
    assert same.log_linear is not None
    assert other.log_linear.matches != same.log_linear.matches
    assert np.array_equal(by_size.per_row["log_linear"], same.per_row["log_linear"])
    assert (same.per_row["log_linear"] > 0).sum() == same.log_linear.uniques


def test_everybody_in_the_table_is_what_the_table_shows() -> None:
    found = log_linear_risk(Crowds.of(SDCMICRO), 10.0, "pairs")
    assert (found.population_uniques, found.matches) == (found.uniques, found.uniques) == (8, 8)


@pytest.mark.parametrize(
    ("asked", "error"),
    [(["Var1"], ParameterError), (["Var1,Var9"], RoleError), ([["Var1", "Var1"]], ParameterError)],
)
def test_wrong_interactions_are_refused(asked: Sequence[Sequence[str] | str], error: type[Exception]) -> None:
    with pytest.raises(error):
        joined_columns(SDCMICRO.columns, asked)


def test_too_many_cells_are_refused_in_words() -> None:
    wide = Crowds.of(pl.DataFrame({name: np.arange(2000) for name in "abc"}))
    with pytest.raises(ParameterError, match="interactions join a, b: 4,000,000 cells"):
        log_linear_risk(wide, 1e6, [["a", "b"]])
    assert log_linear_risk(wide, 1e6).expected_uniques is None
