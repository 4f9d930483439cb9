"""Peeling and local search, compiled: every row is covered once, by a pattern it matches, in admitted classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracle
from tests.strategies import MODELS, QUASI, SENSITIVE, Case, case_of, cases
from tests.thorough import examples

from shoal.core.arrays import Ints
from shoal.core.interruptible import watched
from shoal.methods.base import Deadline
from shoal.methods.general.peel import peeled
from shoal.models import Model
from shoal.models.requirement import parse_requirement
from shoal.patterns import Cube, peeling
from shoal.patterns.checks import Checks
from shoal.patterns.covering import Covering
from shoal.patterns.peeling import Peeling
from shoal.patterns.peeling_kernel import Regret

BLOCKS = ["suppress", "generalize"]
ADDING = ["stars", "height", "ncp"]
KNOWN: Sequence[type[Model]] = [MODELS[name] for name in ("k", "l", "distinct-l", "entropy-l", "recursive-l", "t")]
REQUIRE = [
    "k=3",
    "k=2 l(illness)=2",
    "distinct-l(illness)=3",
    "entropy-l(illness)=2",
    "recursive-l(illness)=(2,2)",
    "t(illness:equal)=0.2",
    "t(salary:ordered)=0.2 k=4",
    "t(illness:hierarchy)=0.3 l(salary)=2",
]


def covered(cube: Cube, checks: Checks, prices: Ints) -> Covering:
    return peeled(cube, checks, prices, Deadline())


def check_covering(cube: Cube, found: Covering) -> None:
    """Guarantees that every row is in one class and that all members of a class match one pattern."""
    assert np.bincount(found.types, weights=found.copies, minlength=cube.types).tolist() == cube.counts.tolist()
    pairs = cube.nodes[found.nodes[found.classes]]
    groups = zip(
        found.classes.tolist(),
        cube.first.groups[pairs[:, 0], found.types].tolist(),
        cube.second.groups[pairs[:, 1], found.types].tolist(),
        strict=True,
    )
    assert len(set(groups)) == len(set(found.classes.tolist())) == len(found.nodes)


def admitted(case: Case, found: Covering) -> bool:
    """Whether the oracle admits the classes as they will be published."""
    classes = [tuple(rows.tolist()) for rows in found.partition(case.problem)]
    return case.oracle.admits(case.oracle.classes(classes))


def random_case(seed: int, require: str, rows: int, recoding: str = "suppress") -> Case:
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {}
    for name in ("number", "text", "category"):
        pool = QUASI[name].pool
        columns[name] = [pool[place] for place in rng.integers(0, len(pool), rows)]
    for name, kind in SENSITIVE.items():
        columns[name] = [kind.pool[place] for place in rng.integers(0, len(kind.pool), rows)]
    return case_of(columns, require, recoding=recoding)


@st.composite
def priced(draw: st.DrawFn, rows: int) -> tuple[Case, Cube, Ints]:
    """A case that the whole table meets, its cube, and prices."""
    case = draw(cases(rows, BLOCKS, KNOWN, ADDING))
    if not case.oracle.admits([tuple(range(len(case.rows)))]) or any(model.given for model in case.models):
        case = replace(case, models=parse_requirement("k=1").all)
    cube = Cube.of(case.problem)
    shares = draw(st.lists(st.sampled_from([0.0, 0.3, 0.6, 1.0]), min_size=cube.types, max_size=cube.types))
    return case, cube, np.array([int(share * cube.full) for share in shares], np.int64)


def check_peeling(drawn: tuple[Case, Cube, Ints]) -> None:
    case, cube, prices = drawn
    checks = Checks.of(cube, case.problem.models)
    found = covered(cube, checks, prices)
    check_covering(cube, found)
    assert not checks.complete or admitted(case, found)


@settings(max_examples=examples(50))
@given(drawn=priced(14))
def test_peeling_covers_every_row_once_with_admitted_classes(drawn: tuple[Case, Cube, Ints]) -> None:
    check_peeling(drawn)


@pytest.mark.slow
@settings(max_examples=examples(200))
@given(drawn=priced(40))
def test_peeling_covers_every_row_once_with_admitted_classes_in_many_more(drawn: tuple[Case, Cube, Ints]) -> None:
    check_peeling(drawn)


@pytest.mark.parametrize("recoding", BLOCKS)
@pytest.mark.parametrize("require", REQUIRE)
def test_peeling_a_larger_table_covers_it_with_admitted_classes(require: str, recoding: str) -> None:
    case = random_case(1, require, 120, recoding)
    cube = Cube.of(case.problem)
    found = covered(cube, Checks.of(cube, case.problem.models), np.zeros(cube.types, np.int64))
    check_covering(cube, found)
    assert admitted(case, found)
    assert len(found.nodes) > 1


@settings(max_examples=examples(60))
@given(drawn=priced(14))
def test_a_covering_costs_at_least_what_its_partition_costs_once_published(drawn: tuple[Case, Cube, Ints]) -> None:
    case, cube, prices = drawn
    found = covered(cube, Checks.of(cube, case.problem.models), prices)
    cost = case.problem.cost
    per = len(case.rows) if cost.name == "ncp" else 1
    assert case.problem.cost_of(found.partition(case.problem)) <= found.cost / cube.denominator / per + 1e-6


def test_peeling_stopped_at_once_leaves_all_rows_in_one_class_of_stars() -> None:
    case = random_case(2, "k=3", 60)
    cube = Cube.of(case.problem)
    checks = Checks.of(cube, case.problem.models)
    prices, stop = np.zeros(cube.types, np.int64), np.ones(1, np.bool_)
    start = Peeling.of(cube.grid, cube.levels, cube.counts, prices, Regret(1.0, 5), checks.rules, 10**9)
    pieces, nodes, left = start.peel(stop)
    assert (len(pieces), len(nodes), left.tolist()) == (0, 0, cube.counts.tolist())


@pytest.mark.parametrize("require", REQUIRE)
def test_nodes_looked_at_at_the_same_time_cover_as_one_after_the_other(
    require: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = random_case(3, require, 120, "generalize")
    cube = Cube.of(case.problem)
    checks = Checks.of(cube, case.problem.models)
    for prices in (np.zeros(cube.types, np.int64), np.random.default_rng(0).integers(0, cube.full, cube.types)):
        alone = covered(cube, checks, prices)
        with monkeypatch.context() as patched:
            patched.setattr(peeling, "ABREAST", 20)
            abreast = covered(cube, checks, prices)
        assert (alone.types == abreast.types).all()
        assert (alone.classes == abreast.classes).all()
        assert (alone.copies == abreast.copies).all()
        assert (alone.nodes == abreast.nodes).all()


@pytest.mark.parametrize("require", REQUIRE)
def test_nodes_that_are_looked_at_later_cover_as_those_looked_at_at_once(
    require: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = random_case(4, require, 120, "generalize")
    cube = Cube.of(case.problem)
    checks, prices = Checks.of(cube, case.problem.models), np.zeros(cube.types, np.int64)
    later = covered(cube, checks, prices)
    monkeypatch.setattr(peeling, "_due", lambda grid, levels, prices, regret: np.zeros(len(levels), np.int64))
    at_once = covered(cube, checks, prices)
    assert later.cost == at_once.cost
    assert (later.types == at_once.types).all()
    assert (later.copies == at_once.copies).all()


@pytest.mark.parametrize("require", REQUIRE)
@pytest.mark.parametrize("seed", range(3))
def test_moving_rows_keeps_classes_admitted_and_saves_what_it_says(require: str, seed: int) -> None:
    from shoal.patterns.moving import move_rows

    case = random_case(seed, require, 90)
    cube = Cube.of(case.problem)
    checks = Checks.of(cube, case.problem.models)
    before = covered(cube, checks, np.zeros(cube.types, np.int64))
    types, classes = before.rows
    saved = watched(move_rows, cube.layout, types, classes, before.nodes, checks.rules, 3, deadline=Deadline())
    after = Covering.of_rows(cube, types, classes, before.nodes)
    check_covering(cube, after)
    assert after.cost == before.cost - saved
    assert admitted(case, after)


@pytest.mark.parametrize("require", REQUIRE)
@pytest.mark.parametrize("seed", range(3))
def test_opening_patterns_keeps_classes_admitted_and_saves_what_it_says(require: str, seed: int) -> None:
    from shoal.patterns.opening import open_patterns

    case = random_case(seed, require, 90)
    cube = Cube.of(case.problem)
    checks = Checks.of(cube, case.problem.models)
    whole = np.zeros(cube.types, np.int64)
    before = Covering(cube, np.arange(cube.types), whole, cube.counts, np.array([cube.number - 1]))
    types, classes = before.rows
    saved, opened = watched(
        open_patterns,
        cube.layout,
        np.arange(cube.walked),
        types,
        classes,
        before.nodes,
        np.zeros(1, np.int64),
        checks.rules,
        deadline=Deadline(),
    )
    after = Covering.of_rows(cube, types, classes, np.concatenate([before.nodes, opened]))
    check_covering(cube, after)
    assert after.cost == before.cost - saved < before.cost
    assert admitted(case, after)


@settings(max_examples=examples(40))
@given(drawn=priced(14), data=st.data())
def test_classes_replaced_by_themselves_leave_the_covering_as_it_was(
    drawn: tuple[Case, Cube, Ints], data: st.DataObject
) -> None:
    case, cube, prices = drawn
    found = covered(cube, Checks.of(cube, case.problem.models), prices)
    chosen = np.array(data.draw(st.lists(st.sampled_from(range(len(found.nodes))), min_size=1, unique=True)))
    inside = np.isin(found.classes, chosen)
    pieces = np.column_stack([found.types[inside], found.classes[inside], found.copies[inside]])
    types, counts = found.without(chosen)
    again = found.replaced([(chosen, pieces, found.nodes)])
    assert again.cost == found.cost
    assert int(counts.sum()) == int(found.copies[inside].sum())
    assert set(types.tolist()) == set(found.types[inside].tolist())
    assert sorted(map(len, again.partition(case.problem))) == sorted(map(len, found.partition(case.problem)))


def test_the_oracle_knows_every_model_that_peeling_is_tested_with() -> None:
    assert {kind.name for kind in KNOWN} <= set(oracle.MODELS)
