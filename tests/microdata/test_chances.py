"""Bounds on the chance to be in a table, against counting every assignment of rows to people."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from tests import oracle

import shoal.microdata.chances
from shoal.microdata.chances import Chances

CASES = 3_000


def cases(number: int, seed: int) -> Iterator[tuple[list[list[bool]], list[int]]]:
    """Who fits which class, person by class, and the rows of each class."""
    chosen = random.Random(seed)
    for _ in range(number):
        people, classes = chosen.randint(1, 6), chosen.randint(1, 4)
        density = chosen.choice([0.3, 0.5, 0.8])
        fits = [[chosen.random() < density for _ in range(classes)] for _ in range(people)]
        yield fits, [chosen.choice([1, 1, 1, 2, 3]) for _ in range(classes)]


def bounds(fits: Sequence[Sequence[bool]], sizes: Sequence[int]) -> tuple[Chances, list[int]]:
    """What the bounds say, and the kind of every person; -1 for those that no class covers."""
    found = Chances.of([np.array(fits, dtype=bool)], np.ones(len(fits), dtype=np.int64), np.array(sizes))
    lines = [[one in found.kinds.others[a:b] for one in range(len(sizes))] for a, b in pairwise(found.kinds.starts)]
    return found, [lines.index(list(line)) if any(line) else -1 for line in fits]


@pytest.mark.parametrize("seed", range(3))
def test_no_chance_is_outside_its_bounds(seed: int) -> None:
    counted = 0
    for fits, sizes in cases(CASES, seed):
        chances = oracle.chances(fits, sizes)
        if chances is None:
            continue
        counted += 1
        found, kinds = bounds(fits, sizes)
        assert found.possible.all()
        assert found.uncovered == kinds.count(-1)
        for chance, kind in zip(chances, kinds, strict=True):
            if kind < 0:
                assert chance == 0
                continue
            assert Fraction(int(found.below[0][kind]), int(found.below[1][kind])) <= chance
            assert chance <= Fraction(int(found.above[0][kind]), int(found.above[1][kind]))
    assert counted > CASES // 5


def test_the_bounds_are_those_of_the_sets_of_people_that_the_argument_names() -> None:
    for fits, sizes in cases(CASES, seed=7):
        found, kinds = bounds(fits, sizes)
        for kind, (low, high) in zip(kinds, oracle.chance_bounds(fits, sizes), strict=True):
            if kind >= 0:
                assert Fraction(int(found.below[0][kind]), int(found.below[1][kind])) == low
                assert Fraction(int(found.above[0][kind]), int(found.above[1][kind])) == high


def test_the_smaller_sets_alone_are_looser_and_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    tight = [(fits, sizes, *bounds(fits, sizes)) for fits, sizes in cases(300, seed=11)]
    both = [(found.upper, found.lower) for _, _, found, _ in tight]
    monkeypatch.setattr(shoal.microdata.chances, "MOST_PAIRS", -1)
    for (fits, sizes, _, _), (upper, lower) in zip(tight, both, strict=True):
        loose, _ = bounds(fits, sizes)
        assert (loose.upper >= upper).all()
        assert (loose.lower <= lower).all()


def test_disjoint_classes_have_their_rows_divided_by_their_people() -> None:
    fits = np.repeat(np.eye(3, dtype=bool), [4, 2, 5], axis=0)
    found = Chances.of([fits], np.ones(11, dtype=np.int64), np.array([1, 2, 3]))
    assert found.upper.tolist() == found.lower.tolist() == [1 / 4, 1, 3 / 5]


def test_people_alike_are_counted_together() -> None:
    for fits, sizes in cases(200, seed=3):
        lines = sorted(set(map(tuple, fits)))
        number = [sum(tuple(line) == other for line in fits) for other in lines]
        parts = [np.array([line], dtype=bool) for line in lines]
        alike = Chances.of(parts, np.array(number), np.array(sizes))
        single, _ = bounds(fits, sizes)
        assert sorted(alike.upper.tolist()) == sorted(single.upper.tolist())
        assert alike.uncovered == single.uncovered


def test_a_class_of_more_rows_than_people_is_impossible() -> None:
    found, _ = bounds([[True, False], [False, True]], [2, 1])
    assert found.possible.tolist() == [False, True]
    assert found.largest().tolist() == [float("inf"), 1]
    together, _ = bounds([[True, True], [True, True], [False, False]], [2, 1])
    assert not together.possible.any()  # three rows, and two people who fit them


def test_every_pair_of_people_is_ordered_by_their_classes() -> None:
    """The exchange that the bounds rest on: who fits more classes has no smaller chance."""
    for fits, sizes in cases(500, seed=5):
        chances = oracle.chances(fits, sizes)
        for one, other in combinations(range(len(fits)), 2) if chances else ():
            if all(b or not a for a, b in zip(fits[one], fits[other], strict=True)):
                assert chances[one] <= chances[other]  # type: ignore[index]
