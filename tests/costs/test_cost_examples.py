"""Costs of one small release, by hand."""

from typing import Any

import numpy as np
import pytest

from shoal.core.errors import ParameterError
from shoal.hierarchies import as_builder
from shoal.microdata.microdata import encode
from shoal.microdata.partition import Partition
from shoal.models.requirement import parse_requirement
from shoal.problem import make_problem
from shoal.tables.roles import Roles
from shoal.tables.table import Table

PEOPLE = {"age": [20, 30, 60, 60], "town": ["Oslo", "Bergen", "Oslo", "Oslo"]}
TREES = {
    "age": as_builder("intervals:width=20"),
    "town": as_builder({"west": ["Bergen", "Stavanger"], "east": ["Oslo", "Hamar"]}),
}


def cost(recoding: str, name: str, labels: tuple[int, ...] = (0, 0, 1, 1), **more: Any) -> float:
    """What publishing the first two rows as a class and the last two as another costs."""
    microdata = encode(Table.of(PEOPLE), Roles.of(PEOPLE, quasi=["age", "town"]), TREES)
    problem = make_problem(microdata, parse_requirement("k=2"), recoding=recoding, cost=name, **more)
    return problem.cost_of(Partition.of(np.array(labels)))


@pytest.mark.parametrize(
    ("recoding", "name", "expected"),
    [
        ("suppress", "stars", 4),
        ("suppress", "starred-rows", 2),
        ("suppress", "height", 4),
        ("suppress", "ncp", 4 / 8),
        ("suppress", "discernibility", 8),
        ("suppress", "average-class-size", 1),
        ("range", "stars", 2),
        ("range", "ncp", (2 * 10 / 40 + 2) / 8),
        ("generalize", "height", 2 / 2 + 2),
        ("generalize", "ncp", (2 * 1 / 2 + 2) / 8),
    ],
)
def test_a_release_costs_what_it_does_by_hand(recoding: str, name: str, expected: float) -> None:
    assert cost(recoding, name) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("stars", 4 + 2), ("starred-rows", 2 + 1), ("ncp", 6 / 8), ("discernibility", 4 + 1 + 4)],
)
def test_a_dropped_row_costs_as_much_as_a_starred_one(name: str, expected: float) -> None:
    assert cost("suppress", name, (0, 0, 1, -1)) == pytest.approx(expected)


@pytest.mark.parametrize(("name", "expected"), [("height", 2 * (3 + 1)), ("ncp", 2 * (3 + 1) / 4 / 4)])
def test_a_weight_makes_an_attribute_dearer(name: str, expected: float) -> None:
    assert cost("suppress", name, weights={"age": 3}) == pytest.approx(expected)


def test_the_leaves_of_a_hierarchy_count_as_declared() -> None:
    east = encode(Table.of({"town": ["Oslo", "Hamar"]}), Roles.of(["town"], quasi=["town"]), {"town": TREES["town"]})
    problem = make_problem(east, parse_requirement("k=2"), recoding="generalize", cost="ncp")
    assert problem.cost_of(Partition.whole(2)) == pytest.approx((2 - 1) / (4 - 1))


def test_a_cost_without_weights_refuses_them() -> None:
    with pytest.raises(ParameterError, match="takes no attribute weights"):
        cost("suppress", "stars", weights={"age": 3})


def test_a_cost_refuses_a_recoding_it_does_not_measure() -> None:
    with pytest.raises(ParameterError, match="is not defined for the recoding"):
        cost("range", "height")
