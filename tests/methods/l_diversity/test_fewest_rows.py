"""The fewest altered rows: against every choice, and what TP leaves to gain."""

# ruff: noqa: E741 - l is the paper's name

from __future__ import annotations

from collections import Counter

import pytest
from tests.methods.l_diversity.test_tp import (
    THREE,
    TWO,
    crafted_tables,
    hospital,
    least_residue,
    problem,
    random_tables,
)
from tests.thorough import many

from shoal.methods.base import Deadline, silent
from shoal.methods.l_diversity import fewest_rows
from shoal.methods.l_diversity.fewest_rows import FewestRows
from shoal.methods.l_diversity.tp import TP, three_phases
from shoal.problem import Problem, Solution


def solved(asked: Problem, deadline: Deadline | None = None) -> Solution:
    return FewestRows().run(asked, deadline=deadline or Deadline(), progress=silent)


def test_the_paper_s_tables() -> None:
    assert solved(hospital("starred-rows")).cost == 4
    assert solved(problem(TWO, "l(s)=3", cost="starred-rows")).cost == 12
    assert solved(problem([*THREE, (4, 4, 4, 0, 0)], "l(s)=4", cost="starred-rows")).cost == 20


def test_the_paper_s_table_needs_six_stars() -> None:
    found = solved(hospital("stars"))
    assert (found.cost, found.guarantee) == (6, "stars <= 3 * optimum")


def test_no_choice_alters_fewer_rows() -> None:
    small = [(classes, l) for classes, l in random_tables(5, 200) if sum(map(sum, classes)) <= 14]
    for classes, l in small:
        found = FewestRows().split(problem(classes, f"l(s)={l}"), Deadline())
        assert found.rows == found.bound == least_residue(classes, l)


def test_where_tp_alters_more_rows_the_program_does_not() -> None:
    worse = 0
    for classes, l in crafted_tables(6, 60):
        asked = problem(classes, f"l(s)={l}", cost="starred-rows")
        plain, found = TP().run(asked), solved(asked)
        assert (found.status, found.guarantee) == ("optimal", "starred rows = optimum")
        assert found.cost <= plain.cost
        worse += found.cost < plain.cost
    assert worse > 0


def test_without_the_program_it_is_tp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fewest_rows, "MOST_ENTRIES", 0)
    for classes, l in crafted_tables(6, 20):
        asked = problem(classes, f"l(s)={l}", cost="starred-rows")
        assert FewestRows().split(asked, Deadline()).rows == three_phases(asked, Deadline()).rows


@pytest.mark.slow
def test_tp_against_the_optimum_on_many_tables() -> None:
    gaps: dict[int, Counter[int]] = {1: Counter(), 2: Counter(), 3: Counter()}
    for tables in (random_tables, crafted_tables):
        for classes, l in tables(11, many(300)):
            asked = problem(classes, f"l(s)={l}")
            plain, least = three_phases(asked, Deadline()), FewestRows().split(asked, Deadline()).rows
            assert plain.bound <= least
            assert plain.rows <= [least, least + l - 1, l * least - (least > 0)][plain.phase - 1]
            gaps[plain.phase][plain.rows - least] += 1
    for phase, found in gaps.items():
        print(f"ended in phase {phase}: {sum(found.values()):,} tables; rows too many {dict(sorted(found.items()))}")
    assert set(gaps[1]) == {0}
