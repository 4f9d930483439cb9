"""TP+ of the paper: TP's classes as they are, the residue along the Hilbert curve; its worked example by number."""

from __future__ import annotations

import numpy as np
import pytest
from tests.contracts.test_worked_examples import B
from tests.methods.l_diversity.test_tp_plus_refined import people, solved

from shoal.methods.base import Deadline, silent
from shoal.methods.l_diversity.hilbert import Hilbert
from shoal.methods.l_diversity.tp import TP, three_phases
from shoal.methods.l_diversity.tp_plus import TPPlus
from shoal.methods.l_diversity.tp_plus_refined import TPPlusRefined
from shoal.microdata.partition import Partition


def test_table_1_of_the_paper() -> None:
    """TP's residue is Adam, Bob, Calvin and Danny, 8 stars; in pairs of different diseases they have 6."""
    problem = B.problem("l(disease)=2")
    assert solved(TP(), problem).cost == 8
    found = solved(TPPlus(), problem)
    assert found.cost == 6
    assert found.notes[1] == "hilbert cut the residue into 2 classes"
    altered = [sorted(rows.tolist()) for rows in found.partition if rows.min() < 4]
    assert {len(rows) for rows in altered} == {2}
    assert sorted(row for rows in altered for row in rows) == [0, 1, 2, 3]


@pytest.mark.parametrize("l", [2, 4, 6])  # the paper's name
def test_it_is_tp_with_hilbert_on_the_residue_and_nothing_else(l: int) -> None:  # noqa: E741
    for seed in (1, 2, 5):
        problem = people(300 + 41 * seed, seed, f"l(income)={l}")
        found, split = solved(TPPlus(), problem), three_phases(problem, Deadline())
        unaltered = np.setdiff1d(np.arange(problem.rows), split.residue)
        assert np.array_equal(
            Partition.of(found.partition.class_of_row[unaltered]).class_of_row,
            Partition.of(split.labels[unaltered]).class_of_row,
        )
        part = problem.of_rows(split.residue)
        cut = Hilbert().solve(part, seed=0, deadline=Deadline(), progress=silent).partition
        assert found.cost == part.cost_of(cut)  # the unaltered rows have no stars
        assert solved(TPPlusRefined(), problem).cost <= found.cost <= solved(TP(), problem).cost
        assert problem.models.admits(problem.classes(found.partition)).all()


def test_the_promise_of_tp_is_kept() -> None:
    problem = people(400, 2, "l(income)=5", cost="starred-rows")
    plain, found = solved(TP(), problem), solved(TPPlus(), problem)
    assert (found.guarantee, found.lower_bound, found.notes[0]) == (plain.guarantee, plain.lower_bound, plain.notes[0])


def test_when_time_is_over_it_is_tp() -> None:
    problem = people(400, 1, "l(income)=5")
    found = TPPlus().attempt(problem, seed=0, deadline=Deadline.after(0), progress=silent)
    assert found.cost == solved(TP(), problem).cost
    assert found.notes[1] == "the residue is one class: time ran out"


def test_a_diverse_table_is_left_as_it_is() -> None:
    found = solved(TPPlus(), people(40, 0, "l(income)=1"))
    assert (found.cost, found.status, found.notes[1]) == (0, "optimal", "there is no residue")
