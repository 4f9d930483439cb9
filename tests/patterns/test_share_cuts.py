"""Cuts of entropy and recursive l-diversity: no admitted class breaks one, every refused class breaks its own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.patterns.test_master_program import program_of, solved
from tests.patterns.test_peeling import random_case
from tests.thorough import examples

from shoal.core.arrays import Floats, Ints
from shoal.patterns.checks import ENTROPY, RECURSIVE
from shoal.patterns.share_cuts import cuts, largest_share

LINES = [(ENTROPY, 0, 2, 0), (ENTROPY, 0, 2.5, 0), (ENTROPY, 0, 3, 0), (RECURSIVE, 0, 2, 2), (RECURSIVE, 0, 1, 3)]
COUNTS = st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any).map(np.array)


def is_admitted(line: tuple[float, ...], counts: Ints) -> bool:
    """Whether a class is admitted, by the definitions."""
    kind, _, number, other = line
    if kind == RECURSIVE:
        falling = sorted(counts.tolist(), reverse=True)
        return bool(falling[0] < number * sum(falling[int(other) - 1 :]))
    shares = counts[counts > 0] / counts.sum()
    return bool(-(shares * np.log(shares)).sum() >= np.log(number) - 1e-12)


def cut_at(line: tuple[float, ...], counts: Ints) -> Floats:
    """The coefficients of the cut at a class, of a pattern with all four values."""
    found: Floats = cuts(np.array(line, float), counts[None, :].astype(float), np.ones((1, 4)))[0]
    return found


def check(line: tuple[float, ...], one: Ints, other: Ints) -> None:
    found = cut_at(line, one)
    if is_admitted(line, one):
        assert not found.any()
    if is_admitted(line, other):
        assert found @ other <= 1e-6 * other.sum()
        most = largest_share(np.array(line, float), np.array([4.0]))[0]
        assert other.max() <= (most + 1e-9) * other.sum()


@pytest.mark.parametrize("line", LINES)
@settings(max_examples=examples(60))
@given(one=COUNTS, other=COUNTS)
def test_no_admitted_class_breaks_a_cut(line: tuple[float, ...], one: Ints, other: Ints) -> None:
    check(line, one, other)


@pytest.mark.slow
@pytest.mark.parametrize("line", LINES)
@settings(max_examples=examples(2_000))
@given(one=COUNTS, other=COUNTS)
def test_no_admitted_class_breaks_any_of_many_cuts(line: tuple[float, ...], one: Ints, other: Ints) -> None:
    check(line, one, other)


@pytest.mark.parametrize("line", LINES)
def test_a_class_far_from_admitted_breaks_its_own_cut(line: tuple[float, ...]) -> None:
    counts = np.array([20, 1, 1, 0])
    assert cut_at(line, counts) @ counts > 0


def test_of_values_that_are_too_few_none_has_a_share() -> None:
    line = np.array([ENTROPY, 0, 3, 0.0])
    two, three, many_values = largest_share(line, np.array([2.0, 3.0, 50.0]))
    assert (two, three) == (0, pytest.approx(1 / 3, abs=1e-5))
    shares = np.append(np.full(49, (1 - many_values) / 49), many_values)
    assert -(shares * np.log(shares)).sum() == pytest.approx(np.log(3))


@pytest.mark.parametrize("require", ["entropy-l(illness)=2", "recursive-l(illness)=(2,2)"])
def test_the_program_keeps_to_them_and_costs_no_more_than_a_release(require: str) -> None:
    case = random_case(2, require, 9)
    program = program_of(case)
    vertex = solved(program)
    assert vertex.value <= case.oracle.optimum("stars") + 1e-6
    codes = program.checks.codes[0][program.pool.types[program.pool.members]]
    for pattern in range(len(program.pool)):
        mine = program.pool.pattern_of_member == pattern
        counts = np.bincount(codes[mine], weights=vertex.rows[mine], minlength=program.checks.totals.shape[1])
        present = np.bincount(codes[mine], minlength=len(counts))[None, :].clip(0, 1)
        if counts.sum() > 1e-6:
            assert not cuts(program.checks.lines[0], counts[None, :].astype(float), present.astype(float)).any()
