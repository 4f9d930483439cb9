"""What unions of classes span, against what their rows are published with; and the best neighbour, against all."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import CLASS_BY_CLASS, MODELS, Case, cases
from tests.thorough import examples

from shoal.core.arrays import Ints
from shoal.methods.general import spans
from shoal.methods.general.repair import Merging, Nearest
from shoal.methods.general.spans import spans_of
from shoal.microdata.partition import Partition
from shoal.recoding.cells import Cells, Groups
from shoal.recoding.recode import cells_of, recoding_named

COVERING = [name for name in CLASS_BY_CLASS if recoding_named(name).covers]  # a centroid has no span
TABLES = cases(10, COVERING, dropped=[Fraction(0)])


def shown(cells: Sequence[Cells]) -> list[list[str | None]]:
    """The text that each group shows in each column."""
    return [[column.labels[cell] for cell in column.of_group.tolist()] for column in cells]


def drawn_partition(case: Case, data: st.DataObject) -> Partition:
    number = len(case.rows)
    labels = data.draw(st.lists(st.integers(0, number), min_size=number, max_size=number))
    return case.problem.publish(Partition.of(np.array(labels))).partition


def of_rows(case: Case, groups: Sequence[Ints]) -> list[list[str | None]]:
    """What groups of rows are published with."""
    starts = np.concatenate([[0], np.cumsum([len(rows) for rows in groups])])
    return shown(cells_of(case.problem.microdata, case.recoding, Groups(np.concatenate(groups), starts)))


@settings(max_examples=examples(60))
@given(case=TABLES, data=st.data())
def test_a_union_shows_what_its_rows_would_be_published_with(case: Case, data: st.DataObject) -> None:
    partition = drawn_partition(case, data)
    columns, rows = spans_of(case.problem.publish(partition)), list(partition)
    one, every = data.draw(st.integers(0, len(rows) - 1)), np.arange(len(rows))
    joined = shown([span.joined(one, every) for span in columns])
    assert joined == of_rows(case, [np.concatenate([rows[one], other]) for other in rows])


@settings(max_examples=examples(60))
@given(case=TABLES, data=st.data())
def test_a_class_that_takes_in_others_shows_what_all_their_rows_would_be_published_with(
    case: Case, data: st.DataObject
) -> None:
    partition = drawn_partition(case, data)
    columns, rows = spans_of(case.problem.publish(partition)), list(partition)
    one = data.draw(st.integers(0, len(rows) - 1))
    others = np.array(data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, unique=True)))
    for span in columns:
        span.grow(one, others)
    rows[one] = np.concatenate([rows[one], *(rows[other] for other in others)])
    expected = of_rows(case, rows)
    assert shown([span.joined(one, np.array([one])) for span in columns]) == [[column[one]] for column in expected]
    for span, column in zip(columns, expected, strict=True):
        assert span.same(one, np.arange(len(rows))).tolist() == [cell == column[one] for cell in column]


@pytest.mark.parametrize("kept", [0, spans.MOST_KEPT])
@settings(max_examples=examples(40))
@given(case=TABLES, data=st.data())
def test_an_increase_is_what_the_union_costs_more(kept: int, case: Case, data: st.DataObject) -> None:
    problem, partition = case.problem, drawn_partition(case, data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spans, "MOST_KEPT", kept)
        classes = Merging(problem, problem.publish(partition))
        one = data.draw(st.integers(0, len(partition) - 1))
        others = classes.others(one)
        for _ in range(2 if len(others) else 0):  # the second time from what is kept
            assert classes.increases(one, others) == pytest.approx(expected_increases(classes, one, others))


def expected_increases(classes: Merging, one: int, others: Ints) -> list[float]:
    own, rows = [cost_of_rows(classes, rows) for rows in classes.rows], classes.rows
    together = [cost_of_rows(classes, np.concatenate([rows[one], rows[other]])) for other in others]
    return [union - own[one] - own[other] for union, other in zip(together, others, strict=True)]


def cost_of_rows(classes: Merging, rows: Ints) -> float:
    problem, size = classes.problem, np.array([len(rows)])
    cells = cells_of(problem.microdata, problem.recoding, Groups(rows, np.array([0, len(rows)])))
    return float(classes.cost.class_losses(cells, size)[0])


@settings(max_examples=examples(50))
@given(case=cases(12, COVERING, kinds=[MODELS["k"], MODELS["l"]], dropped=[Fraction(0)]))
def test_the_pair_that_is_merged_costs_least_of_all_pairs(case: Case) -> None:
    problem = case.problem
    classes = Merging(problem, problem.publish(Partition(np.arange(problem.rows))))
    nearest = Nearest(classes)
    while classes.unfinished:
        one = nearest.closest()
        if nearest.stale[one]:
            nearest.look_up(one)
            continue
        failing = np.flatnonzero(classes.failing).tolist()
        least = min(float(classes.increases(other, classes.others(other)).min()) for other in failing)
        assert nearest.increase[one] == pytest.approx(least)
        assert classes.increases(one, nearest.neighbour[[one]])[0] == pytest.approx(least)
        classes.merge(one, nearest.neighbour[[one]])
        nearest.changed(one)


@settings(max_examples=examples(60))
@given(case=TABLES, data=st.data())
def test_classes_being_merged_are_numbered_by_their_cells(case: Case, data: st.DataObject) -> None:
    """So that ties are broken in the same way whatever the order of rows is."""
    partition = drawn_partition(case, data)
    order = np.array(data.draw(st.permutations(range(len(case.rows)))))
    other = case.taken(order.tolist())
    again = other.problem.publish(Partition.of(partition.class_of_row[order])).partition
    assert again.class_of_row.tolist() == partition.class_of_row[order].tolist()
