"""Choosing the records of classes whose sizes are settled: along the curve, by nearest neighbours, and swaps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.strategies import QUASI, SENSITIVE, Case, case_of

from shoal.core.arrays import Ints
from shoal.methods.t_closeness.fragmentation import DistanceBound, Sizes, axes_of, find_fragmentation, size
from shoal.methods.t_closeness.fragmentation.filling import along_the_curve, by_nearest, curve_ranks, swapped
from shoal.methods.t_closeness.fragmentation.fragmentation import Fragmentation
from shoal.methods.t_closeness.fragmentation.sizing import Sizing
from shoal.methods.t_closeness.fragmentation.width import Widths
from shoal.microdata.partition import Partition
from shoal.problem import Problem

RECODINGS = [("suppress", "stars"), ("generalize", "ncp"), ("generalize", "height"), ("range", "ncp")]
every_recoding = pytest.mark.parametrize(("recoding", "cost"), RECODINGS)


def random_case(rng: np.random.Generator, rows: int, **more: Any) -> Case:
    names = ["number", "text", "category", "truth", "decimal"]
    columns = {name: [QUASI[name].pool[i] for i in rng.integers(0, len(QUASI[name].pool), rows)] for name in names}
    for name, kind in SENSITIVE.items():
        columns[name] = [kind.pool[i] for i in rng.integers(0, len(kind.pool), rows)]
    if more.pop("missing", False):
        columns = {
            name: [None if rng.random() < 0.1 else value for value in values] for name, values in columns.items()
        }
    return case_of(columns, "t(illness:equal)=0.4 t(salary:ordered)=0.4 k=2", **more)


def sized(problem: Problem) -> tuple[Sizes, Ints]:
    """Sizes of classes of a problem, and the fragment of each row."""
    axes, tuples = axes_of(problem)
    cut = find_fragmentation(Fragmentation.whole(axes, tuples), [0.2, 0.2], 100)
    return size(Sizing(DistanceBound(cut), 2))[0], cut.of_tuple[tuples.of_row]


def taken(labels: Ints, fragments: Ints) -> list[list[int]]:
    dense = np.zeros((int(labels.max()) + 1, int(fragments.max()) + 1), dtype=np.int64)
    np.add.at(dense, (labels, fragments), 1)
    return dense.tolist()


def wanted(sizes: Sizes, fragments: Ints) -> list[list[int]]:
    dense = np.zeros((len(sizes), int(fragments.max()) + 1), dtype=np.int64)
    dense[sizes.owner, sizes.fragments] = sizes.counts
    return dense.tolist()


@every_recoding
def test_classes_take_what_they_are_to_take_and_swaps_change_nothing_of_it(recoding: str, cost: str) -> None:
    rng = np.random.default_rng(7)
    for missing in (False, True):
        problem = random_case(rng, 80, recoding=recoding, cost=cost, missing=missing).problem
        sizes, fragments = sized(problem)
        assert len(sizes) > 3
        ranks, widths = curve_ranks(problem.microdata), Widths.of(problem)
        for labels in (
            along_the_curve(sizes, fragments, ranks),
            by_nearest(sizes, fragments, ranks, widths),
        ):
            assert taken(labels, fragments) == wanted(sizes, fragments)
            better = swapped(labels, fragments, ranks, widths, lambda: False)
            assert taken(better, fragments) == wanted(sizes, fragments)
            before, after = (sum_of_widths(problem, one) for one in (labels, better))
            assert after <= before + 1e-9
            assert problem.models.admits(problem.classes(Partition.of(better))).all()


def sum_of_widths(problem: Problem, labels: Ints) -> float:
    """What the classes cost as they are, before those with equal cells are one."""
    from shoal.methods.t_closeness.fragmentation.swapping import width_of

    widths, partition = Widths.of(problem), Partition.of(labels)
    seen, tick = np.zeros(int(widths.sizes.max()), dtype=np.int64), np.zeros(1, dtype=np.int64)
    edges = zip(partition.starts[:-1].tolist(), partition.starts[1:].tolist(), strict=True)
    return float(sum((b - a) * width_of(partition.order, a, b, widths, seen, tick) for a, b in edges))


@every_recoding
def test_widths_are_what_the_cost_says(recoding: str, cost: str) -> None:
    rng = np.random.default_rng(8)
    for _ in range(4):
        problem = random_case(rng, 40, recoding=recoding, cost=cost).problem
        labels = rng.integers(0, 6, 40)
        published = problem.publish(Partition.of(labels))
        paid = problem.cost.of(published)
        widths = sum_of_widths(problem, published.partition.class_of_row)
        rows = 40 * len(problem.microdata.quasi) if recoding == "range" else 40 if cost == "ncp" else 1
        assert widths / rows == pytest.approx(paid)


@every_recoding
def test_how_wide_two_rows_are_is_what_their_class_is(recoding: str, cost: str) -> None:
    problem = random_case(np.random.default_rng(9), 30, recoding=recoding, cost=cost).problem
    widths, rows = Widths.of(problem), np.arange(1, 30)
    apart = widths.between(0, rows)
    from shoal.methods.t_closeness.fragmentation.swapping import width_of

    seen, tick = np.zeros(int(widths.sizes.max()), dtype=np.int64), np.zeros(1, dtype=np.int64)
    pairs = [width_of(np.array([0, row]), 0, 2, widths, seen, tick) for row in rows.tolist()]
    assert apart == pytest.approx(pairs)


def test_nothing_is_swapped_when_time_is_over() -> None:
    problem = random_case(np.random.default_rng(2), 60).problem
    sizes, fragments = sized(problem)
    ranks = curve_ranks(problem.microdata)
    labels = along_the_curve(sizes, fragments, ranks)
    assert (swapped(labels, fragments, ranks, Widths.of(problem), lambda: True) == labels).all()


def test_ranks_along_the_curve_do_not_depend_on_the_order_of_rows() -> None:
    rng = np.random.default_rng(3)
    case = random_case(rng, 50)
    order = rng.permutation(50)
    one, other = (curve_ranks(each.problem.microdata) for each in (case, case.taken(order.tolist())))
    rows = np.array(case.rows)
    assert rows[np.argsort(one)].tolist() == rows[order][np.argsort(other)].tolist()
