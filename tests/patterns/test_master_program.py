"""The master program: the pattern program without whole numbers and least rows, whichever members it begins with."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.patterns.test_peeling import random_case
from tests.patterns.test_program import columns
from tests.strategies import Case, case_of
from tests.thorough import examples

from shoal.patterns import Cube
from shoal.patterns.checks import Checks
from shoal.patterns.master_program import MasterProgram, Vertex, is_limited, needed, reduced_costs
from shoal.patterns.pool import Pool
from shoal.patterns.program import Program

REQUIRE = [
    "l(illness)=2",
    "l(illness)=9/4",
    "t(illness:equal)=1/3",
    "t(illness:hierarchy)=1/4",
    "t(salary:ordered)=1/5",
    "l(illness)=2 l(salary)=2",
    "l(illness)=2 t(illness:equal)=1/4 t(salary:ordered)=1/3",
    "l(illness+salary)=2",
]


def program_of(case: Case) -> MasterProgram:
    """The program over every pattern."""
    cube = Cube.of(case.problem)
    none = np.zeros(cube.types, np.int64)
    pool = Pool.of(cube, np.arange(cube.types), cube.counts, none, rows=1, slack=2**60, most=10**6)
    assert pool is not None
    return MasterProgram(pool, Checks.of(cube, case.problem.models), cube.denominator)


def solved(program: MasterProgram, number: int = 10**6) -> Vertex:
    """The vertex, beginning with the widest pattern and so many members that lose least where all prices are 0."""
    pool = program.pool
    sizes = np.diff(pool.starts)
    losses = reduced_costs(pool, program.checks, np.zeros(len(pool.types), np.int64))
    chosen = needed(losses, number) | np.repeat(sizes == len(pool.types), sizes)
    found = program.solve(chosen)
    assert found is not None
    return found


def check(case: Case) -> None:
    if not case.oracle.admits([tuple(range(len(case.rows)))]):
        return
    program = program_of(case)
    relaxed = Program(program.pool, replace(program.checks, rows=1), program.denominator).solve(relaxed=True)
    assert solved(program).value == pytest.approx(relaxed.value, rel=1e-6, abs=1e-6)
    found = solved(program_of(case), number=1)
    assert found.value == pytest.approx(relaxed.value, rel=1e-6, abs=1e-6)
    covered = np.bincount(program.pool.members, weights=found.rows, minlength=len(program.pool.types))
    assert covered == pytest.approx(program.pool.counts)


@pytest.mark.parametrize("require", REQUIRE)
@settings(max_examples=3)
@given(table=columns(10), recoding=st.sampled_from(["suppress", "generalize"]))
def test_it_has_the_value_of_the_pattern_program_whichever_members_it_begins_with(
    require: str, table: dict[str, list[Any]], recoding: str
) -> None:
    check(case_of(table, require, recoding=recoding))


@pytest.mark.slow
@pytest.mark.parametrize("require", REQUIRE)
@settings(max_examples=examples(60))
@given(table=columns(14), recoding=st.sampled_from(["suppress", "generalize"]))
def test_it_has_the_value_of_the_pattern_program_in_many_more(
    require: str, table: dict[str, list[Any]], recoding: str
) -> None:
    check(case_of(table, require, recoding=recoding))


def test_no_class_is_published_as_a_pattern_that_is_shut() -> None:
    program = program_of(random_case(1, "k=3 l(illness)=2", 60))
    before = solved(program)
    owner = program.pool.pattern_of_member
    rows = np.bincount(owner, weights=before.rows, minlength=len(program.pool))
    shut = np.flatnonzero((rows > 0) & (np.diff(program.pool.starts) < len(program.pool.types)))[:3]
    after = program.without(shut)
    assert after is not None
    assert after.value >= before.value - 1e-6
    assert after.rows[np.isin(owner, shut)].sum() == pytest.approx(0)


@pytest.mark.parametrize("require", REQUIRE)
def test_members_that_the_program_uses_lose_nothing_to_its_duals(require: str) -> None:
    case = random_case(3, require, 150)
    program = program_of(case)
    pool, vertex = program.pool, solved(program)
    prices = np.zeros(len(pool.types), np.int64)
    prices[pool.types] = np.round(vertex.duals * program.denominator).astype(np.int64)
    losses = reduced_costs(pool, program.checks, prices)
    assert losses[vertex.rows > 1e-6].max() <= 1e-4 * program.denominator


@pytest.mark.parametrize(
    ("require", "limited"),
    [("k=3", False), ("distinct-l(illness)=2", False), ("entropy-l(illness)=2", True), ("k=3 l(illness)=2", True)],
)
def test_it_is_for_models_that_limit_shares(require: str, limited: bool) -> None:
    problem = random_case(1, require, 30).problem
    assert is_limited(Checks.of(Cube.of(problem), problem.models)) == limited
