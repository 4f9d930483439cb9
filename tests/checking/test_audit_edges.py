"""What an audit counts at its edges: rows that show nothing or no sensitive value, and those whose class fails."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.checking.audit import audit_counted
from shoal.models.requirement import as_models
from shoal.tables.encoded_column import Coded


@pytest.mark.parametrize(
    ("age", "starred"),
    [
        (["*", "*", "20-29", "20-29"], 2),
        (["*", None, "20-29", "20-29"], 2),
        ([None, None, 20, 20], 2),
        (["20-29"] * 4, 0),
        (["*"] * 4, 4),
    ],
)
def test_rows_of_stars_and_missing_values_show_nothing(age: list[str | int | None], starred: int) -> None:
    table = pl.DataFrame({"age": age, "illness": ["flu", "gout", "flu", "gout"]})
    assert shoal.audit(table, quasi=["age"], sensitive=["illness"], require="k=1").starred_rows == starred
    both = table.with_columns(town=pl.Series(["*", "*", "*", "Oslo"]))
    found = shoal.audit(both, quasi=["age", "town"], sensitive=["illness"], require="k=1")
    assert found.starred_rows == min(starred, 3)


def test_counted_rows_that_show_nothing_count_as_often_as_they_occur() -> None:
    age = Coded.of(pl.Series("age", ["20-29", "*"]))
    found = audit_counted([age], [], np.array([3, 2]), models=as_models("k=2"), builders={})
    assert (found.starred_rows, found.unique_rows) == (2, 0)
    assert found.risk is not None


WITHHELD = pl.DataFrame({"age": ["*", "*", "20-29", "20-29", "30-39"], "illness": [None, None, "flu", "flu", "gout"]})
"""Two rows show no sensitive value; of the others one class has one illness, and one has one row."""


@pytest.mark.parametrize(
    ("require", "withheld", "violations", "levels"),
    [
        ("k=2", True, [4], [1]),
        ("k=3", True, [0, 1, 2, 3, 4], [1]),
        ("distinct-l(illness)=2", True, [2, 3, 4], [1]),
        ("distinct-l(illness)=1", True, [], [1]),
        ("k=2 distinct-l(illness)=2", True, [2, 3, 4], [1, 1]),
        ("k=3 distinct-l(illness)=1", True, [0, 1, 2, 3, 4], [1, 1]),
        ("distinct-l(illness)=2", False, [0, 1, 2, 3, 4], [1]),
    ],
)
def test_rows_that_show_no_sensitive_value_fail_the_other_models_alone(
    require: str, withheld: bool, violations: list[int], levels: list[int]
) -> None:
    found = shoal.audit(WITHHELD, quasi=["age"], sensitive=["illness"], require=require, withheld=withheld)
    assert found.violations.tolist() == violations
    assert [finding.reached for finding in found.findings] == levels
    assert found.holds is not bool(violations)


def test_closeness_compares_with_the_rows_that_show_their_values() -> None:
    """With the missing values counted the shares of the class would be 2/4 away."""
    table = pl.DataFrame({"age": ["*", "*", "20-29", "20-29"], "illness": [None, None, "flu", "gout"]})
    seen, all_rows = (
        shoal.audit(table, quasi=["age"], sensitive=["illness"], require="t(illness:equal)=0.4", withheld=withheld)
        for withheld in (True, False)
    )
    assert (seen.findings[0].reached, seen.holds) == (0, True)
    assert (all_rows.findings[0].reached, all_rows.holds) == (0.5, False)


def test_a_requirement_of_two_numbers_is_stated_with_both() -> None:
    table = pl.DataFrame({"age": [1, 1, 1], "illness": ["flu", "gout", "flu"]})
    found = shoal.audit(table, quasi=["age"], sensitive=["illness"], require="k=2 recursive-l(illness)=(3,2)")
    assert [finding.asked for finding in found.findings] == [2, [3, 2]]


def test_a_population_is_spelt_as_the_cells_are() -> None:
    """Numbers of the population count for the same numbers written as text."""
    shown = pl.DataFrame({"age": ["20", "20"], "town": ["*", "*"]})
    people = pl.DataFrame({"age": [20, 20, 20, 21], "town": ["Oslo", "Rome", "Bonn", "Oslo"]})
    found = shoal.audit(shown, quasi=["age", "town"], require="kmap=3", population=people)
    assert (found.findings[0].reached, found.holds) == (3, True)


def test_a_published_text_that_was_escaped_is_the_value_again() -> None:
    """A sensitive value `*` is published with a backslash, and is the same value as in the shares of the table."""
    table = pl.DataFrame({"age": [1, 1, 2, 2], "illness": ["\\*", "flu", "\\*", "flu"]})
    found = shoal.audit(table, quasi=["age"], sensitive=["illness"], require="t(illness:equal)=0")
    assert found.holds
