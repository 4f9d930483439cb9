"""Annealing: admitted releases under every model it takes, cheap ones, and steps that leave all books in order."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from fractions import Fraction
from threading import Event
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.methods.general.test_peel import LINEAR, audited, larger
from tests.methods.test_time_limits import after
from tests.strategies import Case, cases
from tests.thorough import examples

import shoal
from shoal.bounds.boxes import UNIT
from shoal.bounds.boxes_kernel import least_distance
from shoal.core.errors import Unsupported
from shoal.methods.base import Deadline
from shoal.methods.general.anneal import QUANTILES, Anneal, State
from shoal.methods.general.anneal_kernel import COST, FIRST, SIZE, laid_out, sweep, total_cost
from shoal.methods.general.mondrian import Mondrian
from shoal.methods.general.near_rows import Ordered, Space
from shoal.methods.general.peel import Peel
from shoal.methods.general.requirements import Requirements, requirements
from shoal.methods.general.requirements_kernel import shortfall
from shoal.methods.general.unions import Geometry
from shoal.methods.general.unions_kernel import union_cost
from shoal.methods.microaggregation.microaggregation import Microaggregation
from shoal.microdata.partition import Partition
from shoal.models import Rule
from shoal.problem import Problem, Solution
from shoal.recoding.cells import Groups
from shoal.recoding.recode import cells_of
from shoal.request import Request
from shoal.steps.preparation import prepare
from shoal.studies.synth import QUASI, census
from shoal.tables.table import Table

KNOWN = [
    *LINEAR,
    "entropy-l(illness)=2",
    "recursive-l(illness)=(2,2)",
    "recursive-l(illness)=(2,1)",
    "t(illness+salary:equal)=0.5",
    "t(illness:hierarchy)=0.2",
    "k=2 l(illness)=2 t(salary:numeric)=0.3",
]


def ranged(require: str, **more: Any) -> Case:
    return replace(larger(require, **more), recoding="range")


def posed(columns: dict[str, Any], require: str, recoding: str = "range", **more: Any) -> Problem:
    quasi = [name for name in columns if name.startswith("q")]
    others = [name for name in columns if name not in quasi]
    return prepare(Table.of(pl.DataFrame(columns)), Request(quasi, require, others, recoding=recoding, **more)).problem


def annealed(problem: Problem, **more: Any) -> Solution:
    return Anneal(**more).run(problem)


# Releases


@pytest.mark.parametrize("require", KNOWN)
def test_every_class_is_admitted_and_cheaper_than_mondrians(require: str) -> None:
    case = ranged(require, rows=90)
    found = annealed(case.problem, effort="quick")
    assert audited(case, found)
    assert found.cost <= Mondrian().run(case.problem).cost


def test_numbers_with_missing_values_dates_and_many_categories() -> None:
    rng = np.random.default_rng(3)
    rows = 400
    columns: dict[str, Any] = {
        "q_number": [None if draw < 0.1 else float(draw) for draw in rng.random(rows).round(3)],
        "q_day": [date(2020, 1, 1) + timedelta(days=int(day)) for day in rng.integers(0, 900, rows)],
        "q_town": [f"town {number}" for number in rng.integers(0, 120, rows)],
        "q_street": [f"street {number}" for number in rng.integers(0, 390, rows)],
        "q_true": rng.random(rows) < 0.5,
        "s": [f"s{number}" for number in rng.integers(0, 6, rows)],
    }
    problem = posed(columns, "k=4 distinct-l(s)=3")
    found, before = annealed(problem, effort="quick"), Mondrian().run(problem)
    assert found.cost < 0.8 * before.cost
    assert problem.meets(found.partition)


@pytest.mark.parametrize("words", [False, True])
def test_a_wide_table(words: bool) -> None:
    drawn = np.random.default_rng(4).integers(0, 9, (30, 300)).tolist()
    columns = {f"q{n}": [f"v{value}" for value in column] if words else column for n, column in enumerate(drawn)}
    problem = posed(columns, "k=3")
    assert annealed(problem, effort="quick").cost < Mondrian().run(problem).cost


def test_it_halves_the_loss_of_a_census() -> None:
    frame = census(3_000).select(*QUASI, "income")
    problem = prepare(Table.of(frame), Request(list(QUASI), "k=5", ["income"], recoding="range")).problem
    assert annealed(problem, effort="quick").cost < 0.62 * Mondrian().run(problem).cost


def test_rows_may_be_dropped() -> None:
    case = replace(ranged("l(illness)=3", rows=60), max_dropped=Fraction(1, 2))
    assert audited(case, annealed(case.problem, effort="quick"))


@pytest.mark.parametrize(
    ("recoding", "require", "why"),
    [
        ("full-domain", "k=2", "one level for a whole column"),
        ("range", "k=2 distinct-l(illness|salary)=1", "it does not decide"),
        ("range", "beta(illness)=2", "it does not decide"),
    ],
)
def test_what_it_cannot_take_is_refused_in_words(recoding: str, require: str, why: str) -> None:
    with pytest.raises(Unsupported, match=why):
        annealed(replace(larger(require), recoding=recoding).problem)


def test_a_method_that_is_named_publishes_ranges() -> None:
    people = {"age": list(range(20, 60)), "illness": ["flu", "gout", "wart", "cold"] * 10}
    asked: dict[str, Any] = {"quasi": ["age"], "sensitive": ["illness"], "require": "k=4", "method": "anneal"}
    certificate = shoal.anonymize(people, **asked).certificate
    assert (certificate.recoding, certificate.cost.name) == ("range", "ncp")


def test_another_cost_is_measured_in_the_end() -> None:
    case = replace(ranged("k=3"), cost="discernibility")
    found = annealed(case.problem, effort="quick")
    assert found.cost == case.problem.cost_of(found.partition) <= Mondrian().run(case.problem).cost


def test_it_begins_with_the_classes_that_are_given() -> None:
    case = ranged("k=3")
    good = annealed(case.problem, effort="normal")
    assert Anneal(effort="quick").begun([good]).run(case.problem).cost <= good.cost


def test_a_stop_returns_the_best_so_far() -> None:
    stop = Event()
    stop.set()
    case = ranged("k=3")
    found = Anneal().run(case.problem, deadline=Deadline(stop=stop))
    assert found.cut
    assert audited(case, found)


def test_a_longer_limit_is_never_dearer() -> None:
    """A limit ends the search between sweeps, and the best of those before is kept."""
    problem = ranged("k=3").problem
    reached = [Anneal().run(problem, deadline=after(looks)).cost for looks in (1, 6, 9, 20, 60, 200)]
    assert reached == sorted(reached, reverse=True)
    assert reached[-1] < reached[0]


ASKED = [("range", "ncp"), ("generalize", "ncp"), ("suppress", "stars"), ("centroid", "centroid-error")]
"""Recodings, and a cost of each that the search itself keeps small."""
every_recoding = pytest.mark.parametrize(("recoding", "cost"), ASKED)


@pytest.mark.parametrize("require", ["k=3", "k=2 l(illness)=2", "t(illness:equal)=0.3", "t(salary:ordered)=0.2"])
@every_recoding
def test_whatever_is_published_is_admitted_and_no_dearer_than_the_start(recoding: str, cost: str, require: str) -> None:
    case = replace(larger(require, rows=90), recoding=recoding, cost=cost)
    found = annealed(case.problem, effort="quick")
    assert audited(case, found)
    for start in (Mondrian(), Peel(limits=20), Microaggregation()):
        if not start.accepts(case.problem) and (recoding == "centroid") == isinstance(start, Microaggregation):
            before = start.run(case.problem)
            assert Anneal(effort="quick").begun([before]).run(case.problem).cost <= before.cost
            assert found.cost <= before.cost


@pytest.mark.parametrize(("recoding", "cost"), [("generalize", "height"), ("centroid", "squared-error")])
def test_other_costs_are_never_dearer(recoding: str, cost: str) -> None:
    case = replace(larger("k=3", quasi=("number", "day", "text")), recoding=recoding, cost=cost)
    assert annealed(case.problem, effort="quick").cost <= Mondrian().run(case.problem).cost


def test_a_cost_that_does_not_add_over_cells_is_refused_for_blocks() -> None:
    with pytest.raises(Unsupported, match="does not add over cells"):
        annealed(replace(larger("k=2"), recoding="generalize", cost="discernibility").problem)


def test_blocks_of_a_census_are_cheaper_than_peeled() -> None:
    frame = census(3_000).select(*QUASI, "income")
    problem = prepare(Table.of(frame), Request(list(QUASI), "k=5", ["income"], recoding="generalize")).problem
    assert annealed(problem, effort="quick").cost < Peel(limits=20).run(problem).cost


def test_centroids_of_a_census_are_nearer_than_those_of_mdav() -> None:
    frame = census(1_000).select("age", "education", "gender")
    problem = prepare(Table.of(frame), Request(["age", "education", "gender"], "k=4", recoding="centroid")).problem
    assert annealed(problem, effort="quick").cost < 0.8 * Microaggregation().run(problem).cost


@every_recoding
def test_the_order_of_rows_changes_nothing(recoding: str, cost: str) -> None:
    case = replace(larger("k=2 l(illness)=2", rows=60), recoding=recoding, cost=cost)
    order = np.random.default_rng(1).permutation(60).tolist()
    one, other = (contents(given, annealed(given.problem, effort="quick")) for given in (case, case.taken(order)))
    assert one == other


def contents(case: Case, found: Solution) -> list[list[str]]:
    """The rows of each class; equal rows are interchangeable."""
    rows, labels = [str(tuple(row.values())) for row in case.rows], found.partition.class_of_row
    return sorted(sorted(rows[row] for row in np.flatnonzero(labels == one)) for one in range(len(found.partition)))


def check_release(case: Case, effort: str) -> None:
    """A release is valid, and none is cheaper than the best of all partitions."""
    if not Anneal().accepts(case.problem) and not case.max_dropped:
        try:
            found = annealed(case.problem, effort=effort)
        except shoal.Infeasible:
            return
        assert audited(case, found)
        assert found.cost >= case.oracle.optimum(case.problem.cost.name) - 1e-9


@settings(max_examples=examples(12))
@given(data=st.data())
@every_recoding
def test_no_release_is_cheaper_than_the_best_partition(recoding: str, cost: str, data: st.DataObject) -> None:
    check_release(data.draw(cases(7, [recoding], costs=[cost])), "quick")


@pytest.mark.slow
@settings(max_examples=examples(60))
@given(data=st.data())
@every_recoding
def test_no_release_of_many_is_cheaper_than_the_best_partition(recoding: str, cost: str, data: st.DataObject) -> None:
    check_release(data.draw(cases(8, [recoding], costs=[cost])), "normal")


# Loops


def mixed(rows: int = 60, recoding: str = "range", **more: Any) -> Problem:
    """A table of numbers with missing values, few and many words."""
    rng = np.random.default_rng(7)
    columns: dict[str, Any] = {
        "q_number": [None if number == 9 else int(number) ** 2 for number in rng.integers(0, 10, rows)],
        "q_word": [f"w{number}" for number in rng.integers(0, 5, rows)],
        "q_many": [f"w{number:03}" for number in rng.integers(0, 200, rows)],
        "s": [f"s{number}" for number in rng.integers(0, 4, rows)],
    }
    weights = {"q_word": 2} if recoding != "suppress" else {}
    return posed(columns, "k=3 l(s)=2 t(s:equal)=0.6", recoding, attribute_weights=weights, **more)


@pytest.mark.parametrize("recoding", ["range", "generalize", "suppress", "mixed"])
def test_a_union_of_two_tuples_costs_what_the_cost_says(recoding: str) -> None:
    """As a share of what a row of stars costs: three columns of 1 on average."""
    problem = mixed(recoding=recoding)
    microdata, geometry = problem.microdata, Geometry.of(problem)
    first = [int(np.flatnonzero(microdata.tuple_of_row == one)[0]) for one in range(len(microdata.counts))]
    pairs = [(i, j) for i in range(12) for j in range(12) if i < j]
    rows = np.array([first[one] for pair in pairs for one in pair])
    cells = cells_of(microdata, recoding, Groups(rows, np.arange(0, len(rows) + 1, 2)))
    expected = problem.cost.row_losses(cells) / problem.cost.full_loss(cells)  # type: ignore[attr-defined]
    points = geometry.points
    found = [union_cost(points, i, points, j, 2, geometry.shape) / (2 * 3 * UNIT) for i, j in pairs]
    assert geometry.exact
    assert found == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("recoding", ["centroid", "mixed-centroid"])
def test_a_class_pays_for_its_distance_from_the_centroid(recoding: str) -> None:
    """The classes of a release together pay what the release costs, beside cells that cover, too."""
    problem = mixed(recoding=recoding)
    ordered, state, _ = laid(problem)
    found = partition_of(ordered, state)
    whole = problem.rows * UNIT * (4 if recoding == "centroid" else 3)  # the weights together, or their mean 1
    assert ordered.exact
    assert total_cost(state.classes) / whole == pytest.approx(problem.cost_of(found), abs=1e-5)


@pytest.mark.parametrize("recoding", ["range", "generalize", "suppress"])
def test_near_tuples_are_the_nearest(recoding: str) -> None:
    problem = mixed(recoding=recoding)
    space: Space = Ordered.of(problem, 5, 10_000, Deadline()).space
    points = space.points
    number = len(space.near)
    for one, near in enumerate(space.near):
        apart = [union_cost(points, one, points, other, 1, space.shape) for other in range(number)]
        reached = [apart[other] for other in near]
        if recoding == "generalize":  # levels are taken to cost the same whatever the block
            assert np.mean(reached) <= np.mean(apart)
        else:
            assert reached == pytest.approx(sorted(apart[:one] + apart[one + 1 :])[:5], abs=10)


def test_no_tuple_of_a_box_is_nearer_than_said() -> None:
    shape, points, layout, *_ = Geometry.of(mixed())
    for one in range(20):
        for other in range(20):
            apart = union_cost(points, one, points, other, 1, shape)
            assert least_distance(points, one, points, other, *layout.shape) <= apart


@pytest.mark.parametrize("require", [require for require in KNOWN if "recursive" not in require])
def test_what_a_class_lacks_is_nothing_exactly_if_the_models_admit_it(require: str) -> None:
    problem, rng = ranged(require, rows=60).problem, np.random.default_rng(5)
    rules = requirements(problem, np.arange(problem.rows), 5)
    for _ in range(60):
        rows = rng.permutation(problem.rows)[: rng.integers(1, 12)]
        seen = problem.candidates(rows, np.zeros(len(rows), np.int64), 1)
        admitted = all(bool(model.admits(seen)[0]) for model in problem.models if model.rule is not Rule.ROWS)
        assert (shortfall(rows, len(rows), rules) == 0) == admitted
        assert not rules.counts.any()


def test_a_distance_along_a_long_line_is_measured_by_the_values_that_occur() -> None:
    rng = np.random.default_rng(6)
    problem = posed({"q": np.arange(400), "s": rng.permutation(400) ** 2}, "k=2 t(s:numeric)=0.2 t(s:ordered)=0.25")
    rules = requirements(problem, np.arange(400), 5)
    for size in (1, 2, 3, 5, 9, 30, 60, 200):
        for _ in range(8):
            rows = rng.permutation(400)[:size]
            seen = problem.candidates(rows, np.zeros(size, np.int64), 1)
            lacking = sum(
                max(float(model.level(seen)[0] - model.limit), 0) for model in problem.models if model.attributes
            )
            assert shortfall(rows, size, rules) == pytest.approx(lacking, abs=1e-9)


def laid(problem: Problem) -> tuple[Ordered, State, Requirements]:
    ordered = Ordered.of(problem, 6, 1_000, Deadline())
    rules, start = requirements(problem, ordered.rows, 10), Mondrian().run(problem).partition
    state = State.of(start.class_of_row[ordered.rows].astype(np.int32), rules, ordered.space.points.shape[1], 1)
    laid_out(ordered.space, state)
    return ordered, state, rules


def partition_of(ordered: Ordered, state: State) -> Partition:
    found = np.empty(len(ordered.rows), np.int64)
    found[ordered.rows] = state.class_of_row
    return Partition.of(found)


@pytest.mark.parametrize("temperature", [0.0, 0.3, 3.0])
@pytest.mark.parametrize("recoding", ["range", "generalize", "suppress", "centroid", "mixed", "mixed-centroid"])
def test_books_are_in_order_after_every_sweep(recoding: str, temperature: float) -> None:
    """Lists, sizes, unions and costs of classes are those of the rows in them, and every class is admitted."""
    problem = mixed(200, recoding)
    ordered, state, rules = laid(problem)
    for _ in range(4):
        sweep(ordered.space, rules, state, temperature * UNIT, QUANTILES, np.zeros(1, np.bool_))
        check_books(ordered, state)
        assert problem.models.admits(problem.classes(partition_of(ordered, state))).all()


def check_books(ordered: Ordered, state: State) -> None:
    again = state._replace(links=state.links.copy(), classes=state.classes.copy(), free=state.free.copy())
    again = again._replace(free_classes=state.free_classes.copy())
    laid_out(ordered.space, again)
    used = state.classes[:, SIZE] > 0
    assert (state.classes[used, SIZE] == again.classes[used, SIZE]).all()
    assert (state.classes[used, COST] == again.classes[used, COST]).all()
    assert (state.classes[used, :FIRST] == again.classes[used, :FIRST]).all()
    assert sorted(state.free[: state.free_classes[0]]) == np.flatnonzero(~used).tolist()
    for number in np.flatnonzero(used).tolist():
        row, listed = int(state.classes[number, FIRST]), []
        while row >= 0:
            listed.append(row)
            row = int(state.links[row, 1])
        assert sorted(listed) == np.flatnonzero(state.class_of_row == number).tolist()


def test_closeness_has_fewer_sweeps_where_classes_are_large() -> None:
    close, plain = (ranged(require).problem for require in ("t(illness:equal)=0.3", "distinct-l(illness)=2"))
    assert len(Anneal()._temperatures(close, 1.0, 9_000)) < len(Anneal()._temperatures(plain, 1.0, 9_000))


def test_blocks_in_classes_so_large_that_a_few_sweeps_take_minutes_are_not_annealed() -> None:
    """Where k alone is asked for, classes are cut, whatever their size."""
    plain, diverse = (larger(require).problem for require in ("k=3", "k=3 l(illness)=2"))
    assert len(Anneal()._temperatures(diverse, 1.0, 10))
    assert not len(Anneal()._temperatures(diverse, 1.0, 10**9))
    assert len(Anneal()._temperatures(plain, 1.0, 10**9))
