"""Repair: any partition becomes one whose published classes are admitted, by merging alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import CLASS_BY_CLASS, MODELS, Case, case_of, cases
from tests.thorough import examples

from shoal.checking.audit import audit
from shoal.core.errors import Infeasible, Unsupported
from shoal.methods.base import Deadline, silent
from shoal.methods.general.repair import repair
from shoal.microdata.microdata import encode
from shoal.microdata.partition import Partition
from shoal.models import Model
from shoal.models.requirement import parse_requirement
from shoal.problem import Problem, make_problem
from shoal.tables.roles import Roles
from shoal.tables.table import Table

NO_TIME = Deadline.after(0)
NEVER_LESS = ["stars", "starred-rows", "height", "ncp", "precision"]
"""Costs for which a row never pays less for coarser cells."""


def repaired(problem: Problem, labels: Sequence[int], deadline: Deadline | None = None) -> Partition:
    return repair(problem, Partition.of(np.array(labels)), deadline=deadline or Deadline(), progress=silent)


def groups(partition: Partition) -> list[list[int]]:
    return sorted(rows.tolist() for rows in partition)


# --- by hand ---------------------------------------------------------------------------------------------------------


def ages(values: list[Any], require: str, **options: Any) -> Problem:
    microdata = encode(Table.of({"age": values}), Roles.of(["age"], quasi=["age"]))
    return make_problem(microdata, parse_requirement(require), **{"recoding": "range", **options})


def test_the_cheapest_merge_comes_first() -> None:
    """29 and 30 are nearest. Then 37 joins 40 and 41, for (3 * 4 - 2 * 1) / 21, not 29 and 30, for (3 * 8 - 2) / 21."""
    problem = ages([20, 20, 29, 30, 37, 40, 41], "k=2")
    assert groups(repaired(problem, [0, 0, 1, 2, 3, 4, 4])) == [[0, 1], [2, 3], [4, 5, 6]]


def test_an_admitted_partition_stays_as_it_is() -> None:
    problem = ages([20, 21, 40, 41], "k=2")
    assert groups(repaired(problem, [0, 0, 1, 1])) == [[0, 1], [2, 3]]
    assert groups(repaired(problem, [0, 0, 0, 0])) == [[0, 1, 2, 3]]


def test_classes_with_equal_cells_are_one_before_anything_is_merged() -> None:
    assert groups(repaired(ages([20, 20, 40, 40], "k=2"), [0, 1, 2, 3])) == [[0, 1], [2, 3]]


def test_a_merge_that_shows_the_cells_of_a_third_class_takes_it_in() -> None:
    """20 and 40 together show what the class of 20, 30 and 40 shows; 90 keeps the column from being all stars."""
    problem = ages([20, 40, 20, 30, 40, 90, 90, 90], "k=2")
    assert groups(repaired(problem, [0, 1, 2, 2, 2, 3, 3, 3])) == [[0, 1, 2, 3, 4], [5, 6, 7]]


def test_rows_that_were_dropped_stay_dropped() -> None:
    found = repaired(ages([20, 21, 40, 41, 90], "k=2"), [0, 1, 2, 3, -1])
    assert groups(found) == [[0, 1], [2, 3]]
    assert found.class_of_row[4] == -1


def test_a_cost_that_does_not_add_is_replaced_by_ncp() -> None:
    problem = ages([20, 21, 40, 41], "k=2", cost="average-class-size")
    assert groups(repaired(problem, [0, 1, 2, 3])) == [[0, 1], [2, 3]]


def test_what_all_rows_together_do_not_meet_is_infeasible() -> None:
    with pytest.raises(Infeasible):
        repaired(ages([20, 21, 40], "k=4"), [0, 1, 2])


def test_what_merging_breaks_is_unsupported() -> None:
    """Three rows with one illness can never be in classes of two with different ones."""
    case = case_of({"number": [1, 2, 4], "illness": ["cold", "cold", "cold"]}, "m(illness)=2")
    with pytest.raises(Unsupported, match="m\\(illness\\)=2"):
        repaired(case.problem, [0, 1, 2])


def test_a_model_that_merging_can_break_is_met_where_merging_leads_there() -> None:
    case = case_of({"number": [1, 1, 9, 9], "illness": ["cold", "gout", "cold", "gout"]}, "m(illness)=2")
    assert groups(repaired(case.problem, [0, 1, 2, 3])) == [[0, 1], [2, 3]]


@pytest.mark.parametrize("recoding", ["suppress", "generalize", "range"])
def test_the_population_that_fits_grows_with_the_cells(recoding: str) -> None:
    table, people = pl.DataFrame({"age": [20, 30, 40]}), pl.DataFrame({"age": [20, 25, 30, 40, 41, 42]})
    microdata = encode(Table(table), Roles.of(["age"], quasi=["age"]), population=Table(people))
    problem = make_problem(microdata, parse_requirement("kmap=2"), recoding=recoding)
    found = repaired(problem, [0, 1, 2])
    assert problem.models.admits(problem.classes(problem.publish(found).partition)).all()


# --- laws ------------------------------------------------------------------------------------------------------------


@st.composite
def labelled(draw: st.DrawFn, kinds: Sequence[type[Model]]) -> tuple[Case, list[int]]:
    """A case, and any partition of its rows: each by itself, or under random labels."""
    case = draw(cases(12, CLASS_BY_CLASS, kinds=kinds, dropped=[Fraction(0)]))
    number = len(case.rows)
    labels = st.lists(st.integers(0, number), min_size=number, max_size=number)
    return case, draw(st.one_of(st.just(list(range(number))), labels))


def check(case: Case, labels: list[int], deadline: Deadline | None = None) -> None:
    """Guarantees that what is published is admitted, that no row is lost, that classes stay whole; or a refusal."""
    try:
        found = repaired(case.problem, labels, deadline)
    except (Infeasible, Unsupported) as refusal:
        check_refusal(case, refusal)
        return
    assert found.dropped == 0
    assert case.problem.publish(found).partition.class_of_row.tolist() == found.class_of_row.tolist()
    for label in set(labels):
        assert len({found.class_of_row[row] for row, own in enumerate(labels) if own == label}) == 1
    check_audit(case, found)


def check_refusal(case: Case, refusal: Exception) -> None:
    """Guarantees that a refusal is deserved: all rows as one class are refused too."""
    problem = case.problem
    whole = problem.classes(Partition.whole(problem.rows))
    refusing = [model for model in problem.models if not model.admits(whole)[0]]
    assert refusing
    assert isinstance(refusal, Infeasible) == any(model.monotone for model in refusing)


def check_audit(case: Case, found: Partition) -> None:
    frame = case.problem.publish(found).frame()
    trees = {name: builder for name, builder in case.builders.items() if name in case.sensitive}
    assert audit(frame, quasi=case.quasi, sensitive=case.sensitive, require=case.models, hierarchies=trees).holds


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=examples(15))
@given(data=st.data())
def test_any_partition_is_repaired_for_every_model(model: str, data: st.DataObject) -> None:
    check(*data.draw(labelled([MODELS[model]])))


@settings(max_examples=examples(50))
@given(drawn=labelled(list(MODELS.values())))
def test_any_partition_is_repaired_for_several_models_at_once(drawn: tuple[Case, list[int]]) -> None:
    check(*drawn)


@settings(max_examples=examples(100))
@given(drawn=labelled(list(MODELS.values())))
def test_a_partition_is_repaired_when_there_is_no_time(drawn: tuple[Case, list[int]]) -> None:
    check(*drawn, NO_TIME)


@settings(max_examples=examples(100))
@given(drawn=labelled([MODELS["k"], MODELS["l"]]))
def test_the_cost_lies_between_that_of_the_partition_and_of_all_rows_as_one_class(
    drawn: tuple[Case, list[int]],
) -> None:
    case, labels = drawn
    problem = case.problem
    if problem.cost.name in NEVER_LESS and problem.models.admits(problem.classes(Partition.whole(problem.rows)))[0]:
        before = problem.cost_of(Partition.of(np.array(labels)))
        after = problem.cost_of(repaired(problem, labels))
        assert before - 1e-9 <= after <= problem.cost_of(Partition.whole(problem.rows)) + 1e-9


@settings(max_examples=examples(100))
@given(drawn=labelled([MODELS["k"], MODELS["l"], MODELS["t"]]), data=st.data())
def test_the_order_of_rows_changes_nothing(drawn: tuple[Case, list[int]], data: st.DataObject) -> None:
    case, labels = drawn
    order = data.draw(st.permutations(range(len(labels))))
    assert outcome(case, labels) == outcome(case.taken(order), [labels[row] for row in order], order)


def outcome(case: Case, labels: list[int], order: Sequence[int] | None = None) -> list[list[int]] | type[Exception]:
    """The classes by the rows' numbers before they were put in this order, or the refusal."""
    try:
        found = repaired(case.problem, labels)
    except (Infeasible, Unsupported) as refusal:
        return type(refusal)
    names = list(order) if order is not None else list(range(len(labels)))
    classes = defaultdict(list)
    for row, number in enumerate(found.class_of_row.tolist()):
        classes[number].append(names[row])
    return sorted(sorted(rows) for rows in classes.values())
