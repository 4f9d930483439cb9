"""The three parts of the bound by small classes."""

import pytest

from shoal.bounds.small_classes import SmallClasses
from shoal.microdata.microdata import encode
from shoal.models.requirement import parse_requirement
from shoal.problem import Problem, make_problem
from shoal.tables.roles import Roles
from shoal.tables.table import Table


def problem(sizes: list[int], require: str, *, max_dropped: str = "0", recoding: str = "suppress") -> Problem:
    """A table whose rows fall into tuples of these sizes."""
    column = [number for number, size in enumerate(sizes) for _ in range(size)]
    table = Table.of({"a": column})
    microdata = encode(table, Roles.of(["a"], quasi=["a"]))
    return make_problem(microdata, parse_requirement(require), max_dropped=max_dropped, recoding=recoding)


@pytest.mark.parametrize(
    ("sizes", "k", "bound"),
    [
        ([3, 4], 3, 0),
        ([1, 2, 2, 5], 3, 5),
        ([1, 5], 3, 3),
        ([1, 3, 3], 3, 4),
        ([2, 4, 5], 4, 4 + 2),
        ([1, 1], 2, 2),
    ],
    ids=["none is small", "all small rows", "a class of k", "a whole large class", "the smallest large", "only small"],
)
def test_the_bound_by_hand(sizes: list[int], k: int, bound: int) -> None:
    assert SmallClasses().of(problem(sizes, f"k={k}")) == bound


def test_only_the_small_rows_count_where_rows_may_be_dropped() -> None:
    assert SmallClasses().of(problem([1, 3, 3], "k=3", max_dropped="0.2")) == 1


def test_it_says_nothing_of_ranges() -> None:
    assert SmallClasses().accepts(problem([1, 3], "k=2", recoding="range"))
