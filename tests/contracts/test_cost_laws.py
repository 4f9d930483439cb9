"""The laws of every cost that discovery finds, for every recoding it measures."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle import COSTS as KNOWN
from tests.oracle import Group
from tests.strategies import COSTS, MODELS, Case, cases
from tests.thorough import examples

from shoal.core.arrays import Ints
from shoal.core.sorting import distinct_rows
from shoal.costs import Cost, RowCost
from shoal.microdata.partition import Partition


def measured(kind: type[Cost]) -> pytest.MarkDecorator:
    """A test for each cost of a kind and each recoding it measures."""
    pairs = [
        (name, recoding) for name, cost in COSTS.items() if issubclass(cost, kind) for recoding in cost.recodings()
    ]
    return pytest.mark.parametrize(("name", "recoding"), pairs, ids=["-".join(pair) for pair in pairs])


every_cost, every_row_cost = measured(Cost), measured(RowCost)
few = settings(max_examples=examples(6))


@st.composite
def released(draw: st.DrawFn, name: str, recoding: str, *, dropping: bool = True) -> tuple[Case, Ints]:
    """A table with a class for every row; some rows may be dropped, never all."""
    case = draw(cases(7, [recoding], [MODELS["k"]], [name]))
    labels = draw(st.lists(st.integers(-1 if dropping else 0, 2), min_size=len(case.rows), max_size=len(case.rows)))
    return case, Partition.of(np.array([0 if max(labels) < 0 else labels[0], *labels[1:]])).class_of_row


def groups_of(labels: Ints) -> list[Group]:
    return [tuple(np.flatnonzero(labels == label).tolist()) for label in range(int(labels.max()) + 1)]


@every_cost
@few
@given(data=st.data())
def test_a_release_costs_what_the_oracle_says(name: str, recoding: str, data: st.DataObject) -> None:
    if name not in KNOWN:
        pytest.skip("the oracle does not know this cost")
    case, labels = data.draw(released(name, recoding))
    expected = case.oracle.cost(name, case.oracle.classes(groups_of(labels)))
    assert case.problem.cost_of(Partition(labels)) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@every_cost
@few
@given(data=st.data())
def test_nothing_costs_less_than_nothing(name: str, recoding: str, data: st.DataObject) -> None:
    case, labels = data.draw(released(name, recoding))
    assert case.problem.cost_of(Partition(labels)) >= 0


@every_row_cost
@few
@given(data=st.data())
def test_merging_two_classes_never_lowers_what_rows_pay(name: str, recoding: str, data: st.DataObject) -> None:
    case, labels = data.draw(released(name, recoding))
    merged = Partition.of(np.where(labels == labels.max(), 0, labels))
    assert case.problem.cost_of(merged) >= case.problem.cost_of(Partition(labels)) - 1e-9


@every_row_cost
@few
@given(data=st.data())
def test_a_table_published_as_it_is_costs_its_rows_nothing(name: str, recoding: str, data: st.DataObject) -> None:
    case, _ = data.draw(released(name, recoding))
    unaltered = Partition(case.problem.microdata.tuple_of_row)
    assert case.problem.cost_of(unaltered) == 0


@every_row_cost
@few
@given(data=st.data())
def test_dropping_a_row_costs_what_starring_it_would(name: str, recoding: str, data: st.DataObject) -> None:
    case, labels = data.draw(released(name, recoding))
    problem, cost = case.problem, case.problem.cost
    assert isinstance(cost, RowCost)
    published = problem.publish(Partition(labels))
    kept = Partition(labels).kept
    paid = sum(float(cost.row_losses(published.cells)[published.partition.class_of_row[row]]) for row in kept)
    full = (len(labels) - len(kept)) * cost.full_loss(published.cells)
    assert problem.cost_of(Partition(labels)) == pytest.approx((paid + full) / cost.per(len(labels)))


@every_cost
@few
@given(data=st.data())
def test_the_order_of_rows_changes_no_cost(name: str, recoding: str, data: st.DataObject) -> None:
    case, labels = data.draw(released(name, recoding))
    order = data.draw(st.permutations(range(len(labels))))
    before = case.problem.cost_of(Partition(labels))
    assert case.taken(order).problem.cost_of(Partition.of(labels[order])) == pytest.approx(before, rel=1e-12, abs=1e-12)


@every_cost
@few
@given(data=st.data())
def test_classes_shown_alike_cost_what_one_class_does(name: str, recoding: str, data: st.DataObject) -> None:
    case, labels = data.draw(released(name, recoding))
    published = case.problem.publish(Partition(labels))
    assert case.problem.cost_of(published.partition) == pytest.approx(case.problem.cost_of(Partition(labels)))
    shown = [cells.of_group for cells in published.cells]
    assert len(distinct_rows(shown, [int(cells.max()) + 1 for cells in shown])[1]) == len(published.partition)
