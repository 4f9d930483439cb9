"""TP+ refined: never dearer than TP or Hilbert, rows that go home, TP's promise kept."""

# ruff: noqa: E741 - l is the paper's name

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shoal.core.loops import fitting
from shoal.methods.base import Deadline, Method, silent
from shoal.methods.l_diversity.hilbert import Hilbert
from shoal.methods.l_diversity.tp import TP
from shoal.methods.l_diversity.tp_plus_refined import TPPlusRefined, give_back
from shoal.microdata.microdata import encode
from shoal.models.requirement import parse_requirement
from shoal.problem import Problem, Solution, make_problem
from shoal.studies.synth import census, census_hierarchies
from shoal.tables.roles import Roles
from shoal.tables.table import Table


def people(rows: int, seed: int, require: str, **options: Any) -> Problem:
    quasi = ["gender", "race", "marital", "age"][: 2 + seed % 3]
    table = Table.of(census(rows, seed).select(*quasi, "income"))
    hierarchies = {name: builder for name, builder in census_hierarchies().items() if name in quasi}
    microdata = encode(table, Roles.of(table.columns, quasi=quasi, sensitive=["income"]), hierarchies)
    return make_problem(microdata, parse_requirement(require), **options)


def solved(method: Method, problem: Problem) -> Solution:
    return method.run(problem, progress=silent)


@pytest.mark.parametrize("options", [{}, {"cost": "starred-rows"}, {"recoding": "generalize"}, {"recoding": "range"}])
@pytest.mark.parametrize("l", [2, 4, 6])
def test_it_is_never_dearer_than_tp_or_hilbert(l: int, options: dict[str, str]) -> None:
    for seed in range(4):
        problem = people(150 + 37 * seed, seed, f"l(income)={l}", **options)
        found = solved(TPPlusRefined(), problem)
        assert found.cost <= min(solved(TP(), problem).cost, solved(Hilbert(), problem).cost) + 1e-12
        assert found.cost == pytest.approx(problem.cost_of(found.partition))
        assert problem.models.admits(problem.classes(found.partition)).all()


def test_the_promise_of_tp_is_kept() -> None:
    problem = people(400, 2, "l(income)=5", cost="starred-rows")
    plain, found = solved(TP(), problem), solved(TPPlusRefined(), problem)
    assert (found.guarantee, found.lower_bound) == (plain.guarantee, plain.lower_bound)
    assert found.notes[0] == plain.notes[0]


def test_when_time_is_over_it_is_tp() -> None:
    problem = people(400, 1, "l(income)=5")
    found = TPPlusRefined().attempt(problem, seed=0, deadline=Deadline.after(0), progress=silent)
    assert found.cost == solved(TP(), problem).cost
    assert found.notes[1] == "the residue was refined not at all"


def test_a_diverse_table_is_left_as_it_is() -> None:
    table = Table.of(census(40, 1).select("gender", "income"))
    microdata = encode(table, Roles.of(table.columns, quasi=["gender"], sensitive=["income"]))
    found = solved(TPPlusRefined(), make_problem(microdata, parse_requirement("l(income)=1")))
    assert (found.cost, found.status) == (0, "optimal")


def altered(goes: Any) -> list[bool]:
    return [bool(one) for one in goes]


def test_rows_go_home_while_both_classes_stay_eligible() -> None:
    """Class 0 has values (2, 2, 1), l = 2; class 0 of the altered ones can spare two rows, class 1 none."""
    home, class_of, pair = np.array([0, 0, 0, 0]), np.array([0, 1, 0, 0]), np.array([2, 2, 0, 1])
    stay, sizes, tall, spare = np.array([2, 2, 1]), np.array([5]), np.array([2]), np.array([2, 0])
    assert altered(give_back(home, class_of, pair, stay, sizes, tall, spare, 2)) == [True, False, True, False]
    assert (stay.tolist(), sizes.tolist(), tall.tolist(), spare.tolist()) == ([3, 2, 2], [7], [3], [0, 0])


def test_compiled_or_not_the_same_rows_go_home(monkeypatch: pytest.MonkeyPatch) -> None:
    from shoal.core import loops

    rng = np.random.default_rng(4)
    home, class_of, values = rng.integers(0, 9, 300), rng.integers(0, 5, 300), rng.integers(0, 4, 300)
    stay = np.full(36, 3)
    state = (np.full(9, 12), np.full(9, 3), np.full(5, 20))
    plain = give_back(
        home, class_of, home * 4 + values, stay.copy(), state[0].copy(), state[1].copy(), state[2].copy(), 3
    )
    monkeypatch.setattr(loops, "COMPILED_FROM", 0)
    compiled = fitting(give_back, 1)(home, class_of, home * 4 + values, stay, *state, 3)
    assert altered(plain) == altered(compiled)
    assert plain.any()
