"""Rounding a vertex: whole numbers of every type, in classes that are admitted, and so is what is in none of them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.patterns.test_master_program import REQUIRE, program_of, solved
from tests.patterns.test_peeling import admitted, check_covering, random_case
from tests.strategies import Case

from shoal.methods.base import Deadline
from shoal.patterns import Cube
from shoal.patterns.covering import Covering
from shoal.patterns.pool import Pool
from shoal.patterns.rounding import rounded, whole


def a_pool(counts: list[int], members: list[int]) -> Pool:
    """A pool of one pattern for each member."""
    none = np.zeros(len(members), np.int64)
    every = np.arange(len(members) + 1)
    return Pool(np.arange(len(counts)), np.array(counts), none, none, every, np.array(members))


def test_the_largest_remainders_are_rounded_up() -> None:
    pool = a_pool([5, 2], [0, 1, 0, 0])
    assert whole(pool, np.array([2.3, 2.0, 1.6, 1.1])).tolist() == [2, 2, 2, 1]
    assert whole(pool, np.array([3.0 - 1e-9, 2.0, 2.0 + 1e-9, 0.0])).tolist() == [3, 2, 2, 0]


def check(case: Case) -> None:
    """Guarantees that every class is admitted, and the rows in none of them as one."""
    program = program_of(case)
    pool, cube = program.pool, Cube.of(case.problem)
    copies = rounded(program, solved(program), np.zeros(cube.types, np.int64), Deadline())
    taken = np.bincount(pool.members, weights=copies, minlength=cube.types).astype(np.int64)
    assert (copies >= 0).all()
    assert (taken <= pool.counts).all()
    rest = np.column_stack([pool.types, np.full(cube.types, len(pool)), pool.counts - taken])
    nodes = np.append(pool.nodes, cube.number - 1)
    found = Covering.of(cube, np.concatenate([pool.pieces(copies), rest]), nodes)
    check_covering(cube, found)
    assert admitted(case, found)


@pytest.mark.parametrize("recoding", ["suppress", "generalize"])
@pytest.mark.parametrize("require", [*REQUIRE, "k=5 l(illness)=2", "k=4 distinct-l(illness)=3 t(salary:ordered)=0.3"])
def test_classes_and_what_is_left_over_are_admitted(require: str, recoding: str) -> None:
    check(random_case(3, require, 150, recoding))
