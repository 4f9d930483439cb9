"""The support bound: by hand, and never below what it dominates."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.bounds.small_classes import SmallClasses
from shoal.bounds.support import Support
from shoal.microdata.microdata import encode
from shoal.models.requirement import parse_requirement
from shoal.problem import Problem, make_problem
from shoal.tables.roles import Roles
from shoal.tables.table import Table

FIVE = pl.DataFrame({"a": [1, 1, 1, 1, 1, 1], "b": [1, 1, 1, 2, 2, 2], "c": [0, 1, 1, 5, 6, 6]})


def problem(frame: pl.DataFrame, require: str, **options: str) -> Problem:
    sensitive = [name for name in frame.columns if name == "s"]
    roles = Roles.of(frame.columns, quasi=[name for name in frame.columns if name != "s"], sensitive=sensitive)
    return make_problem(encode(Table(frame), roles), parse_requirement(require), **options)  # type: ignore[arg-type]


def test_rows_that_have_no_equal_pay_one_star_and_the_others_nothing() -> None:
    """(1,1,0) and (1,2,5) must give up the third column; the pairs (1,1,1) and (1,2,6) need not."""
    assert Support().of(problem(FIVE, "k=2")) == 2


def test_values_count_as_well_as_rows() -> None:
    frame = pl.DataFrame({"a": [1, 1, 2, 2], "s": ["x", "x", "x", "y"]})
    assert Support().of(problem(frame, "k=2")) == 0
    assert Support().of(problem(frame, "l(s)=2")) == 2


@pytest.mark.parametrize(("option", "reason"), [({"recoding": "range"}, "ranges"), ({"cost": "discernibility"}, "add")])
def test_it_says_what_it_says_nothing_of(option: dict[str, str], reason: str) -> None:
    assert any(reason in said for said in Support().accepts(problem(FIVE, "k=2", **option)))


@given(rows=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1)), min_size=3, max_size=20))
def test_it_is_at_least_the_number_of_rows_in_small_classes(rows: list[tuple[int, int, int]]) -> None:
    asked = problem(pl.DataFrame(rows, schema=["a", "b", "c"], orient="row"), "k=3")
    counts = asked.microdata.counts
    assert Support().of(asked) >= counts[counts < 3].sum()
    assert SmallClasses().accepts(asked) == []
