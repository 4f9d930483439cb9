"""The pattern program: over all patterns its optimum is that of trying every release."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import Case, case_of
from tests.thorough import examples

from shoal.patterns import Cube
from shoal.patterns.checks import Checks
from shoal.patterns.pool import Pool
from shoal.patterns.program import Answer, Program

REQUIRE = [
    "k=2",
    "k=3",
    "l(illness)=2",
    "l(illness)=5/2",
    "distinct-l(illness)=2",
    "distinct-l(illness)=3 k=4",
    "k=3 l(illness)=2",
    "t(illness:equal)=0",
    "t(illness:equal)=1/3",
    "t(illness:hierarchy)=1/4",
    "t(salary:ordered)=1/5",
    "t(salary:numeric)=1/4",
    "l(illness)=2 l(salary)=2",
    "distinct-l(illness)=2 t(salary)=1/4",
    "k=2 t(illness:equal)=1/2 t(salary:ordered)=1/3",
    "l(illness+salary)=2",
    "t(illness:nearness)=1/4",
    "k=2 t(illness:nearness)=1/3 t(salary:numeric)=1/3",
    "t(illness+salary:sum)=1/4",
    "t(illness+salary:maximum:hierarchy:numeric)=1/2",
    "entropy-l(illness)=2",
    "k=2 entropy-l(illness)=5/2",
    "entropy-l(salary)=3/2 t(illness)=1/2",
    "recursive-l(illness)=(2,2)",
    "recursive-l(illness)=(1/2,1) k=3",
    "recursive-l(salary)=(3/2,2) entropy-l(illness)=2",
]
every_requirement = pytest.mark.parametrize("require", REQUIRE)


@st.composite
def columns(draw: st.DrawFn, rows: int) -> dict[str, list[Any]]:
    """A table of a number, a text, an illness and a salary, with few values each."""
    number = draw(st.integers(2, rows))
    pools: dict[str, list[Any]] = {
        "number": [1, 2, 9],
        "text": ["e", "f"],
        "illness": ["asthma", "cold", "gout"],
        "salary": [1, 2, 5],
    }
    return {
        name: draw(st.lists(st.sampled_from(pool), min_size=number, max_size=number)) for name, pool in pools.items()
    }


def solved(case: Case, *, dropping: bool = False, **options: Any) -> Answer:
    """The answer of the program over every pattern."""
    problem = case.problem
    cube = Cube.of(problem)
    pool = Pool.of(
        cube,
        np.arange(cube.types),
        cube.counts,
        np.zeros(cube.types, np.int64),
        rows=1,
        slack=2**60,
        most=10**6,
    )
    assert pool is not None
    outlets = np.full(cube.types, cube.full, np.int64) if dropping else None
    checks = Checks.of(cube, problem.models)
    capacity = problem.may_drop if dropping else None
    return Program(pool, checks, cube.denominator, outlets, capacity).solve(**options)


def in_measure(case: Case, value: float) -> float:
    return value / len(case.rows) if case.problem.cost.name == "ncp" else value


def check(case: Case, *, dropping: bool = False) -> None:
    answer, optimum = solved(case, dropping=dropping), case.oracle.optimum(case.problem.cost.name)
    if optimum == float("inf"):
        assert answer.copies is None
        return
    assert answer.optimal
    assert answer.copies is not None
    assert in_measure(case, answer.value) == pytest.approx(optimum, rel=1e-6, abs=1e-6)


@every_requirement
@settings(max_examples=examples(8))
@given(table=columns(6), recoding=st.sampled_from(["suppress", "generalize"]))
def test_the_program_finds_the_optimum(require: str, table: dict[str, list[Any]], recoding: str) -> None:
    check(case_of(table, require, recoding=recoding))


def test_a_program_that_presolving_calls_infeasible_is_solved() -> None:
    table: dict[str, list[Any]] = {
        "number": [1, 2, 2, 1, 2, 9],
        "text": ["f", "e", "e", "f", "f", "f"],
        "illness": ["asthma"] * 4 + ["cold"] * 2,
        "salary": [1, 1, 2, 5, 2, 2],
    }
    check(case_of(table, "l(illness)=2 l(salary)=2", max_dropped=Fraction(1, 2)), dropping=True)


@pytest.mark.slow
@every_requirement
@settings(max_examples=examples(50))
@given(table=columns(7), recoding=st.sampled_from(["suppress", "generalize"]))
def test_the_program_finds_the_optimum_of_many_more(require: str, table: dict[str, list[Any]], recoding: str) -> None:
    check(case_of(table, require, recoding=recoding))


NOT_CLOSE = [require for require in REQUIRE if "t(" not in require]


@pytest.mark.parametrize("require", NOT_CLOSE)
@settings(max_examples=examples(8))
@given(table=columns(6), share=st.sampled_from([Fraction(1, 5), Fraction(1, 2)]))
def test_the_program_with_dropping_up_to_a_capacity_finds_the_optimum(
    require: str, table: dict[str, list[Any]], share: Fraction
) -> None:
    check(case_of(table, require, max_dropped=share), dropping=True)


@every_requirement
@settings(max_examples=examples(8))
@given(table=columns(10))
def test_the_linear_program_is_at_most_the_program(require: str, table: dict[str, list[Any]]) -> None:
    case = case_of(table, require)
    whole, relaxed = solved(case), solved(case, relaxed=True)
    if whole.copies is not None:
        assert relaxed.value <= whole.value + 1e-6


@settings(max_examples=examples(10))
@given(table=columns(8))
def test_a_start_is_no_worse_at_the_end(table: dict[str, list[Any]]) -> None:
    case = case_of(table, "k=2")
    plain = solved(case)
    assert plain.copies is not None
    again = solved(case, start=plain.copies, nodes=1)
    assert again.value <= plain.value + 1e-6
