"""SABRE, point assignment and PCA ordering: buckets, classes of them, closeness of what is published."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from tests.strategies import QUASI, SENSITIVE, case_of

import shoal
from shoal.hierarchies import Taxonomy
from shoal.methods.base import Deadline, Method, silent
from shoal.methods.general.subset_dp import SubsetDP
from shoal.methods.t_closeness.fragmentation import DistanceBound, Fragmentation, axes_of, find_fragmentation, size
from shoal.methods.t_closeness.fragmentation.buckets import balanced, dealt, in_order
from shoal.methods.t_closeness.fragmentation.sizing import Sizing
from shoal.methods.t_closeness.pca_order import PcaOrder
from shoal.methods.t_closeness.point_assignment import PointAssignment, embedded
from shoal.methods.t_closeness.sabre import Sabre
from shoal.problem import Problem
from shoal.request import Request
from shoal.steps.preparation import prepare
from shoal.studies.synth import census
from shoal.tables.table import Table


def test_buckets_of_16_32_and_64_records_give_16_classes() -> None:
    illness = ["flu"] * 16 + ["gout"] * 32 + ["cold"] * 64
    problem = problem_of({"age": list(range(112)), "illness": illness}, "t(illness:equal)=0", ["illness"])
    axes, tuples = axes_of(problem)
    cut = find_fragmentation(Fragmentation.whole(axes, tuples), [0.0], 10)
    sizes, _ = size(Sizing(DistanceBound(cut), 1))
    assert len(sizes) == 16
    assert sorted(sizes.counts[:3].tolist()) == [1, 2, 4]
    found = Sabre().run(problem)
    assert len(found.partition) == 16
    assert set(found.partition.sizes.tolist()) == {7}


def problem_of(table: dict[str, Any], require: str, sensitive: list[str], recoding: str = "range") -> Problem:
    quasi = [name for name in table if name not in sensitive]
    return prepare(Table.of(table), Request(quasi, require, sensitive=sensitive, recoding=recoding)).problem


METHODS: list[Method] = [Sabre(), PointAssignment(), PcaOrder()]
each_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)


@each_method
@pytest.mark.parametrize("require", ["k=5 t(income)=0.15", "k=3 t(income)=0.3"])
def test_every_class_of_a_census_is_close(method: Method, require: str) -> None:
    columns = ["age", "gender", "education", "marital"]
    release = shoal.anonymize(
        census(3_000, seed=1).select([*columns, "income"]),
        quasi=columns,
        sensitive=["income"],
        require=require,
        recoding="range",
        method=method.name,
    )
    assert release.audit.holds
    assert len(release.classes) > 20


@pytest.mark.parametrize("method", METHODS[1:], ids=lambda method: method.name)
def test_several_attributes_at_once(method: Method) -> None:
    columns = ["age", "gender", "education"]
    release = shoal.anonymize(
        census(2_500, seed=1).select([*columns, "income", "occupation"]),
        quasi=columns,
        sensitive=["income", "occupation"],
        require="k=5 t(income)=0.2 t(occupation)=0.3",
        recoding="range",
        method=method.name,
    )
    assert release.audit.holds
    assert len(release.classes) > 10


@each_method
def test_small_tables_cost_no_less_than_the_optimum(method: Method) -> None:
    rng = np.random.default_rng(3)
    for _ in range(15):
        rows = int(rng.integers(4, 10))
        columns = {
            name: [kind.pool[code] for code in rng.integers(0, len(kind.pool), rows)]
            for name, kind in (("number", QUASI["number"]), ("illness", SENSITIVE["illness"]))
        }
        case = case_of(columns, "t(illness:equal)=1/3")
        found, best = method.run(case.problem), SubsetDP().run(case.problem)
        assert found.cost >= best.cost - 1e-9
        assert case.problem.models.admits(case.problem.classes(found.partition)).all()


@each_method
def test_without_time_all_rows_are_one_class(method: Method) -> None:
    table = census(500, seed=1).select("age", "gender", "income").to_dict(as_series=False)
    problem = problem_of(table, "t(income)=0.2", ["income"])
    found = method.attempt(problem, seed=0, deadline=Deadline.after(0), progress=silent)
    assert len(found.partition) == 1


def test_sabre_is_for_one_attribute() -> None:
    table = census(100, seed=1).select("age", "income", "occupation").to_dict(as_series=False)
    problem = problem_of(table, "t(income)=0.2 t(occupation)=0.2", ["income", "occupation"])
    assert Sabre().accepts(problem) == ["there are 2 t-closeness models, not one"]


# --- dealing ---------------------------------------------------------------------------------------------------------


def test_what_is_left_over_goes_to_the_first_classes() -> None:
    sizes = dealt(in_order(np.arange(17), 3), 5)
    assert sizes.rows.tolist() == [5, 3, 3, 3, 3]
    assert sizes.rows.sum() == 17


def test_balanced_buckets_have_equal_size_and_near_points() -> None:
    rng = np.random.default_rng(1)
    points, counts = np.array([[0.0], [0.1], [1.0], [1.1]]), np.array([3, 2, 4, 1])
    share = balanced(points, counts, 2, rng)
    assert share.sum(axis=0).tolist() == [5, 5]
    assert share.sum(axis=1).tolist() == counts.tolist()
    assert {tuple(column) for column in share.T.tolist()} == {(3, 2, 0, 0), (0, 0, 4, 1)}


def test_points_are_as_far_apart_as_wang_et_al_define_it() -> None:
    """The squares of the distances of both attributes are added: along a tree the height of the common ancestor."""
    illnesses = {"lungs": {"short": ["flu", "cold"], "long": ["asthma"]}, "joints": ["gout"]}
    heights = {frozenset(["flu", "cold"]): 1, frozenset(["flu", "asthma"]): 2, frozenset(["cold", "asthma"]): 2}
    table: dict[str, list[Any]] = {
        "age": list(range(8)),
        "illness": ["flu", "gout", "cold", "asthma"] * 2,
        "salary": [10, 20, 50, 10, 50, 10, 20, 20],
    }
    asked = Request(
        ["age"],
        "t(illness:hierarchy)=1 t(salary:ordered)=1",
        sensitive=["illness", "salary"],
        hierarchies={"illness": Taxonomy.from_tree(illnesses)},
        recoding="range",
    )
    problem = prepare(Table.of(table), asked).problem
    axes, tuples = axes_of(problem)
    points = embedded(axes, tuples)[tuples.of_row]
    apart = ((points[:, None] - points) ** 2).sum(axis=2)
    rank = {10: 0, 20: 1, 50: 2}
    for one, other in product(range(8), repeat=2):
        pair = frozenset((table["illness"][one], table["illness"][other]))
        along_tree = heights.get(pair, 3 * (len(pair) > 1)) / 3
        along_line = (rank[table["salary"][one]] - rank[table["salary"][other]]) / 2
        assert apart[one, other] == pytest.approx(along_tree**2 + along_line**2)
