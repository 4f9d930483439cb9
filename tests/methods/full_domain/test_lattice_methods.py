"""Incognito, t-Incognito, Samarati's search, Datafly and the top-down greedy: worked examples, and the best levels."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from tests.methods.full_domain.test_full_domain import PEOPLE, TAB_D, TREES, problem_of, releases
from tests.strategies import MODELS, Case, cases
from tests.thorough import examples

from shoal.core.arrays import Bools
from shoal.methods.base import Deadline, Method, silent
from shoal.methods.full_domain.datafly import Datafly
from shoal.methods.full_domain.full_domain import FullDomain
from shoal.methods.full_domain.incognito import Incognito, Walk
from shoal.methods.full_domain.lattice import Ground, Lattice, Verdicts
from shoal.methods.full_domain.samarati import Samarati
from shoal.methods.full_domain.top_down_greedy import TopDownGreedy
from shoal.methods.t_closeness.t_incognito import TIncognito
from shoal.problem import Problem

ALL: list[type[Method]] = [Incognito, TIncognito, Samarati, Datafly, TopDownGreedy]
ORACLES = [MODELS["k"], MODELS["l"], MODELS["t"], MODELS["distinct-l"]]


def sufficing(problem: Problem) -> Bools:
    return Walk(Ground(problem), Lattice.of(problem.microdata)).all_columns(Deadline(), silent)


# --- worked examples -------------------------------------------------------------------------------------------------


def test_two_columns_of_four_rows_must_be_starred() -> None:
    """Rows one and three need the first column starred, rows two and four the third."""
    problem = problem_of(TAB_D, "k=2", cost="stars")
    found = {tuple(levels) for levels in np.argwhere(sufficing(problem)).tolist()}
    assert found == {(1, 0, 1), (1, 1, 1)}
    assert [kind().run(problem).cost for kind in (Incognito, Samarati, TopDownGreedy)] == [8, 8, 8]
    assert Samarati().run(problem).notes[0] == "height 2 of 3"


def test_datafly_raises_the_column_with_most_different_cells() -> None:
    """The age has five values, then three blocks, and goes up to the top before the town with its two is touched."""
    found = Datafly().run(problem_of(PEOPLE, "k=2", hierarchies=TREES))
    assert found.notes == ("2 steps up the lattice", "levels: age 2, town 0")
    found = Datafly().run(problem_of(PEOPLE, "k=3", hierarchies=TREES))
    assert found.notes == ("3 steps up the lattice", "levels: age 2, town 1")


def test_samarati_prefers_fewer_suppressed_rows() -> None:
    problem = problem_of(PEOPLE, "k=2", hierarchies=TREES, max_suppressed=1)
    assert Samarati().run(problem).notes[2:] == (
        "levels: age 0, town 0",
        "5 rows of 5 classes that fail the models are starred",
    )
    assert Samarati().run(problem_of(PEOPLE, "k=2", hierarchies=TREES)).notes[0] == "height 2 of 3"


def test_t_incognito_is_for_t_closeness() -> None:
    columns = {"age": [1, 1, 2, 2], "s": ["a", "b", "a", "b"]}
    assert TIncognito().run(problem_of(columns, "t(s)=0")).cost == 0
    assert TIncognito().accepts(problem_of(columns, "k=2")) == ["it is for t-closeness; use incognito"]


def test_suppressed_rows_need_models_of_counts() -> None:
    columns = {"age": [1, 1, 2, 2], "s": ["a", "b", "a", "b"]}
    assert Incognito().accepts(problem_of(columns, "k=2", max_suppressed=0.5)) == []
    (reason,) = Incognito().accepts(problem_of(columns, "l(s)=2", max_suppressed=0.5))
    assert reason.startswith("with suppressed rows its rules hold for k and distinct l")


# --- against all levels ----------------------------------------------------------------------------------------------


@settings(max_examples=examples(40))
@given(case=cases(9, ["full-domain"], ORACLES, ["ncp", "discernibility"], [0]))  # type: ignore[list-item]
def test_incognito_finds_the_best_levels(case: Case) -> None:
    if Incognito().accepts(case.problem) or case.oracle.is_hopeless:
        return
    one, other = Incognito().run(case.problem), FullDomain().run(case.problem)
    assert (one.status, other.status) == ("optimal", "optimal")
    assert one.cost == pytest.approx(other.cost, abs=1e-12)


@settings(max_examples=examples(30))
@given(case=cases(9, ["full-domain"], ORACLES, ["ncp"], [0]))  # type: ignore[list-item]
def test_samarati_finds_the_least_height(case: Case) -> None:
    if case.oracle.is_hopeless:
        return
    problem = case.problem
    heights = [tree.height for tree in problem.microdata.hierarchies]
    admitted = {tuple(levels) for levels in product(*(range(height + 1) for height in heights))}
    least = min(sum(levels) for levels in admitted if _admits(problem, levels))
    assert Samarati().run(problem).notes[0] == f"height {least} of {sum(heights)}"


def _admits(problem: Problem, levels: tuple[int, ...]) -> bool:
    """Whether levels have a release: the definition, for this vector alone."""
    return Verdicts(Ground(problem)).at(levels).admitted


@settings(max_examples=examples(30))
@given(case=cases(9, ["full-domain"], ORACLES, ["ncp"], [0]))  # type: ignore[list-item]
def test_heuristics_cost_no_less_than_the_best_and_no_more_than_stars(case: Case) -> None:
    if case.oracle.is_hopeless:
        return
    best = FullDomain().run(case.problem).cost
    costs = [case.problem.cost_of(partition) for partition in releases(case.problem)]
    for kind in (Datafly, Samarati, TopDownGreedy):
        found = kind().run(case.problem).cost
        assert best - 1e-9 <= found <= 1 + 1e-9
        assert min(abs(found - cost) for cost in costs) < 1e-9


# --- large lattices, and time ----------------------------------------------------------------------------------------


def test_a_lattice_of_fifteen_columns_is_walked_from_the_top() -> None:
    rng = np.random.default_rng(5)
    columns = {f"c{j}": np.minimum(rng.geometric(0.6, 600), 6).tolist() for j in range(15)}
    problem = problem_of(columns, "k=10", hierarchies=dict.fromkeys(columns, "intervals:width=2,4"))
    assert len(Lattice.of(problem.microdata)) == prod([4] * 15)
    greedy, path = TopDownGreedy().run(problem), Datafly().run(problem)
    assert greedy.cost < 1
    assert problem.models.admits(problem.classes(greedy.partition)).all()
    assert problem.models.admits(problem.classes(path.partition)).all()


@pytest.mark.parametrize("kind", ALL)
def test_out_of_time_something_is_found(kind: type[Method]) -> None:
    problem = problem_of({**PEOPLE, "s": ["a", "b", "a", "b", "a"]}, "k=2 t(s:equal)=0.4", hierarchies=TREES)
    found = kind().run(problem, deadline=Deadline.after(0))
    assert problem.models.admits(problem.classes(found.partition)).all()
    assert found.status in ("feasible", "optimal")
