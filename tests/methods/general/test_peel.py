"""Peeling: admitted releases of larger tables under every model, with a proof that stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.bounds.test_prices import one_thread  # noqa: F401
from tests.strategies import QUASI, SENSITIVE, Case, case_of

import shoal
from shoal.checking.audit import audit
from shoal.checking.proof import price_bound
from shoal.core.errors import Infeasible, Unsupported
from shoal.hierarchies import Builder
from shoal.methods.auto import methods
from shoal.methods.base import Deadline, Method
from shoal.methods.general.peel import Peel
from shoal.problem import Solution
from shoal.release.verification import verify
from shoal.request import Request
from shoal.steps.preparation import prepare
from shoal.studies.synth import census, census_hierarchies
from shoal.tables.table import Table

METHODS = ["peel", "cube", "optimal"]
LINEAR = [
    "k=3",
    "k=2 l(illness)=2",
    "distinct-l(illness)=3",
    "alpha(illness)=0.5",
    "t(illness:equal)=0.3",
    "t(salary:ordered)=0.2",
]
OTHERS = [
    "entropy-l(illness)=2",
    "recursive-l(illness)=(2,2)",
    "beta(illness)=2",
    "enhanced-beta(illness)=2",
    "delta(illness)=2",
    "l(illness|salary)=1",
    "k=2 distinct-l(illness|salary)=2",
    "nt(illness)=(60,0.4)",
    "e(salary)=1",
    "t(illness+salary:equal)=0.5",
]
every_method = pytest.mark.parametrize("method", METHODS)


def larger(
    require: str, *, rows: int = 120, seed: int = 1, quasi: Sequence[str] = ("number", "text", "category")
) -> Case:
    """A table of random rows."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {}
    for name in (*quasi, *SENSITIVE):
        pool = (QUASI | SENSITIVE)[name].pool
        columns[name] = [pool[place] for place in rng.integers(0, len(pool), rows)]
    return case_of(columns, require)


def run(case: Case, method: str, **options: Any) -> Solution:
    made: Method = methods()[method]()
    return made.run(case.problem, **options)


def audited(case: Case, found: Solution) -> bool:
    """Whether the audit of the published cells confirms every model."""
    frame = case.problem.publish(found.partition).frame()
    trees = {name: builder for name, builder in case.builders.items() if name in case.sensitive}
    return audit(frame, quasi=case.quasi, sensitive=case.sensitive, require=case.models, hierarchies=trees).holds


def checked(case: Case, found: Solution) -> float:
    """What the checker says that the prices of a solution prove."""
    assert found.prices is not None
    problem = case.problem
    return float(
        price_bound(
            case.frame,
            quasi=case.quasi,
            models=problem.required,
            hierarchies=case.builders,
            recoding=case.recoding,
            cost=problem.cost.name,
            weights=problem.cost.weights,
            prices=found.prices.of_row,
            denominator=found.prices.denominator,
            may_drop=problem.may_drop,
        )
    )


@pytest.mark.parametrize("recoding", ["suppress", "generalize"])
@pytest.mark.parametrize("method", ["peel", "cube"])
@pytest.mark.parametrize("require", [*LINEAR, *OTHERS])
def test_releases_are_admitted_and_proved_under_every_model(require: str, method: str, recoding: str) -> None:
    case = replace(larger(require), recoding=recoding)
    try:
        found = run(case, method)
    except Infeasible:
        pytest.fail("the whole table meets every one of these")
    assert audited(case, found)
    assert found.lower_bound is not None
    assert found.lower_bound <= found.cost + 1e-9
    assert found.prices is not None
    assert checked(case, found) <= found.cost + 1e-9
    if not found.prices.estimated:  # else the checker decides what a release states: see test_proved_release
        assert checked(case, found) >= found.prices.bound


@every_method
@pytest.mark.parametrize("require", [*LINEAR, *OTHERS])
def test_out_of_time_there_is_an_admitted_release_or_a_refusal(method: str, require: str) -> None:
    case = larger(require)
    try:
        found = run(case, method, deadline=Deadline.after(0))
    except Unsupported:
        assert methods()[method]().accepts(case.problem)
        return
    assert audited(case, found)


@every_method
def test_stopped_from_outside_there_is_still_an_admitted_release(method: str) -> None:
    stop = Event()
    stop.set()
    case = larger("k=3 l(illness)=2")
    assert audited(case, run(case, method, deadline=Deadline.after(None, stop)))


@every_method
@pytest.mark.parametrize("require", LINEAR)
def test_the_order_of_rows_does_not_change_the_cost(method: str, require: str) -> None:
    case = larger(require, rows=60)
    order = np.random.default_rng(5).permutation(60).tolist()
    one, other = run(case, method), run(case.taken(order), method)
    assert one.cost == pytest.approx(other.cost, rel=1e-12)
    assert one.lower_bound == pytest.approx(other.lower_bound, rel=1e-12)


ORIGINAL = census(150, seed=4)
QUASIS = ["age", "gender", "race"]


@every_method
@pytest.mark.parametrize(
    ("require", "options"),
    [
        ("k=3", {}),
        ("k=3 l(occupation)=2", {"recoding": "generalize"}),
        ("k=2", {"recoding": "generalize", "cost": "height", "attribute_weights": {"age": 2}}),
        ("t(income)=0.3", {"recoding": "generalize", "cost": "precision"}),
        ("k=4", {"max_dropped": 0.05}),
    ],
    ids=str,
)
def test_a_saved_release_is_verified_with_the_original(
    method: str, require: str, options: dict[str, Any], tmp_path: Path
) -> None:
    hierarchies: dict[str, Builder] = {name: census_hierarchies()[name] for name in QUASIS}
    made = shoal.anonymize(
        ORIGINAL,
        quasi=QUASIS,
        sensitive=["occupation", "income"],
        leave_out="rest",
        require=require,
        hierarchies=hierarchies,
        method=method,
        time_limit=3 if method == "optimal" else None,
        **options,
    )
    found = verify(made.save(tmp_path / "out"), original=ORIGINAL)
    assert found.failures == []
    assert found.proved is not None
    assert isinstance(made.table, pl.DataFrame)


def test_the_models_that_merging_may_not_help_with_are_refused_if_the_table_does_not_meet_them() -> None:
    case = case_of({"number": [1, 2], "illness": ["gout", "gout"]}, "m(illness)=2")
    assert Peel().accepts(case.problem) == ["the whole table does not meet m(illness)=2"]


@pytest.mark.parametrize("option", [{"recoding": "range"}, {"cost": "discernibility"}])
@every_method
def test_what_has_no_cube_is_refused(method: str, option: dict[str, Any]) -> None:
    with pytest.raises(Unsupported):
        run(replace(larger("k=2", rows=20), **option), method)


@pytest.mark.parametrize("require", [*LINEAR, *OTHERS])
def test_classes_peeled_by_rows_alone_are_merged_until_every_model_admits_them(require: str) -> None:
    case = larger(require)
    assert audited(case, Peel(limits=5, by_rows=True).run(case.problem))


def test_where_a_value_is_rare_merged_classes_are_cheaper_than_peeled_ones() -> None:
    rng = np.random.default_rng(1)
    age, town = rng.integers(0, 30, 600), rng.integers(0, 8, 600)
    columns = {"age": [20 + int(a) for a in age], "town": [f"t{t}" for t in town]}
    columns["ill"] = ["yes" if a > 20 and draw < 0.3 else "no" for a, draw in zip(age, rng.random(600), strict=True)]
    asked = Request(["age", "town"], "k=3 distinct-l(ill)=2", ["ill"], recoding="generalize")
    problem = prepare(Table.of(pl.DataFrame(columns)), asked).problem
    merged, peeled = (Peel(limits=20, by_rows=by_rows).run(problem) for by_rows in (True, False))
    assert merged.cost < 0.8 * peeled.cost


def test_classes_that_loops_do_not_know_are_merged_and_the_notes_say_so() -> None:
    found = run(larger("beta(illness)=0.2"), "peel")
    assert [note for note in found.notes if note.endswith("classes were merged into their best neighbours")]


def test_rows_that_must_go_are_dropped_and_nothing_is_called_optimal() -> None:
    columns: dict[str, Any] = {"number": [1, 1, 2, 2, 2], "illness": ["cold", "gout", "gout", "gout", "cold"]}
    case = replace(case_of(columns, "l(illness)=2"), max_dropped=Fraction(1, 5))
    found = run(case, "peel")
    assert found.partition.dropped == 1
    assert audited(case, found)
