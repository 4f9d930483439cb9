"""The bound by the residue of TP's first phase: the papers' examples, dropped rows, and other readings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import MODELS, Case, cases
from tests.thorough import examples

from shoal.bounds.residue import Residue, caps
from shoal.microdata.microdata import encode
from shoal.microdata.partition import Partition
from shoal.models.base import cap
from shoal.models.requirement import parse_requirement
from shoal.problem import Problem, make_problem
from shoal.tables.roles import Roles
from shoal.tables.table import Table

BOUND = Residue()
THREE = [(3, 1, 1, 2, 3), (0, 2, 2, 4, 4), (4, 4, 0, 0, 0)]


def problem(counts: Sequence[tuple[int, ...]], require: str, **options: Any) -> Problem:
    """A table with a tuple for each vector, which has so many rows of each sensitive value."""
    rows = [(q, v) for q, vector in enumerate(counts) for v, count in enumerate(vector) for _ in range(count)]
    return asked({"a": [q for q, _ in rows], "s": [f"v{v}" for _, v in rows]}, require, **options)


def asked(columns: Mapping[str, Sequence[Any]], require: str, **options: Any) -> Problem:
    roles = Roles.of(list(columns), quasi=["a"], sensitive=[name for name in columns if name != "a"])
    return make_problem(encode(Table.of(pl.DataFrame(columns)), roles), parse_requirement(require), **options)


@pytest.mark.parametrize("cost", ["stars", "starred-rows"])
def test_the_paper_s_example_of_phase_two_needs_twelve_rows(cost: str) -> None:
    """R1 = (4,4,0,0,0): eight rows, and three times four."""
    assert BOUND.of(problem(THREE, "l(s)=3", cost=cost)) == 12


def test_the_residue_counts_where_it_is_l_diverse_itself() -> None:
    """One row of each of four values in four tuples of one value."""
    assert BOUND.of(problem([(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)], "l(s)=2")) == 4


def test_diverse_tuples_pay_nothing() -> None:
    assert BOUND.of(problem([(2, 2), (1, 1)], "l(s)=2")) == 0


def test_an_l_between_whole_numbers_is_rounded_up_at_the_end() -> None:
    """Two of the commonest three stay in the first tuple; then 3/2 times five are eight, 3/2 times one are two."""
    assert BOUND.of(problem([(3, 1), (0, 5)], "l(s)=3/2")) == max(1 + 5, 8)
    assert BOUND.of(problem([(3, 1), (2, 4)], "l(s)=3/2")) == 2


def test_a_dropped_row_of_the_commonest_value_spares_l_less_one_others() -> None:
    """R1 has 4 rows of two values each. Two of 28 rows may go: 3 * 4 - 2 * 2 = 8."""
    assert BOUND.of(problem(THREE, "l(s)=3", max_dropped="2/28")) == 8
    assert BOUND.of(problem(THREE, "l(s)=3", max_dropped="1/28")) == 10


def test_alpha_is_l_diversity_by_another_name() -> None:
    assert BOUND.of(problem(THREE, "alpha(s)=1/3")) == BOUND.of(problem(THREE, "l(s)=3"))


def test_of_several_models_the_best_counts() -> None:
    columns: dict[str, list[Any]] = {"a": [1, 1, 2, 2], "s": ["x", "x", "x", "y"], "u": ["x", "x", "y", "y"]}
    of_s, of_u = (BOUND.of(asked(columns, f"l({name})=2")) for name in "su")
    assert (of_s, of_u) == (4, 4)
    assert BOUND.of(asked(columns, "k=2 l(s)=2 l(u)=2")) == 4


def test_what_the_attacker_knows_splits_the_tuples() -> None:
    """Together the four rows are 2-diverse; those that share a value of u are not."""
    columns: dict[str, list[Any]] = {"a": [1] * 4, "s": ["x", "x", "y", "y"], "u": ["p", "p", "q", "q"]}
    assert BOUND.of(asked(columns, "l(s)=2")) == 0
    assert BOUND.of(asked(columns, "l(s|u)=2")) == 4


@pytest.mark.parametrize(
    ("require", "option", "reason"),
    [
        ("l(s)=2", {"recoding": "range"}, "suppressed"),
        ("l(s)=2", {"cost": "ncp"}, "suppressed"),
        ("k=2 distinct-l(s)=2", {}, "no model caps"),
    ],
)
def test_it_says_what_it_says_nothing_of(require: str, option: dict[str, str], reason: str) -> None:
    assert any(reason in said for said in BOUND.accepts(problem(THREE, require, **option)))


@given(
    counts=st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=4), min_size=1, max_size=4),
    l=st.fractions(1, 5, max_denominator=4),
)
def test_every_tuple_is_capped_as_the_largest_part_that_the_model_admits(counts: list[list[int]], l: Fraction) -> None:  # noqa: E741
    table = problem([tuple(vector) for vector in counts], f"l(s)={l}")
    histogram = table.classes(Partition(table.microdata.tuple_of_row)).histogram(("s",))
    for index, highest in enumerate(caps(histogram, l).tolist()):
        part = histogram.counts[histogram.starts[index] : histogram.starts[index + 1]]
        largest = cap(part, lambda capped: l * int(capped.max()) <= int(capped.sum()))
        assert highest == (0 if largest is None else int(largest.max()))


@settings(max_examples=examples(100))
@given(case=cases(6, ["suppress"], kinds=[MODELS["l"], MODELS["k"]], costs=["stars", "starred-rows"]))
def test_no_release_is_cheaper(case: Case) -> None:
    if not BOUND.accepts(case.problem):
        assert BOUND.of(case.problem) <= case.oracle.optimum(case.problem.cost.name) + 1e-9
