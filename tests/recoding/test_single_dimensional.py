"""Single-dimensional recoding: one cut through each hierarchy, the lowest that tears no class."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import shoal
from shoal.core.errors import Unsupported
from shoal.hierarchies import Taxonomy
from shoal.microdata.partition import Partition
from shoal.request import Request
from shoal.steps.preparation import prepare
from shoal.tables.table import Table

TOWNS = Taxonomy.from_tree({"north": {"Norway": ["Oslo", "Bergen"], "Sweden": ["Lund"]}, "south": {"Italy": ["Rome"]}})
ASKED: dict[str, Any] = {"quasi": ["town"], "require": "k=1", "recoding": "single-dimensional"}


def shown(towns: list[str], labels: list[int]) -> list[str]:
    """What a column of towns is published as in some classes."""
    request = Request(["town"], "k=1", hierarchies={"town": TOWNS}, recoding="single-dimensional")
    problem = prepare(Table.of({"town": towns}), request).problem
    column: list[str] = problem.publish(Partition.of(np.array(labels))).frame()["town"].to_list()
    return column


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([0, 1, 2, 3, 4], ["Oslo", "Oslo", "Bergen", "Lund", "Rome"]),
        ([0, 1, 1, 3, 4], ["Norway", "Norway", "Norway", "Sweden", "Italy"]),
        ([0, 1, 2, 2, 4], ["north", "north", "north", "north", "south"]),
        ([0, 1, 2, 3, 0], ["*"] * 5),
    ],
)
def test_a_block_takes_in_those_inside_it_and_parts_of_one_leaf_are_named_alike(
    labels: list[int], expected: list[str]
) -> None:
    assert shown(["Oslo", "Oslo", "Bergen", "Lund", "Rome"], labels) == expected


def test_a_column_that_no_class_alters_is_published_as_it_is() -> None:
    release = shoal.anonymize({"age": [20, 20, 30, 31, 31, 30]}, **ASKED | {"quasi": ["age"], "require": "k=2"})
    assert release.table["age"].to_list() == [20, 20, 30, 31, 31, 30]


def test_methods_that_choose_class_by_class_do_not_take_it() -> None:
    with pytest.raises(Unsupported, match="single-dimensional recoding one block for a value in all rows"):
        shoal.anonymize({"town": ["Oslo", "Rome"]}, method="mondrian", hierarchies={"town": TOWNS}, **ASKED)


def test_a_release_is_verified(tmp_path: Any) -> None:
    table = {"town": ["Oslo", "Oslo", "Bergen", "Lund", "Lund", "Rome", "Rome"], "age": [1, 1, 1, 2, 2, 1, 1]}
    asked = ASKED | {"quasi": ["town", "age"], "require": "k=2", "hierarchies": {"town": TOWNS}}
    folder = shoal.anonymize(table, **asked).save(tmp_path / "release")
    found = shoal.verify(folder, original=table)
    assert found.passed, found.failures
