"""Models that rest on an estimate: Grassberger's entropy, k-map without a population's table, population uniques."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import digamma
from tests.thorough import examples

import shoal
from shoal.core.errors import Infeasible, Unsupported
from shoal.methods.auto import methods
from shoal.models.estimated_k_map import PoissonKMap, TruncatedPoissonKMap
from shoal.models.no_attack import NoAttackJournalist

PEOPLE = pl.DataFrame({"age": [20 + i * i % 23 for i in range(40)], "town": [i % 3 for i in range(40)]})
POPULATION = pl.concat([PEOPLE, PEOPLE.with_columns(pl.col("age") + 1)])


# --- Grassberger's entropy -------------------------------------------------------------------------------------------


@settings(max_examples=examples(25))
@given(st.lists(st.integers(1, 60), min_size=1, max_size=6))
def test_the_entropy_is_that_of_the_formula_with_digamma(counts: list[int]) -> None:
    n = np.array(counts, dtype=float)
    corrected = digamma(n) + (-1) ** n / 2 * (digamma((n + 1) / 2) - digamma(n / 2))
    expected = min(np.exp(np.log(n.sum()) - (n * corrected).sum() / n.sum()), len(counts))
    values = [value for value, count in enumerate(counts) for _ in range(count)]
    table = {"town": ["x"] * len(values), "illness": values}
    found = shoal.audit(table, quasi=["town"], sensitive=["illness"], require="grassberger-l(illness)=1")
    assert found.findings[0].reached == pytest.approx(expected, rel=1e-12)


def test_few_values_are_not_enough_however_high_the_estimate_is() -> None:
    table = {"town": ["x"], "illness": ["flu"]}
    found = shoal.audit(table, quasi=["town"], sensitive=["illness"], require="grassberger-l(illness)=2")
    assert not found.holds
    assert found.findings[0].reached == 1  # by the formula alone a single row stands for 3.56 values


@pytest.mark.parametrize("method", sorted(methods()))
def test_every_method_meets_it_or_refuses(method: str) -> None:
    rng = np.random.default_rng(3)
    for l in ("1.5", "2.2"):  # noqa: E741 - the paper's name
        table = {"age": rng.integers(20, 30, 14).tolist(), "illness": rng.integers(0, 4, 14).tolist()}
        require = f"grassberger-l(illness)={l}"
        try:
            made = shoal.anonymize(table, quasi=["age"], sensitive=["illness"], require=require, method=method)
        except (Infeasible, Unsupported):
            continue
        second = made.tables.get("sensitive")
        assert shoal.audit(
            made.table, quasi=["age"], sensitive=["illness"], require=require, sensitive_table=second
        ).holds


# --- k-map by an estimate --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "fraction", "error"), [(20, "0.1", "0.05"), (200, "0.02", "0.01"), (6, "0.5", "0.1")])
@pytest.mark.parametrize("kind", [PoissonKMap, TruncatedPoissonKMap])
def test_classes_of_fewer_people_are_admitted_as_rarely_as_stated(
    kind: type[PoissonKMap], k: int, fraction: str, error: str
) -> None:
    """Of k - 1 people each is in the table with the same probability: a binomial number, which Poisson's is near."""
    rows = kind(k, fraction, error).least_rows
    drawn = np.random.default_rng(5).binomial(k - 1, float(fraction), 200_000)
    seen = drawn[drawn > 0] if kind.truncated else drawn
    allowed = float(error)
    assert (seen >= rows).mean() <= allowed + 4 * np.sqrt(allowed / len(seen))


@pytest.mark.parametrize(("k", "fraction", "rows"), [(3, "30162/317238626", 2), (1000, "30162/317238626", 3)])
def test_the_rows_are_those_that_follow_from_a_truncated_poisson_number(k: int, fraction: str, rows: int) -> None:
    """30,162 of 317,238,626 people; 1 % error."""
    mean = float(Fraction(fraction)) * k
    chances = [mean**n / (np.expm1(mean) * np.prod(np.arange(1, n + 1), dtype=float)) for n in range(1, rows)]
    assert 1 - sum(chances) <= 0.01 < 1 - sum(chances[:-1])
    assert TruncatedPoissonKMap(k, fraction, "0.01").least_rows == rows


def test_a_release_states_the_people_that_its_smallest_class_is_enough_for(tmp_path: Path) -> None:
    require = "kmap-truncated=(20,0.1,0.05)"
    made = shoal.anonymize(PEOPLE, quasi=["age", "town"], require=require)
    found = made.certificate.models[0]
    assert found["reached"][0] >= 20
    assert shoal.verify(made.save(tmp_path / "release"), original=PEOPLE).passed


def test_k_rows_are_always_enough() -> None:
    assert PoissonKMap(4, 1, "0.001").least_rows == 4
    assert PoissonKMap(1, "0.3", "0.001").least_rows == 1


# --- population uniques ----------------------------------------------------------------------------------------------


@settings(max_examples=examples(15))
@given(st.lists(st.integers(1, 5), min_size=2, max_size=8), st.integers(2, 9), st.fractions(0, 1, max_denominator=9))
def test_zayatz_is_decided_by_the_shares_of_hypergeometric_draws(sizes: list[int], times: int, share: Fraction) -> None:
    rows = sum(sizes)
    people = rows * times
    one = {i: Fraction(i * comb(people - i, rows - 1), comb(people, rows)) for i in set(sizes)}
    alone = sizes.count(1)
    weight = sum((one[i] for i in sizes), Fraction(0))
    expected = alone * (alone * one.get(1, Fraction(0)) / weight) / rows
    cells = [name for name, size in enumerate(sizes) for _ in range(size)]
    found = shoal.audit({"a": cells}, quasi=["a"], require=f"zayatz-uniques=({share},1/{times})").findings[0]
    assert found.reached == pytest.approx([float(expected), 1 / times], rel=1e-9)
    assert found.holds == (expected <= share) or expected == pytest.approx(float(share), rel=1e-9)


def test_they_are_the_estimates_of_the_risk() -> None:
    cells = [name for name, size in enumerate([1] * 30 + [2] * 9 + [3] * 4 + [8]) for _ in range(size)]
    risk = shoal.audit({"a": cells}, quasi=["a"], sample_fraction="0.2").risk
    assert risk is not None
    assert risk.population is not None
    shares = {estimate.model: estimate.share for estimate in risk.population.estimates}
    for word, share in (*shares.items(), ("population", risk.population.chosen.share)):
        found = shoal.audit({"a": cells}, quasi=["a"], require=f"{word}-uniques=(1,0.2)").findings[0]
        assert found.reached == pytest.approx([1.0 if share is None else share, 0.2])


def test_without_an_estimate_everybody_counts_as_unique() -> None:
    found = shoal.audit({"a": [1, 2, 3]}, quasi=["a"], require="snb-uniques=(0.99,0.5)")
    assert found.findings[0].reached == [1.0, 0.5]
    assert not found.holds


@pytest.mark.parametrize("require", ["population-uniques=(0.001,0.01)", "zayatz-uniques=(0,0.5)"])
@pytest.mark.parametrize("recoding", ["generalize", "full-domain"])
def test_releases_meet_them(require: str, recoding: str, tmp_path: Path) -> None:
    made = shoal.anonymize(PEOPLE, quasi=["age", "town"], require=require, recoding=recoding)
    assert shoal.verify(made.save(tmp_path / "release"), original=PEOPLE).passed
    assert shoal.audit(made.table, quasi=["age", "town"], require=require).holds


# --- an attacker who does not know who is in the table ---------------------------------------------------------------


def test_a_journalist_attacks_where_people_are_few() -> None:
    require = "no-attack-journalist=(10,2)"
    made = shoal.anonymize(PEOPLE, quasi=["age", "town"], require=require, population=POPULATION, recoding="range")
    found = shoal.audit(made.table, quasi=["age", "town"], require=require, population=POPULATION).findings[0]
    assert found.holds
    assert isinstance(found.reached, list)
    assert found.reached[1] <= 2


def test_whom_nobody_fits_is_no_candidate() -> None:
    found = shoal.audit({"age": ["99"]}, quasi=["age"], require="no-attack-journalist=(0,1)", population={"age": [20]})
    assert not found.holds
    assert found.findings[0].reached == [0.0, float("inf")] or found.findings[0].reached is None
    assert NoAttackJournalist(0, 1).is_trivial
