"""What a row pays at least, compiled: equal to the arrays, and to a plain walk over all patterns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from tests.strategies import MODELS, Case, case_of, cases
from tests.thorough import examples

from shoal.bounds import support
from shoal.core.arrays import Ints
from shoal.models import Model
from shoal.patterns import Cube
from shoal.patterns.charging import lane_charges
from shoal.patterns.demands import Demands

BLOCKS = ["suppress", "generalize"]
ADDING = ["stars", "height", "ncp"]
EVERY: Sequence[type[Model]] = tuple(MODELS.values())


def compiled(cube: Cube, demands: Demands, lanes: int) -> Ints:
    heights = np.array(cube.heights)
    found = [lane_charges(cube.grid, heights, cube.counts, cube.full, demands, lane, lanes) for lane in range(lanes)]
    least: Ints = np.min(found, axis=0)
    return least


def by_hand(cube: Cube, demands: Demands) -> list[int]:
    """The least cost of a pattern whose rows could hold an admitted class, by dictionaries."""
    least = [cube.full] * cube.types
    for a, b in cube.nodes.tolist():
        groups: dict[tuple[int, int], list[int]] = {}
        for t in range(cube.types):
            groups.setdefault((int(cube.first.groups[a, t]), int(cube.second.groups[b, t])), []).append(t)
        for members in groups.values():
            if could_hold(members, cube, demands):
                paid = int(cube.first.losses[a, members[0]] + cube.second.losses[b, members[0]])
                for t in members:
                    least[t] = min(least[t], paid)
    return least


def could_hold(members: list[int], cube: Cube, demands: Demands) -> bool:
    if sum(int(cube.counts[t]) for t in members) < demands.rows:
        return False
    for attribute, values, mass in demands.needs.tolist():
        present = {int(demands.codes[attribute, t]) for t in members}
        if len(present) < values or sum(int(demands.totals[attribute, v]) for v in present) < mass:
            return False
    return True


def check(case: Case, lanes: int) -> None:
    cube = Cube.of(case.problem)
    demands = Demands.of(cube, case.problem.required, may_drop=case.problem.may_drop > 0)
    found = compiled(cube, demands, lanes).tolist()
    assert found == support._by_arrays(cube, demands).tolist() == by_hand(cube, demands)


@pytest.mark.parametrize("lanes", [1, 2, 5])
@settings(max_examples=examples(40))
@given(case=cases(25, BLOCKS, EVERY, ADDING))
def test_compiled_charges_are_those_of_the_arrays(case: Case, lanes: int) -> None:
    check(case, lanes)


@pytest.mark.slow
@settings(max_examples=examples(200))
@given(case=cases(40, BLOCKS, EVERY, ADDING))
def test_compiled_charges_are_those_of_the_arrays_in_many_more(case: Case) -> None:
    check(case, 2)


def test_large_cubes_are_charged_by_the_compiled_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    columns = {"number": rng.choice([1, 2, 4, 9], 40).tolist(), "illness": rng.choice(["cold", "gout"], 40).tolist()}
    problem = case_of(columns, "k=3 l(illness)=2").problem
    cube = Cube.of(problem)
    demands = Demands.of(cube, problem.required, may_drop=False)
    expected = support.charges(cube, demands).tolist()
    monkeypatch.setattr(support, "IN_PASSING", 0)
    assert support.charges(cube, demands).tolist() == expected
