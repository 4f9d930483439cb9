"""The frontier: values read, points measured, bounds that hold on, and runs that go on where they were."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.models.parameter_range import Vary
from shoal.request import Request
from shoal.studies.frontier import Frontier, frontier
from shoal.tables.table import Table

MODULE = sys.modules["shoal.studies.frontier"]

CELLS = ("zyxcanary", "gout-7")


def people(rows: int = 60) -> pl.DataFrame:
    draw = random.Random(1)
    return pl.DataFrame(
        {
            "age": [draw.randrange(20, 60, 5) for _ in range(rows)],
            "town": [draw.choice(["Oslo", "Rome", CELLS[0]]) for _ in range(rows)],
            "illness": [draw.choice(["flu", CELLS[1]]) for _ in range(rows)],
        }
    )


ROLES: dict[str, Any] = {"quasi": ["age", "town"], "sensitive": ["illness"]}


# Values


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ("k=2,5,10", [2, 5, 10]),
        ("k=2..6", [2, 3, 4, 5, 6]),
        ("k=2..50", [2, 3, 4, 6, 8, 12, 17, 24, 35, 50]),
        ("k=2..11..3", [2, 5, 8, 11]),
        ("t(illness)=0.1..0.5", ["0.1", "0.2", "0.3", "0.4", "0.5"]),
        ("t(illness:ordered)=0.1..0.2..0.05", ["0.1", "0.15", "0.2"]),
    ],
)
def test_values_are_exact(said: str, values: list[object]) -> None:
    assert list(Vary.of(said).values) == [Fraction(str(value)) for value in values]


@pytest.mark.parametrize(
    "said", ["k", "k=", "k=5..2", "k=2..50..0", "k=1,2..5", "k=2..3..1..1", "q=2..5", "k=0.5..2", "l=2"]
)
def test_wrong_values_are_refused(said: str) -> None:
    with pytest.raises(shoal.ShoalError):
        Vary.of(said)


def test_what_is_varied_is_not_also_required() -> None:
    with pytest.raises(shoal.ShoalError, match="k=3 is required, and k is varied"):
        frontier(people(), vary="k=2,3", require="k=3", **ROLES)


# Points


@pytest.fixture(scope="module")
def found() -> Frontier:
    methods = ["mondrian", "m-approx"]
    return frontier(people(), vary="k=2,3,5,10,20", methods=methods, queries=30, recoding="suppress", **ROLES)


def test_a_point_is_what_the_release_says(found: Frontier) -> None:
    made = shoal.anonymize(people(), require="k=5", method="mondrian", recoding="suppress", **ROLES)
    point = next(one for one in found.points if (one.value, one.method) == (5, "mondrian"))
    risk = made.audit.risk
    assert risk is not None
    assert (point.cost, point.classes) == (float(made.certificate.cost), made.certificate.classes)
    assert (point.highest_risk, point.average_risk) == (risk.prosecutor.highest, risk.prosecutor.average)
    assert point.query_error == shoal.utility.query_error(made, people(), queries=30).median


def test_bounds_and_best_costs_are_monotone(found: Frontier) -> None:
    bounds = [found.bound(value) for value in found.values]
    best = [point.cost for value in found.values if (point := found.best(value)) is not None]
    assert all((before or 0) <= (after or 0) for before, after in pairwise(bounds))
    assert len(best) == 5
    assert all((before or 0) <= (after or 0) for before, after in pairwise(best))
    assert all(point.lower_bound is None or point.lower_bound <= (point.cost or 0) for point in found.points)
    assert all((point.highest_risk or 1) <= 1 / point.value for point in found.points)


def test_optimal_costs_are_the_frontier_itself() -> None:
    exact = frontier(people(9), vary="k=2..4", methods=["subset-dp"], queries=0, **ROLES)
    assert all(point.status == "optimal" and point.gap == 1 for point in exact.points)
    costs = [point.cost or 0 for point in exact.points]
    assert costs == sorted(costs)
    assert [exact.best(point.value).cost for point in exact.points] == costs  # type: ignore[union-attr]


def test_smaller_t_is_stricter() -> None:
    asked: dict[str, Any] = {
        "vary": "t(illness)=0.1,0.3",
        "require": "k=2",
        "methods": ["mondrian"],
        "queries": 0,
        **ROLES,
    }
    made = frontier(people(), **asked)
    assert not made.larger_is_stricter
    assert made.require == "k=2"
    strict, lax = made.best(0.1), made.best(0.3)
    assert strict is not None
    assert lax is not None
    assert (lax.cost or 0) <= (strict.cost or 0)


def test_what_cannot_be_done_is_said() -> None:
    made = frontier(people(8), vary="k=4,9", methods=["mondrian", "tp"], queries=0, **ROLES)
    status = {(one.value, one.method): one.status for one in made.points}
    assert (status[4, "tp"], status[9, "mondrian"]) == ("unsupported", "infeasible")
    assert all(one.reason for one in made.points if one.cost is None)
    assert made.best(9) is None


def test_a_wrong_request_is_refused_at_once() -> None:
    with pytest.raises(shoal.ShoalError, match="agee"):
        frontier(people(), vary="k=2,3", quasi=["agee"])


# Going on


def test_a_run_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = tmp_path / "state.jsonl"
    asked: dict[str, Any] = {"methods": ["mondrian"], "queries": 0, "state": state, **ROLES}
    first = frontier(people(), vary="k=2,3", **asked)
    with state.open("a", encoding="utf-8") as file:
        file.write('{"key": "cut of')  # as a killed run leaves it
    runs: list[str] = []
    once: Callable[..., shoal.Release] = MODULE.run

    def counted(table: Table, request: Request, *rest: Any, **how: Any) -> shoal.Release:
        runs.append(str(request.require))
        return once(table, request, *rest, **how)

    monkeypatch.setattr(MODULE, "run", counted)
    again = frontier(people(), vary="k=2,3,5", **asked)
    assert runs == ["k=5"]
    assert [point.cost for point in again.points[:2]] == [point.cost for point in first.points]
    assert frontier(people(), vary="k=2,3,5", **asked) == again
    assert runs == ["k=5"]
    assert not any(cell in state.read_text(encoding="utf-8") for cell in CELLS)


@pytest.mark.parametrize(
    "change", [{"seed": 1}, {"recoding": "range"}, {"attribute_weights": {"age": 2}}, {"rows": 59}]
)
def test_what_was_found_for_something_else_is_not_taken(tmp_path: Path, change: dict[str, object]) -> None:
    state = tmp_path / "state.jsonl"
    asked: dict[str, Any] = {"vary": "k=3", "methods": ["mondrian"], "queries": 0, "state": state, **ROLES}
    frontier(people(), **asked)
    rows = int(str(change.pop("rows", 60)))
    frontier(people(rows), **{**asked, **change})
    assert len(state.read_text(encoding="utf-8").splitlines()) == 2


def test_another_file_is_no_state(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("age,town\n1,2\n", encoding="utf-8")
    with pytest.raises(shoal.ShoalError, match="not a state file"):
        frontier(people(), vary="k=2", state=tmp_path / "people.csv", **ROLES)


def test_an_interrupted_run_keeps_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    once: Callable[..., shoal.Release] = MODULE.run

    def stop_at_three(table: Table, request: Request, *rest: Any, **how: Any) -> shoal.Release:
        if str(request.require) == "k=3":
            raise KeyboardInterrupt
        return once(table, request, *rest, **how)

    monkeypatch.setattr(MODULE, "run", stop_at_three)
    made = frontier(people(), vary="k=2,3,4", methods=["mondrian"], queries=0, **ROLES)
    assert made.stopped
    assert made.values == (2,)


# Shown


def test_it_is_shown_without_a_cell(found: Frontier, tmp_path: Path) -> None:
    content = json.loads(found.to_json())
    assert content["points"][0]["method"] == "mondrian"
    assert content["best"]["20.0"]["value"] == 20
    assert found.frame().height == 10
    assert not any(cell in found.to_json() for cell in CELLS)
    pytest.importorskip("vl_convert")
    found.plot(tmp_path / "frontier.svg")
    picture = (tmp_path / "frontier.svg").read_text(encoding="utf-8")
    assert "<svg" in picture
    assert not any(cell in picture for cell in CELLS)


def test_a_notebook_shows_what_each_value_costs() -> None:
    people = {"age": [25, 25, 40, 41, 60, 61]}
    found = frontier(people, vary="k=2,3,6,7", methods=["mondrian", "subset-dp"], quasi=["age"])
    text = found._repr_html_()
    assert text.count("<polyline") == 3  # two methods, and the bound
    assert text.count("<circle") == 6
    assert text.count("<tr>") == 9
    assert text.count("<td>infeasible</td>") == 2


def test_weights_and_households_are_measured_at_every_value() -> None:
    people = {"age": [25, 25, 40, 41, 60, 61], "weight": [10.0, 5.0, 3.0, 2.0, 8.0, 9.0], "home": [1, 1, 2, 2, 3, 3]}
    asked: dict[str, Any] = {"quasi": ["age"], "record_weight": "weight", "household": "home", "recoding": "suppress"}
    (point,) = frontier(people, vary="k=2", methods=["subset-dp"], **asked).points
    risk = shoal.anonymize(people, require="k=2", method="subset-dp", **asked).audit.risk
    assert risk is not None
    assert risk.individual is not None
    assert risk.household is not None
    assert (point.population_risk, point.household_risk) == (risk.individual.average, risk.household.average)
    (plain,) = frontier({"age": people["age"]}, vary="k=2", methods=["subset-dp"], quasi=["age"]).points
    assert (plain.population_risk, plain.household_risk) == (None, None)
