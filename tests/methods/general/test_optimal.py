"""The pattern program solved to the end: the optimum, and called so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.bounds.test_prices import COUNTEREXAMPLE, one_thread  # noqa: F401
from tests.methods.general.test_peel import audited, checked, larger
from tests.strategies import Case, case_of
from tests.thorough import examples, many

import shoal
from shoal.bounds.linear_program import LinearProgram
from shoal.core.errors import Infeasible
from shoal.methods.base import Deadline
from shoal.methods.general.optimal import Optimal
from shoal.methods.general.subset_dp import SubsetDP
from shoal.models import TCloseness
from shoal.models.metric import Metric
from shoal.patterns import checks as checks_module
from shoal.studies.hardness.matching_closeness import MatchingCloseness

REQUIRE = [
    "k=2",
    "k=3",
    "l(illness)=2",
    "l(illness)=7/3",
    "alpha(illness)=0.6",
    "distinct-l(illness)=2",
    "distinct-l(illness)=3 k=4",
    "k=3 l(illness)=2",
    "t(illness:equal)=0",
    "t(illness:equal)=1/3",
    "t(illness:hierarchy)=1/4",
    "t(salary:ordered)=1/5",
    "t(salary:numeric)=1/4",
    "l(illness)=2 l(salary)=2",
    "k=2 t(illness:equal)=1/2 t(salary:ordered)=1/3",
    "t(illness:nearness)=1/4",
    "k=2 t(illness:nearness)=1/3 t(salary:numeric)=1/3",
    "t(illness+salary:sum)=1/4",
    "t(illness+salary:maximum:hierarchy:numeric)=1/2",
    "entropy-l(illness)=2",
    "k=2 entropy-l(illness)=5/2",
    "recursive-l(illness)=(2,2)",
    "recursive-l(salary)=(3/2,2) entropy-l(illness)=2",
]
WAYS: list[Mapping[str, Any]] = [
    {},
    {"recoding": "generalize"},
    {"recoding": "generalize", "cost": "height", "weights": {"number": Fraction(3)}},
    {"cost": "height", "weights": {"text": Fraction(1, 3)}},
    {"cost": "ncp"},
]
POOLS: dict[str, Sequence[Any]] = {
    "number": [1, 2, 9, None],
    "text": ["e", "f", "v"],
    "truth": [True, False],
    "illness": ["asthma", "cold", "gout"],
    "salary": [1, 2, 5],
}


@st.composite
def columns(draw: st.DrawFn, rows: int) -> dict[str, list[Any]]:
    """A table of three quasi-identifiers and two sensitive columns."""
    number = draw(st.integers(1, rows))
    return {
        name: draw(st.lists(st.sampled_from(pool), min_size=number, max_size=number)) for name, pool in POOLS.items()
    }


def check(case: Case) -> None:
    try:
        found = Optimal().run(case.problem)
    except Infeasible:
        with pytest.raises(Infeasible):
            SubsetDP().run(case.problem)
        return
    assert found.cost == pytest.approx(SubsetDP().run(case.problem).cost, rel=1e-9, abs=1e-9)
    assert found.status == "optimal"
    assert found.lower_bound == pytest.approx(found.cost, rel=1e-9)
    assert audited(case, found)


@pytest.mark.parametrize("require", REQUIRE)
@settings(max_examples=examples(6))
@given(table=columns(8), way=st.sampled_from(WAYS))
def test_it_finds_the_optimum_and_calls_it_so(require: str, table: dict[str, list[Any]], way: Any) -> None:
    check(case_of(table, require, **way))


@pytest.mark.slow
@pytest.mark.parametrize("require", REQUIRE)
@settings(max_examples=examples(50))
@given(table=columns(10), way=st.sampled_from(WAYS))
def test_it_finds_the_optimum_of_many_more_and_calls_it_so(require: str, table: dict[str, list[Any]], way: Any) -> None:
    check(case_of(table, require, **way))


# --- any metric, one for each attribute (Liang and Yuan 2013, Theorem 9) ----------------------------------------------


def random_metric(rng: np.random.Generator, labels: Sequence[Any], source: str) -> Metric:
    """Shortest ways in a complete graph of random lengths, the largest of them 1."""
    size = len(labels)
    apart = np.triu(rng.integers(1, 10, (size, size)), 1)
    apart = apart + apart.T
    for via in range(size):
        apart = np.minimum(apart, apart[:, [via]] + apart[[via], :])
    longest = int(apart.max())
    return Metric.of(list(map(str, labels)), [[Fraction(int(d), longest) for d in line] for line in apart], source)


def close_case(rng: np.random.Generator, rows: int) -> Case:
    """A table of two sensitive columns, each close to the table in a metric of its own."""
    table = {name: [pool[code] for code in rng.integers(0, len(pool), rows)] for name, pool in POOLS.items()}
    limits = [Fraction(int(rng.integers(1, 5)), 8) for _ in range(2)]
    models = [
        TCloseness(limit, name, distance=random_metric(rng, POOLS[name], name))
        for name, limit in zip(("illness", "salary"), limits, strict=True)
    ]
    case = case_of(table, "k=1", **WAYS[int(rng.integers(len(WAYS)))])
    return replace(case, models=tuple(models[: int(rng.integers(1, 3))]))


def test_several_attributes_each_in_its_own_metric() -> None:
    rng = np.random.default_rng(5)
    for _ in range(many(5)):
        check(close_case(rng, int(rng.integers(4, 9))))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_several_attributes_each_in_its_own_metric_many_times(seed: int) -> None:
    rng = np.random.default_rng(60 + seed)
    for _ in range(many(60)):
        check(close_case(rng, int(rng.integers(3, 10))))


@pytest.mark.parametrize("method", ["optimal", "peel", "auto"])
def test_the_matching_of_triples_is_found_in_its_metric(method: str) -> None:
    hard = MatchingCloseness.seeded(0, count=2, decoys=2, t="1/3")
    release = shoal.anonymize(
        hard.frame,
        quasi=hard.frame.columns[:-1],
        sensitive=["side"],
        require=hard.require,
        recoding="suppress",
        method=method,
    )
    assert release.certificate.cost.value == 18
    assert release.certificate.status == ("feasible" if method == "peel" else "optimal")


def test_a_metric_on_too_many_values_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks_module, "MOST_MOVED", 2)
    case = case_of({"number": [1, 2, 9], "illness": ["asthma", "cold", "gout"]}, "t(illness:nearness)=1/2")
    assert Optimal().accepts(case.problem) == [
        "the metric of t(illness:nearness)=0.5 has 3 values, more than the 2 between which a program moves rows"
    ]


NOT_CLOSE = [require for require in REQUIRE if "t(" not in require]


def check_dropping(case: Case) -> None:
    """Guarantees the optimum; where rows must go before anything is met, a release that is not called optimal."""
    try:
        found = Optimal().run(case.problem)
    except Infeasible:
        return
    optimum = SubsetDP().run(case.problem).cost
    assert found.cost >= optimum - 1e-9
    assert audited(case, found)
    assert found.partition.dropped <= case.problem.may_drop
    if found.status == "optimal":
        assert found.cost == pytest.approx(optimum, rel=1e-9, abs=1e-9)
    else:
        assert any("rows dropped: with them no release meets the models" in note for note in found.notes)


@pytest.mark.parametrize("require", NOT_CLOSE)
@settings(max_examples=examples(5))
@given(table=columns(7), share=st.sampled_from([Fraction(1, 5), Fraction(1, 3)]))
def test_it_finds_the_optimum_where_rows_may_be_dropped(
    require: str, table: dict[str, list[Any]], share: Fraction
) -> None:
    check_dropping(case_of(table, require, max_dropped=share))


@pytest.mark.slow
@pytest.mark.parametrize("require", NOT_CLOSE)
@settings(max_examples=examples(30))
@given(table=columns(8), share=st.sampled_from([Fraction(1, 5), Fraction(1, 3)]))
def test_it_finds_the_optimum_of_many_more_where_rows_may_be_dropped(
    require: str, table: dict[str, list[Any]], share: Fraction
) -> None:
    check_dropping(case_of(table, require, max_dropped=share))


def test_a_coarse_pattern_counts_though_every_finer_one_is_admissible() -> None:
    found = Optimal().run(COUNTEREXAMPLE.problem)
    assert (found.cost, found.status) == (4, "optimal")


CROSS: dict[str, list[Any]] = {
    "number": [1, 1, 2, 2],
    "text": ["e", "f", "e", "f"],
    "truth": [True] * 4,
    "illness": ["gout"] * 4,
}
"""Either the numbers are starred or the texts."""


@pytest.mark.parametrize("unit", [Fraction(1), Fraction(1, 10**6), Fraction(1, 10**9), Fraction(1, 10**12)])
@pytest.mark.parametrize("dear", ["number", "text"])
def test_what_is_called_optimal_is_however_small_the_weights(unit: Fraction, dear: str) -> None:
    weights = {name: unit * (Fraction(18, 10) if name == dear else 1) for name in ("number", "text")}
    found = Optimal().run(case_of(CROSS, "k=2", cost="height", weights=weights).problem)
    assert found.status != "optimal" or found.cost == pytest.approx(float(4 * unit), rel=1e-6)


@pytest.mark.parametrize("cost", ["height", "ncp"])
@pytest.mark.parametrize("heavy", [10**6, 10**10, 10**14])
def test_what_is_called_optimal_is_beside_a_heavy_weight(heavy: int, cost: str) -> None:
    case = case_of(CROSS, "k=2", cost=cost, weights={"truth": Fraction(heavy), "text": Fraction(18, 10)})
    found = Optimal().run(case.problem)
    assert found.status != "optimal" or found.cost == pytest.approx(SubsetDP().run(case.problem).cost, rel=1e-6)


@pytest.mark.parametrize("share", [Fraction(0), Fraction(1, 4)])
@pytest.mark.parametrize("alpha", ["0.33333332", "0.3333333"])
def test_a_share_that_is_hardly_too_large_is_not_published(alpha: str, share: Fraction) -> None:
    """Three different illnesses are a third each: too much by less than a solver can tell."""
    table: dict[str, list[Any]] = {
        "number": [1, 1, 1, 2, 2, 2, 9, 9],
        "illness": [*["asthma", "cold", "gout"] * 2, "wart", "wart"],
    }
    case = case_of(table, f"alpha(illness)={alpha}", max_dropped=share)
    found, optimum = Optimal().run(case.problem), SubsetDP().run(case.problem).cost
    assert audited(case, found)
    assert found.cost >= optimum
    assert found.status != "optimal" or found.cost == optimum


@pytest.mark.parametrize(
    ("require", "options", "why"),
    [
        ("beta(illness)=2", {}, "knows k, l, alpha and t, but not all of"),
        ("t(illness)=0.3", {"max_dropped": Fraction(1, 10)}, "compares with the published table"),
        ("k=2", {"recoding": "range"}, "ranges"),
    ],
)
def test_what_the_program_does_not_know_is_refused(require: str, options: dict[str, Any], why: str) -> None:
    case = replace(larger(require, rows=30), **options)
    assert any(why in reason for reason in Optimal().accepts(case.problem))


@pytest.mark.parametrize("require", ["k=3", "l(illness)=2", "distinct-l(illness)=2"])
def test_a_larger_table_is_proved_within_the_bound_of_the_linear_program(require: str) -> None:
    case = larger(require, rows=60, quasi=("number", "text"))
    found = Optimal().run(case.problem)
    assert found.status == "optimal"
    assert found.cost >= LinearProgram().of(case.problem) - 1e-9
    assert found.prices is not None
    assert checked(case, found) >= found.prices.bound


@pytest.mark.parametrize("require", ["k=3", "l(illness)=2", "t(salary:ordered)=0.2"])
def test_out_of_time_nothing_is_called_optimal_that_is_not_proved(require: str) -> None:
    case = larger(require, rows=60)
    found = Optimal().run(case.problem, deadline=Deadline.after(0))
    assert found.lower_bound is not None
    assert (found.status == "optimal") == (found.cost <= found.lower_bound)
