"""The cube method: the same seed gives the same partition, windows never make it dearer, and what is optimal is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from tests.bounds.test_prices import one_thread  # noqa: F401
from tests.methods.general.test_peel import LINEAR, audited, checked, larger, run
from tests.strategies import Case

from shoal.methods.base import Deadline, silent
from shoal.methods.effort import BEST
from shoal.methods.general import cube as search_module
from shoal.methods.general.cube import EFFORTS, SLOWER, CoveringSearch, CubeSearch
from shoal.methods.general.windows import CURVED, CURVED_MEMBERS, LARGE, SMALL, SMALL_AFTER, Size, Windows
from shoal.patterns import cube as layout

MORE = ["entropy-l(illness)=2", "beta(illness)=2"]


@pytest.mark.parametrize("require", [*LINEAR, *MORE])
def test_the_same_seed_gives_the_same_partition(require: str) -> None:
    case = larger(require)
    one, other = (CubeSearch().run(case.problem, seed=7) for _ in range(2))
    assert one.partition.class_of_row.tolist() == other.partition.class_of_row.tolist()
    assert (one.cost, one.lower_bound, one.status) == (other.cost, other.lower_bound, other.status)


@pytest.mark.parametrize("require", LINEAR)
def test_it_costs_no_more_than_peeling_and_proves_no_less(require: str) -> None:
    case = larger(require)
    first, then = run(case, "peel"), run(case, "cube")
    assert then.cost <= first.cost + 1e-9
    assert first.lower_bound is not None
    assert then.lower_bound is not None
    assert then.lower_bound >= first.lower_bound - 1e-9


@pytest.mark.parametrize("require", ["k=3", "l(illness)=2", "t(illness:equal)=0.3"])
def test_it_goes_on_from_a_release_that_is_cheaper_and_from_its_prices(require: str) -> None:
    case = larger(require)
    known = CubeSearch().run(case.problem)
    search = CoveringSearch.of(case.problem, 0, Deadline(), silent, effort="normal", start=known)
    assert search.ascent.pricing.measured(search.covering.cost) == pytest.approx(known.cost)
    assert known.prices is not None
    assert search.ascent.pricing.stated(search.ascent.best) >= known.prices.bound - 1e-9
    found = CubeSearch(effort="normal").begun([known]).run(case.problem)
    assert found.cost <= known.cost
    assert audited(case, found)


def test_a_release_of_other_rows_is_no_start() -> None:
    case, other = larger("k=3"), larger("k=3", rows=60)
    found = CubeSearch(effort="normal").begun([CubeSearch().run(other.problem)]).run(case.problem)
    assert found.cost == CubeSearch(effort="normal").run(case.problem).cost


def test_where_tp_plus_refined_is_made_for_what_is_asked_it_costs_no_more() -> None:
    case = larger("l(illness)=2")
    assert run(case, "cube").cost <= run(case, "tp-plus-refined").cost


@pytest.mark.parametrize("size", [replace(LARGE, rows=30), replace(SMALL, rows=30)])
@pytest.mark.parametrize(
    "require",
    [
        "k=3",
        "k=2 l(illness)=2",
        "distinct-l(illness)=3",
        "k=3 entropy-l(illness)=2",
        "recursive-l(illness)=(2,2)",
    ],
)
def test_no_window_makes_the_release_dearer_or_breaks_it(require: str, size: Size) -> None:
    case = larger(require, rows=100, quasi=("number", "odd text", "category"))
    search = CoveringSearch.of(case.problem, 0, Deadline(), silent)
    windows = Windows(search.covering, search.checks, np.random.default_rng(0), size=size)
    before = windows.covering.cost
    for _ in range(6):
        windows.step(search.ascent.best.prices)
        assert windows.covering.cost <= before
        before = windows.covering.cost
        classes = [tuple(rows.tolist()) for rows in windows.covering.partition(case.problem)]
        assert case.oracle.admits(case.oracle.classes(classes))


def test_windows_are_small_where_models_are_not_linear() -> None:
    case = larger("k=3 recursive-l(illness)=(2,2)", rows=100, quasi=("number", "odd text", "category"))
    search = CoveringSearch.of(case.problem, 0, Deadline(), silent)
    windows = Windows(search.covering, search.checks, np.random.default_rng(0))
    assert (windows.size, windows.most) == (CURVED, CURVED_MEMBERS)
    before = windows.covering.cost
    while windows.tried < 100:
        windows.step(search.ascent.best.prices)
    assert windows.covering.cost < before


def test_normal_effort_opens_no_window_where_models_are_not_linear() -> None:
    case = larger("k=3 recursive-l(illness)=(2,2)", rows=100)
    most = [CoveringSearch.of(case.problem, 0, Deadline(), silent, effort=effort).most_windows for effort in EFFORTS]
    assert most == [0, EFFORTS[BEST].windows // SLOWER]


def test_small_windows_follow_when_large_ones_find_nothing() -> None:
    case = larger("k=3", rows=100, quasi=("number", "odd text", "category"))
    search = CoveringSearch.of(case.problem, 0, Deadline(), silent)
    windows = Windows(search.covering, search.checks, np.random.default_rng(0))
    while windows.size is LARGE and windows.tried < 20 * SMALL_AFTER:
        windows.step(search.ascent.best.prices)
    assert windows.size is SMALL
    assert windows.idle == 0


@dataclass
class Steps:
    """What was reported."""

    said: list[tuple[float, str]] = field(default_factory=list)

    def __call__(self, share: float, doing: str) -> None:
        self.said.append((share, doing))


def test_progress_tells_cost_and_bound_as_they_move_towards_each_other() -> None:
    steps = Steps()
    CubeSearch().run(larger("k=3").problem, progress=steps)
    assert all(0 <= share <= 1 for share, _ in steps.said)
    told = [doing for _, doing in steps.said if "(cost " in doing]
    costs = [float(doing.split("(cost ")[1].split(",")[0]) for doing in told]
    bounds = [float(doing.split("bound ")[1].rstrip(")")) for doing in told]
    assert costs == sorted(costs, reverse=True)
    assert bounds == sorted(bounds)


def test_a_program_that_is_too_large_is_not_solved_and_nothing_is_called_optimal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    case = larger("k=3")
    monkeypatch.setattr(CoveringSearch.finish, "__defaults__", (0, 10))
    monkeypatch.setattr(search_module, "MOST_WINDOWS", 0)
    found = CubeSearch().run(case.problem)
    assert found.lower_bound is not None
    assert (found.status == "optimal") == (found.cost <= found.lower_bound)
    assert audited(case, found)


@pytest.mark.parametrize("require", ["k=3", "l(illness)=2", "t(illness:equal)=0.3"])
def test_with_few_nodes_walked_the_release_is_admitted_and_the_bound_holds(
    require: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run(larger(require), "cube")
    monkeypatch.setattr(layout, "MOST_WALKED", 150)
    monkeypatch.setattr(layout, "MOST_PRICED", 150)
    case: Case = larger(require)  # a problem keeps its cube
    found = run(case, "cube")
    assert audited(case, found)
    assert found.status != "optimal" or found.cost == whole.cost
    assert found.lower_bound is not None
    assert found.lower_bound <= whole.cost + 1e-9
    assert found.prices is not None
    assert checked(case, found) >= found.prices.bound
    assert any("nodes" in remark for remark in found.prices.remarks)
