"""Mondrian on small columns, by hand, and the sizes that its papers promise."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.thorough import examples

from shoal.methods.base import Deadline, silent
from shoal.methods.general import median_levels
from shoal.methods.general.cuts import MedianCuts
from shoal.methods.general.mondrian import Admitted, Mondrian, RelaxedMondrian
from shoal.microdata.microdata import encode
from shoal.models.requirement import parse_requirement
from shoal.pipeline import anonymize
from shoal.problem import make_problem
from shoal.tables.roles import Roles
from shoal.tables.table import Table


def classes(values: list[int], k: int, method: str) -> list[list[int]]:
    """The values of every class, in order."""
    release = anonymize({"a": values}, quasi=["a"], require=f"k={k}", method=method, recoding="range")
    return sorted(sorted(values[row] for row in rows) for rows in release.classes)


@pytest.mark.parametrize(
    ("values", "method", "expected"),
    [
        ([1, 2, 3, 4, 5, 6], "mondrian", [[1, 2, 3], [4, 5, 6]]),
        ([1, 1, 1, 1, 2, 3], "mondrian", [[1, 1, 1, 1], [2, 3]]),
        ([1, 1, 1, 1, 2, 3], "mondrian-relaxed", [[1, 1, 1], [1, 2, 3]]),
        ([7, 7, 7, 7], "mondrian", [[7, 7, 7, 7]]),
    ],
)
def test_one_column_of_numbers(values: list[int], method: str, expected: list[list[int]]) -> None:
    assert classes(values, 2, method) == expected


def test_equal_rows_cut_apart_are_one_class_again() -> None:
    assert classes([7, 7, 7, 7], 2, "mondrian-relaxed") == [[7, 7, 7, 7]]


def test_a_hierarchy_is_cut_between_the_children_of_the_common_block() -> None:
    towns = ["Oslo", "Hamar", "Bergen", "Stavanger", "Oslo", "Bergen"]
    tree = {"east": ["Oslo", "Hamar"], "west": ["Bergen", "Stavanger"]}
    release = anonymize(
        {"town": towns},
        quasi=["town"],
        require="k=3",
        recoding="generalize",
        hierarchies={"town": tree},
        method="mondrian",
    )
    assert release.table["town"].to_list() == ["east", "east", "west", "west", "east", "west"]


@settings(max_examples=examples(40))
@given(values=st.lists(st.integers(0, 9), min_size=2, max_size=30), k=st.integers(2, 4))
def test_strict_classes_of_one_column_have_at_most_2k_less_2_rows_and_copies(values: list[int], k: int) -> None:
    if len(values) >= k:
        copies = max(values.count(value) for value in values)
        assert all(k <= len(rows) <= 2 * (k - 1) + copies for rows in classes(values, k, "mondrian"))


@settings(max_examples=examples(40))
@given(values=st.sets(st.integers(0, 99), min_size=2, max_size=30), k=st.integers(2, 4))
def test_relaxed_classes_of_different_rows_have_fewer_than_2k_rows(values: set[int], k: int) -> None:
    if len(values) >= k:
        assert all(k <= len(rows) < 2 * k for rows in classes(sorted(values), k, "mondrian-relaxed"))


def test_classes_that_equal_cells_bring_together_are_merged_on_where_a_model_refuses_them() -> None:
    """Two cuts show the same cells, and too many of the population's people that fit them are in the table."""
    table = pl.DataFrame({"a": [2, 4, 4, 4, 2], "b": [2, 2, 1, 3, 2]})
    more = pl.DataFrame({"a": [2, 1, 4, 5, 5, 4, 1, 3], "b": [2, 1, 2, 3, 3, 1, 1, 3]})
    roles = Roles.of(["a", "b"], quasi=["a", "b"])
    problem = make_problem(
        encode(Table(table), roles, population=Table(pl.concat([table, more]))), parse_requirement("presence=(0,1/2)")
    )
    found = RelaxedMondrian().run(problem).partition
    assert [rows.tolist() for rows in found] == [[0, 1, 2, 3, 4]]
    assert problem.meets(found)


@pytest.mark.parametrize("recoding", ["range", "suppress"])
@pytest.mark.parametrize("require", ["k=3", "k=2 distinct-l(s)=3", "l(s)=2.5 alpha(r)=0.6", "k=2 l(r+s)=2"])
def test_the_compiled_loop_cuts_as_the_arrays_do(require: str, recoding: str) -> None:
    rng = np.random.default_rng(len(require))
    people = pl.DataFrame(
        {
            "a": rng.integers(0, 40, 400),
            "b": rng.choice([*"abcdef"], 400),
            "c": rng.choice([1.5, 2.0, float("nan"), 7.25], 400),
            "d": [f"{number:03}" for number in rng.integers(0, 150, 400)],
            "e": rng.integers(0, 10**6, 400),
            "r": rng.integers(0, 6, 400),
            "s": rng.choice([*"uvwxyz"], 400),
        }
    )
    roles = Roles.of(people.columns, quasi=[*"abcde"], sensitive=["r", "s"])
    problem = make_problem(encode(Table.of(people), roles), parse_requirement(require), recoding=recoding)
    method, time = Mondrian(), Deadline()
    cuts = MedianCuts(problem, relaxed=False)
    checks = median_levels.checks_of(problem)
    assert checks is not None
    found, finished = median_levels.cut_by_levels(problem, cuts, checks, method.shares, time, silent)
    expected, _ = method.cut(problem, Admitted(problem), time, silent)
    pairs = set(zip(found.class_of_row.tolist(), expected.class_of_row.tolist(), strict=True))
    assert finished
    assert len(pairs) == len(found) == len(expected) > 10
