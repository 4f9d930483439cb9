"""The bound on the reconstruction error: the paper's and the sharper one, other readings, what it does not say."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from tests.strategies import MODELS, Case, case_of, cases
from tests.thorough import examples

from shoal.bounds.capped_share import CappedShare

BOUND = CappedShare()


def case(rows: int, require: str, **more: Any) -> Case:
    illness, salary = (["asthma", "cold", "gout"] * rows)[:rows], ([1, 2] * rows)[:rows]
    columns: dict[str, list[Any]] = {"number": [1] * rows, "illness": illness, "salary": salary}
    return case_of(columns, require, **{"recoding": "anatomy", **more})


@pytest.mark.parametrize(
    ("rows", "require", "expected"),
    [
        (6, "l(illness)=2", Fraction(3, 6)),
        (6, "l(illness)=3", Fraction(4, 6)),
        (7, "l(illness)=3", Fraction(5, 7)),
        (6, "alpha(illness)=1/2", Fraction(3, 6)),
        (7, "l(illness)=5/2", Fraction(5, 7)),
        (6, "l(illness)=2 l(salary)=3/2 distinct-l(illness)=3", Fraction(3, 6)),
        (6, "l(illness+salary)=3", Fraction(4, 6)),
        (6, "l(illness|salary)=3", Fraction(4, 6)),
        (5, "l(illness)=1", Fraction(0)),
    ],
)
def test_the_bound_is_one_less_than_the_rows_for_each_l_rows(rows: int, require: str, expected: Fraction) -> None:
    assert BOUND.of(case(rows, require).problem) == pytest.approx(float(expected))


@pytest.mark.parametrize("rows", [4, 5, 6, 7])
def test_it_is_never_below_the_paper_s(rows: int) -> None:
    for l in (1, 2, 3, Fraction(5, 2)):  # noqa: E741 - the paper's name
        assert BOUND.of(case(rows, f"l(illness)={l}").problem) >= 1 - 1 / l - 1e-12


@settings(max_examples=examples(60))
@given(case=cases(6, ["anatomy"], [MODELS["l"]]))
def test_no_two_tables_are_cheaper(case: Case) -> None:
    if not BOUND.accepts(case.problem):
        assert BOUND.of(case.problem) <= case.oracle.optimum("reconstruction") + 1e-9


@pytest.mark.parametrize(
    ("require", "more", "reason"),
    [
        ("distinct-l(illness)=2", {}, "no model caps"),
        ("l(illness)=2", {"recoding": "suppress"}, "the reconstruction error only"),
    ],
)
def test_it_says_nothing_of_other_problems(require: str, more: dict[str, Any], reason: str) -> None:
    assert any(reason in why for why in BOUND.accepts(case(6, require, **more).problem))
