"""Splits by truth: blocks of rows with like sensitive values, halved along the quasi-identifiers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.methods.t_closeness.fragmentation.test_filling import random_case

from shoal.methods.base import Deadline, silent
from shoal.methods.general.cuts import Open
from shoal.methods.t_closeness.fragmentation.filling import curve_ranks
from shoal.methods.t_closeness.splits import Splits, halves_of_blocks, rank_of
from shoal.microdata.partition import Partition
from shoal.models import KAnonymity, TCloseness

ONCE = Fraction(1)


def splits(rows: int, seed: int = 0, recoding: str = "range") -> Splits:
    problem = random_case(np.random.default_rng(seed), rows, recoding=recoding).problem
    ranks = curve_ranks(problem.microdata)
    salaries = problem.microdata.attribute("salary").codes.astype(np.int64)
    return Splits(problem, [rank_of(salaries * rows + ranks)], ranks)


@pytest.mark.parametrize("recoding", ["suppress", "generalize", "range"])
@pytest.mark.parametrize("seed", range(4))
def test_every_split_is_admitted_and_classes_are_only_made_finer(seed: int, recoding: str) -> None:
    how = splits(90, seed, recoding)
    start = np.zeros(90, dtype=np.int64)
    coarse = how.further(start, Fraction(1, 2), Deadline(), silent)
    fine = how.further(coarse, ONCE, Deadline(), silent)
    assert how.problem.models.admits(how.problem.classes(Partition.of(fine))).all()
    assert fine.max() >= coarse.max()
    assert len(set(zip(coarse.tolist(), fine.tolist(), strict=True))) == fine.max() + 1
    assert fine.max() > 2


def test_blocks_have_halves_of_equal_size() -> None:
    rng = np.random.default_rng(1)
    owner = np.sort(rng.integers(0, 9, 200))
    classes = Open(np.arange(200), np.unique(owner, return_inverse=True)[1])
    for block in (2, 4, 16, 1 << 40):
        right = halves_of_blocks(classes, block, rng.permutation(200))
        for number in range(classes.number):
            sides = right[classes.class_of_row == number]
            for start in range(0, len(sides), block):
                part = sides[start : start + block]
                assert abs(2 * int(part.sum()) - len(part)) <= 1
            assert abs(2 * int(sides.sum()) - len(sides)) <= 1


def test_a_pair_goes_to_both_sides() -> None:
    classes = Open(np.arange(6), np.array([0, 0, 0, 0, 1, 1]))
    assert halves_of_blocks(classes, 2, np.array([5, 1, 2, 9, 0, 3])).tolist() == [1, 0, 0, 1, 0, 1]


def test_a_share_of_t_is_exact_and_touches_no_other_model() -> None:
    assert TCloseness("1/3", "salary").stricter(Fraction(9, 10)).limit == Fraction(3, 10)
    assert KAnonymity(5).stricter(Fraction(1, 2)) == KAnonymity(5)


def test_when_time_is_over_classes_stay_as_they_are() -> None:
    how = splits(40)
    assert how.further(np.zeros(40, dtype=np.int64), ONCE, Deadline.after(0), silent).max() == 0
