"""Time limits: they end a search earlier and never make it worse; what Mondrian beats is never published.

The clock here counts looks at it, one step a look, so that every limit cuts at the same place on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from threading import Event

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.bounds.test_prices import one_thread  # noqa: F401
from tests.methods.general.test_peel import LINEAR, audited, larger
from tests.strategies import Case
from tests.thorough import examples

import shoal
from shoal.core.clock import COMPILING, Compiling, working_seconds
from shoal.core.errors import Unsupported
from shoal.methods.auto import choose, methods
from shoal.methods.base import Deadline, Method, Progress, silent
from shoal.methods.general.mondrian import Mondrian
from shoal.microdata.partition import Partition
from shoal.problem import Problem, Solution
from shoal.request import Request
from shoal.steps.preparation import prepare
from shoal.studies.synth import census
from shoal.tables.table import Table

ANYTIME = sorted(name for name, kind in methods().items() if kind.anytime)
CUTS = [0, 1, 2, 3, 5, 8, 13, 21, 40, 80, 160, 400, 1_000]


@dataclass
class Steps:
    """A clock that goes on by one with every look."""

    looks: int = 0

    def __call__(self) -> float:
        self.looks += 1
        return float(self.looks)


def after(steps: int) -> Deadline:
    return Deadline(moment=float(steps), clock=Steps(), pause=None, began=0.0)


def solved(case: Case, method: str, deadline: Deadline | None = None) -> Solution:
    return choose(case.problem, method, seed=0, deadline=deadline or Deadline(), progress=silent)


def by_limit(case: Case, method: str) -> Iterator[Solution]:
    """Yield what longer and longer limits give, and at last what no limit gives."""
    for steps in CUTS:
        yield solved(case, method, after(steps))
    yield solved(case, method)


def fitting(require: str, method: str) -> Case | None:
    """A table with the first recoding that the method takes; None where it takes none."""
    plain = larger(require, rows=12 if method == "subset-dp" else 60, quasi=("number", "text"))
    tried = (plain, replace(plain, recoding="full-domain"), replace(plain, recoding="range"))
    return next((case for case in tried if not methods().get(method, Mondrian)().accepts(case.problem)), None)


@pytest.mark.parametrize("method", ["auto", *ANYTIME])
@pytest.mark.parametrize("require", [*LINEAR, "entropy-l(illness)=2", "beta(illness)=2"])
def test_a_longer_limit_never_gives_a_dearer_release_and_no_limit_never_a_dearer_one(method: str, require: str) -> None:
    case = fitting(require, method)
    if case is None:
        pytest.skip(f"{method} does not take {require}")
    costs = [found.cost for found in by_limit(case, method)]
    assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize("recoding", ["range", "generalize", "full-domain", "centroid"])
@pytest.mark.parametrize("require", ["k=3", "k=2 t(salary:ordered)=0.3", "k=2 l(illness)=2"])
def test_the_same_for_auto_with_every_recoding(recoding: str, require: str) -> None:
    case = replace(larger(require, rows=60), recoding=recoding)
    costs = [found.cost for found in by_limit(case, "auto")]
    assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize("method", ["auto", *ANYTIME])
def test_a_limit_that_is_not_reached_changes_nothing(method: str) -> None:
    case = fitting("k=3", method)
    assert case is not None
    limited, free = solved(case, method, after(10**9)), solved(case, method)
    assert limited.partition.class_of_row.tolist() == free.partition.class_of_row.tolist()
    assert (limited.cost, limited.lower_bound, limited.status) == (free.cost, free.lower_bound, free.status)
    assert (limited.notes, limited.chosen, limited.guarantee) == (free.notes, free.chosen, free.guarantee)
    assert not limited.cut


def test_a_limit_that_is_not_reached_changes_no_byte() -> None:
    table = census(300, seed=3)
    asked = {"quasi": ["age", "gender", "race"], "leave_out": "rest", "require": "k=5"}
    free, limited = shoal.anonymize(table, **asked), shoal.anonymize(table, **asked, time_limit=3600)  # type: ignore[arg-type]
    assert free.certificate == limited.certificate
    assert free.certificate.to_json() == limited.certificate.to_json()
    assert (free.codebook, free.config, free.decisions) == (limited.codebook, limited.config, limited.decisions)
    assert free.table.equals(limited.table)


@pytest.mark.parametrize("method", sorted(methods()))
@pytest.mark.parametrize("steps", [0, 1, 2, 5, 20])
def test_nothing_that_mondrian_beats_is_published_when_time_runs_out(method: str, steps: int) -> None:
    """For every method that takes the table: cut short, it never costs more than Mondrian."""
    for require in ("k=3", "k=2 l(illness)=2", "k=3 t(illness:equal)=0.3"):
        case = larger(require, rows=60, quasi=("number", "text"))
        quick = Mondrian().run(case.problem)
        try:
            found = solved(case, method, after(steps))
        except Unsupported:
            continue
        assert audited(case, found)
        assert not found.cut or found.cost <= quick.cost


def test_no_time_at_all_gives_what_datafly_gives_where_columns_have_one_level() -> None:
    case = replace(larger("k=3", rows=60, quasi=("number", "text")), recoding="full-domain")
    assert solved(case, "full-domain", after(0)).cost <= solved(case, "datafly").cost


def test_mondrian_is_finished_whatever_the_limit_is() -> None:
    case = larger("k=3")
    assert solved(case, "mondrian", after(0)).cost == solved(case, "mondrian").cost
    assert not solved(case, "mondrian", after(0)).cut


@pytest.mark.parametrize("method", ["peel", "cube", "hilbert", "fragments"])
def test_who_stops_a_run_gets_no_more_than_mondrian_costs(method: str) -> None:
    stop = Event()
    stop.set()
    case = larger("k=3", rows=60, quasi=("number", "text"))
    found = solved(case, method, Deadline(stop=stop))
    assert found.cut
    assert found.cost <= Mondrian().run(case.problem).cost


def test_the_certificate_says_that_time_cut_the_search_and_the_configuration_keeps_the_limit() -> None:
    table = census(300, seed=3)
    cut = shoal.anonymize(table, quasi=["age", "gender", "race"], leave_out="rest", require="k=5", time_limit=0)
    assert any("search was stopped early" in remark for remark in cut.certificate.remarks)
    assert any("time limit ended the search" in note for note in cut.certificate.chosen)
    assert cut.config["time_limit"] == 0


class Slow(Method):
    """Makes one class of all rows, and looks at the time."""

    name = title = "slow"
    guarantee = None
    cost = paper = models = ""

    def accepts(self, problem: Problem) -> list[str]:
        return []

    def solve(self, problem: Problem, *, seed: int, deadline: Deadline, progress: Progress) -> Solution:
        assert deadline.passed
        return self.solution(problem, Partition.of(problem.microdata.tuple_of_row * 0), "feasible")


def test_a_release_that_mondrian_beats_is_replaced_by_mondrians_and_the_notes_say_so() -> None:
    case = larger("k=3", rows=60, quasi=("number", "text"))
    stop = Event()
    stop.set()
    found = Slow().run(case.problem, deadline=Deadline(stop=stop))
    assert found.method == "mondrian"
    assert found.notes[-1].startswith("time ran out before slow had ended; the release is that of mondrian")


def test_compiling_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("shoal.core.clock.time.monotonic", lambda: now[0])
    monkeypatch.setattr("shoal.core.clock.COMPILING", compiling := Compiling())
    began = working_seconds()
    compiling.start()
    compiling.start()  # one loop calls another
    now[0] += 20
    assert working_seconds() == began
    compiling.end()
    compiling.end()
    now[0] += 3
    assert working_seconds() == began + 3


def test_the_compiler_reports_to_the_clock() -> None:
    from shoal.core.compiler import njit

    before = COMPILING.seconds
    assert njit(lambda number: number + 1)(1) == 2
    assert COMPILING.seconds > before
    assert COMPILING.depth == 0


@settings(max_examples=examples(15))
@given(st.lists(st.integers(0, 60), min_size=2, max_size=4, unique=True).map(sorted), st.integers(0, 5))
def test_the_law_of_limits_on_random_tables(limits: list[int], seed: int) -> None:
    table = census(40, seed=seed)
    problem = prepare(Table.of(table), Request(["age", "race", "marital"], "k=3")).problem
    costs = [choose(problem, "auto", seed=0, deadline=after(steps), progress=silent).cost for steps in limits]
    assert costs == sorted(costs, reverse=True)
