"""The bound by the linear program: at least the price bound, at most the optimum, and tight where that is known."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.bounds.test_prices import ADDING, BLOCKS, COUNTEREXAMPLE, EVERY, one_thread  # noqa: F401
from tests.checking.test_proof import proved
from tests.strategies import MODELS, Case, case_of, cases
from tests.thorough import examples

from shoal.bounds import linear_program
from shoal.bounds.linear_program import LinearProgram, raise_by_program
from shoal.bounds.prices import Ascent, PriceBound, Pricing
from shoal.patterns.checks import Checks
from shoal.patterns.pool import Pool
from shoal.patterns.program import Program


def relaxed(case: Case) -> float:
    """The linear program over every pattern at once."""
    pricing = Pricing.of(case.problem)
    cube, rows = pricing.cube, pricing.demands.rows
    every, none = np.arange(cube.types), np.zeros(cube.types, np.int64)
    pool = Pool.of(cube, every, cube.counts, none, rows=rows, slack=2**60, most=10**6)
    assert pool is not None
    return Program(pool, Checks.of(cube, case.problem.models), cube.denominator).solve(relaxed=True).value


@settings(max_examples=examples(8))
@given(case=cases(8, BLOCKS, EVERY, ADDING))
def test_it_is_at_least_the_price_bound(case: Case) -> None:
    assert LinearProgram().of(case.problem) >= PriceBound().of(case.problem)


def of_k(k: int, table: list[tuple[int, str]]) -> Case:
    numbers, texts = zip(*table, strict=True)
    columns: dict[str, Any] = {"number": numbers, "text": texts, "illness": ["gout"] * len(table)}
    return case_of(columns, f"k={k}", cost="height")


@pytest.mark.parametrize("k", [2, 3])
@settings(max_examples=examples(20))
@given(table=st.lists(st.tuples(st.sampled_from([1, 2, 9]), st.sampled_from("ef")), min_size=4, max_size=12))
def test_for_k_anonymity_it_is_at_most_the_linear_program_over_all_patterns(
    k: int, table: list[tuple[int, str]]
) -> None:
    case = of_k(k, table)
    assert LinearProgram().of(case.problem) <= relaxed(case) + 1e-6


@pytest.mark.parametrize(
    ("k", "table"),
    [(2, [(1, "f"), *[(2, "e")] * 3]), (3, [*[(1, "e")] * 3, (1, "f")]), (2, [(1, "e"), (1, "f"), (2, "e"), (2, "f")])],
)
def test_a_row_may_be_priced_above_a_row_of_stars(k: int, table: list[tuple[int, str]]) -> None:
    """A row that no other is like makes others pay as well."""
    case = of_k(k, table)
    assert LinearProgram().of(case.problem) == pytest.approx(relaxed(case), abs=1e-6)


@settings(max_examples=examples(15))
@given(case=cases(10, BLOCKS, [MODELS["k"], MODELS["l"], MODELS["t"]], ADDING))
def test_its_prices_prove_it_to_the_checker(case: Case) -> None:
    pricing = Pricing.of(case.problem)
    ascent = PriceBound().ascended(pricing)
    raise_by_program(ascent, rounds=LinearProgram.rounds)
    found = pricing.proof(ascent.best)
    assert found is not None
    assert found.bound == LinearProgram().of(case.problem)
    rounding = 1e-6 if found.estimated else 0.0  # what is estimated is stated as the checker works it out
    assert found.bound * (1 - rounding) <= max(Fraction(0), proved(case, found.of_row.tolist(), found.denominator))


def test_a_coarse_pattern_counts_though_every_finer_one_is_admissible() -> None:
    assert LinearProgram().of(COUNTEREXAMPLE.problem) == COUNTEREXAMPLE.oracle.optimum("stars") == 4


def test_with_too_many_patterns_for_the_program_prices_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear_program, "MOST_MEMBERS", 0)
    ascent = Ascent.of(Pricing.of(COUNTEREXAMPLE.problem))
    before = ascent.best
    raise_by_program(ascent, rounds=3)
    assert ascent.best is before
