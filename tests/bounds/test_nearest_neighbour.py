"""The bound by the (k-1)-th nearest row: by hand, against its definition, and never above what dominates it."""

from __future__ import annotations

from itertools import product
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from tests.strategies import MODELS, Case, cases

from shoal.bounds import nearest_neighbour
from shoal.bounds.nearest_neighbour import NearestNeighbour
from shoal.bounds.support import Support
from shoal.core.arrays import Ints
from shoal.costs import CellCost
from shoal.hierarchies import Taxonomy
from shoal.microdata.microdata import encode
from shoal.microdata.partition import Partition
from shoal.models.requirement import parse_requirement
from shoal.problem import Problem, make_problem
from shoal.tables.roles import Roles
from shoal.tables.table import Table

TOWNS = Taxonomy([("Oslo", "east"), ("Hamar", "east"), ("Bergen", "west"), ("Voss", "west")])
BOUND = NearestNeighbour()


def problem(columns: dict[str, list[Any]], require: str, **options: Any) -> Problem:
    builders = {"town": TOWNS} if "town" in columns else None
    microdata = encode(Table.of(pl.DataFrame(columns)), Roles.of(list(columns), quasi=list(columns)), builders)
    return make_problem(microdata, parse_requirement(require), **options)


def test_a_row_pays_a_star_for_every_column_in_which_its_nearest_differs() -> None:
    """1,1 and 1,2 are one column apart; 5,6 is two columns from both."""
    assert BOUND.of(problem({"a": [1, 1, 5], "b": [1, 2, 6]}, "k=2")) == 1 + 1 + 2


def test_equal_rows_are_each_others_nearest() -> None:
    assert BOUND.of(problem({"a": [1, 1, 5]}, "k=2")) == 1
    assert BOUND.of(problem({"a": [1, 1, 5]}, "k=3")) == 3


def test_distances_go_up_the_hierarchy_with_their_weights() -> None:
    """Half way up for the pair in the east, all the way for the one in the west."""
    towns = {"town": ["Oslo", "Hamar", "Bergen"]}
    options = {"recoding": "generalize", "cost": "height", "weights": {"town": 3}}
    assert BOUND.of(problem(towns, "k=2", **options)) == 3 * (0.5 + 0.5 + 1)


def test_ncp_is_a_mean_over_the_rows() -> None:
    """Two of four leaves: (2 - 1) / (4 - 1)."""
    towns = {"town": ["Oslo", "Hamar", "Bergen"]}
    assert BOUND.of(problem(towns, "k=2", recoding="generalize")) == pytest.approx((1 / 3 + 1 / 3 + 1) / 3)


def test_fewer_rows_than_a_class_needs_pay_in_full() -> None:
    assert BOUND.of(problem({"a": [1, 1], "b": [1, 1]}, "k=3", max_dropped="1/2")) == 4


@pytest.mark.parametrize(
    ("option", "reason"), [({"recoding": "range"}, "hierarchies"), ({"cost": "discernibility"}, "add")]
)
def test_it_says_what_it_says_nothing_of(option: dict[str, str], reason: str) -> None:
    assert any(reason in said for said in BOUND.accepts(problem({"a": [1, 2]}, "k=2", **option)))


def test_it_does_not_compare_too_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = problem({"a": [1, 2, 3]}, "k=2")
    monkeypatch.setattr(nearest_neighbour, "MOST_WORK", 9)
    assert BOUND.accepts(asked) == []
    monkeypatch.setattr(nearest_neighbour, "MOST_WORK", 8)
    assert BOUND.accepts(asked) == ["there are too many distinct rows for a quick comparison"]


def test_pairs_are_measured_in_chunks_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = problem({"a": [1, 2, 3, 4, 4], "b": [1, 2, 2, 1, 1]}, "k=3")
    before = BOUND.of(asked)
    monkeypatch.setattr(nearest_neighbour, "CHUNK", 1)
    assert BOUND.of(asked) == before


def by_definition(asked: Problem) -> float:
    """The (k-1)-th smallest of what a row would pay in a pair with each other row."""
    k, rows = asked.models.least_rows, range(asked.rows)
    assert isinstance(asked.cost, CellCost)
    return sum(sorted(paid_together(asked, one, other) for other in rows)[k - 1] for one in rows)


def paid_together(asked: Problem, one: int, other: int) -> float:
    """What a row pays when two are published as one class; the cost of a table is at most a mean over its rows."""
    labels: Ints = Partition.whole(asked.rows).class_of_row - 1
    labels[[one, other]] = 0
    published = asked.publish(Partition(labels))
    assert isinstance(asked.cost, CellCost)
    return float(asked.cost.row_losses(published.cells)[0]) / asked.cost.per(asked.rows)


@given(case=cases(8, ["suppress", "generalize"], kinds=[MODELS["k"]], costs=["stars", "height", "ncp"]))
def test_it_is_what_its_definition_says(case: Case) -> None:
    if case.problem.rows >= case.problem.models.least_rows:
        assert BOUND.of(case.problem) == pytest.approx(by_definition(case.problem))


@given(case=cases(8, ["suppress", "generalize"]))
def test_the_support_bound_is_never_below_it(case: Case) -> None:
    asked = case.problem
    if not BOUND.accepts(asked) and not Support().accepts(asked) and asked.rows >= asked.models.least_rows:
        rounded = 1e-9 * asked.rows * len(asked.microdata.quasi)  # prices are whole multiples of 2 ** -30, rounded down
        assert BOUND.of(asked) <= Support().of(asked) + rounded


def test_many_attributes_that_the_support_bound_refuses_are_no_trouble() -> None:
    rows = list(product([0, 1], repeat=5))
    columns = {f"c{place}": [row[place % 5] for row in rows] for place in range(30)}
    asked = problem(columns, "k=2")
    assert Support().accepts(asked)
    assert BOUND.of(asked) == len(rows) * 6
